"""When the nodes of a function run, in words: ``only if x > 0.0 and not y``."""

from __future__ import annotations

from thunkvm import _core
from thunkvm._core import BlockRow, Variable
from thunkvm._src.views.expression import expression
from thunkvm._src.views.selectors import selector_of, selector_texts

#: As many conditions as words of a region have; of more, the outer ones are "...".
CONDITIONS = 8


class Regions:
    """The blocks of a function, and what runs in which.

    Attributes
    ----------
    schedule : ScheduleRows
        The rows of its schedule.
    blocks : list of BlockRow
        The root first, each before those within it.
    node_blocks : list of (int or None)
        By node: the block that it runs in; None for one that nothing runs.
    """

    def __init__(self, function: _core.Function) -> None:
        """Ask the function's schedule."""
        self.schedule = function._schedule()
        self.node_blocks = self.schedule.node_blocks
        self.blocks = self.schedule.blocks
        self._nodes = function._nodes
        #: The name of each selector.
        self.texts = self._selector_texts()
        #: By block: when the loop around it has it run; whether it is memoised, and the innermost
        #: conditions around it, in a step.
        self._around: list[tuple[str, bool, tuple[str, ...]]] = []
        for block in self.blocks:
            self._around.append(self._surroundings(block))

    def words_of_nodes(self) -> list[str]:
        """Return by node when it runs."""
        return ["never" if block is None else self.words(block) for block in self.node_blocks]

    def is_memoised(self, block: int) -> bool:
        """Return whether a block is a memo body, or lies in one."""
        return self._around[block][1]

    def words(self, block: int) -> str:
        """Return when a block runs: ``"always"``, ``"only if x"``, ``"if needed"``, ..."""
        when, memoised, around = self._around[block]
        conditions = " and ".join(around)
        if memoised:
            words = f"if needed and {conditions}" if conditions else "if needed"
        else:
            words = f"only if {conditions}" if conditions else ""
        return ", ".join(filter(None, (when, words))) or "always"

    def words_inside(self, block: int) -> str:
        """Return when a block runs, where the block around it does."""
        found = self.blocks[block]
        if found.kind in ("root", "memo"):
            return "always" if found.kind == "root" else "if needed"
        return self._part_of_loop(found) or f"only if {self._condition(found)}"

    def _selector_texts(self) -> dict[Variable, str]:
        nodes = [first.owner for first in self._nodes if first.owner is not None]
        deciding = dict.fromkeys(block.node for block in self.blocks if block.kind == "arm")
        owners = [self._nodes[node].owner for node in deciding if node is not None]
        return selector_texts([selector_of(owner) for owner in owners if owner is not None], nodes)

    def _surroundings(self, block: BlockRow) -> tuple[str, bool, tuple[str, ...]]:
        outside: tuple[str, bool, tuple[str, ...]] = ("", False, ())
        when, memoised, around = outside if block.within is None else self._around[block.within]
        if block.kind == "memo":
            return when, True, around
        if block.kind == "root":
            return outside
        if (part := self._part_of_loop(block)) is not None:
            return part, False, ()
        around = (*around, self._condition(block))
        # What is nested deeper says where it is by its innermost conditions.
        if len(around) > CONDITIONS:
            around = ("...", *around[-CONDITIONS + 1 :])
        return when, memoised, around

    def _part_of_loop(self, block: BlockRow) -> str | None:
        """Return when a loop runs a block that is its test, its step or its end."""
        if block.node is None or block.kind not in ("step", "arm"):
            return None
        node = self._nodes[block.node].owner
        if node is None or _core.loop_states(node) is None:
            return None
        part = "each test of " if block.kind == "step" else "at the end of "
        if block.kind == "arm" and block.number == 1:
            part = "each step of "
        return f"{part}{node.op.name}.{block.node}"

    def _condition(self, block: BlockRow) -> str:
        """Return the condition of a block, where the block around it runs."""
        assert block.node is not None
        node = self._nodes[block.node].owner
        assert node is not None
        if block.kind in ("input", "guarded"):
            name = _text(self._nodes[block.node])
            return f"input {block.number} of {name} is asked for"
        selector = self.texts[selector_of(node)]
        if block.decoding == "truth":
            return selector if block.number == 1 else f"not {selector}"
        if block.decoding == "index_or_default" and block.number == block.n_arms - 1:
            return f"not 0 <= {selector} < {block.number}"
        return f"{selector} == {block.number}"


def _text(variable: Variable) -> str:
    return variable.name or expression(variable)


__all__ = ["Regions"]
