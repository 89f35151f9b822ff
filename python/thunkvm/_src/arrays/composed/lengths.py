"""Axes, positions and parts along an axis, as compositions ask for them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, normal_axes
from thunkvm._src.graph.values import as_variable

#: A length, a position or a distance: a number, or a 0-d integer Variable.
Number: TypeAlias = int | Variable


def one_axis(what: str, axis: Any, ndim: int, name: str = "axis") -> int:
    """Return one axis, counted from the front.

    Parameters
    ----------
    what, name : str
        The function and the parameter, for errors.
    axis : int
    ndim : int
        How many axes there are.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If there is no such axis.
    """
    number = as_integer(axis)
    if number is None:
        raise TypeError(f"[{what}] {name} is {axis!r}, a {type(axis).__name__}; give one integer.")
    return normal_axes(what, number, ndim, name)[0]


def part(x: Variable, axis: int, item: Any) -> Variable:
    """Return ``x[:, ..., item]``, with the item at that axis."""
    return x[(slice(None),) * axis + (item,)]


def along(x: Variable, axis: int, ndim: int) -> Variable:
    """Return a vector with axes of length 1 around it, so that it lies along an axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.lengths import along
    >>> along(tv.vector("x"), 1, 3).type.shape
    (1, None, 1)
    """
    others = tuple(each for each in range(ndim) if each != axis)
    return ops.expand_dims(x, axis=others) if others else x


def whole_number(what: str, name: str, given: Any, least: int | None = None) -> Number:
    """Return an integer, or a 0-d integer Variable as it is.

    Parameters
    ----------
    what, name : str
        The function and the parameter, for errors.
    given : int or 0-d integer Variable
    least : int, optional
        The least number that will do. It is checked only where the number is known.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If it is less than `least`.
    """
    if isinstance(given, Variable):
        if given.ndim == 0 and np.dtype(given.dtype).kind in "iu":
            return given
        raise TypeError(f"[{what}] {name} is {given}; give an integer, or a 0-d integer Variable.")
    number = as_integer(given)
    if number is None:
        raise TypeError(
            f"[{what}] {name} is {given!r}, a {type(given).__name__}; give an integer, or a 0-d "
            "integer Variable."
        )
    if least is not None and number < least:
        raise ValueError(f"[{what}] {name} = {number}; give at least {least}.")
    return number


def integers_below(count: Number) -> Variable:
    """Return the vector 0, 1, ... of `count` integers."""
    return ops.arange(0, count, 1, dtype="int64")


def inexact(x: Any) -> Variable:
    """Return `x` with floats or complex numbers in it: integers and bools become float64."""
    x = as_variable(x)
    return ops.cast(x, dtype="float64") if np.dtype(x.dtype).kind in "biu" else x


__all__ = [
    "Number",
    "along",
    "inexact",
    "integers_below",
    "one_axis",
    "part",
    "whole_number",
]  # fmt: skip
