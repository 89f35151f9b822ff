"""Which copies were made for laziness's sake."""

from __future__ import annotations

from collections import defaultdict

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm.profile.conditions import ProgramRegions


class LazyCopies:
    """Tells copies that laziness asked for from those that any order of the nodes would need.

    A node that overwrites an input gets a copy of it where others may still read it. That is for
    laziness's sake if none of these is sure to run after it: they are in arms, or wait to be
    needed, and where no call runs them the copy was for nothing.

    Parameters
    ----------
    function : Function
        The function.
    program : ProgramRegions
        Where its nodes run.
    """

    def __init__(self, function: _core.Function, program: ProgramRegions) -> None:
        """Find who reads what."""
        self._program = program
        self._forms = [row.form for row in function._node_rows()]
        self._kept = {output for output in function.outputs}
        self._kept |= {value for _, value in function.updates}
        self._readers: dict[Variable, list[int]] = defaultdict(list)
        for number, first in enumerate(program.nodes):
            assert first.owner is not None
            for read in dict.fromkeys(first.owner.inputs):
                self._readers[read].append(number)

    def of(self, node: int, runs: int, copies: int) -> int:
        """Return how many of the copies that a node made in so many runs were for laziness."""
        if not copies:
            return 0
        owner = self._program.nodes[node].owner
        assert owner is not None
        destroyed = {i for inputs in owner.op.destroy_map.values() for i in inputs}
        lazy = sum(self._is_lazy(node, owner.inputs[i]) for i in destroyed)
        return min(copies, lazy * runs)

    def _is_lazy(self, node: int, value: Variable) -> bool:
        """Whether only nodes read a value after this one that not every call runs which runs it."""
        if value.owner is None or value in self._kept:
            return False  # the caller's, and his to keep
        later = [reader for reader in self._readers[value] if reader > node]
        return bool(later) and not any(self._is_sure(reader, value, node) for reader in later)

    def _is_sure(self, reader: int, value: Variable, node: int) -> bool:
        """Whether a node reads a value wherever another one runs."""
        owner = self._program.nodes[reader].owner
        assert owner is not None
        form = self._forms[reader]
        if form == "lazy" or (form == "branch" and owner.inputs[0] is not value):
            return False  # it picks among its inputs
        if self._program.waits(reader):
            return False
        regions = self._program.node_regions
        around, inner = map(self._program.innermost, (regions[reader], regions[node]))
        return self._program.is_around(around, inner)


__all__ = ["LazyCopies"]
