"""The rows of profiles: the core declares their counters once, and all views have them."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

import thunkvm as tv
from thunkvm import _core
from thunkvm.profile import (
    CallRow,
    ConditionRow,
    Event,
    FunctionRecord,
    NodeRow,
    Profile,
    RegionRow,
)
from thunkvm.profile.frames import columns
from thunkvm.profile.recorded import merged_rows
from thunkvm.profile.schemas import schema

#: The counters of nodes, and whether two add up.
COUNTERS = {name: merging for name, _, _, _, merging in _core.SiteCounts.declared}


def test_the_core_declares_how_counters_add_up() -> None:
    assert COUNTERS["copies"] == "added"
    assert COUNTERS["peak_bytes"] == "greatest"


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_counter_that_the_core_declares_is_in_all_views(counter: str) -> None:
    row = NodeRow(index=0, op="exp", **{counter: 3})
    assert counter in columns("nodes")
    assert counter in schema(NodeRow)["properties"]
    profile = Profile(functions=(FunctionRecord(name="f", nodes=(row,)),))
    assert f'"{counter}": 3' in str(profile.to_json())
    assert profile.to_csv().splitlines()[1].split(",").count("3") == 1
    both = merged_rows(row, replace(row, **{counter: 4}))
    assert getattr(both, counter) == {"added": 7, "greatest": 4}[COUNTERS[counter]]


@pytest.mark.parametrize(
    ("row", "of_core"),
    [
        (NodeRow, _core.SiteRow),
        (ConditionRow, _core.BranchTally),
        (RegionRow, _core.RegionPlace),
        (CallRow, _core.CallTimes),
        (Event, _core.Stretch),
    ],
)
def test_a_row_has_the_fields_of_the_cores_row_and_their_documentation(
    row: type, of_core: type
) -> None:
    documented = {each.name: each.metadata["doc"] for each in fields(row) if "doc" in each.metadata}
    assert documented == {name: doc for name, _, _, doc, _ in of_core.declared}


@pytest.mark.parametrize("name", _core.ROWS)
def test_a_row_of_the_core_documents_its_fields(name: str) -> None:
    row = getattr(_core, name)
    assert row._fields == tuple(field for field, *_ in row.declared)
    for field, kind, unit, doc, _ in row.declared:
        assert f"{field} : {kind}" + (f", in {unit}" if unit else "") in row.__doc__
        assert getattr(row, field).__doc__ == doc
        assert doc.endswith(".")


def test_words_are_those_of_one_table() -> None:
    x, i = tv.scalar("x"), tv.scalar("i", dtype="int64")
    picked = tv.switch_case(i, [tv.exp(x), tv.sin(x)], default=tv.ifelse(x > 0, x, tv.cos(x)))
    f = tv.function([x, i], picked, mode="cvm")
    schedule = f._schedule()
    assert {block.kind for block in schedule.blocks} <= set(_core.BlockKind.__members__)
    assert {row.form for row in f.explain().nodes} <= set(_core.Form.__members__)
    assert {branch.decoding: branch.arms for branch in schedule.branches} == {
        "index_or_default": ["case 0", "case 1", "default"],
        "truth": ["else", "then"],
    }


def test_the_arms_of_a_loop_are_its_step_and_its_end() -> None:
    n = tv.lscalar("n")
    f = tv.function([n], tv.fori_loop(0, n, lambda i, s: s + i, 0), mode="vm")
    (branch,) = [branch for branch in f._schedule().branches if branch.loop]
    assert branch.arms == _core.loop_arm_names() == ["end", "step"]
