"""Random numbers for samplers: a state goes in, and the next state and numbers come out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.graph.values import as_variable, constant


class Numbers(NamedTuple):
    """The needs of one step of a sampler.

    Parameters
    ----------
    normals : Variable
        Standard normal, one for each element of the flat x: (n,).
    uniforms : Variable
        Uniform from 0 to 1, (2,).

    Examples
    --------
    >>> import thunkvm as tv
    >>> def draw(state, n):
    ...     stream = tv.random.Stream(state)
    ...     numbers = tv.optimize.Numbers(stream.normal(size=n), stream.random(size=2))
    ...     return stream.state, numbers
    >>> chain = tv.optimize.metropolis(lambda x: -x**2, 0.0, tv.random.key(0), 9, draw=draw)
    >>> tv.function([], chain.x)().shape
    (9,)
    """

    normals: Variable
    uniforms: Variable


#: From a state and n to the next state and `Numbers`.
Draw = Callable[[Any, Any], tuple[Any, Numbers]]


def drawn(state: Any, size: Any) -> tuple[Any, Numbers]:
    """Return the next state of a stream of `tv.random`, and numbers that are drawn from it.

    Parameters
    ----------
    state : Variable
        A state, such as ``tv.random.key(seed)``.
    size : int or Variable
        How many normal numbers.
    """
    from thunkvm import random

    state, normals = random.standard_normal(state, size=(size,))
    state, uniforms = random.random(state, size=(2,))
    return state, Numbers(normals, uniforms)


class Recorded(NamedTuple):
    """Numbers that were drawn before, in rows: one row a step, and from the first on again.

    Its `draw` is one for samplers; the state is the number of the row, which begins with `state`.

    Parameters
    ----------
    normals : Variable or array
        (m, n).
    uniforms : Variable or array
        (m, 2).

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> normals, uniforms = np.array([[0.5], [-1.0]]), np.array([[0.1, 0.2], [0.3, 0.4]])
    >>> numbers = tv.optimize.Recorded(normals, uniforms)
    >>> state, drawn = numbers.draw(numbers.state, 1)
    >>> tv.function([], [state, drawn.normals])()
    [np.int64(1), array([0.5])]
    """

    normals: Any
    uniforms: Any

    @property
    def state(self) -> Variable:
        """Return the state at first."""
        return constant(np.int64(0))

    def draw(self, state: Any, size: Any) -> tuple[Variable, Numbers]:
        """Return the next state, and the numbers of the row of this state."""
        del size  # the rows have it
        normals, uniforms = as_variable(self.normals), as_variable(self.uniforms)
        row = ops.mod(state, normals.shape[0])
        return as_variable(state) + np.int64(1), Numbers(normals[row], uniforms[row])


__all__ = ["Draw", "Numbers", "Recorded", "drawn"]
