"""Straight lines between values, infinite ones too."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.counting import as_vector, searchsorted
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable


def number_of_line(near: Variable, far: Variable, end: Variable, is_end: Variable) -> Variable:
    """Return a value between two ends of a line, of which one may be infinite.

    An infinite end times a weight of 0, or less another one, is NaN, though the value is a number.

    Parameters
    ----------
    near, far : Variable
        The value from either end on.
    end : Variable
        The value of an end.
    is_end : Variable
        Where the result is that end: the other one has no weight, or is the same number.

    Returns
    -------
    Variable
        `near`, or `far` where that is NaN, or `end` where both are and `is_end` holds. What is not
        taken has no gradient.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.interpolation import number_of_line
    >>> a, b, weight = tv.scalar("a"), tv.scalar("b"), 0.0
    >>> from_a, from_b = a + (b - a) * weight, b - (b - a) * (1.0 - weight)
    >>> f = tv.function([a, b], number_of_line(from_a, from_b, a, tv.eq(weight, 0.0)))
    >>> float(f(3.0, np.inf))
    3.0
    """
    line = ops.where(ops.isnan(near), far, near)
    return ops.where(ops.logical_and(ops.isnan(line), is_end), end, line)


@public()
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Variable:
    """Return the values of a piecewise linear function, as ``numpy.interp``.

    Parameters
    ----------
    x : Variable or array-like
        Where the function is evaluated.
    xp : Variable or array-like
        A vector of positions where its values are given, in ascending order; with a `period` in
        any order.
    fp : Variable or array-like
        A vector of the values there, real or complex.
    left, right : number, optional
        The value before the first position and behind the last one; ``fp[0]`` and ``fp[-1]`` if
        left out. A `period` leaves no such places.
    period : number, optional
        The function repeats itself after so much.

    Returns
    -------
    Variable
        With the shape of `x`. It has gradients to `x`, `xp` and `fp`; the slope at a position is
        that behind it, or 0 if that is no number. Beside an infinite value the positions count as
        constants.

    Raises
    ------
    ValueError
        If `xp` or `fp` is no vector, or they are known to have other lengths; if the period is 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.interp(x, [0.0, 2.0], [10.0, 30.0]))([1.0, 5.0])
    array([20., 30.])
    """
    x = as_variable(x)
    xp, fp = as_vector("interp", "xp", xp), as_vector("interp", "fp", fp)
    lengths = xp.type.shape[0], fp.type.shape[0]
    if None not in lengths and lengths[0] != lengths[1]:
        raise ValueError(
            f"[interp] xp has {lengths[0]} elements and fp {lengths[1]}; give as many of each."
        )
    if lengths[0] == 0:
        raise ValueError("[interp] xp is empty; give at least one position.")
    x, xp, fp = (astype(each, np.result_type(each.dtype, "float64").name) for each in (x, xp, fp))
    if period is not None:
        if as_variable(period).leaf == "constant" and not as_variable(period).value:
            raise ValueError("[interp] period is 0; give a length after which fp repeats itself.")
        period = ops.abs(astype(period, "float64"))
        x, xp = ops.mod(x, period), ops.mod(xp, period)
        order = ops.argsort(xp)
        xp, fp = ops.take(xp, order, axis=0), ops.take(fp, order, axis=0)
        xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = concatenate([fp[-1:], fp, fp[:1]])
        left = right = None
    last = as_variable(length(xp, 0)) - 1
    low = ops.clip(searchsorted(xp, x, side="right") - 1, 0, last)
    high = ops.minimum(low + 1, last)
    value, next_value = ops.take(fp, low, axis=0), ops.take(fp, high, axis=0)
    change = next_value - value
    # Infinite slopes by the two positions would cancel.
    here, there = (
        ops.where(ops.isinf(change), ops.stop_gradient(position), position)
        for position in (ops.take(xp, low, axis=0), ops.take(xp, high, axis=0))
    )
    slope = change / ops.where(ops.eq(there, here), 1.0, there - here)
    is_at_position = ops.eq(x, here)
    is_flat = ops.logical_and(x > here, ops.eq(value, next_value))
    inside = number_of_line(
        value + (x - here) * slope,
        next_value + (x - there) * slope,
        value,
        ops.logical_or(is_at_position, is_flat),
    )
    before = fp[0] if left is None else left
    behind = fp[-1] if right is None else right
    out = ops.where(x > xp[-1], behind, inside)
    return ops.where(x < xp[0], before, out)


__all__ = ["interp", "number_of_line"]
