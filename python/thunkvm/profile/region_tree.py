"""The tree of a function's regions: the root, and the arms of the conditions in it.

No recursion, here or where it is walked: an else-if chain is as deep as it has arms.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from thunkvm.profile.condition_rows import RegionRow
from thunkvm.profile.rows import FunctionRecord, NodeRow


@dataclass(slots=True)
class Region:
    """A region: its nodes run together, or not at all."""

    row: RegionRow | None  #: which arm of which condition it is; None for what always runs
    name: str  #: ``"always"``, or the condition's text and the arm, ``"x > 0: then"``
    depth: int = 0  #: how many arms are around it, itself among them
    nodes: list[NodeRow] = field(default_factory=list)  #: those right in it
    inside: list[Region] = field(default_factory=list)  #: the arms of the conditions in it


def region_tree(function: FunctionRecord) -> Region:
    """Return the root of a function's regions, those without a node left out.

    Examples
    --------
    >>> from thunkvm.profile import ArmRow, ConditionRow, FunctionRecord, NodeRow, RegionRow
    >>> from thunkvm.profile.region_tree import region_tree
    >>> nodes = NodeRow(index=0, op="exp", region_index=0), NodeRow(index=1, op="ifelse")
    >>> condition = ConditionRow(index=0, node=1, text="x > 0", arms=(ArmRow(name="then"),))
    >>> then = RegionRow(index=0, condition=0, arm=0)
    >>> f = FunctionRecord(name="f", nodes=nodes, conditions=(condition,), regions=(then,))
    >>> root = region_tree(f)
    >>> root.name, [node.op for node in root.nodes]
    ('always', ['ifelse'])
    >>> [(arm.name, [node.op for node in arm.nodes]) for arm in root.inside]
    [('x > 0: then', ['exp'])]
    """
    root = Region(None, "always")
    regions: dict[int | None, Region] = {None: root}

    def region_at(index: int | None) -> Region:
        missing = []
        while index not in regions:
            assert index is not None
            missing.append(function.regions[index])
            index = missing[-1].around
        region = regions[index]
        for row in reversed(missing):
            condition = function.conditions[row.condition]
            name = f"{condition.text}: {condition.arms[row.arm].name}"
            regions[row.index] = Region(row, name, region.depth + 1)
            region.inside.append(regions[row.index])
            region = regions[row.index]
        return region

    for node in function.nodes:
        region_at(node.region_index).nodes.append(node)
    return root


def walk_regions(root: Region) -> list[Region]:
    """Return the regions, each before those inside it."""
    found: list[Region] = []
    waiting = [root]
    while waiting:
        region = waiting.pop()
        found.append(region)
        waiting += reversed(region.inside)
    return found


def deciders(function: FunctionRecord) -> dict[int, tuple[int, ...]]:
    """Return the node that decides about each node: of the innermost arm that it is in, or none.

    Examples
    --------
    >>> from thunkvm.profile import ArmRow, ConditionRow, FunctionRecord, NodeRow, RegionRow
    >>> from thunkvm.profile.region_tree import deciders
    >>> nodes = NodeRow(index=0, op="exp", region_index=0), NodeRow(index=1, op="ifelse")
    >>> condition = ConditionRow(index=0, node=1, arms=(ArmRow(name="then"),))
    >>> then = RegionRow(index=0, condition=0, arm=0)
    >>> f = FunctionRecord(name="f", nodes=nodes, conditions=(condition,), regions=(then,))
    >>> deciders(f)
    {0: (1,), 1: ()}
    """
    by = [function.conditions[region.condition].node for region in function.regions]
    return {
        node.index: () if node.region_index is None else (by[node.region_index],)
        for node in function.nodes
    }
