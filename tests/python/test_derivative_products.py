"""`jvp`, `vjp` and `hvp`: against differences and against each other, in arms and in loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]
V = np.array([0.3, 0.7, 1.4])
TANGENT = np.array([1.0, -2.0, 0.5])
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])


def recurrence(x: tv.Variable) -> tv.Variable:
    return tv.scan(lambda xi, c: tv.tanh(c * 0.5 + xi), [x], [x[0] * 2.0])


def root(x: tv.Variable) -> tv.Variable:
    """Newton's method, as many steps as it takes."""
    return tv.while_loop(
        lambda z: tv.abs(tv.sum(z * z - x)) > 1e-12, lambda z: 0.5 * (z + x / z), x
    )


EXPRESSIONS: dict[str, Callable[[tv.Variable], tv.Variable]] = {
    "elementwise": lambda x: tv.exp(x) * tv.sin(x),
    "broadcasting": lambda x: x[:, None] * x[None, :],
    "a scalar": lambda x: tv.sum(x**3),
    "matrices": lambda x: tv.solve(tv.constant(S) * x, x[::-1]),
    "indices": lambda x: (x * x)[[2, 0, 2]],
    "a part replaced": lambda x: x[:2].set(x[1:] ** 2),
    "concatenate": lambda x: tv.concatenate([x, x[:1] ** 2]),
    "max": lambda x: tv.max(x * x, keepdims=True) * x,
    "cumprod": lambda x: tv.cumprod(x),
    "floor": lambda x: tv.floor(x) * x,
    "ifelse": lambda x: tv.ifelse(x[0] > 0, x * x, tv.exp(x)),
    "ifelse, the other arm": lambda x: tv.ifelse(x[0] > 1, x * x, tv.exp(x)),
    "switch_case": lambda x: tv.switch_case(2, [x, x * x, x**3]),
    "where": lambda x: tv.where(x > 0.5, x * x, tv.exp(-x)),
    "while_loop": root,
    "fori_loop": lambda x: tv.fori_loop(0, 4, lambda i, z: tv.sin(z) * x + z, x),
    "scan": recurrence,
    "scan_carry": lambda x: tv.scan_carry(lambda c, xi: (tv.sin(c) * xi, c * xi), x[0], x)[1],
    "attempt": lambda x: tv.attempt(tv.cholesky(tv.diag(x)), tv.diag(x)) @ x,
    "attempt, otherwise": lambda x: tv.attempt(tv.cholesky(tv.diag(x - 1)), tv.diag(x * x)) @ x,
    "a loop in an arm": lambda x: tv.ifelse(x[0] > 0, recurrence(x), x),
    "an arm in a loop": lambda x: tv.fori_loop(
        0, 4, lambda i, z: tv.ifelse(i < 2, tv.sin(z) * x, z * z), x
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_jvp_is_the_difference_along_a_tangent_and_the_transpose_of_vjp(
    name: str, mode: str
) -> None:
    x, v, u = tv.vector("x"), tv.vector("v"), None
    y = EXPRESSIONS[name](x)
    u = tv.tensor("u", shape=[None] * y.ndim)
    value = tv.function([x], y, mode=mode)
    f = tv.function([x, v, u], [tv.jvp(y, x, v), tv.vjp(y, x, u)], mode=mode)
    cotangent = np.cos(1.0 + np.arange(value(V).size)).reshape(value(V).shape)
    forward, backward = f(V, TANGENT, cotangent)
    difference = (value(V + 1e-6 * TANGENT) - value(V - 1e-6 * TANGENT)) / 2e-6
    np.testing.assert_allclose(forward, difference, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(np.sum(cotangent * forward), backward @ TANGENT, rtol=1e-12)


@pytest.mark.parametrize("name", ["elementwise", "ifelse", "scan", "while_loop", "matrices"])
def test_hvp_is_the_hessian_times_the_vector(name: str) -> None:
    x, v = tv.vector("x"), tv.vector("v")
    cost = tv.sum(EXPRESSIONS[name](x) ** 2)
    f = tv.function([x, v], [tv.hvp(cost, x, v), tv.hessian(cost, x) @ v], mode="FAST_COMPILE")
    found, expected = f(V, TANGENT)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_jvp_has_no_other_leaves_than_the_expression_and_the_tangent(name: str) -> None:
    x, v = tv.vector("x"), tv.vector("v")
    tangent = tv.jvp(EXPRESSIONS[name](x), x, v)
    free = [leaf for leaf in _core.leaves([tangent]) if leaf.leaf == "input"]
    assert set(free) <= {x, v}


@pytest.mark.parametrize("mode", MODES)
def test_jvp_of_an_arm_that_is_not_taken_never_runs(counting: Any, mode: str) -> None:
    value = [counting(np.sin, lambda x: slope[0](x)), counting(np.cos, lambda x: slope[1](x))]
    slope = [counting(np.cos, tv.zeros_like), counting(np.sin, tv.zeros_like)]
    c, x, v = tv.scalar("c"), tv.scalar("x"), tv.scalar("v")
    y = tv.ifelse(c > 0, value[0](x), value[1](x))
    f = tv.function([c, x, v], tv.jvp(y, x, v), mode=mode)
    assert f(1.0, 0.5, 2.0) == pytest.approx(2.0 * np.cos(0.5))
    assert [op.runs for op in slope] == [1, 0]
    assert f(-1.0, 0.5, 2.0) == pytest.approx(2.0 * np.sin(0.5))
    assert [op.runs for op in slope] == [1, 1]
    # The value of y, and what the other arm is, are read by no tangent.
    assert [op.runs for op in value] == [0, 0]


def test_jvp_does_not_compute_a_tangent_that_only_an_arm_not_taken_needs(counting: Any) -> None:
    costly = counting(np.sin)
    c, x = tv.scalar("c"), tv.scalar("x")
    y = tv.ifelse(c > 0, x * x, 3.0)
    f = tv.function([c, x], tv.jvp(y, x, costly(x)))
    assert f(-1.0, 0.5) == 0.0
    assert costly.runs == 0
    assert f(1.0, 0.5) == pytest.approx(np.sin(0.5))
    assert costly.runs == 1


def test_vjp_takes_a_cotangent_that_depends_on_the_variable_for_a_constant() -> None:
    x = tv.vector("x")
    f = tv.function([x], [tv.vjp(x * x, x, x), tv.hvp(tv.sum(x**3), x, x)])
    product, change = f(V)
    np.testing.assert_allclose(product, 2 * V * V)
    np.testing.assert_allclose(change, 6 * V * V)


def test_derivatives_of_derivative_products() -> None:
    x, v = tv.scalar("x"), tv.scalar("v")
    along = tv.jvp(x**4, x, v)
    results = [tv.grad(along, x), tv.grad(along, v), tv.jvp(along, x, 1.0)]
    f = tv.function([x, v], results)
    np.testing.assert_allclose(f(2.0, 3.0), [12 * 4 * 3.0, 4 * 8.0, 12 * 4 * 3.0])


@dataclass
class Model:
    weights: Any
    bias: Any


def test_products_take_and_give_structures() -> None:
    w, b = tv.vector("w"), tv.scalar("b")
    model = Model(w, (b,))
    outputs = {"sum": tv.sum(w) * b, "square": [w * w]}
    pulled = tv.vjp(outputs, model, {"sum": 1.0, "square": [np.ones(3)]})
    pushed = tv.jvp(outputs, model, Model(TANGENT, (2.0,)))
    curved = tv.hvp(outputs["sum"], {"w": w, "b": b}, {"w": TANGENT, "b": 0.0})
    f = tv.function([w, b], [pulled, pushed, curved])
    back, forward, change = f(V, 5.0)
    np.testing.assert_allclose(back.weights, 5.0 + 2 * V)
    np.testing.assert_allclose(back.bias[0], V.sum())
    np.testing.assert_allclose(forward["sum"], TANGENT.sum() * 5.0 + V.sum() * 2.0)
    np.testing.assert_allclose(forward["square"][0], 2 * V * TANGENT)
    np.testing.assert_allclose(change["b"], TANGENT.sum())
    np.testing.assert_allclose(change["w"], np.zeros(3))


def test_grad_and_jacobian_take_structures() -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    cost = tv.sum(x * x) * y
    f = tv.function(
        [x, y],
        [tv.grad(cost, {"x": x, "rest": (y,)}), tv.value_and_grad(cost, [x, y])[1],
         tv.jacobian(x * y, {"x": x, "y": y})],
    )  # fmt: skip
    gradient, flat, matrices = f(V, 3.0)
    np.testing.assert_allclose(gradient["x"], 6 * V)
    np.testing.assert_allclose(gradient["rest"][0], V @ V)
    np.testing.assert_allclose(flat[0], 6 * V)
    np.testing.assert_allclose(matrices["x"], 3 * np.eye(3))
    np.testing.assert_allclose(matrices["y"], V)


def test_jvp_of_complex_numbers() -> None:
    z, v = tv.vector("z", dtype="complex128"), tv.vector("v", dtype="complex128")
    f = tv.function([z, v], [tv.jvp(z * z, z, v), tv.jvp(tv.abs(z), z, v)])
    at, along = np.array([1 + 2j, -0.5j]), np.array([0.5 - 1j, 2.0 + 1j])
    square, size = f(at, along)
    np.testing.assert_allclose(square, 2 * at * along)
    np.testing.assert_allclose(size, (np.conj(at) * along).real / np.abs(at))


def test_tangents_become_values_of_the_dtype_of_the_variable() -> None:
    x = tv.vector("x", dtype="float32")
    tangent = tv.jvp(x * x, x, [1, 2])
    assert tangent.dtype == "float32"
    assert tv.function([x], tangent)([3.0, 4.0]).tolist() == [6.0, 16.0]


def test_products_at_arrays_of_nothing() -> None:
    x = tv.vector("x")
    f = tv.function([x], [tv.jvp(x * x, x, x), tv.vjp(x * x, x, x)])
    assert [value.shape for value in f([])] == [(0,), (0,)]


def test_names_of_other_libraries_are_the_same_functions() -> None:
    assert tv.Lop is tv.pullback is tv.vjp
    assert tv.Rop is tv.pushforward is tv.jvp
    x = tv.vector("x")
    f = tv.function([x], [tv.Rop(x * x, x, TANGENT), tv.Lop(x * x, x, TANGENT)])
    for value in f(V):
        np.testing.assert_allclose(value, 2 * V * TANGENT)


@pytest.mark.parametrize("direction", ["auto", "forward", "reverse"])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_jacobian_in_each_direction(name: str, direction: Any) -> None:
    x = tv.tensor("x", shape=(3,))
    y = EXPRESSIONS[name](x)
    rows = [tv.jvp(y, x, tangent) for tangent in np.eye(3)]
    f = tv.function([x], [tv.jacobian(y, x, mode=direction), *rows], mode="FAST_COMPILE")
    matrix, *columns = f(V)
    np.testing.assert_allclose(matrix, np.stack(columns, axis=-1), rtol=1e-12, atol=1e-12)


def test_jacobian_of_many_residuals_by_few_parameters_goes_forward() -> None:
    p, t = tv.tensor("p", shape=(2,)), tv.tensor("t", shape=(300,))
    residuals = tv.exp(-p[0] * t) * p[1]
    narrow, wide = tv.jacobian(residuals, p), tv.jacobian(residuals, p, mode="reverse")

    def shapes(matrix: tv.Variable) -> set[Any]:
        nodes = _core.topological_order([matrix])
        return {v.type.shape for node in nodes for v in node.outputs}

    f = tv.function([p, t], [narrow, wide])
    for matrix in f([1.0, 2.0], np.linspace(0, 1, 300)):
        assert matrix.shape == (300, 2)
    assert (300, 300) in shapes(wide)
    assert (300, 300) not in shapes(narrow)


MISTAKES: list[tuple[Callable[[Any, Any, Any], Any], type[Exception], str]] = [
    (lambda x, y, n: tv.jvp(y, x, np.ones((2, 2))), ValueError, "[jvp] tangents is <constant"),
    (lambda x, y, n: tv.jvp(y, x, np.ones((2, 2))), ValueError, "with 2 axes, but wrt is <x: v"),
    (lambda x, y, n: tv.jvp(y, x, 1j * np.ones(3)), TypeError, "of complex128, but wrt is <x: vec"),
    (lambda x, y, n: tv.jvp(y, {"x": x}, {"z": x}), TypeError, "[jvp] wrt has the key 'x', which"),
    (lambda x, y, n: tv.jvp(y, [x], [x, x]), TypeError, "has 1 values, but tangents has 2"),
    (lambda x, y, n: tv.vjp(y, x, 1.0), ValueError, "[vjp] cotangents is <constant 1.0: scalar"),
    (lambda x, y, n: tv.vjp({"a": y}, x, y), TypeError, "[vjp] expression is a dict of 1, but c"),
    (lambda x, y, n: tv.vjp(n, x, n), TypeError, "[vjp] the expression is <n: vector int64 (?,)>"),
    (lambda x, y, n: tv.vjp([y, 3.0], x, [y, 1.0]), TypeError, "the expression[1] is 3.0, a float"),
    (lambda x, y, n: tv.jvp(lambda x: x, x, x), TypeError, "call the function on Variables"),
    (lambda x, y, n: tv.jvp([], x, x), ValueError, "the expression is []; give at least one Var"),
    (lambda x, y, n: tv.jvp(y, 3.0, 1.0), TypeError, "[jvp] wrt is 3.0, a float; give a Variable"),
    (lambda x, y, n: tv.hvp(y, x, x), TypeError, "scalar"),
    (lambda x, y, n: tv.hvp(3.0, x, x), TypeError, "[hvp] the cost is 3.0, a float"),
    (lambda x, y, n: tv.jvp(y, tv.vector("z"), y), tv.DisconnectedInputError, 'outputs="ignore"'),
    (lambda x, y, n: tv.vjp(y, tv.vector("z"), y), tv.DisconnectedInputError, 'inputs="ignore"'),
    (lambda x, y, n: tv.jvp(y, x, x, disconnected_outputs="ignor"), ValueError, "outputs is 'ig"),
    (lambda x, y, n: tv.jacobian(y, x, mode="fwd"), ValueError, "[jacobian] mode is 'fwd'; it ha"),
    (lambda x, y, n: tv.hessian(tv.sum(y), [x]), TypeError, "[hessian] wrt is [<x: vector float"),
    (lambda x, y, n: tv.grad(tv.sum(y), {"a": [3.0]}), TypeError, "[grad] wrt['a'][0] has 3.0, a"),
]


@pytest.mark.parametrize(("mistake", "kind", "told"), MISTAKES)
def test_a_mistake_is_told_what_does_not_fit(
    mistake: Callable[[Any, Any, Any], Any], kind: type[Exception], told: str
) -> None:
    x, n = tv.vector("x"), tv.lvector("n")
    with pytest.raises(kind) as error:
        mistake(x, tv.exp(x), n)
    assert told in str(error.value)


@pytest.mark.parametrize("mode", MODES)
def test_a_tangent_of_another_length_is_an_error_when_it_runs(mode: str) -> None:
    x, v = tv.matrix("x"), tv.matrix("v")
    f = tv.function([x, v], tv.jvp(x * x, {"x": x}, {"x": v}), mode=mode)
    message = r"\[jvp\] tangents\['x'\] has shape \(3, 2\), but wrt\['x'\] has \(2, 3\); give one"
    with pytest.raises(ValueError, match=message):
        f(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"has length 1 along axis 0, but wrt, <r: .* has 3"):
        tv.jvp(x, tv.tensor("r", shape=(3, 1)), np.ones((1, 1)))


def test_jvp_of_what_is_disconnected_is_zeros_where_that_is_asked_for() -> None:
    x, z = tv.vector("x"), tv.vector("z")
    f = tv.function([x], tv.jvp(x * 2, z, z, disconnected_outputs="ignore"))
    assert f(V).tolist() == [0.0, 0.0, 0.0]
    both = tv.function([x, z], tv.jvp([x * 2, z * z], z, z))
    assert [value.tolist() for value in both(V, [1.0])] == [[0.0, 0.0, 0.0], [2.0]]
