"""Shapes as facts: what asks for lengths computes no elements, in every mode."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.checking.inferred import check_shapes
from thunkvm.testing import check_op

MODES = ["py", "vm", "cvm", "c", "FAST_RUN", "FAST_COMPILE"]

#: Those that run an Op's perform.
PERFORMING = [mode for mode in MODES if mode != "c"]


def runs(f: tv.Function) -> dict[str, int]:
    """How often nodes ran, by Op."""
    counted: dict[str, int] = {}
    for _, op, _, _, n in f.node_runs():
        counted[op] = counted.get(op, 0) + n
    return counted


def ops(f: tv.Function) -> list[str]:
    return sorted(row.op for row in f.explain().nodes)


# ---- asking for a shape computes nothing ----


@pytest.mark.parametrize("mode", MODES)
def test_the_shape_of_a_product_runs_no_product(mode: str) -> None:
    x, w = tv.matrix("x"), tv.shared(np.zeros((3, 4)), "w")
    y = tv.exp(x @ w)
    f = tv.function([x], [y.shape, y.shape[1], y.size], mode=mode)
    shape, columns, size = f(np.zeros((2, 3)))
    assert (shape.tolist(), int(columns), int(size)) == ([2, 4], 4, 8)
    assert not {"exp", "matmul"} & set(runs(f))


@pytest.mark.parametrize("mode", MODES)
def test_one_length_is_one_node(mode: str) -> None:
    x = tv.matrix("x")
    f = tv.function([x], [x.shape[0], (x + 1.0).shape[-1], x.size], mode=mode)
    assert [int(n) for n in f(np.zeros((4, 3)))] == [4, 3, 12]
    assert runs(f) == {"length": 2, "size": 1}


@pytest.mark.parametrize("mode", MODES)
def test_one_length_asks_for_no_other(mode: str, counting: Any) -> None:
    x, op = tv.vector("x"), counting()
    both = x[:, None] * op(x)
    f = tv.function([x], both.shape[0], mode=mode)
    assert f([1.0, 2.0]) == 2
    assert op.runs == 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("c", [0.0, 1.0])
def test_the_shape_of_a_conditional_is_that_of_the_arm(mode: str, c: float) -> None:
    s, x, y = tv.scalar("s"), tv.matrix("x"), tv.matrix("y")
    picked = tv.ifelse(s, tv.exp(x @ y), tv.log(y))
    f = tv.function([s, x, y], picked.shape, mode=mode)
    assert f(c, np.ones((2, 3)), np.ones((3, 4))).tolist() == ([2, 4] if c else [3, 4])
    assert not {"exp", "log", "matmul"} & set(runs(f))


@pytest.mark.parametrize("mode", MODES)
def test_the_shape_of_arms_that_cannot_differ_demands_no_selector(mode: str, counting: Any) -> None:
    s, x = tv.scalar("s"), tv.vector("x")
    op = counting()
    f = tv.function([s, x], tv.ifelse(op(s), tv.exp(x), -x).shape, mode=mode)
    assert f(1.0, [1.0, 2.0]).tolist() == [2]
    assert op.runs == 0


@pytest.mark.parametrize("mode", PERFORMING)
def test_a_users_op_without_the_rule_runs_in_the_arm_that_is_picked_alone(
    mode: str, counting: Any
) -> None:
    s, x = tv.scalar("s"), tv.vector("x")
    op = counting()
    f = tv.function([s, x], tv.ifelse(s, tv.exp(op(x)), x[1:]).shape, mode=mode)
    assert f(0.0, [1.0, 2.0]).tolist() == [1]
    assert op.runs == 0
    assert f(1.0, [1.0, 2.0]).tolist() == [2]
    assert op.runs == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_gradient_alone_computes_no_value_for_its_shape(mode: str) -> None:
    x, w = tv.matrix("x"), tv.matrix("w")
    f = tv.function([x, w], tv.grad((x @ w).sum(), x), mode=mode)
    np.testing.assert_array_equal(f(np.ones((2, 3)), np.ones((3, 4))), np.full((2, 3), 4.0))
    assert runs(f)["matmul"] == 1


def test_what_is_computed_anyway_is_asked_itself() -> None:
    x, w = tv.matrix("x"), tv.matrix("w")
    y = x @ w
    assert ops(tv.function([x, w], [y, y.shape], mode="vm")) == ["matmul", "shape"]


def test_of_lengths_that_are_the_same_one_alone_is_asked() -> None:
    x = tv.vector("x")
    a, b = tv.exp(x[1:]), tv.log(x[:-1])
    f = tv.function([x], [a, b, (a + b).shape], mode="vm")
    assert ops(f) == ["exp", "log", "shape", "subtensor", "subtensor"]
    assert f([1.0, 2.0, 3.0])[2].tolist() == [2]


def test_a_gradient_alone_is_two_loops_as_beside_the_value() -> None:
    x = tv.vector("x")
    value = (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()
    f = tv.function([x], tv.grad(value, x), mode=tv.Mode("cvm", compile="now"))
    assert {node.form for node in f.explain().nodes} == {"fused"}
    assert len({node.code for node in f.explain().nodes}) == 2
    np.testing.assert_allclose(f([0.5, 1.0, 2.0]), [-151.0, -250.0, 200.0])


def test_shapes_of_what_is_replaced_are_those_of_the_replacement() -> None:
    x = tv.vector("x")
    y = tv.exp(x)
    f = tv.function([x], y.shape, givens={y: tv.concatenate([x, x])})
    assert f([1.0, 2.0]).tolist() == [4]


def test_a_chain_of_shapes_is_followed_without_recursion() -> None:
    x = tv.vector("x")
    y = x
    for _ in range(20_000):
        y = tv.full(y.shape, 1.0) + y
    f = tv.function([x], y.shape, mode="vm")
    assert f([1.0, 2.0, 3.0]).tolist() == [3]
    assert ops(f) == ["shape"]


# ---- what does not fit ----


@pytest.mark.parametrize("mode", MODES)
def test_lengths_that_do_not_broadcast_are_an_error_where_only_the_shape_is_asked(
    mode: str,
) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    total = x + y
    f = tv.function([x, y], [total.shape, (tv.exp(total) * 2.0).size], mode=mode)
    with pytest.raises(ValueError, match=r"could not be broadcast together"):
        f([1.0, 2.0], [1.0, 2.0, 3.0])
    shape, size = f([1.0], [1.0, 2.0, 3.0])
    assert shape.tolist() == [3]
    assert size == 3


def test_what_else_a_node_checks_is_not_checked() -> None:
    x, w = tv.matrix("x"), tv.matrix("w")
    f = tv.function([x, w], (x @ w).shape)
    assert f(np.zeros((2, 3)), np.zeros((5, 4))).tolist() == [2, 4]


# ---- users' Ops ----


class Twice(tv.Op):
    """x, x: its shape is known, or said to be `said`."""

    __props__ = ("said",)

    def __init__(self, said: Any = None) -> None:
        self.said = said
        self.runs = 0

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [tv.TensorType(x.type.dtype, (None,))()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        self.runs += 1
        output_storage[0][0] = np.append(inputs[0], inputs[0])

    def infer_shape(self, node: tv.Apply, input_shapes: Any) -> Any:
        ((n,),) = input_shapes
        return [(2 * n,)] if self.said is None else self.said(n)


@pytest.mark.parametrize("mode", MODES)
def test_a_users_infer_shape_stands_for_running_the_op(mode: str) -> None:
    x, op = tv.vector("x"), Twice()
    f = tv.function([x], tv.exp(op(x)).shape, mode=mode)
    assert f([1.0, 2.0, 3.0]).tolist() == [6]
    assert op.runs == 0


def test_a_rule_is_given_one_variable_for_lengths_that_are_the_same() -> None:
    given = []

    class Meeting(tv.Op):
        def make_node(self, x: tv.Variable, y: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x, y], [x.type()])

        def infer_shape(self, node: tv.Apply, input_shapes: Any) -> Any:
            given.append([length for (length,) in input_shapes])
            return [input_shapes[0]]

    x = tv.vector("x")
    tv.function([x], tv.exp(Meeting()(x[1:], x[:-1])).shape)
    tv.function([x], tv.exp(Meeting()(x[1:], x[:-2])).shape)
    assert [a is b for a, b in given] == [True, False]


def test_none_for_an_output_means_that_it_is_computed() -> None:
    x, op = tv.vector("x"), Twice(lambda n: [None])
    f = tv.function([x], op(x).shape)
    assert f([1.0, 2.0]).tolist() == [4]
    assert op.runs == 1


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        (lambda n: 3, TypeError, r"\[Twice\] infer_shape returned a int; infer_shape has to"),
        (lambda n: [], ValueError, r"\[Twice\] infer_shape returned 0 shapes for 1 output;"),
        (lambda n: [(n, n)], ValueError, r"shape of output 0 has 2 lengths, but .* vector float64"),
        (lambda n: [n], TypeError, r"the shape of output 0 is a thunkvm._core.Variable"),
        (lambda n: [(2.0,)], TypeError, r"output 0 has for axis 0 what is a float"),
        (lambda n: [(n * 1.5,)], TypeError, r"for axis 0 what .* is a scalar float64"),
        (lambda n: [(-1,)], ValueError, r"output 0 has length -1 for axis 0"),
    ],
)
def test_a_wrong_answer_names_the_op_the_output_and_the_rule(
    said: Any, error: type[Exception], words: str
) -> None:
    x = tv.vector("x")
    with pytest.raises(error, match=words) as raised:
        tv.function([x], Twice(said)(x).shape)
    assert "infer_shape has to return" in str(raised.value)


def test_an_exception_of_infer_shape_says_for_which_node() -> None:
    def said(n: tv.Variable) -> Any:
        raise KeyError("no such shape")

    x = tv.vector("x")
    with pytest.raises(KeyError, match="no such shape") as raised:
        tv.function([x], Twice(said)(x).shape)
    assert "raised by Twice.infer_shape for the node" in "".join(raised.value.__notes__)


def same_shapes(node: tv.Apply, input_shapes: Any) -> Any:
    return input_shapes


def sort(x: np.ndarray) -> np.ndarray:
    return np.sort(x)


def test_as_op_takes_infer_shape() -> None:
    calls = []
    op = tv.as_op(
        lambda x: calls.append(1) or np.sort(x), [tv.dvector], [tv.dvector], infer_shape=same_shapes
    )
    x = tv.vector("x")
    assert tv.function([x], op(x).shape)([3.0, 1.0]).tolist() == [2]
    assert calls == []
    one = tv.as_op(sort, [tv.dvector], [tv.dvector], infer_shape=same_shapes)
    assert one == pickle.loads(pickle.dumps(one))
    assert one != tv.as_op(sort, [tv.dvector], [tv.dvector])
    with pytest.raises(TypeError, match=r"\[as_op\] infer_shape is 3; give a function"):
        tv.as_op(sort, [tv.dvector], [tv.dvector], infer_shape=3)  # type: ignore[call-overload]


class NegateInC(tv.COp):
    __props__ = ()

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inp: Any, out: Any, sub: Any) -> str:
        return f"#error {inp[0]} was computed for its shape"

    def infer_shape(self, node: tv.Apply, input_shapes: Any) -> Any:
        return input_shapes


def test_an_op_in_c_that_infers_its_shape_is_not_even_compiled_for_it() -> None:
    x = tv.vector("x")
    assert tv.function([x], NegateInC()(x).shape)([1.0, 2.0]).tolist() == [2]


def test_an_op_that_lies_is_found() -> None:
    x = tv.vector("x")
    node = Twice(lambda n: [(n + 1,)])(x).owner
    check_shapes(node, [np.zeros(1)], [np.zeros(2)])
    with pytest.raises(
        ValueError, match=r"Twice.* infers the shape \(3,\) for output 0, but .* shape \(4,\)"
    ):
        check_shapes(node, [np.zeros(2)], [np.zeros(4)])


def test_check_op_sees_what_as_op_was_given_and_what_lies() -> None:
    honest = tv.as_op(sort, [tv.dvector], [tv.dvector], infer_shape=same_shapes)
    assert "infer_shape" not in [row.check for row in check_op(honest, [np.arange(3.0)]).missing]
    wrong = check_op(Twice(lambda n: [(n + 1,)]), [np.arange(3.0)]).wrong
    assert [row.check for row in wrong] == ["infer_shape"]


def test_lengths_that_meet_are_compared_where_the_first_is_inferred_and_the_second_is_given() -> (
    None
):
    n, given = tv.lscalar("n"), tv.vector("given")
    made = tv.ops.broadcast_to(0.0, tv.stack([n]), ndim=1)
    met = tv.ops.matched_lengths(made, given, axes_a=[0], axes_b=[0])
    f = tv.function([n, given], met, mode="vm")
    assert f(2, [1.0, 2.0]).tolist() == [2]
    with pytest.raises(ValueError, match="3"):
        f(3, [1.0, 2.0])
