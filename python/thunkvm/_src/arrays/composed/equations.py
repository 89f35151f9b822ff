"""Matrix equations: Sylvester's, Lyapunov's, and the discrete algebraic Riccati equation."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.products import kron
from thunkvm._src.arrays.composed.stacks import adjoint, matrices, real_dtype, unit_like
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel, reshape, transpose


def _one_matrix(what: str, name: str, given: Any, *, square: bool = True) -> Variable:
    a = matrices(what, given, name, square=square)
    if a.ndim != 2:
        raise np.linalg.LinAlgError(f"[{what}] {name} has to be one matrix, but it is {a}.")
    return a


def _solve_rows(operator: Variable, q: Variable) -> Variable:
    """Solve a linear equation in a matrix that is read row by row."""
    return reshape(ops.solve(operator, ravel(q)), (length(q, 0), length(q, 1)))


@public()
def solve_sylvester(a: Any, b: Any, q: Any) -> Variable:
    """Return the x for which ``a @ x + x @ b == q``, as ``scipy.linalg.solve_sylvester``.

    Parameters
    ----------
    a : Variable or array-like
        Of shape (m, m).
    b : Variable or array-like
        Of shape (n, n).
    q : Variable or array-like
        Of shape (m, n).

    Returns
    -------
    Variable
        Of shape (m, n). It is found as the m n unknowns of one system, in O((m n)^3) operations
        and O((m n)^2) memory.

    Raises
    ------
    LinAlgError
        If they are no matrices; in a call, if an eigenvalue of `a` is the negative of one of `b`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> tv.function([a], tv.solve_sylvester(a, a, a))([[2.0, 0.0], [0.0, 2.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])

    R. A. Horn and C. R. Johnson, Topics in Matrix Analysis, 1991, section 4.4.
    """
    a, b = _one_matrix("solve_sylvester", "a", a), _one_matrix("solve_sylvester", "b", b)
    q = _one_matrix("solve_sylvester", "q", q, square=False)
    return _solve_rows(kron(a, unit_like(b)) + kron(unit_like(a), transpose(b)), q)


@public()
def solve_continuous_lyapunov(a: Any, q: Any) -> Variable:
    """Return the x for which ``a @ x + x @ a^H == q``, as SciPy's; see `solve_sylvester`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> tv.function([a], tv.solve_continuous_lyapunov(a, a))([[2.0, 0.0], [0.0, 2.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    a, q = (
        _one_matrix("solve_continuous_lyapunov", "a", a),
        _one_matrix("solve_continuous_lyapunov", "q", q),
    )
    unit = unit_like(a)
    return _solve_rows(kron(a, unit) + kron(unit, ops.conj(a)), q)


@public()
def solve_discrete_lyapunov(a: Any, q: Any) -> Variable:
    """Return the x for which ``a @ x @ a^H - x + q == 0``, as SciPy's direct method.

    Parameters
    ----------
    a, q : Variable or array-like
        Of shape (n, n).

    Returns
    -------
    Variable
        Of shape (n, n). It is found as the n^2 unknowns of one system, in O(n^6) operations and
        O(n^4) memory.

    Raises
    ------
    LinAlgError
        If they are no square matrices; in a call, if the product of two eigenvalues of `a` is 1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> x = tv.solve_discrete_lyapunov(a, tv.eye(1))
    >>> tv.function([a], x)([[0.5]]).round(9)
    array([[1.33333333]])

    G. Kitagawa, An algorithm for solving the matrix equation X = F X F' + S, International Journal
    of Control 25, 1977.
    """
    a, q = (
        _one_matrix("solve_discrete_lyapunov", "a", a),
        _one_matrix("solve_discrete_lyapunov", "q", q),
    )
    product = kron(a, ops.conj(a))
    return _solve_rows(unit_like(product) - product, q)


#: Each step squares what is left of the distance: more steps than this find no solution.
MOST_DOUBLINGS = 64


@public()
def solve_discrete_are(a: Any, b: Any, q: Any, r: Any) -> Variable:
    """Return the stabilizing solution of the discrete algebraic Riccati equation.

    It is the Hermitian x for which ``x == a^H x a - (a^H x b) (r + b^H x b)^-1 (b^H x a) + q``, as
    ``scipy.linalg.solve_discrete_are``.

    Parameters
    ----------
    a : Variable or array-like
        Of shape (n, n).
    b : Variable or array-like
        Of shape (n, k).
    q : Variable or array-like
        Of shape (n, n), Hermitian.
    r : Variable or array-like
        Of shape (k, k), Hermitian and regular.

    Returns
    -------
    Variable
        Of shape (n, n); NaN where no stabilizing solution is found. The gradient is that of the
        steps that were made.

    Raises
    ------
    LinAlgError
        If they are no matrices; in a call, if `r` is singular.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> x = tv.solve_discrete_are(a, tv.eye(1), tv.eye(1), tv.eye(1))
    >>> tv.function([a], x)([[1.0]]).round(9)
    array([[1.61803399]])

    By doubling, which converges quadratically: E. K.-W. Chu, H.-Y. Fan, W.-W. Lin and C.-S. Wang,
    Structure-preserving algorithms for periodic discrete-time algebraic Riccati equations,
    International Journal of Control 77, 2004.
    """
    from thunkvm._src.control.loops import while_loop  # above this room

    what = "solve_discrete_are"
    a, q, r = _one_matrix(what, "a", a), _one_matrix(what, "q", q), _one_matrix(what, "r", r)
    b = _one_matrix(what, "b", b, square=False)
    dtype = np.result_type(a.dtype, b.dtype, q.dtype, r.dtype).name
    a, b, q, r = (astype(each, dtype) for each in (a, b, q, r))
    unit, tiny = unit_like(a), float(np.finfo(real_dtype(a)).eps) ** 2

    def is_far(state: tuple[Variable, Variable, Variable]) -> Variable:
        # What is left of the distance is of the order of the square of this.
        return ops.max(ops.abs(state[0]), axis=None, or_identity=True) > tiny

    def double(
        state: tuple[Variable, Variable, Variable],
    ) -> tuple[Variable, Variable, Variable]:
        a, g, h = state
        both = unit + ops.matmul(g, h)
        ahead, across = ops.solve(both, a), ops.solve(both, g)
        g = g + ops.matmul(ops.matmul(a, across), adjoint(a))
        h = h + ops.matmul(ops.matmul(adjoint(a), h), ahead)
        return ops.matmul(a, ahead), _hermitian(g), _hermitian(h)

    first = (a, ops.matmul(b, ops.solve(r, adjoint(b))), q)
    rest, _, x = while_loop(is_far, double, first, max_steps=MOST_DOUBLINGS)
    found = ops.max(ops.abs(ops.stop_gradient(rest)), axis=None, or_identity=True) <= tiny
    return ops.where(found, x, np.array(np.nan, dtype))


def _hermitian(x: Variable) -> Variable:
    return (x + adjoint(x)) * 0.5


__all__ = [
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_sylvester",
]
