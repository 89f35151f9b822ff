"""Attributes that somebody sets on a function, as other libraries have them."""

from __future__ import annotations

from typing import Any

from thunkvm import _core
from thunkvm._src.teaching.elsewhere import answers


def set_attribute(function: _core.Function, name: str, value: Any) -> None:
    """Set an attribute of the user's own; refuse one that would be kept and change nothing."""
    if (told := answers("settings").get(name)) is None:
        object.__setattr__(function, name, value)
        return
    raise AttributeError(
        f"{function._shown} has no attribute {name!r} to set to {value!r}: {told}.",
        name=name,
        obj=function,
    )


__all__ = ["set_attribute"]
