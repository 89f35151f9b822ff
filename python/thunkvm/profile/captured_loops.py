"""From the core's counts of loops to their rows, and to those of arms by step."""

from __future__ import annotations

from collections.abc import Sequence

from thunkvm import _core
from thunkvm.profile.condition_rows import ConditionRow
from thunkvm.profile.conditions import ProgramRegions
from thunkvm.profile.loop_rows import LoopRow


def loop_rows(
    program: ProgramRegions, found: list[_core.LoopCounts], conditions: Sequence[ConditionRow]
) -> tuple[LoopRow, ...]:
    """Return the rows of a function's loops.

    Parameters
    ----------
    program : ProgramRegions
        Where its nodes run.
    found : list of LoopCounts
        The core's counts of each loop.
    conditions : sequence of ConditionRow
        Its conditions.
    """
    rows = []
    for index, loop in enumerate(found):
        condition = conditions[program.condition_of[loop.branch]]
        inner = [c.saved for c in conditions if c.loop == index and c is not condition]
        known = [seconds for seconds in inner if seconds is not None]
        rows.append(
            LoopRow(
                index=index, node=loop.node, condition=condition.index,
                outer=loop.outer, runs=tuple(loop.runs.items()),
                by_limit=_count_limit_ends(program, conditions, condition.index),
                failed=loop.failed, steps=condition.arms[0].taken, time=condition.arms[0].time,
                saved=sum(known) if len(known) == len(inner) else None,
            )
        )  # fmt: skip
    return tuple(rows)


def by_steps(taken: list[int], n_arms: int, order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return how often each arm was taken in each class of steps.

    Parameters
    ----------
    taken : list of int
        All arms of class 0, then of class 1, ..., as the program counts them.
    n_arms : int
        How many arms there are.
    order : sequence of int
        For each arm of the row that of the program.
    """
    classes = [taken[first : first + n_arms] for first in range(0, len(taken), n_arms)]
    return tuple(tuple(counts[arm] for arm in order) for counts in classes)


def _count_limit_ends(
    program: ProgramRegions, conditions: Sequence[ConditionRow], tested: int
) -> int:
    """Return how often a loop ended without its condition being asked: at max_steps.

    What a loop with a limit tests is itself a conditional: whether there may be another step, and
    only if so what the user wrote.
    """
    owner = program.conditions[tested].selector.owner
    for condition, row in zip(program.conditions, conditions, strict=True):
        if owner is not None and program.nodes[condition.node].owner == owner:
            return row.arms[1].taken
    return 0
