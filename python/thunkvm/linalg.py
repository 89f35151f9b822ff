"""Products of matrices and vectors that are made of several Ops, with NumPy's signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from thunkvm import elsewhere, ops
from thunkvm._core import Variable
from thunkvm.shapes import ravel, reshape, transpose
from thunkvm.values import as_variable


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


def tensordot(a: Any, b: Any, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Variable:
    """Sum products over several axes at once.

    Parameters
    ----------
    a, b : Variable or array-like
    axes : int or pair of sequences of int
        How many of the last axes of `a` meet the first axes of `b`; or the axes of `a`, and those
        of `b` that they meet.

    Returns
    -------
    Variable
        Its axes are the remaining ones of `a`, then those of `b`.

    Raises
    ------
    ValueError
        If the numbers of axes differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> float(tv.function([x], tv.tensordot(x, x, 2))([[1.0, 2.0]]))
    5.0
    """
    a, b = as_variable(a), as_variable(b)
    if isinstance(axes, int):
        of_a, of_b = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        of_a = [axis % a.ndim for axis in axes[0]]
        of_b = [axis % b.ndim for axis in axes[1]]
    if len(of_a) != len(of_b):
        raise ValueError(
            f"[tensordot] {len(of_a)} axes of a cannot meet {len(of_b)} axes of b; "
            "give as many of each."
        )
    keep_a = [axis for axis in range(a.ndim) if axis not in of_a]
    keep_b = [axis for axis in range(b.ndim) if axis not in of_b]
    shape_a, shape_b = ops.shape(a), ops.shape(b)
    met = [shape_a[axis] for axis in of_a]
    length = ops.prod(ops.stack(*met, axis=0)) if met else as_variable(1)
    left = reshape(transpose(a, keep_a + of_a), (-1, length))
    right = reshape(transpose(b, of_b + keep_b), (length, -1))
    product = ops.matmul(left, right)
    kept = [shape_a[axis] for axis in keep_a] + [shape_b[axis] for axis in keep_b]
    return reshape(product, kept)


def trace(x: Any, offset: int = 0) -> Variable:
    """Return the sum of a diagonal of a matrix.

    Parameters
    ----------
    x : Variable or array-like
        With at least two axes; the first two are the rows and columns.
    offset : int
        Which diagonal: above the main one if positive, below it if negative.

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
    return ops.trace(x, offset=offset)


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


def __getattr__(name: str) -> NoReturn:
    """Say where the functions of NumPy's module of this name are."""
    if name.startswith("__"):
        raise AttributeError(f"thunkvm.linalg has no {name!r}")
    raise AttributeError(
        f"thunkvm.linalg has no {name!r}; {elsewhere.counterpart(name) or elsewhere.FUNCTIONS}"
    )
