"""The formats that profiles are written in keep their rules, and say what was recorded."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from profile_schemas import CHROME_TRACE
from profiles import PROFILE, SEARCH, crossings, node, single

import thunkvm as tv
from thunkvm.profile import Event, FunctionRecord, Profile
from thunkvm.profile.chrome_trace import chrome_trace
from thunkvm.profile.dot import to_dot
from thunkvm.profile.stacks import collapsed_stacks

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
        (1, "fused: mul.1"),
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


def test_the_graph_has_a_frame_for_each_arm_and_dashes_what_never_ran() -> None:
    dot = to_dot(PROFILE)
    assert dot.count("subgraph cluster_") == 1 + 3
    assert (
        'label="step < 1: else\\ntaken 0 of 2";\nstyle="rounded";\ncolor="grey50";\n7;\n}\n}' in dot
    )
    assert '7 [label="cholesky.4\\nnever ran" style="rounded,dashed" color="grey45"' in dot
    assert '4 [label="solve.2\\n2 runs, 80.000 ms (88.9%)" fillcolor="0.03 0.889 1.000"]' in dot
    assert '5 [label="lt.3\\n' in dot
    assert "4->5 ;" in dot


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


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("to_callgrind", "write p.to_collapsed"),
        ("to_speedscope", "write p.to_chrome_trace"),
        ("to_chrome", "Did you mean 'to_chrome_trace'?"),
    ],
)
def test_a_writer_that_is_not_there_is_told_what_to_write(name: str, told: str) -> None:
    with pytest.raises(AttributeError, match=f"a profile has no '{name}'.*") as error:
        getattr(PROFILE, name)
    assert told in str(error.value)
