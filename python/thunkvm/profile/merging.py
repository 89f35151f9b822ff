"""Profiles put together: the same function's counts and times add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from operator import add

from thunkvm.profile.condition_rows import ConditionRow, break_even, estimated_saving
from thunkvm.profile.keys import NodeKey, node_keys
from thunkvm.profile.loop_rows import LoopRow, merged_runs
from thunkvm.profile.record import Profile
from thunkvm.profile.recorded import merged_rows
from thunkvm.profile.rows import FunctionRecord, GroupRow, NodeRow
from thunkvm.profile.timeline import first_start


def merge(first: Profile, *others: Profile) -> Profile:
    """Return profiles added up; see `Profile.merge`."""
    functions = list(first.functions)
    indices = {_identity(function): i for i, function in enumerate(functions)}
    for other in others:
        if other.kind != first.kind:
            raise ValueError(
                f"a profile of kind {first.kind!r} and one of kind {other.kind!r} do not add up; "
                "merge profiles that were recorded alike."
            )
        shift = _shift(functions, other.functions)
        for function in other.functions:
            function = _later(function, shift)
            index = indices.setdefault(_identity(function), len(functions))
            if index == len(functions):
                functions.append(function)
            else:
                functions[index] = _functions(functions[index], function)
    return Profile(functions=tuple(functions), kind=first.kind, clock_cost=first.clock_cost)


def _identity(function: FunctionRecord) -> tuple[str, str, tuple[NodeKey, ...]]:
    return function.name, function.mode, tuple(node_keys(function.nodes))


def _shift(before: Sequence[FunctionRecord], after: Sequence[FunctionRecord]) -> float:
    """Return the seconds by which what was recorded later, or elsewhere, begins too early.

    It comes after: two runs' clocks have nothing in common. All functions of a run have.
    """
    ends = [call.start + call.time for function in before for call in function.calls]
    ends += [event.start + event.duration for function in before for event in function.events]
    return max(0.0, max(ends, default=0.0) - first_start(after))


def _later(function: FunctionRecord, shift: float) -> FunctionRecord:
    if not shift:
        return function
    return replace(
        function,
        calls=tuple(replace(call, start=call.start + shift) for call in function.calls),
        events=tuple(replace(event, start=event.start + shift) for event in function.events),
    )


def _functions(a: FunctionRecord, b: FunctionRecord) -> FunctionRecord:
    groups, moved = _groups(a.groups, b.groups)
    moved_calls = tuple(replace(call, index=call.index + a.n_calls) for call in b.calls)
    moved_events = tuple(
        replace(
            event,
            call=None if event.call is None else event.call + a.n_calls,
            group=None if event.group is None else moved[event.group],
        )
        for event in b.events
    )
    return merged_rows(
        a,
        b,
        nodes=tuple(_nodes(x, y) for x, y in zip(a.nodes, b.nodes, strict=True)),
        conditions=tuple(map(_conditions, a.conditions, b.conditions)),
        loops=tuple(map(_loops, a.loops, b.loops)),
        groups=groups,
        calls=a.calls + moved_calls,
        events=a.events + moved_events,
        overheads=merged_rows(a.overheads, b.overheads),
    )


def _nodes(a: NodeRow, b: NodeRow) -> NodeRow:
    return merged_rows(
        a,
        b,
        min=_pick_known(min, a.min, b.min),
        p95=_pick_known(max, a.p95, b.p95),  # that of all runs is not above the greater of the two
        max=_pick_known(max, a.max, b.max),
        first=b.first if a.first is None else a.first,
        first_demanded_by=b.first_demanded_by if a.never_ran else a.first_demanded_by,
    )


def _pick_known(
    pick: Callable[[float, float], float], a: float | None, b: float | None
) -> float | None:
    if a is None or b is None:
        return b if a is None else a
    return pick(a, b)


def _conditions(a: ConditionRow, b: ConditionRow) -> ConditionRow:
    arms = tuple(map(merged_rows, a.arms, b.arms))
    has_times = any(arm.time for arm in a.arms + b.arms)
    return merged_rows(
        a,
        b,
        arms=arms,
        saved=estimated_saving(arms) if has_times else None,
        break_even=break_even(arms) if has_times else None,
        by_steps=_merge_steps(a.by_steps, b.by_steps),
    )


def _merge_steps(
    a: tuple[tuple[int, ...], ...], b: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(map(add, x, y)) if x and y else x or y for x, y in zip_longest(a, b, fillvalue=())
    )


def _loops(a: LoopRow, b: LoopRow) -> LoopRow:
    saved = None if a.saved is None or b.saved is None else a.saved + b.saved
    return merged_rows(a, b, runs=merged_runs(a.runs, b.runs), saved=saved)


def _groups(
    a: tuple[GroupRow, ...], b: tuple[GroupRow, ...]
) -> tuple[tuple[GroupRow, ...], list[int]]:
    """Return the groups of both, and what index each group of the second has there."""
    merged = list(a)
    indices = {(group.kind, group.nodes): group.index for group in a}
    moved = []
    for group in b:
        index = indices.setdefault((group.kind, group.nodes), len(merged))
        if index == len(merged):
            merged.append(replace(group, index=index))
        else:
            merged[index] = merged_rows(merged[index], group)
        moved.append(index)
    return tuple(merged), moved
