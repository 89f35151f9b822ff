"""Types that are equal where they were made of the same."""

from __future__ import annotations

from typing import Any

from thunkvm._core import Type


class KeyedType(Type):
    """A Type that is equal to those of its class with the same `_key`; a subclass is another Type.

    Without a `_key` of its own, all of a class are equal.
    """

    def _key(self) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        """Compare the class and the key."""
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        """Hash what is compared."""
        return hash((type(self), self._key()))

    def __str__(self) -> str:
        """Return the class's name."""
        return type(self).__name__

    def __repr__(self) -> str:
        """Return the same text as `str`."""
        return str(self)


__all__ = ["KeyedType"]
