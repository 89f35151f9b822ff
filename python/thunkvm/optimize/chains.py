"""Markov chains as loops: a kernel's steps, and what is kept of them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.control.loops import while_loop
from thunkvm._src.graph.values import as_variable, constant
from thunkvm.optimize.draws import Draw, Numbers
from thunkvm.optimize.flat_states import FlatState
from thunkvm.optimize.ode_problem import known_length
from thunkvm.optimize.required_shapes import with_shape


class Kernel(Protocol):
    """The step of a chain, over a state that is a NamedTuple with `x`, (n,), and `accepted`."""

    def start(self, x: Variable) -> Any:
        """Return the state at a point."""

    def step(self, state: Any, numbers: Numbers) -> Any:
        """Return the next state."""


class Chain:
    """A chain in a graph: nothing of it is computed unless it is asked for.

    `metropolis` and `hmc` make it.

    Attributes
    ----------
    x : nest of Variables
        The points after the steps that are kept: each leaf of `x0` with a new first axis.
    accepted : Variable
        Whether the proposals of these steps were accepted, bool.
    history : NamedTuple
        The states of the kernel after these steps: each Variable of `last` with a new first axis.
    last : NamedTuple
        The state of the kernel at the end.
    state : Any
        The state of the random numbers at the end: with it and ``last.x``, another chain goes on.

    Examples
    --------
    >>> import thunkvm as tv
    >>> log_density = lambda x: -0.5 * tv.sum(x**2)
    >>> chain = tv.optimize.metropolis(log_density, [0.0, 1.0], tv.random.key(0), 100)
    >>> more = tv.optimize.metropolis(log_density, chain.last.x, chain.state, 50)
    >>> tv.function([], [chain.x.shape, more.x.shape])()
    [array([100,   2]), array([50,  2])]
    """

    def __init__(self, flat: FlatState, last: Any, history: Any, state: Any) -> None:
        self.flat = flat
        self.last = last
        self.history = history
        self.state = state

    @property
    def x(self) -> Any:
        """Return the points after the steps that are kept."""
        return self.flat.unravel(self.history.x)

    @property
    def accepted(self) -> Variable:
        """Return whether the proposals of the steps that are kept were accepted."""
        found: Variable = self.history.accepted
        return found


def log_density(value: Any) -> Variable:
    """Return the value of a user's density, 0-d float64.

    Raises
    ------
    ValueError
        If it has axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.chains import log_density
    >>> log_density(tv.iscalar("i")).dtype
    'float64'
    """
    single = with_shape(as_variable(value), (), "the value of a density", "no axes")
    return ops.cast(single, dtype="float64")


def chain(kernel: Kernel, flat: FlatState, draw: Draw, state: Any, steps: Any, every: int) -> Chain:
    """Return the chain of a kernel.

    Parameters
    ----------
    kernel : Kernel
    flat : FlatState
        The structure of x, and the first point.
    draw : callable
        From a state of random numbers and n to the next one and `Numbers`.
    state : Any
        The first state of these.
    steps : int or Variable
        How many steps there are.
    every : int
        After how many steps one is kept.
    """
    size = known_length(flat.first)

    def step(s: list[Any]) -> list[Any]:
        count, at, random = s
        random, numbers = draw(random, size)
        return [count + np.int64(1), kernel.step(at, numbers), random]

    limit = ops.cast(as_variable(steps), dtype="int64")
    first = [constant(np.int64(0)), kernel.start(flat.first), state]
    found = while_loop(lambda s: s[0] < limit, step, first, history="all" if every == 1 else every)
    return Chain(flat, found[1], found.history[1], found[2])


__all__ = ["Chain", "Kernel", "chain", "log_density"]
