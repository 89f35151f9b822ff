"""The changes of a function's conditions from one profile to another."""

from __future__ import annotations

from dataclasses import dataclass

from thunkvm.profile.condition_rows import ConditionRow
from thunkvm.profile.keys import number_keys
from thunkvm.profile.rows import FunctionRecord


@dataclass(frozen=True, slots=True)
class ConditionChange:
    """The change of one condition.

    Attributes
    ----------
    text : str
        What it asks.
    before, after : ConditionRow or None
        Its rows; None where a profile has no such condition.
    """

    text: str
    before: ConditionRow | None
    after: ConditionRow | None

    @property
    def shares(self) -> dict[str, tuple[float | None, float | None]]:
        """By arm: how often it was taken before and after, as a share; None where it was not asked.

        Examples
        --------
        >>> from thunkvm.profile import ArmRow, ConditionRow
        >>> from thunkvm.profile.branch_changes import ConditionChange
        >>> then = ArmRow(name="then", taken=1)
        >>> asked = ConditionRow(index=0, node=0, text="x > 0", evaluations=4, arms=(then,))
        >>> ConditionChange("x > 0", asked, None).shares
        {'then': (0.25, None)}
        """
        before, after = _shares(self.before), _shares(self.after)
        return {name: (before.get(name), after.get(name)) for name in {**before, **after}}

    @property
    def share_change(self) -> float:
        """The largest change of an arm's share, from 0 to 1; 0 where it was not asked in both."""
        pairs = self.shares.values()
        return max((abs(b - a) for a, b in pairs if a is not None and b is not None), default=0.0)


def condition_changes(
    before: FunctionRecord | None, after: FunctionRecord | None
) -> tuple[ConditionChange, ...]:
    """Return the change of each condition, those whose shares changed most first.

    Conditions are matched by their texts; of several with one text the first is the first.
    """
    old, new = _conditions_by_text(before), _conditions_by_text(after)
    changes = [
        ConditionChange(key[0], old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])
    ]
    return tuple(sorted(changes, key=lambda change: -change.share_change))


def _conditions_by_text(function: FunctionRecord | None) -> dict[tuple[str, int], ConditionRow]:
    conditions = () if function is None else function.conditions
    keys = number_keys(condition.text for condition in conditions)
    return dict(zip(keys, conditions, strict=True))


def _shares(condition: ConditionRow | None) -> dict[str, float | None]:
    if condition is None:
        return {}
    asked = condition.evaluations
    return {arm.name: arm.taken / asked if asked else None for arm in condition.arms}
