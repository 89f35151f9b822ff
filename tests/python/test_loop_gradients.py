"""Gradients through loops, of any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

x = tv.scalar("x")
n = tv.lscalar("n")
v = tv.vector("v")


def unrolled(body: Any, steps: int, state: Any) -> Any:
    """Return what a fori_loop does, as a graph without a loop."""
    for i in range(steps):
        state = body(tv.constant(np.int64(i)), state)
    return state


BODIES = {
    "straight": lambda i, s: tv.sin(s) * x + s,
    "arms": lambda i, s: tv.ifelse(tv.eq(i % 2, 0), s * tv.exp(-x), s + x * x),
    "arm by the state": lambda i, s: tv.ifelse(s > 1.0, tv.sqrt(s) * x, s * s + x),
    "passed on": lambda i, s: tv.ifelse(i > 2, s, s * x),
    "by the step": lambda i, s: s * x + i,
    "two uses": lambda i, s: s * s * 0.1 + s * x,
}


@pytest.mark.parametrize("steps", [0, 1, 5])
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("mode", ["py", "FAST_COMPILE", "c"])
def test_grad_through_a_loop_is_that_of_its_steps_one_by_one(
    mode: str, name: str, steps: int
) -> None:
    body = BODIES[name]
    loop, steps_by_step = tv.fori_loop(0, n, body, x), unrolled(body, steps, x)
    f = tv.function([x, n], [loop, tv.grad(loop, x)], mode=mode)
    g = tv.function([x], [steps_by_step, tv.grad(steps_by_step, x)])
    np.testing.assert_allclose(f(0.7, steps), g(0.7), rtol=1e-12)


@pytest.mark.parametrize("name", BODIES)
def test_grad_of_grad_through_a_loop_is_that_of_its_steps(name: str) -> None:
    body = BODIES[name]
    second = [
        tv.grad(tv.grad(cost, x), x) for cost in (tv.fori_loop(0, 4, body, x), unrolled(body, 4, x))
    ]
    f = tv.function([x], second)
    loop, steps = f(0.7)
    np.testing.assert_allclose(loop, steps, rtol=1e-10)


def test_grad_of_a_while_loop_goes_back_over_the_steps_that_ran() -> None:
    last = tv.while_loop(lambda s: s < 100.0, lambda s: s * x, x)
    f = tv.function([x], tv.grad(last, x))
    assert f(3.0) == pytest.approx(5 * 3.0**4)
    assert f(200.0) == 1.0


def test_grad_does_not_run_what_an_arm_that_was_not_taken_would_have_added() -> None:
    last = tv.fori_loop(0, 3, lambda i, s: tv.ifelse(s > 0, s * x, tv.sqrt(s)), x)
    assert tv.function([x], tv.grad(last, x))(2.0) == pytest.approx(32.0)


def test_grad_through_integers_is_that_of_the_floats_alone() -> None:
    _, total = tv.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] * x), (0, x))
    assert tv.function([x], tv.grad(total, x))(2.0) == pytest.approx(5 * 2.0**4)


def test_hessian_through_a_loop_is_that_of_its_steps() -> None:
    def body(i: Any, s: Any) -> Any:
        return tv.tanh(s * v) + v[i]

    given = np.array([0.3, 0.4, 0.5])
    costs = [tv.fori_loop(0, 3, body, v).sum(), unrolled(body, 3, v).sum()]
    loop, steps = tv.function([v], [tv.hessian(cost, v) for cost in costs])(given)
    np.testing.assert_allclose(loop, steps, rtol=1e-10)


def test_jacobian_through_a_loop_that_each_row_runs_as_often() -> None:
    loop = tv.fori_loop(0, 3, lambda i, s: tv.tanh(s * v) + v[i], v)
    steps = unrolled(lambda i, s: tv.tanh(s * v) + v[i], 3, v)
    by_loop, by_steps = tv.function([v], [tv.jacobian(loop, v), tv.jacobian(steps, v)])(
        [0.3, 0.4, 0.5]
    )
    np.testing.assert_allclose(by_loop, by_steps, rtol=1e-12)


def test_grad_through_a_loop_in_a_step_of_a_loop() -> None:
    def body(i: Any, s: Any) -> Any:
        return s + tv.fori_loop(0, i, lambda j, t: t * x, s) * 0.1

    plain = x
    for i in range(4):
        inner = plain
        for _ in range(i):
            inner = inner * x
        plain = plain + inner * 0.1
    loop = tv.fori_loop(0, 4, body, x)
    by_loop, by_steps = tv.function([x], [tv.grad(loop, x), tv.grad(plain, x)])(1.1)
    assert by_loop == pytest.approx(by_steps)


def test_grad_of_what_a_loop_keeps_of_all_steps() -> None:
    last = tv.while_loop(lambda s: s < 10.0, lambda s: s * x, x, history="all")
    # x**2 + x**3 + x**4 at 2
    assert tv.function([x], tv.grad(last.history.sum(), x))(2.0) == pytest.approx(4 + 12 + 32)


def test_verify_grad_of_a_loop() -> None:
    tv.verify_grad(
        lambda a: tv.fori_loop(0, 4, lambda i, s: tv.tanh(s + a * a[i % 2]), a),
        [np.array([0.2, 0.7])],
    )
