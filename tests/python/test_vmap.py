"""`tv.vmap` and `tv.vectorize`: functions of one example, applied to batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN", "DebugMode"]
XS = np.array([1.0, -2.0, 3.0, 4.0, -5.0])


def by_examples(f: Callable[..., Any], x: tv.Variable, rows: np.ndarray) -> np.ndarray:
    one = tv.function([x], f(x))
    return np.stack([one(row) for row in rows])


def batched(f: Callable[..., Any], mode: str | None = None, ndim: int = 1) -> tv.Function:
    xs = tv.tensor("xs", shape=(None,) * ndim, dtype="float64")
    return tv.function([xs], tv.vmap(f)(xs), mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_vmap_runs_the_arm_of_each_example_alone(mode: str) -> None:
    f = batched(
        lambda x: tv.ifelse(x > 0, tv.counted(tv.exp(x), "exp"), tv.counted(tv.sin(x), "sin")), mode
    )
    np.testing.assert_allclose(f(XS), np.where(XS > 0, np.exp(XS), np.sin(XS)), rtol=1e-15)
    assert f.counts() == {"exp": 3, "sin": 2}


@pytest.mark.parametrize("mode", MODES)
def test_vmap_keeps_one_branch_where_all_examples_decide_alike(mode: str) -> None:
    xs, flag = tv.vector("xs"), tv.scalar("flag")
    tripled = tv.vmap(
        lambda x: tv.ifelse(flag > 0, tv.counted(3.0 * x, "then"), tv.counted(-x, "else"))
    )
    f = tv.function([xs, flag], tripled(xs), mode=mode)
    np.testing.assert_array_equal(f(XS, 1.0), 3.0 * XS)
    assert f.counts() == {"then": 1, "else": 0}


def test_vmap_computes_what_two_arms_share_once_for_an_example() -> None:
    def sums(x: tv.Variable) -> tv.Variable:
        shared = tv.counted(tv.exp(x), "shared")
        return tv.ifelse(x > 0, shared, 0.0) + tv.ifelse(x > 2, shared + 1.0, 0.0)

    f = batched(sums)
    want = np.where(XS > 0, np.exp(XS), 0.0) + np.where(XS > 2, np.exp(XS) + 1.0, 0.0)
    np.testing.assert_allclose(f(XS), want, rtol=1e-15)
    assert f.counts() == {"shared": 3}


def test_vmap_computes_what_is_always_demanded_as_a_batch() -> None:
    def either(x: tv.Variable) -> tv.Variable:
        always = tv.counted(tv.exp(x), "always")
        return tv.ifelse(x > 0, always, -always) + always

    f = batched(either)
    np.testing.assert_allclose(f(XS), np.where(XS > 0, 2.0, 0.0) * np.exp(XS), rtol=1e-15)
    assert f.counts() == {"always": 1}


def test_vmap_joins_conditionals_of_which_one_waits_for_the_other() -> None:
    def chain(x: tv.Variable) -> list[tv.Variable]:
        shared = tv.counted(tv.exp(x), "shared")
        first = tv.ifelse(x > 0, shared, 0.0)
        between = tv.cos(first)
        return [tv.ifelse(between > 0, shared + between, 0.0), between]

    f = batched(chain)
    between = np.cos(np.where(XS > 0, np.exp(XS), 0.0))
    got = f(XS)
    np.testing.assert_allclose(got[0], np.where(between > 0, np.exp(XS) + between, 0.0), rtol=1e-15)
    np.testing.assert_allclose(got[1], between, rtol=1e-15)
    assert f.counts() == {"shared": 5}  # each example demands it in one arm at least


def test_vmap_attempts_each_example_by_itself() -> None:
    positive = tv.CheckAndRaise(ValueError, "not positive")
    f = batched(lambda x: tv.attempt(tv.log(positive(x, x > 0)), -1.0, on=ValueError))
    np.testing.assert_allclose(f(XS), [0.0, -1.0, np.log(3.0), np.log(4.0), -1.0])


def test_vmap_takes_a_switch_with_an_arm_of_a_switch() -> None:
    def nested(x: tv.Variable) -> tv.Variable:
        small = tv.ifelse(x > 1, tv.counted(x * 10.0, "tens"), x)
        return tv.switch_case(tv.astype(tv.abs(x), "int64") % 3, [small, x + 1.0, x + 2.0])

    f = batched(nested)
    x = tv.scalar("x")
    np.testing.assert_array_equal(f(XS), by_examples(nested, x, XS))
    assert f.counts() == {"tens": 1}  # of 3.0


@pytest.mark.parametrize("mode", MODES)
def test_vmap_lets_each_example_take_its_own_steps(mode: str) -> None:
    f = batched(
        lambda x: tv.while_loop(lambda s: s < 100.0, lambda s: tv.counted(2.0 * s, "step"), x), mode
    )
    np.testing.assert_array_equal(f([1.0, 60.0, 200.0]), [128.0, 120.0, 200.0])
    assert f.counts() == {"step": 8}


def test_vmap_of_a_question_about_lengths_is_one_answer() -> None:
    f = batched(lambda v: tv.ifelse(v.shape[0] > 2, v.sum(), v.prod()), ndim=2)
    np.testing.assert_array_equal(f(np.arange(12.0).reshape(4, 3)), [3.0, 12.0, 21.0, 30.0])
    assert [row.runs for row in f.node_runs() if row.op == "ifelse"] == [1]


class Reversed(tv.Op):
    """An Op of a user's without a rule for batches."""

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: list[Any], outputs: list[list[Any]]) -> None:
        outputs[0][0] = inputs[0][::-1].copy()


