"""The shapes of draws."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from thunkvm import _core, ops
from thunkvm._core import Variable
from thunkvm._src.arrays.shapes import shape_vector
from thunkvm._src.graph.values import as_variable


class Size(NamedTuple):
    """A shape: an int64 vector, and how many lengths it has."""

    lengths: Variable
    ndim: int

    def with_axis(self, length: Any) -> Size:
        """Return the shape with one more axis behind."""
        last = ops.expand_dims(ops.cast(as_variable(length), dtype="int64"), axis=[0])
        return Size(ops.concatenate(self.lengths, last, axis=0), self.ndim + 1)


def size_of(name: str, size: Any, parameters: list[Variable]) -> Size:
    """Return the shape of a draw: the one that was asked for, else that of all parameters together.

    Parameters
    ----------
    name : str
        What draws, for errors.
    size : None, int, 0-d Variable, sequence of those, or int64 vector Variable of known length
        What was asked for.
    parameters : list of Variable
        The parameters, which broadcast.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.random.sizes import size_of
    >>> size_of("normal", None, [tv.matrix("m"), tv.vector("v")]).ndim
    2
    """
    if size is not None:
        return Size(*shape_vector(size, name))
    ndim = max((parameter.ndim for parameter in parameters), default=0)
    if ndim == 0:
        return Size(_core.constant(np.zeros(0, np.int64)), 0)
    wide = [parameter for parameter in parameters if parameter.ndim]
    return Size(ops.shape(wide[0]) if len(wide) == 1 else ops.broadcast_shape(*wide), ndim)


__all__ = ["Size", "size_of"]
