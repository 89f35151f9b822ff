"""Counts in bins of several axes: `histogramdd`, `histogram2d`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length
from thunkvm._src.arrays.composed.counting import bincount, edges_of
from thunkvm._src.arrays.composed.lengths import along
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel, reshape
from thunkvm._src.graph.values import as_variable


@public()
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Variable, tuple[Variable, ...]]:
    """Return how many points are in each of some boxes, as ``numpy.histogramdd``.

    Parameters
    ----------
    sample : Variable or array-like, or a sequence of vectors
        A row for each point, with a known number of columns; or the coordinates one by one.
    bins : int, or a sequence of int or vectors
        The number of bins of all coordinates, or that of each one, or its edges; as of `histogram`.
    range : sequence of pairs or None, optional
        The first and the last edge of each coordinate.
    density : bool
        Whether to divide by the number of points in boxes and by the volume of the box.
    weights : Variable or array-like, optional
        A vector: what each point counts.

    Returns
    -------
    counts : Variable
        Of float64, an axis for each coordinate. It has a gradient to the weights.
    edges : tuple of Variable

    Raises
    ------
    ValueError
        If the number of coordinates is not known, or is not that of `bins` and `range`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.tensor("x", "float64", (None, 2))
    >>> counts, edges = tv.histogramdd(x, [1, 2], [(0.0, 1.0), (0.0, 4.0)])
    >>> tv.function([x], counts)([[0.5, 1.0], [0.5, 3.0], [0.0, 4.0]])
    array([[1., 2.]])
    """
    columns = _columns(sample)
    bins = [bins] * len(columns) if as_integer(bins) is not None else list(bins)
    ranges = [None] * len(columns) if range is None else list(range)
    if len(bins) != len(columns) or len(ranges) != len(columns):
        raise ValueError(
            f"[histogramdd] there are {len(columns)} coordinates, {len(bins)} bins and "
            f"{len(ranges)} ranges; give one of each for each."
        )
    edges = [
        edges_of("histogramdd", column, count, ends)
        for column, count, ends in zip(columns, bins, ranges, strict=True)
    ]
    place: Any = 0
    sizes = []
    for column, ends in zip(columns, edges, strict=True):
        count = length(ends, 0) - 1
        behind = ops.searchsorted(ends, column, side="right")
        # Counts in front of the first edge and behind the last one are dropped.
        sizes.append(count + 2)
        place = place * sizes[-1] + ops.where(ops.eq(column, ends[-1]), count, behind)
    total: Any = 1
    for size in sizes:
        total = total * size
    counts = reshape(bincount(place, weights, total), sizes)
    counts = counts[(slice(1, -1),) * len(columns)]
    counts = counts if counts.dtype.startswith(("f", "c")) else astype(counts, "float64")
    if density:
        counts = counts / ops.sum(counts)
        for axis, ends in enumerate(edges):
            counts = counts / along(ends[1:] - ends[:-1], axis, len(columns))
    return counts, tuple(edges)


@public()
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool = False,
    weights: Any = None,
) -> tuple[Variable, Variable, Variable]:
    """Return how many points are in each of some rectangles, as ``numpy.histogram2d``.

    Parameters
    ----------
    x, y : Variable or array-like
        Vectors of coordinates.
    bins : int, vector of edges, or a pair of them
    range, density, weights
        As of `histogramdd`.

    Returns
    -------
    counts, edges of x, edges of y : Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> counts, _, _ = tv.histogram2d(x, x, 2)
    >>> tv.function([x], counts)([0.0, 1.0, 3.0])
    array([[2., 0.],
           [0., 1.]])
    """
    is_pair = isinstance(bins, Sequence) and len(bins) == 2
    if as_integer(bins) is None and not is_pair:
        bins = [bins, bins]  # the same edges for both
    counts, (first, second) = histogramdd([x, y], bins, range, density, weights)
    return counts, first, second


def _columns(sample: Any) -> list[Variable]:
    """Return the coordinates, a vector for each."""
    if isinstance(sample, (list, tuple)):  # as NumPy: the coordinates one by one
        return [ravel(as_variable(each)) for each in sample]
    points = as_variable(sample)
    if points.ndim == 1:
        return [points]
    count = points.type.shape[1] if points.ndim == 2 else None
    if count is None:
        raise ValueError(
            f"[histogramdd] sample is {points}; give a matrix with a known number of columns, or "
            "a list of vectors."
        )
    return [points[:, i] for i in range(count)]


__all__ = ["histogram2d", "histogramdd"]
