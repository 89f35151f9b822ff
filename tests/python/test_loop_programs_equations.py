"""Equations solved by loops: fixed points and the largest eigenvalue, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from loop_programs import MODES, central, runs

import thunkvm as tv


@pytest.mark.parametrize("mode", MODES)
def test_fixed_point_solves_keplers_equation_and_has_its_derivatives(mode: str) -> None:
    mean, eccentricity = tv.scalar("mean"), tv.scalar("eccentricity")
    e = tv.fixed_point(lambda e: mean + eccentricity * tv.sin(e), mean)
    outputs = [e, *tv.grad(e, [mean, eccentricity])]
    f = tv.function([mean, eccentricity], outputs, mode=mode)
    found, by_mean, by_eccentricity = f(1.0, 0.3)
    np.testing.assert_allclose(found - 0.3 * np.sin(found), 1.0, rtol=1e-12)
    np.testing.assert_allclose(by_mean, 1.0 / (1.0 - 0.3 * np.cos(found)), rtol=1e-10)
    expected = np.sin(found) / (1.0 - 0.3 * np.cos(found))
    np.testing.assert_allclose(by_eccentricity, expected, rtol=1e-10)


WEIGHTS = np.random.default_rng(3).normal(size=(4, 4)) * 0.3
PUSH = np.array([0.5, -0.2, 0.1, 1.0])


def at_rest(weights: np.ndarray, push: np.ndarray) -> tuple[np.ndarray, int]:
    """The state in which a network stays, and how many steps lead there."""
    x, steps = np.zeros(4), 0
    while True:
        following = np.tanh(weights @ x + push)
        if np.abs(following - x).max() <= 1e-12 * max(np.abs(x).max(), 1.0):
            return x, steps
        x, steps = following, steps + 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("implicit", [True, False])
def test_fixed_point_of_a_network_has_the_gradient_of_central_differences(
    mode: str, implicit: bool
) -> None:
    weights, push = tv.matrix("weights"), tv.vector("push")
    step = lambda x: tv.tanh(weights @ x + push)  # noqa: E731
    x = tv.fixed_point(step, np.zeros(4), implicit=implicit)
    cost = tv.sum(x**2)
    f = tv.function([weights, push], [x, x.steps, *tv.grad(cost, [weights, push])], mode=mode)
    found, steps, by_weights, by_push = f(WEIGHTS, PUSH)
    expected, n_steps = at_rest(WEIGHTS, PUSH)
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    assert steps == n_steps
    by = central(lambda w: float((at_rest(w, PUSH)[0] ** 2).sum()), WEIGHTS)
    np.testing.assert_allclose(by_weights, by, rtol=1e-6, atol=1e-8)
    by = central(lambda p: float((at_rest(WEIGHTS, p)[0] ** 2).sum()), PUSH)
    np.testing.assert_allclose(by_push, by, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
def test_fixed_point_differentiates_its_step_at_the_solution_alone(
    mode: str, counting: Any
) -> None:
    push = tv.vector("push")

    def differentiated(implicit: bool) -> tuple[int, int]:
        slope = counting(lambda x: 1.0 - np.tanh(x) ** 2)
        cell = counting(np.tanh, slope)
        x = tv.fixed_point(lambda x: cell(WEIGHTS @ x + push), np.zeros(4), implicit=implicit)
        f = tv.function([push], [x.steps, tv.grad(tv.sum(x), push)], mode=mode)
        return int(f(PUSH)[0]), slope.runs

    steps, at_the_solution = differentiated(implicit=True)
    assert at_the_solution <= 2 < steps
    assert differentiated(implicit=False) == (steps, steps)


@pytest.mark.parametrize("mode", MODES)
def test_fixed_point_whose_gradient_is_not_asked_for_differentiates_nothing(
    mode: str, counting: Any
) -> None:
    push, flag = tv.vector("push"), tv.scalar("flag")
    slope = counting(lambda x: 1.0 - np.tanh(x) ** 2)
    cell = counting(np.tanh, slope)
    x = tv.fixed_point(lambda x: cell(WEIGHTS @ x + push), np.zeros(4))
    f = tv.function(
        [push, flag], tv.ifelse(flag > 0, tv.grad(tv.sum(x), push), push * 0.0), mode=mode
    )
    assert f(PUSH, -1.0).tolist() == [0.0] * 4
    assert (cell.runs, slope.runs) == (0, 0)
    assert (f(PUSH, 1.0) != 0.0).all()


def power(a: Any) -> Any:
    """Power iteration: the vector, the value before, and the value."""

    def step(state: Any) -> Any:
        v, _, value = state
        w = a @ v
        return w / tv.norm(w), value, v @ w

    begin = (tv.ones_like(a[0]) / tv.sqrt(a.shape[0]), 0.0, 1.0)
    more = lambda s: tv.abs(s[2] - s[1]) > 1e-13 * tv.abs(s[2])  # noqa: E731
    return tv.while_loop(more, step, begin, max_steps=1000)


def power_in_python(a: np.ndarray) -> tuple[float, int]:
    v, before, value, steps = np.ones(len(a)) / np.sqrt(len(a)), 0.0, 1.0, 0
    while abs(value - before) > 1e-13 * abs(value) and steps < 1000:
        w = a @ v
        v, before, value, steps = w / np.linalg.norm(w), value, float(v @ w), steps + 1
    return value, steps


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("diagonal", "most"), [([10.0, 1.0, 1.0], 12), ([1.1, 1.0, 1.0], 200)])
def test_power_iteration_multiplies_once_in_each_step_that_it_needs(
    mode: str, diagonal: list[float], most: int
) -> None:
    a = tv.matrix("a")
    found = power(a)
    f = tv.function([a], [found[2], found.steps, found.finished], mode=mode)
    value, steps, finished = f(np.diag(diagonal))
    expected, n_steps = power_in_python(np.diag(diagonal))
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(value, diagonal[0], rtol=1e-9)
    assert abs(steps - n_steps) <= 1  # sums in another order may end it a step apart
    assert steps <= most
    assert finished
    assert runs(f, "matmul") == 2 * steps  # by the matrix, and for the value


@pytest.mark.parametrize("mode", MODES)
def test_power_iteration_has_the_gradient_of_an_eigenvalue(mode: str) -> None:
    a = tv.matrix("a")
    found = power(a)
    f = tv.function([a], [found[2], tv.grad(found[2], a)], mode=mode)
    draw = np.random.default_rng(0).normal(size=(5, 5))
    matrix = draw @ draw.T
    values, vectors = np.linalg.eigh(matrix)
    value, gradient = f(matrix)
    np.testing.assert_allclose(value, values[-1], rtol=1e-9)
    np.testing.assert_allclose(gradient, np.outer(vectors[:, -1], vectors[:, -1]), atol=1e-4)
