"""Ops that work on values of any Type, for which each Type registers its C.

The C of each is a text. In it ``%(iname)s`` and ``%(oname)s`` stand for the variables of the input
and the output. ``%(fail)s`` stands for the code to insert after an exception was set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from thunkvm._core import Apply, TensorType, Variable
from thunkvm._src.graph.values import as_variable
from thunkvm.c.errors import MethodNotDefined
from thunkvm.c.op import COp

#: Code, check of the input, and version, by class of Type.
_Registered = dict[type, tuple[str, str, tuple[Any, ...]]]


class _GenericOp(COp):
    """An Op of one input, whose C is looked up by the class of the input's Type."""

    __props__: tuple[str, ...] = ()
    _registered: ClassVar[_Registered]

    def __init_subclass__(cls) -> None:
        """Give each Op a table of its own."""
        super().__init_subclass__()
        cls._registered = {}

    def make_node(self, x: Any) -> Apply:
        """Make the node of one value."""
        x = as_variable(x)
        return Apply(self, [x], [x.type()])

    def is_for(self, x: Variable) -> bool:
        """Whether C was registered for a class of the value's Type."""
        return self._class_of(x) is not None

    def _class_of(self, x: Variable) -> type | None:
        classes = type(x.type).__mro__
        return next((cls for cls in classes if cls in self._registered), None)

    def _code(self, node: Apply) -> tuple[str, str, tuple[Any, ...]]:
        cls = self._class_of(node.inputs[0])
        if cls is None:
            raise MethodNotDefined(f"{self} has no C for {node.inputs[0].type}.")
        return self._registered[cls]

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Return the versions of all that is registered; () where something has none."""
        versions = sorted((str(type_), code[2]) for type_, code in self._registered.items())
        return tuple(versions) if all(version for _, version in versions) else ()

    def c_code_cache_version_apply(self, node: Apply) -> tuple[Any, ...]:
        """Return the version that the code was registered with."""
        return self._code(node)[2]

    def c_code(
        self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]
    ) -> str:
        """Return the code that was registered for the Type."""
        code, check, _ = self._code(node)
        names = {"iname": inputs[0], "oname": outputs[0], "fail": sub["fail"], **self._more()}
        return (check % names if check else "") + code % names

    def _more(self) -> dict[str, Any]:
        return {}

    def grad(self, inputs: Any, output_gradients: Any) -> list[Any]:
        """Hand the gradient on."""
        return list(output_gradients)


class DeepCopyOp(_GenericOp):
    """A copy that shares nothing with its input.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.c.generic_ops import deep_copy_op
    >>> x = tv.vector("x")
    >>> tv.function([x], deep_copy_op(x), mode="c")([1.0, 2.0])
    array([1., 2.])
    """

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Copy by NumPy, or by the Type."""
        (x,) = inputs
        copies = isinstance(node.inputs[0].type, TensorType)
        output_storage[0][0] = np.array(x) if copies else node.inputs[0].type.copy(x)


class ViewOp(_GenericOp):
    """Its input itself."""

    view_map = {0: [0]}  # noqa: RUF012

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Hand the value on."""
        output_storage[0][0] = inputs[0]


class _LengthOp(_GenericOp):
    """An Op of lengths, which are integers."""

    def grad(self, inputs: Any, output_gradients: Any) -> list[Any]:
        """Return None: lengths have no gradient."""
        return [None]


class Shape(_LengthOp):
    """The lengths of a value as a vector of int64.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.c.generic_ops import Shape
    >>> x = tv.matrix("x")
    >>> tv.function([x], Shape()(x), mode="c")([[1.0, 2.0, 3.0]])
    array([1, 3])
    """

    def make_node(self, x: Any) -> Apply:
        """Make the node of one value."""
        x = as_variable(x)
        ndim = getattr(x.type, "ndim", None)
        return Apply(self, [x], [TensorType("int64", (ndim,))()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Ask the value."""
        output_storage[0][0] = np.array(np.shape(inputs[0]), "int64")


