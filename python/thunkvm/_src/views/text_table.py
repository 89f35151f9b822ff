"""Tables in plain text, and numbers in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table(headers: Sequence[str], rows: Sequence[Sequence[Any]], left: Sequence[str] = ()) -> str:
    """Lay out columns under their headers; those named in `left` are aligned left.

    Examples
    --------
    >>> from thunkvm._src.views.text_table import table
    >>> print(table(["name", "n"], [["a", 1], ["long", 10]], left=["name"]))
    name   n
    ----  --
    a      1
    long  10
    """
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [list(headers), *cells]) for i in range(len(headers))]

    def line(row: Sequence[str]) -> str:
        aligned = [
            cell.ljust(width) if header in left else cell.rjust(width)
            for header, cell, width in zip(headers, row, widths, strict=True)
        ]
        return "  ".join(aligned).rstrip()

    return "\n".join([line(headers), line(["-" * width for width in widths]), *map(line, cells)])


def show_bytes(number: int) -> str:
    """Return a number of bytes with a unit that fits.

    Examples
    --------
    >>> from thunkvm._src.views.text_table import show_bytes
    >>> show_bytes(999), show_bytes(20_000), show_bytes(256 << 20)
    ('999 B', '19.5 KiB', '256.0 MiB')
    """
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if number >= scale:
            return f"{number / scale:.1f} {unit}"
    return f"{number} B"
