"""A function's graph as a tree of boxes that fold, none of which holds more than fits a screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thunkvm.profile.region_tree import Region, region_tree, walk_regions
from thunkvm.profile.rows import FunctionRecord, NodeRow
from thunkvm.profile.shares import line_of

#: A box that would show more than this has boxes inside: of lines, and of runs of nodes.
FITS = 50

Box = dict[str, Any]


def fold_tree(function: FunctionRecord) -> Box:
    """Return the root box.

    A box has an ``id``, a ``label``, its ``nodes`` (indices) and the boxes ``inside`` it. It has
    the sums of all in it: ``count``, ``time``, ``ran`` (how many nodes ever did). That of an arm
    has its ``condition`` and ``arm``.
    """
    boxes: dict[int, Box] = {}
    for region in reversed(walk_regions(region_tree(function))):  # those inside first
        arms = [boxes.pop(id(inner)) for inner in region.inside]
        boxes[id(region)] = box = _region(region, arms)
    return box


def flat(root: Box) -> list[Box]:
    """Return a box and all in it as one list, where `inside` has ids: JSON nests only so deep."""
    found: list[Box] = []
    waiting = [root]
    while waiting:
        box = waiting.pop()
        found.append({**box, "inside": [inner["id"] for inner in box["inside"]]})
        waiting += reversed(box["inside"])
    return found


def _region(region: Region, arms: list[Box]) -> Box:
    name = "r" if region.row is None else f"r_{region.row.condition}_{region.row.arm}"
    if len(region.nodes) <= FITS:
        box = _box(name, region.name, region.nodes, _fit_boxes(f"{name}a", arms))
    else:
        lines: dict[str, list[NodeRow]] = {}
        for node in region.nodes:
            lines.setdefault(line_of(node), []).append(node)
        parts = [
            _chunks(f"{name}l{number}", line, nodes)
            for number, (line, nodes) in enumerate(lines.items())
        ]
        alone = len(parts) == 1  # one line is all there is: no box around it says anything
        inside = parts[0]["inside"] if alone else _fit_boxes(f"{name}p", parts)
        box = _box(name, region.name, [], inside + _fit_boxes(f"{name}a", arms))
    if region.row is not None:
        box["condition"], box["arm"] = region.row.condition, region.row.arm
    return box


def _chunks(name: str, label: str, nodes: Sequence[NodeRow]) -> Box:
    """Return a box of the nodes of one line, in stretches where they are many."""
    if len(nodes) <= FITS:
        return _box(name, label, nodes, [])
    stretches = [nodes[start : start + FITS] for start in range(0, len(nodes), FITS)]
    boxes = [
        _box(f"{name}c{number}", f"{stretch[0].name} to {stretch[-1].name}", stretch, [])
        for number, stretch in enumerate(stretches)
    ]
    return _box(name, label, [], _fit_boxes(f"{name}s", boxes))


def _fit_boxes(name: str, boxes: list[Box]) -> list[Box]:
    """Return boxes that are so few that they fit, the others inside them."""
    level = 0
    while len(boxes) > FITS:
        groups = [boxes[start : start + FITS] for start in range(0, len(boxes), FITS)]
        boxes = [
            _box(
                f"{name}{level}g{number}",
                f"{group[0]['label']} and {len(group) - 1} more",
                [],
                group,
            )
            for number, group in enumerate(groups)
        ]
        level += 1
    return boxes


def _box(name: str, label: str, nodes: Sequence[NodeRow], inside: list[Box]) -> Box:
    return {
        "id": name,
        "label": label,
        "nodes": [node.index for node in nodes],
        "inside": inside,
        "count": len(nodes) + sum(box["count"] for box in inside),
        "time": sum(node.self_time for node in nodes) + sum(box["time"] for box in inside),
        "ran": sum(not node.never_ran for node in nodes) + sum(box["ran"] for box in inside),
    }
