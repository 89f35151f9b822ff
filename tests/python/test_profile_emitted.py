"""Profiles of emitted C: groups of nodes have one time, and other functions' C is as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spinning import Spin, standing_clock

import thunkvm as tv
from thunkvm.profile import Profile

NOW = tv.Mode("cvm", compile="now")


@pytest.fixture
def still() -> Iterator[None]:
    with standing_clock():
        yield


def mixed() -> tuple[list[Any], Any]:
    """A loop of two nodes, expressions, and a call of Python."""
    x, a = tv.vector("x"), tv.scalar("a")
    total = Spin(0.002)((tv.exp(x) * 2).sum())
    return [x, a], tv.ifelse(a > 0, (total + a) * a, a)


def test_nodes_that_are_computed_together_are_a_group() -> None:
    f = tv.function(*mixed(), mode=NOW, profile="time")
    f([1.0, 2.0], 1.0)
    (record,) = f.profile.functions
    groups = {group.kind: {record.nodes[n].op for n in group.nodes} for group in record.groups}
    assert groups["fused"] == {"exp", "mul", "sum"}
    assert groups["call"] == {"Spin"}
    assert all(group.runs == 1 for group in record.groups)
    assert {record.nodes[n].form for group in record.groups for n in group.nodes} >= {"fused"}


@pytest.mark.usefixtures("still")
def test_a_groups_time_is_divided_among_its_nodes() -> None:
    f = tv.function(*mixed(), mode=NOW, profile="time")
    f([1.0, 2.0], 1.0)
    (record,) = f.profile.functions
    assert sum(group.self_time for group in record.groups) == pytest.approx(record.node_time)
    assert record.time == pytest.approx(0.002)


@pytest.mark.usefixtures("still")
def test_a_body_that_emitted_code_needs_is_its_arms_time() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    shared = Spin(0.005)(x)
    outs = [tv.ifelse(x > 0, shared + 1, x), tv.ifelse(y > 0, shared + 2, y)]
    f = tv.function([x, y], outs, mode=NOW, profile=True)
    f(-1.0, 1.0)
    (record,) = f.profile.functions
    times = {c.text: [round(arm.time, 9) for arm in c.arms] for c in record.conditions}
    assert times == {"x > 0.0": [0.0, 0.0], "y > 0.0": [0.005, 0.0]}


def test_the_c_of_other_functions_reads_no_clock() -> None:
    plain = tv.function(*mixed(), mode=NOW)
    before = plain.c_source()
    with plain.profile() as p:
        plain([1.0], 1.0)
    assert plain.c_source() == before
    assert "tv_lap" not in before
    assert p.functions[0].groups


def test_results_are_the_same_to_the_bit() -> None:
    inputs, output = mixed()
    values = np.linspace(-3, 3, 1001), 0.3
    plain = tv.function(inputs, output, mode=NOW)(*values)
    assert tv.function(inputs, output, mode=NOW, profile="trace")(*values) == plain


def test_what_ran_is_what_is_demanded() -> None:
    f = tv.function(*mixed(), mode=NOW, profile="count")
    f([1.0], -1.0)
    (record,) = f.profile.functions
    assert [node.op for node in record.nodes if node.runs] == ["gt", "ifelse"]


def test_a_trace_has_each_group_of_each_call() -> None:
    f = tv.function(*mixed(), mode=NOW, profile="trace")
    f([1.0], 1.0)
    f([1.0], 1.0)
    (record,) = f.profile.functions
    kinds = [event.kind for event in record.events if event.call == 1]
    assert kinds.count("call") == 1
    assert kinds.count("group") == len(record.groups)
    assert {"arguments", "results"} <= set(kinds)
    assert record.dropped_events == 0


@pytest.mark.parametrize("mode", ["vm", NOW], ids=str)
def test_memory_is_what_nodes_made(mode: Any) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.concatenate([x, x]).sum(), mode=mode, profile="memory")
    f(np.zeros(1000))
    joined = next(n for n in f.profile.functions[0].nodes if n.op != "sum")
    assert joined.bytes_allocated == 16000
    assert f.profile.calls[0].bytes == 16000


def test_a_loops_memory_is_its_results() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) * 2 + 1, mode=NOW, profile="memory")
    f(np.zeros(1000))
    (record,) = f.profile.functions
    assert {n.op: n.bytes_allocated for n in record.nodes} == {"exp": 0, "mul": 0, "add": 8000}


def test_a_program_that_knows_nothing_of_it_is_profiled(tmp_path: Path) -> None:
    script = (
        "import thunkvm as tv\n"
        "x = tv.scalar('x')\n"
        "f = tv.function([x], tv.exp(x), name='grow', mode='vm')\n"
        "f(1.0); f(2.0)\n"
    )
    path = tmp_path / "run.json"
    environment = os.environ | {"THUNKVM_PROFILE": f"time:{path}"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=60)
    (record,) = Profile.load(path).functions
    assert (record.name, record.n_calls) == ("grow", 2)
