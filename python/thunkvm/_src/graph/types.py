"""Constructors of free variables: the inputs of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from thunkvm import _core
from thunkvm._core import TensorType, Variable
from thunkvm._src.graph.kinds import PREFIXES
from thunkvm._src.teaching.nearest import did_you_mean

if TYPE_CHECKING:
    import numpy.typing as npt

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


class Constructor(Protocol):
    """A function that makes a free variable of a fixed dtype."""

    def __call__(self, name: str | None = None) -> Variable:
        """Make the variable."""


def dtype_name(dtype: npt.DTypeLike) -> str:
    """Return NumPy's name of a dtype: "float64" for ``float`` or ``np.float64``.

    Raises
    ------
    TypeError
        If NumPy does not know it; the message has the nearest name and the list.
    """
    try:
        return np.dtype(dtype).name
    except (TypeError, ValueError):  # NumPy's ValueError is for what has a `dtype` of its own
        raise TypeError(
            f"{dtype!r} is not a dtype; use one of {', '.join(DTYPES)}."
            + did_you_mean(str(dtype), DTYPES)
        ) from None


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

    Raises
    ------
    TypeError
        If `name` is the name of a dtype: the name comes first, ``tensor("x", "float32")``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> w = tv.tensor("w", dtype="float32", shape=(None, 3))
    >>> w.ndim, w.dtype
    (2, 'float32')
    """
    if name in DTYPES:
        raise TypeError(
            f"the first argument is the variable's name, and {name!r} is a dtype: write "
            f"dtype={name!r}, with a name before it if you like."
        )
    if isinstance(shape, (int, str)):
        raise TypeError(
            f"shape is {shape!r}; it has to have one length, or None, for each dimension, such as "
            "(3,) for a vector."
        )
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


def tensor5(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of five dimensions; see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.tensor5("t").ndim
    5
    """
    return tensor(name, dtype, (None,) * 5)


def tensor6(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of six dimensions; see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.tensor6("t").ndim
    6
    """
    return tensor(name, dtype, (None,) * 6)


def tensor7(name: str | None = None, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make a free variable of seven dimensions; see `tensor`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.tensor7("t").ndim
    7
    """
    return tensor(name, dtype, (None,) * 7)


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


def _make_constructor(make: Callable[[str | None, str], Variable], prefix: str) -> Constructor:
    dtype = PREFIXES[prefix]

    def constructor(name: str | None = None) -> Variable:
        return make(name, dtype)

    kind = make.__name__
    constructor.__name__ = constructor.__qualname__ = prefix + kind
    constructor.__doc__ = f"""Make a {dtype} {kind}: ``{kind}(name, dtype="{dtype}")``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.{prefix}{kind}("x").dtype
    '{dtype}'
    """
    return constructor


def _make_constructors(make: Callable[[str | None, str], Variable]) -> tuple[Constructor, ...]:
    return tuple(_make_constructor(make, prefix) for prefix in PREFIXES)


# Theano's names: the letters of PREFIXES before the kind.
bscalar, wscalar, iscalar, lscalar, fscalar, dscalar, cscalar, zscalar = _make_constructors(scalar)
bvector, wvector, ivector, lvector, fvector, dvector, cvector, zvector = _make_constructors(vector)
bmatrix, wmatrix, imatrix, lmatrix, fmatrix, dmatrix, cmatrix, zmatrix = _make_constructors(matrix)
brow, wrow, irow, lrow, frow, drow, crow, zrow = _make_constructors(row)
bcol, wcol, icol, lcol, fcol, dcol, ccol, zcol = _make_constructors(col)
(
    btensor3, wtensor3, itensor3, ltensor3, ftensor3, dtensor3, ctensor3, ztensor3,
) = _make_constructors(tensor3)  # fmt: skip
(
    btensor4, wtensor4, itensor4, ltensor4, ftensor4, dtensor4, ctensor4, ztensor4,
) = _make_constructors(tensor4)  # fmt: skip
(
    btensor5, wtensor5, itensor5, ltensor5, ftensor5, dtensor5, ctensor5, ztensor5,
) = _make_constructors(tensor5)  # fmt: skip
(
    btensor6, wtensor6, itensor6, ltensor6, ftensor6, dtensor6, ctensor6, ztensor6,
) = _make_constructors(tensor6)  # fmt: skip
(
    btensor7, wtensor7, itensor7, ltensor7, ftensor7, dtensor7, ctensor7, ztensor7,
) = _make_constructors(tensor7)  # fmt: skip


# Written out, since type checkers read no other list.
__all__ = [
    "bcol", "bmatrix", "brow", "bscalar", "btensor3", "btensor4", "btensor5", "btensor6",
    "btensor7", "bvector", "ccol", "cmatrix", "col", "crow", "cscalar", "ctensor3", "ctensor4",
    "ctensor5", "ctensor6", "ctensor7", "cvector", "dcol", "dmatrix", "drow", "dscalar",
    "dtensor3", "dtensor4", "dtensor5", "dtensor6", "dtensor7", "dvector", "fcol", "fmatrix",
    "frow", "fscalar", "ftensor3", "ftensor4", "ftensor5", "ftensor6", "ftensor7", "fvector",
    "generic", "icol", "imatrix", "irow", "iscalar", "itensor3", "itensor4", "itensor5",
    "itensor6", "itensor7", "ivector", "lcol", "lmatrix", "lrow", "lscalar", "ltensor3",
    "ltensor4", "ltensor5", "ltensor6", "ltensor7", "lvector", "matrix", "row", "scalar",
    "tensor", "tensor3", "tensor4", "tensor5", "tensor6", "tensor7", "vector", "wcol",
    "wmatrix", "wrow", "wscalar", "wtensor3", "wtensor4", "wtensor5", "wtensor6", "wtensor7",
    "wvector", "zcol", "zmatrix", "zrow", "zscalar", "ztensor3", "ztensor4", "ztensor5",
    "ztensor6", "ztensor7", "zvector",
]  # fmt: skip
