"""Arrays with a margin around them, in the modes of ``numpy.pad``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length, lengths
from thunkvm._src.arrays.composed.lengths import Number, along, integers_below, part, whole_number
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to
from thunkvm._src.graph.values import as_variable

#: Both margins of an axis, each made of the array, the axis and the width.
Margins = tuple[Variable, Variable]


@public()
def pad(x: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Variable:
    """Put a margin around an array, as ``numpy.pad``.

    Parameters
    ----------
    x : Variable or array-like
    pad_width : int, 0-d integer Variable, pair of them, sequence of pairs, or dict
        The widths in front and behind: one for all, one pair for all axes, or a pair for each
        axis. A dict has a width or a pair for the axes that it names.
    mode : str
        What the margin is made of:
        "constant" (`constant_values`, 0 if left out); "edge" (the nearest element);
        "linear_ramp" (a line from the edge to `end_values`, 0 if left out);
        "maximum", "mean", "minimum" (of the `stat_length` nearest elements, of all if left out);
        "reflect", "symmetric" (a mirror on, or behind, the last element; with
        ``reflect_type="odd"`` twice the edge less that); "wrap" (the other end).
    **kwargs
        Those of the mode; each in the forms of `pad_width`.

    Returns
    -------
    Variable
        It has the dtype of `x`.

    Raises
    ------
    TypeError
        If `mode` does not take a keyword, or a width is no integer. Also if `x` is of bools and
        `mode` computes with them.
    ValueError
        If there is no such mode, a width is negative, or there are not as many as axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], [tv.pad(x, 1), tv.pad(x, (0, 3), "wrap")])
    >>> f([1.0, 2.0])
    [array([0., 1., 2., 0.]), array([1., 2., 1., 2., 1.])]
    """
    x = as_variable(x)
    keyword, default, margins = _mode(mode)
    if unknown := [key for key in kwargs if key != keyword]:
        takes = f"takes {keyword}= alone" if keyword else "takes no keywords"
        raise TypeError(f"[pad] mode {mode!r} does not take {unknown[0]}=; it {takes}.")
    given = kwargs.get(keyword, default) if keyword else default
    padded: Variable = x
    options = [(given, given)] * x.ndim
    if keyword != "reflect_type" and given is not None:
        options = _pairs(keyword or "", given, x.ndim)
    for axis, widths in enumerate(_widths(pad_width, x.ndim)):
        if all(isinstance(width, int) and width == 0 for width in widths):
            continue
        before, after = margins(padded, axis, widths, options[axis], mode)
        padded = ops.concatenate(before, padded, after, axis=axis)
    return padded


def _mode(mode: Any) -> tuple[str | None, Any, Callable[..., Margins]]:
    """Return the keyword of a mode, its default, and the function that makes the margins."""
    modes: dict[str, tuple[str | None, Any, Callable[..., Margins]]] = {
        "constant": ("constant_values", 0, _constants),
        "edge": (None, None, _picked_margins),
        "linear_ramp": ("end_values", 0, _ramps),
        "maximum": ("stat_length", None, _statistics),
        "mean": ("stat_length", None, _statistics),
        "minimum": ("stat_length", None, _statistics),
        "reflect": ("reflect_type", "even", _mirrored_margins),
        "symmetric": ("reflect_type", "even", _mirrored_margins),
        "wrap": (None, None, _picked_margins),
    }
    if callable(mode):
        raise ValueError(
            "[pad] mode is a function, which would write into the margin; make the margins of the "
            "array, and join them by tv.concatenate."
        )
    if mode == "empty":
        raise ValueError(
            "[pad] mode = 'empty' would leave the margin undefined; write mode='constant'."
        )
    if mode not in modes:
        raise ValueError(
            f"[pad] mode = {mode!r}, but it has to be one of {', '.join(map(repr, modes))}."
        )
    return modes[mode]


def _widths(given: Any, ndim: int) -> list[tuple[Number, Number]]:
    if isinstance(given, dict):
        listed: list[Any] = [(0, 0)] * ndim
        for axis, width in given.items():
            if not -ndim <= axis < ndim:
                raise ValueError(f"[pad] pad_width names axis {axis}, but x has {ndim} axes.")
            listed[axis] = width if isinstance(width, (tuple, list)) else (width, width)
        given = listed
    pairs = _pairs("pad_width", given, ndim)
    return [
        (whole_number("pad", "pad_width", b, 0), whole_number("pad", "pad_width", a, 0))
        for b, a in pairs
    ]


def _pairs(name: str, given: Any, ndim: int) -> list[tuple[Any, Any]]:
    """Return a pair for each axis: of one value, one pair, or a pair for each."""
    listed = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(listed, (list, tuple)):
        return [(listed, listed)] * ndim
    items = [tuple(each) if isinstance(each, (list, tuple)) else each for each in listed]
    if not any(isinstance(each, tuple) for each in items):
        if len(items) == 2:
            return [(items[0], items[1])] * ndim
        items = [tuple(items)] if len(items) == 1 else items
    pairs = [(each * 2 if len(each) == 1 else each) for each in items if isinstance(each, tuple)]
    pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != len(items) * (ndim if len(items) == 1 else 1) or any(
        len(pair) != 2 for pair in pairs
    ):
        raise ValueError(
            f"[pad] {name} = {given!r}; give one value, a pair (before, after), or such a pair for "
            f"each of the {ndim} axes."
        )
    if len(pairs) != ndim:
        raise ValueError(
            f"[pad] {name} has {len(pairs)} pairs, but x has {ndim} axes; give one for each."
        )
    return pairs


def _constants(
    x: Variable, axis: int, widths: tuple[Number, Number], values: tuple[Any, Any], mode: str
) -> Margins:
    before, after = (
        _spread(ops.cast(value, dtype=x.dtype), x, axis, width)
        for value, width in zip(values, widths, strict=True)
    )
    return before, after


def _spread(value: Variable, x: Variable, axis: int, width: Number) -> Variable:
    """Return a value, or one element of an axis, repeated over the width of a margin."""
    return broadcast_to(value, [width if i == axis else n for i, n in enumerate(lengths(x))])


def _check_not_bool(x: Variable, mode: str) -> None:
    if x.dtype == "bool":
        raise TypeError(f"[pad] mode {mode!r} computes, but x is {x}, of bools; cast it.")


def _check_not_empty(x: Variable, axis: int, mode: str) -> None:
    if x.type.shape[axis] == 0:
        raise ValueError(
            f"[pad] axis {axis} of x is empty, so that mode {mode!r} has no elements to go by; "
            "write mode='constant'."
        )


def _picked_margins(
    x: Variable, axis: int, widths: tuple[Number, Number], _: Any, mode: str
) -> Margins:
    """Return margins that are elements of the axis."""
    _check_not_empty(x, axis, mode)
    n = length(x, axis)
    before, after = _places(n, widths)
    if mode == "edge":
        return tuple(  # type: ignore[return-value]
            ops.take(x, ops.clip(places, 0, n - 1), axis=axis) for places in (before, after)
        )
    return tuple(  # type: ignore[return-value]
        ops.take(x, ops.mod(places, n), axis=axis) for places in (before, after)
    )


def _places(n: Number, widths: tuple[Number, Number]) -> tuple[Variable, Variable]:
    """Return the places of both margins, counted from the first element."""
    return integers_below(widths[0]) - widths[0], integers_below(widths[1]) + n


def _mirrored_margins(
    x: Variable, axis: int, widths: tuple[Number, Number], kinds: tuple[str, str], mode: str
) -> Margins:
    """Return margins that mirror the axis: again and again where they are longer than it."""
    kind = kinds[0]
    if kind not in ("even", "odd"):
        raise ValueError(f"[pad] reflect_type = {kind!r}, but it has to be 'even' or 'odd'.")
    _check_not_empty(x, axis, mode)
    if kind == "odd":
        _check_not_bool(x, mode)
    n = length(x, axis)
    on_the_edge = 1 if mode == "reflect" else 0
    period = ops.maximum(ops.mul(ops.sub(n, on_the_edge), 2), 1)
    made = []
    for places in _places(n, widths):
        within = ops.mod(places, period)
        is_mirrored = ops.ge(within, n)
        mirrored = period - within - (1 - on_the_edge)
        values = ops.take(x, ops.where(is_mirrored, mirrored, within), axis=axis)
        if kind == "odd":
            first, last = part(x, axis, slice(0, 1)), part(x, axis, slice(-1, None))
            periods = ops.cast(along(ops.floor_div(places, period), axis, x.ndim), dtype=x.dtype)
            turned = ops.where(along(is_mirrored, axis, x.ndim), last + last - values, values)
            values = turned + periods * ((last - first) + (last - first))
        made.append(values)
    return made[0], made[1]


def _ramps(
    x: Variable, axis: int, widths: tuple[Number, Number], ends: tuple[Any, Any], mode: str
) -> Margins:
    """Return lines from the end values, which lie outermost, to the edges."""
    _check_not_empty(x, axis, mode)
    _check_not_bool(x, mode)
    made = []
    # By integers, so that a call with an empty axis fails.
    edges = (ops.expand_dims(part(x, axis, place), axis=axis) for place in (0, -1))
    is_whole = np.dtype(x.dtype).kind in "iu"
    dtype = np.result_type(x.dtype, "float64").name
    for edge, end, width, inwards in zip(edges, ends, widths, (True, False), strict=True):
        outer, inner = ops.cast(end, dtype=dtype), ops.cast(edge, dtype=dtype)
        steps = integers_below(width) if inwards else ops.sub(width, 1) - integers_below(width)
        share = along(ops.cast(steps, dtype=dtype), axis, x.ndim) / ops.cast(width, dtype=dtype)
        line = outer + share * (inner - outer)
        made.append(ops.cast(ops.floor(line) if is_whole else line, dtype=x.dtype))
    return made[0], made[1]


def _statistics(
    x: Variable, axis: int, widths: tuple[Number, Number], counts: tuple[Any, Any], mode: str
) -> Margins:
    """Return margins of one value each, made of the elements nearest to them."""
    _check_not_empty(x, axis, mode)
    n = length(x, axis)
    made = []
    for count, width, in_front in zip(counts, widths, (True, False), strict=True):
        near = x
        if count is not None:
            number = ops.minimum(whole_number("pad", "stat_length", count, 1), n)
            near = part(x, axis, slice(None, number) if in_front else slice(n - number, None))
        value = getattr(ops, _REDUCTIONS[mode])(near, axis=axis, keepdims=True)
        if np.dtype(x.dtype).kind in "iu" and mode == "mean":
            value = ops.round(value)
        made.append(_spread(ops.cast(value, dtype=x.dtype), x, axis, width))
    return made[0], made[1]


_REDUCTIONS = {"maximum": "max", "mean": "mean", "minimum": "min"}

__all__ = ["pad"]
