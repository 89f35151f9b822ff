"""The rows of conditions, of their arms and of the regions these make: what deciding saved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from thunkvm.profile.recorded import BranchTallyFields, RegionPlaceFields, merged_field


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRow:
    """One arm of a condition.

    Attributes
    ----------
    name : str
        ``"then"``, ``"else"``, ``"case 2"``, ``"default"``.
    taken : int
        How often it was chosen.
    time : float
        Seconds in the nodes that run for it alone, those of the conditions inside it too.
    nodes : tuple of int
        The nodes right in it; those of a condition inside it are in that condition's arms.
    idle : bool
        Whether nothing is computed for it: its value is there anyway.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), -x), mode="vm")
    >>> with tv.profile("count") as p:
    ...     _ = f([1.0]), f([2.0]), f([-1.0])
    >>> then, other = p.functions[0].conditions[0].arms
    >>> then.name, then.taken, other.name, other.taken
    ('then', 2, 'else', 1)
    """

    name: str
    taken: int = merged_field(0)
    time: float = merged_field(0.0)
    nodes: tuple[int, ...] = ()
    idle: bool = False

    @property
    def mean(self) -> float | None:
        """Seconds each time it is taken; None where that is unknown: it never was."""
        if self.idle:
            return 0.0
        return self.time / self.taken if self.taken else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRow(BranchTallyFields):
    """The decisions of one condition, with its changes (`BranchTallyFields`).

    Attributes
    ----------
    index : int
        Its index among the function's conditions.
    node : int
        The node that decides: an ``ifelse``, a ``switch``, a lazy Op.
    text : str
        What is asked, ``"x > 0"``.
    file : str
        The user's file that made it.
    line : int
        The line in it; 0 where unknown.
    evaluations : int
        How often it was decided.
    arms : tuple of ArmRow
        What there is to choose from.
    saved : float or None
        Seconds that computing all arms each time would have taken beyond what was spent, an
        estimate by `estimated_saving`; None where an arm never ran, so that nobody knows.
    break_even : float or None
        Seconds that deciding may cost each time before an eager ``where`` is as fast, which
        computes all arms. The estimate is by `break_even`; None where an arm never ran.
    by_steps : tuple of tuple of int
        How often each arm was taken, by class of steps: step 0, step 1, 2 and 3, 4 to 7, ...

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), -x), mode="vm")
    >>> with tv.profile("count") as p:
    ...     _ = f([1.0]), f([2.0]), f([-1.0])
    >>> row = p.functions[0].conditions[0]
    >>> row.text, row.evaluations, row.flips, row.always
    ('sum(x) > 0.0', 3, 1, None)
    """

    index: int
    node: int
    text: str = ""
    file: str = ""
    line: int = 0
    evaluations: int = merged_field(0)
    arms: tuple[ArmRow, ...] = ()
    saved: float | None = None
    break_even: float | None = None
    by_steps: tuple[tuple[int, ...], ...] = ()

    @property
    def always(self) -> str | None:
        """The name of the arm that was taken each time; None where there is no such one."""
        taken = [arm.name for arm in self.arms if arm.taken]
        return taken[0] if len(taken) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionRow(RegionPlaceFields):
    """An arm of a condition as a place where nodes run (`RegionPlaceFields`).

    Attributes
    ----------
    index : int
        Its index among the function's regions.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), -x), mode="vm")
    >>> with tv.profile("count") as p:
    ...     _ = f([1.0]), f([2.0]), f([-1.0])
    >>> record = p.functions[0]
    >>> [record.conditions[row.condition].arms[row.arm].name for row in record.regions]
    ['else', 'then']
    """

    index: int


def estimated_saving(arms: Iterable[ArmRow]) -> float | None:
    """Return the seconds that not running untaken arms saved, by what each costs when it runs.

    Examples
    --------
    >>> from thunkvm.profile.condition_rows import ArmRow, estimated_saving
    >>> cheap = ArmRow(name="then", taken=9, time=0.0, nodes=())
    >>> costly = ArmRow(name="else", taken=1, time=2.0, nodes=(3, 4))
    >>> estimated_saving([cheap, costly])
    18.0
    >>> print(estimated_saving([cheap, ArmRow(name="else", nodes=(3, 4))]))
    None
    """
    arms = tuple(arms)
    decided = sum(arm.taken for arm in arms)
    saved = 0.0
    for arm in arms:
        if arm.mean is None:
            return None
        saved += arm.mean * (decided - arm.taken)
    return saved


def break_even(arms: Iterable[ArmRow]) -> float | None:
    """Return the seconds that deciding may cost each time before it is no faster than a ``where``.

    An eager ``where`` computes all arms each time, a condition those that it takes. So it is the
    mean cost of what is not taken: over the arms, the share of the times that an arm was not taken,
    times its cost.

    Examples
    --------
    >>> from thunkvm.profile.condition_rows import ArmRow, break_even
    >>> cheap = ArmRow(name="then", taken=9, time=0.9, nodes=(2,))  # 0.1 s each time
    >>> costly = ArmRow(name="else", taken=1, time=2.0, nodes=(3, 4))
    >>> round(break_even([cheap, costly]), 9)  # 0.1 * 0.1 s + 0.9 * 2 s
    1.81
    >>> print(break_even([cheap, ArmRow(name="else", nodes=(3, 4))]))
    None
    """
    arms = tuple(arms)
    decided = sum(arm.taken for arm in arms)
    saved = estimated_saving(arms)
    return saved / decided if saved is not None and decided else None
