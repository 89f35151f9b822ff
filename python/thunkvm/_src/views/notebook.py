"""HTML for notebooks: the parts of the ``_repr_html_`` methods."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from html import escape
from itertools import islice
from typing import Any

from thunkvm._src.views.drawing import to_svg

#: The most lines of a tree, or rows of a table; a note says that there are more.
SHOWN = 200
#: The most nodes of a picture: Graphviz lays these out in a tenth of a second, and a page has room.
DRAWN = 60
#: A box, two arrows and a leaf.
LINES_OF_NODE = 4
FRAME = (
    "background-color: white; overflow: auto; max-height: 40em; width: fit-content; max-width: 100%"
)
SCROLLS = "overflow-x: auto"
LEFT = ' style="text-align: left"'


def picture(to_dot: Callable[[], str], nodes: int) -> str:
    """Return a drawing as an image in a frame; "" if it is too large, or Graphviz is not there.

    It is a part of the HTML, since a notebook that gets HTML and SVG shows the HTML alone. It is an
    image with the SVG as its data: JupyterLab takes the tags of SVG out of notebooks of others.

    Examples
    --------
    >>> from thunkvm._src.views.notebook import picture
    >>> picture(lambda: "digraph G { a -> b; }", 10_000)
    ''
    """
    if not 0 < nodes <= DRAWN:
        return ""
    dot = to_dot()
    if dot.count("\n") > LINES_OF_NODE * DRAWN:  # a node of many inputs
        return ""
    with suppress(RuntimeError):
        data = b64encode(to_svg(dot).encode()).decode()
        return (
            f'<div style="{FRAME}"><img alt="graph" src="data:image/svg+xml;base64,{data}"></div>'
        )
    return ""


def with_graph(text: str, lines: Iterator[str], drawn: str = "") -> str:
    """Return a text in code's letters, a picture, and a tree of lines to be opened under it.

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
    details = f"<details><summary>graph</summary><pre>{tree}</pre></details>"
    return f"<code>{escape(text)}</code>{drawn}{details}"


def html_table(
    headers: Sequence[str], rows: Sequence[Sequence[Any]], left: Container[str] = ()
) -> str:
    """Return a table, which scrolls where it is wider than the page.

    Notebooks align cells right, as numbers are; the columns in `left` are words.

    Examples
    --------
    >>> from thunkvm._src.views.notebook import html_table
    >>> print(html_table(["op"], [["<"]]))
    <div style="overflow-x: auto"><table><tr><th>op</th></tr><tr><td>&lt;</td></tr></table></div>
    >>> "<td>1</td><td style=" in html_table(["runs", "op"], [["1", "exp"]], left=["op"])
    True
    """
    looks = [LEFT if header in left else "" for header in headers]
    shown = "".join(_row("td", row, looks) for row in rows[:SHOWN])
    more = len(rows) - SHOWN
    rest = f"<p>... and {more} more, which print() prints</p>" if more > 0 else ""
    return f'<div style="{SCROLLS}"><table>{_row("th", headers, looks)}{shown}</table></div>{rest}'


def _row(tag: str, cells: Sequence[Any], looks: Sequence[str]) -> str:
    shown = (
        f"<{tag}{look}>{escape(str(cell))}</{tag}>" for cell, look in zip(cells, looks, strict=True)
    )
    return f"<tr>{''.join(shown)}</tr>"


__all__ = ["html_table", "picture", "with_graph"]
