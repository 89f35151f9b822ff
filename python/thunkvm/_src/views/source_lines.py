"""The statements of the user's source files: which names their lines give to values."""

from __future__ import annotations

import ast
import linecache
from typing import NamedTuple


class Assignment(NamedTuple):
    """A statement that gives a value a name, ``good = x > 0``.

    Attributes
    ----------
    name : str
        The name, ``"good"`` or ``"self.good"``.
    first, last : int
        The lines of the statement.
    value : ast.expr
        What is on its right.
    """

    name: str
    first: int
    last: int
    value: ast.expr


class Source(NamedTuple):
    """The known facts of a file.

    Attributes
    ----------
    lines : list of str
        Its lines, as `linecache` has them.
    assignments : dict of int to list of Assignment
        The assignments on each line.
    calls : dict of int to list of str
        The operators of products and the last names of the functions that each line has, ``"@"``
        and ``"dot"``.
    """

    lines: list[str]
    assignments: dict[int, list[Assignment]]
    calls: dict[int, list[str]]


_known: dict[str, Source] = {}


def source_of(file: str) -> Source:
    """Return the known facts of a file; of one that is not there or does not parse, nothing."""
    lines = linecache.getlines(file)
    known = _known.get(file)
    if known is None or known.lines is not lines:  # `linecache` reads a file once
        known = _known[file] = _parse_source(lines)
    return known


def _parse_source(lines: list[str]) -> Source:
    source = Source(lines, {}, {})
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            _note_assignment(source, node)
        elif isinstance(node, ast.Call):
            _note_call(source, node, called_name(node))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            _note_call(source, node, "@")
    return source


def _note_call(source: Source, node: ast.expr, name: str) -> None:
    for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
        source.calls.setdefault(line, []).append(name)


def _note_assignment(source: Source, node: ast.Assign | ast.AnnAssign) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    named = [target for target in targets if isinstance(target, ast.Name | ast.Attribute)]
    if not named or node.value is None:
        return
    last = node.end_lineno or node.lineno
    found = Assignment(ast.unparse(named[0]), node.lineno, last, node.value)
    for line in range(found.first, last + 1):
        source.assignments.setdefault(line, []).append(found)


def called_name(call: ast.Call) -> str:
    """Return the last name of what is called, ``"dot"`` of ``tv.dot(a, b)``; empty if it has none.

    Examples
    --------
    >>> import ast
    >>> from thunkvm._src.views.source_lines import called_name
    >>> called_name(ast.parse("tv.dot(a, b)", mode="eval").body)
    'dot'
    """
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


__all__ = ["Assignment", "called_name", "source_of"]
