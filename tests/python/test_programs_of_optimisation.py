"""Optimisation as loops: a line search, Newton's method, fixed points, power iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "FAST_RUN"]
START = np.array([-1.2, 1.0])


def valley(x: Any) -> Any:
    """Rosenbrock's function."""
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2


def armijo(x: np.ndarray, d: np.ndarray, slope: float) -> tuple[float, int]:
    """The step and the number of halvings, in plain Python."""
    t, halvings = 1.0, 0
    while valley(x + t * d) > valley(x) + 1e-4 * t * slope:
        t, halvings = 0.5 * t, halvings + 1
    return t, halvings


@pytest.mark.parametrize("mode", MODES)
def test_a_line_search_finds_the_step_of_a_loop_in_python(mode: str) -> None:
    x, d, slope = tv.vector("x"), tv.vector("d"), tv.scalar("slope")
    before = valley(x)
    t = tv.while_loop(
        lambda t: valley(x + t * d) > before + 1e-4 * t * slope,
        lambda t: 0.5 * t,
        1.0,
        max_steps=60,
    )
    f = tv.function([x, d, slope], [t, t.steps], mode=mode)
    direction = np.array([215.6, 88.0])  # against the gradient
    slope_there = -float(direction @ direction)
    assert tuple(map(float, f(START, direction, slope_there))) == armijo(
        START, direction, slope_there
    )


@pytest.mark.parametrize("mode", MODES)
def test_descent_computes_the_gradient_once_in_each_step_and_the_value_once_in_each_trial(
    mode: str,
) -> None:
    x0 = tv.vector("x0")

    def step(state: Any) -> Any:
        x, value, trials = state
        g = tv.grad(valley(x), x)
        t = tv.while_loop(
            lambda t: valley(x - t * g) > value - 1e-4 * t * tv.sum(g * g), lambda t: 0.5 * t, 1.0
        )
        return x - t * g, valley(x - t * g), trials + t.steps

    descent = tv.while_loop(lambda s: s[1] > 1e-2, step, (x0, valley(x0), 0), max_steps=5000)
    f = tv.function([x0], [*descent, descent.steps], mode=mode)
    found, least, n_halvings, n_found = f(START)

    point, n_expected, n_steps = START, 0, 0
    while valley(point) > 1e-2:
        a, b = point
        g = np.array([-400.0 * a * (b - a * a) - 2.0 * (1.0 - a), 200.0 * (b - a * a)])
        t, halved = 1.0, 0
        while valley(point - t * g) > valley(point) - 1e-4 * t * (g @ g):
            t, halved = 0.5 * t, halved + 1
        point, n_expected, n_steps = point - t * g, n_expected + halved, n_steps + 1
    np.testing.assert_allclose(found, point, rtol=1e-9)
    assert least <= 1e-2
    assert (n_halvings, n_found) == (n_expected, n_steps)


@pytest.mark.parametrize("mode", MODES)
def test_newton_takes_the_gradient_where_the_hessian_is_not_positive(mode: str) -> None:
    x0 = tv.vector("x0")

    def step(x: Any) -> Any:
        cost = tv.sum(x**4) / 4.0 - tv.sum(x**2) / 2.0  # flat at 0, minima at 1 and -1
        g, h = tv.grad(cost, x), tv.hessian(cost, x)
        factor = tv.cholesky(h)
        solved = tv.solve_triangular(factor, tv.solve_triangular(factor, g), transposed=True)
        return x - tv.attempt(solved, 0.5 * g, on=np.linalg.LinAlgError)

    x = tv.while_loop(lambda x: tv.max(tv.abs(x**3 - x)) > 1e-12, step, x0, max_steps=50)
    f = tv.function([x0], [x, x.steps, x.finished], mode=mode)
    found, _, finished = f([0.1, -0.2])
    np.testing.assert_allclose(found, [1.0, -1.0], rtol=1e-12)
    assert finished
    assert f([1.1, -1.2])[1] <= 6  # quadratic from there on


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_a_fixed_point_is_that_of_its_equation(mode: str) -> None:
    anomaly, eccentricity = tv.scalar("anomaly"), tv.scalar("eccentricity")
    e = tv.fixed_point(lambda e: anomaly + eccentricity * tv.sin(e), anomaly)
    outputs = [e, *tv.grad(e, [anomaly, eccentricity])]
    found, by_anomaly, by_eccentricity = tv.function([anomaly, eccentricity], outputs, mode=mode)(
        1.0, 0.3
    )
    np.testing.assert_allclose(found - 0.3 * np.sin(found), 1.0, rtol=1e-12)
    np.testing.assert_allclose(by_anomaly, 1.0 / (1.0 - 0.3 * np.cos(found)), rtol=1e-10)
    expected = np.sin(found) / (1.0 - 0.3 * np.cos(found))
    np.testing.assert_allclose(by_eccentricity, expected, rtol=1e-10)


@pytest.mark.parametrize("mode", MODES)
def test_power_iteration_ends_early_where_the_largest_eigenvalue_is_far_from_the_next(
    mode: str,
) -> None:
    a = tv.matrix("a")

    def step(state: Any) -> Any:
        v, _, value = state
        w = a @ v
        return w / tv.norm(w), value, v @ w

    iteration = tv.while_loop(
        lambda s: tv.abs(s[2] - s[1]) > 1e-13 * tv.abs(s[2]),
        step,
        (tv.ones_like(a[0]) / tv.sqrt(a.shape[0]), 0.0, 1.0),
        max_steps=1000,
    )
    value = iteration[2]
    f = tv.function([a], [value, tv.grad(value, a), iteration.steps], mode=mode)
    draw = np.random.default_rng(0).normal(size=(5, 5))
    matrix = draw @ draw.T
    values, vectors = np.linalg.eigh(matrix)
    found, gradient, _ = f(matrix)
    np.testing.assert_allclose(found, values[-1], rtol=1e-9)
    np.testing.assert_allclose(gradient, np.outer(vectors[:, -1], vectors[:, -1]), atol=1e-4)
    far, near = np.diag([10.0, 1.0, 1.0]), np.diag([1.1, 1.0, 1.0])
    assert 10 * f(far)[2] < f(near)[2] < 1000
