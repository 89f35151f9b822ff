"""Matrices of any rank: pseudo-inverses, ranks, least squares, bases of what a matrix reaches."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.factorizations import svd
from thunkvm._src.arrays.composed.stacks import (
    adjoint,
    as_columns,
    by_columns,
    diagonal_matrices,
    matrices,
    mirrored,
    real_dtype,
)
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable


def _precision(a: Variable) -> Variable:
    """Return the larger side of the matrices times the distance of 1 to the next number."""
    longer = ops.maximum(as_variable(length(a, -2)), as_variable(length(a, -1)))
    return astype(longer, real_dtype(a)) * float(np.finfo(a.dtype).eps)


def _cutoff(a: Variable, tolerance: Any) -> Variable:
    """Return a share of the largest singular value, as a column beside the values."""
    share = _precision(a) if tolerance is None else as_variable(tolerance)
    return ops.expand_dims(share, axis=(share.ndim,))


def _large_values(s: Variable, share: Variable) -> Variable:
    """Return which singular values are larger than a share of the largest one."""
    largest = ops.max(s, axis=-1, keepdims=True, or_identity=True)
    return s > share * ops.maximum(largest, 0.0)


class _Inverse:
    """The pseudo-inverse of matrices as a product of three factors, for derivatives of any order.

    A matrix of rank r is C M^-1 B. Here C = A V, B = U^H A and M = U^H A V. The vectors U and V of
    its singular values are constants; its pseudo-inverse is then that of B, times M, times that of
    C, and C and B have full rank. Scaled by the values, they are orthonormal where the constants
    were taken, so nothing is lost: G. H. Golub and V. Pereyra, The differentiation of
    pseudo-inverses, 1973, in other words. Equal singular values divide nothing by 0.
    """

    def __init__(self, a: Variable, share: Variable) -> None:
        parts = ops.svd(a)
        #: The singular values, which have a gradient.
        self.s = parts[1]
        u, s, vh = (ops.stop_gradient(each) for each in parts)
        self.counts = _large_values(s, share)
        inverse = ops.where(self.counts, 1.0 / ops.where(self.counts, s, 1.0), 0.0)
        inverse = astype(inverse, real_dtype(a))
        #: The directions that do not count: a unit in their place keeps the factors regular.
        rest = diagonal_matrices(astype(ops.logical_not(self.counts), a.dtype))
        to_right = by_columns(adjoint(vh), inverse)  # V / s
        to_left = adjoint(by_columns(u, inverse))  # (U / s)^H
        self.columns = ops.matmul(a, to_right)
        self.rows = ops.matmul(to_left, a)
        self.core = ops.matmul(to_left, self.columns)
        self.of_columns = ops.matmul(adjoint(self.columns), self.columns) + rest
        self.of_rows = ops.matmul(self.rows, adjoint(self.rows)) + rest

    def times(self, b: Variable) -> Variable:
        """Return the pseudo-inverse times columns."""
        onto = ops.solve(self.of_columns, ops.matmul(adjoint(self.columns), b))
        back = ops.solve(self.of_rows, ops.matmul(self.core, onto))
        return ops.matmul(adjoint(self.rows), back)

    def matrix(self) -> Variable:
        """Return the pseudo-inverse."""
        onto = ops.solve(self.of_columns, adjoint(self.columns))
        back = ops.solve(self.of_rows, ops.matmul(self.core, onto))
        return ops.matmul(adjoint(self.rows), back)


@public(numpy=("linalg.pinv",))
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Variable:
    """Return the pseudo-inverse of each matrix, as ``numpy.linalg.pinv``.

    Parameters
    ----------
    a : Variable or array-like
        Matrices of shape (..., m, n).
    rcond : number or array-like, optional
        Singular values up to this share of the largest one count as 0; one number, or one for each
        matrix. 1e-15 if left out.
    hermitian : bool
        Whether the matrices are Hermitian, of which the lower triangle is read.
    rtol : number or array-like, optional
        The same as `rcond`, which has to be left out then.

    Returns
    -------
    Variable
        Of shape (..., n, m). Its derivatives are those of matrices of the same rank.

    Raises
    ------
    ValueError
        If both `rcond` and `rtol` are given.
    LinAlgError
        If `a` has less than two axes; in a call, if there is NaN or infinity in it.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> tv.function([a], tv.pinv(a))([[2.0, 0.0], [0.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0. ]])

    Its derivatives: G. H. Golub and V. Pereyra, The differentiation of pseudo-inverses and
    nonlinear least squares problems whose variables separate, SIAM J. Numer. Anal. 10, 1973.
    """
    if rcond is not None and rtol is not None:
        raise ValueError("[pinv] both rcond and rtol are given; give one of them.")
    a = matrices("pinv", a, square=hermitian)
    given = rtol if rcond is None else rcond
    share = _cutoff(a, 1e-15 if given is None else given)
    return _Inverse(mirrored(a) if hermitian else a, share).matrix()


@public(numpy=("linalg.matrix_rank",))
def matrix_rank(a: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Variable:
    """Return the number of singular values of each matrix that are not 0, or small.

    Parameters
    ----------
    a : Variable or array-like
        Matrices, or a vector, whose rank is 1 if it is not 0.
    tol : number or array-like, optional
        The largest value that counts as 0.
    hermitian : bool
        Whether the matrices are Hermitian, of which the lower triangle is read.
    rtol : number or array-like, optional
        The same as a share of the largest value. The longer side times the precision of the dtype
        if both are left out.

    Returns
    -------
    Variable
        Of int64.

    Raises
    ------
    ValueError
        If both `tol` and `rtol` are given.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> int(tv.function([a], tv.matrix_rank(a))([[1.0, 2.0], [2.0, 4.0]]))
    1
    """
    if tol is not None and rtol is not None:
        raise ValueError("[matrix_rank] both tol and rtol are given; give one of them.")
    if as_variable(a).ndim < 2:
        return astype(ops.any(ops.neq(as_variable(a), 0), axis=None), "int64")
    a = matrices("matrix_rank", a, square=hermitian)
    s = svd(a, compute_uv=False, hermitian=hermitian)
    if tol is None:
        counts = _large_values(s, _cutoff(a, rtol))
    else:
        tol = as_variable(tol)
        counts = s > ops.expand_dims(tol, axis=(tol.ndim,))
    return ops.sum(counts, axis=-1)


@public(numpy=("linalg.lstsq",))
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Variable, Variable, Variable, Variable]:
    """Return the x for which ``a @ x`` is nearest to `b`, as ``numpy.linalg.lstsq``.

    Parameters
    ----------
    a : Variable or array-like
        A matrix of shape (m, n).
    b : Variable or array-like
        A vector of m numbers, or a matrix whose columns are right-hand sides.
    rcond : number, optional
        Singular values up to this share of the largest one count as 0; the longer side times the
        precision of the dtype if left out.

    Returns
    -------
    x : Variable
        Of the solutions the shortest, in the shape of `b` with n for m.
    residuals : Variable
        The squared distance for each column; of length 0 unless m > n and the rank is n.
    rank : Variable
        How many singular values count.
    s : Variable
        The singular values, the largest first.

    Raises
    ------
    LinAlgError
        If `a` is no matrix, or `b` neither a vector nor one; in a call, if there is NaN or infinity
        in `a`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.matrix("a"), tv.vector("b")
    >>> x, residuals, rank, s = tv.lstsq(a, b)
    >>> tv.function([a, b], x)([[1.0], [1.0], [1.0]], [1.0, 2.0, 6.0]).round(9)
    array([3.])

    Its derivatives are those of matrices of the same rank; see `pinv`.
    """
    a, b = matrices("lstsq", a), as_variable(b)
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise np.linalg.LinAlgError(
            f"[lstsq] a has to be a matrix, and b a vector or a matrix, but they are {a} and {b}."
        )
    dtype = np.result_type(a.dtype, b.dtype).name
    a, b = astype(a, dtype), astype(b, dtype)
    sides, is_vector = as_columns(b)
    inverse = _Inverse(a, _cutoff(a, rcond))
    x = inverse.times(sides)
    rank = ops.sum(inverse.counts, axis=-1)
    distances = ops.sum(ops.square(ops.abs(sides - ops.matmul(a, x))), axis=0)
    m, n = (as_variable(length(a, axis)) for axis in (0, 1))
    overdetermined = ops.logical_and(ops.eq(rank, n), m > n)
    residuals = distances[: ops.where(overdetermined, ops.size(distances), 0)]
    return ops.squeeze(x, axis=-1) if is_vector else x, residuals, rank, inverse.s


@public()
def orth(a: Any, rcond: Any = None) -> Variable:
    """Return orthonormal columns that span what a matrix reaches, as ``scipy.linalg.orth``.

    Parameters
    ----------
    a : Variable or array-like
        A matrix of shape (m, n).
    rcond : number, optional
        Singular values up to this share of the largest one count as 0; the longer side times the
        precision of the dtype if left out.

    Returns
    -------
    Variable
        As many columns as the rank is, in the call.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> tv.function([a], tv.abs(tv.orth(a)))([[2.0, 0.0], [0.0, 0.0]])
    array([[1.],
           [0.]])
    """
    a = _one_matrix("orth", a)
    u, s, _ = ops.svd(a)
    rank = ops.sum(_large_values(s, _cutoff(a, rcond)), axis=-1)
    columns: Variable = u[:, :rank]
    return columns


@public()
def null_space(a: Any, rcond: Any = None) -> Variable:
    """Return orthonormal columns that a matrix takes to 0, as ``scipy.linalg.null_space``.

    Parameters
    ----------
    a : Variable or array-like
        A matrix of shape (m, n).
    rcond : number, optional
        As of `orth`.

    Returns
    -------
    Variable
        As many columns as n is more than the rank, in the call.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> tv.function([a], tv.abs(tv.null_space(a)))([[2.0, 0.0], [0.0, 0.0]])
    array([[0.],
           [1.]])
    """
    a = _one_matrix("null_space", a)
    _, s, vh = svd(a)
    rank = ops.sum(_large_values(s, _cutoff(a, rcond)), axis=-1)
    rows: Variable = vh[rank:]
    return adjoint(rows)


def _one_matrix(what: str, a: Any) -> Variable:
    one = matrices(what, a)
    if one.ndim != 2:
        raise np.linalg.LinAlgError(f"[{what}] a has to be one matrix, but it is {one}.")
    return one


__all__ = ["lstsq", "matrix_rank", "null_space", "orth", "pinv"]
