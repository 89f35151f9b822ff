"""Slopes of incomplete gamma and beta functions by their shapes, against mpmath."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "FAST_COMPILE", "FAST_RUN"]
RNG = np.random.default_rng(7)
GAMMA = [
    (0.01, 1e-8), (0.5, 0.2), (1.0, 1.0), (1e-3, 1.6), (2.0, 2.9), (3.0, 3.1), (5.0, 20.0),
    (20.0, 3.5), (100.0, 90.0), (100.0, 130.0), (1000.0, 990.0), (0.3, 30.0), (50.0, 1.6),
    *zip(RNG.gamma(1, 5, 12), RNG.gamma(1, 8, 12), strict=True),
]  # fmt: skip
BETA = [
    (0.5, 0.5, 0.3), (0.01, 2.0, 1e-5), (2.0, 0.01, 0.9), (0.01, 0.01, 0.5), (30.0, 40.0, 0.4),
    (300.0, 400.0, 0.43), (0.3, 50.0, 0.2), (50.0, 0.3, 0.999), (1.0, 1.0, 0.5), (0.2, 0.3, 1e-9),
    *zip(RNG.gamma(1, 5, 10) + 1e-3, RNG.gamma(1, 8, 10) + 1e-3, RNG.random(10), strict=True),
]  # fmt: skip


def by_first(function: Any, a: float) -> float:
    with mp.workdps(30):
        return float(mp.diff(function, a, h=mp.mpf(10) ** -12))


def slopes(name: str, points: list[Any], wrt: int) -> Any:
    inputs = [tv.vector() for _ in points[0]]
    value = getattr(tv, name)(*inputs)
    slope = tv.grad(tv.sum(value), inputs[wrt])
    return tv.function(inputs, slope, on_unused_input="ignore")(
        *map(np.array, zip(*points, strict=True))
    )


def test_slopes_of_the_incomplete_gamma_function_by_its_shape() -> None:
    expected = [
        by_first(lambda t, x=x: mp.gammainc(t, 0, x, regularized=True), a) for a, x in GAMMA
    ]
    np.testing.assert_allclose(slopes("gammainc", GAMMA, 0), expected, rtol=2e-11)
    np.testing.assert_allclose(slopes("gammaincc", GAMMA, 0), np.negative(expected), rtol=2e-11)


def test_slopes_of_the_incomplete_beta_function_by_its_shapes() -> None:
    by_a = [
        by_first(lambda t, b=b, x=x: mp.betainc(t, b, 0, x, regularized=True), a)
        for a, b, x in BETA
    ]
    by_b = [
        by_first(lambda t, a=a, x=x: mp.betainc(a, t, 0, x, regularized=True), b)
        for a, b, x in BETA
    ]
    np.testing.assert_allclose(slopes("betainc", BETA, 0), by_a, rtol=2e-11)
    np.testing.assert_allclose(slopes("betainc", BETA, 1), by_b, rtol=2e-11)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_by_shapes(mode: str) -> None:
    a, x, share = [0.7, 4.0], [[0.5], [6.0]], [0.3, 0.6]
    for of in (tv.gammainc, tv.gammaincc):
        tv.verify_grad(of, [a, x], mode=mode)
    for of in (tv.gammaincinv, tv.gammainccinv):
        tv.verify_grad(of, [a, share], mode=mode)
    for of in (tv.betainc, tv.betaincinv):
        tv.verify_grad(of, [a, [[2.0], [0.4]], share], mode=mode)


def test_second_derivatives_and_jacobians_by_shapes() -> None:
    tv.verify_grad(lambda a: tv.grad(tv.gammainc(a, 2.0), a), [1.5])
    tv.verify_grad(lambda a: tv.grad(tv.gammainc(a, 6.0), a), [4.0])
    tv.verify_grad(lambda a: tv.grad(tv.betainc(a, 2.0, 0.4), a), [1.5])
    a = tv.vector("a")
    y = tv.gammainc(a, 2.0)
    forward, backward = (tv.jacobian(y, a, mode=mode) for mode in ("forward", "reverse"))
    one, other = tv.function([a], [forward, backward])([1.0, 3.0])
    np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_allclose(np.diag(one), slopes("gammainc", [(1.0, 2.0), (3.0, 2.0)], 0))


def test_slopes_at_the_edges_of_shapes() -> None:
    points = [(2.0, 0.0), (2.0, np.inf), (-1.0, 1.0), (2.0, np.nan)]
    np.testing.assert_array_equal(slopes("gammainc", points, 0), [0.0, 0.0, np.nan, np.nan])
    points = [(2.0, 3.0, 0.0), (2.0, 3.0, 1.0), (-1.0, 3.0, 0.5)]
    np.testing.assert_array_equal(slopes("betainc", points, 0), [0.0, 0.0, np.nan])


def test_a_slope_by_a_shape_is_computed_where_it_is_demanded() -> None:
    a, x = tv.vector("a"), tv.vector("x")
    f = tv.function([a, x], tv.grad(tv.sum(tv.gammainc(a, x)), x))
    assert "digamma" not in str(f)
    single = tv.tensor("s", "float32", (None,))
    slope = tv.grad(tv.sum(tv.gammainc(single, np.float32(2.0))), single)
    assert slope.dtype == "float32"
    np.testing.assert_allclose(tv.function([single], slope)([2.0]), [-0.29400468], rtol=1e-6)


def test_incomplete_functions_that_are_not_divided() -> None:
    k, x = np.array([0.5, 2.0, 7.0]), np.array([0.3, 2.0, 9.0])
    lower = [float(mp.gammainc(a, 0, b)) for a, b in zip(k, x, strict=True)]
    upper = [float(mp.gammainc(a, b)) for a, b in zip(k, x, strict=True)]
    tail = [float(mp.gammainc(a / 2, b / 2, regularized=True)) for a, b in zip(k, x, strict=True)]
    inputs = tv.vector("k"), tv.vector("x")
    values = [tv.gammal(*inputs), tv.gammau(*inputs), tv.chi2sf(inputs[1], inputs[0])]
    found = tv.function(list(inputs), values)(k, x)
    np.testing.assert_allclose(found, [lower, upper, tail], rtol=1e-13)
    for of in (tv.gammal, tv.gammau):
        tv.verify_grad(of, [k, x])
