"""Programs that are kept for the next call, each used by one call at a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, Protocol, TypeVar

#: For how many keys programs are kept; the one that was not used for the longest time goes first.
KEPT = 128


class Counting(Protocol):
    """A program that counts how often values ran since it was last asked."""

    def take_counts(self) -> dict[str, int]:
        """Return the counts, and begin anew."""


P = TypeVar("P", bound=Counting)


class KeptPrograms(Generic[P]):
    """Programs by what makes them the right ones.

    Examples
    --------
    >>> from thunkvm.optimize.kept_programs import KeptPrograms
    >>> class Program:
    ...     def take_counts(self):
    ...         return {}
    >>> kept = KeptPrograms()
    >>> with kept.lent("key", Program) as first, kept.lent("key", Program) as other:
    ...     first is other
    False
    >>> with kept.lent("key", Program) as again:
    ...     again is other or again is first
    True
    """

    def __init__(self) -> None:
        self._idle: OrderedDict[Hashable, list[P]] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def lent(self, key: Hashable, make: Callable[[], P]) -> Iterator[P]:
        """Yield the program of a key: that of an earlier call, unless it is in use.

        A key that has no hash is never found again. Counts begin anew behind each use.
        """
        try:
            hash(key)
        except TypeError:
            key = object()
        with self._lock:
            idle = self._idle.get(key)
            program = idle.pop() if idle else None
        if program is None:
            program = make()
        try:
            yield program
        finally:
            program.take_counts()
            with self._lock:
                self._idle.setdefault(key, []).append(program)
                self._idle.move_to_end(key)
                while len(self._idle) > KEPT:
                    self._idle.popitem(last=False)


__all__ = ["KeptPrograms"]
