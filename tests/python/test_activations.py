"""Activations and soft maxima: values, and slopes at their edges, infinities and empties."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]
INF, NAN = math.inf, math.nan
ALPHA, SCALE = 1.6732632423543772, 1.0507009873554805


def normal(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


#: By name: the function, points, values, and slopes there.
CASES: dict[str, tuple[Callable[[Any], Any], list[float], list[float], list[float]]] = {
    "relu": (tv.relu, [-INF, -2.0, 0.0, 3.0, INF], [0, 0, 0, 3, INF], [0, 0, 0, 1, 1]),
    "relu that leaks": (lambda x: tv.relu(x, 0.1), [-2.0, 0.0, 3.0], [-0.2, 0, 3], [0.1, 0.1, 1]),
    "elu": (
        tv.elu,
        [-INF, -1.0, 0.0, 800.0, INF],
        [-1.0, math.expm1(-1), 0.0, 800.0, INF],
        [0.0, math.exp(-1), 1.0, 1.0, 1.0],
    ),
    "elu of alpha": (
        lambda x: tv.elu(x, 2.0),
        [-1.0, 0.0],
        [2 * math.expm1(-1), 0],
        [2 / math.e, 2],
    ),
    "selu": (
        tv.selu,
        [-INF, -1.0, 0.0, 800.0],
        [-SCALE * ALPHA, SCALE * ALPHA * math.expm1(-1), 0.0, SCALE * 800],
        [0.0, SCALE * ALPHA * math.exp(-1), SCALE * ALPHA, SCALE],
    ),
    "gelu": (
        tv.gelu,
        [-INF, -1e200, -1.0, 0.0, 1.0, 1e200, INF],
        [0.0, 0.0, -normal(-1), 0.0, normal(1), 1e200, INF],
        [0.0, 0.0, normal(-1) - density(-1), 0.5, normal(1) + density(1), 1.0, 1.0],
    ),
    "gelu by tanh": (
        lambda x: tv.gelu(x, approximate=True),
        [-INF, -1e200, 0.0, 1.0, 1e200, INF],
        [0.0, 0.0, 0.0, 0.8411919906082768, 1e200, INF],
        [0.0, 0.0, 0.5, 1.0829640838457826, 1.0, 1.0],
    ),
    "silu": (
        tv.silu,
        [-INF, -1e300, -1.0, 0.0, INF],
        [0.0, 0.0, -sigmoid(-1), 0.0, INF],
        [0.0, 0.0, sigmoid(-1) * (1 - sigmoid(1)), 0.5, 1.0],
    ),
    "swish": (tv.swish, [0.0, 1.0], [0.0, sigmoid(1)], [0.5, sigmoid(1) * (2 - sigmoid(1))]),
    "hard_sigmoid": (tv.hard_sigmoid, [-INF, -3.0, 0.0, 3.0], [0, 0, 0.5, 1], [0, 0, 0.2, 0]),
    "softmax of one": (lambda x: tv.softmax(x[:, None], 1), [-3.0, 1000.0], [1, 1], [0, 0]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes(name: str, mode: str) -> None:
    function, at, values, slopes = CASES[name]
    x = tv.vector("x")
    y = function(x)
    f = tv.function([x], [y, tv.grad(tv.sum(y), x)], mode=mode)
    found, slope = f(at)
    np.testing.assert_allclose(np.ravel(found), values, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(slope, slopes, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("name", CASES)
def test_a_nan_stays_and_the_dtype_too(name: str) -> None:
    x = tv.vector("x", dtype="float32")
    y = CASES[name][0](x)
    assert y.dtype == "float32"
    assert np.isnan(np.ravel(tv.function([x], y)([NAN, 1.0]))).tolist() == [True, False]


@pytest.mark.parametrize("name", ["elu", "selu", "gelu", "silu", "hard_sigmoid"])
def test_integers_become_floats(name: str) -> None:
    n = tv.lvector("n")
    y = getattr(tv, name)(n)
    assert y.dtype == "float64"
    assert np.isfinite(tv.function([n], y)([-2, 0, 3])).all()


def logsumexp(x: np.ndarray, axis: Any, b: Any = 1.0) -> Any:
    return np.log(np.sum(b * np.exp(x), axis=axis))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_soft_maxima_over_axes(axis: Any, mode: str) -> None:
    x = tv.tensor3("x")
    value = np.random.default_rng(0).normal(size=(2, 3, 4))
    whole = tv.logsumexp(x, axis=axis, keepdims=True)
    outputs = [tv.logsumexp(x, axis=axis), whole, tv.softmax(x, axis), tv.log_softmax(x, axis)]
    f = tv.function([x], [*outputs, tv.grad(tv.sum(outputs[0]), x)], mode=mode)
    flat, kept, soft, log, gradient = f(value)
    shares = np.exp(value) / np.sum(np.exp(value), axis=axis, keepdims=True)
    np.testing.assert_allclose(flat, logsumexp(value, axis), rtol=1e-14)
    np.testing.assert_allclose(kept.ravel(), np.ravel(flat))
    assert kept.ndim == 3
    np.testing.assert_allclose(soft, shares, rtol=1e-13)
    np.testing.assert_allclose(log, np.log(shares), rtol=1e-13)
    np.testing.assert_allclose(gradient, shares, rtol=1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_logsumexp_at_infinities_and_of_nothing(mode: str) -> None:
    x = tv.vector("x")
    y = tv.logsumexp(x)
    f = tv.function([x], [y, tv.grad(y, x)], mode=mode)
    cases: list[tuple[list[float], float, list[float]]] = [
        ([], -INF, []),
        ([-INF, 1.0], 1.0, [0.0, 1.0]),
        ([INF, 1.0], INF, [1.0, 0.0]),
        ([-INF, -INF], -INF, [0.5, 0.5]),
        ([-INF], -INF, [1.0]),
        ([1e308, 1e308], 1e308, [0.5, 0.5]),
    ]
    for at, value, slopes in cases:
        found, gradient = f(at)
        assert found == value
        assert gradient.tolist() == slopes
    assert np.isnan(f([NAN, 1.0])[0])


@pytest.mark.parametrize("mode", MODES)
def test_logsumexp_with_weights(mode: str) -> None:
    x, b = tv.matrix("x"), tv.vector("b")
    y = tv.logsumexp(x, axis=1, b=b)
    f = tv.function([x, b], [y, *tv.grad(tv.sum(y), [x, b])], mode=mode)
    value, weights = np.array([[0.5, 1.0, -1.0]]), np.array([2.0, -0.5, 0.0])
    found, by_x, by_b = f(value, weights)
    whole = np.sum(weights * np.exp(value))
    np.testing.assert_allclose(found, [np.log(whole)], rtol=1e-14)
    np.testing.assert_allclose(by_x, weights * np.exp(value) / whole, rtol=1e-13)
    np.testing.assert_allclose(by_b, np.exp(value[0]) / whole, rtol=1e-13)
    # What does not count may be as large as it likes.
    assert f([[0.0, 1e5, INF]], [1.0, 0.0, 0.0])[0] == [0.0]
    assert not np.isnan(f([[0.0, 1e5, 0.0]], [1.0, 0.0, 0.0])[1]).any()
    assert np.isnan(f([[0.0, 0.0, 0.0]], [1.0, -2.0, 0.0])[0])
    nothing = f([[0.0, 0.0, 0.0]], [0.0, 0.0, 0.0])
    assert nothing[0] == [-INF]
    assert not np.isnan(nothing[2]).any()


def test_log_softmax_keeps_what_softmax_rounds_to_zero() -> None:
    x = tv.vector("x")
    f = tv.function([x], [tv.log_softmax(x), tv.softmax(x), tv.grad(tv.log_softmax(x)[0], x)])
    log, soft, gradient = f([0.0, 1e4, -INF])
    assert log.tolist() == [-1e4, 0.0, -INF]
    assert soft.tolist() == [0.0, 1.0, 0.0]
    assert gradient.tolist() == [1.0, -1.0, 0.0]


@pytest.mark.parametrize("function", [tv.softmax, tv.log_softmax, tv.logsumexp])
def test_an_axis_that_is_not_there_is_named(function: Any) -> None:
    with pytest.raises(ValueError, match=rf"\[{function.__name__}\].*axis"):
        function(tv.vector("x"), axis=1)
