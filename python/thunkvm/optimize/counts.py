"""How often the values under names ran, of a function that one thread calls at a time."""

from __future__ import annotations

from collections.abc import Callable
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
        self._names = tuple({name for _, name in self._rows})
        self._before = [0] * len(self._rows)
        self._unread = False

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        self._unread = True
        return self.function(*arguments)

    def take_counts(self) -> dict[str, int]:
        """Return how often the values under each name ran since this was last asked."""
        found = dict.fromkeys(self._names, 0)
        if self._unread:
            runs = self.function._node_counts()
            now = [runs[number] for number, _ in self._rows]
            for (_, name), before, after in zip(self._rows, self._before, now, strict=True):
                found[name] += after - before
            self._before = now
            self._unread = False
        return found


class CountedFunctions:
    """Functions that share inputs, each compiled when it is first needed, and counted together.

    One thread uses them at a time.

    Parameters
    ----------
    inputs : list of Variable
        The last arguments of each function.
    mode : str or Mode, optional
        The mode of all of them.
    title : str
        What errors call a function, with ``{}`` for its name here.
    """

    def __init__(self, inputs: list[tv.Variable], mode: Any, title: str) -> None:
        self.inputs = inputs
        self.mode = mode
        self._title = title
        self._made: dict[str, CountedFunction] = {}

    def take_counts(self) -> dict[str, int]:
        """Return how often the values under each name ran since this was last asked."""
        found: dict[str, int] = {}
        for function in self._made.values():
            for name, count in function.take_counts().items():
                found[name] = found.get(name, 0) + count
        return found

    def _once(
        self, name: str, build: Callable[[], tuple[list[tv.Variable], Any]]
    ) -> CountedFunction:
        """Return the function of a name, compiled of its inputs and outputs when first asked for.

        This is no `functools.cached_property`, whose line would be the origin of all nodes.
        """
        if name not in self._made:
            inputs, outputs = build()
            self._made[name] = CountedFunction(
                tv.function(
                    [*inputs, *self.inputs],
                    self._arrange_outputs(outputs),
                    mode=self.mode,
                    on_unused_input="ignore",
                    name=self._title.format(name),
                )
            )
        return self._made[name]

    def _arrange_outputs(self, outputs: Any) -> Any:
        """Return the outputs in the structure in which the function returns them."""
        return outputs


__all__ = ["CountedFunction", "CountedFunctions"]
