"""The line of the user's source that made a node, as a file and a number."""

from __future__ import annotations

import os
import re

from thunkvm._core import Apply


def location_of(node: Apply) -> tuple[str, int]:
    """Return the file and the line that made a node, the file by its whole path.

    ``python fit.py`` calls it ``fit.py`` and ``python -m thunkvm profile run fit.py`` does not: two
    runs are compared by their files.
    """
    file, line = split_origin(node._origin_path)
    return (os.path.abspath(file) if os.path.exists(file) else file), line


def split_origin(origin: str) -> tuple[str, int]:
    """Return the file and the line of ``file.py:12 in step``.

    Examples
    --------
    >>> from thunkvm._src.views.origin import split_origin
    >>> split_origin("search.py:12 in step"), split_origin("")
    (('search.py', 12), ('', 0))
    """
    found = re.fullmatch(r"(.*):(\d+)(?: in .*)?", origin, re.DOTALL)
    return (found[1], int(found[2])) if found else (origin, 0)


__all__ = ["location_of", "split_origin"]
