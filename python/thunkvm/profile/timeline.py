"""A trace's events as slices that nest: what the formats for timelines are written from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from thunkvm.profile.record import Profile
from thunkvm.profile.rows import CallRow, Event, FunctionRecord

NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Slice:
    """One event, in whole nanoseconds, so that no rounding breaks the nesting."""

    thread: int
    start: int
    end: int
    depth: int  #: how many slices it lies in
    name: str  #: what ran
    event: Event
    function: FunctionRecord  #: whose event it is


def slices(profile: Profile) -> list[Slice]:
    """Return the slices of a profile, thread by thread, each before those that lie in it.

    Two clock readings may differ: a slice that outlasts the one it began in ends with it. Where it
    is mostly after that one, that one ends where it begins.

    Raises
    ------
    ValueError
        If the profile has no events.
    """
    if not any(function.events for function in profile.functions):
        raise ValueError(
            f"this profile is of kind {profile.kind!r} and has no events, which a timeline is made "
            'of; record it with profile="trace".'
        )
    threads: dict[int, list[tuple[int, int, Event, FunctionRecord]]] = {}
    for function in profile.functions:
        for event in function.events:
            start = round(event.start * NANO)
            end = max(start, round((event.start + event.duration) * NANO))
            threads.setdefault(event.thread, []).append((start, end, event, function))
    return [found for thread in sorted(threads) for found in _nest_events(thread, threads[thread])]


def _nest_events(
    thread: int, events: list[tuple[int, int, Event, FunctionRecord]]
) -> Iterator[Slice]:
    # What lasts longer is around what begins at the same time, a call around all else.
    events.sort(key=lambda item: (item[0], -item[1], item[2].kind != "call"))
    ends = [end for _, end, _, _ in events]
    depths = []
    around: list[int] = []  # which events the next one may lie in, outermost first
    for number, (start, end, _, _) in enumerate(events):
        while around and ends[around[-1]] <= start and not ends[around[-1]] == start == end:
            around.pop()
        while around and end > ends[around[-1]]:
            last = around[-1]
            inside, outside = ends[last] - start, end - ends[last]
            if events[last][2].kind == "call" or outside <= inside:
                ends[number] = end = ends[last]
            else:  # it comes after the one before, which two clock readings make end a bit late
                ends[last] = start
                around.pop()
        depths.append(len(around))
        around.append(number)
    for (start, _, event, function), end, depth in zip(events, ends, depths, strict=True):
        yield Slice(thread, start, end, depth, event_name(function, event), event, function)


def first_start(functions: Iterable[FunctionRecord]) -> float:
    """Return when the first call or event of any of some functions began; 0 where there is none.

    Examples
    --------
    >>> from thunkvm.profile import CallRow, FunctionRecord
    >>> from thunkvm.profile.timeline import first_start
    >>> calls = [(CallRow(index=0, start=start),) for start in (3.0, 2.0)]
    >>> first_start(FunctionRecord(name="f", calls=each) for each in calls)
    2.0
    """
    starts = [row.start for f in functions for rows in (f.calls, f.events) for row in rows]
    return min(starts, default=0.0)


def with_calls(profile: Profile) -> Profile:
    """Return a profile in which calls stand for the events of functions that have none."""
    functions = [
        f if f.events else replace(f, events=tuple(map(_event_of, f.calls)))
        for f in profile.functions
    ]
    return Profile(functions=tuple(functions), kind=profile.kind, clock_cost=profile.clock_cost)


def _event_of(call: CallRow) -> Event:
    return Event(
        thread=call.thread, start=call.start, duration=call.time, kind="call", call=call.index
    )


def event_name(function: FunctionRecord, event: Event) -> str:
    """Return the name of an event: the node, the group's nodes, or the function of a call."""
    if event.step is not None and event.node is not None:
        return f"{function.nodes[event.node].name} step {event.step}"
    if event.node is not None:
        node = function.nodes[event.node]
        return node.name or node.op
    if event.group is not None:
        group = function.groups[event.group]
        names = [function.nodes[node].name or function.nodes[node].op for node in group.nodes]
        shown = " ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        return f"{group.kind}: {shown}"
    return function.name if event.kind == "call" else event.kind
