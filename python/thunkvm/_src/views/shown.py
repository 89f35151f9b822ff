"""The views of Variables, nodes and functions in a notebook: text, a picture, and a tree."""

from __future__ import annotations

from thunkvm import _core
from thunkvm._core import Apply, Variable
from thunkvm._src.views.explanation import function_lines
from thunkvm._src.views.explanation import represent as function_text
from thunkvm._src.views.expression import node_expression, represent
from thunkvm._src.views.graph_drawing import function_to_dot, to_dot
from thunkvm._src.views.notebook import picture, with_graph
from thunkvm._src.views.tree import tree_lines


def show_variable(variable: Variable) -> str:
    """Return a notebook's view of a Variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.shown import show_variable
    >>> show_variable(tv.scalar("x"))
    '<code>&lt;x: scalar float64&gt;</code>'
    """
    if variable.owner is None:
        return with_graph(represent(variable), iter(()))
    return with_graph(represent(variable), tree_lines([("", variable)]), _drawn([variable]))


def show_node(node: Apply) -> str:
    """Return a notebook's view of a node: as of its outputs."""
    outputs = list(node.outputs)
    roots = [("" if len(outputs) == 1 else f"[{i}]: ", each) for i, each in enumerate(outputs)]
    return with_graph(node_expression(node), tree_lines(roots), _drawn(outputs))


def show_function(function: _core.Function) -> str:
    """Return a notebook's view of a function."""
    drawn = picture(lambda: function_to_dot(function), len(function.node_runs()))
    return with_graph(function_text(function), function_lines(function), drawn)


def _drawn(roots: list[Variable]) -> str:
    graph = roots if len(roots) > 1 else roots[0]
    return picture(lambda: to_dot(graph), len(_core.topological_order(roots)))


__all__ = ["show_function", "show_node", "show_variable"]
