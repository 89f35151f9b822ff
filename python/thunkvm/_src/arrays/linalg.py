"""Products of matrices and vectors that are made of several Ops, with NumPy's signatures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, lengths, normal_axes
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel, reshape, transpose
from thunkvm._src.graph.values import as_variable


@public()
def outer(a: Any, b: Any) -> Variable:
    """Return the matrix of all products ``a[i] * b[j]``; both are flattened.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.outer(x, x))([1.0, 2.0])
    array([[1., 2.],
           [2., 4.]])
    """
    return ops.expand_dims(ravel(a), axis=(1,)) * ops.expand_dims(ravel(b), axis=(0,))


@public()
def inner(a: Any, b: Any) -> Variable:
    """Return the sum of products over the last axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.inner(x, x))([1.0, 2.0]))
    5.0
    """
    a, b = as_variable(a), as_variable(b)
    return a * b if a.ndim == 0 or b.ndim == 0 else tensordot(a, b, ([-1], [-1]))


@public()
def tensordot(
    a: Any, b: Any, axes: int | tuple[int | Sequence[int], int | Sequence[int]] = 2
) -> Variable:
    """Sum products over several axes at once.

    Parameters
    ----------
    a, b : Variable or array-like
    axes : int or pair of (int or sequence of int)
        How many of the last axes of `a` meet the first axes of `b`; or the axes of `a`, and those
        of `b` that they meet.

    Returns
    -------
    Variable
        Its axes are the remaining ones of `a`, then those of `b`.

    Raises
    ------
    ValueError
        If there are no such axes, their numbers differ, or their lengths do; if the lengths are
        not known yet, when called.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> float(tv.function([x], tv.tensordot(x, x, 2))([[1.0, 2.0]]))
    5.0
    """
    a, b = as_variable(a), as_variable(b)
    of_a, of_b = _met_axes(axes, a.ndim, b.ndim)
    keep_a = [axis for axis in range(a.ndim) if axis not in of_a]
    keep_b = [axis for axis in range(b.ndim) if axis not in of_b]
    kept_a, kept_b = lengths(a, keep_a), lengths(b, keep_b)
    met = ops.matched_lengths(a, b, axes_a=of_a, axes_b=of_b)
    size = math.prod(met.value.tolist()) if met.leaf == "constant" else ops.prod(met)
    left = reshape(transpose(a, keep_a + of_a), (math.prod(kept_a), size))
    right = reshape(transpose(b, of_b + keep_b), (size, math.prod(kept_b)))
    return reshape(ops.matmul(left, right), kept_a + kept_b)


def _met_axes(axes: Any, ndim_a: int, ndim_b: int) -> tuple[list[int], list[int]]:
    count = as_integer(axes)
    if count is not None:
        if not 0 <= count <= min(ndim_a, ndim_b):
            raise ValueError(
                f"[tensordot] axes = {count}, but a has {ndim_a} axes and b has {ndim_b}; give the "
                "number of the last axes of a that meet the first axes of b."
            )
        return list(range(ndim_a - count, ndim_a)), list(range(count))
    try:
        of_a, of_b = axes
    except (TypeError, ValueError):
        raise TypeError(
            f"[tensordot] axes is {axes!r}; give an integer, or a pair: the axes of a, and the "
            "axes of b that they meet."
        ) from None
    met_a = normal_axes("tensordot", of_a, ndim_a, "axes of a")
    met_b = normal_axes("tensordot", of_b, ndim_b, "axes of b")
    if len(met_a) != len(met_b):
        raise ValueError(
            f"[tensordot] {len(met_a)} axes of a cannot meet {len(met_b)} axes of b; "
            "give as many of each."
        )
    return met_a, met_b


@public(method=True)
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Variable:
    """Return the sum of a diagonal of a matrix.

    Parameters
    ----------
    x : Variable or array-like
        With at least two axes.
    offset : int
        Which diagonal: above the main one if positive, below it if negative.
    axis1, axis2 : int
        The axes of the rows and of the columns.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> float(tv.function([x], tv.trace(x))([[1.0, 2.0], [3.0, 4.0]]))
    5.0
    """
    x = as_variable(x)
    if x.ndim < 2:
        raise ValueError(f"[trace] x has to have at least two axes, but it is {x}.")
    if (axis1, axis2) == (0, 1):
        return ops.trace(x, offset=offset)
    return ops.sum(ops.diagonal(x, offset=offset, axis1=axis1, axis2=axis2), axis=-1)


@public()
def diag(x: Any, k: int = 0) -> Variable:
    """Return a diagonal of a matrix, or the matrix with a vector on its diagonal.

    Parameters
    ----------
    x : Variable or array-like
        A matrix, or a vector.
    k : int
        Which diagonal: above the main one if positive, below it if negative.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.diag(x))([1.0, 2.0])
    array([[1., 0.],
           [0., 2.]])
    >>> w = tv.matrix("w")
    >>> tv.function([w], tv.diag(w))([[1.0, 2.0], [3.0, 4.0]])
    array([1., 4.])
    """
    return ops.diag(x, k=k)


@public()
def tril(x: Any, k: int = 0) -> Variable:
    """Return a matrix with everything above its k-th diagonal replaced by 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> w = tv.matrix("w")
    >>> tv.function([w], tv.tril(w))([[1.0, 2.0], [3.0, 4.0]])
    array([[1., 0.],
           [3., 4.]])
    """
    return ops.tril(x, k=k)


@public()
def triu(x: Any, k: int = 0) -> Variable:
    """Return a matrix with everything below its k-th diagonal replaced by 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> w = tv.matrix("w")
    >>> tv.function([w], tv.triu(w))([[1.0, 2.0], [3.0, 4.0]])
    array([[1., 2.],
           [0., 4.]])
    """
    return ops.triu(x, k=k)


__all__ = ["diag", "inner", "outer", "tensordot", "trace", "tril", "triu"]
