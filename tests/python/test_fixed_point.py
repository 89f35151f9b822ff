"""Fixed points, and their gradients by the equation that they solve."""

from __future__ import annotations

import numpy as np
import pytest

import thunkvm as tv

a = tv.scalar("a")
v = tv.vector("v")
M = tv.matrix("M")


@pytest.mark.parametrize("mode", ["py", "FAST_COMPILE", "c"])
def test_fixed_point_solves_the_equation_in_every_mode(mode: str) -> None:
    root = tv.fixed_point(lambda x: (x + a / x) / 2, 1.0)
    f = tv.function([a], [root, root.finished, tv.grad(root, a)], mode=mode)
    np.testing.assert_allclose(f(16.0), [4.0, True, 0.125], rtol=1e-12)


def test_fixed_point_ends_after_max_steps_and_says_so() -> None:
    x = tv.fixed_point(lambda x: 2 * x, a, max_steps=5)
    assert tv.function([a], [x, x.steps, x.finished])(1.0) == [32.0, 5, False]


def test_fixed_point_of_a_vector_has_the_gradient_of_the_linear_system() -> None:
    x = tv.fixed_point(lambda x: M @ x + v, tv.zeros(2))
    f = tv.function([M, v], [x, tv.grad(x.sum(), v), tv.grad(x.sum(), M)])
    matrix, given = np.array([[0.2, 0.1], [0.0, 0.5]]), np.array([1.0, 2.0])
    inverse = np.linalg.inv(np.eye(2) - matrix)
    solution, of_v, of_matrix = f(matrix, given)
    np.testing.assert_allclose(solution, inverse @ given, rtol=1e-10)
    np.testing.assert_allclose(of_v, inverse.sum(axis=0), rtol=1e-10)
    np.testing.assert_allclose(of_matrix, np.outer(inverse.sum(axis=0), solution), rtol=1e-10)


def test_fixed_point_has_second_derivatives() -> None:
    root = tv.fixed_point(lambda x: (x + a / x) / 2, 1.0)
    second = tv.grad(tv.grad(root, a), a)
    assert tv.function([a], second)(16.0) == pytest.approx(-0.25 * 16.0**-1.5)


def test_fixed_point_that_is_not_implicit_has_the_gradient_of_its_steps() -> None:
    by_steps = tv.fixed_point(lambda x: (x + a / x) / 2, a, implicit=False)
    assert tv.function([a], tv.grad(by_steps, a))(16.0) == pytest.approx(0.125)


def test_fixed_point_has_no_gradient_by_where_it_begins() -> None:
    root = tv.fixed_point(lambda x: tv.cos(x), a)
    f = tv.function([a], [root, tv.grad(root + a, a)])
    np.testing.assert_allclose(f(0.3), [0.7390851332151607, 1.0], rtol=1e-10)


def test_fixed_point_refuses_integers() -> None:
    with pytest.raises(TypeError, match="a tensor of floats"):
        tv.fixed_point(lambda x: x // 2, 3)
