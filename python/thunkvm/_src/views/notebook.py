"""HTML for notebooks: what the ``_repr_html_`` methods are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice
from typing import Any

#: A page has so many lines of a tree, or rows of a table, and then says that there are more.
SHOWN = 200


def with_graph(text: str, lines: Iterator[str]) -> str:
    """Return a text in code's letters, with a tree of lines under it to be opened.

    Examples
    --------
    >>> from thunkvm._src.views.notebook import with_graph
    >>> with_graph("<x>", iter(()))
    '<code>&lt;x&gt;</code>'
    """
    shown = list(islice(lines, SHOWN))
    if not shown:
        return f"<code>{escape(text)}</code>"
    if next(lines, None) is not None:
        shown.append("... and more, which dprint() prints")
    tree = escape("\n".join(shown))
    return (
        f"<code>{escape(text)}</code><details><summary>graph</summary><pre>{tree}</pre></details>"
    )


def html_table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table.

    Examples
    --------
    >>> from thunkvm._src.views.notebook import html_table
    >>> html_table(["node"], [["a < b"]])
    '<table><tr><th>node</th></tr><tr><td>a &lt; b</td></tr></table>'
    """
    shown = "".join(_row("td", row) for row in rows[:SHOWN])
    more = len(rows) - SHOWN
    rest = f"<p>... and {more} more, which print() prints</p>" if more > 0 else ""
    return f"<table>{_row('th', headers)}{shown}</table>{rest}"


def _row(tag: str, cells: Sequence[Any]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"


__all__ = ["html_table", "with_graph"]
