"""Positions of several axes as one number, orders of several keys, and bits side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length, lengths
from thunkvm._src.arrays.composed.choosing import broadcast_arrays
from thunkvm._src.arrays.composed.lengths import (
    Number,
    integers_below,
    one_axis,
    part,
    whole_number,
)
from thunkvm._src.arrays.creation import zeros
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import moveaxis, ravel
from thunkvm._src.graph.values import as_variable

#: How positions out of bounds are treated.
MODES = ("raise", "wrap", "clip")


@public()
def ravel_multi_index(
    multi_index: Any, dims: Sequence[Any], mode: str | Sequence[str] = "raise", order: str = "C"
) -> Variable:
    """Return the positions in the flattened array, as ``numpy.ravel_multi_index``.

    Parameters
    ----------
    multi_index : sequence of Variables or arrays of int
        The positions along each axis; they broadcast.
    dims : sequence of int or 0-d integer Variable
        The shape of the array.
    mode : {"raise", "wrap", "clip"}, or one of them for each axis
        What is done with positions out of bounds.
    order : {"C", "F"}
        Whether the last axis is the fastest, or the first.

    Returns
    -------
    Variable
        Of int64.

    Raises
    ------
    ValueError
        If there is no such mode or order, or another number of axes. With "raise" also if a
        position is out of bounds, in a call.

    Examples
    --------
    >>> import thunkvm as tv
    >>> i, j = tv.lvector("i"), tv.lvector("j")
    >>> tv.function([i, j], tv.ravel_multi_index((i, j), (2, 3)))([0, 1], [2, 1])
    array([2, 4])
    """
    what = "ravel_multi_index"
    axes = [astype(_integer_positions(what, each), "int64") for each in multi_index]
    sizes = [whole_number(what, "dims", n, 0) for n in dims]
    modes = [mode] * len(axes) if isinstance(mode, str) else list(mode)
    if not len(axes) == len(sizes) == len(modes):
        raise ValueError(
            f"[{what}] there are {len(axes)} positions, {len(sizes)} lengths and {len(modes)} "
            "modes; give one of each for each axis."
        )
    axes = [_bound_positions(what, *each) for each in zip(axes, sizes, modes, strict=True)]
    out: Variable = as_variable(np.int64(0))
    for axis, n in _fastest_last(what, order, list(zip(axes, sizes, strict=True))):
        out = out * n + axis
    return out


@public()
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Variable, ...]:
    """Return the positions along each axis of positions in the flattened array.

    Parameters
    ----------
    indices : Variable or array-like of int
    shape : int, 0-d integer Variable, or a sequence of them
    order : {"C", "F"}

    Returns
    -------
    tuple of Variable
        Of int64, in the shape of `indices`.

    Raises
    ------
    ValueError
        If there is no such order, or, in a call, an index is out of bounds.

    Examples
    --------
    >>> import thunkvm as tv
    >>> k = tv.lvector("k")
    >>> tv.function([k], list(tv.unravel_index(k, (2, 3))))([2, 4])
    [array([0, 1]), array([2, 1])]
    """
    what = "unravel_index"
    is_one = isinstance(shape, Variable) or not isinstance(shape, Sequence)
    sizes = [whole_number(what, "shape", n, 0) for n in ([shape] if is_one else shape)]
    total: Number = 1
    for n in sizes:
        total = total * n
    rest = _bound_positions(
        what, astype(_integer_positions(what, indices), "int64"), total, "raise"
    )
    found: list[Variable] = []
    for n in reversed(_fastest_last(what, order, sizes)):
        found.append(ops.mod(rest, n))
        rest = ops.floor_div(rest, n)
    return tuple(_fastest_last(what, order, found[::-1]))


def _integer_positions(what: str, given: Any) -> Variable:
    x = as_variable(given)
    if np.dtype(x.dtype).kind not in "iu":
        raise TypeError(f"[{what}] {x} is of {x.dtype}; positions are integers.")
    return x


def _bound_positions(what: str, positions: Variable, n: Number, mode: str) -> Variable:
    if mode not in MODES:
        raise ValueError(f"[{what}] mode is {mode!r}; it has to be one of {', '.join(MODES)}.")
    if mode == "wrap":
        return ops.mod(positions, n)
    if mode == "clip":
        return ops.clip(positions, 0, n - 1)
    from thunkvm._src.control.assertions import CheckAndRaise  # which is made of arrays

    check = CheckAndRaise(ValueError, f"[{what}] a position is out of bounds")
    return check(positions, ops.ge(positions, 0), ops.lt(positions, n))


def _fastest_last(what: str, order: str, axes: list[Any]) -> list[Any]:
    if order not in ("C", "F"):
        raise ValueError(f"[{what}] order is {order!r}; it has to be 'C' or 'F'.")
    return axes if order == "C" else axes[::-1]


@public()
def lexsort(keys: Any, axis: int = -1) -> Variable:
    """Return the order of several keys, the last one first, as ``numpy.lexsort``.

    Parameters
    ----------
    keys : sequence of Variables or arrays, or an array
        The keys, of which the last counts most; an array's rows along its first axis.
    axis : int
        The axis of each key along which it is ordered.

    Returns
    -------
    Variable
        Of int64, in the shape of one key. Equal ones stay in their order.

    Raises
    ------
    TypeError
        If there are no keys, or their number is not known.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.vector("x"), tv.vector("y")
    >>> tv.function([x, y], tv.lexsort((x, y)))([3.0, 2.0, 1.0], [0.0, 1.0, 0.0])
    array([2, 0, 1])
    """
    if isinstance(keys, (list, tuple)):
        listed = [as_variable(key) for key in keys]
    else:
        rows = as_variable(keys)
        count = rows.type.shape[0] if rows.ndim else None
        if count is None:
            raise TypeError(f"[lexsort] keys is {rows}, whose number is not known; give a list.")
        listed = [rows[i] for i in range(count)]
    if not listed:
        raise TypeError("[lexsort] there are no keys; give at least one.")
    if listed[0].ndim == 0:
        return as_variable(np.int64(0))
    axis = one_axis("lexsort", axis, listed[0].ndim)
    first, *others = (moveaxis(key, axis, -1) for key in broadcast_arrays(*listed))
    order = ops.argsort(first)
    for key in others:
        order = ops.take_along(order, ops.argsort(ops.take_along(key, order)))
    return moveaxis(order, -1, axis)


@public()
def packbits(a: Any, axis: int | None = None, bitorder: str = "big") -> Variable:
    """Return eight bits in each byte along an axis, as ``numpy.packbits``.

    Parameters
    ----------
    a : Variable or array-like
        Integers or bools; what is not 0 is a bit that is 1.
    axis : int, optional
        The flattened array's if left out.
    bitorder : {"big", "little"}
        Whether the first bit is the highest.

    Returns
    -------
    Variable
        Of uint8; the bits that the last byte lacks are 0.

    Raises
    ------
    TypeError
        If they are no integers.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x", dtype="bool")
    >>> tv.function([x], tv.packbits(x))([True, False, True])
    array([160], dtype=uint8)
    """
    a = as_variable(a)
    if np.dtype(a.dtype).kind not in "biu":
        raise TypeError(f"[packbits] {a} is of {a.dtype}; it takes integers and bools.")
    weights = _weights("packbits", bitorder)
    rows = ravel(a) if axis is None else a
    axis = 0 if axis is None else one_axis("packbits", axis, a.ndim)
    return moveaxis(_pack_rows(moveaxis(rows, axis, -1), weights), -1, axis)


def _pack_rows(rows: Variable, weights: np.ndarray) -> Variable:
    n = length(rows, rows.ndim - 1)
    bytes_, last = (n + 7) // 8, rows.ndim - 1
    places = ops.expand_dims(integers_below(bytes_) * 8, axis=(1,)) + integers_below(8)
    is_there = ops.lt(places, n)
    more = concatenate([rows, part(rows, last, slice(0, 1))], last)  # for the bits that lack
    bits = ops.take(more, ops.where(is_there, places, 0), axis=last)
    is_set = ops.logical_and(ops.neq(bits, 0), is_there)
    return astype(ops.sum(ops.where(is_set, weights, 0), axis=-1), "uint8")


@public()
def unpackbits(
    a: Any, axis: int | None = None, count: Any = None, bitorder: str = "big"
) -> Variable:
    """Return the bits of bytes along an axis, as ``numpy.unpackbits``.

    Parameters
    ----------
    a : Variable or array-like
        Of uint8.
    axis : int, optional
        The flattened array's if left out.
    count : int or 0-d integer Variable, optional
        How many bits to return, with zeros behind the last byte; a negative number is left out at
        the end. A Variable is at most the number of bits that there are.
    bitorder : {"big", "little"}

    Returns
    -------
    Variable
        Of uint8: 0 and 1.

    Raises
    ------
    TypeError
        If they are no bytes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x", dtype="uint8")
    >>> tv.function([x], tv.unpackbits(x, count=3))([160])
    array([1, 0, 1], dtype=uint8)
    """
    a = as_variable(a)
    if a.dtype != "uint8":
        raise TypeError(f"[unpackbits] {a} is of {a.dtype}; it takes uint8.")
    rows = ravel(a) if axis is None else a
    axis = 0 if axis is None else one_axis("unpackbits", axis, a.ndim)
    places = integers_below(length(rows, axis) * 8)
    if count is not None:
        n = whole_number("unpackbits", "count", count)
        known = as_integer(n)
        places = places[:n] if known is None or known < 0 else integers_below(known)
    last = moveaxis(rows, axis, -1)
    none = zeros([*lengths(last, range(last.ndim - 1)), 1], "uint8")  # behind the last one
    behind = concatenate([last, none], last.ndim - 1)
    byte = ops.minimum(ops.floor_div(places, 8), length(rows, axis))
    weights = ops.take(as_variable(_weights("unpackbits", bitorder)), ops.mod(places, 8), axis=0)
    bits = ops.bitwise_and(astype(ops.take(behind, byte, axis=last.ndim - 1), "int64"), weights)
    return moveaxis(ops.cast(ops.neq(bits, 0), dtype="uint8"), -1, axis)


def _weights(what: str, bitorder: str) -> np.ndarray:
    if bitorder not in ("big", "little"):
        raise ValueError(f"[{what}] bitorder is {bitorder!r}; it has to be 'big' or 'little'.")
    weights = 2 ** np.arange(8, dtype="int64")
    return weights[::-1].copy() if bitorder == "big" else weights


__all__ = ["lexsort", "packbits", "ravel_multi_index", "unpackbits", "unravel_index"]
