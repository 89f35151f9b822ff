"""What NumPy writes into an array, as a new array: `put`, `place`, `putmask`, `copyto`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import lengths
from thunkvm._src.arrays.composed.lengths import integers_below
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.indexing import set_subtensor
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to, ravel, reshape
from thunkvm._src.graph.values import as_variable


@public(of_numpy=False)
def put(a: Any, ind: Any, v: Any, mode: Literal["raise", "wrap", "clip"] = "raise") -> Variable:
    """Return an array with the elements at positions of the flattened one replaced.

    Parameters
    ----------
    a : Variable or array-like
    ind : Variable or array-like of int
        Negative ones count from the end.
    v : Variable or array-like
        The new values, again and again if there are fewer of them; cast to the dtype of `a`.
    mode : {"raise", "wrap", "clip"}
        What is done with positions out of bounds.

    Returns
    -------
    Variable
        A new array: NumPy's function of this name changes `a`.

    Raises
    ------
    IndexError
        In a call, if a position is out of bounds and the mode is "raise".
    ValueError
        If there is no such mode.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.put(x, [0, 3], [7.0, 8.0]))([[1.0, 2.0], [3.0, 4.0]])
    array([[7., 2.],
           [3., 8.]])
    """
    a, places = as_variable(a), ravel(astype(as_variable(ind), "int64"))
    flat = ravel(a)
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"[put] mode is {mode!r}; it has to be 'raise', 'wrap' or 'clip'.")
    if mode == "wrap":
        places = ops.mod(places, ops.size(flat))
    if mode == "clip":
        places = ops.clip(places, 0, ops.size(flat) - 1)
    values = _repeat_values(v, a, integers_below(ops.size(places)))
    return reshape(set_subtensor(flat[places], values), lengths(a))


@public(of_numpy=False)
def place(arr: Any, mask: Any, vals: Any) -> Variable:
    """Return an array with the elements of a mask replaced by values, one after the other.

    Parameters
    ----------
    arr : Variable or array-like
    mask : Variable or array-like
        As many elements as `arr` has; those that are not 0 say where.
    vals : Variable or array-like
        The first is put at the first place, and so on; again and again if there are fewer.

    Returns
    -------
    Variable
        A new array: NumPy's function of this name changes `arr`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.place(x, x > 1.0, [7.0, 8.0]))([1.0, 2.0, 3.0, 4.0])
    array([1., 7., 8., 7.])
    """
    arr, flags = as_variable(arr), ops.neq(ravel(as_variable(mask)), 0)
    number = ops.cumsum(flags, axis=0) - 1
    values = _repeat_values(vals, arr, ops.where(flags, number, 0))
    return reshape(ops.where(flags, values, ravel(arr)), lengths(arr))


@public(of_numpy=False)
def putmask(a: Any, mask: Any, values: Any) -> Variable:
    """Return an array with the elements of a mask replaced by those at their own positions.

    Parameters
    ----------
    a, mask : Variable or array-like
        As of `place`.
    values : Variable or array-like
        The element at position i of the flattened array is replaced by ``values[i]``; again and
        again if there are fewer.

    Returns
    -------
    Variable
        A new array: NumPy's function of this name changes `a`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.putmask(x, x > 1.0, [7.0, 8.0]))([1.0, 2.0, 3.0, 4.0])
    array([1., 8., 7., 8.])
    """
    a, flags = as_variable(a), ops.neq(ravel(as_variable(mask)), 0)
    values = _repeat_values(values, a, integers_below(ops.size(a)))
    return reshape(ops.where(flags, values, ravel(a)), lengths(a))


@public(of_numpy=False)
def copyto(dst: Any, src: Any, *, where: Any = True) -> Variable:
    """Return `src` in the shape and the dtype of `dst`, and `dst` where a mask is false.

    Parameters
    ----------
    dst, src : Variable or array-like
        The second is broadcast to the first.
    where : Variable or array-like of bool

    Returns
    -------
    Variable
        A new array: NumPy's function of this name changes `dst`.

    Raises
    ------
    TypeError
        If the elements of `src` are of a kind that `dst` has no place for.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.copyto(x, 0.0, where=x > 1.0))([1.0, 2.0])
    array([1., 0.])
    """
    dst, given = as_variable(dst), as_variable(src)
    if not np.can_cast(given.dtype, dst.dtype, "same_kind"):
        raise TypeError(f"[copyto] src is of {given.dtype}, and dst of {dst.dtype}; cast it first.")
    value = broadcast_to(astype(given, dst.dtype), lengths(dst))
    if where is True:
        return value
    out: Variable = ops.where(broadcast_to(as_variable(where), lengths(dst)), value, dst)
    return out


def _repeat_values(values: Any, like: Variable, places: Variable) -> Variable:
    """Return the values at places, which begin again behind the last one."""
    given = astype(ravel(as_variable(values)), like.dtype)
    return ops.take(given, ops.mod(places, ops.size(given)), axis=0)


__all__ = ["copyto", "place", "put", "putmask"]
