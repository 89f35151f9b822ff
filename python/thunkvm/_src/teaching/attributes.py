"""Attributes that somebody sets on a function, as other libraries have them."""

from __future__ import annotations

from typing import Any

from thunkvm import _core

#: What other libraries' functions have, and what there is in place of it.
ELSEWHERE = {
    "trust_input": "the arguments of a call are always checked, which takes some ten nanoseconds "
    "each; leave the line out",
    "allow_gc": 'take a mode that ends in "_nogc" to keep what a call computed',
    "input_storage": "give the values as arguments",
    "output_storage": "use what the call returns",
}


def set_attribute(function: _core.Function, name: str, value: Any) -> None:
    """Set an attribute of the user's own; refuse one that would be kept and change nothing."""
    if (told := ELSEWHERE.get(name)) is None:
        object.__setattr__(function, name, value)
        return
    raise AttributeError(
        f"{function._shown} has no attribute {name!r} to set to {value!r}: {told}.",
        name=name,
        obj=function,
    )


__all__ = ["set_attribute"]
