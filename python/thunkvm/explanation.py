"""What a function says of itself: `Function.explain`."""

from __future__ import annotations

from dataclasses import dataclass

from thunkvm import _core
from thunkvm.text_table import table


@dataclass(frozen=True, slots=True)
class NodeExplanation:
    """How one node of a function runs.

    Attributes
    ----------
    node, op, origin : str
        The node's name, its Op, and the line of the user's code that made it.
    form : str
        ``"emitted"`` (an expression of emitted C), ``"loop"`` (a member of a fused loop),
        ``"branch"``, ``"kernel"``, ``"perform"``, ``"lazy"`` or ``"thunk"``.
    region : str
        The emitted function, and the loop in it; empty where the interpreter runs the node.
    why : str
        Why the node runs no better; empty where it cannot.
    runs : int
        How often it ran.
    """

    node: str
    op: str
    origin: str
    form: str
    region: str
    why: str
    runs: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """How each node of a function runs, where, and why not better.

    Attributes
    ----------
    compiled : str
        What became of the emitted code: ``"off"`` (the mode emits none), ``"waiting"``,
        ``"compiling"``, ``"ready"`` or ``"failed"``. Until it is ready, the interpreter runs all
        nodes as their kernels and performs, whatever is said of them here.
    nodes : list of NodeExplanation
        In the program's order.
    rewrites : dict of str to int
        How many nodes fewer each rewrite of the mode left: what it merged, what it took out, and
        what nobody needed any more. They are not among the nodes.
    """

    compiled: str
    nodes: list[NodeExplanation]
    rewrites: dict[str, int]

    def __str__(self) -> str:
        """Return a table, a node a line."""
        rows = [
            (row.node, row.form, row.region or "interpreter", row.runs, row.why, row.origin)
            for row in self.nodes
        ]
        headers = ("node", "runs as", "in", "runs", "why not better", "made at")
        left = ("node", "runs as", "in", "why not better", "made at")
        header = f"emitted code: {self.compiled}\n"
        if self.rewrites:
            by = ", ".join(f"{name} {count}" for name, count in self.rewrites.items())
            header += f"rewrites: {sum(self.rewrites.values())} nodes fewer ({by})\n"
        return header + table(headers, rows, left=left)


def explain(function: _core.Function) -> Explanation:
    """Return how each node of a function runs.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.cos(x) * 2.0, mode="vm")
    >>> [(row.op, row.form) for row in f.explain().nodes]
    [('cos', 'perform'), ('mul', 'perform')]
    """
    nodes = [
        NodeExplanation(node, op, origin, form, region, why, runs)
        for (node, op, _, origin, runs), (form, region, why) in zip(
            function.node_runs(), function.node_places(), strict=True
        )
    ]
    return Explanation(function.compiled, nodes, function.rewrites)


__all__ = ["Explanation", "NodeExplanation", "explain"]
