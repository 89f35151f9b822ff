"""The rows of loops: how many steps their runs took, and what ended them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from thunkvm.profile.recorded import merged_field


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRow:
    """How the runs of one loop went.

    Attributes
    ----------
    index : int
        Its index among the function's loops.
    node : int
        Its node.
    condition : int
        What it asks in each step, as an index among the conditions.
    outer : int or None
        The loop in each step of which it runs; None where it runs once a call.
    runs : tuple of (int, int)
        Numbers of steps, from few to many, and how many runs took so many.
    by_limit : int
        How many runs ended since there were `max_steps` of them.
    failed : int
        How many runs an error ended.
    steps : int
        How many steps were begun, in all runs.
    time : float
        Seconds in its steps.
    saved : float or None
        Seconds that conditions in its steps saved; None where that is not known of one.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.while_loop(lambda v: v < x, lambda v: 2.0 * v, 1.0), mode="vm")
    >>> with tv.profile("count") as p:
    ...     _ = f(7.0), f(100.0)
    >>> row = p.functions[0].loops[0]
    >>> row.runs, row.steps, row.by_limit, row.failed
    (((3, 1), (7, 1)), 10, 0, 0)
    """

    index: int
    node: int
    condition: int
    outer: int | None = None
    runs: tuple[tuple[int, int], ...] = ()
    by_limit: int = merged_field(0)
    failed: int = merged_field(0)
    steps: int = merged_field(0)
    time: float = merged_field(0.0)
    saved: float | None = None

    @property
    def n_runs(self) -> int:
        """How often it ran to its end."""
        return sum(count for _, count in self.runs)

    @property
    def least(self) -> int | None:
        """The fewest steps of a run; None where no run came to its end."""
        return self.runs[0][0] if self.runs else None

    @property
    def most(self) -> int | None:
        """The most steps of a run."""
        return self.runs[-1][0] if self.runs else None

    @property
    def median(self) -> int | None:
        """So many steps that half of the runs took no more.

        Examples
        --------
        >>> from thunkvm.profile import LoopRow
        >>> LoopRow(index=0, node=3, condition=0, runs=((0, 1), (7, 2), (900, 1))).median
        7
        """
        below = 0
        for steps, count in self.runs:
            below += count
            if 2 * below >= self.n_runs:
                return steps
        return None

    @property
    def step_time(self) -> float | None:
        """Seconds a step; None where there was none."""
        return self.time / self.steps if self.steps else None

    @property
    def ended(self) -> dict[str, int]:
        """How many runs each end had: ``"condition"``, ``"max_steps"`` and ``"error"``."""
        ends = {
            "condition": self.n_runs - self.by_limit,
            "max_steps": self.by_limit,
            "error": self.failed,
        }
        return {name: count for name, count in ends.items() if count}


def merged_runs(
    a: tuple[tuple[int, int], ...], b: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """Return the runs of two loops together.

    Examples
    --------
    >>> from thunkvm.profile.loop_rows import merged_runs
    >>> merged_runs(((1, 2), (5, 1)), ((5, 3),))
    ((1, 2), (5, 4))
    """
    return tuple(sorted((Counter(dict(a)) + Counter(dict(b))).items()))


def step_range(number: int) -> tuple[int, int]:
    """Return the first and the last step of a class of steps: 0, 1, 2 and 3, 4 to 7, ...

    Examples
    --------
    >>> from thunkvm.profile.loop_rows import step_range
    >>> [step_range(number) for number in range(4)]
    [(0, 0), (1, 1), (2, 3), (4, 7)]
    """
    return (1 << number - 1, (1 << number) - 1) if number else (0, 0)
