"""The line of the user's source that made a node, as a file and a number."""

from __future__ import annotations

import linecache
import os

from thunkvm._core import Apply


def location_of(node: Apply) -> tuple[str, int]:
    """Return the file and the line that made a node, the file by its whole path.

    ``python fit.py`` calls it ``fit.py`` and ``python -m thunkvm profile run fit.py`` does not: two
    runs are compared by their files.
    """
    file, line, _ = node._origin_place
    return (os.path.abspath(file) if os.path.exists(file) else file), line


def source_line(node: Apply) -> str:
    """Return the text of the line that made a node; the text that was given for it, if any."""
    text = node._origin_place[2]
    file, line = location_of(node)
    return text or (linecache.getline(file, line).strip() if line else "")


__all__ = ["location_of", "source_line"]
