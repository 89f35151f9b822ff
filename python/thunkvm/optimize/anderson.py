"""Anderson's mixing: fixed points from the last few steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.implicit import implicit, run_method
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.required_shapes import with_shape
from thunkvm.optimize.status import CONVERGED, RUNNING


class State(NamedTuple):
    """Where `anderson_mixing` is; `steps` and `changes` of x and fun, the oldest in front.

    Both have shape ``(memory, n)``; `kept` says how many rows are of steps.
    """

    x: Any
    fun: Any
    steps: Any
    changes: Any
    kept: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class anderson_mixing(Method):
    """Anderson's mixing: a root of ``fun(x)`` from the last few steps, without a derivative.

    A step goes along fun, corrected by a combination of the last steps. Their changes of fun come
    nearest to it, by least squares: ``x + fun`` should be a contraction, or nearly.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most.
    fatol : float
        It ends where no element of fun is larger.
    mixing : float
        How much of fun a step goes along.
    memory : int
        How many steps are remembered; another number compiles anew.

    Notes
    -----
    The least squares run only where steps are remembered. Where fun has grown more than tenfold,
    the steps are forgotten.

    References
    ----------
    D. Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12, 1965; H. Walker
    and P. Ni, SIAM J. Numer. Anal. 49, 2011.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.root(lambda x: tv.cos(x) - x, [0.0, 1.0], method="anderson")
    >>> result.success, result.x.round(6)
    (True, array([0.739085, 0.739085]))
    """

    fatol: Number = number(1e-10)
    mixing: Number = number(1.0)
    memory: int = 5

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        rows = tv.zeros((self.memory, x0.shape[0]), dtype=x0.dtype)
        zero = np.int64(0)
        return State(x0, problem.residuals(x0), rows, rows, zero, zero, np.int64(RUNNING))

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one step."""
        plain = self.mixing * state.fun

        def corrected_point() -> tv.Variable:
            # Rows that are of no step are 0, and so is their share: that of least norm.
            shares = tv.lstsq(state.changes.T, state.fun)[0]
            return plain - shares @ (state.steps + self.mixing * state.changes)

        step = tv.attempt(
            tv.ifelse(state.kept > 0, corrected_point(), plain), plain, on=np.linalg.LinAlgError
        )
        x = state.x + step
        fun = problem.residuals(x)
        worse = tv.max(tv.abs(fun)) > 10.0 * tv.max(tv.abs(state.fun))
        rows = tv.zeros_like(state.steps)
        steps, changes, kept = tv.ifelse(
            worse,
            (rows, rows, np.int64(0)),
            (
                tv.concatenate([state.steps[1:], step[None]]),
                tv.concatenate([state.changes[1:], (fun - state.fun)[None]]),
                state.kept + np.int64(1),
            ),
        )
        return State(x, fun, steps, changes, kept, state.nit + np.int64(1), np.int64(RUNNING))

    def converged(self, state: State) -> tv.Variable:
        """Return whether fun is small."""
        return tv.max(tv.abs(state.fun)) <= self.fatol


def anderson(
    f: Callable[[Any], Any],
    x0: Any,
    tolerance: Any = 1e-10,
    maxiter: Any = 1000,
    memory: int = 5,
    mixing: Any = 1.0,
) -> tv.Variable:
    """Return a fixed point, ``f(x) = x``, by Anderson's mixing, as a Variable.

    Parameters
    ----------
    f : callable
        From a vector to one of its shape. It may read other Variables: the fixed point has the
        gradient by them that the equation gives it (`implicit`), of any order.
    x0 : Variable or array, shape (n,)
        Where to begin.
    tolerance : Variable or number
        It ends where no element of ``f(x) - x`` is larger.
    maxiter : Variable or int
        How many steps there are at most.
    memory : int
        How many steps are remembered.
    mixing : Variable or number
        How much of ``f(x) - x`` a step goes along.

    Returns
    -------
    Variable
        Shape ``(n,)``; NaN where it was not found. Values of f are counted as nfev.

    References
    ----------
    See `anderson_mixing`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> p = tv.scalar("p")
    >>> x = tv.optimize.anderson(lambda x: p * tv.cos(x), np.zeros(2))
    >>> f = tv.function([p], [x, tv.grad(x.sum(), p)])
    >>> [np.round(value, 6) for value in f(1.0)]
    [array([0.739085, 0.739085]), np.float64(0.883222)]
    """
    start = tv.as_variable(x0)
    if np.dtype(start.dtype).kind != "f":
        start = start.astype("float64")
    if start.ndim != 1:
        raise ValueError(
            f"[anderson] x0 is {start}, with {start.ndim} axes: it has to be a vector, shape (n,). "
            "Reshape it, x0[None] for a number, and reshape x in f."
        )

    def equation(x: tv.Variable) -> tv.Variable:
        (length,) = start.type.shape
        shape = (start.shape[0] if length is None else length,)
        return with_shape(tv.as_variable(f(x)), shape, "the value of f", "the shape of x0") - x

    problem = Problem(equation)
    last = run_method(anderson_mixing(maxiter, tolerance, mixing, memory), problem, start)
    found = tv.eq(last.status, CONVERGED)
    x = tv.ifelse(found, last.x, tv.full_like(start, np.nan))
    return implicit(equation, x)


__all__ = ["State", "anderson", "anderson_mixing"]
