"""In which calls DebugMode checks a node: the first ones, new layouts, and where there is time."""

from __future__ import annotations

from itertools import count
from typing import Any

import lying_ops as lies
import numpy as np
import pytest

import thunkvm as tv
from thunkvm.checking import debug
from thunkvm.checking.errors import BadThunkOutput

HARDLY_EVER = tv.DebugMode(at_most=1.001)
VALUE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.fixture
def checks_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reading of the clock is twice the one before, however busy the computer is."""
    readings = count()
    monkeypatch.setattr(debug, "perf_counter", lambda: 2.0 ** next(readings))


class Counted(lies.HonestInC):
    """An Op of whose `perform` the checks run each time."""

    checked = 0

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        Counted.checked += 1
        output_storage[0][0] = inputs[0] * 2.0


@pytest.mark.usefixtures("checks_that_take_long")
def test_a_node_is_checked_in_its_first_ten_runs_and_then_where_there_is_time() -> None:
    x, c = tv.matrix("x"), tv.scalar("c")
    f = tv.function([c, x], tv.ifelse(c > 0, Counted()(x), x), mode=HARDLY_EVER)
    for _ in range(30):
        f(-1.0, VALUE)
    checks = []
    for _ in range(14):
        before = Counted.checked
        np.testing.assert_array_equal(f(1.0, VALUE), VALUE * 2.0)
        checks.append(Counted.checked - before)
    assert checks[0] > 5
    assert checks[1:] == [1] * 9 + [0] * 4


@pytest.mark.usefixtures("checks_that_take_long")
def test_an_input_that_lies_otherwise_is_checked_in_whichever_call() -> None:
    x = tv.matrix("x")
    f = tv.function([x], Counted()(x), mode=HARDLY_EVER)
    for _ in range(12):
        f(VALUE)
    before = Counted.checked
    f(VALUE)
    assert Counted.checked == before
    f(VALUE.T)
    assert Counted.checked > before + 5


def test_without_a_limit_every_call_is_checked() -> None:
    x = tv.matrix("x")
    f = tv.function([x], Counted()(x), mode=tv.DebugMode(at_most=None))
    f(VALUE)
    before = Counted.checked
    for _ in range(20):
        f(VALUE)
    assert Counted.checked == before + 20
    with pytest.raises(ValueError, match="at_most is 1; it has to be above 1"):
        tv.DebugMode(at_most=1)


def test_inputs_that_lie_otherwise_are_checked_in_full_again() -> None:
    runs: list[tuple[int, ...]] = []

    class Noted(lies.Lie):
        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            runs.append(inputs[0].strides)
            output_storage[0][0] = inputs[0] * 2.0

    x = tv.matrix("x")
    f = tv.function([x], Noted()(x), mode="DebugMode")
    f(VALUE)
    first = len(runs)
    assert first > 5
    f(VALUE + 1.0)
    assert len(runs) == first + 1  # the function's own run, which has no other implementation
    f(VALUE.T)
    assert len(runs) > first + 5


def test_other_implementations_are_compared_in_each_call() -> None:
    class WrongAboveTen(lies.HonestInC):
        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            output_storage[0][0] = inputs[0] * 2.0 + (inputs[0] > 10.0)

    x = tv.matrix("x")
    f = tv.function([x], WrongAboveTen()(x), mode="DebugMode")
    f(VALUE)
    with pytest.raises(BadThunkOutput, match=r"element \(1, 2\) is"):
        f(VALUE * 2.0)
