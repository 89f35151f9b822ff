"""The user's expression that called a method of a Variable, for error messages."""

from __future__ import annotations

import ast
import dis
import linecache
import sys
from dataclasses import dataclass
from types import FrameType

#: Their functions pass on what their callers gave them.
LIBRARIES = ("numpy", "scipy", "thunkvm")


@dataclass(frozen=True, slots=True)
class CallSite:
    """What the innermost code outside of libraries was doing.

    Attributes
    ----------
    text : str
        The expression, ``"math.sin(x)"``; empty where the source is not at hand.
    function : str
        The last name of what it called, ``"sin"``, by the source or else by the library's frame;
        empty where it called nothing.
    target, index : str
        What it assigned an item of, and which: ``"a"`` and ``"0"`` of ``a[0] = x``; else empty.
    """

    text: str = ""
    function: str = ""
    target: str = ""
    index: str = ""


def call_site() -> CallSite:
    """Return the user's operation; costs microseconds, so for errors alone.

    Examples
    --------
    >>> from thunkvm._src.graph.callsite import call_site
    >>> call_site().index
    ''
    """
    frame: FrameType | None = sys._getframe(1)
    library = ""
    while frame is not None and _is_library(frame):
        library = frame.f_code.co_name
        frame = frame.f_back
    found = None if frame is None else _expression(frame)
    if frame is None or found is None:
        return CallSite(function="" if library.startswith(("_", "<")) else library)
    text = ast.unparse(found)
    if isinstance(found, ast.Subscript) and _stores(frame):
        target = ast.unparse(found.value)
        return CallSite(text, "", target, text[len(target) + 1 : -1])
    if not isinstance(found, ast.Call):
        return CallSite(text)
    called = found.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return CallSite(text, name)


def _is_library(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] in LIBRARIES and not name.startswith("thunkvm.demo")


def _stores(frame: FrameType) -> bool:
    return dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("STORE_")


def _expression(frame: FrameType) -> ast.expr | None:
    """Return the expression that a frame is in the middle of, if its source is at hand."""
    positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    first, last, start, end = positions
    if first is None or last is None or start is None or end is None:
        return None
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)[first - 1 : last]
    if len(lines) != last - first + 1:
        return None
    # Columns are counted in bytes of UTF-8.
    encoded = [line.encode() for line in lines]
    encoded[-1] = encoded[-1][:end]
    encoded[0] = encoded[0][start:]
    try:
        return ast.parse(b"(" + b"".join(encoded) + b")", mode="eval").body
    except SyntaxError:  # the file is not what was compiled
        return None


__all__ = ["CallSite", "call_site"]
