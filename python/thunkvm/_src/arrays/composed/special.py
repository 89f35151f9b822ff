"""Special functions that are composed of others, with the right slopes at their edges.

A function may have a value where its formula has none, as ``x * log(x)`` at 0. There the formula
gets another number. Where its slope is infinite there, a root of 0 gives it that: ``sqrt(x)`` is 0,
and has the slope inf.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add, index
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.activations import as_float
from thunkvm._src.arrays.public import public

#: Of ``log(gamma(x))``, what is left of Stirling's formula: by powers of 1 / x**2, from 1 / x.
STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
)  # fmt: skip
#: From here on these terms give all digits.
STIRLING_FROM = 10.0


@public()
def expit(x: Any) -> Variable:
    """Return ``1 / (1 + exp(-x))``, as `sigmoid`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.expit(x))([0.0, 1000.0])
    array([0.5, 1. ])
    """
    return ops.sigmoid(x)


@public()
def logit(x: Any) -> Variable:
    """Return ``log(x / (1 - x))``, the inverse of `expit`; NaN outside of 0 to 1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.logit(x))([0.0, 0.5, 1.0])
    array([-inf,   0.,  inf])
    """
    x = as_float(x)
    is_near = ops.lt(ops.abs(x - 0.5), 0.25)  # the half, where both logarithms are equal
    near = ops.arctanh((ops.where(is_near, x, 0.5) - 0.5) * 2.0) * 2.0
    far = ops.where(is_near, 0.25, x)
    return ops.where(is_near, near, ops.log(far) - ops.log1p(-far))


@public()
def xlogy(x: Any, y: Any) -> Variable:
    """Return ``x * log(y)``, and 0 where `x` is 0 and `y` is a number.

    Its derivatives are ``log(y)`` and ``x / y``; the latter is 0 where `x` is 0, also at y = 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.vector("x"), tv.vector("y")
    >>> tv.function([x, y], tv.xlogy(x, y))([0.0, 2.0], [0.0, 1.0])
    array([0., 0.])
    """
    return _times_log(x, y, ops.log, 0.0)


@public()
def xlog1py(x: Any, y: Any) -> Variable:
    """Return ``x * log(1 + y)``, and 0 where `x` is 0 and `y` is a number; see `xlogy`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.vector("x"), tv.vector("y")
    >>> tv.function([x, y], tv.xlog1py(x, y))([0.0, 2.0], [-1.0, 0.0])
    array([0., 0.])
    """
    return _times_log(x, y, ops.log1p, -1.0)


def _times_log(x: Any, y: Any, log: Callable[..., Variable], end: float) -> Variable:
    """Return ``x * log(y)``, where the logarithm is -inf at `end`."""
    x, y = as_float(x), as_float(y)
    is_zero = ops.eq(x, 0.0)
    at_end = ops.logical_or(ops.eq(y, end), ops.eq(y, math.inf))
    is_edge = ops.logical_and(is_zero, at_end)
    # Below the end there is no logarithm, but 0 of it are 0.
    is_nothing = ops.logical_and(is_zero, ops.logical_or(at_end, ops.lt(y, end)))
    inside = x * log(ops.where(is_nothing, end + 1.0, y))
    steep = ops.sqrt(ops.where(is_edge, x, 1.0))
    return ops.where(is_edge, ops.where(ops.eq(y, end), 0.0 - steep, steep), inside)


@public()
def entr(x: Any) -> Variable:
    """Return ``-x * log(x)``: 0 at 0, where its slope is inf, and -inf below.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.entr(x))([-1.0, 0.0, 1.0])
    array([-inf,   0.,  -0.])
    """
    x = as_float(x)
    is_zero, is_below = ops.eq(x, 0.0), ops.lt(x, 0.0)
    inside = ops.where(ops.logical_or(is_zero, is_below), 1.0, x)
    value = ops.where(is_below, -math.inf, -inside * ops.log(inside))
    return ops.where(is_zero, ops.sqrt(ops.where(is_zero, x, 1.0)), value)


@public()
def rel_entr(x: Any, y: Any) -> Variable:
    """Return ``x * log(x / y)``: 0 where `x` is 0 and `y` is not negative, inf outside.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.vector("x"), tv.vector("y")
    >>> tv.function([x, y], tv.rel_entr(x, y))([0.0, 1.0, 1.0], [0.0, 1.0, 0.0])
    array([ 0.,  0., inf])
    """
    x, y = as_float(x), as_float(y)
    is_missing = ops.logical_or(ops.isnan(x), ops.isnan(y))
    is_inside, is_zero = _entropy_domain(x, y)
    p, q = ops.where(is_inside, x, 1.0), ops.where(is_inside, y, 1.0)
    ratio = p / q
    is_far = ops.logical_or(ops.eq(ratio, 0.0), ops.isinf(ratio))
    log_of_far = ops.log(ops.where(is_far, p, 1.0)) - ops.log(ops.where(is_far, q, 1.0))
    log_of_near = ops.log(ops.where(is_far, 1.0, p) / ops.where(is_far, 1.0, q))
    value: Variable = p * ops.where(is_far, log_of_far, log_of_near)
    is_steep = ops.logical_and(is_zero, ops.gt(y, 0.0))
    zero = 0.0 - ops.sqrt(ops.where(is_steep, x, 1.0))
    outside = ops.where(is_missing, x + y, math.inf)
    at_zero = ops.where(is_steep, zero, ops.where(is_zero, 0.0, outside))
    return ops.where(is_inside, value, at_zero)


def _entropy_domain(x: Variable, y: Variable) -> tuple[Variable, Variable]:
    """Return where both are positive, and where `x` is 0 and `y` is not negative."""
    is_inside = ops.logical_and(ops.gt(x, 0.0), ops.gt(y, 0.0))
    return is_inside, ops.logical_and(ops.eq(x, 0.0), ops.ge(y, 0.0))


@public()
def kl_div(x: Any, y: Any) -> Variable:
    """Return ``x * log(x / y) - x + y``: `y` where `x` is 0 and `y` is not negative, inf outside.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.vector("x"), tv.vector("y")
    >>> tv.function([x, y], tv.kl_div(x, y))([0.0, 1.0, 1.0], [3.0, 1.0, 0.0])
    array([ 3.,  0., inf])
    """
    x, y = as_float(x), as_float(y)
    relative = rel_entr(x, y)
    return ops.where(ops.logical_or(*_entropy_domain(x, y)), relative - x + y, relative)


@public()
def betaln(a: Any, b: Any) -> Variable:
    """Return the logarithm of the size of `beta`: ``gammaln(a) + gammaln(b) - gammaln(a + b)``.

    For large arguments it is summed by Stirling's formula, of which the large terms are left out.
    It is inf where `a` or `b` is 0, -1, -2, ...; but NaN where ``a + b`` is too, and only one is.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.scalar("a"), tv.scalar("b")
    >>> float(tv.function([a, b], tv.betaln(a, b))(1e10, 1.0)).__round__(9)
    -23.02585093
    """
    a, b = as_float(a), as_float(b)
    a_is_less = ops.lt(a, b)
    low, high = ops.where(a_is_less, a, b), ops.where(a_is_less, b, a)
    is_large = ops.logical_and(ops.ge(high, STIRLING_FROM), ops.ge(low + high, STIRLING_FROM))
    both_are = ops.ge(low, STIRLING_FROM)
    p, q = ops.where(is_large, low, 1.0), ops.where(is_large, high, STIRLING_FROM)
    small_p = ops.where(both_are, 1.0, p)
    large_p = ops.where(both_are, p, STIRLING_FROM)
    of_ratio = -(q - 0.5) * ops.log1p(p / q) + _stirling_series(q) - _stirling_series(p + q)
    by_gamma = ops.gammaln(small_p) - small_p * ops.log(small_p + q) + small_p
    by_stirling = (
        -(large_p - 0.5) * ops.log1p(q / large_p)
        - ops.log(large_p + q) * 0.5
        + (0.5 * math.log(2 * math.pi))
        + _stirling_series(large_p)
    )
    large = of_ratio + ops.where(both_are, by_stirling, by_gamma)
    s, t = ops.where(is_large, 1.0, a), ops.where(is_large, 1.0, b)
    small = ops.gammaln(s) + ops.gammaln(t) - ops.gammaln(s + t)
    both_are_poles = ops.logical_and(
        ops.le(high, 0.0), ops.logical_and(_is_whole(low), _is_whole(high))
    )
    value = ops.where(is_large, large, ops.where(both_are_poles, math.inf, small))
    limited = ops.where(ops.eq(high, math.inf), math.inf, value)
    is_small = ops.logical_and(ops.eq(high, math.inf), ops.gt(low, 0.0))
    return ops.where(is_small, -math.inf, limited)


def _is_whole(x: Variable) -> Variable:
    return ops.eq(x, ops.floor(x))


def _is_gamma_negative(x: Variable) -> Variable:
    is_odd = ops.eq(ops.mod(ops.floor(x), 2.0), 1.0)
    return ops.logical_and(ops.lt(x, 0.0), ops.logical_and(is_odd, ops.logical_not(_is_whole(x))))


def _stirling_series(x: Variable) -> Variable:
    inverse = ops.reciprocal(x)
    return inverse * polynomial(STIRLING, inverse * inverse)


@public()
def beta(a: Any, b: Any) -> Variable:
    """Return the beta function, ``gamma(a) * gamma(b) / gamma(a + b)``.

    It is inf where `a` or `b` is 0, -1, -2, ...; but NaN where ``a + b`` is too, and only one is.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.scalar("a"), tv.scalar("b")
    >>> float(tv.function([a, b], tv.beta(a, b))(2.0, 3.0)).__round__(9)
    0.083333333
    """
    a, b = as_float(a), as_float(b)
    size = ops.exp(betaln(a, b))
    is_negative = reduce(ops.logical_xor, map(_is_gamma_negative, (a, b, a + b)))
    return ops.where(is_negative, -size, size)


@public()
def log1mexp(x: Any) -> Variable:
    """Return ``log(1 - exp(x))`` with all digits; NaN where `x` is positive.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], tv.log1mexp(x))(-1e-20)).__round__(6)
    -46.051702
    """
    x = as_float(x)
    is_near = ops.gt(x, -math.log(2.0))  # 0, where exp(x) is nearly 1
    near = ops.log(0.0 - ops.expm1(ops.where(is_near, x, -0.5)))
    return ops.where(is_near, near, ops.log1p(-ops.exp(ops.where(is_near, -1.0, x))))


@public()
def sinc(x: Any) -> Variable:
    """Return ``sin(pi * x) / (pi * x)``, and 1 at 0, as ``numpy.sinc``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.sinc(x))([0.0, 0.5])
    array([1.        , 0.63661977])
    """
    z = as_float(x) * math.pi
    is_near = ops.lt(ops.abs(z), 0.5)  # 0, where the terms of the slope cancel
    near, far = ops.where(is_near, z, 0.0), ops.where(is_near, 1.0, z)
    terms = [(-1) ** k / math.factorial(2 * k + 1) for k in range(8)]
    return ops.where(is_near, polynomial(terms, near * near), ops.sin(far) / far)


@public()
def boxcox(x: Any, lmbda: Any) -> Variable:
    """Return ``(x**lmbda - 1) / lmbda``, and ``log(x)`` where `lmbda` is 0.

    NaN where `x` is negative.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, power = tv.vector("x"), tv.scalar("power")
    >>> f = tv.function([x, power], tv.boxcox(x, power))
    >>> f([0.0, 3.0], 2.0), f([1.0], 0.0)
    (array([-0.5,  4. ]), array([0.]))
    """
    x = as_float(x)
    return _boxcox(x, ops.log, 0.0, lmbda)


@public()
def boxcox1p(x: Any, lmbda: Any) -> Variable:
    """Return ``((1 + x)**lmbda - 1) / lmbda``, and ``log(1 + x)`` where `lmbda` is 0.

    NaN where `x` is less than -1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, power = tv.vector("x"), tv.scalar("power")
    >>> f = tv.function([x, power], tv.boxcox1p(x, power))
    >>> f([-1.0, 2.0], 2.0), f([0.0], 0.0)
    (array([-0.5,  4. ]), array([0.]))
    """
    x = as_float(x)
    return _boxcox(x, ops.log1p, -1.0, lmbda)


def _boxcox(x: Variable, log: Callable[..., Variable], end: float, lmbda: Any) -> Variable:
    """Return ``expm1(lmbda * log(x)) / lmbda``, where the logarithm is -inf at `end`."""
    power = as_float(lmbda)
    at_end, is_zero = ops.eq(x, end), ops.eq(power, 0.0)
    # At the end a power of 0, whose slopes are those of `pow`.
    divisor = ops.where(is_zero, 1.0, power)
    of_zero = (ops.pow(ops.where(at_end, x - end, 1.0), divisor) - 1.0) / divisor
    inner = log(ops.where(at_end, end + 1.0, x))
    t = ops.where(ops.logical_and(is_zero, ops.isinf(inner)), 0.0, power * inner)
    is_near = ops.le(ops.abs(t), 0.5)
    far_divisor = ops.where(is_near, 1.0, power)
    far = ops.expm1(far_divisor * ops.where(is_near, 0.0, inner)) / far_divisor
    terms = [1 / math.factorial(k + 1) for k in range(15)]
    near = ops.where(is_near, inner, 0.0) * polynomial(terms, ops.where(is_near, t, 0.0))
    limit = ops.where(is_zero, log(ops.where(is_zero, x, end + 1.0)), of_zero)
    return ops.where(at_end, limit, ops.where(is_near, near, far))


@public()
def multigammaln(a: Any, d: int) -> Variable:
    """Return the logarithm of the multivariate gamma function of dimension `d`.

    Parameters
    ----------
    a : Variable or array-like
        Larger than ``(d - 1) / 2``; elsewhere the result is NaN.
    d : int
        The dimension, at least 1.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If the dimension is less than 1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.scalar("a")
    >>> float(tv.function([a], tv.multigammaln(a, 2))(2.0)).__round__(9)
    0.451582705
    """
    d = index(d)
    if d < 1:
        raise ValueError(f"[multigammaln] d is {d}; the dimension has to be at least 1.")
    a = as_float(a)
    outside = ops.le(a, (d - 1) / 2)
    inside = ops.where(outside, d + 0.0, a)
    terms = [ops.gammaln(inside - j / 2) for j in range(d)]
    value = reduce(add, terms) + d * (d - 1) / 4 * math.log(math.pi)
    return ops.where(outside, math.nan, value)


def polynomial(coefficients: Sequence[float], x: Variable) -> Variable:
    """Return the sum of coefficients times powers of `x`, from the power 0 on; at least two.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.special import polynomial
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], polynomial([1.0, 0.0, 3.0], x))(2.0))
    13.0
    """
    out = x * coefficients[-1] + coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        out = out * x + coefficient
    return out


__all__ = [
    "beta", "betaln", "boxcox", "boxcox1p", "entr", "expit", "kl_div", "log1mexp", "logit",
    "multigammaln", "rel_entr", "sinc", "xlog1py", "xlogy",
]  # fmt: skip
