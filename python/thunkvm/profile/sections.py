"""The tables of a profile as cells of text, which plain text, colour and notebooks lay out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from thunkvm._src.views.text_table import show_bytes
from thunkvm.profile.amounts import count_noun, rest_note, show_percent, show_seconds
from thunkvm.profile.condition_rows import ConditionRow
from thunkvm.profile.laziness import lazy_report
from thunkvm.profile.loop_sections import loops, steps
from thunkvm.profile.record import Profile
from thunkvm.profile.rows import FunctionRecord, NodeRow, Overheads
from thunkvm.profile.section import Section, Tone, drop_columns, tone_of, tones_of
from thunkvm.profile.shares import Share, by_class, by_line, by_node, by_op, line_of, place_of
from thunkvm.profile.standout import standout_text
from thunkvm.profile.timeline import first_start

#: The fields that nodes are compared by, and their texts.
TOP: dict[str, tuple[str, Callable[[Any], str]]] = {
    "time": ("self_time", show_seconds),
    "runs": ("runs", str),
    "bytes": ("bytes_allocated", show_bytes),
}
#: So many rows of a table are shown, and so many names of a list.
ROWS = 20
NAMES = 6
#: The columns of a table of shares, and the cells in them.
Columns = dict[str, Callable[[Share], str]]
SHARE_HEADERS = ("<% time>", "<sum %>", "<apply time>", "<time per call>", "<type>", "<#call>")
#: The columns of the nodes' table about single runs, and those for Ops that state their work.
SPREAD: Columns = {
    "<p95>": lambda s: "" if s.nodes[0].p95 is None else show_seconds(s.nodes[0].p95),
    "<max>": lambda s: "" if s.nodes[0].max is None else show_seconds(s.nodes[0].max),
}
SPEEDS: Columns = {
    "<GFLOP/s>": lambda s: _speed(s.nodes[0].gflops),
    "<GB/s>": lambda s: _speed(s.nodes[0].gb_per_second),
}
#: Columns that a profile that only counts has nothing for.
TIMES = {
    *SHARE_HEADERS[:4], *SPREAD, *SPEEDS, "time", "each time", "saved", "break-even", "allocated",
    "each step",
}  # fmt: skip


def profile_sections(profile: Profile, rows: int = ROWS) -> list[Section]:
    """Return the tables of a profile, function by function.

    Parameters
    ----------
    profile : Profile
        What was recorded.
    rows : int
        How many rows of each table are shown; the rest is summed up in a note.
    """
    found = []
    first = first_start(profile.functions)
    for function in profile.functions:
        found.append(head(function, profile))
        if profile.kind != "count":
            found += [
                share_section("by Op", "Op", by_op(function), rows),
                share_section("by class", "class", by_class(function), rows),
            ]
        tables = [node_section(function, rows), line_section(function, rows)]
        if function.counts:
            tables.append(counts(function, rows))
        if function.conditions:
            tables.append(branches(function, rows))
        if function.loops:
            tables.append(loops(function, rows))
            by_step = steps(function, rows)
            tables += [by_step] if by_step.rows else []
        if function.calls:
            tables.append(calls(function, rows, first))
            if profile.kind != "memory":
                tables[-1] = drop_columns(tables[-1], {"allocated"})
        found += [drop_columns(t, TIMES) for t in tables] if profile.kind == "count" else tables
        found.append(laziness(function))
        if profile.kind != "count":
            found.append(overheads(function))
        if profile.kind == "memory":
            found.append(memory(function, rows))
    if not profile.functions:
        found.append(Section("Profile", notes=("no function was called.",)))
    return found


def head(function: FunctionRecord, profile: Profile) -> Section:
    """Return the head of a function's tables."""
    mode = f" in mode {function.mode}" if function.mode else ""
    title = (
        f"Profile ({profile.kind}) of {function.name}{mode}: {count_noun(function.n_calls, 'call')}"
    )
    if profile.kind == "count":
        return Section(title, notes=("times were not recorded.",))
    inside, around = function.node_time, function.overheads.in_calls
    notes = [
        f"{show_seconds(function.time)} in calls: {show_seconds(inside)} in nodes, "
        f"{show_seconds(around)} around them."
    ]
    if profile.clock_cost:
        cost = show_seconds(profile.clock_cost)
        notes.append(f"a reading of the clock costs {cost}, which is subtracted.")
    if function.dropped_events:
        dropped = count_noun(function.dropped_events, "event")
        notes.append(f"{dropped} found no room in the trace; counts and times have them all.")
    return Section(title, notes=tuple(notes))


def share_section(title: str, what: str, shares: Sequence[Share], rows: int) -> Section:
    """Return a table of shares, as Theano's profiler prints them."""
    columns: Columns = {"<#apply>": lambda s: str(s.count), f"<{what}>": lambda s: s.name}
    return _shares(title, what, shares, rows, columns, [f"<{what}>"])


