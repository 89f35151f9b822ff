"""Gradients: against finite differences, sound for branches, and lazy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN"]


def finite_differences(
    f: Callable[..., Any], arguments: list[np.ndarray], which: int
) -> np.ndarray:
    """Central differences of a scalar function in one of its arguments."""
    out = np.zeros_like(arguments[which])
    for index in np.ndindex(out.shape):
        step = 1e-6 * max(1.0, abs(arguments[which][index]))
        ends = []
        for sign in (1, -1):
            moved = [a.copy() for a in arguments]
            moved[which][index] += sign * step
            ends.append(float(f(*moved)))
        out[index] = (ends[0] - ends[1]) / (2 * step)
    return out


def check(mode: str, build: Callable[..., tv.Variable], *values: Any, order: int = 1) -> None:
    """Hold the gradient of ``sum(build(...) * weights)`` against finite differences."""
    arrays = [np.array(value, dtype="float64") for value in values]
    inputs = [tv.tensor(f"x{i}", shape=(None,) * a.ndim) for i, a in enumerate(arrays)]
    out = build(*inputs)
    # Weights that differ by element, so that a gradient in the wrong place shows.
    lengths = [out.shape[k] for k in range(out.ndim)]
    weights = tv.cos(tv.arange(out.size, dtype="float64").reshape(lengths))
    cost = tv.sum(out * weights)
    for _ in range(order - 1):
        gradients = tv.grad(cost, inputs, disconnected_inputs="ignore")
        cost = sum((tv.sin(g + 1.0).sum() for g in gradients[1:]), tv.sin(gradients[0] + 1.0).sum())
    value = tv.function(inputs, cost, mode=mode, on_unused_input="ignore")
    gradients = tv.function(
        inputs, tv.grad(cost, inputs, "ignore"), mode=mode, on_unused_input="ignore"
    )(*arrays)
    for which, gradient in enumerate(gradients):
        assert gradient.shape == arrays[which].shape
        expected = finite_differences(value, arrays, which)
        np.testing.assert_allclose(gradient, expected, rtol=2e-5, atol=2e-6)


V = [0.3, 0.7, 1.4]
W = [[0.5, -1.2, 0.8], [1.5, 0.4, -0.6]]
S = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]
UNARY = ["abs", "arcsinh", "arctan", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1",
         "gammaln", "log", "log10", "log1p", "log2", "neg", "reciprocal", "sigmoid", "sin", "sinh",
         "softplus", "sqrt", "square", "tan", "tanh"]  # fmt: skip

EXPRESSIONS: dict[str, tuple[Callable[..., tv.Variable], list[Any]]] = {
    **{name: (getattr(tv, name), [V]) for name in UNARY if name != "gammaln"},
    **{name: (getattr(tv, name), [[-0.5, 0.2, 0.8]]) for name in ("arccos", "arcsin", "arctanh")},
    "arccosh": (tv.arccosh, [[1.5, 2.0]]),
    "add": (lambda x, y: x + y, [V, W]),
    "sub": (lambda x, y: x - y, [V, W]),
    "mul": (lambda x, y: x * y, [V, W]),
    "div": (lambda x, y: x / y, [W, V]),
    "pow": (lambda x, y: x**y, [V, [1.5, -0.5, 2.0]]),
    "mod": (lambda x, y: x % y, [[5.3, 7.1], [2.0, 3.0]]),
    "arctan2": (tv.arctan2, [V, [1.0, -2.0, 0.5]]),
    "hypot": (tv.hypot, [V, [1.0, -2.0, 0.5]]),
    "maximum": (tv.maximum, [V, [1.0, 0.0, 1.0]]),
    "minimum": (tv.minimum, [V, [1.0, 0.0, 1.0]]),
    "logaddexp": (tv.logaddexp, [V, [1.0, 0.0, 1.0]]),
    "where": (lambda x, y: tv.where(x > y, x * x, y * x), [V, [1.0, 0.0, 1.0]]),
    "clip": (lambda x: tv.clip(x, 0.5, 1.0), [V]),
    "broadcast a column": (lambda x, y: x * y, [[[1.0], [2.0]], V]),
    "sum": (lambda x: tv.sum(x, 0), [W]),
    "sum keepdims": (lambda x: tv.sum(x, 1, keepdims=True), [W]),
    "mean": (lambda x: tv.mean(x, 1), [W]),
    "prod": (lambda x: tv.prod(x, 1), [W]),
    "prod of all": (tv.prod, [W]),
    "max": (lambda x: tv.max(x, 0), [W]),
    "min": (lambda x: tv.min(x, 1), [W]),
    "var": (lambda x: tv.var(x, 1, ddof=1), [W]),
    "std": (lambda x: tv.std(x, 0), [W]),
    "cumsum": (lambda x: tv.cumsum(x, 1), [W]),
    "cumprod": (lambda x: tv.cumprod(x, 1), [W]),
    "recurrence": (lambda a, b: tv.ops.recurrence(a, b, axis=1), [W, W]),
    "logsumexp": (lambda x: tv.logsumexp(x, 1), [W]),
    "norm": (tv.norm, [V]),
    "reshape": (lambda x: x.reshape(3, 2) ** 2, [W]),
    "transpose": (lambda x: x.T**2, [W]),
    "concatenate": (lambda x, y: tv.concatenate([x, y, x]), [V, [2.0]]),
    "stack": (lambda x: tv.stack([x, x * x], axis=1), [V]),
    "broadcast_to": (lambda x: tv.broadcast_to(x, (4, 3)), [V]),
    "expand_dims": (lambda x: tv.expand_dims(x, 1) * x, [V]),
    "squeeze": (lambda x: tv.squeeze(x, 0), [[V]]),
    "index": (lambda x: x[1] * x[::-1, 0], [S]),
    "slice": (lambda x: x[:, 1:] * x[:, :-1], [W]),
    "set": (lambda x, y: x[0].set(y), [W, V]),
    "inc": (lambda x, y: x[:, 1].inc(y), [W, [1.0, 2.0]]),
    "take": (lambda x: x[[2, 0, 2]], [V]),
    "take along an axis": (lambda x: tv.take(x, tv.constant([1, 1, 0]), axis=1), [W]),
    "dot": (tv.dot, [W, V]),
    "vector dot matrix": (lambda x, y: tv.dot(y, x.T), [W, V]),
    "matmul": (lambda x, y: x @ y.T, [W, W]),
    "batched matmul": (tv.matmul, [[W, W], np.transpose(W).tolist()]),
    "outer": (tv.outer, [V, [1.0, 2.0]]),
    "tensordot": (lambda x, y: tv.tensordot(x, y, 1), [W, S]),
    "trace": (tv.trace, [S]),
    "diag": (lambda x: tv.diag(x, 1), [V]),
    "solve": (tv.solve, [S, V]),
    "solve for a matrix": (tv.solve, [S, np.transpose(W).tolist()]),
    "cholesky": (lambda x: tv.cholesky(x @ x.T + tv.eye(3)), [S]),
    "inv": (tv.inv, [S]),
    "linspace": (lambda x: tv.linspace(x[0], x[1], 5), [V]),
    "full": (lambda x: tv.full((2, 2), x[0]) * x[1], [V]),
    "astype": (lambda x: x.astype("float64") * 2, [V]),
    "ifelse": (lambda x: tv.ifelse(x[0] > 0, x * x, tv.exp(x)), [V]),
    "switch": (lambda x: tv.switch_case(tv.constant(1), [x, x * x, x**3]), [V]),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_gradient_against_finite_differences(name: str, mode: str) -> None:
    build, values = EXPRESSIONS[name]
    check(mode, build, *values)


@pytest.mark.parametrize("name", [name for name in EXPRESSIONS if name not in ("linspace",)])
def test_second_order_against_finite_differences(name: str) -> None:
    build, values = EXPRESSIONS[name]
    check("cvm", build, *values, order=2)


# ---- at the edges ----


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("build", "at", "expected"),
    [
        (abs, 0.0, 0.0),
        (lambda x: x**2.0, 0.0, 0.0),
        (lambda x: x**1.0, 0.0, 1.0),
        (lambda x: x**0.0, 0.0, 0.0),
        (lambda x: tv.where(x > 0, tv.sqrt(x), 0.0), 4.0, 0.25),
        (lambda x: tv.stop_gradient(x) * x, 3.0, 3.0),
        (lambda x: tv.floor(x) * x, 2.5, 2.0),
        (lambda x: x.astype("int64") * x, 2.5, 2.0),
    ],
)  # fmt: skip
def test_gradient_at_an_edge(build: Any, at: float, expected: float, mode: str) -> None:
    x = tv.scalar("x")
    y = build(x)
    assert tv.function([x], [y, tv.grad(y, x)], mode=mode)(at)[1] == expected


# ---- branches, where other libraries give NaN or run what nobody needs ----


@pytest.mark.parametrize("mode", MODES)
def test_no_nan_from_the_untaken_branch(mode: str) -> None:
    s = tv.scalar("s")
    f = tv.function([s], tv.grad(tv.ifelse(s > 0, tv.sqrt(s), 0 * s), s), mode=mode)
    assert f(-1.0) == 0.0
    assert f(0.0) == 0.0
    assert f(4.0) == 0.25


@pytest.mark.parametrize("mode", MODES)
def test_no_overflow_from_the_untaken_branch(mode: str) -> None:
    s = tv.scalar("s")
    f = tv.function([s], tv.grad(tv.ifelse(s > 0, s + 1, tv.exp(s)), s), mode=mode)
    assert f(1000.0) == 1.0
    assert f(-1.0) == pytest.approx(np.exp(-1.0))


@pytest.mark.parametrize("mode", MODES)
def test_the_untaken_branch_runs_neither_forward_nor_backward(mode: str, counting: Any) -> None:
    derivative = counting(lambda v: 2 * v)
    op = counting(derivative=derivative)
    a, x = tv.scalar("a"), tv.vector("x")
    cost = tv.ifelse(a > 0, tv.sum(op(x) ** 2), tv.sum(x))
    f = tv.function([a, x], tv.grad(cost, x), mode=mode)
    assert f(-1.0, [1.0, 2.0]).tolist() == [1.0, 1.0]
    assert (op.runs, derivative.runs) == (0, 0)
    assert f(1.0, [1.0, 2.0]).tolist() == [4.0, 32.0]
    assert (op.runs, derivative.runs) == (1, 1)


@pytest.mark.parametrize("mode", MODES)
def test_a_node_of_two_branches_has_its_gradient_where_one_is_taken(
    mode: str, counting: Any
) -> None:
    derivative = counting(lambda v: 2 * v)
    op = counting(derivative=derivative)
    a, b, x = tv.scalar("a"), tv.scalar("b"), tv.scalar("x")
    g = op(x)
    cost = tv.ifelse(a, g, x) + tv.ifelse(b, 3.0 * g, x)
    f = tv.function([a, b, x], tv.grad(cost, x), mode=mode)
    assert f(0.0, 0.0, 5.0) == 2.0
    assert (op.runs, derivative.runs) == (0, 0)
    assert f(1.0, 0.0, 5.0) == 11.0
    assert f(0.0, 1.0, 5.0) == 31.0
    assert f(1.0, 1.0, 5.0) == 40.0
    assert derivative.runs == 3


@pytest.mark.parametrize("mode", MODES)
def test_second_order_gradients_are_sound_for_branches(mode: str) -> None:
    s = tv.scalar("s")
    first = tv.grad(tv.ifelse(s > 0, s**1.5, 0 * s), s)
    f = tv.function([s], tv.grad(first, s), mode=mode)
    assert f(-1.0) == 0.0
    assert f(4.0) == pytest.approx(0.375)


@pytest.mark.parametrize("mode", MODES)
def test_shapes_of_the_untaken_branch_are_not_asked_for(mode: str, counting: Any) -> None:
    op = counting()
    c, x, y = tv.scalar("c"), tv.vector("x"), tv.vector("y")
    cost = tv.ifelse(c, x.sum(), op(y).sum())
    f = tv.function([c, x, y], [cost, tv.grad(cost, y)], mode=mode)
    assert f(1.0, [1.0], [1.0, 2.0])[1].tolist() == [0.0, 0.0]
    assert op.runs == 0
    assert f(0.0, [1.0], [1.0, 2.0])[1].tolist() == [2.0, 4.0]


@pytest.mark.parametrize("mode", MODES)
def test_an_error_of_the_untaken_branch_does_not_happen(mode: str) -> None:
    c, a, b = tv.scalar("c"), tv.matrix("a"), tv.vector("b")
    cost = tv.ifelse(c, tv.solve(a, b).sum(), b.sum())
    f = tv.function([c, a, b], tv.grad(cost, b), mode=mode)
    assert f(0.0, np.zeros((2, 2)), [1.0, 2.0]).tolist() == [1.0, 1.0]
    with pytest.raises(np.linalg.LinAlgError):
        f(1.0, np.zeros((2, 2)), [1.0, 2.0])


@pytest.mark.parametrize("mode", MODES)
def test_gradient_through_a_chain_of_conditionals(mode: str) -> None:
    x = tv.scalar("x")
    y = x
    for _ in range(8):
        y = tv.ifelse(y > 0.5, tv.cos(y), tv.exp(y))
    f = tv.function([x], [y, tv.grad(y, x)], mode=mode)
    for at in (0.3, 0.6, -1.0):
        value, gradient = f(at)
        near = [f(at + step)[0] for step in (1e-6, -1e-6)]
        assert np.isfinite(value)
        assert gradient == pytest.approx((near[0] - near[1]) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("mode", ["py", "cvm", "FAST_RUN"])
def test_the_gradient_of_std_of_equal_values_is_zero(mode: str) -> None:
    m = tv.matrix("m")
    slope = tv.function([m], tv.grad(tv.std(m, axis=1).sum(), m), mode=mode)
    np.testing.assert_array_equal(slope([[2.0, 2.0], [1.0, 3.0]]), [[0.0, 0.0], [-0.5, 0.5]])
    assert np.isnan(slope([[1.0, np.nan]])).all()
