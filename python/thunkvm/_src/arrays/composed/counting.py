"""Elements found in sorted ones, and counted: bins and histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis, as_integer, length
from thunkvm._src.arrays.composed.rows import reversed_rows
from thunkvm._src.arrays.creation import linspace, ones_like, zeros
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel, reshape
from thunkvm._src.graph.values import as_variable


def as_vector(what: str, name: str, given: Any) -> Variable:
    """Return a vector; anything else is a ValueError, which names it."""
    variable: Variable = as_variable(given)
    if variable.ndim != 1:
        raise ValueError(f"[{what}] {name} has to be a vector, but it is {variable}.")
    return variable


@public(method=True)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Variable:
    """Return where values would keep the order of a sorted vector, as ``numpy.searchsorted``.

    Parameters
    ----------
    a : Variable or array-like
        A vector in ascending order; with a `sorter`, in any order.
    v : Variable or array-like
        The values, of any shape.
    side : {"left", "right"}
        The position before equal elements, or behind them.
    sorter : Variable or array-like of int, optional
        The positions that sort `a`: ``argsort(a)``.

    Returns
    -------
    Variable
        Of int64, with the shape of `v`.

    Raises
    ------
    ValueError
        If `a` or `sorter` is no vector, or there is no such side.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.searchsorted(x, [2.0, 2.5]))([1.0, 2.0, 3.0])
    array([1, 2])
    """
    if side not in ("left", "right"):
        raise ValueError(f"[searchsorted] side = {side!r}, but it has to be 'left' or 'right'.")
    a, v = as_vector("searchsorted", "a", a), as_variable(v)
    if sorter is not None:
        a = ops.take(a, as_vector("searchsorted", "sorter", sorter), axis=0)
    out = ops.searchsorted(a, ravel(v), side=side)
    return out if v.ndim == 1 else reshape(out, [length(v, axis) for axis in range(v.ndim)])


@public()
def digitize(x: Any, bins: Any, right: bool = False) -> Variable:
    """Return the number of the bin of each element, as ``numpy.digitize``.

    Parameters
    ----------
    x : Variable or array-like
    bins : Variable or array-like
        The edges, a vector in ascending or in descending order.
    right : bool
        Whether a bin has its right edge, and not its left one.

    Returns
    -------
    Variable
        Of int64, with the shape of `x`: 0 before the first edge, the number of edges behind the
        last one.

    Raises
    ------
    ValueError
        If the edges are known to be in no order.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.digitize(x, [0.0, 1.0]))([-1.0, 0.0, 3.0])
    array([0, 1, 2])
    """
    bins = as_vector("digitize", "bins", bins)
    side = "left" if right else "right"
    upwards = searchsorted(bins, x, side)
    falls = ops.any(ops.lt(bins[1:], bins[:-1]))
    if bins.leaf == "constant":
        steps = np.diff(bins.value)
        if np.all(steps >= 0):
            return upwards
        if not np.all(steps <= 0):
            raise ValueError("[digitize] bins have to rise or to fall, but they do both.")
    # NumPy takes the same side of edges that fall, seen from the last one.
    downwards = length(bins, 0) - searchsorted(reversed_rows(bins), x, side)
    return downwards if bins.leaf == "constant" else ops.where(falls, downwards, upwards)


@public()
def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Variable:
    """Return how often each of the integers 0, 1, ... is there, as ``numpy.bincount``.

    Parameters
    ----------
    x : Variable or array-like of int
        A vector of integers that are at least 0.
    weights : Variable or array-like, optional
        A vector of what each element counts.
    minlength : int or 0-d integer Variable
        How many counts there are at least.

    Returns
    -------
    Variable
        A vector of int64, or of sums of weights; one longer than the largest element.

    Raises
    ------
    TypeError
        If the elements are no integers.
    ValueError
        If `x` or `weights` is no vector, or `minlength` is negative.
    IndexError
        In a call, if an element is negative.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.lvector("x")
    >>> tv.function([x], tv.bincount(x))([1, 3, 1])
    array([0, 2, 0, 1])
    """
    x = as_vector("bincount", "x", x)
    if not x.dtype.startswith(("int", "uint", "bool")):
        raise TypeError(f"[bincount] x has to be of integers, but it is {x}.")
    least = as_integer(minlength)
    if least is not None and least < 0:
        raise ValueError(f"[bincount] minlength = {least}, but it has to be at least 0.")
    x = astype(x, "int64")
    size = ops.max(concatenate([x + 1, reshape(astype(minlength, "int64"), (1,))]))
    # An index from the end would be counted there: a negative one is out of bounds.
    return _sum_weights(ops.where(x < 0, size, x), weights, size, "bincount")


def _sum_weights(position: Variable, weights: Any, size: Any, what: str) -> Variable:
    """Return the sums of the weights of each position; the number of elements without them."""
    if weights is None:
        return ops.add_along(zeros(size, "int64"), position, ones_like(position))
    weights = as_vector(what, "weights", weights)
    if np.dtype(weights.dtype).kind in "biu":
        weights = astype(weights, "float64")
    return ops.add_along(zeros(size, weights.dtype), position, weights)


@public()
def histogram_bin_edges(x: Any, bins: Any = 10, range: Any = None) -> Variable:
    """Return the edges of the bins of a histogram; parameters as of `histogram`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.histogram_bin_edges(x, 2))([0.0, 1.0, 4.0])
    array([0., 2., 4.])
    """
    return edges_of("histogram_bin_edges", ravel(as_variable(x)), bins, range)


@public()
def histogram(
    x: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Variable, Variable]:
    """Return how many elements are in each of some bins, as ``numpy.histogram``.

    Parameters
    ----------
    x : Variable or array-like
        It is flattened. What is in no bin does not count.
    bins : int or vector
        The number of bins of equal widths, or the edges, which must not fall. A bin has its left
        edge; the last one has both.
    range : pair of numbers, optional
        The first and the last edge for a number of bins; else the least and the largest element.
    density : bool
        Whether to divide by the number of elements in bins and by the width of the bin.
    weights : Variable or array-like, optional
        What each element counts, in the shape of `x`.

    Returns
    -------
    counts : Variable
        Of int64, or of sums of weights. It has a gradient to the weights.
    edges : Variable
        One more than there are bins.

    Raises
    ------
    TypeError
        If `bins` is the name of a rule.
    ValueError
        If there are no bins, or the range ends before it begins.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], list(tv.histogram(x, [0.0, 1.0, 4.0])))([0.5, 1.0, 4.0])
    [array([1, 2]), array([0., 1., 4.])]
    """
    flat = ravel(as_variable(x))
    edges = edges_of("histogram", flat, bins, range)
    count = length(edges, 0) - 1
    behind = ops.searchsorted(edges, flat, side="right")
    # Counts before the first edge and behind the last one are dropped.
    position = ops.where(ops.eq(flat, edges[-1]), count, behind)
    weights = None if weights is None else ravel(as_variable(weights))
    counts = _sum_weights(position, weights, count + 2, "histogram")[1:-1]
    if density:
        counts = counts / (edges[1:] - edges[:-1]) / ops.sum(counts)
    return counts, edges


def edges_of(what: str, flat: Variable, bins: Any, range: Any) -> Variable:
    """Return the edges of the bins of a vector; parameters and errors as of `histogram`."""
    if isinstance(bins, str):
        raise TypeError(f"[{what}] bins = {bins!r}; give the number of bins, or their edges.")
    count = as_integer(bins)
    edges = as_variable(bins)
    if edges.ndim == 1:
        if edges.leaf == "constant" and np.any(np.diff(edges.value) < 0):
            raise ValueError(f"[{what}] bins are edges that fall; give them in ascending order.")
        return edges
    if edges.ndim != 0 or (count is None and not edges.dtype.startswith(("int", "uint"))):
        raise TypeError(f"[{what}] bins is {bins!r}; give the number of bins, or their edges.")
    if count is not None and count < 1:
        raise ValueError(f"[{what}] bins = {count}, but there has to be at least one.")
    if range is None:
        # Of no elements NumPy's are from 0 to 1.
        none, whole = ops.eq(ops.size(flat), 0), astype(flat, _float_of(flat))
        first = ops.where(none, 0.0, ops.min(whole, or_identity=True))
        last = ops.where(none, 1.0, ops.max(whole, or_identity=True))
    else:
        first, last = (as_variable(end) for end in range)
        if first.leaf == last.leaf == "constant" and first.value > last.value:
            raise ValueError(f"[{what}] range = {tuple(range)} ends before it begins.")
    first, last = astype(first, _float_of(first)), astype(last, _float_of(last))
    widened = ops.where(ops.eq(first, last), 0.5, 0.0)
    out = linspace(first - widened, last + widened, edges + 1 if count is None else count + 1)
    return astype(out, np.result_type(_float_of(first), _float_of(flat)).name)


def _float_of(x: Variable) -> str:
    return x.dtype if np.dtype(x.dtype).kind == "f" else "float64"


@public()
def count_nonzero(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Return how many elements are not zero over axes; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> int(tv.function([x], tv.count_nonzero(x))([0.0, 4.0, 2.0]))
    2
    """
    return ops.sum(ops.neq(x, 0), axis=axis, keepdims=keepdims)


__all__ = [
    "as_vector",
    "bincount",
    "count_nonzero",
    "digitize",
    "edges_of",
    "histogram",
    "histogram_bin_edges",
    "searchsorted",
]
