"""Names for conditions, by which profiles and explanations call their branches."""

from __future__ import annotations

from thunkvm._core import Variable


def called(name: str, condition: Variable) -> Variable:
    """Return a condition that was just made, under a name.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.conditions import called
    >>> called("accepted", tv.scalar("error") < 1.0).name
    'accepted'
    """
    condition.name = name
    return condition


__all__ = ["called"]
