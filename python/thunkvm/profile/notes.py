"""The notes of a profile on each node of a function, in a few words: for `Function.dprint`."""

from __future__ import annotations

from collections.abc import Sequence

from thunkvm.profile.amounts import count_noun, show_percent, show_seconds
from thunkvm.profile.record import Profile
from thunkvm.profile.rows import FunctionRecord, NodeRow


def node_notes(names: Sequence[str], profile: Profile) -> dict[str, str]:
    """Return a note for each of a function's nodes, by the node's name.

    Parameters
    ----------
    names : sequence of str
        The names of the function's nodes, in the program's order.
    profile : Profile
        What was recorded of it, perhaps among others.

    Raises
    ------
    ValueError
        If the profile has no function with these nodes.

    Examples
    --------
    >>> from thunkvm.profile import FunctionRecord, NodeRow, Profile
    >>> from thunkvm.profile.notes import node_notes
    >>> exp = NodeRow(index=0, op="exp", name="exp.0", runs=2, self_time=0.5)
    >>> node_notes(["exp.0"], Profile(functions=(FunctionRecord(name="f", nodes=(exp,)),)))
    {'exp.0': '2 runs, 500.000 ms (100.0%), always'}
    """
    for function in profile.functions:
        if [node.name for node in function.nodes] == list(names):
            whole = function.node_time
            return {node.name: _describe_node(node, whole) for node in function.nodes}
    found = ", ".join(_describe_function(function) for function in profile.functions) or "none"
    raise ValueError(
        f"the profile has no function with the nodes of this one, of which there are {len(names)}; "
        f"it has {found}. Pass what was recorded of this function."
    )


def _describe_function(function: FunctionRecord) -> str:
    return f"{function.name} ({len(function.nodes)} nodes)"


def _describe_node(node: NodeRow, whole: float) -> str:
    if node.never_ran:
        return f"never ran, {node.region}"
    runs = count_noun(node.runs, "run")
    if not node.self_time:
        return f"{runs}, {node.region}"
    time = f"{show_seconds(node.self_time)} ({show_percent(node.self_time / whole)})"
    return f"{runs}, {time}, {node.region}"
