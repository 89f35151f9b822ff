"""The conditions of a function: what is asked, where, and which nodes run for each answer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.views.regions import Regions
from thunkvm._src.views.selectors import selector_of


class Region(NamedTuple):
    """An arm of a condition as a place where nodes run; `around` is the index of the next outer."""

    around: int | None
    condition: int
    arm: int


@dataclass(frozen=True, slots=True)
class Condition:
    """What one or more branches of a program ask in one region.

    Attributes
    ----------
    branches : tuple of int
        The branches; where one of them is decided, all are.
    truth : bool
        Whether a truth value is asked for: arm 0 is what runs where it is true, as in the source.
        (The program has them the other way round.) Else an index among the arms.
    arms : tuple of str
        The names of its arms.
    node : int
        The first conditional that it decides.
    selector : Variable
        What is asked.
    text : str
        The same in the user's words.
    """

    branches: tuple[int, ...]
    truth: bool
    arms: tuple[str, ...]
    node: int
    selector: Variable
    text: str

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
        schedule = self._regions.schedule
        self.memos = schedule.memos
        self.lazies = schedule.lazies
        self.demanders = schedule.demanders
        self.nodes = function._nodes
        together: dict[tuple[int, str, int], list[int]] = defaultdict(list)
        for number, branch in enumerate(schedule.branches):
            together[branch.selector, branch.decoding, branch.block].append(number)
        found = {}
        self.conditions: list[Condition] = []
        for branches in together.values():
            row = schedule.branches[branches[0]]
            owner = self.nodes[row.node].owner
            assert owner is not None
            selector = selector_of(owner)
            truth = row.decoding == "truth"
            found.update(dict.fromkeys(branches, len(self.conditions)))
            self.conditions.append(
                Condition(
                    tuple(branches), truth, tuple(reversed(row.arms) if truth else row.arms),
                    row.node, selector, self._regions.texts[selector],
                )
            )  # fmt: skip
        self.condition_of = [found[branch] for branch in range(len(schedule.branches))]

    def decision(self, branch: int, taken: int) -> tuple[int, int]:
        """Return the condition that a branch belongs to, and its arm that the program took."""
        index = self.condition_of[branch]
        return index, self.conditions[index].arm(taken)

    @cached_property
    def _arms(self) -> tuple[dict[Region, int], list[int | None]]:
        """The arms, each after the one around it; and by block the innermost that it lies in."""
        arms: dict[Region, int] = {}
        innermost: list[int | None] = []
        for block in self.blocks:
            around = None if block.within is None else innermost[block.within]
            if block.kind == "arm":
                region = Region(around, *self.decision(block.owner, block.number))
                around = arms.setdefault(region, len(arms))
            innermost.append(around)
        return arms, innermost

    @cached_property
    def arms(self) -> list[Region]:
        """The arms of the conditions, each after the one around it."""
        return list(self._arms[0])

    def innermost(self, block: int | None) -> int | None:
        """Return the innermost arm that a block lies in, as an index among `arms`."""
        return None if block is None else self._arms[1][block]

    def is_around(self, arm: int | None, inner: int | None) -> bool:
        """Return whether an arm is another one or lies around it; None is around all."""
        while arm is not None and inner is not None and inner > arm:
            inner = self.arms[inner].around
        return arm is None or arm == inner

    def waits(self, node: int) -> bool:
        """Return whether a node runs only if somebody needs it, or a lazy node asks for it."""
        region = self.node_regions[node]
        while region is not None:
            block = self.blocks[region]
            if block.kind in ("memo", "input", "guarded"):
                return True
            region = block.within
        return False

    @cached_property
    def nodes_in(self) -> dict[tuple[int, int], list[int]]:
        """The nodes right in each arm of each condition."""
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for node, block in enumerate(self.node_regions):
            innermost = self.innermost(block)
            if innermost is not None:
                _, condition, arm = self.arms[innermost]
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
                found[self.lazies[block.owner]].append(number)
        return found


__all__ = ["Condition", "ProgramRegions", "Region"]
