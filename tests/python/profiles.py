"""Profiles made by hand, for tests of what is read out of them."""

from __future__ import annotations

from typing import Any

from thunkvm.profile import (
    ArmRow,
    CallRow,
    ConditionRow,
    Event,
    FunctionRecord,
    GroupRow,
    NodeRow,
    Overheads,
    Profile,
    RegionRow,
)

SOURCE = "search.py"
FAMILIES = {
    "gt": "comparison", "lt": "comparison", "mul": "arithmetic", "exp": "exponential",
    "solve": "linear algebra", "cholesky": "linear algebra", "ifelse": "conditional",
}  # fmt: skip


def node(index: int, op: str, line: int, **fields: object) -> NodeRow:
    """A node made at a line of search.py, whose Op is a built-in one."""
    row = {
        "op_class": FAMILIES.get(op, ""),
        "name": f"{op}.{index}",
        "file": SOURCE,
        "type": "scalar float64",
    }
    return NodeRow(index=index, op=op, line=line, **{**row, **fields})


#: Two conditions, the second in the first's else arm: of ten calls eight took the cheap arm, two
#: the other, and none of these two the costly case in there.
SEARCH = FunctionRecord(
    name="search",
    mode="cvm",
    n_calls=10,
    nodes=(
        node(0, "gt", 4, source="ok = better > 0", form="kernel", inputs=("better", "0.0"),
             entered=10, runs=10, self_time=0.001, total_time=0.001, min=0.00005, p95=0.0002,
             max=0.0003, first=0.0003),
        node(1, "mul", 5, source="cheap = x * 2", form="emitted", region="only if better > 0",
             region_index=0, group=0, inputs=("x", "2.0"), entered=8, runs=8,
             self_time=0.008, total_time=0.008, flops=8e6, bytes_moved=64e6, first_demanded_by=6),
        node(2, "solve", 6, source="step = solve(a, b)", form="kernel",
             region="only if not better > 0", region_index=1, inputs=("a", "b"),
             entered=2, runs=2, self_time=0.080, total_time=0.080, bytes_allocated=1600,
             peak_bytes=800, first_demanded_by=6),
        node(3, "lt", 7, source="tv.ifelse(step < 1, step, cholesky(a))", form="kernel",
             region="only if not better > 0", region_index=1, inputs=(2, "1.0"),
             entered=2, runs=2, self_time=0.0005, total_time=0.0005),
        node(4, "cholesky", 7, source="tv.ifelse(step < 1, step, cholesky(a))", form="perform",
             region="only if not step < 1", region_index=2, inputs=("a",)),
        node(5, "ifelse", 7, source="tv.ifelse(step < 1, step, cholesky(a))", form="branch",
             region="only if not better > 0", region_index=1, inputs=(3, 4, 2),
             entered=2, runs=2, self_time=0.0001, total_time=0.0806, copies=2, lazy_copies=2),
        node(6, "ifelse", 8, source="out = tv.ifelse(ok, cheap, rest)", form="branch",
             inputs=(0, 5, 1), output=True, entered=10, runs=10, self_time=0.0004, total_time=0.09),
        node(7, "exp", 9, source="memo = exp(x)", form="kernel", region="if needed",
             memoised=True, inputs=("x",)),
    ),
    conditions=(
        ConditionRow(
            index=0, node=6, text="better > 0", file=SOURCE, line=8, evaluations=10, flips=3,
            arms=(ArmRow(name="then", taken=8, time=0.008, nodes=(1,)),
                  ArmRow(name="else", taken=2, time=0.0806, nodes=(2, 3, 5))),
            saved=0.3244, break_even=0.03244,
        ),
        ConditionRow(
            index=1, node=5, text="step < 1", file=SOURCE, line=7, evaluations=2, flips=0,
            arms=(ArmRow(name="then", taken=2, time=0.0, nodes=()),
                  ArmRow(name="else", taken=0, time=0.0, nodes=(4,))),
        ),
    ),
    regions=(
        RegionRow(index=0, condition=0, arm=0),
        RegionRow(index=1, condition=0, arm=1),
        RegionRow(index=2, around=1, condition=1, arm=1),
    ),
    groups=(GroupRow(index=0, nodes=(1,), runs=8, self_time=0.008, kind="fused"),),
    calls=(
        CallRow(index=0, start=0.0, time=0.0012, arms=((0, 0),)),
        CallRow(index=1, thread=1, start=0.001, time=0.0414, arms=((0, 1), (1, 0)), bytes=800),
    ),
    overheads=Overheads(arguments=0.002, results=0.003, lock=0.001, link=0.01, compile=0.5,
                        cache_hits=1, other=0.004),
    events=(
        Event(thread=0, start=0.0, duration=0.0012, kind="call", call=0),
        Event(thread=0, start=0.0001, duration=0.0001, node=0, call=0),
        Event(thread=0, start=0.0002, duration=0.001, group=0, kind="group", call=0),
        Event(thread=1, start=0.001, duration=0.0414, kind="call", call=1),
        Event(thread=1, start=0.0011, duration=0.0001, node=0, call=1),
        Event(thread=1, start=0.0012, duration=0.041, node=5, call=1),
        Event(thread=1, start=0.0013, duration=0.040, node=2, call=1),
        Event(thread=1, start=0.0415, duration=0.0003, node=3, call=1),
    ),
    dropped_events=3,
)  # fmt: skip

PROFILE = Profile(functions=(SEARCH,), kind="trace", clock_cost=2e-8)


def single(op: str, seconds: float, runs: int = 1, name: str = "f", mode: str = "vm") -> Profile:
    """A profile of one function of one node."""
    row = node(0, op, 3, runs=runs, entered=runs, self_time=seconds)
    return Profile(functions=(FunctionRecord(name=name, mode=mode, n_calls=runs, nodes=(row,)),))


def crossings(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Name pairs of slices of a track that overlap without nesting: viewers drop one of them."""
    found = []
    for a in events:
        for b in events:
            start_a, start_b = int(a["ts"] * 1000), int(b["ts"] * 1000)  # as Perfetto reads them
            end_a, end_b = start_a + int(a["dur"] * 1000), start_b + int(b["dur"] * 1000)
            if a["tid"] == b["tid"] and start_a < start_b < end_a < end_b:
                found.append((a["name"], b["name"]))
    return found
