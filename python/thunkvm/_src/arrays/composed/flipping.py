"""Arrays with their elements in another order along axes: reversed, turned, rolled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import (
    Axis,
    as_integer,
    axis_tuple,
    length,
    lengths,
    normal_axes,
    with_axes,
)
from thunkvm._src.arrays.composed.lengths import Number, part, whole_number
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel, reshape, swapaxes
from thunkvm._src.graph.values import as_variable


@public()
def flip(x: Any, axis: Axis = None) -> Variable:
    """Reverse the order of the elements along axes, as ``numpy.flip``.

    Parameters
    ----------
    x : Variable or array-like
    axis : int, sequence of int or None
        The axes; None for all.

    Returns
    -------
    Variable
        A view of `x`.

    Raises
    ------
    ValueError
        If `x` has no such axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.flip(x, 1))([[1.0, 2.0], [3.0, 4.0]])
    array([[2., 1.],
           [4., 3.]])
    """
    variable: Variable = as_variable(x)
    ndim = variable.ndim
    axes = range(ndim) if axis is None else normal_axes("flip", axis, ndim)
    return variable[tuple(slice(None, None, -1 if i in axes else None) for i in range(ndim))]


@public()
def fliplr(x: Any) -> Variable:
    """Reverse the order of the columns: ``flip(x, 1)``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.fliplr(x))([[1.0, 2.0]])
    array([[2., 1.]])
    """
    return flip(with_axes("fliplr", x, 2), 1)


@public()
def flipud(x: Any) -> Variable:
    """Reverse the order of the rows: ``flip(x, 0)``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.flipud(x))([1.0, 2.0])
    array([2., 1.])
    """
    return flip(with_axes("flipud", x, 1), 0)


@public()
def rot90(x: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Variable:
    """Turn an array by right angles, from the first of two axes towards the second.

    Parameters
    ----------
    x : Variable or array-like
        With at least two axes.
    k : int
        How often it is turned; backwards where negative.
    axes : pair of int
        The axes of the plane.

    Returns
    -------
    Variable
        A view of `x`.

    Raises
    ------
    ValueError
        If `axes` are not two different axes of `x`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.rot90(x))([[1.0, 2.0], [3.0, 4.0]])
    array([[2., 4.],
           [1., 3.]])
    """
    x = as_variable(x)
    plane = normal_axes("rot90", axes, x.ndim, "axes")
    turns = as_integer(k)
    if len(plane) != 2:
        raise ValueError(f"[rot90] axes = {axes!r}; give the two axes of the plane, as (0, 1).")
    if turns is None:
        raise TypeError(f"[rot90] k is {k!r}, a {type(k).__name__}; give an integer.")
    first, second = plane
    if turns % 2 == 0:
        return flip(x, plane) if turns % 4 else x
    if turns % 4 == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


@public()
def roll(x: Any, shift: Any, axis: Axis = None) -> Variable:
    """Shift elements along axes; those shifted over the end come in at the beginning.

    Parameters
    ----------
    x : Variable or array-like
    shift : int, 0-d integer Variable, or sequence of them
        By how many places; towards the beginning where negative.
    axis : int, sequence of int or None
        The axes, one for each shift. One shift may serve several axes, and several shifts one
        axis. The flattened array is shifted if it is None.

    Returns
    -------
    Variable
        It has the shape of `x`.

    Raises
    ------
    TypeError
        If a shift is no integer.
    ValueError
        If `x` has no such axis, or there are not as many shifts as axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, n = tv.vector("x"), tv.lscalar("n")
    >>> tv.function([x, n], tv.roll(x, n))([1.0, 2.0, 3.0], 1)
    array([3., 1., 2.])
    """
    x = as_variable(x)
    listed = isinstance(shift, (list, tuple))
    shifts = [whole_number("roll", "shift", each) for each in (shift if listed else [shift])]
    if axis is None:
        flat = ravel(x)
        for by in shifts:
            flat = _roll_axis(flat, by, 0)
        return reshape(flat, lengths(x))
    # An axis may be named twice, and is then shifted twice.
    axes = [normal_axes("roll", each, x.ndim)[0] for each in axis_tuple("roll", axis)]
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ValueError(
            f"[roll] {len(shifts)} shifts cannot go along {len(axes)} axes; give as many of each, "
            "or one."
        )
    count = max(len(shifts), len(axes)) if shifts and axes else 0
    rolled: Variable = x
    for i in range(count):
        rolled = _roll_axis(rolled, shifts[i % len(shifts)], axes[i % len(axes)])
    return rolled


def _roll_axis(x: Variable, by: Number, axis: int) -> Variable:
    size = length(x, axis)
    if isinstance(size, int) and isinstance(by, int):
        start: Number = size - by % size if size else 0
    else:
        start = ops.sub(size, ops.mod(by, size))
    return ops.concatenate(
        part(x, axis, slice(start, None)), part(x, axis, slice(None, start)), axis=axis
    )


__all__ = ["flip", "fliplr", "flipud", "roll", "rot90"]
