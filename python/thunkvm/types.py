"""Constructors of symbolic variables: inputs, constants and shared variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from thunkvm import _core
from thunkvm._core import TensorType, Type, Variable

if TYPE_CHECKING:
    import numpy.typing as npt

PREFIXES: dict[str, str] = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}


class Constructor(Protocol):
    """A function that makes a free variable of a fixed dtype."""

    def __call__(self, name: str | None = None) -> Variable:
        """Make the variable."""


def dtype_name(dtype: npt.DTypeLike) -> str:
    """Return NumPy's name of a dtype: "float64" for ``float`` or ``np.float64``.

    Raises
    ------
    TypeError
        If NumPy does not know it.
    """
    return np.dtype(dtype).name


def tensor(
    name: str | None = None,
    dtype: npt.DTypeLike = "float64",
    shape: Sequence[int | None] = (),
) -> Variable:
    """Make a free variable of any dtype and number of dimensions.

    Parameters
    ----------
    name : str, optional
        What errors and listings call it, and its keyword when the function is called.
    dtype : dtype
        The element type.
    shape : sequence of int or None
        One entry per dimension: its length, or None if that is only known at run time.

    Returns
    -------
    Variable
        A free variable, to be an input of `function`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> w = tv.tensor("w", dtype="float32", shape=(None, 3))
    >>> w.ndim, w.dtype
    (2, 'float32')
    """
    return _core.input_variable(TensorType(dtype_name(dtype), tuple(shape)), name)


def scalar(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free 0-d variable; see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], x + 1)(2.0))
    3.0
    """
    return tensor(name, dtype, ())


def vector(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of one dimension; see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], x * 2)([1.0, 2.0])
    array([2., 4.])
    """
    return tensor(name, dtype, (None,))


def matrix(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of two dimensions; see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.matrix("w").ndim
    2
    """
    return tensor(name, dtype, (None, None))


