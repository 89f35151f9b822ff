"""Traces in the format of chrome://tracing, which Perfetto reads too.

The format is described in "Trace Event Format" (Google, 2016):
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

from typing import Any

from thunkvm.profile.record import Profile
from thunkvm.profile.sections import arm_name
from thunkvm.profile.timeline import Slice, slices

PROCESS = 1
#: Not 0, which Perfetto takes for a thread of the system's, and puts on the track of another one.
FIRST_THREAD = 1


def chrome_trace(profile: Profile) -> dict[str, Any]:
    """Return a trace: a track for each thread, on it a complete event for each slice.

    Times are microseconds from the first slice on, as the format wants them, with the nanoseconds
    behind the point.
    """
    found = slices(profile)
    first = min(item.start for item in found)
    events: list[dict[str, Any]] = [_name_event("process_name", FIRST_THREAD, "thunkvm")]
    events += [
        _name_event("thread_name", FIRST_THREAD + thread, f"thread {thread}")
        for thread in sorted({item.thread for item in found})
    ]
    arms_of: dict[tuple[int, int | None], tuple[tuple[int, int], ...]] = {
        (id(function), call.index): call.arms
        for function in profile.functions
        for call in function.calls
    }
    for item in found:
        arms = arms_of.get((id(item.function), item.event.call))
        events.append(_event(item, first, arms if item.event.kind == "call" else None))
    dropped = sum(function.dropped_events for function in profile.functions)
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {"producer": "thunkvm", "dropped events": str(dropped)},
    }


def _name_event(what: str, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": PROCESS, "tid": thread, "args": {"name": name}}


def _microseconds(nanoseconds: int) -> float:
    """Return whole nanoseconds so that they are the same whether a viewer rounds or truncates.

    Perfetto takes the whole part of a thousand times what is written: without the quarter, 4.123 is
    4122 ns to it. Then a slice that ends with the one around it sticks out, and is dropped.
    """
    return (nanoseconds + 0.25) / 1000


def _event(item: Slice, first: int, arms: tuple[tuple[int, int], ...] | None) -> dict[str, Any]:
    event, function = item.event, item.function
    about: dict[str, Any] = {"function": function.name}
    if event.call is not None:
        about["call"] = event.call
    if event.node is not None:
        node = function.nodes[event.node]
        about |= {"op": node.op, "region": node.region, "file": node.file, "line": node.line}
    elif arms is not None:
        about["arms"] = [arm_name(function, pair) for pair in arms]
    return {
        "ph": "X",
        "name": item.name,
        "cat": event.kind,
        "pid": PROCESS,
        "tid": FIRST_THREAD + item.thread,
        "ts": _microseconds(item.start - first),
        "dur": _microseconds(item.end - item.start),
        "args": about,
    }
