"""The conditions of a function: what is asked, where, and which nodes run for each answer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.views.regions import Regions
from thunkvm._src.views.selectors import selector_of


@dataclass(frozen=True, slots=True)
class Condition:
    """The question of one or more branches of a program in one region."""

    branches: tuple[int, ...]  #: where one of them is decided, all are
    #: Whether a truth value is asked for: arm 0 is what runs where it is true, as in the source.
    #: (The program has them the other way round.) Else an index among the arms.
    truth: bool
    arms: tuple[str, ...]  #: their names
    node: int  #: the first conditional that it decides
    selector: Variable  #: what is asked
    text: str  #: the same in the user's words

    def arm(self, taken: int) -> int:
        """Return the index among the arms of an arm of the program; and the other way round."""
        return 1 - taken if self.truth else taken


class ProgramRegions:
    """Where the nodes of a function run.

    Parameters
    ----------
    function : Function
        The function.
    """

    def __init__(self, function: _core.Function) -> None:
        """Find the conditions: branches on one selector in one region are one."""
        self._regions = Regions(function)
        self.blocks = self._regions.blocks
        self.node_regions = self._regions.node_blocks
        self.schedule = schedule = self._regions.schedule
        self.nodes = function._nodes
        self.conditions = [self._condition(*row) for row in schedule.conditions]
        self.condition_of = {
            branch: number
            for number, condition in enumerate(self.conditions)
            for branch in condition.branches
        }

    def _condition(self, branches: list[int], truth: bool, arms: list[str], node: int) -> Condition:
        owner = self.nodes[node].owner
        assert owner is not None
        selector = selector_of(owner)
        text = self._regions.texts[selector]
        return Condition(tuple(branches), truth, tuple(arms), node, selector, text)

    def decision(self, branch: int, taken: int) -> tuple[int, int]:
        """Return the condition that a branch belongs to, and its arm that the program took."""
        index = self.condition_of[branch]
        return index, self.conditions[index].arm(taken)

    def innermost(self, block: int | None) -> int | None:
        """Return the innermost region that a block lies in."""
        return None if block is None else self.schedule.block_regions[block]

    @cached_property
    def nodes_in(self) -> dict[tuple[int, int], list[int]]:
        """The nodes right in each arm of each condition."""
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for node, block in enumerate(self.node_regions):
            innermost = self.innermost(block)
            if innermost is not None:
                _, condition, arm = self.schedule.regions[innermost]
                found[condition, arm].append(node)
        return found

    def is_memoised(self, region: int | None) -> bool:
        """Return whether a region is a memo body, or lies in one."""
        return region is not None and self._regions.is_memoised(region)

    def words(self, region: int | None) -> str:
        """Return when a region runs, in words."""
        return "never" if region is None else self._regions.words(region)

    @cached_property
    def arm_regions(self) -> dict[tuple[int, int], list[int]]:
        """The regions of each condition's arms."""
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, block in enumerate(self.blocks):
            if block.kind == "arm":
                found[self.decision(block.owner, block.number)].append(number)
        return found

    @cached_property
    def input_regions(self) -> dict[int, list[int]]:
        """The regions of the inputs of each lazy node."""
        found: dict[int, list[int]] = defaultdict(list)
        for number, block in enumerate(self.blocks):
            if block.kind in ("input", "guarded"):
                found[self.schedule.lazies[block.owner]].append(number)
        return found
