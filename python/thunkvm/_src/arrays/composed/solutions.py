"""Solutions of linear systems through factors that are kept, with SciPy's signatures."""

from __future__ import annotations

from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.rows import length
from thunkvm._src.arrays.composed.stacks import as_columns, matrices, rows_taken
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable


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
    rows = _exchanged(as_variable(exchanges))
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


def _exchanged(exchanges: Variable) -> Variable:
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


__all__ = ["cho_factor", "cho_solve", "lu_factor", "lu_solve"]
