"""Special functions of real numbers by series, fractions and sums, each number by itself.

They share no code with the native kernels and serve to check them: about 10 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.math import element_by_element
from thunkvm._src.arrays.perform.table import performs

EULER = 0.57721566490153286


def _exp(x: float) -> float:
    """Return ``exp(x)``, infinite where Python's own would be an error."""
    return float(np.exp(np.float64(x)))


def _inverse(function: Callable[[float], float], value: float, low: float, high: float) -> float:
    """Return where an increasing function has a value, by halving."""
    for _ in range(2000):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) < value else (low, middle)
    return (low + high) / 2


def _erfinv(x: float) -> float:
    if not abs(x) <= 1:
        return math.nan
    if abs(x) == 1:
        return math.copysign(math.inf, x)
    if abs(x) < 0.5:
        return math.copysign(_inverse(math.erf, abs(x), 0, 1), x)
    # The complement has the digits where the function is nearly 1.
    return math.copysign(_inverse(lambda y: -math.erfc(y), abs(x) - 1, 0, 30), x)


def _erfcinv(x: float) -> float:
    if not 0 <= x <= 2:
        return math.nan
    if x in (0, 2):
        return math.inf if x == 0 else -math.inf
    size = _inverse(lambda y: -math.erfc(y), -min(x, 2 - x), 0, 30)
    return size if x < 1 else -size


def _erfcx(x: float) -> float:
    if math.isnan(x):
        return x
    if x < 5:
        return math.inf if x < -26.7 else math.exp(x * x) * math.erfc(x)
    fraction = 0.0  # Laplace's continued fraction
    for k in range(60, 0, -1):
        fraction = k / 2 / (x + fraction)
    return 1 / math.sqrt(math.pi) / (x + fraction)


