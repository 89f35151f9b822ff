"""Ops in C."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from thunkvm._core import Apply
from thunkvm._src.graph.op import Op
from thunkvm.c.errors import MethodNotDefined
from thunkvm.c.macros import (
    Macro,
    fail_macros,
    name_macros,
    params_macros,
    support_macros,
    surround_code,
)
from thunkvm.c.protocol import CObject
from thunkvm.c.sections import read_sections


def _op_section(section: str) -> Callable[..., list[str]]:
    """Return a method of an Op for a section that is the same for all its nodes."""

    def method(self: COp, **kwargs: Any) -> list[str]:
        return [self._sections[section]] if section in self._sections else []

    method.__doc__ = f"Return the section ``{section}``."
    return method


def _node_section(section: str) -> Callable[..., str]:
    """Return a method of an Op for a section that is of one node."""

    def method(self: COp, node: Apply, name: str) -> str:
        return self._section(section, node, name)

    method.__doc__ = f"Return the section ``{section}``."
    return method


class COp(Op, CObject):
    """An Op that gives the C++ of its nodes: subclass it and define `make_node` and `c_code`.

    Any `Op` that has a ``c_code`` will do; this class has a default for all the other methods:

    ==========================================  ==================================================
    ``c_code(node, name, inputs, outputs,``     computes the outputs from the inputs: C variables
    ``sub)``                                    of these names, as their Types declare them
    ``c_code_cleanup(node, name, inputs,``      frees what `c_code` took, after it or its failure
    ``outputs, sub)``
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

    Parameters
    ----------
    func_files, func_name : optional
        Files that have the code in place of these methods, as Theano's COp takes them: see
        `ExternalCOp`.

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
    #: How many inputs and outputs `func_name` takes; NULL stands for those that a node has not.
    _cop_num_inputs: int | None = None
    _cop_num_outputs: int | None = None
    func_name: str | None = None
    _sections: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self,
        func_files: str | Path | Sequence[str | Path] | None = None,
        func_name: str | None = None,
        *,
        implementation: str | None = None,
    ) -> None:
        super().__init__(implementation=implementation)
        if func_files is None:  # methods give the code
            return
        if isinstance(func_files, (str, Path)):
            func_files = [func_files]
        self.func_files = [self.get_path(file) for file in func_files]
        self.func_name = func_name
        self._sections = self.load_c_code(self.func_files)

    @classmethod
    def get_path(cls, file: str | Path) -> Path:
        """Return a file's path; a relative one begins where the class is defined."""
        path = Path(file)
        if path.is_absolute():
            return path
        module = sys.modules.get(cls.__module__)
        defined_in = getattr(module, "__file__", None) or inspect.getfile(cls)
        return (Path(defined_in).parent / path).resolve()

    def load_c_code(self, func_files: Sequence[Path]) -> dict[str, str]:
        """Read the files."""
        sections = read_sections(func_files)
        where = ", ".join(map(str, func_files))
        if self.func_name is not None and ("code" in sections or "code_cleanup" in sections):
            raise ValueError(
                f"{where}: the function {self.func_name!r} computes the outputs, so a section "
                "'code' or 'code_cleanup' cannot do it too: leave one of them out."
            )
        if self.func_name is None and "code" not in sections:
            raise ValueError(
                f"{where}: nothing computes the outputs: give func_name, or a section 'code'."
            )
        return sections

    def _section(self, section: str, node: Apply, name: str, macros: Sequence[Macro] = ()) -> str:
        if section not in self._sections:
            return ""
        return surround_code([*self._apply_macros(node, name), *macros], self._sections[section])

    def _apply_macros(self, node: Apply, name: str) -> list[Macro]:
        macros = support_macros(node, name, self.check_input)
        return macros + params_macros(self.params_type)

    c_support_code = _op_section("support_code")
    c_init_code = _op_section("init_code")
    c_support_code_apply = _node_section("support_code_apply")
    c_support_code_struct = _node_section("support_code_struct")
    c_init_code_apply = _node_section("init_code_apply")
    c_cleanup_code_struct = _node_section("cleanup_code_struct")

    def c_init_code_struct(self, node: Apply, name: str, sub: dict[str, str]) -> str:
        """Return the section ``init_code_struct``."""
        return self._section("init_code_struct", node, name, fail_macros(sub))

    def c_code(
        self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]
    ) -> str:
        """Return the section ``code``, or the call of the function."""
        if not self._sections:
            raise MethodNotDefined(f"{type(self).__name__} has no c_code.")
        if self.func_name is None:
            macros = fail_macros(sub) + name_macros(inputs, outputs)
            return self._section("code", node, name, macros)
        arguments = [*_pad_names("inputs", inputs, self._cop_num_inputs, self)]
        arguments += _pad_names("outputs", [f"&{o}" for o in outputs], self._cop_num_outputs, self)
        if "params" in sub:
            arguments.append(sub["params"])
        call = f"{{\nif ({self.func_name}({', '.join(arguments)}) != 0) {{\nFAIL\n}}\n}}"
        return surround_code(self._apply_macros(node, name) + fail_macros(sub), call)

    def c_code_cleanup(
        self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]
    ) -> str:
        """Return the section ``code_cleanup``."""
        macros = fail_macros(sub) + name_macros(inputs, outputs)
        return self._section("code_cleanup", node, name, macros)

    def c_code_cache_version_apply(self, node: Apply) -> tuple[Any, ...]:
        """Return the version of one node's C code; the Op's if not defined."""
        return self.c_code_cache_version()

    def get_params(self, node: Apply) -> Any:
        """Return the params of a node: by default the Op's attributes that `params_type` names."""
        wrap = getattr(self.params_type, "get_params", None)
        if wrap is None:
            raise MethodNotDefined(f"{type(self).__name__} has no get_params.")
        return wrap(self, node)


def _pad_names(what: str, names: Sequence[str], wanted: int | None, op: COp) -> list[str]:
    """Return as many arguments as the function takes."""
    if wanted is None:
        return list(names)
    if len(names) > wanted:
        raise ValueError(
            f"{op} has a node of {len(names)} {what}, but _cop_num_{what} is {wanted}."
        )
    return [*names, *["NULL"] * (wanted - len(names))]