def row(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of shape (1, n); see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.row("r").type.shape
    (1, None)
    """
    return tensor(name, dtype, (1, None))


def col(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of shape (n, 1); see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.col("c").type.shape
    (None, 1)
    """
    return tensor(name, dtype, (None, 1))


def tensor3(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of three dimensions; see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.tensor3("t").ndim
    3
    """
    return tensor(name, dtype, (None,) * 3)


def tensor4(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of four dimensions; see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.tensor4("t").ndim
    4
    """
    return tensor(name, dtype, (None,) * 4)


def generic(name: str | None = None) -> Variable:
    """Make a free variable that holds any Python object, None included.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.generic("x")
    >>> tv.function([x], x)({"any": "object"})
    {'any': 'object'}
    """
    return _core.input_variable(_core.GenericType(), name)


def _of_dtype(make: Callable[[str | None, str], Variable], prefix: str) -> Constructor:
    dtype = PREFIXES[prefix]

    def constructor(name: str | None = None) -> Variable:
        return make(name, dtype)

    kind = make.__name__
    constructor.__name__ = constructor.__qualname__ = prefix + kind
    constructor.__doc__ = f'Make a {dtype} {kind}: ``{kind}(name, dtype="{dtype}")``.'
    return constructor


def _of_all_dtypes(make: Callable[[str | None, str], Variable]) -> tuple[Constructor, ...]:
    return tuple(_of_dtype(make, prefix) for prefix in PREFIXES)


# Theano's names: the letters of PREFIXES before the kind.
bscalar, wscalar, iscalar, lscalar, fscalar, dscalar, cscalar, zscalar = _of_all_dtypes(scalar)
bvector, wvector, ivector, lvector, fvector, dvector, cvector, zvector = _of_all_dtypes(vector)
bmatrix, wmatrix, imatrix, lmatrix, fmatrix, dmatrix, cmatrix, zmatrix = _of_all_dtypes(matrix)
brow, wrow, irow, lrow, frow, drow, crow, zrow = _of_all_dtypes(row)
bcol, wcol, icol, lcol, fcol, dcol, ccol, zcol = _of_all_dtypes(col)
(
    btensor3, wtensor3, itensor3, ltensor3, ftensor3, dtensor3, ctensor3, ztensor3,
) = _of_all_dtypes(tensor3)  # fmt: skip
(
    btensor4, wtensor4, itensor4, ltensor4, ftensor4, dtensor4, ctensor4, ztensor4,
) = _of_all_dtypes(tensor4)  # fmt: skip


def constant(value: Any, name: str | None = None, dtype: npt.DTypeLike | None = None) -> Variable:
    """Make a variable whose value is known.

    Parameters
    ----------
    value : number, array-like or object
        The value. Arrays are copied.
    name : str, optional
        What errors and listings call it.
    dtype : dtype, optional
        The element type; that which NumPy gives the value if left out.

    Returns
    -------
    Variable
        The constant. Its static shape is the shape of the value.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.constant([1.0, 2.0]).type.shape
    (2,)
    """
    made = _core.constant(value, None if dtype is None else dtype_name(dtype))
    if name is not None:
        made.name = name
    return made


def shared(
    value: Any,
    name: str | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    shape: Sequence[int | None] | None = None,
    borrow: bool = False,
) -> Variable:
    """Make a variable with a value that functions share, and that their updates change.

    Parameters
    ----------
    value : number, array-like or object
        The first value. Numbers, arrays, and lists of numbers become tensors; anything else is
        kept as a Python object.
    name : str, optional
        What errors and listings call it.
    dtype : dtype, optional
        The element type; that which NumPy gives the value if left out.
    shape : sequence of int or None, optional
        The lengths that every later value must have, None where any will do; left out: any
        lengths.
    borrow : bool
        Keep the given array itself instead of a copy; who gives it must not write to it later.

    Returns
    -------
    Variable
        The shared variable; `Variable.get_value` and `Variable.set_value` read and change it.

    Raises
    ------
    TypeError
        If `value` does not fit `dtype` or `shape`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> total = tv.shared(0.0, "total")
    >>> x = tv.scalar("x")
    >>> add = tv.function([x], None, updates={total: total + x})
    >>> add(2.0), add(3.0)
    (None, None)
    >>> float(total.get_value())
    5.0
    """
    if isinstance(value, Variable):
        raise TypeError(f"shared() takes a value, not the variable {value}; did you mean constant?")
    array = _as_tensor_value(value, dtype)
    if array is None:
        if dtype is not None or shape is not None:
            raise TypeError(
                f"a {type(value).__name__} is kept as an object; it has no dtype and no shape."
            )
        return _core.shared_variable(_core.GenericType(), value, name, borrow)
    lengths = (None,) * array.ndim if shape is None else tuple(shape)
    return _core.shared_variable(TensorType(array.dtype.name, lengths), array, name, borrow)


def _as_tensor_value(value: Any, dtype: npt.DTypeLike | None) -> np.ndarray | None:
    """Return the value as an array, or None if it is an object that NumPy has no number for."""
    if isinstance(value, (str, bytes, dict, set, np.random.Generator)) or value is None:
        return None
    try:
        array = np.asarray(value, dtype)
    except ValueError:  # ragged lists
        return None
    return array if array.dtype.kind in "biufc" else None


def as_variable(value: Any, name: str | None = None) -> Variable:
    """Return `value` as a variable: itself if it is one, else a constant.

    Python numbers become weak constants, whose dtype yields to what they are combined with
    (NumPy 2's promotion, NEP 50). A list or tuple with variables in it is stacked.

    Parameters
    ----------
    value : Variable, number, array-like or object
        What to convert.
    name : str, optional
        A name for the constant.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> tv.as_variable(x) is x
    True
    >>> tv.as_variable([x, 2.0]).ndim
    1
    """
    made = _core.as_variable(value)
    if name is not None and made is not value:
        made.name = name
    return made


__all__ = [
    "Type",
    "as_variable",
    "col",
    "constant",
    "generic",
    "matrix",
    "row",
    "scalar",
    "shared",
    "tensor",
    "tensor3",
    "tensor4",
    "vector",
    *(prefix + kind for kind in ("scalar", "vector", "matrix", "row", "col", "tensor3", "tensor4")
      for prefix in PREFIXES),
]  # fmt: skip
