"""Records and replays of conditions in loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thunkvm as tv
from thunkvm.profile.decisions import Decisions

MODES = ["py", "vm", "FAST_RUN"]
X, N = tv.scalar("x"), tv.lscalar("n")


def bouncing(mode: str) -> Any:
    """Doubles below 4 and halves above, as often as it is told."""
    last = tv.fori_loop(0, N, lambda i, s: tv.ifelse(s < 4.0, s * 2.0, s * 0.5), X)
    return tv.function([X, N], last, mode=mode)


def recorded(f: Any, *calls: Any) -> Decisions:
    with f.record() as r:
        for arguments in calls:
            f(*arguments)
    return r  # type: ignore[no-any-return]


def asked(r: Decisions, call: int, part: str) -> Any:
    return next(turns for text, turns in r.turns(call).items() if part in text)


@pytest.mark.parametrize("mode", MODES)
def test_a_record_has_the_turns_of_conditions_in_loops(mode: str) -> None:
    r = recorded(bouncing(mode), (1.0, 5), (9.0, 2))
    assert asked(r, 0, "< 4") == [(True, 2), (False, 1), (True, 1), (False, 1)]
    assert asked(r, 0, "< n") == [(True, 5), (False, 1)]
    assert asked(r, 1, "< 4") == [(False, 2)]
    assert r.outcomes(0) == {}


@pytest.mark.parametrize("mode", MODES)
def test_a_replay_takes_the_recorded_arms_in_each_step(mode: str) -> None:
    f = bouncing(mode)
    r = recorded(f, (1.0, 5))
    assert f(100.0, 1) == 50.0
    assert f.replay(r)(100.0, 1) == 100.0 * 2 * 2 * 0.5 * 2 * 0.5  # five steps, as there


@pytest.mark.parametrize("mode", MODES)
def test_a_replay_of_loops_in_loops_takes_the_arms_of_each_run(mode: str) -> None:
    inner = lambda k, s: tv.fori_loop(0, k, lambda _, t: tv.ifelse(t > 3.0, t - 3.0, t + 1.0), s)  # noqa: E731
    f = tv.function([X, N], tv.fori_loop(0, N, inner, X), mode=mode)
    r = recorded(f, (0.5, 5))
    expected = f(0.5, 5)
    assert f.replay(r)(0.5, 5) == expected
    assert f.replay(r)(1000.5, 0) == 1000.0 + expected  # the same additions


def test_forced_conditions_go_one_way_in_each_step() -> None:
    assert bouncing("vm").replay(force={"state[1] < 4.0": True})(1.0, 6) == 64.0


@pytest.mark.parametrize("steps", [0, 1, 7])
def test_a_loop_is_forced_by_a_number_of_steps(steps: int) -> None:
    f = bouncing("vm")
    replay = f.replay(force={"state[0] < n": steps, "state[1] < 4.0": True})
    assert replay(1.0, 3) == 2.0**steps
    assert replay(1.0, 100) == 2.0**steps


@pytest.mark.parametrize("value", [True, "step", -1, 2.0])
def test_a_loop_is_forced_by_nothing_else(value: Any) -> None:
    with pytest.raises(ValueError, match="forced by a number of steps"):
        bouncing("vm").replay(force={"state[0] < n": value})


def test_divergence_says_which_time_a_condition_in_a_loop_went_another_way() -> None:
    r = recorded(bouncing("vm"), (1.0, 5), (1.0, 5), (3.0, 5))
    assert r.divergence(r, 0, 1) is None
    found = r.divergence(r, 0, 2)
    assert found is not None
    assert (found.time, found.first, found.second) == (1, True, False)
    assert ", time 1) was True in the first and False in the second" in str(found)
    shorter = recorded(bouncing("vm"), (1.0, 2))
    found = r.divergence(shorter, 0, 0)
    assert found is not None
    assert found.condition.text == "state[0] < n"
    assert (found.time, found.first, found.second) == (2, True, False)


def test_a_record_of_loops_is_read_as_it_was_saved(tmp_path: Path) -> None:
    f = bouncing("vm")
    r = recorded(f, (1.0, 5), (9.0, 2))
    r.save(tmp_path / "r.json")
    read = Decisions.load(tmp_path / "r.json")
    assert read.in_loops == r.in_loops
    assert f.replay(read, call=1)(64.0, 0) == 16.0


def test_decisions_of_other_modes_agree_in_loops() -> None:
    records = [recorded(bouncing(mode), (1.0, 5), (9.0, 2)) for mode in MODES]
    assert records[0].divergence(records[1]) is None
    assert records[0].divergence(records[2]) is None
