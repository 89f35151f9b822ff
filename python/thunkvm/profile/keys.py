"""The key of a node in another run: its Op, its line, and which of those it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from thunkvm.profile.rows import NodeRow


class NodeKey(NamedTuple):
    """A node's name across runs, modes and versions of a function.

    Attributes
    ----------
    op, file : str
        Its Op, and the file that made it.
    line, position : int
        The line, and which node of this Op on this line it is, from 0.
    """

    op: str
    file: str
    line: int
    position: int


def node_keys(nodes: Sequence[NodeRow]) -> list[NodeKey]:
    """Return the keys of nodes, in their order.

    Examples
    --------
    >>> from thunkvm.profile import NodeRow
    >>> from thunkvm.profile.keys import node_keys
    >>> nodes = [NodeRow(index=i, op="mul", file="a.py", line=3) for i in range(2)]
    >>> [key.position for key in node_keys(nodes)]
    [0, 1]
    """
    seen: Counter[tuple[str, str, int]] = Counter()
    keys = []
    for node in nodes:
        made = (node.op, node.file, node.line)
        keys.append(NodeKey(*made, seen[made]))
        seen[made] += 1
    return keys


__all__ = ["NodeKey", "node_keys"]
