"""The value of one Variable, by a function that is made for it: `Variable.eval`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.calls.function import function
from thunkvm._src.teaching.nearest import did_you_mean


def evaluate(variable: Variable, values: Mapping[Any, Any]) -> Any:
    """Return the value of a Variable, for values of what it depends on.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.calls.evaluation import evaluate
    >>> x = tv.scalar("x")
    >>> float(evaluate(x + 1.0, {"x": 2.0}))
    3.0
    """
    free = [leaf for leaf in _core.leaves([variable]) if leaf.leaf == "input"]
    inputs = [_meant(variable, free, key) for key in values]
    given = set(inputs)
    missing = [leaf for leaf in free if leaf not in given]
    if missing:
        raise ValueError(
            f"[eval] {variable} depends on {missing[0]}, which has no value; give one, as in "
            "x.eval({y: 1.0})."
        )
    return function(inputs, variable, on_unused_input="ignore")(*values.values())


def _meant(variable: Variable, free: list[Variable], key: Any) -> Variable:
    """Return the Variable that a key of the values means."""
    if isinstance(key, Variable):
        return key
    found = [leaf for leaf in free if leaf.name == key]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(
            f"[eval] {variable} depends on {len(found)} Variables of the name {key!r}; give the "
            "Variable itself as the key."
        )
    names = [leaf.name for leaf in free if leaf.name]
    raise ValueError(
        f"[eval] {variable} depends on no Variable of the name {key!r}; it depends on "
        f"{', '.join(map(str, free)) or 'none'}." + did_you_mean(str(key), names)
    )


__all__ = ["evaluate"]
