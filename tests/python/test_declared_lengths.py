"""Lengths that were declared are kept: whatever has others is an error before anything changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = [
    "py",
    "vm",
    "cvm",
    "cvm_nogc",
    "c|py",
    "FAST_RUN",
    tv.Mode("cvm", "fast_run", compile="now"),
]
THREE, FIVE = np.arange(3.0), np.arange(5.0)


def kept() -> tv.Variable:
    return tv.shared(np.zeros(3), "s", shape=(3,))


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_an_update_of_another_length_changes_nothing(mode: Any) -> None:
    s, calls, x = kept(), tv.shared(0.0, "calls"), tv.vector("x")
    f = tv.function([x], x.sum(), updates={calls: calls + 1, s: x + 1}, mode=mode)
    with pytest.raises(ValueError, match=r"the update of .*s.* has shape \(5,\), but \(3,\) is"):
        f(FIVE)
    assert s.get_value().tolist() == [0.0, 0.0, 0.0]
    assert calls.get_value() == 0
    assert f(THREE) == 3.0
    assert s.get_value().tolist() == [1.0, 2.0, 3.0]
    assert calls.get_value() == 1


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_an_update_if_computed_is_checked_and_demands_nothing(mode: Any) -> None:
    s, x, c = kept(), tv.vector("x"), tv.scalar("c")
    new = x * 2
    output = tv.ifelse(c > 0, new.sum(), 0.0)
    f = tv.function([x, c], output, updates={s: tv.Update(new, if_computed=True)}, mode=mode)
    assert f(FIVE, 0.0) == 0.0
    with pytest.raises(ValueError, match=r"has shape \(5,\), but \(3,\) is wanted"):
        f(FIVE, 1.0)
    assert s.get_value().tolist() == [0.0, 0.0, 0.0]
    f(THREE, 1.0)
    assert s.get_value().tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_given_of_another_length_is_an_error_that_names_it(mode: Any) -> None:
    y, x = tv.tensor("y", "float64", (3,)), tv.vector("x")
    s = tv.shared(0.0, "s")
    outputs = [(y * y).sum(), tv.grad((y * y).sum(), y)]
    f = tv.function([x], outputs, givens={y: x}, updates={s: y.sum()}, mode=mode)
    with pytest.raises(ValueError, match=r"the given for .*y.* has shape \(5,\), but axis 0 has"):
        f(FIVE)
    assert s.get_value() == 0
    total, gradient = f(THREE)
    assert total == 5.0
    assert gradient.tolist() == [0.0, 2.0, 4.0]
    assert s.get_value() == 3.0


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_given_that_nobody_demands_is_not_looked_at(mode: Any) -> None:
    y, x, c = tv.tensor("y", "float64", (3,)), tv.vector("x"), tv.scalar("c")
    f = tv.function([x, c], tv.ifelse(c > 0, y.sum(), c), givens={y: x}, mode=mode)
    assert f(FIVE, -1.0) == -1.0
    with pytest.raises(ValueError, match=r"the given for .*y.* has shape \(5,\)"):
        f(FIVE, 1.0)


def test_what_is_known_to_have_the_lengths_is_not_looked_at() -> None:
    y, x = tv.tensor("y", "float64", (3,)), tv.tensor("x", "float64", (3,))
    assert tv.specify_shape(x, (3,)) is x
    f = tv.function([x], y + 1, givens={y: x})
    assert [row.op for row in f.explain().nodes] == ["add"]


def test_what_is_known_to_have_other_lengths_is_refused_at_once() -> None:
    x, five = tv.tensor("x", "float64", (3,)), tv.tensor("five", "float64", (5,))
    with pytest.raises(TypeError, match=r"the given for .*x.* axis 0 has length 5 where 3"):
        tv.function([five], x.sum(), givens={x: five})
    with pytest.raises(TypeError, match=r"the update of .*s.* axis 0 has length 5 where 3"):
        tv.function([five], updates={kept(): five})
    with pytest.raises(ValueError, match=r"axis 0 has to have length 4"):
        tv.specify_shape(x, (4,))
    with pytest.raises(ValueError, match=r"2 lengths are given for its axes"):
        tv.specify_shape(x, (3, None))
    with pytest.raises(
        ValueError,
        match=r"\[specify_shape\] attribute 'shape' = \[.*\], but it has to be at least -1",
    ):
        tv.specify_shape(x, (-2,))


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_specify_shape_has_gradients_and_is_checked_in_an_arm(mode: Any) -> None:
    m, c = tv.matrix("m"), tv.scalar("c")
    known = tv.specify_shape(m, (None, 2))
    assert known.type.shape == (None, 2)
    cost = tv.ifelse(c > 0, (known**2).sum(), c)
    f = tv.function([m, c], [cost, tv.grad(cost, m)], mode=mode)
    total, gradient = f([[1.0, 2.0]], 1.0)
    assert total == 5.0
    assert gradient.tolist() == [[2.0, 4.0]]
    assert f([[1.0, 2.0, 3.0]], -1.0)[0] == -1.0
    with pytest.raises(ValueError, match=r"the array has shape \(1, 3\), but axis 1 has to have"):
        f([[1.0, 2.0, 3.0]], 1.0)


def test_the_jacobian_through_specified_lengths() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.jacobian(tv.specify_shape(x, (3,)) ** 2, x))
    assert f(THREE).tolist() == np.diag(2 * THREE).tolist()
    with pytest.raises(ValueError, match=r"has shape \(5,\), but"):
        f(FIVE)


class Grown(tv.Op):
    """Gives an element more than its input has, whatever its output's type says."""

    __props__ = ()

    def make_node(self, x: Any) -> Any:
        return tv.Apply(self, [x], [tv.tensor(None, "float64", (3,))])


