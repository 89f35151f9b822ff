"""Arrays with elements repeated: each by itself, or all of them as tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length, lengths
from thunkvm._src.arrays.composed.lengths import Number, one_axis, whole_number
from thunkvm._src.arrays.creation import zeros
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.indexing import inc_subtensor
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to, expand_dims, ravel, reshape
from thunkvm._src.graph.values import as_variable


@public(method=True)
def repeat(x: Any, repeats: Any, axis: int | None = None) -> Variable:
    """Repeat each element, as ``numpy.repeat``.

    Parameters
    ----------
    x : Variable or array-like
    repeats : int, 0-d integer Variable, or vector of integers
        How often: one number for all, or one for each position of the axis.
    axis : int, optional
        The axis along which elements are repeated; those of the flattened array if left out.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If `repeats` is not of integers.
    ValueError
        If it is negative, or has more than one axis; in a call, if its length is not the axis's.
    IndexError
        In a call, if a vector of them has a negative number.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], [tv.repeat(x, 2), tv.repeat(x, [0, 3])])
    >>> f([1.0, 2.0])
    [array([1., 1., 2., 2.]), array([2., 2., 2.])]
    """
    x = as_variable(x)
    if axis is None or x.ndim == 0:
        x, axis = ravel(x), one_axis("repeat", 0 if axis is None else axis, 1)
    axis = one_axis("repeat", axis, x.ndim)
    counts = _counts(repeats)
    if counts.ndim == 1:
        each = broadcast_to(counts, (length(x, axis),))
        return ops.take(x, _positions(astype(each, "int64")), axis=axis)
    known = as_integer(repeats)
    number: Number = counts if known is None else known
    before, (own, *after) = lengths(x)[:axis], lengths(x)[axis:]
    spread = broadcast_to(expand_dims(x, axis + 1), [*before, own, number, *after])
    return reshape(spread, [*before, own * number, *after])


def _counts(repeats: Any) -> Variable:
    """Return how often elements are repeated: an integer, or a vector of them."""
    counts: Variable = as_variable(repeats)
    if counts.dtype != "bool" and np.dtype(counts.dtype).kind not in "iu":
        raise TypeError(f"[repeat] repeats is {counts}, of {counts.dtype}; give integers.")
    if counts.ndim > 1:
        raise ValueError(
            f"[repeat] repeats is {counts}, which has {counts.ndim} axes; give a number, or a "
            "vector with one for each position."
        )
    if counts.leaf == "constant" and np.any(counts.value < 0):
        raise ValueError(
            f"[repeat] repeats = {counts.value.tolist()}; an element cannot be repeated less than "
            "0 times."
        )
    return counts[0] if counts.type.shape == (1,) else counts


def _positions(counts: Variable) -> Variable:
    """Return 0 ``counts[0]`` times, then 1 ``counts[1]`` times, and so on."""
    total, ends = ops.sum(counts), ops.cumsum(counts, axis=0)
    # A negative count ends behind the last place, so that the call fails.
    ends = ops.where(counts < 0, total + 1, ends)
    ended_here = inc_subtensor(zeros(total + 1, dtype="int64")[ends], 1)
    return ops.cumsum(ended_here, axis=0)[:total]


@public()
def tile(x: Any, reps: Any) -> Variable:
    """Lay copies of an array side by side, as ``numpy.tile``.

    Parameters
    ----------
    x : Variable or array-like
    reps : int, 0-d integer Variable, or sequence of them
        How many copies along each axis. The shorter one of the shape and `reps` gets ones in front.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If `reps` has no integers.
    ValueError
        If one of them is negative.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.tile(x, (2, 2)))([1.0, 2.0])
    array([[1., 2., 1., 2.],
           [1., 2., 1., 2.]])
    """
    x = as_variable(x)
    listed = isinstance(reps, (Sequence, np.ndarray)) or (
        isinstance(reps, Variable) and reps.ndim == 1
    )
    counts = [whole_number("tile", "reps", each, 0) for each in (reps if listed else [reps])]
    ndim = max(len(counts), x.ndim)
    counts = [*[1] * (ndim - len(counts)), *counts]
    own: list[Number] = [*[1] * (ndim - x.ndim), *lengths(x)]
    apart = reshape(x, [each for size in own for each in (1, size)])
    pairs = list(zip(counts, own, strict=True))
    copies = broadcast_to(apart, [each for pair in pairs for each in pair])
    return reshape(copies, [count * size for count, size in pairs])


__all__ = ["repeat", "tile"]
