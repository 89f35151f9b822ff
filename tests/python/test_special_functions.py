"""Special functions against mpmath: 13 digits, times the condition number of the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import thunkvm as tv

DIGITS = 1e-13
RANDOM = np.random.default_rng(20261128)
WIDE = np.concatenate([np.linspace(-30, 30, 61), RANDOM.standard_normal(40)])
SHARES = np.concatenate([RANDOM.random(40), 10.0 ** -np.arange(1, 300, 20)])
SHAPES = RANDOM.gamma(1, 5, 100) + 1e-3
SIZES = RANDOM.gamma(1, 8, 100)
ORDERS = np.concatenate([np.arange(0.0, 10.0), RANDOM.random(40) * 10])
LENGTHS = np.abs(RANDOM.standard_normal(50) * 15)


def log_ndtr(x: Any) -> Any:
    return mp.log1p(-mp.ncdf(-x)) if x > 0 else mp.log(mp.ncdf(x))


VALUES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [WIDE[WIDE > -26]]),
    "ndtr": (mp.ncdf, [WIDE]),
    "log_ndtr": (log_ndtr, [WIDE]),
    "gamma": (mp.gamma, [WIDE[(WIDE > 0) | (np.floor(WIDE) != WIDE)]]),
    "gammainc": (lambda a, x: mp.gammainc(a, 0, x, regularized=True), [SHAPES, SIZES]),
    "gammaincc": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), [SHAPES, SIZES]),
    "betainc": (
        lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True),
        [SHAPES[:50], SIZES[:50], RANDOM.random(50)],
    ),
    "expi": (mp.ei, [WIDE[WIDE != 0]]),
    "exp1": (mp.e1, [WIDE[WIDE > 0]]),
    "jv": (mp.besselj, [ORDERS, LENGTHS]),
    "iv": (mp.besseli, [ORDERS, LENGTHS]),
    "kv": (mp.besselk, [ORDERS, LENGTHS]),
    "j0": (lambda x: mp.besselj(0, x), [WIDE]),
    "j1": (lambda x: mp.besselj(1, x), [WIDE]),
    "i0": (lambda x: mp.besseli(0, x), [WIDE]),
    "i1": (lambda x: mp.besseli(1, x), [WIDE]),
}
#: Inverses, by the functions that they invert.
INVERSES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "erfinv": (mp.erf, [np.concatenate([SHARES, -SHARES])]),
    "erfcinv": (mp.erfc, [np.concatenate([SHARES, 2 - SHARES[:40]])]),
    "ndtri": (mp.ncdf, [SHARES]),
    "gammaincinv": (VALUES["gammainc"][0], [SHAPES + 0.1, RANDOM.random(100)]),
    "gammainccinv": (VALUES["gammaincc"][0], [SHAPES + 0.1, RANDOM.random(100)]),
    "betaincinv": (VALUES["betainc"][0], [SHAPES[:30], SIZES[:30] + 0.1, RANDOM.random(30)]),
}


def values_of(name: str, arguments: list[Any], mode: str) -> Any:
    inputs = [tv.vector() for _ in arguments]
    return tv.function(inputs, getattr(tv, name)(*inputs), mode=mode)(*arguments)


def condition(function: Callable[..., Any], row: list[Any], value: Any) -> Any:
    """How much larger a relative error of the value may be than one of the arguments."""
    step = mp.mpf(10) ** -25
    total = mp.mpf(1)
    for j, x in enumerate(row):
        moved = [*row[:j], x * (1 + step), *row[j + 1 :]]
        total += abs((function(*moved) - value) / value / step)
    return total


@pytest.mark.parametrize(("mode", "digits"), [("FAST_COMPILE", DIGITS), ("py", 1e-11)])
@pytest.mark.parametrize("name", VALUES)
def test_a_function_has_thirteen_digits(name: str, mode: str, digits: float) -> None:
    function, arguments = VALUES[name]
    with mp.workdps(40):
        for *numbers, out in zip(*arguments, values_of(name, arguments, mode), strict=True):
            row = [mp.mpf(float(x)) for x in numbers]
            value = function(*row)
            if value == 0 or not np.isfinite(float(value)):
                assert float(value) == out, numbers
            else:
                error = abs(out - value) / abs(value) / condition(function, row, value)
                assert error < digits, (numbers, out)


@pytest.mark.parametrize("name", INVERSES)
def test_an_inverse_is_where_the_function_has_the_value(name: str) -> None:
    function, arguments = INVERSES[name]
    with mp.workdps(40):
        for *numbers, out in zip(*arguments, values_of(name, arguments, "cvm"), strict=True):
            row = [*(mp.mpf(float(x)) for x in numbers[:-1]), mp.mpf(float(out))]
            value = function(*row)
            slope = condition(function, row, value)
            assert abs(value - numbers[-1]) < 1e-12 * abs(numbers[-1]) * slope, (numbers, out)


@pytest.mark.parametrize("name", [*VALUES, *INVERSES])
def test_a_gradient_is_the_slope(name: str) -> None:
    inputs = {1: [np.array([0.3, 0.7, 0.55])], 2: [2.5, np.array([0.3, 0.7])]}
    inputs[3] = [2.5, 1.5, np.array([0.3, 0.7])]
    *shapes, at = inputs[len((VALUES | INVERSES)[name][1])]
    tv.verify_grad(lambda x: getattr(tv, name)(*shapes, x), [at])


def test_log_ndtr_has_its_slope_where_the_probability_is_0() -> None:
    x = tv.scalar("x")
    slope = tv.function([x], tv.grad(tv.log_ndtr(x), x))
    with mp.workdps(60):
        expected = mp.npdf(-1e4) / mp.ncdf(-1e4)
    np.testing.assert_allclose(slope(-1e4), float(expected), rtol=1e-12)
    assert slope(50.0) == 0.0
