"""Elements that are read and replaced one by one along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import lengths
from thunkvm._src.arrays.composed.choosing import broadcast_arrays
from thunkvm._src.arrays.composed.dimensions import atleast_nd
from thunkvm._src.arrays.composed.lengths import one_axis
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import moveaxis, ravel, reshape
from thunkvm._src.graph.values import as_variable


@public()
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Variable:
    """Return elements of an axis, by an index for each, as ``numpy.take_along_axis``.

    Parameters
    ----------
    arr : Variable or array-like
    indices : Variable or array-like of int
        With the axes of `arr`; in all but the one they broadcast. The results of `argsort` and,
        with ``keepdims=True``, of `argmax`.
    axis : int or None
        None takes elements of the flattened array by a vector.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If `indices` is not of integers.
    ValueError
        If it has not as many axes as `arr`.
    IndexError
        In a call, if an index is out of bounds.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.take_along_axis(x, [[1], [0]], 1))([[1.0, 2.0], [3.0, 4.0]])
    array([[2.],
           [3.]])
    """
    x, places, at = _move_axis_last("take_along_axis", arr, indices, axis)
    return moveaxis(ops.take_along(x, places), -1, at)


@public(of_numpy=False)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> Variable:
    """Return an array with elements of an axis replaced, by an index for each.

    This is ``numpy.put_along_axis``, but a Variable never changes: the result is a new one.

    Parameters
    ----------
    arr, indices, axis
        As of `take_along_axis`.
    values : Variable or array-like
        They broadcast to `indices`. Of several for one element the last counts.

    Returns
    -------
    Variable
        It has the shape and dtype of `arr`.

    Raises
    ------
    TypeError, ValueError, IndexError
        As of `take_along_axis`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.put_along_axis(x, [[1], [0]], 9.0, 1))([[1.0, 2.0], [3.0, 4.0]])
    array([[1., 9.],
           [9., 4.]])
    """
    x, places, at = _move_axis_last("put_along_axis", arr, indices, axis)
    given = atleast_nd(astype(values, x.dtype), n=x.ndim)
    _, given = broadcast_arrays(places, moveaxis(given, at, -1))
    put = moveaxis(ops.put_along(x, places, given), -1, at)
    return reshape(put, lengths(as_variable(arr))) if axis is None else put


def _move_axis_last(what: str, arr: Any, indices: Any, axis: Any) -> tuple[Variable, Variable, int]:
    """Return both arrays with the axis as their last one, and where it was."""
    x: Variable = as_variable(arr)
    places: Variable = as_variable(indices)
    if np.dtype(places.dtype).kind not in "iu":
        raise TypeError(f"[{what}] indices is {places}, of {places.dtype}; give integers.")
    x = ravel(x) if axis is None else x
    if x.ndim != places.ndim:
        raise ValueError(
            f"[{what}] indices is {places}, with {places.ndim} axes, but there are {x.ndim} of the "
            "array; give as many."
        )
    at = one_axis(what, 0 if axis is None else axis, x.ndim)
    return moveaxis(x, at, -1), moveaxis(places, at, -1), at


__all__ = ["put_along_axis", "take_along_axis"]
