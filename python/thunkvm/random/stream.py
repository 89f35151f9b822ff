"""`Stream`: draws from a state that is handed on by hand."""

from __future__ import annotations

from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.graph.values import as_variable
from thunkvm.random.draws import Draws
from thunkvm.random.sizes import Size, size_of
from thunkvm.random.states import WORDS


class Stream(Draws):
    """Draws one after the other from a state: the state of a loop, say.

    Each draw reads the state that the one before has left, so it demands that one. The attribute
    `state` is the state behind the last draw.

    Parameters
    ----------
    state : Variable or array
        Six words of uint64: `tv.random.key` makes one, or `Stream.state` behind some draws.

    Attributes
    ----------
    state : Variable
        Where the next draw begins.

    Examples
    --------
    A walk of any length, whose draws are handed on from step to step:

    >>> import thunkvm as tv
    >>> def step(i, s):
    ...     stream = tv.random.Stream(s["state"])
    ...     return {"x": s["x"] + stream.normal(), "state": stream.state}
    >>> n = tv.lscalar("n")
    >>> last = tv.fori_loop(0, n, step, {"x": 0.0, "state": tv.random.key(1)})
    >>> float(tv.function([n], last["x"])(3)).__round__(6)
    1.497639
    """

    def __init__(self, state: Any) -> None:
        """Begin at a state."""
        self.state = as_variable(state)

    def _draw(self, name: str, size: Size, *parameters: Any) -> Variable:
        draw = getattr(ops, f"random_{name}")
        drawn: Variable
        self.state, drawn = draw(self.state, size.lengths, *parameters, ndim=size.ndim)
        return drawn

    def split(self, n: int) -> list[Stream]:
        """Return streams of their own, for parts of a graph that must not wait for each other.

        Examples
        --------
        >>> import thunkvm as tv
        >>> one, two = tv.random.Stream(tv.random.key(1)).split(2)
        >>> a, b = tv.function([], [one.random(), two.random()])()
        >>> bool(a == b)
        False
        """
        states = self._draw("split", size_of("split", (n, WORDS), []))
        return [Stream(states[i]) for i in range(n)]


__all__ = ["Stream"]
