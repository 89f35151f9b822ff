"""Jacobians: against finite differences, batched through branches, run once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc"]


def numeric(f: Callable[[Any], Any], at: np.ndarray) -> np.ndarray:
    """Central differences of an array function of one array."""
    columns = []
    for index in np.ndindex(at.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = at.copy()
            moved[index] += step
            ends.append(np.asarray(f(moved)))
        columns.append((ends[0] - ends[1]) / 2e-6)
    stacked = np.stack(columns, axis=-1)
    return stacked.reshape((*stacked.shape[:-1], *at.shape))


V = np.array([0.3, 0.7, 1.4])
M = np.array([[0.5, -1.2, 0.8], [1.5, 0.4, -0.6]])
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])

EXPRESSIONS: dict[str, tuple[Callable[[tv.Variable], tv.Variable], np.ndarray]] = {
    "elementwise": (lambda x: tv.exp(x) * tv.sin(x), V),
    "matrix elementwise": (lambda x: x**2 + 1.0, M),
    "scalar": (lambda x: x**3, np.array(2.0)),
    "scalar of a vector": (lambda x: tv.sum(x * x), V),
    "broadcasting": (lambda x: x[:, None] * x[None, :], V),
    "broadcast scalar": (lambda x: x[0] * tv.constant([1.0, 2.0]), V),
    "division": (lambda x: x / x[0], V),
    "sum": (lambda x: tv.sum(x * x, axis=0), M),
    "mean keepdims": (lambda x: tv.mean(x, axis=1, keepdims=True) * x, M),
    "max": (lambda x: tv.max(x * x, axis=1), M),
    "prod": (lambda x: tv.prod(x, axis=1), M),
    "cumsum": (lambda x: tv.cumsum(x * x), V),
    "cumprod": (lambda x: tv.cumprod(x * x), V),
    "reshape": (lambda x: (x * x).reshape(3, 2), M),
    "transpose": (lambda x: (x * x).T, M),
    "index": (lambda x: x[1] * x[0, 0], M),
    "slices": (lambda x: x[:, 1:] * x[:, :1], M),
    "set": (lambda x: x[0].set(x[1] ** 2), M),
    "inc": (lambda x: x[:, 0].inc(x[0, 0] ** 2), M),
    "take": (lambda x: (x * x)[[2, 0, 2]], V),
    "concatenate": (lambda x: tv.concatenate([x, x[:1] ** 2]), V),
    "stack": (lambda x: tv.stack([x, x * x], axis=1), V),
    "where": (lambda x: tv.where(x > 0.5, x * x, -x), V),
    "clip": (lambda x: tv.clip(x * x, 0.2, 1.0), V),
    "dot": (lambda x: tv.dot(x, tv.constant(V)), M),
    "matmul": (lambda x: x @ x.T, M),
    "solve": (lambda x: tv.solve(tv.constant(S), x * x), V),
    "solve of the matrix": (lambda x: tv.solve(x, tv.constant(V)), S),
    "cholesky": (lambda x: tv.cholesky(x @ x.T + tv.eye(3)), S),
    "inv": (tv.inv, S),
    "ifelse": (lambda x: tv.ifelse(x[0] > 0, x * x, tv.exp(x)), V),
    "ifelse inside": (lambda x: x * tv.ifelse(tv.sum(x) > 0, x[0], tv.exp(x[1])), V),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_jacobian_against_finite_differences(name: str, mode: str) -> None:
    build, at = EXPRESSIONS[name]
    x = tv.tensor("x", shape=(None,) * at.ndim)
    out = build(x)
    result = tv.function([x], tv.jacobian(out, x), mode=mode)(at)
    expected = numeric(tv.function([x], out, mode=mode), at)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_the_untaken_branch_of_a_jacobian_never_runs(mode: str, counting: Any) -> None:
    derivative = counting(lambda v: 2 * v)
    op = counting(derivative=derivative)
    c, x = tv.scalar("c"), tv.vector("x")
    f = tv.function([c, x], tv.jacobian(tv.ifelse(c, op(x), 3.0 * x), x), mode=mode)
    assert f(0.0, [1.0, 2.0]).tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert (op.runs, derivative.runs) == (0, 0)
    assert f(1.0, [1.0, 2.0]).tolist() == [[2.0, 0.0], [0.0, 4.0]]


@pytest.mark.parametrize("mode", MODES)
def test_an_arm_without_a_derivative_asks_the_others_for_nothing(mode: str, counting: Any) -> None:
    derivative = counting(lambda v: 2 * v)
    op = counting(derivative=derivative)
    c, x, y = tv.scalar("c"), tv.vector("x"), tv.vector("y")
    f = tv.function([c, x, y], tv.jacobian(tv.ifelse(c, op(x), y), x), mode=mode)
    assert f(0.0, [1.0, 2.0], [3.0, 4.0]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert (op.runs, derivative.runs) == (0, 0)
    assert f(1.0, [1.0, 2.0], [3.0, 4.0]).tolist() == [[2.0, 0.0], [0.0, 4.0]]


@pytest.mark.parametrize("mode", MODES)
def test_rows_of_a_switch_come_from_the_taken_case_alone(mode: str, counting: Any) -> None:
    derivatives = [counting(lambda v: 2 * v) for _ in range(3)]
    ops = [counting(derivative=derivative) for derivative in derivatives]
    i, x, y = tv.scalar("i", dtype="int64"), tv.vector("x"), tv.vector("y")
    cases = [ops[0](x), y, ops[1](y), ops[2](x)]
    f = tv.function([i, x, y], tv.jacobian(tv.switch_case(i, cases), x), mode=mode)
    for case, expected in enumerate([[2.0, 4.0], [0.0, 0.0], [0.0, 0.0], [2.0, 4.0]]):
        assert f(case, [1.0, 2.0], [1.0, 2.0]).tolist() == np.diag(expected).tolist()
    assert [op.runs for op in derivatives] == [1, 0, 1]


@pytest.mark.parametrize("mode", MODES)
def test_the_untaken_branch_of_a_hessian_raises_nothing(mode: str) -> None:
    x = tv.vector("x")
    cost = tv.ifelse(x.shape[0] > 1, x[1] ** 2, x.sum())
    f = tv.function([x], tv.hessian(cost, x), mode=mode)
    assert f([3.0]).tolist() == [[0.0]]
    assert f([3.0, 4.0]).tolist() == [[0.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize("mode", MODES)
def test_a_jacobian_in_an_arm_runs_only_there(mode: str, counting: Any) -> None:
    derivative = counting(lambda v: 2 * v)
    op = counting(derivative=derivative)
    c, x, old = tv.scalar("c"), tv.vector("x"), tv.matrix("old")
    f = tv.function([c, x, old], tv.ifelse(c, tv.jacobian(op(x), x), old), mode=mode)
    kept = np.ones((2, 2))
    assert f(0.0, [1.0, 2.0], kept).tolist() == kept.tolist()
    assert derivative.runs == 0
    assert f(1.0, [1.0, 2.0], kept).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert derivative.runs == 1


def test_a_list_of_variables_gives_a_list() -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    jacobians = tv.jacobian(x * y, [x, y])
    of_x, of_y = tv.function([x, y], jacobians)([1.0, 2.0], 3.0)
    assert of_x.tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert of_y.tolist() == [1.0, 2.0]


def test_a_disconnected_variable_is_an_error_or_zeros() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    with pytest.raises(tv.DisconnectedInputError, match=r"\[jacobian\] .* does not depend"):
        tv.jacobian(x * x, y)
    zeros = tv.jacobian(x * x, y, disconnected_inputs="ignore")
    assert tv.function([x, y], zeros)([1.0, 2.0, 3.0], [1.0]).shape == (3, 1)


def test_hessian() -> None:
    x = tv.vector("x")
    rosenbrock = tv.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
    result = tv.function([x], tv.hessian(rosenbrock, x))([1.0, 1.0])
    np.testing.assert_allclose(result, [[802.0, -400.0], [-400.0, 200.0]])
    # A gradient that does not depend on x has a second derivative of zero.
    assert tv.function([x], tv.hessian(tv.sum(x), x))([1.0, 2.0]).tolist() == [
        [0.0, 0.0],
        [0.0, 0.0],
    ]
