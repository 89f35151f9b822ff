"""The zeta functions: values, edges and slopes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import thunkvm as tv

INF, NAN, PI = math.inf, math.nan, math.pi
#: Apery's constant, and the slope of Riemann's function at 0.
APERY, AT_0 = 1.2020569031595942854, -0.5 * math.log(2 * PI)


def test_zeta_of_one_argument_is_riemanns() -> None:
    x = tv.vector("x")
    at = [2.0, 3.0, 4.0, 0.0, -1.0, -2.0, -3.0, -21.0, 0.5, 700.0, INF, 1.0, NAN]
    expected = [
        PI**2 / 6, APERY, PI**4 / 90, -0.5, -1 / 12, 0.0, 1 / 120, -77683 / 276,
        -1.4603545088095868129, 1.0, 1.0, INF, NAN,
    ]  # fmt: skip
    np.testing.assert_allclose(tv.function([x], tv.zeta(x))(at), expected, rtol=1e-14)
    assert tv.function([x], tv.zeta(x))([-2.0, -40.0]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("x", "q", "expected"),
    [
        (2.0, 0.5, PI**2 / 2),
        (2.0, 2.0, PI**2 / 6 - 1),
        (2.0, 1e8, 1e-8 + 5e-17),
        (3.0, 0.5, 7 * APERY),
        (2.0, -0.5, PI**2 / 2 + 4),
        (3.0, -0.5, 7 * APERY - 8),
        (400.0, 1000.0, 0.0),
        (INF, 0.5, INF),
        (INF, 2.0, 0.0),
        (1e22, 3.0, 0.0),
        (2.0, INF, 0.0),
        (2.0, 0.0, INF),
        (2.0, -3.0, INF),
        (1.0, 2.0, INF),
        (2.5, -0.5, NAN),
        (0.5, 2.0, NAN),
        (2.0, NAN, NAN),
        (NAN, 2.0, NAN),
    ],
)
def test_zeta_of_two_arguments_is_hurwitz(x: float, q: float, expected: float) -> None:
    s, a = tv.scalar("s"), tv.scalar("a")
    np.testing.assert_allclose(tv.function([s, a], tv.zeta(s, a))(x, q), expected, rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_zeta_is_a_polygamma_function(n: int) -> None:
    q = tv.vector("q")
    f = tv.function([q], [tv.zeta(n + 1.0, q), tv.polygamma(float(n), q)])
    zeta, polygamma = f([0.01, 0.7, 3.0, 9.9, 40.0, -0.3, -2.6])
    sign = 1 if n % 2 else -1
    np.testing.assert_allclose(zeta, sign * polygamma / math.factorial(n), rtol=1e-13)


def test_the_slopes_of_zeta() -> None:
    x = tv.vector("x")
    slope = tv.function([x], tv.grad(tv.sum(tv.zeta(x)), x))([0.0, -2.0, INF, NAN])
    np.testing.assert_allclose(slope[:2], [AT_0, -APERY / (4 * PI**2)], rtol=1e-13)
    s, q = tv.scalar("s"), tv.scalar("q")
    by_q = tv.function([s, q], tv.grad(tv.zeta(s, q), q))
    np.testing.assert_allclose(by_q(2.0, 0.5), -2.0 * 7 * APERY, rtol=1e-13)
    np.testing.assert_allclose(by_q(2.0, -0.5), -2.0 * (7 * APERY - 8), rtol=1e-13)
    tv.verify_grad(tv.zeta, [[2.0, 3.5, -2.5, 0.5]])
    tv.verify_grad(tv.zeta, [[2.0, 3.5, 30.0], [0.3, 2.0, 1.5]])
    tv.verify_grad(lambda q: tv.zeta(2.0, q), [[-0.4, -3.3]])


def test_zeta_keeps_float32() -> None:
    x = tv.vector("x", dtype="float32")
    values = tv.function([x], [tv.zeta(x), tv.zeta(x, x)])(np.float32([2.0]))
    assert [value.dtype for value in values] == ["float32", "float32"]
    np.testing.assert_allclose(values, [[PI**2 / 6], [PI**2 / 6 - 1]], rtol=1e-6)