def _ndtr(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _log_ndtr(x: float) -> float:
    if x > -5:
        return math.log1p(-_ndtr(-x))
    if x == -math.inf:
        return x
    return math.log(_erfcx(-x / math.sqrt(2)) / 2) - x * x / 2


def _gamma(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    if x == -math.inf or (x < 0 and x.is_integer()):
        return math.nan
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf


def _lower_gamma(a: float, x: float) -> float:
    """Return the series of gammainc."""
    term = total = 1 / a
    for k in range(1, 100_000):
        term *= x / (a + k)
        total += term
        if not abs(term) > 1e-17 * abs(total):
            break
    return total * _exp(a * math.log(x) - x - math.lgamma(a))


def _upper_gamma(a: float, x: float) -> float:
    """Return the continued fraction of gammaincc, from its end."""
    fraction = 0.0
    for k in range(500, 0, -1):
        fraction = k * (a - k) / (x + 2 * k + 1 - a + fraction)
    return _exp(a * math.log(x) - x - math.lgamma(a)) / (x + 1 - a + fraction)


def _gammainc(a: float, x: float) -> float:
    if not (a >= 0 and x >= 0) or a == x == 0 or a == x == math.inf:
        return math.nan
    if a == 0 or x == math.inf:
        return 1.0
    if x == 0 or a == math.inf:
        return 0.0
    if a > 1e25:  # a normal number
        return _ndtr((x - a) / math.sqrt(a))
    return _lower_gamma(a, x) if x < a + 1 else 1 - _upper_gamma(a, x)


def _gammaincc(a: float, x: float) -> float:
    small = not math.isinf(x) and 0 < a < 1e25 and x > a + 1
    return _upper_gamma(a, x) if small else 1 - _gammainc(a, x)


def _gammaincinv(a: float, p: float) -> float:
    if not (a > 0 and 0 <= p <= 1) or (a == math.inf and 0 < p < 1):
        return math.nan
    if p in (0, 1):
        return 0.0 if p == 0 else math.inf
    return _inverse(lambda x: _gammainc(a, x), p, 0, 10 * a + 1000)


def _gammainccinv(a: float, q: float) -> float:
    if not (a > 0 and 0 <= q <= 1) or (a == math.inf and 0 < q < 1):
        return math.nan
    if q in (0, 1):
        return 0.0 if q == 1 else math.inf
    return _inverse(lambda x: -_gammaincc(a, x), -q, 0, 10 * a + 1000)


def _betainc(a: float, b: float, x: float) -> float:
    if not (a >= 0 and b >= 0 and 0 <= x <= 1) or a == b == 0 or a == b == math.inf:
        return math.nan
    if x in (0, 1):
        return float(x)
    if a == 0 or b == math.inf:
        return 1.0
    if b == 0 or a == math.inf:
        return 0.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _betainc(b, a, 1 - x)
    fraction = 1.0  # Abramowitz and Stegun 26.5.8, from its end
    for m in range(500, 0, -1):
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        fraction = 1 + even / (1 + odd / fraction)
    fraction = 1 - (a + b) * x / (a + 1) / fraction
    beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return math.exp(a * math.log(x) + b * math.log1p(-x) - beta) / a / fraction


def _betaincinv(a: float, b: float, p: float) -> float:
    if not (a > 0 and b > 0 and 0 <= p <= 1):
        return math.nan
    if p in (0, 1):
        return float(p)
    if math.isinf(a) or math.isinf(b):
        return math.nan if a == b else 1.0 if math.isinf(a) else 0.0
    return _inverse(lambda x: _betainc(a, b, x), p, 0, 1)


def _exp1(x: float) -> float:
    if not x >= 0:
        return math.nan
    if x in (0, math.inf):
        return math.inf if x == 0 else 0.0
    if x < 1:
        return -EULER - math.log(x) - _exponential_series(-x)
    fraction = 0.0
    for k in range(500, 0, -1):
        fraction = k / (1 + k / (x + fraction))
    return math.exp(-x) / (x + fraction)


def _exponential_series(x: float) -> float:
    total, term = 0.0, 1.0
    for k in range(1, 1000):
        term *= x / k
        total += term / k
        if abs(term) < 1e-18 * abs(total):
            break
    return total


def _expi(x: float) -> float:
    if x == 0:
        return -math.inf
    if math.isnan(x) or math.isinf(x):
        return max(x, 0.0)
    if x < 0:
        return -_exp1(-x)
    if x < 40:
        return EULER + math.log(x) + _exponential_series(x)
    term = total = 1.0
    for k in range(1, min(int(x), 60)):
        term *= k / x
        total += term
    return float(np.exp(np.float64(x)) / x * total)


def _edge_value(v: float, x: float) -> float | None:
    """Return the value of both kinds of functions at the edges of their domain."""
    if math.isnan(v) or math.isnan(x) or (math.isinf(v) and math.isinf(x)):
        return math.nan
    if math.isinf(v):
        return 0.0
    if x < 0 and not v.is_integer():
        return math.nan
    if x == 0:
        return 1.0 if v == 0 else math.inf if v < 0 and not v.is_integer() else 0.0
    return None


def _bessel_series(v: float, x: float, sign: int) -> float:
    """Return the sum of ``sign**k (x/2)**(2k+v) / (k! gamma(k+v+1))``."""
    if v < 0 and v.is_integer():
        v, x = -v, x * sign  # the terms before the first whole factorial are 0
    term = _exp(v * (math.log(abs(x)) - math.log(2)) - math.lgamma(v + 1))
    if v < -1 and math.floor(v) % 2 == 0:
        term = -term  # of gamma
    terms = [term * (-1.0 if x < 0 and v % 2 == 1 else 1.0)]
    for k in range(1, 10_000):
        terms.append(terms[-1] * sign * x * x / 4 / (k * (k + v)))
        if k > abs(v) and abs(terms[-1]) < 1e-20 * abs(terms[0]):
            break
    return math.fsum(terms)


def _integral(function: Callable[[Any], Any], end: float) -> float:
    """Return the integral from 0, by Gauss's formula."""
    nodes, weights = np.polynomial.legendre.leggauss(300)
    return float((weights * function((nodes + 1) * end / 2)).sum() * end / 2)


def _jv(v: float, x: float) -> float:
    known = _edge_value(v, x)
    if known is not None or math.isinf(x):
        return 0.0 if known is None else known
    if abs(x) < 8 or x * x < 4 * abs(v):
        return _bessel_series(v, x, -1)
    total = _integral(lambda a: np.cos(v * a - x * np.sin(a)), math.pi)
    if not v.is_integer():
        total -= math.sin(math.pi * v) * _integral(
            lambda t: np.exp(-x * np.sinh(t) - v * t), math.asinh(60 / x)
        )
    return total / math.pi


def _iv(v: float, x: float) -> float:
    known = _edge_value(v, x)
    if known is not None:
        return known
    if math.isinf(x):
        return -math.inf if x < 0 and v % 2 == 1 else math.inf
    return _bessel_series(v, x, 1)


def _kv(v: float, x: float) -> float:
    if math.isnan(v) or not x >= 0 or (math.isinf(v) and math.isinf(x)):
        return math.nan
    if x == 0 or math.isinf(v):
        return math.inf
    if math.isinf(x):
        return 0.0
    # Behind this end the exponent is far below any number's.
    end = math.asinh(abs(v) / x) + math.log1p(1500) - min(math.log(x), 0.0)
    t = np.linspace(0, end, 8001)
    with np.errstate(over="ignore"):
        return float(np.trapezoid(np.exp(np.logaddexp(v * t, -v * t) - x * np.cosh(t)) / 2, t))


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "betainc": _betainc,
    "betaincinv": _betaincinv,
    "erfcinv": _erfcinv,
    "erfcx": _erfcx,
    "erfinv": _erfinv,
    "exp1": _exp1,
    "expi": _expi,
    "gamma": _gamma,
    "gammainc": _gammainc,
    "gammaincc": _gammaincc,
    "gammainccinv": _gammainccinv,
    "gammaincinv": _gammaincinv,
    "i0": lambda x: _iv(0.0, x),
    "i1": lambda x: _iv(1.0, x),
    "iv": _iv,
    "j0": lambda x: _jv(0.0, x),
    "j1": lambda x: _jv(1.0, x),
    "jv": _jv,
    "kv": _kv,
    "log_ndtr": _log_ndtr,
    "ndtr": _ndtr,
    "ndtri": lambda p: -math.sqrt(2) * _erfcinv(2 * p),
}
for _name, _function in _FUNCTIONS.items():
    performs(_name)(element_by_element(_function))