def node_section(function: FunctionRecord, rows: int) -> Section:
    """Return the table of the nodes; those of single runs and of speed where some are known."""
    shares = by_node(function)
    columns: Columns = {
        header: show
        for header, show in {**SPREAD, **SPEEDS}.items()
        if any(show(share) not in ("", "unknown") for share in shares)
    }
    left: Columns = {
        "<name>": lambda s: s.name,
        "<region>": lambda s: s.nodes[0].region,
        "<made at>": lambda s: line_of(s.nodes[0]),
    }
    table = _shares("by node", "node", shares, rows, {**columns, **left}, left)
    return replace(table, notes=table.notes + _marks(share.nodes[0] for share in shares[:rows]))


def line_section(function: FunctionRecord, rows: int) -> Section:
    """Return the table of the user's lines."""
    columns: Columns = {
        "<line>": lambda s: s.name,
        "<source>": lambda s: s.nodes[0].source.strip(),
    }
    return _shares("by source line", "line", by_line(function), rows, columns, columns)


def _shares(
    title: str, what: str, shares: Sequence[Share], rows: int, columns: Columns, left: Iterable[str]
) -> Section:
    """Return a table of shares with these columns behind those that all such tables have."""
    shown = shares[:rows]
    cells = tuple((*_share(s), *(show(s) for show in columns.values())) for s in shown)
    headers, notes = (*SHARE_HEADERS, *columns), _rest_note(shares, rows, what)
    return Section(title, headers, cells, tuple(left), notes, tones_of(shown))


def _marks(nodes: Iterable[NodeRow]) -> tuple[str, ...]:
    """Return a note for each node of which one run took most of the time."""
    return tuple(
        f"{node.name or node.op}: {text}" for node in nodes if (text := standout_text(node))
    )


