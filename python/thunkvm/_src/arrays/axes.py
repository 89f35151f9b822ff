"""Axes as users name them: an integer or several, negative ones from the end."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.graph.values import as_variable

#: The axes of a reduction: one, several, or all.
Axis = int | Sequence[int] | None


def axis_tuple(what: str, given: Any, name: str = "axis") -> tuple[int, ...]:
    """Return an axis, or a sequence of axes, as a tuple of integers.

    Parameters
    ----------
    what, name : str
        The function and the parameter, for errors.
    given : int or sequence of int
        Anything that is an integer will do for one, as it does in NumPy.

    Raises
    ------
    TypeError
        If it is neither.

    Examples
    --------
    >>> import numpy as np
    >>> from thunkvm._src.arrays.axes import axis_tuple
    >>> axis_tuple("sum", np.int64(1)), axis_tuple("sum", [0, -1])
    ((1,), (0, -1))
    """
    one = as_integer(given)
    if one is not None:
        return (one,)
    try:
        return tuple(index(axis) for axis in given)
    except TypeError:
        raise TypeError(
            f"[{what}] {name} is {given!r}, a {type(given).__name__}; give an integer or a "
            "sequence of them."
        ) from None


def as_integer(given: Any) -> int | None:
    """Return an index of Python's as an integer, and None for anything else.

    Examples
    --------
    >>> import numpy as np
    >>> from thunkvm._src.arrays.axes import as_integer
    >>> as_integer(np.array(3)), as_integer(np.array([3])), as_integer(3.0)
    (3, None, None)
    """
    try:
        return index(given)
    except TypeError:
        return None


def normal_axes(what: str, given: Any, ndim: int, name: str = "axis") -> list[int]:
    """Return the axes counted from the front.

    Parameters
    ----------
    what, name : str
        The function and the parameter, for errors.
    given : int or sequence of int
    ndim : int
        How many axes there are.

    Raises
    ------
    TypeError
        If they are no integers.
    ValueError
        If there is no such axis, or one is named twice.

    Examples
    --------
    >>> from thunkvm._src.arrays.axes import normal_axes
    >>> normal_axes("moveaxis", (0, -1), 3, "source")
    [0, 2]
    """
    axes: list[int] = []
    for axis in axis_tuple(what, given, name):
        if not -ndim <= axis < ndim:
            there = f"there are axes {-ndim} to {ndim - 1}" if ndim else "a 0-d array has none"
            raise ValueError(
                f"[{what}] {name}: axis {axis} is out of bounds for array of dimension {ndim}; "
                f"{there}."
            )
        if axis % ndim in axes:
            raise ValueError(f"[{what}] {name} = {given} names axis {axis} twice; name it once.")
        axes.append(axis % ndim)
    return axes


def length(x: Variable, axis: int) -> Any:
    """Return the length of an axis: an integer if it is known, else a Variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.axes import length
    >>> length(tv.tensor(shape=(3, None)), 0), length(tv.tensor(shape=(3, None)), -1).dtype
    (3, 'int64')
    """
    known = x.type.shape[axis]
    return ops.length(x, axis=axis % x.ndim) if known is None else known


def lengths(x: Variable, axes: Sequence[int] | None = None) -> list[Any]:
    """Return the length of each axis, or of some; see `length`."""
    return [length(x, axis) for axis in (range(x.ndim) if axes is None else axes)]


def with_axes(what: str, x: Any, least: int) -> Variable:
    """Return an array as a Variable; a ValueError where it has fewer axes than `least`."""
    variable: Variable = as_variable(x)
    if variable.ndim < least:
        raise ValueError(
            f"[{what}] x is {variable}, which has {variable.ndim} axes; give an array with at "
            f"least {least}."
        )
    return variable


__all__ = ["Axis", "as_integer", "axis_tuple", "length", "lengths", "normal_axes", "with_axes"]
