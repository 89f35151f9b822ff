"""One table of a profile as cells of text, and the tones of its rows."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from thunkvm.profile.shares import Share

#: A share of the time from which a row is something to look at, and something to notice.
HOT, WARM = 0.3, 0.05
#: The tone of a row, which colours it: what never ran, what takes a large share, what changed.
Tone = Literal["", "idle", "hot", "warm", "slower", "faster"]


@dataclass(frozen=True, slots=True)
class Section:
    """One table, or one list of sentences."""

    title: str
    headers: tuple[str, ...] = ()  #: the names of its columns; empty where it has no table
    rows: tuple[tuple[str, ...], ...] = ()
    left: tuple[str, ...] = ()  #: the columns that are aligned left
    notes: tuple[str, ...] = ()  #: sentences under the table
    tones: tuple[Tone, ...] = ()  #: those of its rows; empty where none has one


def drop_columns(section: Section, left_out: Container[str]) -> Section:
    """Return a table without these columns."""
    kept = [i for i, header in enumerate(section.headers) if header not in left_out]

    def cells(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(row[i] for i in kept)

    rows = tuple(map(cells, section.rows))
    return replace(section, headers=cells(section.headers), rows=rows)


#: The columns that are left out first where there is little room: others of the row say as much.
FIRST_TO_GO = (
    "<GB/s>", "<GFLOP/s>", "<sum %>", "<max>", "<p95>", "<type>", "<#apply>", "<apply time>",
    "flips", "break-even", "saved", "thread", "start", "evaluated", "share", "each time", "peak",
    "<time per call>", "asked before", "asked after", "runs before", "runs after",
)  # fmt: skip
#: The room that a column of words wants, and what lies between two columns.
WORDS, BETWEEN = 14, 3


def fit_table(section: Section, width: int) -> Section:
    """Return a table for so many characters a line: less what matters least, which a note names.

    Numbers are never broken, and words have room for a few.
    """
    gone: list[str] = []
    candidates = [header for header in FIRST_TO_GO if header in section.headers]
    while candidates and _least_width(section, gone) > width:
        gone.append(candidates.pop(0))
    if not gone:
        return section
    order = ", ".join(header for header in section.headers if header in gone)
    note = f"not in {width} characters: {order}"
    return drop_columns(replace(section, notes=(*section.notes, note)), gone)


def _least_width(section: Section, gone: Container[str]) -> int:
    """Return the width of the table without some columns, its headers broken between words."""
    widths = []
    for i, header in enumerate(section.headers):
        if header in gone:
            continue
        cells = max((len(row[i]) for row in section.rows), default=0)
        if header in section.left:
            cells = min(cells, WORDS)
        widths.append(max(cells, max(map(len, header.split()))) + BETWEEN)
    return sum(widths)


def tones_of(shares: Iterable[Share]) -> tuple[Tone, ...]:
    """Return the tones of rows that are shares of the time."""
    return tuple(tone_of(share.part, share.runs) for share in shares)


def tone_of(part: float, runs: int) -> Tone:
    """Return the tone of a row that takes this part of the time in so many runs."""
    if runs == 0:
        return "idle"
    return "hot" if part >= HOT else "warm" if part >= WARM else ""
