"""The tree of a function's regions: the root, and the arms of the conditions in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from thunkvm.profile.rows import FunctionRecord, NodeRow


@dataclass(slots=True)
class Region:
    """What runs together or not at all.

    Attributes
    ----------
    path : tuple of (int, int)
        The conditions and arms around its nodes; empty for what always runs.
    name : str
        ``"always"``, or the condition's text and the arm, ``"x > 0: then"``.
    nodes : list of NodeRow
        The nodes right in it.
    inside : list of Region
        The arms of the conditions in it.
    """

    path: tuple[tuple[int, int], ...]
    name: str
    nodes: list[NodeRow] = field(default_factory=list)
    inside: list[Region] = field(default_factory=list)

    @property
    def time(self) -> float:
        """Seconds in its nodes, those of the regions inside too."""
        return sum(n.self_time for n in self.nodes) + sum(region.time for region in self.inside)


def region_tree(function: FunctionRecord) -> Region:
    """Return the root of a function's regions, those without a node left out.

    Examples
    --------
    >>> from thunkvm.profile import ArmRow, ConditionRow, FunctionRecord, NodeRow
    >>> from thunkvm.profile.region_tree import region_tree
    >>> nodes = NodeRow(index=0, op="exp", region_path=((0, 0),)), NodeRow(index=1, op="ifelse")
    >>> condition = ConditionRow(index=0, node=1, text="x > 0", arms=(ArmRow(name="then"),))
    >>> root = region_tree(FunctionRecord(name="f", nodes=nodes, conditions=(condition,)))
    >>> root.name, [node.op for node in root.nodes]
    ('always', ['ifelse'])
    >>> [(arm.name, [node.op for node in arm.nodes]) for arm in root.inside]
    [('x > 0: then', ['exp'])]
    """
    root = Region((), "always")
    regions: dict[tuple[tuple[int, int], ...], Region] = {(): root}

    def at(path: tuple[tuple[int, int], ...]) -> Region:
        missing = []
        while path not in regions:
            missing.append(path)
            path = path[:-1]
        region = regions[path]
        for inner in reversed(missing):
            condition = function.conditions[inner[-1][0]]
            name = f"{condition.text}: {condition.arms[inner[-1][1]].name}"
            regions[inner] = Region(inner, name)
            region.inside.append(regions[inner])
            region = regions[inner]
        return region

    for node in function.nodes:
        at(node.region_path).nodes.append(node)
    return root


def walk(root: Region) -> list[tuple[Region, tuple[Region, ...]]]:
    """Return each region with the regions around it, outermost first."""
    found: list[tuple[Region, tuple[Region, ...]]] = []
    waiting: list[tuple[Region, tuple[Region, ...]]] = [(root, ())]
    while waiting:
        region, around = waiting.pop()
        found.append((region, around))
        waiting += [(inner, (*around, region)) for inner in reversed(region.inside)]
    return found


def deciders(function: FunctionRecord) -> dict[int, tuple[int, ...]]:
    """Return the node that decides about each node: of the innermost arm that it is in, or none.

    Examples
    --------
    >>> from thunkvm.profile import ArmRow, ConditionRow, FunctionRecord, NodeRow
    >>> from thunkvm.profile.region_tree import deciders
    >>> nodes = NodeRow(index=0, op="exp", region_path=((0, 0),)), NodeRow(index=1, op="ifelse")
    >>> condition = ConditionRow(index=0, node=1, arms=(ArmRow(name="then"),))
    >>> deciders(FunctionRecord(name="f", nodes=nodes, conditions=(condition,)))
    {0: (1,), 1: ()}
    """
    return {
        node.index: tuple(function.conditions[c].node for c, _ in node.region_path[-1:])
        for node in function.nodes
    }


__all__ = ["Region", "deciders", "region_tree", "walk"]
