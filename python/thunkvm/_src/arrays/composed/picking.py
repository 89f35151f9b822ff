"""Elements picked by conditions, left out and put in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length, lengths
from thunkvm._src.arrays.composed.distinct import flatnonzero
from thunkvm._src.arrays.composed.lengths import integers_below, one_axis
from thunkvm._src.arrays.creation import full
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.indexing import set_subtensor
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to, moveaxis, ravel, reshape
from thunkvm._src.graph.values import as_variable


@public()
def extract(condition: Any, arr: Any) -> Variable:
    """Return the elements of the flattened array where a condition is not 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.extract(x > 1.0, x))([0.0, 5.0, 7.0])
    array([5., 7.])
    """
    return ops.take(ravel(as_variable(arr)), flatnonzero(condition), axis=0)


@public()
def compress(condition: Any, a: Any, axis: int | None = None) -> Variable:
    """Return the parts along an axis where a condition is not 0, as ``numpy.compress``.

    Parameters
    ----------
    condition : Variable or array-like
        A vector, at most as long as the axis.
    a : Variable or array-like
    axis : int, optional
        The flattened array's if left out.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.compress([False, True], x, axis=1))([[1.0, 2.0], [3.0, 4.0]])
    array([[2.],
           [4.]])
    """
    condition, a = as_variable(condition), as_variable(a)
    if condition.ndim != 1:
        raise ValueError(f"[compress] condition has {condition.ndim} axes; give a vector.")
    return ops.take(a, flatnonzero(condition), axis=axis)


@public()
def delete(arr: Any, obj: Any, axis: int | None = None) -> Variable:
    """Return an array without the parts at some positions of an axis, as ``numpy.delete``.

    Parameters
    ----------
    arr : Variable or array-like
    obj : int, slice, Variable or array-like of integers or bools
        The positions that are left out; negative ones count from the end.
    axis : int, optional
        The flattened array's if left out.

    Returns
    -------
    Variable
        Its gradient is 0 at what was left out.

    Raises
    ------
    IndexError
        If a position is out of bounds.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.delete(x, [0, -1]))([1.0, 2.0, 3.0])
    array([2.])
    """
    arr, axis = _array_and_axis("delete", arr, axis)
    every = full((length(arr, axis),), True, "bool")
    place = obj if isinstance(obj, slice) or as_integer(obj) is not None else _positions(obj)
    keep = set_subtensor(every[place], False)
    return ops.take(arr, flatnonzero(keep), axis=axis)


@public()
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Variable:
    """Return an array with values in front of some positions of an axis, as ``numpy.insert``.

    Parameters
    ----------
    arr : Variable or array-like
    obj : int, slice, Variable or array-like of integers or bools
        The positions, before anything is inserted; negative ones count from the end.
    values : Variable or array-like
        Cast to the dtype of `arr`, and broadcast to the parts that are inserted.
    axis : int, optional
        The flattened array's if left out.

    Returns
    -------
    Variable

    Raises
    ------
    IndexError
        If a position is out of bounds.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.insert(x, [0, 2], [7.0, 8.0]))([1.0, 2.0, 3.0])
    array([7., 1., 2., 8., 3.])
    """
    arr, axis = _array_and_axis("insert", arr, axis)
    n = length(arr, axis)
    values = astype(values, arr.dtype)
    where, is_one = _places(obj, n)
    if is_one:
        values = moveaxis(values, 0, axis) if values.ndim == arr.ndim and values.ndim else values
    count = ops.size(where)
    if is_one and values.ndim == arr.ndim:
        count = length(values, axis)
        where = broadcast_to(where, (count,))
    shape = [count if i == axis else size for i, size in enumerate(lengths(arr))]
    inserted = broadcast_to(values, shape)
    order = ops.argsort(where)
    # Where several come before one position, each is one further behind.
    final = set_subtensor(where[order], ops.take(where, order, axis=0) + integers_below(count))
    total = n + count
    is_old = set_subtensor(full((total,), True, "bool")[final], False)
    source = set_subtensor(full((total,), 0, "int64")[final], n + integers_below(count))
    source = set_subtensor(source[flatnonzero(is_old)], integers_below(n))
    return ops.take(concatenate([arr, inserted], axis), source, axis=axis)


def _array_and_axis(what: str, arr: Any, axis: int | None) -> tuple[Variable, int]:
    """Return an array and its axis, or the flattened array and 0."""
    x = as_variable(arr)
    if axis is None:
        return (ravel(x), 0)
    return x, one_axis(what, axis, x.ndim)


def _positions(obj: Any) -> Variable:
    """Return a Variable of positions or of a mask; no positions are no floats."""
    found = as_variable(obj)
    return ops.cast(found, dtype="int64") if 0 in found.type.shape else found


def _places(obj: Any, n: Any) -> tuple[Variable, bool]:
    """Return a vector of positions from 0 to `n`, and whether they are one position."""
    if isinstance(obj, slice):
        return integers_below(n)[obj], False
    found = _positions(obj)
    if found.dtype == "bool":
        return flatnonzero(found), False
    places = astype(found, "int64")
    places = ops.where(ops.lt(places, 0), places + n, places)
    # What is out of bounds shall be an error, also of a position that is `n` itself.
    places = ops.take(integers_below(n + 1), places, axis=0)
    return (reshape(places, (1,)), True) if found.ndim == 0 else (ravel(places), False)


@public()
def resize(a: Any, new_shape: Any) -> Variable:
    """Return an array of a new shape, of the elements of `a` again and again, as ``numpy.resize``.

    Parameters
    ----------
    a : Variable or array-like
    new_shape : int, 0-d integer Variable, or a sequence of them

    Returns
    -------
    Variable
        Zeros where `a` has no elements.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.resize(x, (2, 3)))([1.0, 2.0])
    array([[1., 2., 1.],
           [2., 1., 2.]])
    """
    flat = ravel(as_variable(a))
    is_one = isinstance(new_shape, Variable) or not isinstance(new_shape, Sequence)
    shape = [new_shape] if is_one else list(new_shape)
    wanted: Any = 1
    for each in shape:
        wanted = wanted * each
    one_more = concatenate([flat, full((1,), 0, flat.dtype)])  # what is taken of none
    source = ops.mod(integers_below(wanted), ops.maximum(ops.size(flat), 1))
    return reshape(ops.take(one_more, source, axis=0), shape)


@public()
def trim_zeros(filt: Any, trim: str = "fb") -> Variable:
    """Return a vector without the zeros at its ends, as ``numpy.trim_zeros``.

    Parameters
    ----------
    filt : Variable or array-like
        A vector.
    trim : {"fb", "f", "b"}
        At the front, at the back, or both.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If it is no vector, or there is no such end.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.trim_zeros(x))([0.0, 1.0, 0.0, 2.0, 0.0])
    array([1., 0., 2.])
    """
    filt = as_variable(filt)
    ends = str(trim).lower()
    if filt.ndim != 1 or not ends or set(ends) - set("fb"):
        raise ValueError(
            f"[trim_zeros] filt has {filt.ndim} axes and trim is {trim!r}; give a vector, and "
            "'f', 'b' or both."
        )
    n = length(filt, 0)
    there = flatnonzero(filt)
    padded = concatenate([there, ops.stack(as_variable(n), axis=0)])  # of none: from the end on
    first = padded[0] if "f" in ends else 0
    last = concatenate([as_variable(np.array([-1])), there])[-1] + 1 if "b" in ends else n
    out: Variable = filt[first:last]
    return out


__all__ = ["compress", "delete", "extract", "insert", "resize", "trim_zeros"]
