"""print_ and breakpoint_: values pass through, and are shown if and only if they are needed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "c|py", "FAST_RUN", "FAST_COMPILE"]
Monitored = list[Any]


@pytest.fixture
def stops(monkeypatch: pytest.MonkeyPatch) -> list[Monitored]:
    """What the debugger saw at each stop."""
    seen: list[Monitored] = []
    at_each_stop(monkeypatch, lambda monitored: seen.append(list(monitored)))
    return seen


def at_each_stop(monkeypatch: pytest.MonkeyPatch, act: Callable[[Monitored], None]) -> None:
    def hook() -> None:
        act(sys._getframe(1).f_locals["monitored"])

    monkeypatch.setattr(sys, "breakpointhook", hook)


@pytest.mark.parametrize("mode", MODES)
def test_print_shows_the_value_and_passes_it_on(
    mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.print_(x * 2, "twice", attrs=("__str__", "shape")) + 1, mode=mode)
    assert f([1.0, 2.0]).tolist() == [3.0, 5.0]
    assert capsys.readouterr().out == "twice __str__ = [2. 4.]\ntwice shape = (2,)\n"


@pytest.mark.parametrize("mode", MODES)
def test_what_is_not_needed_is_not_printed(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    f = tv.function(
        [c, x], tv.ifelse(c > 0, tv.print_(x, "then"), tv.print_(-x, "else")), mode=mode
    )
    f(1.0, 5.0)
    assert capsys.readouterr().out == "then __str__ = 5.0\n"
    f(-1.0, 5.0)
    assert capsys.readouterr().out == "else __str__ = -5.0\n"


def test_equal_prints_are_not_merged(capsys: pytest.CaptureFixture[str]) -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.print_(x, "seen") + tv.print_(x, "seen"), mode="FAST_RUN")
    assert f(1.0) == 2.0
    assert capsys.readouterr().out == "seen __str__ = 1.0\n" * 2


def test_equal_prints_of_a_file_are_not_merged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = tv.scalar("x")
    tv.save(tmp_path / "sum.tv", tv.print_(x, "seen") + tv.print_(x, "seen"), [x])
    loaded = tv.load(tmp_path / "sum.tv")
    assert tv.function(loaded.inputs, loaded.outputs, mode="FAST_RUN")(1.0) == 2.0
    assert capsys.readouterr().out == "seen __str__ = 1.0\n" * 2


def test_a_breakpoint_of_a_file_stops(tmp_path: Path, stops: list[Monitored]) -> None:
    x = tv.scalar("x")
    tv.save(tmp_path / "sum.tv", tv.breakpoint_("negative", x < 0, x), [x])
    loaded = tv.load(tmp_path / "sum.tv")
    f = tv.function(loaded.inputs, loaded.outputs)
    assert f(1.0) == 1.0
    assert f(-2.0) == -2.0
    assert stops == [[-2.0]]


def test_a_gradient_passes_through_a_print_and_prints_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.grad(tv.print_(x * x), x))
    assert f(3.0) == 6.0
    assert capsys.readouterr().out == ""


def test_print_shows_any_object(capsys: pytest.CaptureFixture[str]) -> None:
    x = tv.generic("x")
    assert tv.function([x], tv.print_(x, "object"))({"a": 1}) == {"a": 1}
    assert capsys.readouterr().out == "object __str__ = {'a': 1}\n"


def test_an_attribute_that_arrays_have_not_is_named() -> None:
    with pytest.raises(AttributeError, match=r"attrs has 'shap', but .* Did you mean 'shape'\?"):
        tv.print_(tv.vector("x"), attrs=("shap",))
    with pytest.raises(TypeError, match="attrs is 'shape'; it has to be a sequence of names"):
        tv.print_(tv.vector("x"), attrs="shape")


@pytest.mark.parametrize("mode", MODES)
def test_a_breakpoint_stops_once_where_its_condition_is_true(
    mode: str, stops: list[Monitored], capsys: pytest.CaptureFixture[str]
) -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    a, b = tv.breakpoint_("negative", x < 0, x, y * 2)
    f = tv.function([x, y], [a + b, a - b], mode=mode)
    assert f(1.0, 5.0) == [11.0, -9.0]
    assert stops == []
    assert f(-1.0, 5.0) == [9.0, -11.0]
    assert stops == [[-1.0, 10.0]]
    assert "breakpoint 'negative'" in capsys.readouterr().out


@pytest.mark.parametrize("mode", MODES)
def test_a_breakpoint_that_nobody_needs_does_not_stop(mode: str, stops: list[Monitored]) -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    f = tv.function([c, x], tv.ifelse(c > 0, tv.breakpoint_("here", True, x), -x), mode=mode)
    assert f(-1.0, 5.0) == -5.0
    assert stops == []
    assert f(1.0, 5.0) == 5.0
    assert stops == [[5.0]]


@pytest.mark.parametrize("mode", MODES)
def test_without_a_stop_only_the_needed_variables_are_computed(
    mode: str, stops: list[Monitored]
) -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    a, b = tv.breakpoint_("both", c > 1, tv.exp(x), tv.sin(x))
    f = tv.function([c, x], tv.ifelse(c > 0, a, b), mode=mode)
    for condition, computed in ((0.5, (1, 0)), (-0.5, (0, 1)), (2.0, (1, 1))):
        f.reset_counters()
        f(condition, 0.0)
        runs = {row.op: row.runs for row in f.node_runs()}
        assert (runs["exp"], runs["sin"]) == computed
    assert stops == [[1.0, 0.0]]


def test_what_is_assigned_in_the_debugger_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def repair(monitored: Monitored) -> None:
        monitored[0][1] = 7.0
        monitored[1] = 3

    at_each_stop(monkeypatch, repair)
    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], tv.breakpoint_("repair", True, x, y))
    given = np.array([1.0, 2.0])
    vector, number = f(given, 5.0)
    assert (vector.tolist(), number) == ([1.0, 7.0], 3.0)
    assert given.tolist() == [1.0, 2.0]


def test_a_value_that_does_not_fit_names_the_breakpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    at_each_stop(monkeypatch, lambda monitored: monitored.__setitem__(0, "text"))
    x = tv.scalar("x")
    f = tv.function([x], tv.breakpoint_("bad", True, x))
    with pytest.raises(TypeError, match=r"breakpoint 'bad': what monitored\[0\] was set to"):
        f(1.0)


def test_a_value_that_was_taken_away_names_the_breakpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    at_each_stop(monkeypatch, lambda monitored: monitored.clear())
    x = tv.scalar("x")
    f = tv.function([x], tv.breakpoint_("bad", True, x))
    with pytest.raises(TypeError, match=r"breakpoint 'bad': what monitored\[0\] was set to"):
        f(1.0)


def test_a_gradient_passes_through_a_breakpoint(stops: list[Monitored]) -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    a, b = tv.breakpoint_("here", True, x, y)
    f = tv.function([x, y], tv.grad(a * b * b, [x, y]))
    assert f(2.0, 3.0) == [9.0, 12.0]


def test_equal_breakpoints_are_not_merged(stops: list[Monitored]) -> None:
    x = tv.scalar("x")
    first, second = (tv.breakpoint_("here", True, x) for _ in range(2))
    tv.function([x], first + second, mode="FAST_RUN")(1.0)
    assert stops == [[1.0], [1.0]]


def test_arguments_of_a_breakpoint_are_checked() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match=r"condition of 'b' is .*has to be a scalar: reduce it"):
        tv.breakpoint_("b", x > 0, x)
    with pytest.raises(TypeError, match="'b' has no variable to show"):
        tv.breakpoint_("b", True)
    with pytest.raises(TypeError, match="the name is True, a bool"):
        tv.breakpoint_(True, x, x)  # type: ignore[arg-type]