class Shape_i(_LengthOp):  # noqa: N801 (the name that its users know)
    """One length of a value.

    Parameters
    ----------
    i : int
        Which axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.c.generic_ops import Shape_i
    >>> x = tv.matrix("x")
    >>> tv.function([x], Shape_i(1)(x), mode="c")([[1.0, 2.0, 3.0]])
    np.int64(3)
    """

    __props__ = ("i",)

    def __init__(self, i: int) -> None:
        self.i = int(i)

    def make_node(self, x: Any) -> Apply:
        """Make the node of one value that has such an axis, if its Type knows its axes."""
        x = as_variable(x)
        ndim = getattr(x.type, "ndim", None)
        if self.i < 0 or (ndim is not None and self.i >= ndim):
            raise TypeError(f"{x}, a {x.type}, has no axis {self.i}.")
        return Apply(self, [x], [TensorType("int64", ())()])

    def _more(self) -> dict[str, Any]:
        return {"i": self.i}

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Ask the value."""
        output_storage[0][0] = np.array(np.shape(inputs[0])[self.i], "int64")


def _make_register(op: type[_GenericOp]) -> Callable[..., None]:
    """Return the function that gives an Op its C for a class of Types, and for those deriving it.

    ``code`` sets ``%(oname)s`` from ``%(iname)s``; ``version`` is shown in explanations.
    """

    def register(typ: type, code: str, version: tuple[Any, ...] = ()) -> None:
        op._registered[typ] = (code, "", version)

    return register


register_deep_copy_op_c_code = _make_register(DeepCopyOp)
register_view_op_c_code = _make_register(ViewOp)
register_shape_c_code = _make_register(Shape)


def register_shape_i_c_code(
    typ: type, code: str, check_input: str, version: tuple[Any, ...] = ()
) -> None:
    """Give `Shape_i` its C for a class of Types.

    ``code`` sets ``%(oname)s`` to length ``%(i)s`` of ``%(iname)s``; `check_input`, which comes
    before it, fails where the input has too few axes.
    """
    Shape_i._registered[typ] = (code, check_input, version)


register_deep_copy_op_c_code(
    TensorType,
    """
    Py_XDECREF(%(oname)s);
    %(oname)s = (PyArrayObject*)PyArray_NewCopy(%(iname)s, NPY_ANYORDER);
    if (%(oname)s == NULL) %(fail)s
    """,
    (1,),
)
register_view_op_c_code(
    TensorType,
    """
    Py_XDECREF(%(oname)s);
    %(oname)s = %(iname)s;
    Py_INCREF(%(oname)s);
    """,
    (1,),
)
register_shape_c_code(
    TensorType,
    """
    Py_XDECREF(%(oname)s);
    npy_intp ndim = PyArray_NDIM(%(iname)s);
    %(oname)s = (PyArrayObject*)PyArray_EMPTY(1, &ndim, NPY_INT64, 0);
    if (%(oname)s == NULL) %(fail)s
    for (npy_intp axis = 0; axis < ndim; ++axis)
      *(npy_int64*)PyArray_GETPTR1(%(oname)s, axis) = PyArray_DIM(%(iname)s, (int)axis);
    """,
    (1,),
)
register_shape_i_c_code(
    TensorType,
    """
    Py_XDECREF(%(oname)s);
    %(oname)s = (PyArrayObject*)PyArray_EMPTY(0, NULL, NPY_INT64, 0);
    if (%(oname)s == NULL) %(fail)s
    *(npy_int64*)PyArray_DATA(%(oname)s) = PyArray_DIM(%(iname)s, %(i)s);
    """,
    """
    if (%(i)s >= PyArray_NDIM(%(iname)s)) {
      PyErr_SetString(PyExc_TypeError, "the array has fewer than %(i)s + 1 dimensions.");
      %(fail)s
    }
    """,
    (1,),
)

deep_copy_op = DeepCopyOp()
view_op = ViewOp()
shape_op = Shape()
