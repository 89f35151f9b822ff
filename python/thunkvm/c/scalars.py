"""The Type of single numbers, which are plain numbers in C."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.graph.types import dtype_name
from thunkvm.c.plain import NumberCType, put_object

#: How NumPy's C API calls the numbers of a scalar object, by dtype.
_SCALAR_CLASSES = {
    "bool": "Bool", "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64",
    "uint8": "UInt8", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
    "float16": "Half", "float32": "Float32", "float64": "Float64",
    "complex64": "Complex64", "complex128": "Complex128",
}  # fmt: skip


class ScalarType(NumberCType):
    """A single number of a dtype: in C a plain ``npy_float64``.

    A 0-d `TensorType` is a ``PyArrayObject*`` in C, and what thunkvm's own Ops take.

    Parameters
    ----------
    dtype : dtype
        Any that thunkvm has.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Product(tv.COp):
    ...     __props__ = ()
    ...     itypes = [tv.ScalarType("float64"), tv.ScalarType("int32")]
    ...     otypes = [tv.ScalarType("float64")]
    ...     def c_code(self, node, name, inputs, outputs, sub):
    ...         return f"{outputs[0]} = {inputs[0]} * {inputs[1]};"
    >>> x, n = tv.ScalarType("float64")("x"), tv.ScalarType("int32")("n")
    >>> tv.function([x, n], Product()(x, n))(2.5, 4)
    np.float64(10.0)
    """

    ndim = 0

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype_name(dtype)
        if self.dtype not in _SCALAR_CLASSES:
            raise TypeError(f"there is no ScalarType of {self.dtype}.")
        self.ctype = f"npy_{self.dtype}"

    def _key(self) -> tuple[str]:
        return (self.dtype,)

    def __str__(self) -> str:
        """Return ``ScalarType(float64)``."""
        return f"ScalarType({self.dtype})"

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Return the number as NumPy's scalar of the dtype.

        Raises
        ------
        TypeError
            If it is no single number, or one that the dtype does not hold; with `strict` if it is
            no such scalar already.
        """
        scalar = np.dtype(self.dtype).type
        if type(value) is scalar:
            return value
        if strict:
            raise TypeError(f"{value!r}, a {type(value).__name__}, is no {scalar.__name__}.")
        array = np.asarray(value)
        if array.shape != () or array.dtype.kind not in "biufc":
            raise TypeError(
                f"{value!r}, a {type(value).__name__}, is no single number, which {self} wants."
            )
        if isinstance(value, (int, float, complex)) and not isinstance(value, bool):
            return self._convert_python(value)
        if not allow_downcast and not np.can_cast(array.dtype, self.dtype, "safe"):
            raise TypeError(
                f"{value!r}, a {array.dtype}, may lose something as {self.dtype}: convert it "
                f"yourself, or use allow_downcast=True."
            )
        return array.astype(self.dtype)[()]

    def _convert_python(self, value: Any) -> Any:
        kind = np.dtype(self.dtype).kind
        fits = isinstance(value, int) or kind in ("fc" if isinstance(value, float) else "c")
        try:
            if fits:
                return np.asarray(value, self.dtype)[()]
        except OverflowError:
            pass
        raise TypeError(f"{value!r} is no number that {self.dtype} holds.")

    def dtype_specs(self) -> tuple[Any, str, str]:
        """Return NumPy's scalar class, the C type, and NumPy's number of it, as C."""
        return np.dtype(self.dtype).type, self.ctype, f"NPY_{self.dtype.upper()}"

    def c_literal(self, data: Any) -> str:
        """Return a number as C text."""
        kind = np.dtype(self.dtype).kind
        if kind == "c":
            raise self._missing_method("c_literal")
        if kind == "f":
            value = float(data)
            if not np.isfinite(value):
                return {"inf": "NPY_INFINITY", "-inf": "-NPY_INFINITY"}.get(str(value), "NPY_NAN")
            return f"{value!r}" + ("f" if self.dtype == "float32" else "")
        suffix = {"int64": "LL", "uint64": "ULL"}.get(self.dtype, "")
        value = int(data)
        return f"(-{-value - 1}{suffix} - 1)" if value < 0 else f"{value}{suffix}"

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        """Declare the number, and ``dtype_<name>``."""
        declared = super().c_declare(name, sub)
        return f"{declared}\ntypedef {self.ctype} dtype_{name};" if check_input else declared

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        """Begin with 0."""
        if np.dtype(self.dtype).kind == "c":
            return f"memset(&{name}, 0, sizeof {name});"
        return super().c_init(name, sub)

    def c_extract(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Read the scalar object."""
        text = ""
        if check_input:
            scalar = _SCALAR_CLASSES[self.dtype]
            text = (
                f"if (!PyObject_TypeCheck(py_{name}, &Py{scalar}ArrType_Type)) {{\n"
                f'PyErr_Format(PyExc_TypeError, "the C code expects a {self.dtype} scalar, but got '
                f'a %s.", Py_TYPE(py_{name})->tp_name);\n{sub["fail"]}\n}}\n'
            )
        return text + f"PyArray_ScalarAsCtype(py_{name}, &{name});"

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        """Make a scalar object."""
        return (
            f"PyArray_Descr* descr_{name} = PyArray_DescrFromType({self.dtype_specs()[2]});\n"
            f"PyObject* made_{name} = PyArray_Scalar(&{name}, descr_{name}, NULL);\n"
            f"Py_DECREF(descr_{name});\n" + put_object(name, f"made_{name}", sub)
        )

    def c_code_cache_version(self) -> tuple[int, ...]:
        """Return the version of this text."""
        return (1,)