def test_vmap_applies_an_op_without_a_rule_to_one_example_after_the_other() -> None:
    f = batched(lambda v: Reversed()(v) + v[0], ndim=2)
    np.testing.assert_array_equal(f([[1.0, 2.0], [3.0, 4.0]]), [[3.0, 2.0], [7.0, 6.0]])


def test_vmap_of_no_examples_is_empty() -> None:
    f = batched(lambda x: tv.ifelse(x > 0, tv.exp(x), x))
    assert f(np.empty(0)).shape == (0,)


def test_vmap_takes_axes_by_argument_and_gives_them_by_result() -> None:
    a, w = tv.matrix("a"), tv.vector("w")
    of_columns = tv.vmap(
        lambda v, w: {"dot": (v * w).sum(), "w": w, "outer": tv.outer(v, v)},
        in_axes=(1, None),
        out_axes={"dot": 0, "w": None, "outer": -1},
    )
    results = of_columns(a, w)
    f = tv.function([a, w], [results["dot"], results["w"], results["outer"]])
    matrix = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    dots, same, outers = f(matrix, [1.0, 10.0])
    np.testing.assert_array_equal(dots, [41.0, 52.0, 63.0])
    np.testing.assert_array_equal(same, [1.0, 10.0])
    np.testing.assert_array_equal(outers, np.einsum("ik,jk->ijk", matrix, matrix))


def test_vmap_repeats_a_result_that_all_examples_have_in_common() -> None:
    xs, y = tv.vector("xs"), tv.vector("y")
    f = tv.function([xs, y], tv.vmap(lambda x: 2.0 * y, out_axes=1)(xs))
    np.testing.assert_array_equal(f([0.0, 0.0, 0.0], [1.0, 2.0]), [[2.0] * 3, [4.0] * 3])


def test_vmap_takes_structures_and_keywords() -> None:
    xs, ys, scale = tv.vector("xs"), tv.vector("ys"), tv.vector("scale")
    f = tv.vmap(lambda point, scale: (point["x"] - point["y"]) * scale, in_axes=({"x": 0, "y": 0},))
    g = tv.function([xs, ys, scale], f({"x": xs, "y": ys}, scale=scale))
    np.testing.assert_array_equal(g([3.0, 5.0], [1.0, 1.0], [1.0, 2.0]), [2.0, 8.0])


def test_vmap_nests() -> None:
    xs, ys = tv.vector("xs"), tv.vector("ys")
    table = tv.vmap(
        tv.vmap(lambda a, b: tv.ifelse(a > b, a, -b), in_axes=(0, None)), in_axes=(None, 0)
    )
    f = tv.function([xs, ys], table(xs, ys))
    np.testing.assert_array_equal(
        f([1.0, 2.0, 3.0], [0.0, 2.0]), [[1.0, 2.0, 3.0], [-2.0, -2.0, 3.0]]
    )


def steps(x: tv.Variable) -> tv.Variable:
    grown = tv.while_loop(lambda s: s < 100.0, lambda s: s * x, x + 1.0)
    return tv.ifelse(x > 0, grown, x**2)


# From 3 by 2 six times; from 6 by 5 twice: y = (x + 1) x^k.
SLOPES = [2.0**6 + 3.0 * 6 * 2.0**5, -6.0, 5.0**2 + 6.0 * 2 * 5.0]


