"""The record of a profile: saved and loaded, merged, and told apart from another."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from profiles import PROFILE, SEARCH, node, single

import thunkvm as tv
from thunkvm.profile import (
    ArmRow,
    ConditionRow,
    Event,
    FunctionRecord,
    GroupRow,
    NodeRow,
    Profile,
    ProfileFileError,
)
from thunkvm.profile.difference_sections import difference_sections
from thunkvm.profile.section import Section


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    PROFILE.save(tmp_path / "p.json")
    assert Profile.load(tmp_path / "p.json") == PROFILE


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"traceEvents": []}')
    with pytest.raises(ProfileFileError, match=r"other\.json is no profile .*'format' has to be"):
        Profile.load(tmp_path / "other.json")


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(ProfileFileError, match=r"x\.png is no profile: it is not text"):
        Profile.load(tmp_path / "x.png")
    (tmp_path / "x.txt").write_text("hello")
    with pytest.raises(ProfileFileError, match=r"x\.txt is no profile as .*: it is not JSON"):
        Profile.load(tmp_path / "x.txt")


def test_a_file_that_is_cut_off_says_so(tmp_path: Path) -> None:
    PROFILE.save(tmp_path / "p.json")
    text = (tmp_path / "p.json").read_text()
    (tmp_path / "p.json").write_text(text[: len(text) // 2])
    with pytest.raises(ProfileFileError, match=r"p\.json is no .*: it is cut off or damaged"):
        Profile.load(tmp_path / "p.json")


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"format": "thunkvm-profile", "version": 2, "kind": "time"}')
    with pytest.raises(ProfileFileError, match=r"its 'version' has to be 1, .* and is 2"):
        Profile.load(tmp_path / "p.json")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("runs", "ten", r"nodes\[0\]\.runs must be integer, and is 'ten'"),
        ("runs", True, r"nodes\[0\]\.runs must be integer, and is True"),
        ("self_time", None, r"nodes\[0\]\.self_time must be number, and is None"),
        ("group", "one", r"nodes\[0\]\.group must be integer or null, and is 'one'"),
        ("speed", 1, r"nodes\[0\] must not contain \{'speed'\} properties"),
        ("index", 7, r"nodes\[0\]\.index is 7, and has to be 0"),
        ("inputs", [8], r"nodes\[0\]\.inputs names node 8, and there are 8"),
        ("group", 3, "names group 3, and there are 1"),
        ("region_index", 3, "names region 3, and there are 3"),
    ],
)
def test_a_damaged_row_is_named(field: str, value: object, message: str, tmp_path: Path) -> None:
    damaged = json.loads(PROFILE.to_json() or "")
    damaged["functions"][0]["nodes"][0][field] = value
    (tmp_path / "p.json").write_text(json.dumps(damaged))
    with pytest.raises(ProfileFileError, match=message):
        Profile.load(tmp_path / "p.json")


@pytest.mark.parametrize(
    ("region", "message"),
    [
        ({"index": 0, "condition": 0, "arm": 2}, "names arm of condition 0 2, and there are 2"),
        ({"index": 0, "condition": 2, "arm": 0}, "names condition 2, and there are 2"),
        ({"index": 0, "around": 0, "condition": 0, "arm": 0}, "names region 0, and there are 0"),
    ],
)
def test_a_damaged_region_is_named(region: object, message: str, tmp_path: Path) -> None:
    damaged = json.loads(PROFILE.to_json() or "")
    damaged["functions"][0]["regions"][0] = region
    (tmp_path / "p.json").write_text(json.dumps(damaged))
    with pytest.raises(ProfileFileError, match=message):
        Profile.load(tmp_path / "p.json")


def test_counts_and_times_of_the_same_function_add_up() -> None:
    function = PROFILE.merge(PROFILE, PROFILE).functions[0]
    solve = function.nodes[2]
    assert (solve.runs, solve.entered, solve.bytes_allocated) == (6, 6, 4800)
    assert solve.self_time == pytest.approx(0.24)
    assert solve.peak_bytes == 800
    assert function.nodes[0].min == 0.00005
    assert function.nodes[0].first == 0.0003
    assert (function.n_calls, function.dropped_events) == (30, 9)
    assert function.overheads.cache_hits == 3
    assert function.groups == (
        GroupRow(index=0, nodes=(1,), runs=24, self_time=0.024, kind="fused"),
    )


def test_calls_of_a_merged_run_come_after_those_before() -> None:
    function = PROFILE.merge(PROFILE).functions[0]
    assert function.n_calls == 20  # of each ten, two are recorded by themselves
    assert [call.index for call in function.calls] == [0, 1, 10, 11]
    assert function.calls[2].start == pytest.approx(0.0424)
    assert [event.call for event in function.events[8:]] == [10, 10, 10, 11, 11, 11, 11, 11]
    assert function.events[8].start == pytest.approx(0.0424)


def test_an_arm_that_ran_in_one_of_two_runs_makes_the_saving_known() -> None:
    def run(then: int, other: int) -> Profile:
        arms = (
            ArmRow(name="then", taken=then, time=1.0 * then, nodes=(0,)),
            ArmRow(name="else", taken=other, time=3.0 * other, nodes=(1,)),
        )
        condition = ConditionRow(index=0, node=2, evaluations=then + other, arms=arms)
        nodes = (node(0, "exp", 1), node(1, "log", 2), node(2, "ifelse", 3))
        return Profile(functions=(FunctionRecord(name="f", nodes=nodes, conditions=(condition,)),))

    merged = run(2, 0).merge(run(0, 1)).functions[0].conditions[0]
    assert merged.evaluations == 3
    assert merged.saved == 2 * 3.0 + 1 * 1.0  # the else arm twice, the then arm once
    assert run(2, 0).merge(run(1, 0)).functions[0].conditions[0].saved is None


def test_groups_that_differ_stand_side_by_side() -> None:
    other = replace(
        SEARCH,
        groups=(GroupRow(index=0, nodes=(2, 3), runs=1, self_time=0.5, kind="call"),),
        nodes=tuple(replace(n, group=0 if n.index in (2, 3) else None) for n in SEARCH.nodes),
        events=(Event(thread=0, start=0.0, duration=0.5, group=0, kind="group"),),
    )
    merged = PROFILE.merge(replace(PROFILE, functions=(other,))).functions[0]
    assert [(g.index, g.nodes, g.runs) for g in merged.groups] == [(0, (1,), 8), (1, (2, 3), 1)]
    assert merged.events[-1].group == 1


def test_functions_that_are_not_the_same_stand_side_by_side() -> None:
    merged = single("exp", 1.0).merge(single("log", 1.0), single("exp", 2.0, mode="cvm"))
    assert [(f.mode, f.nodes[0].op) for f in merged.functions] == [
        ("vm", "exp"),
        ("vm", "log"),
        ("cvm", "exp"),
    ]


def test_profiles_of_two_kinds_do_not_merge() -> None:
    with pytest.raises(ValueError, match="a profile of kind 'trace' and one of kind 'time'"):
        PROFILE.merge(single("exp", 1.0))


def test_a_difference_has_a_row_for_each_node_of_either() -> None:
    before = FunctionRecord(
        name="f", nodes=(node(0, "mul", 3, self_time=1.0, runs=1), node(1, "mul", 3, runs=4))
    )
    after = FunctionRecord(
        name="f", nodes=(node(0, "exp", 9, self_time=0.5, runs=2), node(1, "mul", 3, self_time=5.0))
    )
    difference = Profile(functions=(before,)).diff(Profile(functions=(after,)))
    assert [
        (
            change.key.op,
            change.key.line,
            change.key.position,
            change.time_change,
            change.runs_change,
        )
        for change in difference.functions[0].nodes
    ] == [("mul", 3, 0, 4.0, -1), ("exp", 9, 0, 0.5, 2), ("mul", 3, 1, 0.0, -4)]


def test_two_versions_of_one_function_are_matched_whatever_their_names() -> None:
    difference = single("exp", 1.0, name="old").diff(single("exp", 3.0, name="new"))
    assert [(f.name, f.nodes[0].time_change) for f in difference.functions] == [("old -> new", 2.0)]


def test_functions_of_larger_profiles_are_matched_by_name() -> None:
    before = single("exp", 1.0, name="f").merge(single("log", 1.0, name="g"))
    after = single("log", 4.0, name="g").merge(single("sin", 1.0, name="h"))
    names = [(f.name, f.before is None, f.after is None) for f in before.diff(after).functions]
    assert names == [("f", False, True), ("g", False, False), ("h", True, False)]


def asked(
    then: int, otherwise: int, text: str = "good", name: str = "f", line: int = 4
) -> FunctionRecord:
    """A function of one condition that took its arms so often."""
    arms = (ArmRow(name="then", taken=then), ArmRow(name="else", taken=otherwise))
    condition = ConditionRow(
        index=0, node=0, text=text, line=line, evaluations=then + otherwise, arms=arms
    )
    return FunctionRecord(name=name, nodes=(node(0, "ifelse", line),), conditions=(condition,))


def branches_of_difference(before: FunctionRecord, after: FunctionRecord) -> Section:
    difference = Profile(functions=(before,)).diff(Profile(functions=(after,)))
    return difference_sections(difference)[1]


def test_a_difference_shows_the_shares_of_the_branches() -> None:
    table = branches_of_difference(asked(3, 1), asked(1, 1))
    assert table.title == "branches of f"
    assert table.headers[:4] == ("condition", "arm", "share before", "share after")
    assert table.rows == (
        ("good", "then", "75.0%", "50.0%", "4", "2"),
        ("", "else", "25.0%", "50.0%", "", ""),
    )


def test_a_difference_matches_conditions_whose_lines_moved() -> None:
    table = branches_of_difference(asked(3, 1, line=4), asked(3, 1, line=9))
    assert len(table.rows) == 2


def test_a_difference_shows_conditions_that_one_profile_has() -> None:
    table = branches_of_difference(asked(3, 1, "good"), asked(0, 0, "fine"))
    assert [row[:4] for row in table.rows] == [
        ("good", "then", "75.0%", ""),
        ("", "else", "25.0%", ""),
        ("fine", "then", "", ""),
        ("", "else", "", ""),
    ]


def test_a_difference_has_the_branches_that_changed_most_first() -> None:
    before = replace(SEARCH, conditions=(*SEARCH.conditions, *asked(1, 3).conditions))
    after = replace(SEARCH, conditions=(*SEARCH.conditions, *asked(3, 1).conditions))
    assert branches_of_difference(before, after).rows[0][0] == "good"


def test_rich_prints_a_difference_in_80_characters() -> None:
    console = pytest.importorskip("rich.console", reason="rich is not installed")
    out = console.Console(file=io.StringIO(), width=80)
    out.print(PROFILE.diff(PROFILE))
    text = out.file.getvalue()
    assert "branches of search" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_times_of_a_function_are_its_nodes_and_what_is_around_them() -> None:
    assert SEARCH.node_time == pytest.approx(0.09)
    assert SEARCH.time == pytest.approx(0.1)  # linking and compiling are in no call


def test_a_rate_over_a_time_that_no_clock_measures_is_unknown() -> None:
    assert NodeRow(index=0, op="exp", flops=1e6, self_time=5e-324).gflops is None
    assert NodeRow(index=0, op="exp", flops=1e6, self_time=1e-3).gflops == 1.0


def test_a_record_calls_the_default_of_a_switch_by_its_name() -> None:
    i, x = tv.lscalar("i"), tv.scalar("x")
    f = tv.function([i, x], tv.switch_case(i, [x, x * 2], default=-x), mode="vm")
    with f.record() as r:
        f(7, 1.0)
    assert str(r).splitlines()[1].strip() == "call 0: i: default"
    assert f.replay(None, force={"i": "default"})(0, 3.0) == -3.0
