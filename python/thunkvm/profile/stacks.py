"""Profiles as collapsed stacks, which flame graphs are made from.

A node's stack is its function, the arms that it runs for, and itself. So a flame graph shows the
time of each arm.
"""

from __future__ import annotations

from collections.abc import Iterator

from thunkvm.profile.record import Profile
from thunkvm.profile.region_tree import region_tree, walk_regions
from thunkvm.profile.rows import FunctionRecord
from thunkvm.profile.timeline import NANO


def _node_stacks(function: FunctionRecord) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the stack of each node that took time, and its nanoseconds; overheads have one too."""
    arms: list[str] = []
    for region in walk_regions(region_tree(function)):
        del arms[max(region.depth - 1, 0) :]
        if region.row is not None:
            arms.append(region.name)
        for node in region.nodes:
            if time := round(node.self_time * NANO):
                yield (function.name, *arms, node.name or f"{node.op}.{node.index}"), time
    if time := round(function.overheads.in_calls * NANO):
        yield (function.name, "around the nodes"), time


def collapsed_stacks(profile: Profile) -> str:
    """Return a line a stack, ``f;x > 0: then;exp.0 1200``, in nanoseconds."""
    lines = []
    for function in profile.functions:
        for stack, time in _node_stacks(function):
            # ";" stands between frames.
            frames = (" ".join(name.replace(";", ",").split()) for name in stack)
            lines.append(f"{';'.join(frames)} {time}\n")
    return "".join(lines)
