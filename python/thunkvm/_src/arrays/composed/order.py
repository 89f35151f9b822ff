"""Elements in order: sorts, partitions, and the largest ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, axis_tuple, length
from thunkvm._src.arrays.composed.rows import reversed_rows, rows_along
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

KINDS = ("quicksort", "mergesort", "heapsort", "stable")


def _check_kind(what: str, kind: str | None) -> None:
    if kind is not None and kind not in KINDS:
        raise ValueError(f"[{what}] kind = {kind!r}, but it has to be one of {', '.join(KINDS)}.")


@public(method=True)
def sort(
    x: Any, axis: int | None = -1, *, kind: str | None = None, descending: bool = False
) -> Variable:
    """Return the elements along an axis in order, as ``numpy.sort``; NaN comes last.

    Parameters
    ----------
    x : Variable or array-like
    axis : int or None
        The axis to sort along; None for the flattened array.
    kind : {"quicksort", "mergesort", "heapsort", "stable"}, optional
        Of no effect: equal elements are the same.
    descending : bool
        The reverse of the ascending order: NaN comes first.

    Returns
    -------
    Variable
        With the shape of `x`, which stays as it is. Its gradient goes where each element came from.

    Raises
    ------
    ValueError
        If there is no such axis, or no such kind.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.sort(x))([3.0, 1.0, 2.0])
    array([1., 2., 3.])
    >>> tv.function([x], x.sort(descending=True))([3.0, 1.0, 2.0])
    array([3., 2., 1.])
    """
    _check_kind("sort", kind)
    rows, back = rows_along("sort", x, axis)
    out = ops.sort(rows)
    return back(reversed_rows(out) if descending else out)


@public(method=True)
def argsort(
    x: Any, axis: int | None = -1, *, kind: str | None = None, descending: bool = False
) -> Variable:
    """Return the positions of the elements in order, as ``numpy.argsort``; equal ones keep theirs.

    Parameters
    ----------
    x : Variable or array-like
    axis : int or None
        The axis to sort along; None for the flattened array.
    kind : {"quicksort", "mergesort", "heapsort", "stable"}, optional
        Of no effect: every sort is stable.
    descending : bool
        Whether the largest comes first, and NaN before it; equal elements keep their order too.

    Returns
    -------
    Variable
        Of int64, with the shape of `x`.

    Raises
    ------
    ValueError
        If there is no such axis, or no such kind.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.argsort(x))([3.0, 1.0, 2.0])
    array([1, 2, 0])
    """
    _check_kind("argsort", kind)
    rows, back = rows_along("argsort", x, axis)
    return back(_order(rows, descending))


def _order(rows: Variable, descending: bool) -> Variable:
    if not descending:
        return ops.argsort(rows)
    # Read from the end, the last of equal elements comes first.
    last = length(rows, -1) - 1
    return ops.sub(last, reversed_rows(ops.argsort(reversed_rows(rows))))


@public(method=True)
def partition(
    x: Any, kth: int | Sequence[int], axis: int | None = -1, *, kind: str = "introselect"
) -> Variable:
    """Return the elements so that the k-th one is where a sort would put it.

    No smaller one is behind it, and no larger one before it. Here all are sorted, which is one of
    the partitions that ``numpy.partition`` may return.

    Parameters
    ----------
    x : Variable or array-like
    kth : int or sequence of int
        Positions in the sorted order; negative ones count from the end.
    axis : int or None
        None for the flattened array.
    kind : {"introselect"}
        The only one, as in NumPy.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If `kth` is known to be out of bounds.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.partition(x, 1)[1])([3.0, 1.0, 2.0]))
    2.0
    """
    rows, back = rows_along("partition", x, axis)
    _check_partition("partition", rows, kth, kind)
    return back(ops.sort(rows))


@public(method=True)
def argpartition(
    x: Any, kth: int | Sequence[int], axis: int | None = -1, *, kind: str = "introselect"
) -> Variable:
    """Return the positions of the elements of a partition; parameters as of `partition`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.argpartition(x, 1))([3.0, 1.0, 2.0])
    array([1, 2, 0])
    """
    rows, back = rows_along("argpartition", x, axis)
    _check_partition("argpartition", rows, kth, kind)
    return back(ops.argsort(rows))


def _check_partition(what: str, rows: Variable, kth: Any, kind: str) -> None:
    if kind != "introselect":
        raise ValueError(f"[{what}] kind = {kind!r}, but it has to be 'introselect'.")
    if isinstance(kth, Variable):
        return
    n = rows.type.shape[-1]
    for k in axis_tuple(what, kth, "kth"):
        if n is not None and not -n <= k < n:
            raise ValueError(
                f"[{what}] kth = {k} is out of bounds for {n} elements; use {-n} to {n - 1}."
            )


@public()
def topk(x: Any, kth: Any, axis: int = -1, *, sorted: bool = True) -> Variable:
    """Return the `kth` largest elements along an axis, the largest first, as PyTensor's ``topk``.

    Parameters
    ----------
    x : Variable or array-like
        NaN is larger than all numbers.
    kth : int or 0-d integer Variable
        How many; of a negative number the smallest ones, the smallest first.
    axis : int
    sorted : bool
        Of no effect: they are in order in any case.

    Returns
    -------
    Variable
        With ``abs(kth)`` elements along the axis.

    Raises
    ------
    ValueError
        If `kth` is 0, or known to be more than there are.
    IndexError
        In a call, if there are not so many elements.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.topk(x, 2))([3.0, 1.0, 2.0])
    array([3., 2.])
    >>> tv.function([x], tv.topk(x, -1))([3.0, 1.0, 2.0])
    array([1.])
    """
    rows, back = rows_along("topk", x, axis)
    return back(ops.take_along(rows, _largest("topk", rows, kth)))


@public()
def argtopk(
    x: Any, kth: Any, axis: int = -1, *, sorted: bool = True, idx_dtype: str = "int64"
) -> Variable:
    """Return the positions of the `kth` largest elements; parameters as of `topk`.

    Of equal elements the first ones count. `idx_dtype` is the dtype of the positions.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.argtopk(x, 2))([3.0, 1.0, 2.0])
    array([0, 2])
    """
    rows, back = rows_along("argtopk", x, axis)
    return back(astype(_largest("argtopk", rows, kth), idx_dtype))


@public()
def topk_and_argtopk(
    x: Any, kth: Any, axis: int = -1, *, sorted: bool = True, idx_dtype: str = "int64"
) -> tuple[Variable, Variable]:
    """Return both the `kth` largest elements and their positions; parameters as of `argtopk`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], list(tv.topk_and_argtopk(x, 1)))([1.0, 3.0, 2.0])
    [array([3.]), array([1])]
    """
    rows, back = rows_along("topk_and_argtopk", x, axis)
    positions = _largest("topk_and_argtopk", rows, kth)
    return back(ops.take_along(rows, positions)), back(astype(positions, idx_dtype))


def _largest(what: str, rows: Variable, kth: Any) -> Variable:
    """Return the positions of the largest elements of each row, or of the smallest ones."""
    k, n = as_integer(kth), length(rows, -1)
    if k is None:
        counted = as_variable(kth)
        if counted.ndim != 0 or not counted.dtype.startswith(("int", "uint")):
            raise TypeError(f"[{what}] kth is {counted}; give an integer, or a 0-d one.")
        takes = ops.arange(0, ops.abs(counted), 1)
        smallest, largest = _order(rows, False), _order(rows, True)
        order = ops.where(counted < 0, smallest, largest)
    else:
        if k == 0:
            raise ValueError(f"[{what}] kth = 0; give how many elements to take.")
        if isinstance(n, int) and abs(k) > n:
            raise ValueError(f"[{what}] kth = {k}, but there are {n} elements; give at most {n}.")
        order = _order(rows, k > 0)
        if isinstance(n, int):
            return order[..., : abs(k)]
        takes = as_variable(range(abs(k)))
    return ops.take(order, takes, axis=-1)


__all__ = [
    "argpartition",
    "argsort",
    "argtopk",
    "partition",
    "sort",
    "topk",
    "topk_and_argtopk",
]
