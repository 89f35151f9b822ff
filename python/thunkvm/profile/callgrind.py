"""Profiles in the format of callgrind, which KCachegrind and callgrind_annotate read.

A function calls the nodes that always run; a conditional calls what runs in its arms. The format
is described in valgrind's manual: https://valgrind.org/docs/manual/cl-format.html
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter
from os import PathLike

from thunkvm._src.saving import save_text
from thunkvm.profile.record import Profile
from thunkvm.profile.region_tree import deciders, region_tree, walk
from thunkvm.profile.rows import FunctionRecord, NodeRow
from thunkvm.profile.timeline import NANO

UNKNOWN = "???"  # as valgrind writes what it does not know


def callgrind(profile: Profile) -> str:
    """Return a profile in callgrind's format, with nanoseconds and runs as its two costs."""
    lines = ["# callgrind format", "version: 1", "creator: thunkvm", "positions: line"]
    lines += ["event: ns : Nanoseconds of self time", "event: Runs : How often nodes ran"]
    lines += ["events: ns Runs", ""]
    for function in profile.functions:
        lines += _function(function)
    total = [sum(cost) for cost in zip(*map(_cost, profile.functions), strict=True)] or [0, 0]
    lines.append(f"totals: {total[0]} {total[1]}")
    return "\n".join(lines) + "\n"


def write_callgrind(profile: Profile, path: str | PathLike[str]) -> None:
    """Write callgrind's format to a file."""
    save_text(path, callgrind(profile))


def _function(function: FunctionRecord) -> Iterator[str]:
    called = _called(function)
    costs: dict[int, tuple[int, int]] = {}
    for node in _inner_first(function):
        inside = [costs[inner.index] for inner in called.get(node.index, [])]
        time = round(node.self_time * NANO) + sum(time for time, _ in inside)
        costs[node.index] = time, node.runs + sum(runs for _, runs in inside)
    around = round(function.overheads.in_calls * NANO)
    first = next((node for node in function.nodes if node.file), None)
    yield f"fl={UNKNOWN if first is None else first.file}"
    yield f"fn={function.name}"
    yield f"0 {around} 0"
    for node in called.get(None, []):
        yield from _call(function, node, 0, costs[node.index])
    yield ""
    for node in function.nodes:
        yield f"fl={node.file or UNKNOWN}"
        yield f"fn={_name(function, node)}"
        yield f"{node.line} {round(node.self_time * NANO)} {node.runs}"
        for inner in called.get(node.index, []):
            yield from _call(function, inner, node.line, costs[inner.index])
        yield ""


def _call(
    function: FunctionRecord, node: NodeRow, line: int, cost: tuple[int, int]
) -> Iterator[str]:
    if node.never_ran:
        return
    yield f"cfi={node.file or UNKNOWN}"
    yield f"cfn={_name(function, node)}"
    yield f"calls={node.runs or node.entered} {node.line}"
    yield f"{line} {cost[0]} {cost[1]}"


def _name(function: FunctionRecord, node: NodeRow) -> str:
    return f"{function.name}: {node.name or node.op}"


def _called(function: FunctionRecord) -> dict[int | None, list[NodeRow]]:
    """Return what each conditional has in its arms, and what the function has outside of any."""
    called: dict[int | None, list[NodeRow]] = {}
    for region in walk(region_tree(function)):
        row = region.row
        caller = None if row is None else function.conditions[row.condition].node
        called.setdefault(caller, []).extend(region.nodes)
    return called


def _inner_first(function: FunctionRecord) -> Iterator[NodeRow]:
    """Yield each node after those that it calls."""
    for index in reversed([*TopologicalSorter(deciders(function)).static_order()]):
        yield function.nodes[index]


def _cost(function: FunctionRecord) -> tuple[int, int]:
    nodes = function.nodes
    time = sum(round(node.self_time * NANO) for node in nodes)
    return time + round(function.overheads.in_calls * NANO), sum(node.runs for node in nodes)


__all__ = ["callgrind", "write_callgrind"]
