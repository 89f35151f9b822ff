"""Whether arrays are equal, or equal but for rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.dimensions import atleast_nd
from thunkvm._src.arrays.composed.lengths import inexact, integers_below
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel
from thunkvm._src.graph.values import as_variable


@public()
def isclose(
    a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Variable:
    """Return whether ``|a - b| <= atol + rtol * |b|`` of each element, as ``numpy.isclose``.

    Parameters
    ----------
    a, b : Variable or array-like
        They broadcast. Infinities are close to themselves alone.
    rtol, atol : number or Variable
        The relative and the absolute tolerance.
    equal_nan : bool
        Whether NaN is close to NaN.

    Returns
    -------
    Variable
        Of bools.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.isclose(x, 1.0))([1.0, 1.1, 1.0 + 1e-9])
    array([ True, False,  True])
    """
    # Floats, so that differences of integers do not wrap around; a number stays one.
    a, b = (x if isinstance(x, (int, float, complex)) else as_variable(x) for x in (a, b))
    b = float(b) if isinstance(b, int) else inexact(b) if isinstance(b, Variable) else b
    is_near = ops.le(ops.abs(a - b), atol + rtol * ops.abs(b))
    close = ops.logical_or(ops.logical_and(is_near, ops.isfinite(b)), ops.eq(a, b))
    if equal_nan:
        close = ops.logical_or(close, ops.logical_and(ops.isnan(a), ops.isnan(b)))
    return close


@public()
def allclose(
    a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Variable:
    """Return whether all elements are close; parameters as of `isclose`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> bool(tv.function([x], tv.allclose(x, 1.0))([1.0, 1.0 + 1e-9]))
    True
    """
    return ops.all(isclose(a, b, rtol, atol, equal_nan))


@public()
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Variable:
    """Return whether two arrays have one shape and equal elements.

    Parameters
    ----------
    a1, a2 : Variable or array-like
    equal_nan : bool
        Whether NaN is equal to NaN.

    Returns
    -------
    Variable
        A 0-d bool.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.array_equal(x, [1.0, 2.0]))
    >>> bool(f([1.0, 2.0])), bool(f([1.0, 2.0, 3.0]))
    (True, False)
    """
    a, b = as_variable(a1), as_variable(a2)
    if a.ndim != b.ndim:
        return as_variable(np.array(False))
    # Elements are compared in pairs, as far as there are any: shapes that differ are no error.
    count = ops.minimum(ops.size(a), ops.size(b))
    one, other = ravel(a)[:count], ravel(b)[:count]
    same = ops.eq(one, other)
    if equal_nan:
        same = ops.logical_or(same, ops.logical_and(ops.isnan(one), ops.isnan(other)))
    has_shape = ops.all(ops.eq(ops.shape(a), ops.shape(b)))
    return ops.logical_and(has_shape, ops.all(same))


@public()
def array_equiv(a1: Any, a2: Any) -> Variable:
    """Return whether two arrays broadcast to one shape, and are the same then.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> bool(tv.function([x], tv.array_equiv(x, [1.0, 2.0]))([[1.0, 2.0], [1.0, 2.0]]))
    True
    """
    x, y = as_variable(a1), as_variable(a2)
    ndim = max(x.ndim, y.ndim)
    x, y = atleast_nd(x, n=ndim), atleast_nd(y, n=ndim)
    fits = as_variable(np.array(True))
    for axis in range(ndim):
        m, n = as_variable(length(x, axis)), as_variable(length(y, axis))
        axis_fits = ops.logical_or(ops.eq(m, n), ops.logical_or(ops.eq(m, 1), ops.eq(n, 1)))
        fits = ops.logical_and(fits, axis_fits)
        # Both get one length, so that shapes that do not fit are no error.
        common = ops.where(ops.eq(ops.minimum(m, n), 0), 0, ops.maximum(m, n))
        x = ops.take(x, ops.mod(integers_below(common), ops.maximum(m, 1)), axis=axis)
        y = ops.take(y, ops.mod(integers_below(common), ops.maximum(n, 1)), axis=axis)
    return ops.logical_and(fits, ops.all(ops.eq(x, y)))


__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]
