"""Elementwise functions with NumPy's signatures that are more than one Op's function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm.types import dtype_name
from thunkvm.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


def astype(x: Any, dtype: npt.DTypeLike) -> Variable:
    """Convert to another dtype, as ``numpy.ndarray.astype`` does.

    Parameters
    ----------
    x : Variable or array-like
    dtype : dtype
        The element type of the result.

    Returns
    -------
    Variable
        `x` itself if it has that dtype.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.astype(x, "int32"))([1.5, -1.5])
    array([ 1, -1], dtype=int32)
    """
    x, name = as_variable(x), dtype_name(dtype)
    return x if x.dtype == name else ops.cast(x, dtype=name)


def round(x: Any, decimals: int = 0) -> Variable:
    """Round to the given number of decimals, halves to even.

    Parameters
    ----------
    x : Variable or array-like
    decimals : int
        Number of decimals; negative ones round left of the point.

    Returns
    -------
    Variable
        Of the shape of `x`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.round(x, 1))([1.25, -0.35])
    array([ 1.2, -0.4])
    """
    x = as_variable(x)
    if decimals == 0:
        return ops.round(x)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return ops.true_div(ops.round(x * scale), scale)
    return astype(ops.round(x / scale) * scale, x.dtype)


def clip(x: Any, min: Any = None, max: Any = None) -> Variable:
    """Limit the elements to an interval; NaN stays NaN.

    Parameters
    ----------
    x : Variable or array-like
    min, max : Variable, array-like or None
        The ends of the interval, broadcast to `x`; None for no limit.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.clip(x, 0.0, 1.0))([-1.0, 0.5, 2.0])
    array([0. , 0.5, 1. ])
    """
    if min is None and max is None:
        return as_variable(x)
    if min is None:
        return ops.minimum(x, max)
    if max is None:
        return ops.maximum(x, min)
    return ops.clip(x, min, max)


def divmod(x: Any, y: Any) -> tuple[Variable, Variable]:
    """Return ``(x // y, x % y)``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> [float(v) for v in tv.function([x], tv.divmod(x, 2.0))(7.0)]
    [3.0, 1.0]
    """
    return ops.floor_div(x, y), ops.mod(x, y)


def positive(x: Any) -> Variable:
    """Return `x`, as a variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> tv.positive(x) is x
    True
    """
    return as_variable(x)


def logaddexp(x: Any, y: Any) -> Variable:
    """Return ``log(exp(x) + exp(y))``, without overflow.

    Parameters
    ----------
    x, y : Variable or array-like
        Logarithms; broadcast against each other.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], tv.logaddexp(x, x))(1000.0)).__round__(6)
    1000.693147
    """
    largest, distance = ops.maximum(x, y), ops.abs(ops.sub(x, y))
    # Equal infinities have no distance (NaN), and nothing to add.
    both = ops.where(ops.eq(x, y), 0.0, distance)
    return largest + ops.log1p(ops.exp(-both))


def deg2rad(x: Any) -> Variable:
    """Convert degrees to radians.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], tv.deg2rad(x))(180.0)).__round__(6)
    3.141593
    """
    return ops.mul(x, 0.017453292519943295)


def rad2deg(x: Any) -> Variable:
    """Convert radians to degrees.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], tv.rad2deg(x))(3.141592653589793))
    180.0
    """
    return ops.mul(x, 57.29577951308232)
