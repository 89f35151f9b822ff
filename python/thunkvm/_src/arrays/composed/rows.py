"""Arrays as rows along their last axis, the one that the Ops of order and of matrices read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis, as_integer, length, normal_axes
from thunkvm._src.arrays.shapes import moveaxis, ravel, reshape, transpose
from thunkvm._src.graph.values import as_variable


def rows_along(
    what: str, x: Any, axis: int | None
) -> tuple[Variable, Callable[[Variable], Variable]]:
    """Return `x` with an axis as the last one, and a function that puts the axis back.

    Parameters
    ----------
    what : str
        The function, for errors.
    x : Variable or array-like
    axis : int or None
        None for the flattened array.

    Raises
    ------
    TypeError
        If `axis` is no integer.
    ValueError
        If there is no such axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.rows import rows_along
    >>> rows, back = rows_along("sort", tv.zeros((2, 3)), 0)
    >>> rows.type.shape, back(rows).type.shape
    ((3, 2), (2, 3))
    """
    x = as_variable(x)
    if axis is None:
        return ravel(x), lambda rows: rows
    if as_integer(axis) is None:
        raise TypeError(
            f"[{what}] axis is {axis!r}, a {type(axis).__name__}; give an integer, or None for "
            "the flattened array."
        )
    (front,) = normal_axes(what, axis, x.ndim)
    if front == x.ndim - 1:
        return x, lambda rows: rows
    return moveaxis(x, front, -1), lambda rows: moveaxis(rows, -1, front)


def merged_rows(what: str, x: Any, axis: Axis) -> tuple[Variable, list[int]]:
    """Return `x` with several axes made one, the last, and the axes that they were.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.rows import merged_rows
    >>> rows, axes = merged_rows("median", tv.zeros((2, 3, 4)), (0, -1))
    >>> rows.type.shape, axes
    ((3, 8), [0, 2])
    """
    x = as_variable(x)
    axes = list(range(x.ndim)) if axis is None else normal_axes(what, axis, x.ndim)
    if len(axes) == x.ndim:
        return ravel(x), axes
    kept = [each for each in range(x.ndim) if each not in axes]
    x = transpose(x, [*kept, *axes])
    if len(axes) == 1:
        return x, axes
    merged = [length(x, each) for each in range(len(kept))]
    count: Any = 1
    for each in range(len(kept), x.ndim):
        count = count * length(x, each)
    return reshape(x, [*merged, count]), axes


def part(x: Variable, item: Any) -> Variable:
    """Return ``x[..., item]``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.rows import part
    >>> part(tv.zeros((2, 3)), slice(None, -1)).type.shape
    (2, 2)
    """
    out: Variable = x[..., item]
    return out


def reversed_rows(x: Variable) -> Variable:
    """Return ``x[..., ::-1]``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.rows import reversed_rows
    >>> tv.function([], reversed_rows(tv.arange(3)))()
    array([2, 1, 0])
    """
    return part(x, slice(None, None, -1))


__all__ = ["merged_rows", "part", "reversed_rows", "rows_along"]
