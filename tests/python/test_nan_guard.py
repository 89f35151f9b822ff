"""NanGuardMode: the node that makes a NaN, an infinity or a big number is found."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.checking.nan_guard import NanGuardError, NanGuardWarning

LINKERS = ["py", "vm", "cvm", "c|py"]


@pytest.mark.parametrize("linker", LINKERS)
def test_the_node_that_makes_a_nan_is_named_with_its_inputs(linker: str) -> None:
    x = tv.vector("x")
    y = tv.log(x)
    y.name = "logs"
    f = tv.function([x], (y * 2.0).sum(), mode=tv.NanGuardMode(linker=linker))
    assert f([1.0]) == 0.0
    with pytest.raises(NanGuardError) as raised:
        f([1.0, 3.0, -2.0])
    message = str(raised.value)
    assert message.startswith("1 of 3 elements is NaN, the first at (2,) (nan), in output 0 of")
    assert "the node log, made at test_nan_guard.py:" in message
    assert "It was made here: no input has one. The inputs are input 0, x, from -2 to 3." in message
    assert "input 0: x" in raised.value.__notes__[0]


def test_an_argument_that_has_one_is_named() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], x * y, mode=tv.NanGuardMode())
    with pytest.raises(NanGuardError, match=r"in the argument y, which is input 1 of the node mul"):
        f([1.0], [np.inf])


def test_a_shared_variable_that_has_one_is_named() -> None:
    w, x = tv.shared(np.array([np.nan]), "w"), tv.vector("x")
    f = tv.function([x], x * w, mode=tv.NanGuardMode())
    with pytest.raises(NanGuardError, match="in the shared variable w"):
        f([1.0])


@pytest.mark.parametrize(
    ("value", "option"),
    [
        (np.nan, "nan_is_error"),
        (np.inf, "inf_is_error"),
        (-np.inf, "inf_is_error"),
        (-1e11, "big_is_error"),
    ],
)
def test_each_kind_is_an_error_where_it_is_asked_for(value: float, option: str) -> None:
    x = tv.scalar("x")
    every = {"nan_is_error": True, "inf_is_error": True, "big_is_error": True}
    with pytest.raises(NanGuardError):
        tv.function([x], -x, mode=tv.NanGuardMode(**every))(value)
    only = dict.fromkeys(every, False) | {option: True}
    with pytest.raises(NanGuardError):
        tv.function([x], -x, mode=tv.NanGuardMode(**only))(value)
    without = every | {option: False}
    tv.function([x], -x, mode=tv.NanGuardMode(**without))(value)


def test_a_complex_number_has_them_in_either_part() -> None:
    x = tv.vector("x", dtype="complex128")
    f = tv.function([x], x + 1.0, mode=tv.NanGuardMode())
    with pytest.raises(NanGuardError, match="1 of 1 elements is NaN"):
        f(np.array([complex(0.0, np.nan)]))


def test_a_nan_in_an_arm_that_is_not_taken_is_none() -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0, tv.log(x), x), mode=tv.NanGuardMode())
    assert f(-1.0) == -1.0
    with pytest.raises(NanGuardError):
        tv.function([x], tv.where(x > 0, tv.log(x), x), mode=tv.NanGuardMode())(-1.0)


def test_a_constant_may_be_infinite_and_integers_are_what_they_are() -> None:
    x, n = tv.scalar("x"), tv.scalar("n", dtype="int64")
    f = tv.function([x, n], [tv.minimum(x, np.inf), n * 2], mode=tv.NanGuardMode())
    assert f(1.0, 10**12) == [1.0, 2 * 10**12]


def test_a_warning_is_given_once_where_it_arises() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(tv.log(x)) + 1.0, mode=tv.NanGuardMode(action="warn"))
    with pytest.warns(NanGuardWarning) as warned:
        assert np.isnan(f([-1.0])).all()
    assert len(warned) == 1
    assert "the node log" in str(warned[0].message)


def test_the_debugger_stops_where_it_arises(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stops: list[Any] = []
    monkeypatch.setattr(builtins, "breakpoint", lambda: stops.append(1))
    x = tv.vector("x")
    f = tv.function([x], tv.exp(tv.log(x)), mode=tv.NanGuardMode(action="pdb"))
    f([-1.0])
    assert stops == [1]
    assert capsys.readouterr().out.startswith("NanGuardMode: 1 of 1 elements is NaN")


def test_values_in_lists_of_a_generic_are_looked_at() -> None:
    class Pair(tv.Op):
        def make_node(self, x: Any) -> Any:
            return tv.Apply(self, [x], [tv.Generic()()])

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = [inputs[0], {"log": np.log(inputs[0])}]

    x = tv.vector("x")
    f = tv.function([x], Pair()(x), mode=tv.NanGuardMode())
    with np.errstate(all="ignore"), pytest.raises(NanGuardError, match="infinite"):
        f([0.0])


def test_the_mode_by_its_name() -> None:
    x = tv.scalar("x")
    f = tv.function([x], 1.0 / x, mode="NanGuardMode")
    with pytest.raises(AssertionError, match="infinite value inf in output 0 of the node true_div"):
        f(0.0)


def test_an_action_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match=r"action is 'rise'.*Did you mean 'raise'"):
        tv.NanGuardMode(action="rise")
