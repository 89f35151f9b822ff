"""Differences of neighbours, and what is made of them: slopes, areas, unwrapped phases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis, as_integer, lengths, normal_axes
from thunkvm._src.arrays.composed.lengths import along, inexact, one_axis, part
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to, ravel
from thunkvm._src.graph.values import as_variable


@public()
def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Variable:
    """Return the differences of neighbours along an axis, as ``numpy.diff``.

    Parameters
    ----------
    x : Variable or array-like
        With at least one axis. Neighbours that are bools are compared instead.
    n : int
        How often differences are taken.
    axis : int
    prepend, append : Variable or array-like, optional
        What is put in front of and behind `x` first: a number, or an array with its axes.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If `n` is negative, or `x` has no axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.diff(x))([1.0, 4.0, 9.0])
    array([3., 5.])
    """
    variable: Variable = as_variable(x)
    times = as_integer(n)
    if times is None or times < 0:
        raise ValueError(f"[diff] n = {n!r}; give how often differences are taken, 0 or more.")
    if variable.ndim == 0:
        raise ValueError(
            f"[diff] x is {variable}, which has no axis; give an array with at least one."
        )
    if times == 0:
        return variable
    axis = one_axis("diff", axis, variable.ndim)
    ends = [
        None if end is None else _as_end_element(end, variable, axis) for end in (prepend, append)
    ]
    parts = [each for each in (ends[0], variable, ends[1]) if each is not None]
    out: Variable = concatenate(parts, axis) if len(parts) > 1 else variable
    subtract = ops.neq if out.dtype == "bool" else ops.sub
    for _ in range(times):
        out = subtract(part(out, axis, slice(1, None)), part(out, axis, slice(None, -1)))
    return out


def _as_end_element(value: Any, x: Variable, axis: int) -> Variable:
    """Return a number as one element of an axis, and an array as it is."""
    variable: Variable = as_variable(value)
    if variable.ndim:
        return variable
    return broadcast_to(variable, [1 if i == axis else n for i, n in enumerate(lengths(x))])


@public()
def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Variable:
    """Return the differences of neighbours of the flattened array, as ``numpy.ediff1d``.

    Parameters
    ----------
    x : Variable or array-like
    to_end, to_begin : Variable or array-like, optional
        What is put behind and in front of the differences, flattened. It takes their dtype.

    Returns
    -------
    Variable
        A vector.

    Raises
    ------
    TypeError
        If `x` is of bools, or the dtype of an end cannot become that of `x`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.ediff1d(x, to_begin=0.0))([[1.0, 4.0], [9.0, 9.0]])
    array([0., 3., 5., 0.])
    """
    flat = ravel(x)
    differences = flat[1:] - flat[:-1]
    ends = [None if end is None else ravel(end) for end in (to_begin, to_end)]
    for name, end in zip(("to_begin", "to_end"), ends, strict=True):
        if end is not None and not np.can_cast(end.dtype, flat.dtype, "same_kind"):
            raise TypeError(
                f"[ediff1d] {name} is of {end.dtype}, which cannot become {flat.dtype}, the dtype "
                "of x; cast one of them."
            )
    first, last = (None if end is None else ops.cast(end, dtype=flat.dtype) for end in ends)
    return concatenate([each for each in (first, differences, last) if each is not None])


@public()
def gradient(f: Any, *varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    """Estimate slopes from samples by second-order differences, as ``numpy.gradient``.

    This is about samples along axes. `grad` is the derivative of a graph.

    Parameters
    ----------
    f : Variable or array-like
        The samples.
    *varargs : number, 0-d Variable or vector, optional
        The distance of samples, or the coordinates of all samples: one for all axes, or one for
        each. 1 if left out.
    axis : int, sequence of int or None
        The axes; None for all.
    edge_order : {1, 2}
        The order of accuracy at the ends.

    Returns
    -------
    Variable or tuple of Variable
        The slopes along the axis, or along each axis if there are several.

    Raises
    ------
    TypeError
        If `f` is of bools, or the distances are neither one nor one for each axis.
    ValueError
        If `edge_order` is neither 1 nor 2, or an axis is known to have too few samples.
    IndexError
        In a call, if it has too few.

    Examples
    --------
    >>> import thunkvm as tv
    >>> y = tv.vector("y")
    >>> tv.function([y], tv.gradient(y, 0.5))([0.0, 1.0, 4.0])
    array([2., 4., 6.])
    """
    f = as_variable(f)
    if f.dtype == "bool":
        raise TypeError(f"[gradient] f is {f}, of bools, which have no differences; cast them.")
    f = inexact(f)
    axes = list(range(f.ndim)) if axis is None else normal_axes("gradient", axis, f.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"[gradient] edge_order = {edge_order!r}, but it has to be 1 or 2.")
    spacing = list(varargs) or [1.0]
    spacing = spacing * len(axes) if len(spacing) == 1 else spacing
    if len(spacing) != len(axes):
        raise TypeError(
            f"[gradient] {len(varargs)} distances are given for {len(axes)} axes; give one for "
            "all, or one for each."
        )
    slopes = [_slopes(f, h, i, edge_order) for i, h in zip(axes, spacing, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slopes(f: Variable, spacing: Any, axis: int, edge_order: int) -> Variable:
    known, needed = f.type.shape[axis], edge_order + 1
    if known is not None and known < needed:
        raise ValueError(
            f"[gradient] axis {axis} has {known} samples; edge_order = {edge_order} takes at least "
            f"{needed}."
        )
    # A number stays one, so that it does not raise the dtype.
    distance = spacing if isinstance(spacing, (int, float)) else as_variable(spacing)
    listed = np.ndim(distance)
    if listed > 1:
        raise ValueError(
            f"[gradient] the distance along axis {axis} is {distance}; give a number, or a vector "
            "of coordinates."
        )
    steps = along(diff(distance), axis, f.ndim) if listed else distance
    begin = _edge(f, steps, axis, edge_order, listed, 1)
    end = _edge(f, steps, axis, edge_order, listed, -1)
    slopes: Variable = ops.concatenate(begin, _inner(f, steps, axis, listed), end, axis=axis)
    return astype(slopes, f.dtype)


def _inner(f: Variable, steps: Any, axis: int, listed: int) -> Variable:
    """Return the slopes between the ends, from both neighbours."""
    first, middle, last = (
        part(f, axis, each) for each in (slice(None, -2), slice(1, -1), slice(2, None))
    )
    if not listed:
        return ops.true_div(last - first, 2.0 * steps)
    h0, h1 = part(steps, axis, slice(None, -1)), part(steps, axis, slice(1, None))
    # Taylor's series of both neighbours, without the second derivative.
    return (
        -h1 / (h0 * (h0 + h1)) * first
        + (h1 - h0) / (h0 * h1) * middle
        + h0 / (h1 * (h0 + h1)) * last
    )


def _edge(f: Variable, steps: Any, axis: int, order: int, listed: int, inwards: int) -> Variable:
    """Return the slope at an end, from the samples at that end."""

    def slice_at(x: Variable, place: int) -> Variable:
        # By an integer, so that a call with too few samples fails.
        return ops.expand_dims(part(x, axis, place), axis=axis)

    places = (0, 1, 2) if inwards == 1 else (-1, -2, -3)
    samples = [slice_at(f, place) for place in places[: order + 1]]
    h = [slice_at(steps, place) if listed else steps for place in places[:order]]
    if order == 1:
        return (samples[1] - samples[0]) / h[0] * inwards
    near, far = h
    return inwards * (
        -(2.0 * near + far) / (near * (near + far)) * samples[0]
        + (near + far) / (near * far) * samples[1]
        - near / (far * (near + far)) * samples[2]
    )


@public()
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Variable:
    """Integrate samples along an axis by the trapezoidal rule, as ``numpy.trapezoid``.

    Parameters
    ----------
    y : Variable or array-like
        The samples.
    x : Variable or array-like, optional
        Their coordinates: a vector, or an array that broadcasts to `y`.
    dx : number or Variable
        The distance of the samples, if there is no `x`.
    axis : int

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> y = tv.vector("y")
    >>> float(tv.function([y], tv.trapezoid(y))([1.0, 2.0, 3.0]))
    4.0
    """
    y = as_variable(y)
    axis = one_axis("trapezoid", axis, y.ndim)
    if x is None:
        widths = as_variable(dx)
    else:
        x = as_variable(x)
        widths = along(diff(x), axis, y.ndim) if x.ndim == 1 else diff(x, axis=axis - y.ndim)
    heights = part(y, axis, slice(1, None)) + part(y, axis, slice(None, -1))
    return ops.sum(widths * heights / 2.0, axis=axis)


@public()
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * math.pi) -> Variable:
    """Add multiples of a period where neighbours jump by more than half of it, as ``numpy.unwrap``.

    Parameters
    ----------
    p : Variable or array-like
        Phases: real numbers.
    discont : number, optional
        The least jump that is mended; half a period if left out, and never less.
    axis : int
    period : number
        Of integers the result is of integers if it is one too.

    Returns
    -------
    Variable
        Its derivative with respect to `p` is 1: a period that is added stays between jumps.

    Raises
    ------
    TypeError
        If `p` and the period make neither signed integers nor floats.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.unwrap(p, period=4.0))([0.0, 1.0, 2.0, -1.0, 0.0])
    array([0., 1., 2., 3., 4.])
    """
    p = as_variable(p)
    axis = one_axis("unwrap", axis, p.ndim)
    steps = ops.stop_gradient(diff(p, axis=axis))
    dtype = np.dtype((steps + period).dtype)
    if dtype.kind not in "if":
        raise TypeError(f"[unwrap] p is {p}; give signed integers or floats.")
    half = period // 2 if dtype.kind == "i" else period / 2.0
    wrapped = ops.mod(steps + half, period) - half
    # A jump of half a period keeps its sign. An odd whole period has no half.
    is_half = ops.logical_and(ops.eq(wrapped, -half), ops.gt(steps, 0))
    wrapped = ops.where(ops.logical_and(is_half, ops.eq(half * 2, period)), half, wrapped)
    least = half if discont is None else discont
    added = ops.where(ops.lt(ops.abs(steps), least), 0, wrapped - steps)
    rest = part(p, axis, slice(1, None)) + ops.cumsum(added, axis=axis)
    first = part(p, axis, slice(None, 1))
    return ops.concatenate(astype(first, dtype), astype(rest, dtype), axis=axis)


__all__ = ["diff", "ediff1d", "gradient", "trapezoid", "unwrap"]
