"""Profiles of loops: how many steps their runs took, what ended them, and how steps decided."""

from __future__ import annotations

import re
from typing import Any

import pytest

import thunkvm as tv
from thunkvm.profile import FunctionRecord, LoopRow, Profile

MODES = ["py", "vm", "FAST_RUN"]
N = tv.lscalar("n")


def halving(mode: str, max_steps: int | None = None) -> Any:
    """A function whose loop takes 0 steps for 0 and 1, 1 for 2 and 3, 2 for 4 to 7, ..."""
    loop = tv.while_loop(lambda n: n > 1, lambda n: n // 2, N, max_steps=max_steps)
    return tv.function([N], loop, mode=mode)


def profiled(f: Any, *calls: Any, kind: str = "time") -> FunctionRecord:
    with f.profile(kind) as p:
        for arguments in calls:
            f(*arguments)
    return p.functions[0]


def only_loop(f: Any, *calls: Any) -> LoopRow:
    (row,) = profiled(f, *calls).loops
    return row


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_has_the_steps_of_its_runs(mode: str) -> None:
    row = only_loop(halving(mode), *[(n,) for n in (1, 2, 4, 5, 1000)])
    assert row.runs == ((0, 1), (1, 1), (2, 2), (9, 1))
    assert (row.least, row.median, row.most) == (0, 2, 9)
    assert (row.n_runs, row.steps) == (5, 14)
    assert row.time > 0.0


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_says_what_ended_its_runs(mode: str) -> None:
    row = only_loop(halving(mode, max_steps=3), (2,), (7,), (8,), (100,), (1000,))
    assert row.ended == {"condition": 2, "max_steps": 3}


@pytest.mark.parametrize("mode", ["vm", "FAST_RUN"])
def test_an_arm_has_the_time_of_the_loop_in_it(mode: str) -> None:
    x = tv.scalar("x")
    loop = tv.fori_loop(0, N, lambda _, s: s * 0.5, 1.0)
    record = profiled(
        tv.function([x, N], tv.ifelse(x > 0, loop, x), mode=mode), (1.0, 50), (-1.0, 50)
    )
    (condition,) = (c for c in record.conditions if c.text == "x > 0.0")
    then, other = condition.arms
    assert (then.idle, other.idle) == (False, True)
    assert then.time >= record.loops[0].time > 0.0
    assert condition.saved == then.time


@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_an_error_ends_is_counted_apart(mode: str) -> None:
    a = tv.matrix("a")
    root = tv.fori_loop(0, N, lambda k, s: s + tv.cholesky(a)[0, 0] * tv.cast(k, "float64"), 0.0)
    f = tv.function([a, N], root, mode=mode)
    with f.profile() as p:
        f([[4.0]], 2)
        with pytest.raises(Exception, match="ositive definite"):
            f([[-4.0]], 2)
    (row,) = p.functions[0].loops
    assert (row.runs, row.failed, row.ended) == (((2, 1),), 1, {"condition": 1, "error": 1})


@pytest.mark.parametrize("mode", MODES)
def test_a_condition_in_a_loop_is_counted_by_step(mode: str) -> None:
    x = tv.scalar("x")
    loop = tv.fori_loop(
        0, N, lambda k, s: tv.ifelse(k < 3, tv.exp(s), tv.ifelse(s > 1e9, s, s * x)), x
    )
    record = profiled(tv.function([x, N], loop, mode=mode), (0.1, 6))
    first = next(c for c in record.conditions if "< 3" in c.text)
    assert first.loop == 0
    assert first.by_steps == ((1, 0), (1, 0), (1, 1), (0, 2))  # steps 0, 1, 2 and 3, 4 and 5
    inner = next(c for c in record.conditions if "1000000000" in c.text)
    assert inner.by_steps == ((0, 0), (0, 0), (0, 1), (0, 2))


@pytest.mark.parametrize("mode", ["vm", "FAST_RUN"])
def test_a_loop_in_a_loop_names_the_one_around_it(mode: str) -> None:
    x = tv.scalar("x")
    inner = lambda k, s: tv.fori_loop(0, k, lambda _, t: t * 0.5 + x, s)  # noqa: E731
    f = tv.function([x, N], tv.fori_loop(0, N, inner, x), mode=mode)
    record = profiled(f, (0.1, 4))
    outside = next(row for row in record.loops if row.outer is None)
    inside = next(row for row in record.loops if row.outer is not None)
    assert (outside.runs, inside.outer) == (((4, 1),), outside.index)
    assert inside.runs == ((0, 1), (1, 1), (2, 1), (3, 1))


def test_the_tables_show_loops_and_arms_by_step() -> None:
    x = tv.scalar("x")
    loop = tv.fori_loop(0, N, lambda k, s: tv.ifelse(k < 1, tv.exp(s), s * x), x)
    f = tv.function([x, N], loop, mode="vm")
    with f.profile() as p:
        f(0.5, 4)
        f(0.5, 2)
    text = str(p)
    (row,) = (line for line in text.splitlines() if line.startswith("fori_loop"))
    assert re.search(r" 2 +6 +2 +2 +4 ", row)  # runs, steps, the fewest, median and most of a run
    assert "condition 2" in row
    (then,) = (line for line in text.splitlines() if " then " in line and "100%" in line)
    assert then.split()[-3:] == ["100%", "0%", "0%"]


def test_the_frames_of_loops_and_of_steps_have_a_row_for_each() -> None:
    f = halving("vm", max_steps=3)
    with f.profile() as p:
        f(100)
    (loop,) = p.to_pandas("loops").to_dict("records")
    assert (loop["steps"], loop["median_steps"], loop["by_limit"]) == (3, 3, 1)
    steps = p.to_pandas("steps")
    assert list(steps[steps.arm == "step"].taken) == [1, 1, 1]


def test_a_trace_has_the_steps_of_loops_as_slices() -> None:
    with halving("vm").profile("trace") as p:
        pass
    f = halving("vm")
    with f.profile("trace") as p:
        f(8)
    trace = p.functions[0]
    steps = [event for event in trace.events if event.kind == "step"]
    assert [event.step for event in steps] == [0, 1, 2]
    call = next(event for event in trace.events if event.kind == "call")
    assert all(call.start <= event.start for event in steps)
    from thunkvm.profile.chrome_trace import chrome_trace

    names = [event["name"] for event in chrome_trace(p)["traceEvents"]]
    assert [name for name in names if " step " in name] == [
        f"while_loop.{trace.loops[0].node} step {k}" for k in range(3)
    ]


def test_of_very_many_steps_a_trace_keeps_the_first_and_powers_of_two() -> None:
    x = tv.scalar("x")
    f = tv.function([x, N], tv.fori_loop(0, N, lambda _, s: s * 0.5, x), mode="FAST_RUN")
    with f.profile("trace") as p:
        f(1.0, 300)
    steps = [event.step for event in p.functions[0].events if event.kind == "step"]
    assert steps == [*range(64), 64, 128, 256]


def test_a_profile_of_loops_is_read_as_it_was_saved(tmp_path: Any) -> None:
    f = halving("vm", max_steps=3)
    with f.profile("trace") as p:
        f(100)
    p.save(tmp_path / "p.json")
    assert Profile.load(tmp_path / "p.json").functions == p.functions


def test_merged_profiles_add_up_the_runs_of_loops() -> None:
    f = halving("vm", max_steps=3)
    with f.profile() as p:
        f(4)
    with f.profile() as q:
        f(100)
        f(4)
    (row,) = p.merge(q).functions[0].loops
    assert (row.runs, row.by_limit, row.steps) == (((2, 2), (3, 1)), 1, 7)


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_a_loop_in_a_loop_says_which_one_it_is_in(mode: str) -> None:
    x = tv.scalar("x")

    def doubled_thrice(value: tv.Variable) -> tv.Variable:
        return tv.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * 2.0, s[1] + 1), (value, 0))[0]

    out = tv.while_loop(lambda s: s < 100.0, doubled_thrice, x)
    f = tv.function([x], out, mode=mode, profile="count")
    f(1.0)
    loops = f.profile.functions[0].loops
    found = {(loop.steps, loop.outer is None) for loop in loops}
    assert found == {(3, True), (9, False)}
    (inner,) = (loop for loop in loops if loop.outer is not None)
    assert loops[inner.outer].steps == 3
