"""The tables of a difference of two profiles, as cells of text."""

from __future__ import annotations

from thunkvm.profile.amounts import rest_note, show_percent, show_seconds
from thunkvm.profile.difference import FunctionChange, ProfileDifference
from thunkvm.profile.rows import NodeRow
from thunkvm.profile.section import Section, Tone
from thunkvm.profile.sections import ROWS
from thunkvm.profile.shares import location


def difference_sections(difference: ProfileDifference, rows: int = ROWS) -> list[Section]:
    """Return the tables of a difference, function by function, the largest changes first."""
    found = []
    headers = ("change", "before", "after", "runs before", "runs after", "node", "made at")
    for function in difference.functions:
        shown = []
        tones: list[Tone] = []
        for change in function.nodes[:rows]:
            old, new = change.before, change.after
            row = new if new is not None else old
            name = "" if row is None else row.name or row.op
            tones.append(_tone(change.time_change))
            shown.append((
                _signed_seconds(change.time_change), _time(old), _time(new), _runs(old), _runs(new),
                name, location(change.key.file, change.key.line) or "?",
            ))  # fmt: skip
        records = (function.before, function.after)
        times = ["none" if f is None else show_seconds(f.time) for f in records]
        modes = ["no such function" if f is None else f.mode for f in records]
        title = f"{function.name}: {' -> '.join(modes)}, {' -> '.join(times)}"
        notes = rest_note(len(function.nodes), rows, "node")
        found.append(
            Section(title, headers, tuple(shown), ("node", "made at"), notes, tuple(tones))
        )
        if function.conditions:
            found.append(_branches(function, rows))
    return found


def _branches(function: FunctionChange, rows: int) -> Section:
    """Return the table of the shares of the arms, those that changed most first."""
    headers = ("condition", "arm", "share before", "share after", "asked before", "asked after")
    shown = []
    for change in function.conditions[:rows]:
        asked = [
            "" if row is None else str(row.evaluations) for row in (change.before, change.after)
        ]
        for number, (arm, shares) in enumerate(change.shares.items()):
            parts = ["" if share is None else show_percent(share) for share in shares]
            first = number == 0
            shown.append(
                (change.text if first else "", arm, *parts, *(asked if first else ("", "")))
            )
    notes = rest_note(len(function.conditions), rows, "condition")
    return Section(
        f"branches of {function.name}", headers, tuple(shown), ("condition", "arm"), notes
    )


def _tone(change: float) -> Tone:
    return "slower" if change > 0 else "faster" if change < 0 else ""


def _signed_seconds(seconds: float) -> str:
    return ("+" if seconds > 0 else "") + show_seconds(seconds)


def _time(row: NodeRow | None) -> str:
    return "" if row is None else show_seconds(row.self_time)


def _runs(row: NodeRow | None) -> str:
    return "" if row is None else str(row.runs)
