"""The page of a profile: one HTML file that asks no network."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from thunkvm.profile.fold_tree import flat, fold_tree
from thunkvm.profile.laziness import lazy_report
from thunkvm.profile.loop_rows import step_range
from thunkvm.profile.record import Profile
from thunkvm.profile.recorded import pick_fields, whole
from thunkvm.profile.rows import FunctionRecord, NodeRow
from thunkvm.profile.sections import OVERHEADS, arm_name, head, laziness
from thunkvm.profile.shares import Share, by_class, by_line, by_op, language, location
from thunkvm.profile.standout import standout_text
from thunkvm.profile.timeline import first_start, slices, with_calls

#: A page shows so many slices of a timeline, the longest ones, and says how many there are.
SLICES = 50_000
#: Its own parts, in this order.
SCRIPTS = ("format.js", "details.js", "tables.js", "branches.js", "graph.js", "timeline.js",
           "source.js", "main.js")  # fmt: skip


def page(profile: Profile) -> str:
    """Return the page as text."""
    # "</script>" in a user's line must not end the element that the data is in.
    data = json.dumps(page_data(profile), allow_nan=False).replace("<", "\\u003c")
    libraries = [_part("vendor/d3.min.js"), _part("vendor/tabulator.min.js"), _dagre()]
    return Template(_part("page.html")).substitute(
        title=escape("Profile of " + (", ".join(f.name for f in profile.functions) or "nothing")),
        licences=escape(
            "\n".join(_part(f"vendor/LICENSE.{n}.txt") for n in ("tabulator", "d3", "dagre"))
        ),
        style=_part("vendor/tabulator_simple.min.css") + _part("page.css"),
        libraries="\n".join(f"<script>{text}</script>" for text in libraries),
        data=data,
        scripts="\n".join(f"<script>{_part(name)}</script>" for name in SCRIPTS),
    )


def page_data(profile: Profile) -> dict[str, Any]:
    """Return the data of the page, as values for JSON."""
    first = first_start(profile.functions)
    return {
        "kind": profile.kind,
        "clockCost": profile.clock_cost,
        "functions": [_function(profile, function, first) for function in profile.functions],
        "stepRanges": [step_range(number) for number in range(64)],
        "timeline": _timeline(profile),
    }


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _dagre() -> str:
    """Return dagre without its last statement: it is a module, which a script in a page is not."""
    text, export, _ = _part("vendor/dagre.js").rpartition("\nexport const {")
    assert export, "dagre.js does not end with an export"
    return text


def _function(profile: Profile, function: FunctionRecord, first: float) -> dict[str, Any]:
    title = head(function, profile)
    report = lazy_report(function)
    boxes = flat(fold_tree(function))
    inside = {(box["condition"], box["arm"]): box["count"] for box in boxes if "arm" in box}
    return {
        "name": function.name,
        "mode": function.mode,
        "nCalls": function.n_calls,
        "time": function.time,
        "nodeTime": function.node_time,
        "around": function.overheads.in_calls,
        "saved": report.saved if function.conditions else None,
        "unknown": len(report.unknown),
        "neverRan": len(report.never_ran),
        "notes": [*title.notes],
        "laziness": [note.partition(": ")[::2] for note in laziness(function).notes],
        "overheads": [
            [name, getattr(function.overheads, name), what] for name, what in OVERHEADS.items()
        ],
        "cacheHits": function.overheads.cache_hits,
        "nodes": [_node(function.node_time, node) for node in function.nodes],
        "ops": _shares(by_op(function)),
        "classes": _shares(by_class(function)),
        "lines": [
            {**row, **pick_fields(share.nodes[0], "source", "line", "file")}
            for row, share in zip(_shares(by_line(function)), by_line(function), strict=True)
        ],
        "conditions": [
            {
                **whole(condition),
                "arms": [
                    whole(arm, "mean") | {"count": inside.get((condition.index, number), 0)}
                    for number, arm in enumerate(condition.arms)
                ],
            }
            for condition in function.conditions
        ],
        "loops": [
            {
                **whole(loop, "n_runs", "least", "median", "most", "step_time", "ended"),
                "node": function.nodes[loop.node].name,
            }
            for loop in function.loops
        ],
        "calls": [
            {
                **whole(call),
                "start": call.start - first,
                "arms": [arm_name(function, pair) for pair in call.arms],
            }
            for call in function.calls
        ],
        "boxes": boxes,
        "files": _files(function),
    }


def _node(all_time: float, node: NodeRow) -> dict[str, Any]:
    return whole(node, "mean", "gflops", "gb_per_second") | {
        "name": node.name or f"{node.op}.{node.index}",
        "share": node.self_time / all_time if node.self_time else 0.0,
        "standout": standout_text(node),
        "language": language(node),
        "location": location(node.file, node.line),
    }


def _shares(shares: list[Share]) -> list[dict[str, Any]]:
    return [
        pick_fields(share, "name", "part", "sum", "time", "time_per_run", "type", "runs", "count")
        for share in shares
    ]


def _timeline(profile: Profile) -> dict[str, Any]:
    """Return the slices of all functions on one timeline: of a trace, or else the calls.

    Of each: the thread, start, duration, depth, name, node, kind, and whose it is.
    """
    shown = with_calls(profile)
    if not any(function.events for function in shown.functions):
        return {"rows": [], "total": 0, "dropped": 0}
    number_of = {id(function): number for number, function in enumerate(shown.functions)}
    rows = []
    for s in slices(shown):
        number = number_of[id(s.function)]
        name = s.name
        if not profile.functions[number].events:
            name = f"call {s.event.call}" if len(number_of) == 1 else f"{name}: call {s.event.call}"
        times = s.start / 1e9, (s.end - s.start) / 1e9
        rows.append((s.thread, *times, s.depth, name, s.event.node, s.event.kind, number))
    total = len(rows)
    if total > SLICES:
        rows = sorted(sorted(rows, key=lambda row: -row[2])[:SLICES], key=lambda row: row[:2])
    dropped = sum(function.dropped_events for function in profile.functions)
    return {"rows": rows, "total": total, "dropped": dropped}


def _files(function: FunctionRecord) -> list[dict[str, Any]]:
    """Return the files of the lines that made nodes, the one that took most first.

    Their text is what was recorded: a profile may come from elsewhere, and name any file.
    """
    lines: dict[str, dict[int, str]] = {}
    times: dict[str, float] = {}
    for node in function.nodes:
        if node.file and node.line:
            lines.setdefault(node.file, {})[node.line] = node.source
            times[node.file] = times.get(node.file, 0.0) + node.self_time
    order = sorted(lines, key=lambda name: -times[name])
    return [{"name": name, "lines": sorted(lines[name].items())} for name in order]
