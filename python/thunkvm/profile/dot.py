"""The graph of a profiled function in DOT, and drawn by Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from thunkvm.profile.amounts import counted, show_percent, show_seconds
from thunkvm.profile.condition_rows import RegionRow
from thunkvm.profile.record import Profile
from thunkvm.profile.region_tree import region_tree, walk
from thunkvm.profile.rows import FunctionRecord, NodeRow

NEVER_RAN = 'style="rounded,dashed" color="grey60" fontcolor="grey60"'
#: Boxes deeper than this are indented as this one: an else-if chain is as deep as it has arms.
INDENTED = 20
HUE = 0.03  # of the colour that a node has more of the more time it took


def to_dot(profile: Profile) -> str:
    r"""Return the graphs of a profile's functions in DOT.

    Nodes are the redder the more of their function's time they took, those that never ran are
    dashed and grey, and each arm of a condition is a box that says how often it was taken.

    Examples
    --------
    >>> from thunkvm.profile import FunctionRecord, NodeRow, Profile
    >>> from thunkvm.profile.dot import to_dot
    >>> log = NodeRow(index=0, op="log", name="log.0", inputs=("x",))
    >>> print(to_dot(Profile(functions=(FunctionRecord(name="f", nodes=(log,)),))))
    digraph profile {
      node [shape=box style="rounded,filled" fillcolor=white fontname="sans-serif"]
      subgraph cluster_f0 {
        label="f: 0 calls, 0 s"
        f0_i0 [label="x" shape=plaintext style=""]
        f0_n0 [label="log.0\nnever ran" style="rounded,dashed" color="grey60" fontcolor="grey60"]
        f0_i0 -> f0_n0
      }
    }
    """
    lines = ["digraph profile {"]
    lines.append('  node [shape=box style="rounded,filled" fillcolor=white fontname="sans-serif"]')
    for number, function in enumerate(profile.functions):
        lines += (f"  {line}" for line in _function(f"f{number}", function))
    return "\n".join([*lines, "}"])


def to_svg(profile: Profile) -> str:
    """Return the graphs as SVG, drawn by Graphviz.

    Raises
    ------
    RuntimeError
        If Graphviz's ``dot`` is not installed, or does not draw the graph.
    """
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(
            "to_svg needs the program dot of Graphviz, which is not on the PATH: install the "
            "package graphviz of your system (apt-get install graphviz), or write DOT with to_dot."
        )
    drawn = subprocess.run(
        [program, "-Tsvg"], input=to_dot(profile), capture_output=True, text=True, check=False
    )
    if drawn.returncode:
        raise RuntimeError(f"{program} could not draw the graph: {drawn.stderr.strip()}")
    return drawn.stdout


def _function(prefix: str, function: FunctionRecord) -> Iterator[str]:
    yield f"subgraph cluster_{prefix} {{"
    calls = counted(function.n_calls, "call")
    title = f"{function.name}: {calls}, {show_seconds(function.time)}"
    yield f"  label={_quoted(title)}"
    names = dict.fromkeys(i for node in function.nodes for i in node.inputs if isinstance(i, str))
    inputs = {name: f"{prefix}_i{number}" for number, name in enumerate(names)}
    for name, identifier in inputs.items():
        yield f'  {identifier} [label={_quoted(name)} shape=plaintext style=""]'
    yield from _boxes(prefix, function)
    for node in function.nodes:
        for read in node.inputs:
            start = f"{prefix}_n{read}" if isinstance(read, int) else inputs[read]
            faded = (
                " [color=grey80 style=dashed]" if node.never_ran and isinstance(read, int) else ""
            )
            yield f"  {start} -> {prefix}_n{node.index}{faded}"
    yield "}"


def _boxes(prefix: str, function: FunctionRecord) -> Iterator[str]:
    """Yield the nodes, those of each arm in its box."""
    whole = function.node_time
    depth = 0
    for region in walk(region_tree(function)):
        while depth and depth >= region.depth:  # this one is not inside those boxes
            yield _indent(depth) + "}"
            depth -= 1
        if region.row is not None:
            depth = region.depth
            yield from _opened(prefix, function, region.name, region.row, depth)
        for node in region.nodes:
            yield f"{_indent(depth + 1)}{prefix}_n{node.index} [{_node(whole, node)}]"
    for left in range(depth, 0, -1):
        yield _indent(left) + "}"


def _opened(
    prefix: str, function: FunctionRecord, name: str, row: RegionRow, depth: int
) -> Iterator[str]:
    condition = function.conditions[row.condition]
    label = f"{name}\ntaken {condition.arms[row.arm].taken} of {condition.evaluations}"
    yield f"{_indent(depth)}subgraph cluster_{prefix}_{row.condition}_{row.arm} {{"
    yield f'{_indent(depth + 1)}label={_quoted(label)} style="rounded" color="grey50"'


def _indent(depth: int) -> str:
    return "  " * min(depth, INDENTED)


def _node(whole: float, node: NodeRow) -> str:
    name = node.name or node.op
    if node.never_ran:
        label = f"{name}\nnever ran"
        return f"label={_quoted(label)} {NEVER_RAN}"
    share = node.self_time / whole if node.self_time else 0.0
    label = f"{name}\n{counted(node.runs, 'run')}"
    if node.self_time:
        label += f", {show_seconds(node.self_time)} ({show_percent(share)})"
    return f'label={_quoted(label)} fillcolor="{HUE} {share:.3f} 1.000"'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


__all__ = ["to_dot", "to_svg"]
