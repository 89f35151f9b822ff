"""What loops are measured by, in every library: rows, data, and what the results have to be.

The models: an Armijo search in Rosenbrock's valley; J. D. Hamilton, A new approach to the economic
analysis of nonstationary time series, 1989, with two regimes; R. E. Kalman, A new approach to
linear filtering and prediction problems, 1960, for a local linear trend with missing values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 20_000
SCALAR_ROW = "loops: 20,000 scalar steps with a branch, per step"
LENGTHS = (2, 100, 10_000)
SEARCH_ROW = "loops: Armijo search, n = {:,}, per trial"
TRIALS = 20
SCAN_ROW = "loops: 1,000 steps of a scan, value and gradient"
HAMILTON_ROW = "loops: Hamilton filter, T = 2,000, and gradient"
KALMAN_ROW = "loops: Kalman filter, T = 500, and gradient"
PERFORM_ROW = "loops: a step with a perform, of 1,000"
FIRST = ", first result"

SERIES = np.random.default_rng(1).normal(size=1000)
RETURNS = np.random.default_rng(2).normal(size=2000) * np.repeat([0.5, 2.0], 1000)
LEVELS = np.cumsum(np.random.default_rng(3).normal(size=500))
LEVELS[::7] = np.nan
#: The probabilities to stay, the means and the deviations of two regimes.
REGIMES = np.array([0.95, 0.9, 0.1, -0.1, 0.6, 1.8])
#: The variances of level, slope and observation.
VARIANCES = np.array([0.5, 0.1, 0.3])


def valley(x: Any) -> Any:
    """Rosenbrock's function."""
    head, tail = x[:-1], x[1:]
    return (100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2).sum()


def search_from(n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """A point, a direction that is refused until it is halved TRIALS times, and the slope there."""
    x = np.linspace(-1.0, 1.0, n)
    direction = np.where(np.arange(n) % 2 == 0, 1.0, -1.0) * 2.0**TRIALS
    return x, direction, -1.0


def scalar_steps(y: float) -> float:
    """In plain Python."""
    for _ in range(STEPS):
        y = np.cos(y) if y > 0.5 else np.exp(y)
    return float(y)


def scan_value(a: float, series: np.ndarray) -> float:
    """The cost of a recurrence, in plain Python."""
    y = cost = 0.0
    for e in series:
        y = np.tanh(a * y + e)
        cost += y * y
    return float(cost)


def hamilton_value(regimes: np.ndarray, returns: np.ndarray) -> float:
    """The log likelihood, in plain Python."""
    stay, means, deviations = regimes[:2], regimes[2:4], regimes[4:]
    moves = np.array([[stay[0], 1 - stay[1]], [1 - stay[0], stay[1]]])
    belief, total = np.array([0.5, 0.5]), 0.0
    for r in returns:
        likely = moves @ belief * np.exp(-0.5 * ((r - means) / deviations) ** 2) / deviations
        total += np.log(likely.sum())
        belief = likely / likely.sum()
    return float(total)


def kalman_value(variances: np.ndarray, levels: np.ndarray) -> float:
    """The log likelihood, in plain Python."""
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
