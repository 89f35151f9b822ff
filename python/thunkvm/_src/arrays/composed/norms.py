"""Norms of matrices, and condition numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis
from thunkvm._src.arrays.composed.rows import merged_rows
from thunkvm._src.arrays.composed.stacks import matrices
from thunkvm._src.arrays.norm import norm
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

#: The orders of matrices' norms.
ORDERS = ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf"))


@public(numpy=("linalg.matrix_norm",))
def matrix_norm(x: Any, *, keepdims: bool = False, ord: float | str = "fro") -> Variable:
    """Return a norm of each matrix in the last two axes, as ``numpy.linalg.matrix_norm``.

    Parameters
    ----------
    x : Variable or array-like
        Of shape (..., m, n).
    keepdims : bool
        Keep both axes, with length 1.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}
        The root of the sum of squares; the sum of singular values; the largest or smallest sum of
        sizes in a column; the largest or smallest singular value; the largest or smallest sum of
        sizes in a row.

    Returns
    -------
    Variable

    Raises
    ------
    LinAlgError
        If `x` has less than two axes.
    ValueError
        If there is no such norm.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> float(tv.function([x], tv.matrix_norm(x, ord=1))([[1.0, -2.0], [3.0, 4.0]]))
    6.0
    """
    if ord not in ORDERS:
        raise ValueError(
            f"[matrix_norm] there is no norm ord={ord!r} of matrices; give one of 'fro', 'nuc', 1, "
            "-1, 2, -2, inf and -inf."
        )
    x = matrices("matrix_norm", x, "x")
    if ord == "fro":
        out = norm(x, axis=(-2, -1))
    elif ord in ("nuc", 2, -2):
        s = ops.svdvals(x)
        out = ops.sum(s, axis=-1) if ord == "nuc" else _extreme_value(s, float(ord))
    else:
        sums = ops.sum(ops.abs(x), axis=-2 if abs(float(ord)) == 1 else -1)
        out = _extreme_value(sums, float(ord))
    return ops.expand_dims(out, axis=(out.ndim, out.ndim + 1)) if keepdims else out


def _extreme_value(x: Variable, ord: float) -> Variable:
    return ops.max(x, axis=-1) if ord > 0 else ops.min(x, axis=-1)


@public(numpy=("linalg.vector_norm",))
def vector_norm(x: Any, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Variable:
    """Return a norm of all elements over axes, as ``numpy.linalg.vector_norm``; see `norm`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> float(tv.function([x], tv.vector_norm(x, ord=1))([[1.0, -2.0], [3.0, 4.0]]))
    10.0
    """
    x = as_variable(x)
    rows, axes = merged_rows("vector_norm", x, axis)
    out = norm(rows, ord, -1)
    return ops.expand_dims(out, axis=tuple(sorted(axes))) if keepdims and axes else out


@public(numpy=("linalg.cond",))
def condition_number(x: Any, p: float | str | None = None) -> Variable:
    """Return how much larger than those of its data a system's errors may be: ``np.linalg.cond``.

    `tv.cond` is another function: it takes one of several branches.

    Parameters
    ----------
    x : Variable or array-like
        Of shape (..., m, n), square unless `p` is None, 2 or -2.
    p : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"}
        The norm; None for 2, the largest singular value by the smallest one.

    Returns
    -------
    Variable

    Raises
    ------
    LinAlgError
        If the matrices are not square; in a call, if one is singular and `p` is not None, 2 or -2.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> float(tv.function([x], tv.condition_number(x))([[4.0, 0.0], [0.0, 2.0]]))
    2.0
    """
    x = matrices("condition_number", x, "x", square=p not in (None, 2, -2))
    if p not in (None, 2, -2):
        return ops.mul(matrix_norm(x, ord=p), matrix_norm(ops.inv(x), ord=p))
    s = ops.svdvals(x)
    largest, smallest = s[..., 0], s[..., -1]
    if p == -2:
        return ops.true_div(smallest, largest)
    # Of zeros it is infinite, as that of each other singular matrix.
    zero = ops.eq(largest, 0.0)
    infinite = np.array(np.inf, s.dtype)
    return ops.where(zero, infinite, largest / ops.where(zero, np.array(1, s.dtype), smallest))


__all__ = ["condition_number", "matrix_norm", "vector_norm"]
