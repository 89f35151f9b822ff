"""What loops are measured by, in every library: rows, data, and what the results have to be.

The models: an Armijo search in Rosenbrock's valley; J. D. Hamilton, A new approach to the economic
analysis of nonstationary time series, 1989, with two regimes; R. E. Kalman, A new approach to
linear filtering and prediction problems, 1960, for a local linear trend with missing values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

STEPS = 20_000
SCALAR_ROW = "loops: 20,000 scalar steps with a branch, per step"
#: By length, what a search multiplies its step by: so near to 1 that the call does not count.
SHRINKS = {2: 0.999, 100: 0.999, 10_000: 0.99}
SEARCH_ROW = "loops: Armijo search, n = {:,}, per trial"
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


def search_from(n: int) -> tuple[np.ndarray, np.ndarray, float, float]:
    """A point, a direction that is 2**20 times too long, the slope there, and the shrink."""
    x = np.linspace(-1.0, 1.0, n)
    direction = np.where(np.arange(n) % 2 == 0, 1.0, -1.0) * 2.0**20
    return x, direction, -1.0, SHRINKS[n]


def search(x: np.ndarray, direction: np.ndarray, slope: float, shrink: float) -> tuple[float, int]:
    """The step that is accepted, and the number of trials, in plain Python."""
    t, trials, before = 1.0, 1, valley(x)
    while not valley(x + t * direction) <= before + 1e-4 * t * slope:
        t, trials = shrink * t, trials + 1
    return t, trials


def scalar_steps(y: float) -> float:
    """In plain Python."""
    for _ in range(STEPS):
        y = np.cos(y) if y > 0.5 else np.exp(y)
    return float(y)


def scan_value_and_gradient(a: float, series: np.ndarray) -> list[Any]:
    """The cost of a recurrence and its slopes in a and the series, backwards in plain Python."""
    ys = [0.0]
    for e in series:
        ys.append(np.tanh(a * ys[-1] + e))
    slope, slope_of_a, slopes = 0.0, 0.0, np.empty(len(series))
    for k in reversed(range(len(series))):
        slopes[k] = (slope + 2.0 * ys[k + 1]) * (1.0 - ys[k + 1] ** 2)
        slope_of_a += slopes[k] * ys[k]
        slope = slopes[k] * a
    return [sum(y * y for y in ys), slope_of_a, slopes]


def hamilton_value(regimes: np.ndarray, returns: np.ndarray) -> Any:
    """The log likelihood, in plain Python."""
    stay, means, deviations = regimes[:2], regimes[2:4], regimes[4:]
    moves = np.array([[stay[0], 1 - stay[1]], [1 - stay[0], stay[1]]])
    belief, total = np.array([0.5, 0.5]), 0.0
    for r in returns:
        likely = moves @ belief * np.exp(-0.5 * ((r - means) / deviations) ** 2) / deviations
        total += np.log(likely.sum())
        belief = likely / likely.sum()
    return total


def kalman_value(variances: np.ndarray, levels: np.ndarray) -> Any:
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
    return total


def value_and_gradient(value: Callable[[np.ndarray], Any], at: np.ndarray) -> list[Any]:
    """The gradient by complex steps: exact to rounding, since nothing is subtracted."""
    tiny = 1e-30
    slopes = [value(at + 1j * tiny * unit).imag / tiny for unit in np.eye(at.size)]
    return [value(at), np.array(slopes)]


class Problem(NamedTuple):
    """A row, what is called, what the first results have to be, how much a call does."""

    name: str
    row: str
    arguments: list[Any]
    expected: list[Any]
    per: int = 1

    def check(self, results: Sequence[Any]) -> None:
        """Fail if results are not as computed without the library."""
        for found, wanted in zip(results, self.expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-8, err_msg=self.row)

    @property
    def first_row(self) -> str:
        """The row of the time to the first result."""
        return self.row.partition(", per")[0] + FIRST


def problems() -> Iterator[Problem]:
    """All but the step in Python."""
    yield Problem("scalar", SCALAR_ROW, [0.3], [scalar_steps(0.3)], STEPS)
    for n in SHRINKS:
        arguments = list(search_from(n))
        t, trials = search(*arguments)
        yield Problem("search", SEARCH_ROW.format(n), arguments, [t], trials)
    expected = scan_value_and_gradient(0.7, SERIES)
    yield Problem("scan", SCAN_ROW, [0.7, SERIES], expected)
    expected = value_and_gradient(lambda at: hamilton_value(at, RETURNS), REGIMES)
    yield Problem("hamilton", HAMILTON_ROW, [REGIMES, RETURNS], expected)
    expected = value_and_gradient(lambda at: kalman_value(at, LEVELS), VARIANCES)
    yield Problem("kalman", KALMAN_ROW, [VARIANCES, LEVELS], expected)
