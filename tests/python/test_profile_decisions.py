"""Which way the conditions of calls went: kept, compared, saved, and run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thunkvm as tv
from thunkvm.profile import ProfileFileError
from thunkvm.profile.decisions import Decisions

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
    with pytest.raises(ProfileFileError, match=r"other\.json is no record .* and is 'other'"):
        Decisions.load(tmp_path / "other.json")
    (tmp_path / "cut.json").write_text('{"form')
    with pytest.raises(ProfileFileError, match=r"no record of decisions .*: it is not JSON"):
        Decisions.load(tmp_path / "cut.json")


def many_calls(n: int) -> tuple[Any, Decisions]:
    """Record calls of which the first alone is positive."""
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0, x * 2, -x), mode="vm")
    with f.record() as r:
        f(1.0)
        for _ in range(n - 1):
            f(-1.0)
    return f, r


def test_calls_are_numbered_from_the_first_where_old_ones_were_dropped(tmp_path: Path) -> None:
    n = 2**17 + 1
    f, r = many_calls(n)
    assert (len(r), r.first) == (n, 2**16)
    assert r.outcomes(n - 1) == {"x > 0.0": False}
    with pytest.raises(IndexError, match="call 0 was dropped: of 131073 calls the latest 65537"):
        f.replay(r, call=0)
    with pytest.raises(IndexError, match="call 65535 was dropped"):
        r.outcomes(2**16 - 1)
    assert str(r).startswith("131,073 calls, of which the latest 65,537 are kept\n  ...\n")
    r.save(tmp_path / "calls.json")
    assert Decisions.load(tmp_path / "calls.json").first == 2**16
    assert f.replay(r, call=2**16)(5.0) == -5.0
    assert r.divergence(r) is None


def test_the_calls_of_a_profile_are_numbered_from_the_first() -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0, x * 2, -x), mode="vm")
    with tv.profile() as p:
        for _ in range(2**17 + 1):
            f(1.0)
    calls = p.functions[0].calls
    assert [calls[0].index, calls[-1].index] == [2**16, 2**17]


def conditions_of_one_line(mode: Any = "vm") -> Any:
    """x > 0, x > 1 and x > 2 under one name, made by one line."""
    x, y = tv.scalar("x"), tv.scalar("y")
    total = y
    for k in range(3):
        big = x > k
        big.name = "big"
        total = tv.ifelse(big, total + 1.0, total * 2.0)
    return tv.function([x, y], total, mode=mode)


def test_conditions_of_a_loop_are_kept_apart() -> None:
    f = conditions_of_one_line()
    with f.record() as r:
        f(1.5, 0.0)
        f(0.5, 0.0)
    assert [c.position for c in sorted(r.conditions, key=lambda c: c.key)] == [0, 1, 2]
    assert list(r.outcomes(0).values()).count(True) == 2
    assert len(r.outcomes(0)) == 3
    found = r.divergence(r, call=0, other_call=1)
    assert found is not None
    assert (found.condition.position, found.first, found.second) == (1, True, False)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_conditions_of_a_loop_have_their_positions_in_every_mode(mode: Any) -> None:
    records = []
    for each in ("vm", mode):
        f = conditions_of_one_line(each)
        with f.record() as r:
            f(1.5, 0.0)
        records.append(r)
    assert records[0].divergence(records[1]) is None


def test_one_condition_of_a_loop_is_forced_by_what_outcomes_call_it() -> None:
    f = conditions_of_one_line()
    with f.record() as r:
        f(1.5, 0.0)
    first = next(c for c in r.conditions if c.position == 0)
    name = f"{first.text} ({first.node})"
    assert r.outcomes(0)[name] is True
    assert [f.replay(r)(1.5, 0.0), f.replay(r, force={name: False})(1.5, 0.0)] == [4.0, 2.0]


def test_a_record_is_printed_call_by_call() -> None:
    f = nested()
    with f.record() as r:
        f(0.5)
        f(-1.0)
    assert str(r) == ("2 calls\n  call 0: x > 0.0: True, x < 1.0: True\n  call 1: x > 0.0: False")


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
