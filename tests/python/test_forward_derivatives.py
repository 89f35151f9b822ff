"""Forward derivatives: which of their nodes run, what loops keep, and rules of users' Ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]


@pytest.fixture
def slope(counting: Any) -> Any:
    return counting(np.cos)


@pytest.fixture
def sine(counting: Any, slope: Any) -> Any:
    return counting(np.sin, lambda x: slope(x))


@pytest.mark.parametrize("mode", MODES)
def test_tangent_of_what_one_arm_alone_changes_is_computed_in_that_arm_alone(
    mode: str, sine: Any, slope: Any
) -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    y = sine(tv.ifelse(c > 0, x * x, 3.0))
    f = tv.function([c, x], tv.jvp(y, x, 1.0), mode=mode)
    assert f(-1.0, 0.5) == 0.0
    assert (sine.runs, slope.runs) == (0, 0)
    assert f(1.0, 0.5) == pytest.approx(np.cos(0.25))
    assert (sine.runs, slope.runs) == (0, 1)


@pytest.mark.parametrize("mode", MODES)
def test_tangent_that_is_certain_is_computed_beside_one_of_an_arm(
    mode: str, sine: Any, slope: Any
) -> None:
    c, x, z = tv.scalar("c"), tv.scalar("x"), tv.scalar("z")
    y = tv.ifelse(c > 0, sine(x), 3.0) * z
    f = tv.function([c, x, z], tv.jvp(y, [x, z], [1.0, 1.0]), mode=mode)
    assert f(-1.0, 0.5, 2.0) == 3.0
    assert (sine.runs, slope.runs) == (0, 0)
    assert f(1.0, 0.5, 2.0) == pytest.approx(2.0 * np.cos(0.5) + np.sin(0.5))
    assert (sine.runs, slope.runs) == (1, 1)


@pytest.mark.parametrize("mode", MODES)
def test_tangent_of_an_attempt_is_that_of_the_value_that_it_gave(mode: str) -> None:
    x, v = tv.matrix("x"), tv.matrix("v")
    y = tv.attempt(tv.cholesky(x), x * x)
    f = tv.function([x, v], tv.jvp(y, x, v), mode=mode)
    definite, not_definite = np.diag([4.0, 9.0]), np.diag([-1.0, 2.0])
    np.testing.assert_allclose(f(definite, np.eye(2)), np.diag([1 / 4, 1 / 6]))
    np.testing.assert_allclose(f(not_definite, np.eye(2)), 2 * not_definite)


@pytest.mark.parametrize("mode", MODES)
def test_tangent_in_a_loop_is_that_of_the_arms_that_its_steps_take(
    mode: str, sine: Any, slope: Any
) -> None:
    x = tv.scalar("x")
    last = tv.fori_loop(0, 6, lambda i, z: tv.ifelse(i < 2, sine(z), z * x), x)
    f = tv.function([x], tv.jvp(last, x, 1.0), mode=mode)
    twice = np.sin(np.sin(0.5))
    expected = np.cos(np.sin(0.5)) * np.cos(0.5) * 0.5**4 + twice * 4 * 0.5**3
    assert f(0.5) == pytest.approx(expected)
    assert (sine.runs, slope.runs) == (2, 2)


def peak_bytes(steps: int, derivative: Any) -> float:
    m, n = tv.matrix("m"), tv.lscalar("n")
    last = tv.fori_loop(0, n, lambda i, s: tv.sin(s) + m * 0.001, m)
    f = tv.function([m, n], derivative(tv.sum(last), m), mode="vm")
    f(np.ones((50, 50)), steps)
    with f.profile("memory") as p:
        f(np.ones((50, 50)), steps)
    return max(node.peak_bytes for node in p.functions[0].nodes)


def test_tangent_of_a_loop_keeps_none_of_its_steps() -> None:
    def along(cost: tv.Variable, m: tv.Variable) -> tv.Variable:
        return tv.jvp(cost, m, tv.ones_like(m))

    assert peak_bytes(400, along) == peak_bytes(4, along)
    assert peak_bytes(400, tv.grad) > 10 * peak_bytes(400, along)


def test_tangent_of_a_loop_is_one_loop_of_values_and_tangents() -> None:
    x = tv.vector("x")
    last = tv.fori_loop(0, 4, lambda i, z: tv.sin(z) * x, x)
    nodes = _core.topological_order([tv.jvp(last, x, x)])
    assert [node.op.name for node in nodes].count("fori_loop_tangent") == 1
    assert "fori_loop" not in [node.op.name for node in nodes]


@pytest.mark.parametrize("mode", MODES)
def test_tangents_of_states_that_do_not_change_are_no_states(mode: str) -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    a, b = tv.fori_loop(0, 3, lambda i, s: (s[0] * y, s[1] + 1.0), (x, 0.0))
    tangent = tv.jvp([a, b], y, 1.0, disconnected_outputs="ignore")
    (loop,) = [
        node for node in _core.topological_order(tangent) if node.op.name == "fori_loop_tangent"
    ]
    assert sum(v.dtype == "float64" for v in loop.inputs) == 4  # x, 0, the tangent; y
    assert tv.function([x, y], tangent, mode=mode)(2.0, 3.0) == [2.0 * 3 * 9.0, 0.0]


@pytest.mark.parametrize("mode", MODES)
def test_tangents_of_histories_are_kept_step_by_step(mode: str) -> None:
    x = tv.scalar("x")
    last = tv.while_loop(lambda s: s < 10.0, lambda s: s * x, x, history="all")
    f = tv.function([x], tv.jvp(last.history, x, 1.0), mode=mode)
    np.testing.assert_allclose(f(2.0), tv.function([x], tv.jacobian(last.history, x))(2.0))


@pytest.mark.parametrize("mode", MODES)
def test_tangent_of_loops_in_loops(mode: str) -> None:
    x = tv.scalar("x")

    def step(i: tv.Variable, z: tv.Variable) -> tv.Variable:
        return tv.fori_loop(0, i + 1, lambda j, t: tv.sin(t) * x, z)

    y = tv.fori_loop(0, 3, step, x)
    f = tv.function([x], [tv.jvp(y, x, 1.0), tv.grad(y, x)], mode=mode)
    forward, backward = f(1.2)
    assert forward == pytest.approx(backward, rel=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_tangent_of_a_fixed_point_is_that_of_its_equation(mode: str) -> None:
    a = tv.vector("a")
    z = tv.fixed_point(lambda z: 0.5 * tv.cos(z) + a, tv.zeros_like(a))
    f = tv.function([a], [tv.jvp(z, a, [1.0, 2.0]), z], mode=mode)
    tangent, at = f([0.1, 0.2])
    np.testing.assert_allclose(tangent, [1.0, 2.0] / (1 + 0.5 * np.sin(at)), rtol=1e-9)


class Cube(tv.Op):
    """A cube that says how it changes, and has no gradient."""

    __props__ = ()
    itypes = otypes = (tv.dvector,)

    def perform(self, node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] ** 3

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:  # noqa: N802
        return [3.0 * inputs[0] ** 2 * eval_points[0]]


class BadCube(Cube):
    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:  # noqa: N802
        return []


class Sum(tv.Op):
    """A sum of two vectors, of which one may not change."""

    __props__ = ()
    itypes = (tv.dvector, tv.dvector)
    otypes = (tv.dvector,)

    def perform(self, node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] + inputs[1]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:  # noqa: N802
        there = [v for v in eval_points if v is not None]
        return [there[0] if len(there) == 1 else there[0] + there[1]]


def test_rop_of_an_op_of_the_user_is_its_forward_derivative() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.jvp(Cube()(x) * 2.0, x, [1.0, 0.5]))
    assert f([1.0, 2.0]).tolist() == [6.0, 12.0]


def test_rop_gets_none_for_an_input_that_does_not_change() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    tangents = [tv.jvp(Sum()(x, y), x, [1.0]), tv.jvp(Sum()(x, y), [x, y], [[1.0], [2.0]])]
    assert [
        v.tolist() for v in tv.function([x, y], tangents, on_unused_input="ignore")([0], [0])
    ] == [
        [1.0],
        [3.0],
    ]


def test_rop_that_returns_too_few_is_an_error_that_says_so() -> None:
    x = tv.vector("x")
    with pytest.raises(ValueError, match=r"\[BadCube\] R_op returned 0 tangents for 1 outputs"):
        tv.jvp(BadCube()(x), x, [1.0])


def test_an_op_without_rule_and_gradient_is_an_error_that_names_it() -> None:
    x = tv.matrix("x")
    with pytest.raises(NotImplementedError, match=r"\[complete_qr\] has no gradient"):
        tv.jvp(tv.ops.complete_qr(x)[1], x, np.eye(2))


def test_forward_over_reverse_is_the_hessian_of_a_loop() -> None:
    x = tv.tensor("x", shape=(3,))
    cost = tv.sum(tv.fori_loop(0, 4, lambda i, z: tv.sin(z) * x, x) ** 2)
    twice = tv.jacobian(tv.grad(cost, x), x, mode="reverse")
    f = tv.function([x], [tv.hessian(cost, x), twice, tv.hvp(cost, x, [1.0, 2.0, 3.0])])
    forward, backward, product = f([0.3, 0.7, 1.4])
    np.testing.assert_allclose(forward, backward, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(product, backward @ [1.0, 2.0, 3.0], rtol=1e-10)


@pytest.mark.parametrize("wrt", [[], {}])
def test_no_variables_change_nothing(wrt: Any) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.jvp(x * x, wrt, wrt))
    assert f([1.0, 2.0]).tolist() == [0.0, 0.0]


def test_variables_computed_from_each_other_change_together() -> None:
    x = tv.scalar("x")
    y = x * x
    f = tv.function([x], tv.jvp(y * 10.0, {"x": x, "y": y}, {"x": 1.0, "y": 5.0}))
    assert f(3.0) == 10.0 * (2 * 3.0 + 5.0)


def test_tangent_of_what_a_selection_did_not_take_is_zero() -> None:
    x = tv.vector("x")
    logs = tv.where(x > 0, tv.log(x), 0.0)
    roots = tv.sqrt(tv.where(x > 0, x, 0.0))
    tangents = tv.jvp([logs, roots, tv.sqrt(x)[1:]], x, [1.0, 1.0])
    logs, roots, rest = tv.function([x], tangents)([0.0, 4.0])
    assert (logs.tolist(), roots.tolist(), rest.tolist()) == ([0.0, 0.25], [0.0, 0.25], [0.25])


def test_tangent_of_constants_beside_what_changes_is_zero() -> None:
    x = tv.vector("x")
    joined = tv.sqrt(tv.concatenate([np.zeros(2), x]))
    written = tv.sqrt(tv.zeros(3)[1:].set(x))
    f = tv.function([x], tv.jvp([joined, written], x, [1.0, 1.0]))
    joined, written = f([4.0, 1.0])
    assert joined.tolist() == [0.0, 0.0, 0.25, 0.5]
    assert written.tolist() == [0.0, 0.25, 0.5]
