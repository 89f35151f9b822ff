"""Factors of matrices, with NumPy's and SciPy's signatures."""

from __future__ import annotations

from typing import Any, Literal, overload

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.rows import part
from thunkvm._src.arrays.composed.stacks import (
    adjoint,
    by_columns,
    matrices,
    rows_taken,
)
from thunkvm._src.arrays.creation import eye, zeros_like
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.linalg import tril, triu
from thunkvm._src.arrays.public import public


def _complete_columns(columns: Variable) -> Variable:
    """Return orthonormal columns and others that make a unitary matrix of them.

    The others are any basis of what is left. They move with the space that they span: projected out
    of the columns, and brought back to length 1. Two terms of a series for (N^H N)^(-1/2) do that,
    and leave derivatives up to the third as they are.
    """
    k = length(columns, -1)
    others = ops.stop_gradient(part(ops.complete_qr(columns)[0], slice(k, None)))
    moved = others - ops.matmul(columns, ops.matmul(adjoint(columns), others))
    grams = ops.matmul(adjoint(moved), others)
    moved = 1.5 * moved - 0.5 * ops.matmul(moved, grams)
    return concatenate([columns, moved], axis=-1)


@public(numpy=("linalg.svd",))
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Return the singular value decomposition ``u @ diag(s) @ vh`` of each matrix.

    Parameters
    ----------
    a : Variable or array-like
        Matrices of shape (..., m, n).
    full_matrices : bool
        Whether `u` and `vh` are square; else they have the k = min(m, n) vectors of the values.
    compute_uv : bool
        Whether to return the vectors too. They are computed if they are asked for, in any case.
    hermitian : bool
        Whether the matrices are Hermitian, of which the lower triangle is read.

    Returns
    -------
    u : Variable
        Of shape (..., m, m), or (..., m, k).
    s : Variable
        Of shape (..., k), the largest first. All that is returned if `compute_uv` is False.
    vh : Variable
        Of shape (..., n, n), or (..., k, n).

    Raises
    ------
    LinAlgError
        If `a` has less than two axes; in a call, if it has NaN or infinity in it.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> u, s, vh = tv.svd(a)
    >>> tv.function([a], s)([[0.0, 2.0], [3.0, 0.0]])
    array([3., 2.])

    A gradient through the vectors must not depend on their signs or phases. Nor may it depend on
    which basis the vectors without a value are. LAPACK's gesdd: E. Anderson et al., LAPACK Users'
    Guide, 1999.
    """
    a = matrices("svd", a, square=hermitian)
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    if not compute_uv:
        return ops.svdvals(a)
    u, s, vh = ops.svd(a)
    m, n = a.type.shape[-2:]
    if full_matrices and (m is None or n is None or m > n):
        u = _complete_columns(u)
    if full_matrices and (m is None or n is None or m < n):
        vh = adjoint(_complete_columns(adjoint(vh)))
    return u, s, vh


def _hermitian_svd(a: Variable, compute_uv: bool) -> Any:
    if not compute_uv:
        return ops.sort(ops.abs(ops.eigvalsh(a)))[..., ::-1]
    w, v = ops.eigh(a)
    order = ops.argsort(ops.abs(w))[..., ::-1]
    w = ops.take_along(w, order)
    v = ops.take_along(v, ops.expand_dims(order, axis=(order.ndim - 1,)))
    sign = ops.where(w < 0, -1.0, 1.0)
    return v, ops.abs(w), adjoint(by_columns(v, sign))


@overload
def qr(a: Any, mode: Literal["r"]) -> Variable: ...
@overload
def qr(a: Any, mode: Literal["reduced", "complete"] = ...) -> tuple[Variable, Variable]: ...
@public(numpy=("linalg.qr",))
def qr(a: Any, mode: str = "reduced") -> Any:
    """Return factors ``q @ r`` of each matrix: orthonormal columns, and an upper triangle.

    Parameters
    ----------
    a : Variable or array-like
        Matrices of shape (..., m, n).
    mode : {"reduced", "complete", "r"}
        Whether `q` has k = min(m, n) columns, or is square, or only `r` is returned. NumPy's "raw",
        Householder's reflectors, is not there.

    Returns
    -------
    q : Variable
        Of shape (..., m, k), or (..., m, m).
    r : Variable
        Of shape (..., k, n), or (..., m, n). All that is returned in mode "r".

    Raises
    ------
    LinAlgError
        If `a` has less than two axes.
    ValueError
        If there is no such mode.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> q, r = tv.qr(a)
    >>> tv.function([a], tv.abs(r))([[3.0, 1.0], [4.0, 2.0]]).round(9)
    array([[5. , 2.2],
           [0. , 0.4]])

    The gradient needs the leading square part of `r` to be regular. Some columns of a complete `q`
    count for nothing in the product with `r`. The gradient of such a `q` is right for functions
    that do not depend on which basis these columns are. LAPACK's geqrf: E. Anderson et al., LAPACK
    Users' Guide, 1999.
    """
    a = matrices("qr", a)
    if mode == "raw":
        raise ValueError(
            "[qr] mode = 'raw', but Householder's reflectors are not there; take 'reduced', "
            "'complete' or 'r'."
        )
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(
            f"[qr] mode = {mode!r}, but it has to be one of 'reduced', 'complete' and 'r'."
        )
    q, r = ops.qr(a)
    if mode == "r":
        return r
    m, n = a.type.shape[-2:]
    if mode == "reduced" or (m is not None and n is not None and m <= n):
        return q, r
    below = zeros_like(a)[..., length(r, -2) :, :]
    return _complete_columns(q), concatenate([r, below], axis=-2)


@public()
def lu(a: Any, permute_l: bool = False, p_indices: bool = False) -> tuple[Variable, ...]:
    """Return factors ``p @ l @ u`` of each matrix, as ``scipy.linalg.lu``.

    Parameters
    ----------
    a : Variable or array-like
        Matrices of shape (..., m, n).
    permute_l : bool
        Whether to return ``p @ l`` and `u` alone.
    p_indices : bool
        Whether `p` is a vector of rows, ``a == l[p] @ u``, rather than a matrix.

    Returns
    -------
    p : Variable
        A permutation, of shape (..., m, m) or (..., m).
    l : Variable
        A lower triangle with a unit diagonal, of shape (..., m, k), where k = min(m, n).
    u : Variable
        An upper triangle, of shape (..., k, n).

    Raises
    ------
    LinAlgError
        If `a` has less than two axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> p, l, u = tv.lu(a)
    >>> tv.function([a], u)([[1.0, 2.0], [4.0, 4.0]])
    array([[4., 4.],
           [0., 1.]])

    LAPACK's getrf: E. Anderson et al., LAPACK Users' Guide, 1999.
    """
    a = matrices("lu", a)
    packed, exchanges, rows = ops.lu_factors(a)
    k = length(exchanges, -1)
    lower = part(tril(packed, -1), slice(k)) + eye(length(a, -2), k, dtype=packed.dtype)
    upper = triu(packed)[..., :k, :]
    # Row i of L U is row rows[i] of the matrix.
    back = ops.argsort(rows)
    if permute_l:
        return rows_taken(lower, back), upper
    if p_indices:
        return back, lower, upper
    unit = eye(length(a, -2), dtype=packed.dtype)
    return ops.take(unit, back, axis=0), lower, upper


@public(numpy=("linalg.eigvals",))
def eigvals(a: Any) -> Variable:
    """Return the eigenvalues of each square matrix, complex numbers in no order.

    Parameters
    ----------
    a : Variable or array-like
        Matrices of shape (..., n, n).

    Returns
    -------
    Variable
        Of shape (..., n). Its gradient is that of eigenvalues that differ.

    Raises
    ------
    LinAlgError
        If the matrices are not square; in a call, if there is NaN or infinity in them.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> tv.function([a], tv.eigvals(a))([[0.0, 1.0], [-1.0, 0.0]])
    array([0.+1.j, 0.-1.j])
    """
    eigenvalues: Variable = ops.eig(matrices("eigvals", a, square=True))[0]
    return eigenvalues


@public()
def logdet(a: Any) -> Variable:
    """Return the logarithm of the absolute value of each matrix's determinant; see `slogdet`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> float(tv.function([a], tv.logdet(a))([[2.0, 0.0], [0.0, 0.5]]))
    0.0
    """
    logarithms: Variable = ops.slogdet(matrices("logdet", a, square=True))[1]
    return logarithms


__all__ = ["eigvals", "logdet", "lu", "qr", "svd"]
