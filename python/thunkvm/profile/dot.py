"""The graph of a profiled function as a drawing, which Graphviz lays out."""

from __future__ import annotations

from thunkvm._core import Drawing
from thunkvm.profile.amounts import count_noun, show_percent, show_seconds
from thunkvm.profile.condition_rows import RegionRow
from thunkvm.profile.record import Profile
from thunkvm.profile.region_tree import region_tree, walk_regions
from thunkvm.profile.rows import FunctionRecord, NodeRow

EVERY_BOX = {
    "shape": "box",
    "style": "rounded,filled",
    "fillcolor": "white",
    "fontname": "sans-serif",
}
NEVER_RAN = {"style": "rounded,dashed", "color": "grey45", "fontcolor": "grey45"}
HUE = 0.03  # of the colour that a node has more of the more time it took


def to_dot(profile: Profile) -> str:
    r"""Return the graphs of a profile's functions in DOT.

    Nodes are the redder the more of their function's time they took. Those that never ran are
    dashed and grey. Each arm of a condition is a frame that says how often it was taken.
    """
    drawing = Drawing(EVERY_BOX)
    for function in profile.functions:
        _draw(drawing, function)
    return drawing.to_dot()


def _draw(drawing: Drawing, function: FunctionRecord) -> None:
    calls = count_noun(function.n_calls, "call")
    title = f"{function.name}: {calls}, {show_seconds(function.time)}"
    whole, node_time = drawing.frame(label=title), function.node_time
    frames: dict[int | None, int] = {}
    boxes: dict[int | str, int] = {}
    for region in walk_regions(region_tree(function)):
        frame = whole
        if region.row is not None:
            label = _taken_text(function, region.name, region.row)
            around = frames.get(region.row.around, whole)
            frame = drawing.frame(around, label=label, style="rounded", color="grey50")
            frames[region.row.index] = frame
        for node in region.nodes:
            boxes[node.index] = drawing.box(frame, **_node(node_time, node))
    for node in function.nodes:
        for read in node.inputs:
            if read not in boxes:
                boxes[read] = drawing.box(whole, label=str(read), shape="plaintext", style="")
            faded = node.never_ran and isinstance(read, int)
            looks = {"color": "grey80", "style": "dashed"} if faded else {}
            drawing.arrow(boxes[read], boxes[node.index], **looks)


def _taken_text(function: FunctionRecord, name: str, row: RegionRow) -> str:
    condition = function.conditions[row.condition]
    return f"{name}\ntaken {condition.arms[row.arm].taken} of {condition.evaluations}"


def _node(whole: float, node: NodeRow) -> dict[str, str]:
    name = node.name or node.op
    if node.never_ran:
        return {"label": f"{name}\nnever ran", **NEVER_RAN}
    share = node.self_time / whole if node.self_time else 0.0
    label = f"{name}\n{count_noun(node.runs, 'run')}"
    if node.self_time:
        label += f", {show_seconds(node.self_time)} ({show_percent(share)})"
    return {"label": label, "fillcolor": f"{HUE} {share:.3f} 1.000"}