def _speed(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"


def top_section(profile: Profile, by: str = "time", rows: int = ROWS) -> Section:
    """Return one table of the nodes of all functions that took most.

    Parameters
    ----------
    profile : Profile
        What was recorded.
    by : {"time", "runs", "bytes"}
        Most of what.
    rows : int
        How many rows are shown.
    """
    field, show = TOP[by]
    nodes = [
        (getattr(node, field), node, function)
        for function in profile.functions
        for node in function.nodes
    ]
    nodes.sort(key=lambda row: -row[0])
    whole = sum(measure for measure, _, _ in nodes)
    most = [row for row in nodes[:rows] if row[0]]
    shown = tuple(
        (show_percent(measure / whole), show(measure), str(node.runs), node.name, node.region,
         line_of(node), function.name)
        for measure, node, function in most
    )  # fmt: skip
    left = ("<name>", "<region>", "<made at>", "<function>")
    headers = (f"<% {by}>", f"<{by}>", "<#call>", *left)
    if by != "time":
        return Section(f"most {by}", headers, shown, left)
    tones = tuple(tone_of(measure / whole, node.runs) for measure, node, _ in most)
    return Section(f"most {by}", headers, shown, left, _marks(row[1] for row in most), tones)


def counts(function: FunctionRecord, rows: int) -> Section:
    """Return the table of the values that `tv.counted` names, those that ran most often first."""
    order = sorted((node for node in function.nodes if node.counted), key=lambda n: -n.runs)
    shown = tuple(
        (node.counted, str(node.runs),
         f"{node.runs / function.n_calls:.4g}" if function.n_calls else "", node.region,
         line_of(node))
        for node in order[:rows]
    )  # fmt: skip
    headers = ("counted", "runs", "a call", "region", "made at")
    notes = rest_note(len(order), rows, "value")
    return Section("counted", headers, shown, ("counted", "region", "made at"), notes)


def branches(function: FunctionRecord, rows: int) -> Section:
    """Return the table of the conditions: a row for each arm, those that took most time first."""
    headers = ("condition", "evaluated", "flips", "arm", "taken", "share", "time", "each time",
               "saved", "break-even")  # fmt: skip
    order = sorted(
        function.conditions,
        key=lambda condition: (-sum(arm.time for arm in condition.arms), -condition.evaluations),
    )
    shown = [row for condition in order[:rows] for row in _arms(condition)]
    tones: list[Tone] = [
        "" if arm.taken else "idle" for condition in order[:rows] for arm in condition.arms
    ]
    notes = rest_note(len(order), rows, "condition")
    return Section("branches", headers, tuple(shown), ("condition", "arm"), notes, tuple(tones))


def _arms(condition: ConditionRow) -> Iterable[tuple[str, ...]]:
    first = (condition.text + place_of(condition), str(condition.evaluations), str(condition.flips))
    saved = show_seconds(condition.saved) if condition.evaluations else "never evaluated"
    last = (saved, show_seconds(condition.break_even))
    for number, arm in enumerate(condition.arms):
        share = arm.taken / condition.evaluations if condition.evaluations else 0.0
        mean = show_seconds(arm.mean) if arm.taken or arm.idle else "never ran"
        middle = (arm.name, str(arm.taken), show_percent(share), show_seconds(arm.time), mean)
        yield (*first, *middle, *last) if number == 0 else ("", "", "", *middle, "", "")


def laziness(function: FunctionRecord) -> Section:
    """Return the sentences about laziness."""
    report = lazy_report(function)
    notes = [
        f"never ran: {_names(report.never_ran, line_of)}",
        f"evaluated but unused: {_names(report.unused, line_of)}",
    ]
    if report.demanded:
        pairs = [f"{node.name} by {by.name}" for node, by in report.demanded]
        notes.append(f"first demanded: {_list_items(pairs)}")
    one_way = [f"{c.text} ({c.always}, {c.evaluations} times)" for c in report.one_way]
    notes.append(f"always one way: {_list_items(one_way)}")
    copies = _names(report.copies, lambda node: str(node.lazy_copies))
    notes.append(f"copies for laziness's sake: {copies}")
    memo = _names(
        report.memo, lambda n: f"{n.runs} times in {count_noun(function.n_calls, 'call')}"
    )
    notes.append(f"memo bodies that ran never or in every call: {memo}")
    unknown = (
        f"; unknown for {count_noun(len(report.unknown), 'condition')} with an arm that never ran"
        if report.unknown
        else ""
    )
    if function.conditions and function.node_time:
        notes.append(f"saved by not running untaken arms: {show_seconds(report.saved)}{unknown}")
    return Section("laziness", notes=tuple(notes))


def overheads(function: FunctionRecord) -> Section:
    """Return the table of what was spent outside of nodes."""
    spent = function.overheads
    rows = [
        (name, show_seconds(getattr(spent, name)), OVERHEADS[name])
        for name in (field.name for field in fields(Overheads))
        if name != "cache_hits"
    ]
    rows.append(("cache hits", str(spent.cache_hits), "modules that needed no compiler"))
    return Section("overheads", ("row", "time", "of"), tuple(rows), ("row", "of"))


OVERHEADS = {
    "arguments": "taking arguments in",
    "results": "giving results out",
    "lock": "waiting for Python's lock",
    "link": "making the function: placement and lowering",
    "rewrite": "making the function: rewriting its graph",
    "compile": "making the function: waiting for the C compiler, for the profiled code too",
    "compile_background": "compiling while calls went on, which nobody waited for",
    "changeover": "going over to code compiled in the background",
    "other": "the rest of the calls",
}


def memory(function: FunctionRecord, rows: int) -> Section:
    """Return the table of the nodes that allocate."""
    nodes = sorted(function.nodes, key=lambda node: -node.bytes_allocated)
    shown = tuple(
        (show_bytes(n.bytes_allocated), show_bytes(n.peak_bytes), str(n.runs), n.name, n.type,
         line_of(n))
        for n in nodes[:rows]
        if n.bytes_allocated
    )  # fmt: skip
    headers = ("allocated", "peak", "#call", "node", "type", "made at")
    return Section("memory", headers, shown, ("node", "type", "made at"))


def calls(function: FunctionRecord, rows: int, first: float) -> Section:
    """Return the table of the calls, with the seconds from the profile's first one on."""
    headers = ("call", "thread", "start", "time", "allocated", "arms")
    shown = tuple(
        (str(c.index), str(c.thread), show_seconds(c.start - first), show_seconds(c.time),
         show_bytes(c.bytes), ", ".join(arm_name(function, pair) for pair in c.arms))
        for c in function.calls[:rows]
    )  # fmt: skip
    notes = rest_note(len(function.calls), rows, "call")
    return Section("calls", headers, shown, ("arms",), notes)


def arm_name(function: FunctionRecord, pair: tuple[int, int]) -> str:
    """Return the name of an arm, ``"x > 0: then"``."""
    condition = function.conditions[pair[0]]
    return f"{condition.text}: {condition.arms[pair[1]].name}"


def _share(share: Share) -> tuple[str, ...]:
    parts = show_percent(share.part), show_percent(share.sum)
    times = show_seconds(share.time), show_seconds(share.time_per_run)
    return (*parts, *times, share.type, str(share.runs))


def _rest_note(shares: Sequence[Share], rows: int, what: str) -> tuple[str, ...]:
    left = shares[rows:]
    if not left:
        return ()
    part = show_percent(sum(share.part for share in left))
    return (f"... the remaining {len(left)} of {len(shares)} account for {part} of the time",)


def _names(nodes: Sequence[NodeRow], about: Callable[[NodeRow], str]) -> str:
    return _list_items([f"{node.name or node.op} ({about(node)})" for node in nodes])


def _list_items(items: Sequence[str]) -> str:
    if not items:
        return "none"
    more = f" and {len(items) - NAMES} more" if len(items) > NAMES else ""
    return ", ".join(items[:NAMES]) + more
