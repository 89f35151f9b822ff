"""Medians, quantiles and percentiles, with all of NumPy's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis, length, lengths
from thunkvm._src.arrays.composed.interpolation import number_of_line
from thunkvm._src.arrays.composed.rows import merged_rows, part
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to, moveaxis, ravel, reshape
from thunkvm._src.graph.values import as_variable


def _is_whole(at: Variable) -> Variable:
    return ops.eq(ops.mod(at, 1.0), 0.0)


def _step(at: Variable, stays: Variable) -> Variable:
    """Return the whole number below where it stays there, else the next one."""
    return ops.where(stays, ops.floor(at), ops.floor(at) + 1.0)


def _rank_formula(alpha: float, beta: float) -> Callable[[Variable, Variable], Variable]:
    return lambda n, q: n * q + (alpha + q * (1.0 - alpha - beta)) - 1.0


def _half_way(at: Variable) -> Variable:
    return 0.5 * (ops.floor(at) + ops.ceil(at))


#: Where among n sorted elements a quantile is, counted from 0. A position between two elements
#: weighs both: R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, 1996.
METHODS: dict[str, Callable[[Variable, Variable], Variable]] = {
    "inverted_cdf": lambda n, q: _step(n * q - 1.0, _is_whole(n * q - 1.0)),
    "averaged_inverted_cdf": lambda n, q: ops.where(
        _is_whole(n * q - 1.0), n * q - 0.5, ops.ceil(n * q - 1.0)
    ),
    "closest_observation": lambda n, q: _step(
        n * q - 1.5,
        ops.logical_and(_is_whole(n * q - 1.5), ops.eq(ops.mod(ops.floor(n * q - 1.5), 2.0), 1.0)),
    ),
    "interpolated_inverted_cdf": _rank_formula(0.0, 1.0),
    "hazen": _rank_formula(0.5, 0.5),
    "weibull": _rank_formula(0.0, 0.0),
    "linear": lambda n, q: (n - 1.0) * q,
    "median_unbiased": _rank_formula(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _rank_formula(3 / 8.0, 3 / 8.0),
    "lower": lambda n, q: ops.floor((n - 1.0) * q),
    "higher": lambda n, q: ops.ceil((n - 1.0) * q),
    "midpoint": lambda n, q: _half_way((n - 1.0) * q),
    "nearest": lambda n, q: ops.round((n - 1.0) * q),
}


@public()
def quantile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Variable:
    """Return quantiles of the elements over axes, as ``numpy.quantile``.

    Parameters
    ----------
    x : Variable or array-like
        Real numbers.
    q : Variable or array-like
        From 0, the smallest element, to 1, the largest one. One that is only known in a call and
        is outside of that gives NaN.
    axis : int, sequence of int or None
        The axes to reduce; None for all.
    method : str
        Which elements count, and how much: "inverted_cdf", "averaged_inverted_cdf",
        "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
        "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint" or "nearest".
    keepdims : bool
        Keep the reduced axes, with length 1.

    Returns
    -------
    Variable
        The axes of `q`, then those that are left of `x`. NaN where there is one among the elements,
        and between two infinite ones. An element of weight 0 does not count, an infinite one too,
        where NumPy's result is NaN. The slope by `q` at an element is that above it, and at the
        largest one that below.

    Raises
    ------
    TypeError
        If `x` is complex.
    ValueError
        If a `q` is known to be outside of 0 to 1, or there is no such method.
    IndexError
        In a call, if there are no elements.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.quantile(x, [0.0, 0.25]))([3.0, 1.0, 2.0])
    array([1. , 1.5])

    The method is R. J. Hyndman and Y. Fan's, Sample quantiles in statistical packages, The
    American Statistician 50, 1996.
    """
    return _quantile("quantile", x, q, axis, method, keepdims)


@public()
def percentile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Variable:
    """Return percentiles, quantiles of ``q / 100``; parameters as of `quantile`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.percentile(x, 25))([3.0, 1.0, 2.0]))
    1.5
    """
    return _quantile("percentile", x, q, axis, method, keepdims, 100.0)


@public()
def nanquantile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Variable:
    """Return quantiles of the elements that are not NaN; parameters as of `quantile`.

    It is NaN where all elements are, and of none.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanquantile(x, 0.5))([3.0, float("nan"), 2.0]))
    2.5
    """
    return _quantile("nanquantile", x, q, axis, method, keepdims, skips_nan=True)


@public()
def nanpercentile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Variable:
    """Return percentiles of the elements that are not NaN; parameters as of `quantile`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanpercentile(x, 50))([3.0, float("nan"), 2.0]))
    2.5
    """
    return _quantile("nanpercentile", x, q, axis, method, keepdims, 100.0, skips_nan=True)


@public()
def median(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Return the middle element over axes, or the mean of the two, as ``numpy.median``.

    Parameters
    ----------
    x : Variable or array-like
    axis : int, sequence of int or None
        The axes to reduce; None for all.
    keepdims : bool
        Keep the reduced axes, with length 1.

    Returns
    -------
    Variable
        NaN where there is one among the elements, and where there are none.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.median(x))([3.0, 1.0, 2.0]))
    2.0
    """
    rows, axes = merged_rows("median", x, axis)
    rows, n = ops.sort(rows), length(rows, -1)
    middle = ops.mean(part(rows, slice((n - 1) // 2, n // 2 + 1)), axis=-1)
    if np.dtype(rows.dtype).kind in "fc":
        last = ops.sum(part(rows, slice(-1, None)), axis=-1)  # 0 of none
        middle = ops.where(ops.isnan(last), last, middle)
    return _restore_axes(middle, axes, as_variable(x).ndim, keepdims)


@public()
def nanmedian(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Return the median of the elements that are not NaN; parameters as of `median`.

    It is NaN where all elements are, and of none.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanmedian(x))([3.0, float("nan"), 2.0]))
    2.5
    """
    return _quantile("nanmedian", x, 0.5, axis, "midpoint", keepdims, skips_nan=True)


def _constant(value: float, like: Variable) -> Variable:
    return as_variable(np.array(value, like.dtype))


def _restore_axes(out: Variable, axes: list[int], ndim: int, keepdims: bool) -> Variable:
    """Return a result of all axes but some with these in it again, with length 1.

    The axes in front of them, those of `q`, stay where they are.
    """
    if not keepdims or not axes:
        return out
    front = out.ndim - (ndim - len(axes))
    return ops.expand_dims(out, axis=tuple(front + axis for axis in sorted(axes)))


def _quantile(
    what: str,
    x: Any,
    q: Any,
    axis: Axis,
    method: str,
    keepdims: bool,
    whole: float = 1.0,
    *,
    skips_nan: bool = False,
) -> Variable:
    x, is_number = as_variable(x), isinstance(q, (int, float))
    if np.dtype(x.dtype).kind == "c":
        raise TypeError(f"[{what}] {x} is complex; there are quantiles of real numbers alone.")
    if method not in METHODS:
        raise ValueError(
            f"[{what}] method = {method!r}, but it has to be one of {', '.join(METHODS)}."
        )
    if x.dtype == "bool":
        raise TypeError(f"[{what}] {x} is of bools, which have no quantiles; cast it to int8.")
    q = as_variable(q)
    if q.leaf == "constant" and not np.all((q.value >= 0) & (q.value <= whole)):
        raise ValueError(f"[{what}] q = {q.value.tolist()}, but it has to be from 0 to {whole:g}.")
    rows, axes = merged_rows(what, x, axis)
    if skips_nan and np.dtype(x.dtype).kind == "f" and not rows.type.shape[-1]:
        # Of no elements it is NaN.
        nothing = broadcast_to(_constant(np.nan, rows), [*lengths(rows)[:-1], 1])
        rows = concatenate([rows, nothing], axis=-1)
    rows = ops.sort(rows)
    at_q = ravel(astype(q, "float64")) / whole
    if skips_nan and np.dtype(x.dtype).kind == "f":
        count = ops.sum(ops.logical_not(ops.isnan(rows)), axis=-1, keepdims=True)
    else:
        count = as_variable(length(rows, -1))
    n = astype(count, "float64")
    at = ops.clip(METHODS[method](n, at_q), 0.0, ops.maximum(n - 1.0, 0.0))

    def element(position: Variable) -> Variable:
        position = astype(ops.stop_gradient(position), "int64")
        return (
            ops.take_along(rows, position)
            if position.ndim > 1
            else ops.take(rows, position, axis=-1)
        )

    dtype = rows.dtype if np.dtype(rows.dtype).kind == "f" else "float64"
    if not is_number and np.dtype(q.dtype).kind == "f":
        dtype = np.result_type(dtype, q.dtype).name
    if method in DISCRETE:
        out = element(at)
    else:
        # The largest element is the upper one too, with all of the weight.
        below = ops.clip(ops.stop_gradient(ops.floor(at)), 0.0, ops.maximum(n - 2.0, 0.0))
        above = ops.minimum(below + 1.0, ops.maximum(n - 1.0, 0.0))
        out = _between(element(below), element(above), at - below, dtype)
    if np.dtype(out.dtype).kind == "f":
        if not skips_nan and np.dtype(rows.dtype).kind == "f":
            last = part(rows, slice(-1, None))
            out = ops.where(ops.isnan(last), last, out)
        if q.leaf != "constant":
            wrong = ops.logical_or(at_q < 0.0, at_q > 1.0)
            out = ops.where(wrong, _constant(np.nan, out), out)
    rest = [length(out, each) for each in range(out.ndim - 1)]
    out = moveaxis(out, -1, 0)
    out = reshape(out, [*(length(q, each) for each in range(q.ndim)), *rest])
    return _restore_axes(out, axes, x.ndim, keepdims)


def _between(low: Variable, high: Variable, weight: Variable, dtype: str) -> Variable:
    """Return the sum of two neighbours, of which the upper one has this weight."""
    change, weight = astype(high - low, dtype), astype(weight, dtype)
    from_low, from_high = low + change * weight, high - change * (1.0 - weight)
    # From the nearer one, so that both ends are exact.
    is_low, is_high = weight < 0.5, ops.eq(weight, 1.0)
    is_end = ops.logical_or(ops.logical_or(ops.eq(weight, 0.0), is_high), ops.eq(low, high))
    return number_of_line(
        ops.where(is_low, from_low, from_high),
        ops.where(is_low, from_high, from_low),
        ops.where(is_high, high, low),
        is_end,
    )


#: Methods that give one of the elements.
DISCRETE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]
