"""Time series as scans: a filter of regimes, a filter with missing values, a recurrent network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "FAST_RUN"]
RANDOM = np.random.default_rng(0)


def central(f: Any, at: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """The gradient by central differences."""
    gradient = np.zeros_like(at)
    for i in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[i], down[i] = up[i] + h, down[i] - h
        gradient[i] = (f(up) - f(down)) / (2.0 * h)
    return gradient


def hamilton(regimes: np.ndarray, returns: np.ndarray) -> float:
    """The log likelihood of two regimes (J. D. Hamilton, 1989), in plain Python."""
    stay, means, deviations = regimes[:2], regimes[2:4], regimes[4:]
    moves = np.array([[stay[0], 1.0 - stay[1]], [1.0 - stay[0], stay[1]]])
    belief, total = np.array([0.5, 0.5]), 0.0
    for r in returns:
        likely = moves @ belief * np.exp(-0.5 * ((r - means) / deviations) ** 2) / deviations
        total += np.log(likely.sum())
        belief = likely / likely.sum()
    return float(total)


def hamilton_graph(regimes: Any, returns: Any) -> Any:
    stay, means, deviations = regimes[:2], regimes[2:4], regimes[4:]
    leave = 1.0 - stay
    moves = tv.stack([tv.stack([stay[0], leave[1]]), tv.stack([leave[0], stay[1]])])

    def step(state: Any, r: Any) -> Any:
        belief, total = state
        density = tv.exp(-0.5 * ((r - means) / deviations) ** 2) / deviations
        likely = (moves @ belief) * density
        return (likely / likely.sum(), total + tv.log(likely.sum())), None

    (_, total), _ = tv.scan_carry(step, (np.array([0.5, 0.5]), 0.0), returns)
    return total


@pytest.mark.parametrize(("mode", "n"), [("py", 50), ("vm", 200), ("FAST_RUN", 2000)])
def test_a_filter_of_regimes_has_the_likelihood_and_its_gradient(mode: str, n: int) -> None:
    regimes, returns = tv.tensor("regimes", shape=(6,)), tv.vector("returns")
    total = hamilton_graph(regimes, returns)
    f = tv.function([regimes, returns], [total, tv.grad(total, regimes)], mode=mode)
    values = np.array([0.95, 0.9, 0.1, -0.1, 0.6, 1.8])
    series = RANDOM.normal(size=n) * np.repeat([0.5, 2.0], n // 2)
    found, gradient = f(values, series)
    np.testing.assert_allclose(found, hamilton(values, series), rtol=1e-11)
    expected = central(lambda at: hamilton(at, series), values)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-4)


def kalman(variances: np.ndarray, levels: np.ndarray) -> float:
    """The log likelihood of a local linear trend (R. E. Kalman, 1960), in plain Python."""
    move, noise = np.array([[1.0, 1.0], [0.0, 1.0]]), np.diag(variances[:2])
    mean, spread, total = np.zeros(2), np.eye(2) * 10.0, 0.0
    for y in levels:
        mean, spread = move @ mean, move @ spread @ move.T + noise
        if not np.isnan(y):
            error, variance = y - mean[0], spread[0, 0] + variances[2]
            gain = spread[:, 0] / variance
            mean, spread = mean + gain * error, spread - np.outer(gain, spread[0])
            total -= 0.5 * (np.log(variance) + error * error / variance)
    return float(total)


def kalman_graph(variances: Any, levels: Any) -> Any:
    move = tv.constant([[1.0, 1.0], [0.0, 1.0]])
    noise = tv.diag(variances[:2])

    def step(state: Any, y: Any) -> Any:
        mean, spread, total = state
        mean, spread = move @ mean, move @ spread @ move.T + noise
        error, variance = y - mean[0], spread[0, 0] + variances[2]
        gain = spread[:, 0] / variance
        seen = (
            mean + gain * error,
            spread - tv.outer(gain, spread[0]),
            total - 0.5 * (tv.log(variance) + error * error / variance),
        )
        return tuple(tv.ifelse(tv.isnan(y), (mean, spread, total), seen)), None

    first = (np.zeros(2), np.eye(2) * 10.0, 0.0)
    (_, _, total), _ = tv.scan_carry(step, first, levels)
    return total


@pytest.mark.parametrize("mode", MODES)
def test_a_filter_skips_the_update_where_a_value_is_missing(mode: str) -> None:
    variances, levels = tv.tensor("variances", shape=(3,)), tv.vector("levels")
    total = kalman_graph(variances, levels)
    f = tv.function([variances, levels], total, mode=mode)
    series = np.cumsum(RANDOM.normal(size=60))
    series[::7] = np.nan  # 9 of 60
    values = np.array([0.5, 0.1, 0.3])
    np.testing.assert_allclose(f(values, series), kalman(values, series), rtol=1e-11)
    assert [row[4] for row in f._node_rows() if row[1] == "log"] == [60 - 9]
    gradient = tv.function([variances, levels], tv.grad(total, variances), mode=mode)
    expected = central(lambda at: kalman(at, series), values)
    np.testing.assert_allclose(gradient(values, series), expected, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("checkpoint", [None, 8])
def test_a_recurrent_network_learns_by_gradients_through_its_steps(
    mode: str, checkpoint: int | None
) -> None:
    inside, outside, readout = tv.matrix("inside"), tv.matrix("outside"), tv.vector("readout")
    series, wanted = tv.matrix("series"), tv.vector("wanted")
    states = tv.scan(
        lambda x, h: tv.tanh(inside @ h + outside @ x), series, tv.zeros_like(readout),
        checkpoint=checkpoint,
    )  # fmt: skip
    cost = tv.mean((states @ readout - wanted) ** 2)
    weights = [inside, outside, readout]
    f = tv.function([*weights, series, wanted], [cost, *tv.grad(cost, weights)], mode=mode)

    def network(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        h, errors = np.zeros(4), []
        for x, y in zip(inputs, targets, strict=True):
            h = np.tanh(a @ h + b @ x)
            errors.append((h @ c - y) ** 2)
        return float(np.mean(errors))

    inputs = RANDOM.normal(size=(30, 3))
    targets = np.cumsum(inputs[:, 0]) * 0.1  # what was seen has to be remembered
    now = [RANDOM.normal(size=shape) * 0.4 for shape in ((4, 4), (4, 3), (4,))]
    before, *gradients = f(*now, inputs, targets)
    np.testing.assert_allclose(before, network(*now), rtol=1e-12)
    for i, gradient in enumerate(gradients):
        at = lambda value, i=i: network(*[value if i == j else w for j, w in enumerate(now)])  # noqa: E731
        np.testing.assert_allclose(gradient, central(at, now[i]), rtol=1e-6, atol=1e-9)
    for _ in range(200):
        _, *gradients = f(*now, inputs, targets)
        now = [w - 0.2 * g for w, g in zip(now, gradients, strict=True)]
    assert f(*now, inputs, targets)[0] < 0.2 * before
