"""Slopes of incomplete gamma and beta functions by their shapes, as integrals of one sign.

The slope of ``gammainc(a, x)`` by a is the integral of ``(log(t) - digamma(a)) * density(t)`` from
0 to x; since that from 0 to infinity is 0, it is minus the integral from x on. On one of the two
sides the integrand has one sign, so nothing cancels. It is summed by the exp-sinh rule of Takahasi
and Mori (1974). Its points are spread over all scales around the width of the density. Below x = 3
the power series (Moore 1982, AS 187) is summed instead. Beta functions go the same way; see Boik
and Robison-Cox (1998) for their series. Eleven digits or more, against mpmath.
"""

from __future__ import annotations

import math

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.choosing import broadcast_arrays
from thunkvm._src.arrays.elementwise import astype

#: The rule's step, and how far its points go: from 1e-17 to 1e8 times the width.
STEP, FIRST, LAST = 0.025, -3.9, 3.2
_AT = np.arange(FIRST, LAST, STEP)
#: The points, in widths, and their weights.
POINTS = np.exp(np.pi / 2 * np.sinh(_AT))
WEIGHTS = POINTS * np.pi / 2 * np.cosh(_AT) * STEP
#: How many terms of the power series below `SERIES_TO` there are.
TERMS, SERIES_TO = 50, 3.0
#: No exponent above it: ``exp`` of it is a number.
MOST = 700.0


def slope_of_gammainc(a: Variable, x: Variable) -> Variable:
    """Return the derivative of ``gammainc(a, x)`` by `a`, in float64.

    0 where `x` is 0 or infinite, and NaN where there is no value.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.shape_slopes import slope_of_gammainc
    >>> a = tv.scalar("a")
    >>> float(tv.function([a], slope_of_gammainc(a, tv.constant(5.0)))(5.0)).__round__(9)
    -0.181419109
    """
    a, x = broadcast_arrays(astype(a, "float64"), astype(x, "float64"))
    is_end = ops.logical_or(ops.eq(x, 0.0), ops.isinf(x))
    is_inside = _all_conditions(ops.gt(a, 0.0), ops.gt(x, 0.0), ops.isfinite(a), ops.isfinite(x))
    a, x = ops.where(is_inside, a, 1.0), ops.where(is_inside, x, 1.0)
    is_low = ops.lt(x, SERIES_TO)
    low = _gamma_series(a, ops.where(is_low, x, 1.0))
    high = _gamma_integral(a, ops.where(is_low, SERIES_TO + 1.0, x))
    outside = ops.where(ops.logical_and(ops.gt(a, 0.0), is_end), 0.0, math.nan)
    return ops.where(is_inside, ops.where(is_low, low, high), outside)


def _gamma_series(a: Variable, x: Variable) -> Variable:
    a, x = a[..., None], x[..., None]
    n = np.arange(TERMS, dtype="float64")
    terms = ops.exp((a + n) * ops.log(x) - x - ops.gammaln(a + (n + 1.0)))
    return -ops.sum(terms * (ops.digamma(a + (n + 1.0)) - ops.log(x)), axis=-1)


def _gamma_integral(a: Variable, x: Variable) -> Variable:
    center = ops.digamma(a)
    # Downwards from x where x is below the change of sign, else upwards.
    sign = ops.where(ops.lt(ops.log(x), center), -1.0, 1.0)[..., None]
    width = ops.stop_gradient(1.0 / (ops.abs(a - x) + ops.sqrt(x)))
    s = ops.minimum(width[..., None] * POINTS, MOST)
    s = s * sign
    density = ops.exp(a[..., None] * s - x[..., None] * ops.expm1(s))
    values = density * ((ops.log(x) - center)[..., None] + s)
    total = ops.sum(values * sign * WEIGHTS, axis=-1) * width
    return -total * ops.exp(a * ops.log(x) - x - ops.gammaln(a))


def slope_of_betainc(a: Variable, b: Variable, x: Variable) -> Variable:
    """Return the derivative of ``betainc(a, b, x)`` by `a`, in float64.

    That by `b` is ``-slope_of_betainc(b, a, 1 - x)``. 0 where `x` is 0 or 1, and NaN where there is
    no value.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.shape_slopes import slope_of_betainc
    >>> a = tv.scalar("a")
    >>> f = tv.function([a], slope_of_betainc(a, tv.constant(1.0), tv.constant(0.5)))
    >>> float(f(1.0)).__round__(9)  # of 0.5**a
    -0.34657359
    """
    return beta_slope(a, b, x, 1.0 - x)


def beta_slope(a: Variable, b: Variable, x: Variable, y: Variable) -> Variable:
    """Return `slope_of_betainc` where ``y = 1 - x`` is given too, which may have more digits."""
    a, b, x, y = broadcast_arrays(*(astype(each, "float64") for each in (a, b, x, y)))
    is_shape = _all_conditions(ops.gt(a, 0.0), ops.gt(b, 0.0), ops.isfinite(a), ops.isfinite(b))
    is_inside = _all_conditions(is_shape, ops.gt(x, 0.0), ops.gt(y, 0.0))
    is_end = ops.logical_or(ops.eq(x, 0.0), ops.eq(y, 0.0))
    a, b, x, y = (
        ops.where(is_inside, each, other)
        for each, other in zip((a, b, x, y), (1.0, 1.0, 0.5, 0.5), strict=True)
    )
    shift = ops.digamma(a + b) - ops.digamma(a)
    # Downwards from x where x is below the change of sign, else from 1 - x downwards.
    is_low = ops.lt(ops.log(x) + shift, 0.0)
    first, second = ops.where(is_low, a, b), ops.where(is_low, b, a)
    near, far = ops.where(is_low, x, y), ops.where(is_low, y, x)
    slope = first - (second - 1.0) * near / far
    bend = ops.maximum(second, 1.0) * near / ops.square(far)
    width = ops.stop_gradient(1.0 / (ops.abs(slope) + ops.sqrt(bend)))
    s = width[..., None] * POINTS
    # 1 - near * exp(-s), of which all digits stay.
    rest = ops.log(far[..., None] - near[..., None] * ops.expm1(-s))
    steps = rest - ops.log(far)[..., None]
    density = ops.exp((second - 1.0)[..., None] * steps - first[..., None] * s)
    logarithm = ops.where(is_low[..., None], ops.log(near)[..., None] - s, rest)
    total = ops.sum(density * (logarithm + shift[..., None]) * WEIGHTS, axis=-1) * width
    scale = first * ops.log(near) + (second - 1.0) * ops.log(far)
    scale = ops.exp(scale + ops.gammaln(a + b) - ops.gammaln(a) - ops.gammaln(b))
    inside = ops.where(is_low, total, -total) * scale
    return ops.where(is_inside, inside, ops.where(ops.logical_and(is_shape, is_end), 0.0, math.nan))


def _all_conditions(*conditions: Variable) -> Variable:
    out, *others = conditions
    for each in others:
        out = ops.logical_and(out, each)
    return out


__all__ = ["beta_slope", "slope_of_betainc", "slope_of_gammainc"]
