"""The zeta functions of Riemann and Hurwitz."""

from __future__ import annotations

import math
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.activations import as_float
from thunkvm._src.arrays.public import public

#: So many terms are added one by one; the rest is a series in ``1 / (q + TERMS)``.
TERMS = 10
#: Bernoulli's numbers B_2k over (2k)!, of the Euler-Maclaurin formula.
BERNOULLI = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
    1 / 74724249600, -3617 / 10670622842880000,
)  # fmt: skip


@public()
def zeta(x: Any, q: Any = None) -> Variable:
    """Return the zeta function: the sum of ``(k + q) ** -x`` over k = 0, 1, 2, ...

    Parameters
    ----------
    x : Variable or array-like
        The exponent. The sum is infinite at 1, and there is none below: with `q` that is NaN.
    q : Variable or array-like, optional
        Where the sum begins. Without it that is 1, and there are values for `x` below 1: the
        function is Riemann's. At 0, -1, -2, ... it is inf; where `q` is less than 0 otherwise, `x`
        has to be whole.

    Returns
    -------
    Variable

    Notes
    -----
    By the Euler-Maclaurin formula, and Riemann's reflection below 0: Abramowitz and Stegun, 23.2.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.zeta(x))([2.0, 0.0, 1.0])
    array([ 1.64493407, -0.5       ,         inf])
    """
    x = as_float(x)
    if q is None:
        return _riemann(x)
    q = as_float(q)
    below = ops.le(q, 0.0)
    whole_q, whole_x = ops.eq(q, ops.floor(q)), ops.eq(x, ops.floor(x))
    has_value = ops.gt(x, 1.0)
    s = ops.where(has_value, x, 2.0)
    # Below 0 the terms are those of two sums over positive numbers, with f the fraction of q: from
    # 1 - f, less those from 1 - q.
    is_inside = ops.logical_and(below, ops.logical_not(whole_q))
    inside = ops.where(is_inside, q, -0.5)
    f = inside - ops.floor(inside)
    negative = _hurwitz(s, ops.ceil(inside) - inside) - _hurwitz(s, 1.0 - inside)
    is_even = ops.eq(s % 2.0, 0.0)
    from_below = _hurwitz(s, f) + ops.where(is_even, negative, -negative)
    from_below = ops.where(whole_q, math.inf, ops.where(whole_x, from_below, math.nan))
    value = ops.where(below, from_below, _hurwitz(s, ops.where(below, 1.0, q)))
    out = ops.where(has_value, ops.where(ops.isnan(q), q, value), math.nan)
    return ops.where(ops.eq(x, 1.0), math.inf, out)


def _riemann(x: Variable) -> Variable:
    is_one, is_below = ops.eq(x, 1.0), ops.lt(x, 0.0)
    s = ops.where(is_below, 1.0 - x, ops.where(is_one, 2.0, x))
    above = _hurwitz(s, 1.0)
    t = ops.where(is_below, s, 2.0)
    # sin(pi x / 2) by its period: it has all digits where x is large, and is 0 where x is even.
    turn = t % 4.0 - 1.0
    turned = ops.sin(ops.where(ops.gt(turn, 1.0), 2.0 - turn, turn) * (-0.5 * math.pi))
    scale = ops.exp(ops.gammaln(t) - t * math.log(2.0 * math.pi)) * 2.0
    below = scale * turned * ops.where(is_below, above, 1.0)
    return ops.where(is_one, math.inf, ops.where(is_below, below, above))


def _hurwitz(s: Variable, q: Any) -> Variable:
    """Return the sum of ``(k + q) ** -s`` for ``q > 0``, continued below ``s = 1``."""
    end = q + float(TERMS)
    has_rest = ops.gt(end ** (1.0 - s), 0.0)  # else it is less than any number
    t = ops.where(has_rest, s, 2.0)
    total = q**-s
    for k in range(1, TERMS):
        total = total + (q + k) ** -s
    inverse = 1.0 / end
    rest = 1.0 / (t - 1.0) + 0.5 * inverse
    factor = t * inverse * inverse
    for k, coefficient in enumerate(BERNOULLI):
        rest = rest + factor * coefficient
        factor = factor * (t + (2 * k + 1.0)) * (t + (2 * k + 2.0)) * inverse * inverse
    out: Variable = total + ops.where(has_rest, end ** (1.0 - t) * rest, 0.0)
    return out


__all__ = ["zeta"]
