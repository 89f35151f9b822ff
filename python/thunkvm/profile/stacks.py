"""Profiles as stacks: for flame graphs (collapsed stacks) and for speedscope.

A node's stack is its function, the arms that it runs for, and itself, so a flame graph shows what
each arm takes. The format of speedscope is published as
https://www.speedscope.app/file-format-schema.json
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike
from typing import Any

from thunkvm._src.saving import save_text
from thunkvm.profile.record import Profile
from thunkvm.profile.region_tree import region_tree, walk
from thunkvm.profile.rows import FunctionRecord, NodeRow
from thunkvm.profile.timeline import NANO, Slice, slices

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
Frame = tuple[str, str, int]  # name, file, line


def node_stacks(function: FunctionRecord) -> Iterator[tuple[tuple[Frame, ...], int]]:
    """Yield the stack of each node that took time, and its nanoseconds; overheads have one too."""
    root = region_tree(function)
    top: Frame = (function.name, "", 0)
    arms: list[Frame] = []
    for region in walk(root):
        del arms[max(region.depth - 1, 0) :]
        if region.row is not None:
            arms.append((region.name, "", 0))
        for node in region.nodes:
            if time := round(node.self_time * NANO):
                yield (top, *arms, _frame(node)), time
    if time := round(function.overheads.in_calls * NANO):
        yield (top, ("around the nodes", "", 0)), time


def collapsed_stacks(profile: Profile) -> str:
    r"""Return a line a stack, ``f;x > 0: then;exp.0 1200``, in nanoseconds.

    Examples
    --------
    >>> from thunkvm.profile import FunctionRecord, NodeRow, Profile
    >>> from thunkvm.profile.stacks import collapsed_stacks
    >>> exp = NodeRow(index=0, op="exp", name="exp.0", runs=1, self_time=1e-6)
    >>> collapsed_stacks(Profile(functions=(FunctionRecord(name="f", nodes=(exp,)),)))
    'f;exp.0 1000\n'
    """
    lines = []
    for function in profile.functions:
        for stack, time in node_stacks(function):
            # ";" stands between frames.
            frames = (" ".join(name.replace(";", ",").split()) for name, _, _ in stack)
            lines.append(f"{';'.join(frames)} {time}\n")
    return "".join(lines)


def write_collapsed(profile: Profile, path: str | PathLike[str]) -> None:
    """Write collapsed stacks to a file."""
    save_text(path, collapsed_stacks(profile))


def speedscope(profile: Profile) -> dict[str, Any]:
    """Return what speedscope reads: a profile of sums a function, and a timeline a thread."""
    frames: dict[Frame, int] = {}

    def index(frame: Frame) -> int:
        return frames.setdefault(frame, len(frames))

    profiles = []
    for function in profile.functions:
        stacks = list(node_stacks(function))
        profiles.append({
            "type": "sampled",
            "name": f"{function.name}: sums",
            "unit": "nanoseconds",
            "startValue": 0,
            "endValue": sum(time for _, time in stacks),
            "samples": [[index(frame) for frame in stack] for stack, _ in stacks],
            "weights": [time for _, time in stacks],
        })  # fmt: skip
    if any(function.events for function in profile.functions):
        threads: dict[int, list[Slice]] = {}
        for item in slices(profile):
            threads.setdefault(item.thread, []).append(item)
        for thread, items in threads.items():
            profiles.append({
                "type": "evented",
                "name": f"thread {thread}",
                "unit": "nanoseconds",
                "startValue": items[0].start,
                "endValue": max(item.end for item in items),
                "events": [
                    {"type": kind, "frame": index(frame), "at": at}
                    for kind, frame, at in _opened_and_closed(items)
                ],
            })  # fmt: skip
    shared = [_described(frame) for frame in frames]
    return {
        "$schema": SCHEMA,
        "exporter": "thunkvm",
        "name": ", ".join(function.name for function in profile.functions),
        "activeProfileIndex": 0,
        "shared": {"frames": shared},
        "profiles": profiles,
    }


def write_speedscope(profile: Profile, path: str | PathLike[str]) -> None:
    """Write what speedscope reads to a file."""
    save_text(path, json.dumps(speedscope(profile)))


def _frame(node: NodeRow) -> Frame:
    return node.name or f"{node.op}.{node.index}", node.file, node.line


def _described(frame: Frame) -> dict[str, Any]:
    name, file, line = frame
    return {"name": name} | ({"file": file, "line": line} if file and line else {})


def _opened_and_closed(items: list[Slice]) -> Iterator[tuple[str, Frame, int]]:
    waiting: list[tuple[Frame, int]] = []
    for item in items:
        while len(waiting) > item.depth:
            frame, end = waiting.pop()
            yield "C", frame, end
        node = item.event.node
        frame = (item.name, "", 0) if node is None else _frame(item.function.nodes[node])
        waiting.append((frame, item.end))
        yield "O", frame, item.start
    while waiting:
        frame, end = waiting.pop()
        yield "C", frame, end


__all__ = ["collapsed_stacks", "node_stacks", "speedscope", "write_collapsed", "write_speedscope"]
