"""Filters of time series as scans, against plain Python and against densities of whole series."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from loop_programs import MODES, central, runs

import thunkvm as tv

REGIMES = np.array([0.95, 0.9, 0.1, -0.1, 0.6, 1.8])


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


def over_all_paths(regimes: np.ndarray, returns: np.ndarray) -> float:
    """The same, as the sum over each path that the regimes can take."""
    stay, means, deviations = regimes[:2], regimes[2:4], regimes[4:]
    total = 0.0
    for path in product((0, 1), repeat=len(returns) + 1):
        likely = 0.5
        for before, now, r in zip(path, path[1:], returns, strict=False):
            likely *= stay[before] if before == now else 1.0 - stay[before]
            likely *= np.exp(-0.5 * ((r - means[now]) / deviations[now]) ** 2) / deviations[now]
        total += likely
    return float(np.log(total))


def hamilton_scan(regimes: Any, returns: Any, told: Any = lambda belief: belief[1]) -> Any:
    """The log likelihood, and what is told of the belief after each return."""
    stay, means, deviations = regimes[:2], regimes[2:4], regimes[4:]
    leave = 1.0 - stay
    moves = tv.stack([tv.stack([stay[0], leave[1]]), tv.stack([leave[0], stay[1]])])

    def step(state: Any, r: Any) -> Any:
        belief, total = state
        density = tv.exp(-0.5 * ((r - means) / deviations) ** 2) / deviations
        likely = (moves @ belief) * density
        belief = likely / likely.sum()
        return (belief, total + tv.log(likely.sum())), told(belief)

    (_, total), each = tv.scan_carry(step, (np.array([0.5, 0.5]), 0.0), returns)
    return total, each


def returns_of(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=n) * np.repeat([0.5, 2.0], n // 2)


@pytest.mark.parametrize("mode", MODES)
def test_hamilton_filter_of_2000_returns_has_the_likelihood_and_its_gradient(mode: str) -> None:
    regimes, returns = tv.tensor("regimes", shape=(6,)), tv.vector("returns")
    total, _ = hamilton_scan(regimes, returns)
    f = tv.function([regimes, returns], [total, tv.grad(total, regimes)], mode=mode)
    series = returns_of(2000)
    value, gradient = f(REGIMES, series)
    np.testing.assert_allclose(value, hamilton(REGIMES, series), rtol=1e-11)
    expected = central(lambda at: hamilton(at, series), REGIMES)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_hamilton_filter_has_the_likelihood_of_all_paths(mode: str) -> None:
    regimes, returns = tv.tensor("regimes", shape=(6,)), tv.vector("returns")
    total, _ = hamilton_scan(regimes, returns)
    f = tv.function([regimes, returns], [total, tv.grad(total, regimes)], mode=mode)
    value, gradient = f(REGIMES, returns_of(8))
    np.testing.assert_allclose(value, over_all_paths(REGIMES, returns_of(8)), rtol=1e-12)
    expected = central(lambda at: over_all_paths(at, returns_of(8)), REGIMES)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
def test_hamilton_filter_tells_of_beliefs_only_if_that_is_asked_for(
    mode: str, counting: Any
) -> None:
    told = counting(lambda belief: belief * 1.0)
    regimes, returns, asked = tv.tensor("regimes", shape=(6,)), tv.vector("returns"), tv.scalar("a")
    total, beliefs = hamilton_scan(regimes, returns, told)
    f = tv.function([regimes, returns], total, mode=mode)
    f(REGIMES, returns_of(20))
    assert (told.runs, runs(f, "log")) == (0, 20)
    last = tv.function(
        [regimes, returns, asked], tv.ifelse(asked > 0, beliefs[-1], regimes[:2]), mode=mode
    )
    last(REGIMES, returns_of(20), -1.0)
    assert told.runs == 0
    np.testing.assert_allclose(last(REGIMES, returns_of(20), 1.0).sum(), 1.0, rtol=1e-12)
    assert told.runs == 20  # each step tells; only the last is kept


VARIANCES = np.array([0.5, 0.1, 0.3])


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


def as_one_normal(variances: np.ndarray, levels: np.ndarray) -> float:
    """The same, as the density of one normal vector: all values that were seen."""
    n, move = len(levels), np.array([[1.0, 1.0], [0.0, 1.0]])
    powers = [np.linalg.matrix_power(move, k) for k in range(n + 1)]
    covariance = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            shared = powers[i + 1] @ (np.eye(2) * 10.0) @ powers[j + 1].T
            for k in range(min(i, j) + 1):
                shared = shared + powers[i - k] @ np.diag(variances[:2]) @ powers[j - k].T
            covariance[i, j] = shared[0, 0]
    covariance += variances[2] * np.eye(n)
    seen = ~np.isnan(levels)
    covariance = covariance[np.ix_(seen, seen)]
    y = levels[seen]
    return float(-0.5 * (np.linalg.slogdet(covariance)[1] + y @ np.linalg.solve(covariance, y)))


def kalman_scan(variances: Any, levels: Any, log: Any = tv.log) -> Any:
    move, noise = tv.constant([[1.0, 1.0], [0.0, 1.0]]), tv.diag(variances[:2])

    def step(state: Any, y: Any) -> Any:
        mean, spread, total = state
        mean, spread = move @ mean, move @ spread @ move.T + noise
        error, variance = y - mean[0], spread[0, 0] + variances[2]
        gain = spread[:, 0] / variance
        seen = (
            mean + gain * error,
            spread - tv.outer(gain, spread[0]),
            total - 0.5 * (log(variance) + error * error / variance),
        )
        return tuple(tv.ifelse(tv.isnan(y), (mean, spread, total), seen)), None

    (_, _, total), _ = tv.scan_carry(step, (np.zeros(2), np.eye(2) * 10.0, 0.0), levels)
    return total


def levels_of(n: int) -> np.ndarray:
    series = np.cumsum(np.random.default_rng(1).normal(size=n))
    series[::7] = np.nan
    return series


@pytest.mark.parametrize("mode", MODES)
def test_kalman_filter_with_missing_values_has_the_likelihood_and_its_gradient(mode: str) -> None:
    variances, levels = tv.tensor("variances", shape=(3,)), tv.vector("levels")
    total = kalman_scan(variances, levels)
    f = tv.function([variances, levels], [total, tv.grad(total, variances)], mode=mode)
    value, gradient = f(VARIANCES, levels_of(60))
    np.testing.assert_allclose(value, kalman(VARIANCES, levels_of(60)), rtol=1e-11)
    expected = central(lambda at: kalman(at, levels_of(60)), VARIANCES)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_kalman_filter_has_the_density_of_all_values_that_were_seen(mode: str) -> None:
    variances, levels = tv.tensor("variances", shape=(3,)), tv.vector("levels")
    total = kalman_scan(variances, levels)
    f = tv.function([variances, levels], [total, tv.grad(total, variances)], mode=mode)
    value, gradient = f(VARIANCES, levels_of(15))
    np.testing.assert_allclose(value, as_one_normal(VARIANCES, levels_of(15)), rtol=1e-9)
    expected = central(lambda at: as_one_normal(at, levels_of(15)), VARIANCES)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_kalman_filter_runs_the_update_only_where_a_value_was_seen(mode: str) -> None:
    variances, levels = tv.tensor("variances", shape=(3,)), tv.vector("levels")
    f = tv.function([variances, levels], kalman_scan(variances, levels), mode=mode)
    f(VARIANCES, levels_of(60))
    assert runs(f, "log") == 60 - 9
    f(VARIANCES, np.full(30, np.nan))
    assert runs(f, "log") == 60 - 9


@pytest.mark.parametrize("mode", MODES)
def test_kalman_filter_differentiates_the_update_only_where_a_value_was_seen(
    mode: str, counting: Any
) -> None:
    slope = counting(lambda x: 1.0 / x)
    log = counting(np.log, slope)
    variances, levels = tv.tensor("variances", shape=(3,)), tv.vector("levels")
    total = kalman_scan(variances, levels, log)
    f = tv.function([variances, levels], tv.grad(total, variances), mode=mode)
    found = f(VARIANCES, levels_of(60))
    expected = central(lambda at: kalman(at, levels_of(60)), VARIANCES)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert slope.runs == 60 - 9
    assert f(VARIANCES, np.full(30, np.nan)).tolist() == [0.0, 0.0, 0.0]
    assert slope.runs == 60 - 9
