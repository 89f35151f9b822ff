"""Types that have no parameters."""

from __future__ import annotations

from thunkvm._core import Type


class PlainType(Type):
    """A Type that is equal to all of its class; a subclass is another Type."""

    def __eq__(self, other: object) -> bool:
        """Compare the class."""
        return type(self) is type(other)

    def __hash__(self) -> int:
        """Hash the class."""
        return hash(type(self))

    def __str__(self) -> str:
        """Return the class's name."""
        return type(self).__name__


__all__ = ["PlainType"]
