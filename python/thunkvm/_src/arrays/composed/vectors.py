"""Products of vectors and matrices in stacks, and axes as NumPy's array API names them."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.lengths import one_axis
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import moveaxis, swapaxes
from thunkvm._src.graph.values import as_variable


@public(numpy=("linalg.matrix_transpose",))
def matrix_transpose(x: Any) -> Variable:
    """Return the matrices with rows and columns exchanged, as ``numpy.matrix_transpose``.

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.matrix_transpose(tv.tensor("x", "float64", (5, 2, 3))).type.shape
    (5, 3, 2)
    """
    x = as_variable(x)
    if x.ndim < 2:
        raise ValueError(f"[matrix_transpose] x is {x}, with {x.ndim} axes; give at least 2.")
    return swapaxes(x, -1, -2)


@public(numpy=("linalg.vecdot",))
def vecdot(x1: Any, x2: Any, axis: int = -1) -> Variable:
    """Return the sums ``conj(x1) * x2`` along an axis, as ``numpy.vecdot``.

    Parameters
    ----------
    x1, x2 : Variable or array-like
        With at least one axis; the others broadcast.
    axis : int
        The axis of both, in whose lengths they have to agree.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If one is 0-d, or the lengths differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.vecdot(x, [1.0, 10.0]))([[1.0, 2.0], [3.0, 4.0]])
    array([21., 43.])
    """
    x, y = (moveaxis(each, axis, -1) for each in _with_axes("vecdot", x1, x2))
    out: Variable = ops.matmul(_conj(x)[..., None, :], y[..., None])[..., 0, 0]
    return out


@public()
def matvec(x1: Any, x2: Any) -> Variable:
    """Return products of matrices and vectors in stacks, as ``numpy.matvec``.

    Parameters
    ----------
    x1 : Variable or array-like
        Of the shape ``(..., m, n)``.
    x2 : Variable or array-like
        ``(..., n)``; the axes in front broadcast.

    Returns
    -------
    Variable
        ``(..., m)``

    Raises
    ------
    ValueError
        If the lengths differ, or there are too few axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.matvec(x, [1.0, 10.0]))([[1.0, 2.0], [3.0, 4.0]])
    array([21., 43.])
    """
    (x, y) = _with_axes("matvec", x1, x2)
    out: Variable = ops.matmul(x, y[..., None])[..., 0]
    return out


@public()
def vecmat(x1: Any, x2: Any) -> Variable:
    """Return products of vectors, conjugated, and matrices in stacks, as ``numpy.vecmat``.

    Parameters
    ----------
    x1 : Variable or array-like
        Of the shape ``(..., m)``.
    x2 : Variable or array-like
        ``(..., m, n)``

    Returns
    -------
    Variable
        ``(..., n)``

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.vecmat([1.0, 10.0], x))([[1.0, 2.0], [3.0, 4.0]])
    array([31., 42.])
    """
    (x, y) = _with_axes("vecmat", x1, x2)
    out: Variable = ops.matmul(_conj(x)[..., None, :], y)[..., 0, :]
    return out


def _with_axes(what: str, x1: Any, x2: Any) -> tuple[Variable, Variable]:
    x, y = as_variable(x1), as_variable(x2)
    for name, each in (("x1", x), ("x2", y)):
        if each.ndim == 0:
            raise ValueError(f"[{what}] {name} is {each}, which is 0-d; give at least a vector.")
    return x, y


def _conj(x: Variable) -> Variable:
    return ops.conj(x) if np.dtype(x.dtype).kind == "c" else x


@public()
def unstack(x: Any, axis: int = 0) -> tuple[Variable, ...]:
    """Return the parts ``x[0], x[1], ...`` along an axis of a known length, as ``numpy.unstack``.

    Raises
    ------
    ValueError
        If the length is not known: how many parts there are is a number of the graph.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.tensor("x", "float64", (2, None))
    >>> tv.function([x], list(tv.unstack(x)))([[1.0, 2.0], [3.0, 4.0]])
    [array([1., 2.]), array([3., 4.])]
    """
    x = as_variable(x)
    if x.ndim == 0:
        raise ValueError(f"[unstack] x is {x}, which is 0-d; give at least a vector.")
    axis = one_axis("unstack", axis, x.ndim)
    count = x.type.shape[axis]
    if count is None:
        raise ValueError(
            f"[unstack] the length of axis {axis} of {x} is not known; say it by tv.specify_shape."
        )
    rows = moveaxis(x, axis, 0)
    return tuple(rows[i] for i in range(count))


@public()
def rollaxis(a: Any, axis: int, start: int = 0) -> Variable:
    """Return `a` with an axis moved in front of the axis `start`, as ``numpy.rollaxis``.

    Raises
    ------
    ValueError
        If there is no such axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.rollaxis(tv.tensor("x", "float64", (2, 3, 4)), 2).type.shape
    (4, 2, 3)
    """
    a = as_variable(a)
    axis = one_axis("rollaxis", axis, a.ndim)
    if not -a.ndim <= start <= a.ndim:
        raise ValueError(f"[rollaxis] start = {start}; it goes from {-a.ndim} to {a.ndim}.")
    start = start + a.ndim if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


__all__ = ["matrix_transpose", "matvec", "rollaxis", "unstack", "vecdot", "vecmat"]
