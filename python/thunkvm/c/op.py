"""Ops in C."""

from __future__ import annotations

from typing import Any

from thunkvm._core import Apply
from thunkvm._src.graph.op import Op
from thunkvm.c.errors import MethodNotDefined
from thunkvm.c.protocol import CObject


class COp(Op, CObject):
    """An Op that gives the C++ of its nodes: subclass it and define `make_node` and `c_code`.

    Any `Op` that has a ``c_code`` will do; this class has a default for all the other methods:

    ==========================================  ==================================================
    ``c_code(node, name, inputs, outputs,       computes the outputs from the inputs: C variables
    sub)``                                      of these names, as their Types declare them
    ``c_code_cleanup(node, name, inputs,        frees what `c_code` took, after it or its failure
    outputs, sub)``
    ``c_support_code()``                        top level, the same for all nodes of the Op
    ``c_support_code_apply(node, name)``        top level, for one node: names contain `name`
    ``c_support_code_struct(node, name)``       members of the object that runs the node
    ``c_init_code()``,                          statements that run once, at loading
    ``c_init_code_apply(node, name)``
    ``c_init_code_struct(node, name, sub)``,    when the object that runs the node is made, and
    ``c_cleanup_code_struct(node, name)``       when it goes
    ==========================================  ==================================================

    In `sub`, ``sub["fail"]`` is what to insert after a Python exception was set, ``sub["params"]``
    the name of the params' variable. The code must not return. An output's variable has the
    memory of an earlier call or NULL; it is the code's to check, let go or replace.

    An Op may have a `perform` too: modes ``vm`` and ``py`` run that, the others the C.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Scale(tv.COp):
    ...     __props__ = ()
    ...     def make_node(self, x, y):
    ...         x, y = tv.as_variable(x), tv.as_variable(y)
    ...         return tv.Apply(self, [x, y], [x.type()])
    ...     def c_code(self, node, name, inputs, outputs, sub):
    ...         (x, y), (z,), fail = inputs, outputs, sub["fail"]
    ...         return f'''
    ...             npy_intp n = PyArray_DIMS({x})[0];
    ...             Py_XDECREF({z});
    ...             {z} = (PyArrayObject*)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
    ...             if ({z} == NULL) {fail};
    ...             for (npy_intp i = 0; i < n; ++i)
    ...               *(double*)PyArray_GETPTR1({z}, i) =
    ...                   *(dtype_{x}*)PyArray_GETPTR1({x}, i) * *(dtype_{y}*)PyArray_DATA({y});'''
    >>> x, y = tv.vector("x"), tv.scalar("y")
    >>> f = tv.function([x, y], Scale()(x, y))
    >>> f([1.0, 2.0], 10.0), [row.form for row in f.explain().nodes]
    (array([10., 20.]), ['c'])
    """

    #: False: Types check no inputs, and files get no macros of dtypes.
    check_input: bool = True
    #: The Type of what `get_params` returns, or None.
    params_type: Any = None

    def c_code(
        self,
        node: Apply,
        name: str,
        inputs: list[str],
        outputs: list[str],
        sub: dict[str, str],
    ) -> str:
        """Return the statements that compute the outputs' variables."""
        raise MethodNotDefined(f"{type(self).__name__} has no c_code.")

    def c_code_cleanup(
        self,
        node: Apply,
        name: str,
        inputs: list[str],
        outputs: list[str],
        sub: dict[str, str],
    ) -> str:
        """Return what frees what `c_code` took; it sees what that declared at its top level."""
        return ""

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Return functions and types for the top level, whose names contain `name`."""
        return ""

    def c_support_code_struct(self, node: Apply, name: str) -> str:
        """Return members of the object that runs the node."""
        return ""

    def c_init_code_apply(self, node: Apply, name: str) -> str:
        """Return statements that run once, when the module is loaded."""
        return ""

    def c_init_code_struct(self, node: Apply, name: str, sub: dict[str, str]) -> str:
        """Return statements that run when the object that runs the node is made."""
        return ""

    def c_cleanup_code_struct(self, node: Apply, name: str) -> str:
        """Return statements that run when that object goes."""
        return ""

    def c_code_cache_version_apply(self, node: Apply) -> tuple[Any, ...]:
        """Return the version of one node's C code; the Op's if not defined."""
        return self.c_code_cache_version()

    def get_params(self, node: Apply) -> Any:
        """Return the params of a node: by default the Op's attributes that `params_type` names."""
        wrap = getattr(self.params_type, "get_params", None)
        if wrap is None:
            raise MethodNotDefined(f"{type(self).__name__} has no get_params.")
        return wrap(self, node)