class GrownPerform(Grown):
    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = np.append(inputs[0], 0.0)


class GrownDemand(Grown):
    def demand(self, node: Any) -> Any:
        x = yield 0
        return np.append(x, 0.0)


class GrownThunk(Grown):
    def make_thunk(self, node: Any, given: Any, done: Any, inputs: Any, outputs: Any) -> Any:
        def thunk() -> None:
            outputs[0][0] = np.append(inputs[0][0], 0.0)
            done[0][0] = 1

        thunk.lazy = False  # type: ignore[attr-defined]
        return thunk


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "FAST_RUN"])
@pytest.mark.parametrize("op", [GrownPerform, GrownDemand, GrownThunk])
def test_an_op_of_the_users_keeps_the_lengths_of_its_outputs(op: Any, mode: str) -> None:
    s, x = kept(), tv.vector("x")
    f = tv.function([x], updates={s: op()(x)}, mode=mode)
    f(THREE[:2])
    with pytest.raises(ValueError, match=r"output 0 of Grown.* has shape \(4,\), but \(3,\) is"):
        f(THREE)
    assert s.get_value().tolist() == [0.0, 1.0, 0.0]


def test_values_that_are_given_keep_the_lengths() -> None:
    x = tv.tensor("x", "float64", (3,))
    with pytest.raises(ValueError, match=r"\(3,\) is wanted"):
        kept().set_value(FIVE)
    with pytest.raises(ValueError, match=r"\(3,\) is wanted"):
        tv.shared(FIVE, shape=(3,))
    with pytest.raises(ValueError, match=r"\(3,\) is wanted"):
        tv.constant(FIVE, type=x.type)
    with pytest.raises(ValueError, match=r"the default of argument 'x' .* \(3,\) is wanted"):
        tv.function([tv.In(x, value=FIVE)], x + 1)
    f = tv.function([tv.In(x, value=THREE)], x + 1)
    with pytest.raises(ValueError, match=r"argument 'x' .* \(3,\) is wanted"):
        f(FIVE)
    cut = tv.specify_shape(tv.vector("v"), (3,)) + 1
    with pytest.raises(ValueError, match=r"\(3,\) is wanted"):
        tv.function([cut], cut * 2)(FIVE)
