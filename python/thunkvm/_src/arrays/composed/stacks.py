"""Stacks of matrices in the last two axes: checks, adjoints, and parts that all functions share."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.creation import eye
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.linalg import tril, triu
from thunkvm._src.arrays.shapes import swapaxes
from thunkvm._src.graph.values import as_variable


def matrices(what: str, a: Any, name: str = "a", *, square: bool = False) -> Variable:
    """Return an array with at least two axes, of floats or complex numbers.

    Parameters
    ----------
    what, name : str
        The function and the parameter, for errors.
    a : Variable or array-like
    square : bool
        Whether the last two lengths have to be equal, where both are known.

    Raises
    ------
    LinAlgError
        If it has too few axes, or is not square.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import matrices
    >>> matrices("expm", tv.lmatrix("a")).dtype
    'float64'
    """
    a = as_variable(a)
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"[{what}] {a.ndim}-dimensional array given. Array must be at least two-dimensional: "
            f"{name} is {a}."
        )
    rows, columns = a.type.shape[-2:]
    if square and None not in (rows, columns) and rows != columns:
        raise np.linalg.LinAlgError(
            f"[{what}] Last 2 dimensions of the array must be square, but {name} is {a} of shape "
            f"({rows}, {columns})."
        )
    return a if np.dtype(a.dtype).kind in "fc" else astype(a, "float64")


def adjoint(x: Variable) -> Variable:
    """Return the conjugated transpose of each matrix.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import adjoint
    >>> adjoint(tv.zeros((2, 3))).type.shape
    (3, 2)
    """
    return swapaxes(ops.conj(x) if np.dtype(x.dtype).kind == "c" else x, -1, -2)


def real_dtype(x: Variable) -> str:
    """Return the dtype of the parts of an array's numbers.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import real_dtype
    >>> real_dtype(tv.zmatrix("a"))
    'float64'
    """
    return np.finfo(x.dtype).dtype.name


def unit_like(x: Variable) -> Variable:
    """Return the unit matrix of as many rows as the matrices of `x` have columns.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import unit_like
    >>> unit_like(tv.zeros((2, 3))).type.shape
    (3, 3)
    """
    n = length(x, -1)
    return eye(n, n, dtype=x.dtype)


def by_columns(x: Variable, row: Variable) -> Variable:
    """Return matrices with each column times a number of its own.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import by_columns
    >>> tv.function([], by_columns(tv.ones((2, 2)), tv.constant([1.0, 3.0])))()
    array([[1., 3.],
           [1., 3.]])
    """
    return x * ops.expand_dims(astype(row, x.dtype), axis=(row.ndim - 1,))


def diagonal_matrices(rows: Variable) -> Variable:
    """Return a matrix for each row, which is its diagonal.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import diagonal_matrices
    >>> tv.function([], diagonal_matrices(tv.constant([1.0, 2.0])))()
    array([[1., 0.],
           [0., 2.]])
    """
    n = length(rows, -1)
    unit = eye(n, n, dtype=rows.dtype)
    return ops.expand_dims(rows, axis=(rows.ndim,)) * unit


def mirrored(a: Variable, *, lower: bool = True, conjugates: bool = True) -> Variable:
    """Return Hermitian matrices, or symmetric ones, of which one triangle is given.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import mirrored
    >>> tv.function([], mirrored(tv.constant([[1.0, 7.0], [2.0, 3.0]])))()
    array([[1., 2.],
           [2., 3.]])
    """
    half, inner = (tril(a), tril(a, -1)) if lower else (triu(a), triu(a, 1))
    return half + (adjoint(inner) if conjugates else swapaxes(inner, -1, -2))


def as_columns(b: Variable) -> tuple[Variable, bool]:
    """Return right-hand sides as columns of matrices, and whether it was one vector.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import as_columns
    >>> as_columns(tv.zeros(3))[0].type.shape
    (3, 1)
    """
    return (ops.expand_dims(b, axis=(1,)), True) if b.ndim == 1 else (b, False)


def rows_taken(x: Variable, rows: Variable) -> Variable:
    """Return the rows of each matrix at positions of its own.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.stacks import rows_taken
    >>> tv.function([], rows_taken(tv.eye(2), tv.constant([1, 0])))()
    array([[0., 1.],
           [1., 0.]])
    """
    if rows.ndim == 1:
        return ops.take(x, rows, axis=x.ndim - 2)
    taken = ops.take_along(swapaxes(x, -1, -2), ops.expand_dims(rows, axis=(rows.ndim - 1,)))
    return swapaxes(taken, -1, -2)


__all__ = [
    "adjoint",
    "as_columns",
    "by_columns",
    "diagonal_matrices",
    "matrices",
    "mirrored",
    "real_dtype",
    "rows_taken",
    "unit_like",
]
