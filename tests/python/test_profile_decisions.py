"""Which way the conditions of calls went: kept, compared, saved, and run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thunkvm as tv
from thunkvm.profile.decisions import Decisions, DecisionsFileError

MODES = ["py", "vm", tv.Mode("cvm", compile="now")]


def nested(mode: Any = "vm") -> Any:
    """x > 0 decides; if it is, x < 1 does."""
    x = tv.scalar("x")
    return tv.function([x], tv.ifelse(x > 0, tv.ifelse(x < 1, x, x * 10), -x), mode=mode)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_the_outcomes_of_each_call_are_kept(mode: Any) -> None:
    f = nested(mode)
    f(0.5)
    with f.record() as r:
        f(0.5)
        f(-1.0)
        f(2.0)
    f(0.5)
    assert [r.outcomes(call) for call in range(len(r))] == [
        {"x > 0.0": True, "x < 1.0": True},
        {"x > 0.0": False},
        {"x > 0.0": True, "x < 1.0": False},
    ]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_replay_goes_the_way_of_its_call(mode: Any) -> None:
    f = nested(mode)
    with f.record() as r:
        f(0.5)
        f(-1.0)
        f(2.0)
    assert [f.replay(r, call=call)(0.25) for call in range(3)] == [0.25, -0.25, 2.5]


def test_a_forced_condition_goes_its_way_and_the_others_as_recorded() -> None:
    f = nested()
    with f.record() as r:
        f(2.0)
    assert f.replay(r, force={"x > 0.0": False})(3.0) == -3.0
    assert f.replay(r, force={"x < 1.0": True})(3.0) == 3.0


def test_without_a_record_what_is_not_forced_is_decided_by_values() -> None:
    replay = nested().replay(force={"x < 1.0": "else"})
    assert [replay(0.5), replay(-1.0)] == [5.0, 1.0]


def test_a_replay_runs_only_what_the_forced_arm_needs() -> None:
    ran = []

    @tv.as_op(itypes=[tv.dscalar], otypes=[tv.dscalar])
    def watched(x: Any) -> Any:
        ran.append(float(x))
        return x

    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0, watched(x), -x), mode="vm")
    f.replay(force={0: False})(1.0)
    assert ran == []


def test_case_of_a_switch_is_forced_by_its_index() -> None:
    i, x = tv.iscalar("i"), tv.scalar("x")
    f = tv.function([i, x], tv.switch_case(i, [x, x * 2, x * 3]), mode="vm")
    with f.record() as r:
        f(1, 5.0)
    assert r.outcomes(0) == {"i": 1}
    assert f.replay(r)(0, 5.0) == 10.0
    assert f.replay(r, force={"i": 2})(0, 5.0) == 15.0


def test_calls_diverge_at_the_first_condition_that_differs() -> None:
    f = nested()
    with f.record() as r:
        f(0.5)
        f(2.0)
    found = r.divergence(r, call=0, other_call=1)
    assert found is not None
    assert (found.condition.text, found.first, found.second) == ("x < 1.0", True, False)
    assert found.condition.file == __file__
    assert found.condition.line > 0
    assert "was True in the first and False in the second" in str(found)


def test_records_of_two_modes_are_compared_call_by_call() -> None:
    records = []
    for mode, values in (("vm", (0.5, 2.0)), ("py", (0.5, -2.0))):
        f = nested(mode)
        with f.record() as r:
            for value in values:
                f(value)
        records.append(r)
    found = records[0].divergence(records[1])
    assert found is not None
    assert (found.call, found.condition.text) == (1, "x > 0.0")
    assert records[0].divergence(records[0]) is None


def test_what_was_saved_is_loaded_and_replayed(tmp_path: Path) -> None:
    f = nested()
    with f.record() as r:
        f(2.0)
    r.save(tmp_path / "calls.json")
    loaded = Decisions.load(tmp_path / "calls.json")
    assert loaded.calls == r.calls
    assert f.replay(loaded)(0.5) == 5.0


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"format": "other"}')
    with pytest.raises(DecisionsFileError, match=r"other\.json is of the format 'other'"):
        Decisions.load(tmp_path / "other.json")
    (tmp_path / "cut.json").write_text('{"form')
    with pytest.raises(DecisionsFileError, match="holds no decisions"):
        Decisions.load(tmp_path / "cut.json")


def test_decisions_of_another_function_are_refused() -> None:
    x = tv.scalar("x")
    other = tv.function([x], tv.ifelse(x > 7, x, -x), mode="vm")
    with other.record() as r:
        other(1.0)
    with pytest.raises(ValueError, match="the decisions are another function's"):
        nested().replay(r)


@pytest.mark.parametrize(
    ("force", "message"),
    [
        ({"x > 1.0": True}, r"no condition 'x > 1.0'; it has .*'x > 0.0'"),
        ({"x > 0.0": "maybe"}, "x > 0.0 has no arm 'maybe'; it has 'then', 'else'"),
        ({"x > 0.0": 2}, "has no arm 2"),
    ],
)
def test_what_cannot_be_forced_is_refused(force: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nested().replay(force=force)


def test_a_call_that_was_not_recorded_is_refused() -> None:
    f = nested()
    with f.record() as r:
        f(1.0)
    with pytest.raises(IndexError, match="there is no call 1: 1 calls were recorded"):
        f.replay(r, call=1)
