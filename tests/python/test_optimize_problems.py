"""The problems of Moré, Garbow and Hillstrom, solved to the optima that they publish."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from more_garbow_hillstrom import PROBLEMS, Problem

import thunkvm as tv

#: Some hundred programs run once: a compiler would take all the time.
MODE = tv.Mode("cvm", compile="never")
BY_NUMBER = {int(problem.name.split()[0]): problem for problem in PROBLEMS}
# What a method does not solve: mostly scales of x that differ by 1e10 (3, 10), where gradients
# without a matrix say little, and SciPy's methods of these names end before the solution too.
UNSOLVED = {
    "BFGS": set(),
    "L-BFGS": set(),
    "L-BFGS-B": set(),
    "CG": {3, 10, 17},
    "Newton-CG": {3, 10},
    "dogleg": set(),
    "trust-ncg": {10},
}
SOLVED = [
    (method, number)
    for method, unsolved in UNSOLVED.items()
    for number in BY_NUMBER
    if number not in unsolved
]


def is_an_optimum(value: float, optima: tuple[float, ...]) -> bool:
    """Return whether a value is one of those that are published, with 4 digits."""
    return any(value <= optimum * (1.0 + 1e-4) + 1e-8 for optimum in optima)


@pytest.mark.parametrize(("method", "number"), SOLVED)
def test_problem_is_solved_to_its_published_optimum(method: str, number: int) -> None:
    problem: Problem = BY_NUMBER[number]
    options: dict[str, Any] = {"gtol": 1e-8, "maxiter": 3000}
    if method.startswith("L-BFGS"):
        options["ftol"] = 0.0
    result = tv.optimize.minimize(
        problem.sum_of_squares, problem.start, method=method, options=options, mode=MODE
    )
    assert is_an_optimum(result.fun, problem.optima), f"{problem.name}: {result}"


@pytest.mark.parametrize(
    "number", [1, 3, 4, 5, 7, 9, 13, 16, 18], ids=lambda number: BY_NUMBER[number].name
)
def test_problem_is_solved_within_bounds(number: int) -> None:
    problem = BY_NUMBER[number]
    assert problem.bounds is not None
    lower, upper, optimum = problem.bounds
    result = tv.optimize.minimize(
        problem.sum_of_squares,
        problem.start,
        method="L-BFGS-B",
        bounds=tv.optimize.Bounds(lower, upper),
        options={"gtol": 1e-9, "ftol": 0.0},
        mode=MODE,
    )
    assert is_an_optimum(result.fun, (optimum,)), f"{problem.name}: {result}"
    assert np.all(result.x >= lower)
    assert np.all(result.x <= upper)


@pytest.mark.parametrize("method", UNSOLVED)
@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "FAST_RUN"])
def test_problem_takes_the_same_steps_in_all_modes(method: str, mode: str) -> None:
    problem = BY_NUMBER[5]
    solve = {"fun": problem.sum_of_squares, "x0": problem.start, "method": method}
    plain = tv.optimize.minimize(**solve, mode="vm")
    result = tv.optimize.minimize(**solve, mode=mode)
    np.testing.assert_allclose(result.x, plain.x, rtol=1e-6)
    for count in ("nit", "nfev", "njev", "nhev", "status"):
        assert result.get(count) == plain.get(count), count


@pytest.mark.parametrize("method", [*UNSOLVED, "gradient_descent", "adam"])
def test_steps_of_float32_are_of_float32(method: str) -> None:
    start = np.array([0.5, 2.0, -1.0], np.float32)
    result = tv.optimize.minimize(
        lambda x: ((x - 1.0) ** 2).sum() + (x[0] - x[1]) ** 2,
        start,
        method=method,
        options={"gtol": 1e-3},
        mode=MODE,
    )
    assert (result.x.dtype, np.asarray(result.fun).dtype) == (np.float32, np.float32)
    np.testing.assert_allclose(result.x, np.ones(3), atol=2e-3)
