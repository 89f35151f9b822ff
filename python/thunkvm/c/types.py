"""Types in C: how a Python object becomes C variables, and these an object again."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from thunkvm._core import Type
from thunkvm._src.graph.keyed_type import KeyedType
from thunkvm.c.errors import MethodNotDefined
from thunkvm.c.protocol import CObject, ask_method, one_text


class CType(Type, CObject):
    """A Type whose values C code can work with: subclass it.

    The texts of one variable get its `name`, which all their declarations have to contain, and
    `sub`. ``sub["fail"]`` is the code to insert where something went wrong, with a Python exception
    set. The object is ``py_<name>``. A text must not return, nor jump out of itself.

    ========================================  ====================================================
    ``c_declare(name, sub, check_input)``     declares the variables
    ``c_init(name, sub)``                     gives them a first value, where there is no object
    ``c_extract(name, sub, check_input)``     sets them from ``py_<name>``
    ``c_sync(name, sub)``                     puts their value into ``py_<name>``, which is let go
    ``c_cleanup(name, sub)``                  frees what they own, after any of these, or a failure
    ========================================  ====================================================

    Attributes
    ----------
    c_owns_variable : bool
        Whether ``c_cleanup`` frees all that a node leaves in the variables, even where no
        ``c_sync`` came between. Then, as for a type with ``c_is_simple``, a value for the next node
        of the block becomes no object.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Double(tv.CType):
    ...     def filter(self, value, strict=False, allow_downcast=None):
    ...         return float(value)
    ...     def c_declare(self, name, sub, check_input=True):
    ...         return f"double {name};"
    ...     def c_init(self, name, sub):
    ...         return f"{name} = 0.0;"
    ...     def c_extract(self, name, sub, check_input=True, **kwargs):
    ...         return f'''
    ...             if (!PyFloat_Check(py_{name})) {{
    ...               PyErr_SetString(PyExc_TypeError, "expected a float");
    ...               {sub["fail"]}
    ...             }}
    ...             {name} = PyFloat_AsDouble(py_{name});'''
    ...     def c_sync(self, name, sub):
    ...         return f'''
    ...             Py_XDECREF(py_{name});
    ...             py_{name} = PyFloat_FromDouble({name});'''
    ...     def c_cleanup(self, name, sub):
    ...         return ""
    >>> class Twice(tv.COp):
    ...     __props__ = ()
    ...     def make_node(self, x):
    ...         return tv.Apply(self, [x], [x.type()])
    ...     def c_code(self, node, name, inputs, outputs, sub):
    ...         return f"{outputs[0]} = 2.0 * {inputs[0]};"
    >>> x = Double()("x")
    >>> tv.function([x], Twice()(x))(1.5)
    3.0
    """

    c_owns_variable: bool = False

    def _missing_method(self, method: str) -> MethodNotDefined:
        return MethodNotDefined(f"the Type {self} has no {method}.")

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        """Return the declarations of a variable; typedefs are allowed."""
        raise self._missing_method("c_declare")

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        """Return the text that gives the declared variables a first value."""
        raise self._missing_method("c_init")

    def c_extract(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Return the text that sets the variables from ``py_<name>``, a borrowed reference."""
        raise self._missing_method("c_extract")

    def c_extract_out(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Return the text that sets an output's variables: from its last value, or a first one."""
        code = ask_method(self, "c_extract", name, sub, default=self, check_input=check_input)
        if code is self:
            raise self._missing_method("c_extract")
        extract = one_text(self, "c_extract", code)
        return f"if (py_{name} == Py_None) {{\n{self.c_init(name, sub)}\n}} else {{\n{extract}\n}}"

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        """Return the text that puts the variables' value into ``py_<name>``."""
        raise self._missing_method("c_sync")

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        """Return the text that frees the variables."""
        return ""

    def c_element_type(self) -> str:
        """Return the C type of an element: ``"npy_float64"``."""
        raise self._missing_method("c_element_type")

    def c_literal(self, data: Any) -> str:
        """Return a value of this Type as C text, where it can be written so."""
        raise self._missing_method("c_literal")

    def c_is_simple(self) -> bool:
        """Whether a variable is a plain number, which a function takes by value."""
        return False


class _ReferenceC:
    """The C of a variable that is a reference to an object: owned, and NULL where there is none."""

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        """Begin with NULL."""
        return f"{name} = NULL;"

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        """Put the object in place of ``py_<name>``; NULL becomes None."""
        return (
            f"Py_XDECREF(py_{name});\n"
            f"py_{name} = {name} == NULL ? Py_None : (PyObject*){name};\nPy_INCREF(py_{name});"
        )

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        """Let the object go."""
        return f"Py_XDECREF({name});"

    def c_code_cache_version(self) -> tuple[int, ...]:
        """Return the version of this text."""
        return (1,)


class Generic(_ReferenceC, KeyedType, CType):
    """Any Python object: in C it is a ``PyObject*``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.Generic() == tv.Generic(), str(tv.Generic())
    (True, 'Generic')
    """

    c_owns_variable = True

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Return the value as it is."""
        return value

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        """Declare a ``PyObject*``, owned."""
        return f"PyObject* {name};"

    def c_extract(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Take a reference."""
        return f"Py_INCREF(py_{name});\n{name} = py_{name};"


class ArrayC(_ReferenceC):
    """The C of a `TensorType`: a ``PyArrayObject*``, and its elements' type ``dtype_<name>``.

    Methods of the core's class, whose `self` it is: they are attached one by one.
    """

    def dtype_specs(self: Any) -> tuple[Any, str, str]:
        """Return NumPy's scalar class, the element's C type, and NumPy's number of it, as C."""
        dtype = np.dtype(self.dtype)
        name = "bool" if dtype.kind == "b" else dtype.name
        return dtype.type, f"npy_{name}", f"NPY_{name.upper()}"

    def c_element_type(self: Any) -> str:
        """Return ``"npy_float64"`` for float64."""
        found: str = self.dtype_specs()[1]
        return found

    def c_is_simple(self: Any) -> bool:
        """Return False: an array is passed by its address."""
        return False

    def c_declare(self: Any, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        """Declare the array, and the type of its elements."""
        declared = f"PyArrayObject* {name};"
        if check_input:
            declared += f"\ntypedef {self.dtype_specs()[1]} dtype_{name};"
        return declared

    def c_extract(
        self: Any, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Take a reference to the ndarray, whose dtype is checked."""
        text = f"{name} = NULL;\n"
        if check_input:
            number = self.dtype_specs()[2]
            text += f"if (!thunkvm_is_array(py_{name}, {number}, {self.ndim})) {sub['fail']}\n"
        return text + f"{name} = (PyArrayObject*)py_{name};\nPy_INCREF({name});"

    def c_extract_out(
        self: Any, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Take the array of the last call, or NULL."""
        return (
            f"if (py_{name} == Py_None) {{\n{name} = NULL;\n}} else {{\n"
            f"{self.c_extract(name, sub, check_input)}\n}}"
        )

    def c_check_value(self: Any, name: str, sub: dict[str, str], what: str) -> str:
        """Check what one node of a block leaves for the next."""
        number, text = self.dtype_specs()[2], json.dumps(what)
        return (
            f"if (!thunkvm_check_value((PyObject*){name}, {number}, {self.ndim}, {text})) "
            f"{sub['fail']}\n"
        )
