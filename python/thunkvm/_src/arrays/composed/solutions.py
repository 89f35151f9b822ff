"""Solutions of linear systems through factors that are kept, with SciPy's signatures."""

from __future__ import annotations

from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.stacks import (
    as_columns,
    diagonal_matrices,
    matrices,
    mirrored,
    rows_taken,
)
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import diagonal, swapaxes
from thunkvm._src.graph.values import as_variable

#: What a matrix is known to be, by SciPy's names for it.
KINDS = {
    "gen": "gen",
    "general": "gen",
    "sym": "sym",
    "symmetric": "sym",
    "her": "her",
    "hermitian": "her",
    "pos": "pos",
    "positive definite": "pos",
    "diagonal": "diagonal",
    "lower triangular": "lower triangular",
    "upper triangular": "upper triangular",
}


@public()
def solve(
    a: Any, b: Any, *, assume_a: str = "gen", lower: bool = False, transposed: bool = False
) -> Variable:
    """Return the x for which ``a @ x == b``, as ``numpy.linalg.solve`` and ``scipy.linalg.solve``.

    Parameters
    ----------
    a : Variable or array-like
        Square matrices, of shape (..., n, n).
    b : Variable or array-like
        A vector, or matrices whose columns are right-hand sides.
    assume_a : str
        What the matrices are: "gen" for any; "sym" or "her", symmetric or Hermitian; "pos",
        Hermitian and positive definite, which a Cholesky factor solves; "diagonal", "lower
        triangular" or "upper triangular". Only the part that says it all is read.
    lower : bool
        Whether of symmetric and Hermitian matrices the lower triangle is read, or the upper one.
    transposed : bool
        Whether to solve with the transpose.

    Returns
    -------
    Variable
        In the shape of `b`; the axes before the last two broadcast.

    Raises
    ------
    ValueError
        If there is no such `assume_a`.
    LinAlgError
        If the matrices are not square; in a call, if one is singular, or not positive definite
        where that is assumed.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.matrix("a"), tv.vector("b")
    >>> tv.function([a, b], tv.solve(a, b))([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    >>> x = tv.solve(a, b, assume_a="pos", lower=True)
    >>> tv.function([a, b], x)([[4.0, 0.0], [2.0, 5.0]], [8.0, 12.0])
    array([1., 2.])

    LAPACK's getrf, potrf and trtrs: E. Anderson et al., LAPACK Users' Guide, 1999.
    """
    kind = KINDS.get(assume_a)
    if kind is None:
        raise ValueError(
            f"[solve] assume_a = {assume_a!r}, but it has to be one of {', '.join(KINDS)}."
        )
    if kind == "gen" and not transposed:
        return ops.solve(a, b)
    a = matrices("solve", a, square=True)
    if transposed and kind in ("her", "pos"):
        a = ops.conj(a)  # which the transpose of a Hermitian matrix is
    if kind in ("sym", "her"):
        a = mirrored(a, lower=lower, conjugates=kind == "her")
    if kind in ("gen", "sym", "her"):
        return ops.solve(swapaxes(a, -1, -2) if transposed and kind == "gen" else a, b)
    if kind == "pos":
        return cho_solve(cho_factor(a, lower), b)
    if kind == "diagonal":
        # Either triangle is one; the other elements are not read, so they have no gradient.
        a = diagonal_matrices(diagonal(a, axis1=-2, axis2=-1))
    is_lower = kind != "upper triangular"
    return ops.solve_triangular(a, b, lower=is_lower, transposed=bool(transposed))


#: SciPy's and LAPACK's names for solving with a matrix, its transpose and its adjoint.
TRANSPOSED = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}


@public()
def solve_triangular(
    a: Any,
    b: Any,
    *,
    lower: bool = True,
    transposed: bool = False,
    unit_diagonal: bool = False,
    trans: int | str = 0,
) -> Variable:
    """Return the x for which ``a @ x == b``, where `a` is triangular; the other half is not read.

    Parameters
    ----------
    a : Variable or array-like
        Square matrices, of shape (..., n, n).
    b : Variable or array-like
        A vector, or matrices whose columns are right-hand sides.
    lower : bool
        Whether the lower triangle is read, or the upper one. SciPy reads the upper one unless it is
        told otherwise.
    transposed : bool
        Whether to solve with the transpose of `a`.
    unit_diagonal : bool
        Whether to take the diagonal as ones, unread.
    trans : {0, 1, 2, "N", "T", "C"}
        As SciPy says what to solve with: `a`, its transpose, or its adjoint.

    Returns
    -------
    Variable
        In the shape of `b`; the axes before the last two broadcast.

    Raises
    ------
    ValueError
        If there is no such `trans`, or `transposed` is given too.
    LinAlgError
        If the matrices are not square; in a call, if there is a 0 on a diagonal.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.matrix("a"), tv.vector("b")
    >>> f = tv.function([a, b], tv.solve_triangular(a, b))
    >>> f([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0])
    array([1., 2.])

    LAPACK's trtrs: E. Anderson et al., LAPACK Users' Guide, 1999.
    """
    if trans not in TRANSPOSED:
        raise ValueError(
            f"[solve_triangular] trans = {trans!r}, but it has to be one of 0, 1, 2, 'N', 'T' "
            "and 'C'."
        )
    turned = TRANSPOSED[trans]
    if transposed and turned != "N":
        raise ValueError(
            f"[solve_triangular] trans = {trans!r}, and transposed = True; give one of them."
        )
    return ops.solve_triangular(
        ops.conj(a) if turned == "C" else a,
        b,
        lower=bool(lower),
        transposed=bool(transposed) or turned != "N",
        unit_diagonal=bool(unit_diagonal),
    )


