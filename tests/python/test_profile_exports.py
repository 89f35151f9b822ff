"""The formats that profiles are written in keep their rules, and say what was recorded."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from profile_schemas import CHROME_TRACE, SPEEDSCOPE
from profiles import PROFILE, SEARCH, crossings, node, single

import thunkvm as tv
from thunkvm.profile import ArmRow, ConditionRow, Event, FunctionRecord, Profile, RegionRow
from thunkvm.profile.callgrind import callgrind
from thunkvm.profile.chrome_trace import chrome_trace
from thunkvm.profile.dot import to_dot
from thunkvm.profile.stacks import collapsed_stacks, speedscope

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


def traced(*events: Event) -> Profile:
    rows = tuple(node(i, op, i + 1) for i, op in enumerate(("exp", "log", "sin")))
    return Profile(functions=(FunctionRecord(name="f", nodes=rows, events=events),), kind="trace")


def complete(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def test_a_chrome_trace_keeps_the_rules_of_the_format(tmp_path: Path) -> None:
    PROFILE.to_chrome_trace(tmp_path / "trace.json")
    jsonschema.validate(json.loads((tmp_path / "trace.json").read_text()), CHROME_TRACE)


def test_a_chrome_trace_has_a_slice_for_each_event_on_the_track_of_its_thread() -> None:
    events = complete(chrome_trace(PROFILE))
    assert [(event["tid"], event["name"]) for event in events] == [
        (1, "search"),
        (1, "gt.0"),
        (1, "loop: mul.1"),
        (2, "search"),
        (2, "gt.0"),
        (2, "ifelse.5"),
        (2, "solve.2"),
        (2, "lt.3"),
    ]
    assert (int(events[6]["ts"]), int(events[6]["dur"])) == (1300, 40000)
    assert events[6]["args"]["region"] == "only if not better > 0"
    assert events[3]["args"]["arms"] == ["better > 0: else", "step < 1: then"]


def test_slices_nest_though_clock_readings_differ() -> None:
    trace = chrome_trace(
        traced(
            Event(thread=0, start=0.0, duration=1e-5, kind="call"),
            Event(thread=0, start=1e-6, duration=5e-6, node=0),
            Event(thread=0, start=5.9e-6, duration=3e-6, node=1),  # began before exp ended
            Event(thread=0, start=9.5e-6, duration=1e-6, node=2),  # ends after the call
            Event(thread=1, start=5e-6, duration=1e-5, node=2),
        )
    )
    assert crossings(complete(trace)) == []
    assert [round(e["dur"] * 1000) for e in complete(trace)] == [10000, 4900, 3000, 500, 10000]


def test_slices_of_no_length_are_kept() -> None:
    trace = chrome_trace(
        traced(*(Event(thread=0, start=1e-6, duration=0.0, node=0) for _ in range(3)))
    )
    assert len(complete(trace)) == 3
    jsonschema.validate(trace, CHROME_TRACE)


def test_dropped_events_are_told() -> None:
    assert chrome_trace(PROFILE)["otherData"]["dropped events"] == "3"


def test_a_profile_without_events_makes_no_trace(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"kind 'time' and has no events.*profile=\"trace\""):
        single("exp", 1.0).to_chrome_trace(tmp_path / "trace.json")


def test_speedscope_keeps_its_schema(tmp_path: Path) -> None:
    PROFILE.to_speedscope(tmp_path / "p.speedscope.json")
    found = json.loads((tmp_path / "p.speedscope.json").read_text())
    jsonschema.validate(found, SPEEDSCOPE)
    assert [profile["name"] for profile in found["profiles"]] == [
        "search: sums",
        "thread 0",
        "thread 1",
    ]


def test_what_speedscope_opens_it_closes_in_order() -> None:
    for profile in speedscope(PROFILE)["profiles"][1:]:
        open_frames: list[int] = []
        at = profile["startValue"]
        for event in profile["events"]:
            assert event["at"] >= at
            at = event["at"]
            if event["type"] == "O":
                open_frames.append(event["frame"])
            else:
                assert open_frames.pop() == event["frame"]
        assert open_frames == []
        assert at <= profile["endValue"]


def test_speedscope_without_events_has_the_sums() -> None:
    found = speedscope(single("exp", 1.0))
    jsonschema.validate(found, SPEEDSCOPE)
    assert [(p["type"], p["weights"]) for p in found["profiles"]] == [("sampled", [1_000_000_000])]
    assert found["shared"]["frames"][1] == {"name": "exp.0", "file": "search.py", "line": 3}


def test_collapsed_stacks_go_through_the_arms() -> None:
    assert collapsed_stacks(PROFILE).splitlines() == [
        "search;gt.0 1000000",
        "search;ifelse.6 400000",
        "search;better > 0: then;mul.1 8000000",
        "search;better > 0: else;solve.2 80000000",
        "search;better > 0: else;lt.3 500000",
        "search;better > 0: else;ifelse.5 100000",
        "search;around the nodes 10000000",
    ]


def test_a_frame_has_no_semicolon_and_no_newline() -> None:
    f = FunctionRecord(name="a;b\nc", nodes=(node(0, "exp", 1, self_time=1e-9),))
    assert collapsed_stacks(Profile(functions=(f,))) == "a,b c;exp.0 1\n"


def test_callgrind_has_a_condition_that_another_one_as_deep_decides_about() -> None:
    nodes = (
        node(0, "ifelse", 3, region_index=0, runs=1, self_time=1e-9),  # decides 1
        node(1, "exp", 4, region_index=1, runs=1, self_time=2e-9),
        node(2, "ifelse", 5, runs=1, self_time=4e-9),  # decides 0
    )
    then = (ArmRow(name="then", taken=1),)
    conditions = tuple(ConditionRow(index=i, node=(2, 0)[i], arms=then) for i in range(2))
    regions = tuple(RegionRow(index=i, condition=i, arm=0) for i in range(2))
    f = FunctionRecord(name="f", nodes=nodes, conditions=conditions, regions=regions)
    lines = callgrind(Profile(functions=(f,))).splitlines()
    assert lines[lines.index("cfn=f: ifelse.0") + 2] == "5 3 2"
    assert lines[lines.index("cfn=f: ifelse.2") + 2] == "0 7 3"


@pytest.mark.skipif(
    not shutil.which("callgrind_annotate"), reason="callgrind_annotate (valgrind) is not installed"
)
def test_callgrind_annotate_reads_what_is_written_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # a sanitizer's, which is for Python alone
    PROFILE.to_callgrind(tmp_path / "callgrind.out")

    def read(*options: str) -> dict[str, int]:
        command = [
            "callgrind_annotate",
            "--threshold=100",
            *options,
            str(tmp_path / "callgrind.out"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows = re.findall(r"^ *([\d,]+) \([ \d.]+%\).*search\.py:(.+?)(?: \[|$)", done.stdout, re.M)
        return {name: int(cost.replace(",", "")) for cost, name in rows}

    assert read() == {
        "search": 10_000_000,
        "search: gt.0": 1_000_000,
        "search: ifelse.6": 400_000,
        "search: mul.1": 8_000_000,
        "search: solve.2": 80_000_000,
        "search: lt.3": 500_000,
        "search: ifelse.5": 100_000,
    }
    inclusive = read("--inclusive=yes")
    assert inclusive["search"] == 100_000_000
    assert inclusive["search: ifelse.6"] == 89_000_000  # with both of its arms


def test_the_graph_has_a_box_for_each_arm_and_dashes_what_never_ran() -> None:
    dot = to_dot(PROFILE)
    assert dot.count("subgraph cluster_f0_") == 3
    assert 'label="better > 0: else\\ntaken 2 of 10"' in dot
    assert 'f0_n4 [label="cholesky.4\\nnever ran" style="rounded,dashed" color="grey60"' in dot
    assert 'f0_n2 [label="solve.2\\n2 runs, 80.000 ms (88.9%)" fillcolor="0.03 0.889 1.000"]' in dot
    assert "f0_n1 -> f0_n6" in dot


@pytest.mark.skipif(not shutil.which("dot"), reason="dot (graphviz) is not installed")
def test_graphviz_draws_the_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # a sanitizer's, which is for Python alone
    odd = replace(SEARCH, name='quotes " and \\ and <b>')
    replace(PROFILE, functions=(SEARCH, odd)).to_svg(tmp_path / "p.svg")
    svg = (tmp_path / "p.svg").read_text()
    assert svg.count("solve.2") == 2
    assert "quotes &quot; and \\ and &lt;b&gt;" in svg
    assert 'stroke-dasharray="5,2"' in svg


def test_without_graphviz_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match=r"needs the program dot of Graphviz.*apt-get install"):
        PROFILE.to_svg("p.svg")


def test_a_chain_of_many_conditions_is_drawn_however_deep(tmp_path: Path) -> None:
    x = tv.scalar("x")
    y = x
    for i in range(1200):
        y = tv.ifelse(x > float(i), x * float(i), y)
    with tv.profile() as p:
        tv.function([x], y, mode="vm")(-1.0)
    p.html(tmp_path / "p.html")
    p.to_dot(tmp_path / "p.dot")
    assert (tmp_path / "p.dot").read_text().count("x > ") >= 1200
    assert "x > 1199.0" in (tmp_path / "p.html").read_text()
