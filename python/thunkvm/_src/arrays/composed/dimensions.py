"""Arrays with at least so many axes: others get axes of length 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.lengths import whole_number
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable


@public()
def atleast_1d(*arys: Any) -> Any:
    """Return 0-d arrays as vectors of one element, and others as they are.

    Parameters
    ----------
    *arys : Variable or array-like

    Returns
    -------
    Variable or tuple of Variable
        One for each of `arys`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.atleast_1d(tv.scalar("x")).type.shape
    (1,)
    """
    return _change_arrays(arys, lambda x: _with_axes(x, 1, left=True))


@public()
def atleast_2d(*arys: Any) -> Any:
    """Return arrays with fewer than two axes as rows, and others as they are; see `atleast_1d`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.atleast_2d(tv.vector("x")).type.shape
    (1, None)
    """
    return _change_arrays(arys, lambda x: _with_axes(x, 2, left=True))


@public()
def atleast_3d(*arys: Any) -> Any:
    """Return vectors of N elements as (1, N, 1), matrices with one more axis; see `atleast_1d`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.atleast_3d(tv.vector("x")).type.shape
    (1, None, 1)
    """
    return _change_arrays(arys, lambda x: _with_axes(_with_axes(x, 2, left=True), 3, left=False))


@public()
def atleast_nd(*arys: Any, n: int, left: bool = True) -> Any:
    """Return arrays with fewer than `n` axes with axes of length 1 in front, or behind.

    Parameters
    ----------
    *arys : Variable or array-like
    n : int
        The least number of axes.
    left : bool
        False for axes behind those that there are.

    Returns
    -------
    Variable or tuple of Variable
        One for each of `arys`.

    Raises
    ------
    ValueError
        If `n` is negative.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.atleast_nd(tv.vector("x"), n=3, left=False).type.shape
    (None, 1, 1)
    """
    least = whole_number("atleast_nd", "n", n, 0)
    if isinstance(least, Variable):
        raise TypeError(f"[atleast_nd] n is {least}; give an integer.")
    return _change_arrays(arys, lambda x: _with_axes(x, least, left))


def _change_arrays(arys: tuple[Any, ...], change: Callable[[Variable], Variable]) -> Any:
    changed = tuple(change(as_variable(x)) for x in arys)
    return changed[0] if len(changed) == 1 else changed


def _with_axes(x: Variable, least: int, left: bool) -> Variable:
    missing = least - x.ndim
    if missing <= 0:
        return x
    return ops.expand_dims(x, axis=range(missing) if left else range(x.ndim, least))


__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "atleast_nd"]
