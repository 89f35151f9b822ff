"""Optimisation as loops: a line search and Newton's method, against plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from loop_programs import MODES, central, runs

import thunkvm as tv

START = np.array([-1.2, 1.0])


def valley(x: Any) -> Any:
    """Rosenbrock's function."""
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2


def slope_of_valley(x: np.ndarray) -> np.ndarray:
    a, b = x
    return np.array([-400.0 * a * (b - a * a) - 2.0 * (1.0 - a), 200.0 * (b - a * a)])


def search(cost: Any, x0: Any, goal: float, max_steps: int = 10_000) -> Any:
    """Descent with L. Armijo's rule (1966) as one loop, of which a step is one trial."""

    def trial(s: Any) -> Any:
        point = s["x"] - s["t"] * s["gradient"]
        value = cost(point)
        enough = value <= s["value"] - 1e-4 * s["t"] * tv.sum(s["gradient"] ** 2)
        return tv.ifelse(
            enough,
            {
                "x": point,
                "value": value,
                "gradient": tv.grad(value, point),
                "t": 2.0 * s["t"],
                "accepted": s["accepted"] + 1,
            },
            {**s, "t": 0.5 * s["t"]},
        )

    value = cost(x0)
    first = {"x": x0, "value": value, "gradient": tv.grad(value, x0), "t": 1.0, "accepted": 0}
    return tv.while_loop(lambda s: s["value"] > goal, trial, first, max_steps=max_steps)


def searched(
    cost: Any, slope: Any, x: np.ndarray, goal: float, max_steps: int = 10_000
) -> tuple[np.ndarray, int, int]:
    """In plain Python, with a loop in a loop: the point, steps that were accepted, and trials."""
    t, accepted, trials = 1.0, 0, 0
    while cost(x) > goal and trials < max_steps:
        direction, trials = slope(x), trials + 1
        while cost(x - t * direction) > cost(x) - 1e-4 * t * (direction @ direction):
            t *= 0.5
            if trials == max_steps:
                return x, accepted, trials
            trials += 1
        x, t, accepted = x - t * direction, 2.0 * t, accepted + 1
    return x, accepted, trials


@pytest.mark.parametrize("mode", MODES)
def test_line_search_takes_the_trials_of_a_search_in_python(mode: str) -> None:
    x0 = tv.vector("x0")
    found = search(valley, x0, 1e-2)
    f = tv.function([x0], [found["x"], found["accepted"], found.steps], mode=mode)
    point, accepted, trials = f(START)
    expected = searched(valley, slope_of_valley, START, 1e-2)
    np.testing.assert_allclose(point, expected[0], rtol=1e-9)
    assert (accepted, trials) == expected[1:]
    assert accepted < trials


@pytest.mark.parametrize("mode", MODES)
def test_line_search_computes_the_gradient_only_in_steps_that_are_accepted(mode: str) -> None:
    x0 = tv.vector("x0")
    found = search(lambda x: tv.sum(tv.cosh(x)), x0, 2.0 + 1e-9)  # its gradient is sinh
    f = tv.function([x0], [found["accepted"], found.steps], mode=mode)
    accepted, trials = f([6.0, -3.0])
    assert searched(lambda x: np.cosh(x).sum(), np.sinh, np.array([6.0, -3.0]), 2.0 + 1e-9)[1:] == (
        accepted,
        trials,
    )
    assert 1 < accepted < trials
    assert runs(f, "cosh") == 1 + trials
    assert runs(f, "sinh") == 1 + accepted


@pytest.mark.parametrize("mode", MODES)
def test_line_search_calls_an_op_in_python_as_often_as_it_needs_it(
    mode: str, counting: Any
) -> None:
    slope = counting(np.sinh)
    cost = counting(np.cosh, slope)
    x0 = tv.vector("x0")
    found = search(lambda x: tv.sum(cost(x)), x0, 2.0 + 1e-9)
    f = tv.function([x0], [found["accepted"], found.steps], mode=mode)
    accepted, trials = f([6.0, -3.0])
    assert (cost.runs, slope.runs) == (1 + trials, 1 + accepted)


@pytest.mark.parametrize("mode", MODES)
def test_line_search_that_has_nothing_to_do_computes_no_gradient(mode: str) -> None:
    x0 = tv.vector("x0")
    found = search(lambda x: tv.sum(tv.cosh(x)), x0, 2.0 + 1e-9)
    f = tv.function([x0], [found["x"], found.steps], mode=mode)
    point, trials = f([0.0, 0.0])
    assert (point.tolist(), trials, runs(f, "sinh")) == ([0.0, 0.0], 0, 0)


