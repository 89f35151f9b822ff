"""`Generator`: a stream that functions share, and that every call continues."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.graph.draws import begun
from thunkvm._src.graph.values import shared
from thunkvm.random.draws import Draws
from thunkvm.random.sizes import Size, size_of
from thunkvm.random.states import WORDS, dict_of, seed_state, words_of
from thunkvm.random.stream import Stream


class Generator(Draws):
    """A generator whose state is a shared variable: `numpy.random.default_rng` for graphs.

    Each method makes a draw, a Variable. A function that demands the draw runs it at most once a
    call, and the next call continues the stream. Nothing has to be said in `updates`.

    - Draws of one function are drawn in the order in which they were made, those that are demanded.
    - A draw that is not demanded, as in an arm that is not taken, does not run. The stream stays
      where it is.
    - A draw made in the body of a loop is drawn in each step that demands it.
    - A function that has its own entry of `updates` for `state_variable` leaves the stream to that.

    Parameters
    ----------
    seed : None, int, sequence of int, SeedSequence, PCG64 or Generator of NumPy's
        As `numpy.random.default_rng` takes it.
    name : str, optional
        What listings call the shared variable.

    Attributes
    ----------
    state_variable : Variable
        The shared variable: six words of uint64.
    state : dict
        The state, as NumPy's `bit_generator.state`; it can be set.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> rng = tv.random.Generator(42)
    >>> x, y = rng.normal(size=2), rng.integers(0, 10, size=3)
    >>> f = tv.function([], [x, y])
    >>> same = np.random.default_rng(42)
    >>> for _ in range(2):
    ...     a, b = f()
    ...     print((a == same.normal(size=2)).all(), (b == same.integers(0, 10, size=3)).all())
    True True
    True True
    """

    def __init__(self, seed: Any = None, name: str | None = None) -> None:
        """Seed a stream."""
        words, self._seeds = seed_state(seed)
        self.state_variable = shared(words, name or "rng", shape=(WORDS,))

    def _draw(self, name: str, size: Size, *parameters: Any) -> Variable:
        draw = getattr(ops, f"random_{name}")
        state = begun(self.state_variable)
        drawn: Variable = draw(state, size.lengths, *parameters, ndim=size.ndim)[1]
        return drawn

    @property
    def state(self) -> dict[str, Any]:
        """The state, as NumPy has it.

        Examples
        --------
        >>> import thunkvm as tv
        >>> rng = tv.random.Generator(3)
        >>> f = tv.function([], rng.random())
        >>> before = rng.state
        >>> first = float(f())
        >>> rng.state = before
        >>> float(f()) == first
        True
        """
        return dict_of(self.state_variable.get_value())

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        self.state_variable.set_value(words_of(state))

    def to_numpy(self) -> np.random.Generator:
        """Return a generator of NumPy's at the place where this one is, with a stream of its own.

        Examples
        --------
        >>> import thunkvm as tv
        >>> rng = tv.random.Generator(3)
        >>> float(rng.to_numpy().random()) == float(tv.function([], rng.random())())
        True
        """
        bits: Any = np.random.PCG64(self._seeds)
        bits.state = self.state
        return np.random.Generator(bits)

    def spawn(self, n_children: int) -> list[Generator]:
        """Return further generators, NumPy's children of the same seed: one for each worker.

        Examples
        --------
        >>> import numpy as np
        >>> import thunkvm as tv
        >>> child = tv.random.Generator(3).spawn(2)[1]
        >>> child.state == np.random.default_rng(3).spawn(2)[1].bit_generator.state
        True
        """
        return [Generator(seeds) for seeds in self._seeds.spawn(n_children)]

    def stream(self) -> Stream:
        """Return a stream of its own, as a draw: what a loop, or a batch, hands on itself.

        Examples
        --------
        >>> import thunkvm as tv
        >>> stream = tv.random.Generator(3).stream()
        >>> f = tv.function([], [stream.random(), stream.random()])
        >>> len({float(value) for value in [*f(), *f()]})
        4
        """
        return Stream(self.split(1)[0])

    def split(self, n: Any = 2) -> Variable:
        """Return the states of `n` streams of their own, each a row; see `tv.random.split`."""
        return self._draw("split", size_of("split", (n, WORDS), []))


def default_rng(seed: Any = None) -> Generator:
    """Return a `Generator`, as `numpy.random.default_rng` does.

    Examples
    --------
    >>> import thunkvm as tv
    >>> rng = tv.random.default_rng(1)
    >>> tv.random.default_rng(rng) is rng
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


__all__ = ["Generator", "default_rng"]
