"""How often the values under names ran, of a function that one thread calls at a time."""

from __future__ import annotations

from typing import Any

import thunkvm as tv
from thunkvm._src.views.explanation import counted_nodes


class CountedFunction:
    """A function, and how often the values of `tv.counted` in it ran since that was last asked.

    Parameters
    ----------
    function : Function
        Nobody else calls it.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.counts import CountedFunction
    >>> x = tv.scalar("x")
    >>> f = CountedFunction(tv.function([x], tv.counted(x + 1.0, "nfev")))
    >>> _ = f(1.0), f(2.0)
    >>> f.take_counts(), f.take_counts()
    ({'nfev': 2}, {'nfev': 0})
    """

    def __init__(self, function: tv.Function) -> None:
        self.function = function
        self._rows = counted_nodes(function)
        self._before = [0] * len(self._rows)
        self._unread = False

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        self._unread = True
        return self.function(*arguments)

    def take_counts(self) -> dict[str, int]:
        """Return how often the values under each name ran since this was last asked."""
        found = {name: 0 for _, name in self._rows}
        if self._unread:
            runs = self.function._node_counts()
            now = [runs[number] for number, _ in self._rows]
            for (_, name), before, after in zip(self._rows, self._before, now, strict=True):
                found[name] += after - before
            self._before = now
            self._unread = False
        return found


__all__ = ["CountedFunction"]
