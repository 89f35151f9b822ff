"""The key of a node in another run: its Op, its line, and which of those it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from thunkvm.profile.rows import NodeRow

Key = TypeVar("Key", bound=Hashable)


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


def number_keys(keys: Iterable[Key]) -> Iterator[tuple[Key, int]]:
    """Yield each key with its position among the equal ones, from 0.

    Examples
    --------
    >>> from thunkvm.profile.keys import number_keys
    >>> list(number_keys(["a", "b", "a"]))
    [('a', 0), ('b', 0), ('a', 1)]
    """
    seen: Counter[Key] = Counter()
    for key in keys:
        yield key, seen[key]
        seen[key] += 1


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
    made = ((node.op, node.file, node.line) for node in nodes)
    return [NodeKey(*key, position) for key, position in number_keys(made)]
