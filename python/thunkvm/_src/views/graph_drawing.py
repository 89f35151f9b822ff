"""Graphs as Graphviz draws them: `to_dot`, of Variables and of functions."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

from thunkvm import _core
from thunkvm._core import Apply, Drawing, Variable
from thunkvm._src.graph.structure import leaves
from thunkvm._src.graph.values import as_variable
from thunkvm._src.views.drawing import save
from thunkvm._src.views.explanation import function_roots, node_runs
from thunkvm._src.views.expression import expression
from thunkvm._src.views.regions import Regions
from thunkvm._src.views.tree import Root, labelled_inputs, op_text, state_names, step_roots

#: The attributes of a node that never ran in a function that was called.
NEVER_RAN = {"style": "dashed", "color": "grey45", "fontcolor": "grey45"}


class Part:
    """A graph without the bodies of its loops, or one such body, as far as it is drawn.

    Parameters
    ----------
    drawing : Drawing
        What it is drawn in.
    frame : int, optional
        The frame around all of it.
    """

    def __init__(self, drawing: Drawing, frame: int | None = None) -> None:
        """Begin with an empty part."""
        self.drawing = drawing
        self.frame = frame
        #: Where nodes and Variables without one are.
        self.boxes: dict[Apply | Variable, int] = {}

    def box_of(self, variable: Variable) -> int:
        """Return where a Variable is; one that no node computes is drawn when it is first used."""
        owner = variable if variable.owner is None else variable.owner
        if owner not in self.boxes:
            self.add_leaf(variable, self.frame)
        return self.boxes[owner]

    def add_leaf(self, variable: Variable, frame: int | None) -> None:
        """Draw a Variable that no node computes."""
        self.boxes[variable] = self.drawing.box(frame, label=_leaf_text(variable), shape="box")

    def add_node(self, node: Apply, frame: int | None, **attributes: str) -> int:
        """Draw a node without its inputs."""
        self.boxes[node] = box = self.drawing.box(frame, **attributes)
        return box

    def add_arrows(self, inputs: Iterable[Root], box: int) -> None:
        """Draw arrows to a box from Variables, each with the label that stands before it."""
        for label, variable in inputs:
            label = label.removesuffix(": ")
            labels = {"label": label} if label else {}
            self.drawing.arrow(self.box_of(variable), box, **labels)

    def add_results(self, roots: Iterable[Root]) -> None:
        """Draw where the Variables go that have a label."""
        for label, variable in roots:
            if label:
                box = self.drawing.box(label=label.removesuffix(": "), shape="plaintext")
                self.add_arrows([("", variable)], box)


def to_dot(graph: Any, path: str | PathLike[str] | None = None) -> str:
    r"""Return the graph that computes a Variable in DOT, which Graphviz draws.

    Inputs, shared variables and constants are boxes; what each step of a loop computes has a frame
    around it.

    Parameters
    ----------
    graph : Variable, or nested lists, tuples and dicts of them
        What to draw.
    path : path, optional
        A file to write it to as well: DOT if its name ends in ``.dot`` or ``.gv``; SVG, drawn by
        Graphviz, if it ends in ``.svg``.

    Raises
    ------
    TypeError
        If `graph` is, or holds, what is no Variable and no value.
    ValueError
        If the name of the file has another end.
    RuntimeError
        If it is to be SVG, and Graphviz's ``dot`` is not installed.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> print(tv.to_dot(tv.ifelse(x > 2.0, x, 0.0)))
    digraph G {
    0 [label="gt"];
    1 [label="x\nscalar float64" shape="box"];
    2 [label="2.0" shape="box"];
    3 [label="ifelse"];
    4 [label="0.0" shape="box"];
    1->0 ;
    2->0 ;
    0->3  [label="if"];
    1->3  [label="then"];
    4->3  [label="else"];
    }
    """
    drawing = Drawing()
    roots = [(name, as_variable(leaf)) for name, leaf in leaves(graph)]
    parts: list[tuple[Part, list[Root], int | None]] = [(Part(drawing), roots, None)]
    for part, roots, loop_box in parts:  # which grows: bodies may have loops
        for node in _core.topological_order([root for _, root in roots]):
            box = part.add_node(node, part.frame, label=_with_names(op_text(node), node))
            if (loop := _core.loop_body(node.outputs[0])) is None:
                part.add_arrows(labelled_inputs(node), box)
                continue
            states, captures = loop[:2]
            firsts, captured = node.inputs[: len(states)], node.inputs[len(states) :]
            part.add_arrows(_label_values("begins", states, firsts), box)
            body = Part(drawing, drawing.frame(part.frame, label=f"each step of {op_text(node)}"))
            body.boxes |= {c: part.box_of(v) for c, v in zip(captures, captured, strict=True)}
            parts.append((body, step_roots(loop), box))
        if loop_box is None:
            part.add_results(roots)
        else:
            part.add_arrows(roots, loop_box)
    return _show_drawing(drawing, path)


def function_to_dot(function: _core.Function, path: str | PathLike[str] | None = None) -> str:
    r"""Return the graph that a function runs, after givens and rewrites, in DOT for Graphviz.

    Nodes have the names that `explain` and `dprint` have for them. What runs together or not at
    all has a frame around it, which says when: an arm of a conditional, each step of a loop. Nodes
    that never ran are grey, if any did.

    Parameters
    ----------
    path : path, optional
        A file to write it to as well: DOT if its name ends in ``.dot`` or ``.gv``; SVG, drawn by
        Graphviz, if it ends in ``.svg``.

    Raises
    ------
    ValueError
        If the name of the file has another end.
    RuntimeError
        If it is to be SVG, and Graphviz's ``dot`` is not installed.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0.0, tv.exp(x), x), mode="vm")
    >>> _ = f(-1.0)
    >>> print(f.to_dot())
    digraph G {
    subgraph cluster_0 {
    label="only if x > 0.0";
    1;
    }
    0 [label="gt.0"];
    1 [label="exp.1" style="dashed" color="grey45" fontcolor="grey45"];
    2 [label="ifelse.2"];
    3 [label="x\nscalar float64" shape="box"];
    4 [label="0.0" shape="box"];
    5 [label="output" shape="plaintext"];
    3->0 ;
    4->0 ;
    3->1 ;
    0->2  [label="if"];
    1->2  [label="then"];
    3->2  [label="else"];
    2->5 ;
    }
    """
    rows = node_runs(function)
    nodes = [first.owner for first in function._nodes if first.owner is not None]
    regions = Regions(function)
    part = Part(Drawing())
    frames = _frames(part.drawing, regions)
    called = any(row.runs for row in rows)
    for node, row, block in zip(nodes, rows, regions.node_blocks, strict=True):
        looks = NEVER_RAN if called and row.runs == 0 else {}
        frame = None if block is None else frames.get(block)
        part.add_node(node, frame, label=_with_names(row.node, node), **looks)
    for number, found in enumerate(regions.blocks):
        if found.kind == "step" and found.node is not None:
            loop = nodes[found.node]
            for state in loop.inputs[: _core.loop_states(loop)]:
                part.add_leaf(state, frames.get(number))
    for node in nodes:
        part.add_arrows(_inputs(node), part.boxes[node])
    part.add_results((label or "output: ", root) for label, root in function_roots(function))
    return _show_drawing(part.drawing, path)


def _frames(drawing: Drawing, regions: Regions) -> dict[int, int]:
    """Draw a frame for each block in which a node runs, but the root; return them by block."""
    used = {block for block in regions.node_blocks if block is not None}
    for number in reversed(range(len(regions.blocks))):  # those inside come after those around
        around = regions.blocks[number].within
        if number in used and around is not None:
            used.add(around)
    frames: dict[int, int] = {}
    for number, block in enumerate(regions.blocks):
        if number in used and block.kind != "root":
            around = None if block.within is None else frames.get(block.within)
            frames[number] = drawing.frame(around, label=regions.words_inside(number))
    return frames


def _inputs(node: Apply) -> list[Root]:
    """Return what a node of a function reads; of a loop not its states, which it sets."""
    n_states = _core.loop_states(node)
    if n_states is None:
        return labelled_inputs(node)
    states, test, rest = node.inputs[:n_states], node.inputs[n_states], node.inputs[n_states + 1 :]
    nexts, rest = rest[:n_states], rest[n_states:]
    left = _core.count_outputs(node)
    return [
        ("while", test),
        *_label_values("becomes", states, nexts),
        *(("leaves", value) for value in rest[:left]),
        *_label_values("begins", states, rest[left:]),
    ]


def _label_values(verb: str, states: list[Variable], values: list[Variable]) -> list[Root]:
    """Return the values of the first states, each with its state's name."""
    names = state_names(states)
    return [(f"{name} {verb}", value) for name, value in zip(names, values, strict=False)]


def _with_names(text: str, node: Apply) -> str:
    """Return the name of a node, and the user's names of its outputs."""
    return "\n".join([text, *(output.name for output in node.outputs if output.name is not None)])


def _leaf_text(variable: Variable) -> str:
    """Return the name of a Variable that no node computes."""
    if variable.leaf == "constant":
        return variable.name or expression(variable)
    return f"{variable.name or variable.leaf}\n{_core.type_text(variable)}"


def _show_drawing(drawing: Drawing, path: str | PathLike[str] | None) -> str:
    dot = drawing.to_dot()
    if path is not None:
        save(dot, path)
    return dot


__all__ = ["function_to_dot", "to_dot"]
