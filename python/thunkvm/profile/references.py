"""The references among rows: the indices that have to be there, and arms that lie in arms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from thunkvm.profile.record import Profile
from thunkvm.profile.region_tree import deciders
from thunkvm.profile.rows import FunctionRecord

#: Where an index is (a table, the row, the field), what it is of, itself, and how many there are.
Reference = tuple[str, int, str, str, int | None, int]


def profile_faults(profile: Profile) -> Iterator[str]:
    """Yield the faults of a profile; what comes after the first may be its consequence."""
    for number, function in enumerate(profile.functions):
        for found in (
            _positions(function),
            _outside_references(_indices(function)),
            _nesting_faults(function),
        ):
            for fault in found:
                yield f"functions[{number}].{fault}"


def decision_faults(
    n_arms: list[int], calls: Iterable[tuple[int, tuple[tuple[int, int], ...]]]
) -> Iterator[str]:
    """Yield the faults of the decisions of calls.

    Parameters
    ----------
    n_arms : list of int
        How many arms each condition has.
    calls : iterable of (int, tuple)
        Positions of calls, with the conditions and arms that were decided in them.

    Examples
    --------
    >>> from thunkvm.profile.references import decision_faults
    >>> list(decision_faults([2], [(0, ((0, 1),)), (1, ((0, 2),))]))
    ['calls[1] names arm of condition 0 2, and there are 2']
    """
    for number, pairs in calls:
        yield from _outside_references(_pairs("calls", number, "", pairs, n_arms))


def _positions(function: FunctionRecord) -> Iterator[str]:
    for name in ("nodes", "conditions", "regions", "loops", "groups"):
        for position, row in enumerate(getattr(function, name)):
            if row.index != position:
                yield f"{name}[{position}].index is {row.index}, and has to be {position}"


def _outside_references(references: Iterable[Reference]) -> Iterator[str]:
    for table, row, field, what, index, end in references:
        if index is not None and not 0 <= index < end:
            yield f"{table}[{row}]{field} names {what} {index}, and there are {end}"


def _indices(function: FunctionRecord) -> Iterator[Reference]:
    n_nodes, n_groups = len(function.nodes), len(function.groups)
    n_arms = [len(condition.arms) for condition in function.conditions]
    for i, node in enumerate(function.nodes):
        yield "nodes", i, ".group", "group", node.group, n_groups
        yield "nodes", i, ".first_demanded_by", "node", node.first_demanded_by, n_nodes
        for index in node.inputs:
            if isinstance(index, int):
                yield "nodes", i, ".inputs", "node", index, n_nodes
        yield "nodes", i, ".region_index", "region", node.region_index, len(function.regions)
    for i, region in enumerate(function.regions):  # each comes after the one around it
        yield "regions", i, ".around", "region", region.around, i
        yield from _pairs("regions", i, "", [(region.condition, region.arm)], n_arms)
    for i, condition in enumerate(function.conditions):
        yield "conditions", i, ".node", "node", condition.node, n_nodes
        for number, arm in enumerate(condition.arms):
            for index in arm.nodes:
                yield "conditions", i, f".arms[{number}].nodes", "node", index, n_nodes
        yield "conditions", i, ".loop", "loop", condition.loop, len(function.loops)
    for i, loop in enumerate(function.loops):
        yield "loops", i, ".node", "node", loop.node, n_nodes
        yield "loops", i, ".condition", "condition", loop.condition, len(n_arms)
        yield "loops", i, ".outer", "loop", loop.outer, len(function.loops)
    for i, group in enumerate(function.groups):
        for index in group.nodes:
            yield "groups", i, ".nodes", "node", index, n_nodes
    for i, call in enumerate(function.calls):
        yield from _pairs("calls", i, ".arms", call.arms, n_arms)
    for i, event in enumerate(function.events):
        yield "events", i, ".node", "node", event.node, n_nodes
        yield "events", i, ".group", "group", event.group, n_groups


def _pairs(
    table: str, row: int, field: str, pairs: Iterable[tuple[int, int]], n_arms: list[int]
) -> Iterator[Reference]:
    for condition, arm in pairs:
        yield table, row, field, "condition", condition, len(n_arms)
        if 0 <= condition < len(n_arms):
            yield table, row, field, f"arm of condition {condition}", arm, n_arms[condition]


def _nesting_faults(function: FunctionRecord) -> Iterator[str]:
    """Yield conditions that are in two places, or in themselves."""
    around: dict[int, tuple[int, int] | None] = {}
    arms = [(region.condition, region.arm) for region in function.regions]
    for i, region in enumerate(function.regions):
        outer = None if region.around is None else arms[region.around]
        if around.setdefault(region.condition, outer) != outer:
            yield (
                f"regions[{i}] has condition {region.condition} in {_show_arm(outer)}, and a "
                f"region before it in {_show_arm(around[region.condition])}"
            )
            return
        if outer is not None and outer[0] == region.condition:
            yield f"regions[{i}] has condition {region.condition} in itself"
            return
    try:
        TopologicalSorter(deciders(function)).prepare()
    except CycleError as error:
        yield f"nodes[{error.args[1][0]}].region_index is inside a condition that the node decides"


def _show_arm(arm: tuple[int, int] | None) -> str:
    return "no other" if arm is None else f"arm {arm[1]} of condition {arm[0]}"
