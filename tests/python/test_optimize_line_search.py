"""Line searches on their own: the conditions that they promise, and when a gradient runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]


def searched(search: Callable[..., Any], fun: Any, mode: str = "cvm", **options: Any) -> Any:
    """Return a function of x, a direction and a rate: to a Search, and fun and slope at x."""
    problem = tv.optimize.Problem(fun)
    x, p, rate = tv.vector("x"), tv.vector("p"), tv.scalar("rate")
    value, gradient = problem.value_and_gradient(x)
    found = search(problem, x, p, value, gradient, rate, **options)
    return tv.function([x, p, rate], [*found, value, tv.sum(gradient * p)], mode=mode)


# Functions 1 to 3 of J. Moré and D. Thuente, 1994, along a line from 0.
def more_thuente_1(x: Any) -> Any:
    return -tv.sum(x / (x**2 + 2.0))


def more_thuente_2(x: Any) -> Any:
    return tv.sum((x + 0.004) ** 5 - 2.0 * (x + 0.004) ** 4)


def more_thuente_3(x: Any) -> Any:
    beta, waves = 0.01, 39
    near = tv.where(
        tv.abs(x - 1.0) >= beta, tv.abs(x - 1.0), 0.5 * (x - 1.0) ** 2 / beta + 0.5 * beta
    )
    return tv.sum(near + 2.0 * (1.0 - beta) / (waves * np.pi) * tv.sin(waves * np.pi / 2.0 * x))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fun", [more_thuente_1, more_thuente_2, more_thuente_3])
@pytest.mark.parametrize(("c1", "c2"), [(1e-4, 0.9), (0.1, 0.4), (1e-3, 0.4)])
def test_strong_wolfe_finds_a_rate_that_satisfies_both_conditions(
    fun: Any, c1: float, c2: float, mode: str
) -> None:
    f = searched(tv.optimize.strong_wolfe, fun, mode, c1=c1, c2=c2, trials=60)
    for first in (1e-3, 0.1, 1.0, 10.0, 1e3):
        rate, x, value, jac, found, before, slope = f([0.0], [1.0], first)
        assert found, first
        assert x[0] == rate
        assert value <= before + c1 * rate * slope
        assert abs(jac[0]) <= -c2 * slope


@pytest.mark.parametrize("mode", MODES)
def test_strong_wolfe_runs_the_gradient_in_trials_that_are_low_enough_alone(mode: str) -> None:
    f = searched(tv.optimize.strong_wolfe, lambda x: tv.sum(x**2), mode)
    f([1.0], [-2.0], 4.0)  # at -7 the value is too high; the parabola through both says 0
    assert f.counts() == {"nfev": 3, "njev": 2}


@pytest.mark.parametrize("mode", MODES)
def test_backtracking_runs_one_gradient_behind_its_trials(mode: str) -> None:
    f = searched(tv.optimize.backtracking, lambda x: tv.sum(x**2), mode)
    rate, x, value, jac, found, *_ = f([1.0], [-2.0], 4.0)
    assert (rate, x[0], value, jac[0], bool(found)) == (0.5, 0.0, 0.0, 0.0, True)
    assert f.counts() == {"nfev": 5, "njev": 2}


@pytest.mark.parametrize("search", [tv.optimize.strong_wolfe, tv.optimize.backtracking])
def test_search_that_finds_nothing_stays_where_it_began(search: Any) -> None:
    f = searched(search, lambda x: tv.sum(x**2), trials=5)
    rate, x, value, jac, found, *_ = f([1.0], [2.0], 1.0)  # uphill
    assert (rate, x[0], value, jac[0], bool(found)) == (0.0, 1.0, 1.0, 2.0, False)


@pytest.mark.parametrize("search", [tv.optimize.strong_wolfe, tv.optimize.backtracking])
def test_search_comes_back_from_where_the_value_is_nan(search: Any) -> None:
    f = searched(search, lambda x: tv.sum(x - tv.log(x)))  # NaN for x < 0, least at 1
    _, x, value, _, found, before, _ = f([2.0], [-1.0], 50.0)
    assert found
    assert 0.0 < x[0] < 2.0
    assert value < before


def test_strong_wolfe_goes_no_further_than_it_may() -> None:
    f = searched(tv.optimize.strong_wolfe, lambda x: -tv.sum(x), most=3.0)
    rate, x, _, _, found, *_ = f([0.0], [1.0], 0.5)
    assert (rate, x[0], bool(found)) == (3.0, 3.0, True)


def test_first_rate_lowers_the_value_as_the_last_step_did() -> None:
    fun, before, slope = tv.scalars("fun", "before", "slope")
    f = tv.function([fun, before, slope], tv.optimize.first_rate(fun, before, slope))
    assert f(1.0, 2.0, -8.0) == pytest.approx(2.02 / 8.0)
    assert f(1.0, 9.0, -8.0) == 1.0
    assert f(2.0, 1.0, -8.0) == 1.0
    assert f(2.0, np.inf, -8.0) == 1.0