def test_vmap_has_the_gradients_of_its_examples() -> None:
    xs = tv.vector("xs")
    f = tv.function([xs], tv.grad(tv.vmap(steps)(xs).sum(), xs))
    np.testing.assert_allclose(f([2.0, -3.0, 5.0]), SLOPES)


def test_vmap_takes_gradients_of_its_examples() -> None:
    f = batched(lambda x: tv.grad(steps(x), x))
    np.testing.assert_allclose(f([2.0, -3.0, 5.0]), SLOPES)


def test_jacobian_branches_by_rows() -> None:
    x = tv.vector("x")
    y = tv.vmap(lambda v: tv.ifelse(v > 0, v**2, tv.sin(v)))(x)
    f = tv.function([x], tv.jacobian(y, x))
    np.testing.assert_allclose(f([2.0, -1.0]), [[4.0, 0.0], [0.0, np.cos(-1.0)]])


def test_vectorize_broadcasts_the_axes_in_front() -> None:
    larger = tv.vectorize(lambda a, b: tv.ifelse(a > b, a, -b))
    xs, m = tv.vector("xs"), tv.matrix("m")
    f = tv.function([xs, m], larger(xs, m))
    one_row = f([1.0, 2.0, 3.0], [[0.0, 2.0, 3.0]])
    np.testing.assert_array_equal(one_row, [[1.0, -2.0, -3.0]])
    one_column = f([1.0, 2.0, 3.0], [[2.0], [0.0]])
    np.testing.assert_array_equal(one_column, [[-2.0, -2.0, 3.0], [1.0, 2.0, 3.0]])


def test_vectorize_takes_the_axes_of_its_signature() -> None:
    product = tv.vectorize(lambda a, b: a @ b, "(m,n),(n)->(m)")
    a, b = tv.tensor3("a"), tv.vector("b")
    f = tv.function([a, b], product(a, b))
    stack = np.arange(12.0).reshape(2, 2, 3)
    np.testing.assert_array_equal(f(stack, [1.0, 2.0, 3.0]), stack @ [1.0, 2.0, 3.0])


def test_vectorize_repeats_a_length_of_one() -> None:
    row = tv.tensor("row", shape=(1, None), dtype="float64")
    m = tv.matrix("m")
    f = tv.function([row, m], tv.vectorize(lambda a, b: a - b)(row, m))
    np.testing.assert_array_equal(
        f([[1.0, 2.0]], [[0.0, 0.0], [1.0, 1.0]]), [[1.0, 2.0], [0.0, 1.0]]
    )


X, Y = tv.vector("x"), tv.vector("y")
MISTAKES = {
    "argument [0] has 1 axes, so it has no axis 2": lambda: tv.vmap(abs, in_axes=2)(X),
    "no argument has an axis of examples": lambda: tv.vmap(abs, in_axes=None)(X),
    "result differs between examples, but out_axes is None": lambda: tv.vmap(abs, out_axes=None)(X),
    "f is 3, a int; give a function": lambda: tv.vmap(3),  # type: ignore[arg-type]
    "in_axes is 'a', a str; give an integer or None": lambda: tv.vmap(abs, in_axes="a")(X),
    "in_axes has 1 entries, but 2 positional": lambda: tv.vmap(pow, in_axes=(0,))(X, Y),
    "result has 1 axes with that of the examples": lambda: tv.vmap(abs, out_axes=1)(X),
    "the signature 'n->n' cannot be read": lambda: tv.vectorize(abs, "n->n"),
    "has 2 arguments, but 1 were given": lambda: tv.vectorize(abs, "(n),(n)->()")(X),
    "argument 0 has 1 axes, but the signature": lambda: tv.vectorize(abs, "(m,n)->()")(X),
    "argument [1] has 2 examples, but argument [0] has 3": lambda: tv.vmap(pow)(
        np.zeros(3), np.zeros(2)
    ),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_vmap_says_what_is_wrong_with(message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        MISTAKES[message]()
    assert message in str(caught.value)


def test_vmap_compares_numbers_of_examples_in_the_call() -> None:
    f = tv.function([X, Y], tv.vmap(lambda a, b: a + b)(X, Y))
    np.testing.assert_array_equal(f([1.0, 2.0], [3.0, 4.0]), [4.0, 6.0])
    with pytest.raises(ValueError, match="different numbers of examples"):
        f([1.0, 2.0], [1.0])
