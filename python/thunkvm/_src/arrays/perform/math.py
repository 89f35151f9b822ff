"""Exponentials, circular and special functions, and complex parts, in NumPy and `math`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import Perform, performs, performs_binary, performs_unary

performs_unary("exp", np.exp)
performs_unary("exp2", np.exp2)
performs_unary("expm1", np.expm1)
performs_unary("log", np.log)
performs_unary("log2", np.log2)
performs_unary("log10", np.log10)
performs_unary("log1p", np.log1p)
performs_unary("sqrt", np.sqrt)
performs_unary("cbrt", np.cbrt)
performs_unary("sin", np.sin)
performs_unary("cos", np.cos)
performs_unary("tan", np.tan)
performs_unary("arcsin", np.arcsin)
performs_unary("arccos", np.arccos)
performs_unary("arctan", np.arctan)
performs_unary("sinh", np.sinh)
performs_unary("cosh", np.cosh)
performs_unary("tanh", np.tanh)
performs_unary("arcsinh", np.arcsinh)
performs_unary("arccosh", np.arccosh)
performs_unary("arctanh", np.arctanh)
performs_binary("arctan2", np.arctan2)
performs_binary("hypot", np.hypot)
performs_binary("logaddexp", np.logaddexp)
performs_unary("deg2rad", np.deg2rad)
performs_unary("rad2deg", np.rad2deg)

performs_unary("conj", np.conjugate)
performs_unary("angle", np.angle)


# NumPy's parts are views, and these Ops promise memory of their own.
def _real(x: Any) -> Any:
    return x.real.copy()


def _imag(x: Any) -> Any:
    return x.imag.copy()


performs_unary("real", _real)
performs_unary("imag", _imag)


# float16 is computed in float32: two roundings in a row would be too many.
def _sigmoid(x: Any) -> Any:
    return np.exp(-np.logaddexp(np.float32(0), -x)).astype(x.dtype)


def _softplus(x: Any) -> Any:
    return np.logaddexp(np.float32(0), x).astype(x.dtype)


performs_unary("sigmoid", _sigmoid)
performs_unary("softplus", _softplus)


def _power(x: float, n: float) -> float:
    """Return ``x**n``, infinite where Python's own would be an error."""
    return float(np.float_power(x, n))


def _lgamma(x: float) -> float:
    if x <= 0 and x.is_integer():
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


def _zeta(s: float, x: float) -> float:
    """Return the sum of ``(x + k)**-s`` over all ``k >= 0``, for a whole ``s >= 2``."""
    if x == math.inf:
        return 0.0
    if x == -math.inf or (x <= 0 and x.is_integer()):
        return math.inf
    total = 0.0
    while x < max(40, s):
        term = _power(x, -s)
        total += term
        if abs(term) <= 1e-18 * abs(total) and x > 0:
            return total
        x += 1
    # Euler and Maclaurin's formula for the rest.
    total += _power(x, 1 - s) / (s - 1) + _power(x, -s) / 2 + s * _power(x, -s - 1) / 12
    total -= s * (s + 1) * (s + 2) * _power(x, -s - 3) / 720
    return total + s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * _power(x, -s - 5) / 30240


def _digamma(x: float) -> float:
    if x == 0:
        return -math.copysign(math.inf, x)
    if math.isinf(x):
        return x if x > 0 else math.nan
    if x < 0:
        if x.is_integer():
            return math.nan
        return _digamma(1 - x) - math.pi / math.tan(math.pi * math.fmod(x, 1))
    total = 0.0
    while x < 40:
        total -= 1 / x
        x += 1
    total += math.log(x) - 1 / (2 * x) - _power(x, -2) / 12
    return total + _power(x, -4) / 120 - _power(x, -6) / 252


def _polygamma(n: float, x: float) -> float:
    if n == 0:
        return _digamma(x)
    if not n > 0 or not n.is_integer() or math.isnan(x):
        return math.nan
    factorial = math.gamma(n + 1) if n < 171 else math.inf
    return (-1.0 if n % 2 == 0 else 1.0) * factorial * _zeta(n + 1, x)


def element_by_element(function: Callable[..., float]) -> Callable[[Any], Perform]:
    """Make a maker of a function on Python floats."""

    def maker(node: Any) -> Perform:
        dtype = np.dtype(node.outputs[0].type.dtype)

        def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
            arrays = np.broadcast_arrays(*inputs)
            numbers = map(function, *(a.ravel().tolist() for a in arrays))
            result = np.fromiter(numbers, np.float64, arrays[0].size).astype(dtype)
            output_storage[0][0] = result.reshape(arrays[0].shape)[()]

        return perform

    return maker


performs("erf")(element_by_element(math.erf))
performs("erfc")(element_by_element(math.erfc))
performs("gammaln")(element_by_element(_lgamma))
performs("digamma")(element_by_element(_digamma))
performs("polygamma")(element_by_element(_polygamma))
