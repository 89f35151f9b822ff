"""Elementwise functions with NumPy's signatures that are more than one Op's function."""

from __future__ import annotations

import math
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.types import dtype_name
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


@public(method=True)
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


@public(method=True, numpy=("around",))
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
        It has the shape and dtype of `x`; integers with decimals are `x` itself.

    Raises
    ------
    ValueError
        If 10 to that power is more than the dtype holds.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.round(x, 1))([1.25, -0.35])
    array([ 1.2, -0.4])
    """
    variable: Variable = as_variable(x)
    decimals, dtype = index(decimals), np.dtype(variable.dtype)
    if decimals >= 0 and dtype.kind in "iu":
        return variable  # whole numbers have no decimals
    if decimals == 0:
        return ops.round(variable)
    if dtype.kind == "b":
        raise TypeError(
            f"[round] bools have no decimals, but decimals = {decimals}; leave it out, or "
            f"cast {variable}."
        )
    computed = np.finfo(dtype if dtype.kind in "fc" else "float64")
    if abs(decimals) > math.log10(computed.max):
        raise ValueError(
            f"[round] decimals = {decimals}, but 10**{abs(decimals)} is more than {computed.dtype} "
            f"holds; give at most {int(math.log10(computed.max))}."
        )
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return ops.true_div(ops.round(variable * scale), scale)
    return astype(ops.round(variable / scale) * scale, variable.dtype)


@public(method=True)
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


@public(of_package=False, numpy=("fabs",))
def fabs(x: Any) -> Variable:
    """Return the magnitude of each element, as a float, as ``numpy.fabs``.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> np.fabs(tv.lscalar("x")).dtype
    'float64'
    """
    return ops.abs(_cast_for_ufunc(np.fabs, x))


@public(of_package=False, numpy=("rint",))
def rint(x: Any) -> Variable:
    """Return the nearest whole number of each element, as a float, as ``numpy.rint``.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> np.rint(tv.lscalar("x")).dtype
    'float64'
    """
    return ops.round(_cast_for_ufunc(np.rint, x))


def _cast_for_ufunc(ufunc: np.ufunc, x: Any) -> Variable:
    """Return `x` in the dtype in which NumPy's function computes it."""
    x = as_variable(x)
    try:
        dtype = ufunc.resolve_dtypes((np.dtype(x.dtype), None))[0]
    except TypeError:
        raise TypeError(f"[{ufunc.__name__}] is not defined for {x.dtype}.") from None
    return astype(x, dtype)


@public()
def divmod(x: Any, y: Any) -> tuple[Variable, Variable]:
    """Return ``(x // y, x % y)``; of integers divided by zero both are 0, without a warning.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> [float(v) for v in tv.function([x], tv.divmod(x, 2.0))(7.0)]
    [3.0, 1.0]
    """
    return ops.floor_div(x, y), ops.mod(x, y)


@public()
def positive(x: Any) -> Variable:
    """Return `x`, as a variable.

    Raises
    ------
    TypeError
        If it is of bools, which have no sign.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> tv.positive(x) is x
    True
    """
    variable: Variable = as_variable(x)
    if variable.dtype == "bool":
        raise TypeError(f"[positive] {variable} is of bools, which have no sign, as in NumPy.")
    return variable
