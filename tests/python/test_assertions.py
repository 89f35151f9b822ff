"""`Assert` and `CheckAndRaise`: what they let through, refuse, and never run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]


@pytest.mark.parametrize("mode", MODES)
def test_a_false_condition_is_the_error_that_was_named(mode: str) -> None:
    x = tv.vector("x")
    checked = tv.CheckAndRaise(KeyError, "all of x has to be positive")(x, x > 0, x.size > 1)
    f = tv.function([x], checked * 2, mode=mode)
    assert f([1.0, 2.0]).tolist() == [2.0, 4.0]
    for wrong in ([1.0, -2.0], [1.0]):
        with pytest.raises(KeyError, match="all of x has to be positive"):
            f(wrong)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_pass_and_refuse(mode: str) -> None:
    x = tv.scalar("x")
    cost = tv.Assert("too large")(x * x, x < 10.0)
    f = tv.function([x], [tv.grad(cost, x), tv.jvp(cost, x, 1.0)], mode=mode)
    assert f(3.0) == [6.0, 6.0]
    with pytest.raises(AssertionError, match="too large"):
        tv.function([x], cost, mode=mode)(11.0)


def test_an_assertion_that_nobody_reads_demands_nothing(counting: Any) -> None:
    condition, value = counting(np.abs), counting(np.square)
    c, x = tv.scalar("c"), tv.scalar("x")
    checked = tv.Assert()(value(x), condition(x) > 1.0)
    f = tv.function([c, x], tv.ifelse(c > 0, checked, 0.0))
    assert f(-1.0, 0.0) == 0.0
    assert [condition.runs, value.runs] == [0, 0]
    assert f(1.0, 2.0) == 4.0
    assert [condition.runs, value.runs] == [1, 1]
    with pytest.raises(AssertionError, match="a condition is false"):
        f(1.0, 0.5)
    assert [condition.runs, value.runs] == [2, 1]  # what is refused is not computed


def test_conditions_after_a_false_one_do_not_run(counting: Any) -> None:
    later = counting(np.abs)
    x = tv.scalar("x")
    f = tv.function([x], tv.Assert()(x, x > 0, later(x) > 0))
    with pytest.raises(AssertionError):
        f(-1.0)
    assert later.runs == 0


def test_an_attempt_takes_another_value() -> None:
    x = tv.scalar("x")
    checked = tv.CheckAndRaise(ValueError, "no")(x, x > 0)
    f = tv.function([x], tv.attempt(checked, 7.0, on=ValueError))
    assert (f(2.0), f(-2.0)) == (2.0, 7.0)


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (lambda x: tv.Assert("m")(x), "[Assert] there are no conditions; give at least one after"),
        (lambda x: tv.CheckAndRaise("m"), "exc_type is 'm'; give a class of Exceptions, such as V"),
        (lambda x: tv.Assert(x > 0), "a Variable; give a text"),
    ],
)
def test_a_mistake_is_told(mistake: Callable[[Any], Any], told: str) -> None:
    with pytest.raises(TypeError) as error:
        mistake(tv.scalar("x"))
    assert told in str(error.value)
