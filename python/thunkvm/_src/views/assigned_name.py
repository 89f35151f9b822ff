"""The name that the user's source gives to a value: ``good = x > 0`` calls it ``good``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from thunkvm._core import Apply, BuiltinOp
from thunkvm._src.views.expression import notation_text, op_names
from thunkvm._src.views.origin import location_of
from thunkvm._src.views.source_lines import called_name, source_of

#: Python's operators, as the Ops' prototypes write them.
OPERATORS: dict[type[ast.AST], str] = {
    ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Invert: "~", ast.USub: "-",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%", ast.FloorDiv: "//", ast.MatMult: "@",
}  # fmt: skip
#: ``0 < x`` makes the node of ``x > 0``.
TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
#: What ``x[i]`` makes.
INDEXING = "subtensor"
#: Functions that make a node of another name last.
MADE_BY = {"and_": "ifelse", "or_": "ifelse", "cond": "ifelse", "astype": "cast"}


def assigned_name(node: Apply, readers: Iterable[Apply]) -> str | None:
    """Return what the line that made a node calls its value; None where it has no name there.

    What is read by another node of the same statement is a part of what gets the name.

    Parameters
    ----------
    node : Apply
        The node.
    readers : iterable of Apply
        The nodes that read it.
    """
    file, line = location_of(node)
    found = [a for a in source_of(file).assignments.get(line, ()) if _makes(a.value, node)]
    if not line or len(found) != 1:
        return None
    statement = found[0]
    for reader in readers:
        where, at = location_of(reader)
        if where == file and statement.first <= at <= statement.last:
            return None
    return statement.name


def _makes(value: ast.expr, node: Apply) -> bool:
    """Return whether the outermost step of an expression is what made a node."""
    if isinstance(value, ast.Call):
        name = called_name(value)
        if MADE_BY.get(name, name) in op_names(node):
            return True
        # What has names and numbers alone for arguments makes all nodes of its line itself.
        return all(map(_is_plain, [*value.args, *(k.value for k in value.keywords)]))
    if not isinstance(node.op, BuiltinOp):
        return False
    written = notation_text(node)
    if isinstance(value, ast.Compare) and len(value.ops) == 1:
        operator = OPERATORS.get(type(value.ops[0]))
        return operator is not None and written in (operator, TURNED.get(operator))
    if isinstance(value, ast.BinOp | ast.UnaryOp):
        return written is not None and OPERATORS.get(type(value.op)) == written
    return isinstance(value, ast.Subscript) and INDEXING in op_names(node)


def _is_plain(value: ast.expr) -> bool:
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name | ast.Constant)


__all__ = ["assigned_name"]