@public()
def lu_factor(a: Any) -> tuple[Variable, Variable]:
    """Return the packed factors of each square matrix, for `lu_solve`.

    Parameters
    ----------
    a : Variable or array-like
        Matrices of shape (..., n, n).

    Returns
    -------
    lu : Variable
        Of shape (..., n, n): U on and above the diagonal, L below it.
    piv : Variable
        Of shape (..., n): the row that row i was exchanged with, in order.

    Raises
    ------
    LinAlgError
        If the matrices are not square.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> lu, piv = tv.lu_factor(a)
    >>> tv.function([a], [lu, piv])([[1.0, 2.0], [4.0, 4.0]])
    [array([[4.  , 4.  ],
           [0.25, 1.  ]]), array([1, 1])]
    """
    packed, exchanges, _ = ops.lu_factors(matrices("lu_factor", a, square=True))
    return packed, exchanges


@public()
def lu_solve(lu_and_piv: tuple[Any, Any], b: Any, trans: int = 0) -> Variable:
    """Return the x for which ``a @ x == b``, of the factors of `a` that `lu_factor` returns.

    Parameters
    ----------
    lu_and_piv : pair of Variable
        What ``lu_factor(a)`` returns.
    b : Variable or array-like
        A vector, or matrices whose columns are right-hand sides.
    trans : {0, 1, 2}
        Whether to solve with `a`, with its transpose, or with its adjoint.

    Returns
    -------
    Variable
        In the shape of `b`.

    Raises
    ------
    ValueError
        If there is no such `trans`.
    LinAlgError
        In a call, if the matrix is singular.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.matrix("a"), tv.vector("b")
    >>> x = tv.lu_solve(tv.lu_factor(a), b)
    >>> tv.function([a, b], x)([[1.0, 2.0], [4.0, 4.0]], [5.0, 12.0])
    array([1., 2.])
    """
    if trans not in (0, 1, 2):
        raise ValueError(f"[lu_solve] trans = {trans!r}, but it has to be 0, 1 or 2.")
    packed, exchanges = lu_and_piv
    packed = matrices("lu_solve", packed, "lu", square=True)
    rows = _exchange_rows(as_variable(exchanges))
    sides, is_vector = as_columns(as_variable(b))
    if trans == 0:
        x = rows_taken(sides, rows)
        x = ops.solve_triangular(packed, x, lower=True, unit_diagonal=True)
        x = ops.solve_triangular(packed, x, lower=False)
    else:
        factors = ops.conj(packed) if trans == 2 else packed
        x = ops.solve_triangular(factors, sides, lower=False, transposed=True)
        x = ops.solve_triangular(factors, x, lower=True, unit_diagonal=True, transposed=True)
        x = rows_taken(x, ops.argsort(rows))
    return ops.squeeze(x, axis=-1) if is_vector else x


def _exchange_rows(exchanges: Variable) -> Variable:
    """Return the rows in their order after all exchanges."""
    from thunkvm._src.control.loops import fori_loop  # above this room

    def exchange(i: Variable, rows: Variable) -> Variable:
        own = ops.take(rows, ops.expand_dims(i, axis=(0,)), axis=rows.ndim - 1)
        others = ops.take(exchanges, ops.expand_dims(i, axis=(0,)), axis=exchanges.ndim - 1)
        theirs = ops.take_along(rows, others)
        # The other's place first: where a row stays, both write the same.
        rows = ops.put_along(rows, others, own)
        return ops.put_along(rows, own * 0 + i, theirs)

    n = length(exchanges, -1)
    rows = exchanges * 0 + ops.arange(0, n, 1)
    out: Variable = fori_loop(0, n, exchange, rows)
    return out


@public()
def cho_factor(a: Any, lower: bool = False) -> tuple[Variable, bool]:
    """Return the Cholesky factor of each positive definite matrix, for `cho_solve`.

    Parameters
    ----------
    a : Variable or array-like
        Matrices of shape (..., n, n), of which one triangle is read.
    lower : bool
        Whether the lower triangle is read and L returned, or the upper one and L^H.

    Returns
    -------
    c : Variable
        The factors; their other triangle is 0.
    lower : bool
        As given.

    Raises
    ------
    LinAlgError
        In a call, if a matrix is not positive definite.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> c, lower = tv.cho_factor(a)
    >>> tv.function([a], c)([[4.0, 2.0], [2.0, 5.0]])
    array([[2., 1.],
           [0., 2.]])
    """
    return ops.cholesky(matrices("cho_factor", a, square=True), lower=bool(lower)), bool(lower)


@public()
def cho_solve(c_and_lower: tuple[Any, bool], b: Any) -> Variable:
    """Return the x for which ``a @ x == b``, of the factor of `a` that `cho_factor` returns.

    Parameters
    ----------
    c_and_lower : pair of Variable and bool
        What ``cho_factor(a)`` returns.
    b : Variable or array-like
        A vector, or matrices whose columns are right-hand sides.

    Returns
    -------
    Variable
        In the shape of `b`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.matrix("a"), tv.vector("b")
    >>> x = tv.cho_solve(tv.cho_factor(a), b)
    >>> tv.function([a, b], x)([[4.0, 2.0], [2.0, 5.0]], [8.0, 12.0])
    array([1., 2.])
    """
    factor, lower = c_and_lower
    factor = matrices("cho_solve", factor, "c", square=True)
    back = ops.conj(factor)
    if lower:
        x = ops.solve_triangular(factor, b, lower=True)
        return ops.solve_triangular(back, x, lower=True, transposed=True)
    x = ops.solve_triangular(back, b, lower=False, transposed=True)
    return ops.solve_triangular(factor, x, lower=False)


__all__ = ["cho_factor", "cho_solve", "lu_factor", "lu_solve", "solve", "solve_triangular"]
