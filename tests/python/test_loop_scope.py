"""Loops: what runs in every step, what once outside of them, and what not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

MODES = ["FAST_COMPILE", "vm", "cvm"]
x = tv.scalar("x")
n = tv.lscalar("n")
m = tv.matrix("m")


class Successor(tv.PureOp):
    """Adds one, and notes to what."""

    __props__ = ()

    def __init__(self) -> None:
        self.ran: list[float] = []

    def make_node(self, s: Any) -> tv.Apply:
        return tv.Apply(self, [s], [s.type()])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        self.ran.append(float(inputs[0]))
        outputs[0][0] = np.float64(inputs[0] + 1)


class FailsInStepTwo(tv.PureOp):
    """Passes its first input on, unless the second one is 2."""

    __props__ = ()

    def make_node(self, s: Any, step: Any) -> tv.Apply:
        return tv.Apply(self, [s, step], [s.type()])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        if inputs[1] == 2:
            raise ValueError("step two")
        outputs[0][0] = np.float64(inputs[0])


@pytest.mark.parametrize("mode", MODES)
def test_a_value_that_does_not_change_is_computed_once_for_all_steps(mode: str) -> None:
    plus_one = Successor()
    f = tv.function([n, x], tv.fori_loop(0, n, lambda i, s: s + plus_one(x), 0.0), mode=mode)
    assert (f(3, 2.0), plus_one.ran) == (9.0, [2.0])


@pytest.mark.parametrize("mode", MODES)
def test_a_value_that_does_not_change_is_not_computed_before_a_step_needs_it(mode: str) -> None:
    plus_one = Successor()
    total = tv.fori_loop(0, n, lambda i, s: tv.ifelse(i >= 2, s + plus_one(x), s), 1.0)
    f = tv.function([n, x], total, mode=mode)
    assert (f(2, 2.0), plus_one.ran) == (1.0, [])


@pytest.mark.parametrize("mode", MODES)
def test_a_value_that_steps_need_one_after_another_is_there_from_the_first_of_them(
    mode: str,
) -> None:
    plus_one = Successor()
    total = tv.fori_loop(0, n, lambda i, s: tv.ifelse(i >= 1, s + plus_one(x), s), 1.0)
    f = tv.function([n, x], total, mode=mode)
    assert (f(4, 2.0), plus_one.ran) == (10.0, [2.0])
    assert _core._testing.registers_empty(f)


@pytest.mark.parametrize("mode", MODES)
def test_a_first_value_that_steps_alone_read_is_not_computed_where_none_runs(mode: str) -> None:
    plus_one = Successor()
    _, _, total = tv.while_loop(
        lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 2.0, s[2] + s[1]), (0, plus_one(x), 5.0)
    )
    f = tv.function([n, x], total, mode=mode)
    assert (f(0, 2.0), plus_one.ran) == (5.0, [])
    assert (f(3, 2.0), plus_one.ran) == (5.0 + 3.0 + 6.0 + 12.0, [2.0])


@pytest.mark.parametrize("mode", MODES)
def test_a_value_that_two_arms_of_a_step_share_is_computed_anew_in_the_next_one(mode: str) -> None:
    plus_one = Successor()

    def body(i: Any, s: Any) -> Any:
        shared = plus_one(s)
        return tv.ifelse(i >= 1, shared, 0.0) + tv.ifelse(i <= 1, shared, 0.0)

    f = tv.function([n, x], tv.fori_loop(0, n, body, x), mode=mode)
    assert (f(3, 1.0), plus_one.ran) == (7.0, [1.0, 2.0, 6.0])
    assert _core._testing.registers_empty(f)


@pytest.mark.parametrize("mode", MODES)
def test_states_change_places_all_at_once(mode: str) -> None:
    last = tv.fori_loop(0, n, lambda i, s: (s[1], s[0]), (x, x * 2.0))
    f = tv.function([n, x], list(last), mode=mode)
    assert [f(steps, 3.0) for steps in (0, 1, 2)] == [[3.0, 6.0], [6.0, 3.0], [3.0, 6.0]]


@pytest.mark.parametrize("mode", MODES)
def test_a_value_of_all_steps_outlives_the_failure_of_one(mode: str) -> None:
    plus_one, fails = Successor(), FailsInStepTwo()
    total = tv.fori_loop(
        0, n, lambda i, s: s + tv.attempt(fails(plus_one(x), i), 100.0, on=ValueError), 0.0
    )
    f = tv.function([n, x], total, mode=mode)
    assert (f(5, 2.0), plus_one.ran) == (112.0, [2.0])
    assert _core._testing.registers_empty(f)


@pytest.mark.parametrize("mode", ["py", *MODES])
def test_a_step_may_ask_for_some_of_the_lengths_of_an_ifelse(mode: str) -> None:
    def body(i: Any, s: Any) -> Any:
        either = tv.ifelse(i >= 1, s[1:], s[:, 1:])
        return s + either.shape[0]

    f = tv.function([n, m], tv.fori_loop(0, n, body, m), mode=mode)
    assert f(3, [[1.0, 2.0], [3.0, 4.0]]).tolist() == [[5.0, 6.0], [7.0, 8.0]]
