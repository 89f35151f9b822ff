"""Values that do not change: setting an attribute says what to write instead."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any, TypeVar

from thunkvm._src.teaching.nearest import did_you_mean

Class = TypeVar("Class", bound=type)


def unchangeable(kind: Class) -> Class:
    """Have a frozen dataclass say what to write where somebody sets an attribute.

    (With slots, CPython's own answer to a name that is no field is a TypeError about `super`.)

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.Mode().linkr = "c"
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: a Mode has no attribute 'linkr', ... Did you mean 'linker'?
    """

    def refuse(self: Any, name: str, value: Any) -> None:
        names = [field.name for field in fields(self)]
        what = type(self).__name__
        if name in names:
            raise FrozenInstanceError(
                f"a {what} does not change: write dataclasses.replace(it, {name}={value!r}), or "
                f"make it with {name}={value!r}."
            )
        raise FrozenInstanceError(
            f"a {what} has no attribute {name!r}, and does not change." + did_you_mean(name, names)
        )

    kind.__setattr__ = refuse  # type: ignore[assignment]
    return kind


__all__ = ["unchangeable"]
