"""Elements that are not 0, and elements that differ: results as long as their values say."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.creation import zeros, zeros_like
from thunkvm._src.arrays.joining import concatenate, stack
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel, reshape
from thunkvm._src.graph.values import as_variable


@public()
def flatnonzero(x: Any) -> Variable:
    """Return the positions of the elements of the flattened array that are not 0.

    Parameters
    ----------
    x : Variable or array-like

    Returns
    -------
    Variable
        A vector of int64, as long as there are such elements in the call.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.flatnonzero(x))([0.0, 5.0, 7.0])
    array([1, 2])
    """
    flat = ravel(as_variable(x))
    return ops.arange(0, ops.size(flat), 1)[ops.neq(flat, 0)]


@public(method=True)
def nonzero(x: Any) -> tuple[Variable, ...]:
    """Return the indices of the elements that are not 0, a vector for each axis.

    Parameters
    ----------
    x : Variable or array-like
        With at least one axis.

    Returns
    -------
    tuple of Variable
        Of int64, in the order of the elements: ``x[tv.nonzero(x)]`` are these elements.

    Raises
    ------
    ValueError
        If `x` is 0-d.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], list(tv.nonzero(x)))([[0.0, 5.0], [7.0, 0.0]])
    [array([0, 1]), array([1, 0])]
    """
    x = as_variable(x)
    if x.ndim == 0:
        raise ValueError(f"[nonzero] {x} is 0-d; write x[None] for a vector of one element.")
    flat, found = flatnonzero(x), []
    for axis in reversed(range(1, x.ndim)):
        n = length(x, axis)
        found.append(ops.mod(flat, n))
        flat = ops.floor_div(flat, n)
    return (flat, *reversed(found))


@public()
def argwhere(x: Any) -> Variable:
    """Return the indices of the elements that are not 0, a row for each element.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.argwhere(x))([[0.0, 5.0], [7.0, 0.0]])
    array([[0, 1],
           [1, 0]])
    """
    x = as_variable(x)
    if x.ndim == 0:
        return zeros((ops.size(flatnonzero(x)), 0), "int64")
    return stack(nonzero(x), axis=1)


@public()
def unique(
    x: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    *,
    equal_nan: bool = True,
) -> Any:
    """Return the elements that differ, in ascending order, as ``numpy.unique``.

    Parameters
    ----------
    x : Variable or array-like
        It is flattened.
    return_index : bool
        Whether to return the first position of each of them too.
    return_inverse : bool
        Whether to return which of them each element is, in the shape of `x`.
    return_counts : bool
        Whether to return how often each of them is there.
    equal_nan : bool
        Whether NaN equals NaN.

    Returns
    -------
    Variable, or tuple of Variable
        The elements, and what else is asked for, in this order. The gradient of an element goes to
        its first position.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.unique(x))([3.0, 1.0, 3.0])
    array([1., 3.])
    """
    x = as_variable(x)
    flat = ravel(x)
    order = ops.argsort(flat)
    rows = ops.take(flat, order, axis=0)
    differs = ops.neq(rows[1:], rows[:-1])
    if equal_nan and np.dtype(x.dtype).kind in "fc":
        both = ops.logical_and(ops.isnan(rows[1:]), ops.isnan(rows[:-1]))
        differs = ops.logical_and(differs, ops.logical_not(both))
    is_first = concatenate([ops.eq(zeros_like(rows[:1], "int64"), 0), differs])
    first = flatnonzero(is_first)
    found = [ops.take(rows, first, axis=0)]
    if return_index:
        found.append(ops.take(order, first, axis=0))
    if return_inverse:
        number = ops.cumsum(is_first, axis=0) - 1
        inverse = ops.put_along(zeros_like(order), order, number)
        found.append(reshape(inverse, [length(x, axis) for axis in range(x.ndim)]))
    if return_counts:
        ends = concatenate([first, reshape(ops.size(flat), (1,))])
        found.append(ends[1:] - ends[:-1])
    return tuple(found) if len(found) > 1 else found[0]


__all__ = ["argwhere", "flatnonzero", "nonzero", "unique"]
