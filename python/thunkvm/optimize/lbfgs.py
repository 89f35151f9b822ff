"""The quasi-Newton method that remembers the last few steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.line_search import strong_wolfe
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import CONVERGED, RUNNING, STALLED


class State(NamedTuple):
    """Where `lbfgs` is, and the steps that it remembers, the step k in row ``k % memory``."""

    x: Any
    fun: Any
    jac: Any
    steps: Any
    changes: Any
    curvatures: Any
    kept: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class lbfgs(Method):
    """The quasi-Newton method that remembers the last few steps instead of a matrix.

    A step searches along a direction for a point that satisfies the strong Wolfe conditions. The
    direction is that of `bfgs` after the last `memory` corrections: two loops over the steps that
    are remembered. It keeps ``2 * memory * n`` numbers.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most.
    memory : int
        How many steps are remembered; another number compiles anew.
    gtol : float
        It ends where no element of the gradient is larger, in units of fun by those of x.
    ftol : float
        It ends where a step lowers fun by less than so much of the largest of fun and 1.
    c1, c2 : float
        The line search: see `strong_wolfe`.

    Notes
    -----
    A step along which the function does not curve upwards is not remembered.

    A state has ``x`` (n,), ``jac`` (n,), ``steps`` (memory, n), ``changes`` (memory, n) and
    ``curvatures`` (memory,); its other values are 0-d.

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, algorithms 7.4 and 7.5.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def rosenbrock(x):
    ...     return tv.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
    >>> result = tv.optimize.minimize(rosenbrock, [-1.2, 1.0] * 10, method="L-BFGS")
    >>> result.success, float(abs(result.x - 1.0).max()) < 1e-4
    (True, True)
    """

    maxiter: Number = number(15000)
    memory: int = 10
    gtol: Number = number(1e-5)
    ftol: Number = number(1e7 * float(np.finfo(float).eps))
    c1: Number = number(1e-4)
    c2: Number = number(0.9)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        rows = tv.zeros((self.memory, x0.shape[0]), dtype=x0.dtype)
        curvatures = tv.ones((self.memory,), dtype=x0.dtype)
        return State(
            x0, fun, jac, rows, rows, curvatures, np.int64(0), np.int64(0), np.int64(RUNNING)
        )

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one line search."""
        direction = -self.product(state, state.jac)
        # Nothing is known of the scale of x before the first step.
        rate = tv.ifelse(
            tv.eq(state.kept, 0), tv.minimum(1.0, 1.0 / tv.norm(state.jac)), tv.ones_like(state.fun)
        )
        search = strong_wolfe(
            problem, state.x, direction, state.fun, state.jac, rate, self.c1, self.c2
        )
        s, y = search.x - state.x, search.jac - state.jac
        curvature = tv.sum(s * y)
        row = state.kept % self.memory
        remembered = (
            state.steps[row].set(s),
            state.changes[row].set(y),
            state.curvatures[row].set(curvature),
            state.kept + np.int64(1),
        )
        steps, changes, curvatures, kept = tv.ifelse(
            curvature > float(np.finfo(s.dtype).eps) * tv.sum(y**2),
            remembered,
            (state.steps, state.changes, state.curvatures, state.kept),
        )
        scale = tv.maximum(tv.maximum(tv.abs(state.fun), tv.abs(search.fun)), 1.0)
        flat = state.fun - search.fun <= self.ftol * scale
        status = tv.cond(
            [(tv.logical_not(search.found), np.int64(STALLED)), (flat, np.int64(CONVERGED))],
            np.int64(RUNNING),
        )
        nit = state.nit + np.int64(1)
        return State(
            search.x, search.fun, search.jac, steps, changes, curvatures, kept, nit, status
        )

    def product(self, state: State, vector: Any) -> tv.Variable:
        """Return the product of the approximate inverse of the Hessian with a vector."""
        oldest = tv.maximum(state.kept - self.memory, 0)

        def backward(k: Any, s: tuple[Any, Any]) -> tuple[Any, Any]:
            q, shares = s
            row = (state.kept - np.int64(1) - k) % self.memory
            share = tv.sum(state.steps[row] * q) / state.curvatures[row]
            return q - share * state.changes[row], shares[row].set(share)

        def forward(k: Any, r: Any) -> tv.Variable:
            row = (oldest + k) % self.memory
            share = tv.sum(state.changes[row] * r) / state.curvatures[row]
            return r + (shares[row] - share) * state.steps[row]

        count = state.kept - oldest
        q, shares = tv.fori_loop(0, count, backward, (vector, tv.zeros_like(state.curvatures)))
        last = (state.kept - np.int64(1)) % self.memory
        scale = tv.ifelse(
            state.kept > 0,
            state.curvatures[last] / tv.sum(state.changes[last] ** 2),
            tv.ones_like(state.fun),
        )
        return tv.fori_loop(0, count, forward, scale * q)

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient is small."""
        return tv.max(tv.abs(state.jac)) <= self.gtol


__all__ = ["State", "lbfgs"]