@pytest.mark.parametrize("mode", MODES)
def test_line_search_has_the_gradient_of_the_point_that_it_found(mode: str) -> None:
    x0 = tv.vector("x0")
    found = search(valley, x0, 0.0, max_steps=15)  # through gradients: a second derivative
    f = tv.function([x0], tv.grad(valley(found["x"]), x0), mode=mode)
    at = lambda x: valley(searched(valley, slope_of_valley, x, 0.0, 15)[0])  # noqa: E731
    np.testing.assert_allclose(f(START), central(at, START, 1e-7), rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_line_search_in_a_loop_of_its_own_shares_the_gradient_of_the_outer_step(mode: str) -> None:
    x0 = tv.vector("x0")

    def step(state: Any) -> Any:
        x, trials = state
        value = tv.sum(tv.cosh(x))
        g = tv.grad(value, x)
        short = lambda t: tv.sum(tv.cosh(x - t * g)) > value - 1e-4 * t * tv.sum(g * g)  # noqa: E731
        t = tv.while_loop(short, lambda t: 0.5 * t, 1.0)
        return x - t * g, trials + t.steps + 1

    descent = tv.while_loop(lambda s: tv.max(tv.abs(s[0])) > 1e-6, step, (x0, 0), max_steps=500)
    f = tv.function([x0], [*descent, descent.steps], mode=mode)
    found, trials, steps = f([6.0, -3.0])

    x, n_trials, n_steps = np.array([6.0, -3.0]), 0, 0
    while np.abs(x).max() > 1e-6:
        g, t, n_trials = np.sinh(x), 1.0, n_trials + 1
        while np.cosh(x - t * g).sum() > np.cosh(x).sum() - 1e-4 * t * (g @ g):
            t, n_trials = 0.5 * t, n_trials + 1
        x, n_steps = x - t * g, n_steps + 1
    np.testing.assert_allclose(found, x, rtol=1e-9, atol=1e-12)
    assert (trials, steps) == (n_trials, n_steps)
    assert runs(f, "sinh") == steps < trials


def newton(x0: Any, pull: Any) -> Any:
    """Newton's method, with a damped Hessian where the Hessian has no Cholesky factor."""

    def solved(hessian: Any, gradient: Any) -> Any:
        factor = tv.cholesky(hessian)
        half = tv.solve_triangular(factor, gradient)
        return tv.solve_triangular(factor, half, transposed=True)

    def step(state: Any) -> Any:
        x, _, damped = state
        cost = tv.sum(x**4) / 4.0 - tv.sum(x**2) / 2.0 + tv.sum(pull * x) + x[0] * x[1] / 4.0
        g, h = tv.grad(cost, x), tv.hessian(cost, x)
        size = tv.max(tv.sum(tv.abs(h), axis=1))  # no eigenvalue is further from 0
        positive = h + (size + 0.1) * tv.eye(2)
        move, fell_back = tv.attempt(
            (solved(h, g), 0), (solved(positive, g), 1), on=np.linalg.LinAlgError
        )
        return x - move, tv.max(tv.abs(g)), damped + fell_back

    return tv.while_loop(lambda s: s[1] > 1e-10, step, (x0, 1.0, 0), max_steps=60)


def newton_in_python(x: np.ndarray, pull: np.ndarray) -> tuple[np.ndarray, int, int]:
    """The point, how many steps, and how many of them were damped."""
    size, steps, damped = 1.0, 0, 0
    while size > 1e-10 and steps < 60:
        g = x**3 - x + pull + x[::-1] / 4.0
        h = np.diag(3.0 * x**2 - 1.0) + np.array([[0.0, 0.25], [0.25, 0.0]])
        if np.linalg.eigvalsh(h)[0] <= 0.0:
            h, damped = h + (np.abs(h).sum(axis=1).max() + 0.1) * np.eye(2), damped + 1
        x, size, steps = x - np.linalg.solve(h, g), np.abs(g).max(), steps + 1
    return x, steps, damped


@pytest.mark.parametrize("mode", MODES)
def test_newton_damps_the_hessian_only_where_it_is_not_positive(mode: str) -> None:
    x0, pull = tv.vector("x0"), tv.vector("pull")
    (x, _, damped), steps = (found := newton(x0, pull)), found.steps
    f = tv.function([x0, pull], [x, steps, damped, found.finished], mode=mode)
    start, push = np.array([0.1, -0.2]), np.array([0.05, 0.02])
    point, n_steps, n_damped, finished = f(start, push)
    expected = newton_in_python(start, push)
    np.testing.assert_allclose(point, expected[0], rtol=1e-12)
    assert (n_steps, n_damped) == expected[1:]
    assert finished
    assert 0 < n_damped < n_steps


@pytest.mark.parametrize("mode", MODES)
def test_newton_solves_the_damped_system_only_in_steps_that_fall_back(mode: str) -> None:
    x0, pull = tv.vector("x0"), tv.vector("pull")
    found = newton(x0, pull)
    f = tv.function([x0, pull], [found[0], found.steps, found[2]], mode=mode)
    _, steps, damped = f([0.1, -0.2], [0.05, 0.02])
    factors = [row.runs for row in f.node_runs() if row.op == "cholesky"]
    assert sorted(factors) == [damped, steps]
    assert runs(f, "solve_triangular") == 2 * steps  # two for each step that moved, of one kind
    assert 0 < damped < steps
    _, near, fell_back = f([1.1, -1.1], [0.05, 0.02])
    factors = [row.runs for row in f.node_runs() if row.op == "cholesky"]
    assert (fell_back, sorted(factors)) == (0, [damped, steps + near])


@pytest.mark.parametrize("mode", ["py", "FAST_COMPILE", "FAST_RUN"])
def test_newton_has_the_gradient_of_its_solution(mode: str) -> None:
    x0, pull = tv.vector("x0"), tv.vector("pull")
    found = newton(x0, pull)
    f = tv.function([x0, pull], [found[0], tv.jacobian(found[0], pull)], mode=mode)
    point, by_pull = f([0.1, -0.2], [0.05, 0.02])
    hessian = np.diag(3.0 * point**2 - 1.0) + np.array([[0.0, 0.25], [0.25, 0.0]])
    np.testing.assert_allclose(by_pull, -np.linalg.inv(hessian), rtol=1e-8)  # the implicit one
