"""Profiles in plain text, in colour with rich, and as tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from thunkvm._src.views.notebook import html_table
from thunkvm._src.views.text_table import table
from thunkvm.profile.extras import import_extra
from thunkvm.profile.section import Section, fit_table

if TYPE_CHECKING:
    from rich.console import Console

#: Rich's style of each tone.
STYLES = {
    "": "", "idle": "dim", "hot": "bold red", "warm": "yellow", "slower": "red", "faster": "green",
}  # fmt: skip


def plain(sections: Iterable[Section]) -> str:
    """Return tables as plain text."""
    return "\n\n".join("\n".join(_lines(section)) for section in sections)


def _lines(section: Section) -> Iterator[str]:
    yield section.title
    yield "-" * len(section.title)
    if section.rows:
        yield table(section.headers, section.rows, left=section.left)
    elif section.headers:
        yield "none"
    yield from section.notes


def html_sections(sections: Iterable[Section]) -> str:
    """Return tables as HTML for notebooks.

    Examples
    --------
    >>> from thunkvm.profile.section import Section
    >>> from thunkvm.profile.text import html_sections
    >>> html_sections([Section("calls", ("call",), (), notes=("a < b",))])
    '<h4>calls</h4><p>a &lt; b</p>'
    """
    return "".join(
        f"<h4>{escape(section.title)}</h4>"
        + (html_table(section.headers, section.rows, section.left) if section.rows else "")
        + "".join(f"<p>{escape(note)}</p>" for note in section.notes)
        for section in sections
    )


def rich_tables(sections: Iterable[Section], width: int) -> Iterator[Any]:
    """Return tables as rich's renderables, for so many characters a line.

    Raises
    ------
    ImportError
        If rich is not installed; the message says how to.
    """
    box, markup = import_extra("rich.box", "colour"), import_extra("rich.markup", "colour")
    rich_table, rich_text = (
        import_extra("rich.table", "colour"),
        import_extra("rich.text", "colour"),
    )
    for each in sections:
        section = fit_table(each, width)
        yield rich_text.Text(f"\n{section.title}", style="bold")
        if section.rows:
            out = rich_table.Table(box=box.SIMPLE_HEAD, pad_edge=False)
            for header in section.headers:
                words = header in section.left
                out.add_column(
                    markup.escape(header),
                    justify="left" if words else "right",
                    overflow="fold",
                    min_width=None if words else _longest(section, header),
                )
            for row, tone in zip_longest(section.rows, section.tones, fillvalue=""):
                out.add_row(*map(markup.escape, row), style=STYLES[tone])
            yield out
        for note in section.notes:
            what, colon, rest = note.partition(": ")
            yield rich_text.Text.assemble((what + colon, "dim" if colon else ""), rest)


def _longest(section: Section, header: str) -> int:
    """Return the length of the longest cell in a column."""
    column = section.headers.index(header)
    return max(len(row[column]) for row in section.rows)


def print_sections(sections: Iterable[Section], console: Console | None = None) -> None:
    """Print tables to a terminal in colour, to anything else as plain text.

    Parameters
    ----------
    sections : iterable of Section
        What to print.
    console : rich.console.Console, optional
        Where to; standard output if left out. Without rich, what is printed is plain.
    """
    if console is None:
        try:
            console = import_extra("rich.console", "colour").Console()
        except ImportError:
            print(plain(sections))
            return
    if not console.is_terminal:
        console.file.write(plain(sections) + "\n")
        return
    for renderable in rich_tables(sections, console.width):
        console.print(renderable)
