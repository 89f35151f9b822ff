"""Triangles and diagonals of matrices: where they lie, and arrays made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length, lengths
from thunkvm._src.arrays.composed.lengths import Number, along, integers_below, whole_number
from thunkvm._src.arrays.composed.repeating import repeat
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.indexing import set_subtensor
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel, reshape
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt

Indices = tuple[Variable, ...]


@public()
def tri(N: Any, M: Any = None, k: Any = 0, dtype: npt.DTypeLike = "float64") -> Variable:  # noqa: N803
    """Make a matrix with ones at and below a diagonal, and zeros above it, as ``numpy.tri``.

    Parameters
    ----------
    N, M : int or 0-d integer Variable
        The numbers of rows and of columns; a square matrix if `M` is left out.
    k : int or 0-d integer Variable
        The diagonal: above the main one if positive, below it if negative.
    dtype : dtype

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> tv.function([n], tv.tri(n, dtype="int64"))(2)
    array([[1, 0],
           [1, 1]])
    """
    rows = integers_below(whole_number("tri", "N", N))
    columns = rows if M is None else integers_below(whole_number("tri", "M", M))
    at_most = along(rows, 0, 2) + whole_number("tri", "k", k)
    return astype(ops.ge(at_most, along(columns, 1, 2)), dtype)


@public()
def tril_indices(n: Any, k: Any = 0, m: Any = None) -> Indices:
    """Return the rows and columns of the elements at and below a diagonal.

    Parameters
    ----------
    n : int or 0-d integer Variable
        The number of rows.
    k : int or 0-d integer Variable
        The diagonal: above the main one if positive, below it if negative.
    m : int or 0-d integer Variable, optional
        The number of columns; `n` if left out.

    Returns
    -------
    tuple of Variable
        Two vectors, an index of a matrix.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], x[tv.tril_indices(2)])([[1.0, 2.0], [3.0, 4.0]])
    array([1., 3., 4.])
    """
    rows, columns, k = _sizes("tril_indices", n, m, k)
    counts = ops.clip(integers_below(rows) + (k + 1), 0, columns)
    return _row_by_row(rows, counts, 0)


@public()
def triu_indices(n: Any, k: Any = 0, m: Any = None) -> Indices:
    """Return the rows and columns of the elements at and above a diagonal; see `tril_indices`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], x[tv.triu_indices(2)])([[1.0, 2.0], [3.0, 4.0]])
    array([1., 2., 4.])
    """
    rows, columns, k = _sizes("triu_indices", n, m, k)
    skipped = ops.clip(integers_below(rows) + k, 0, columns)
    return _row_by_row(rows, columns - skipped, skipped)


def _sizes(what: str, n: Any, m: Any, k: Any) -> tuple[Number, Number, Number]:
    rows = whole_number(what, "n", n, 0)
    columns = rows if m is None else whole_number(what, "m", m, 0)
    return rows, columns, whole_number(what, "k", k)


def _row_by_row(rows: Number, counts: Variable, first: Any) -> Indices:
    """Return the index of ``counts[i]`` elements of row i, from column ``first[i]`` on."""
    row = repeat(integers_below(rows), counts)
    places = integers_below(ops.sum(counts))
    begins = ops.cumsum(counts, axis=0) - counts - first
    return row, places - ops.take(begins, row, axis=0)


@public()
def tril_indices_from(arr: Any, k: Any = 0) -> Indices:
    """Return `tril_indices` of the shape of a matrix.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], list(tv.tril_indices_from(x, -1)))([[1.0, 2.0], [3.0, 4.0]])
    [array([1]), array([0])]
    """
    n, m = _matrix_lengths("tril_indices_from", arr)
    return tril_indices(n, k, m)


@public()
def triu_indices_from(arr: Any, k: Any = 0) -> Indices:
    """Return `triu_indices` of the shape of a matrix.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], list(tv.triu_indices_from(x, 1)))([[1.0, 2.0], [3.0, 4.0]])
    [array([0]), array([1])]
    """
    n, m = _matrix_lengths("triu_indices_from", arr)
    return triu_indices(n, k, m)


def _matrix_lengths(what: str, arr: Any) -> list[Number]:
    x: Variable = as_variable(arr)
    if x.ndim != 2:
        raise ValueError(f"[{what}] arr is {x}, which has {x.ndim} axes; give a matrix.")
    return lengths(x)


@public()
def diag_indices(n: Any, ndim: int = 2) -> Indices:
    """Return the index of the main diagonal of an array with `ndim` axes of length `n`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], x[tv.diag_indices(2)])([[1.0, 2.0], [3.0, 4.0]])
    array([1., 4.])
    """
    return (integers_below(whole_number("diag_indices", "n", n)),) * ndim


@public()
def diag_indices_from(arr: Any) -> Indices:
    """Return the index of the main diagonal of an array whose axes have one length.

    Raises
    ------
    ValueError
        If it has fewer than two axes, or their lengths are known to differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], list(tv.diag_indices_from(x)))([[1.0, 2.0], [3.0, 4.0]])
    [array([0, 1]), array([0, 1])]
    """
    x: Variable = as_variable(arr)
    if x.ndim < 2 or len(set(x.type.shape) - {None}) > 1:
        raise ValueError(
            f"[diag_indices_from] arr is {x}; give an array with at least two axes, all of one "
            "length."
        )
    size: Any = length(x, 0)
    if None in x.type.shape:  # lengths that differ are an error of the call
        for axis in range(1, x.ndim):
            size = ops.matched_length(size, length(x, axis), axis_a=0, axis_b=axis)
    return diag_indices(size, x.ndim)


@public()
def diagflat(v: Any, k: int = 0) -> Variable:
    """Make a matrix with the flattened array on a diagonal, and zeros elsewhere.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.diagflat(x))([[1.0], [2.0]])
    array([[1., 0.],
           [0., 2.]])
    """
    return ops.diag(ravel(v), k=k)


@public(of_numpy=False)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> Variable:
    """Return an array with its main diagonal replaced.

    This is ``numpy.fill_diagonal``, but a Variable never changes: the result is a new one.

    Parameters
    ----------
    a : Variable or array-like
        With at least two axes; more than two have one length.
    val : Variable or array-like
        A number, or a vector of the length of the diagonal.
    wrap : bool
        Begin the diagonal again behind the rows of a square, in a matrix with more rows.

    Returns
    -------
    Variable
        It has the shape and dtype of `a`.

    Raises
    ------
    ValueError
        If `a` has fewer than two axes, or several whose lengths are known to differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.fill_diagonal(x, 0.0))([[1.0, 2.0], [3.0, 4.0]])
    array([[0., 2.],
           [3., 0.]])
    """
    x: Variable = as_variable(a)
    if x.ndim < 2:
        raise ValueError(f"[fill_diagonal] a is {x}; give an array with at least two axes.")
    if x.ndim > 2:
        return set_subtensor(x[diag_indices_from(x)], astype(val, x.dtype))
    columns = length(x, 1)
    flat = ravel(x)
    # Without `wrap` the diagonal ends with the square that the columns span.
    end = None if wrap else columns * columns
    filled = set_subtensor(flat[: end : columns + 1], astype(val, x.dtype))
    return reshape(filled, lengths(x))


__all__ = [
    "diag_indices", "diag_indices_from", "diagflat", "fill_diagonal", "tri", "tril_indices",
    "tril_indices_from", "triu_indices", "triu_indices_from",
]  # fmt: skip
