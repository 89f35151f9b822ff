"""Nonlinear conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.line_search import first_rate, strong_wolfe
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING, STALLED


class State(NamedTuple):
    """Where `nonlinear_cg` is, and where it goes next, shape ``(n,)``."""

    x: Any
    fun: Any
    jac: Any
    direction: Any
    before: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class nonlinear_cg(Method):
    """Nonlinear conjugate gradients, of Polak and Ribière, with restarts.

    A step searches along a direction for a point that satisfies the strong Wolfe conditions. The
    next direction is the gradient there, downhill, and some of the last direction. It keeps a few
    vectors of n numbers.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most; 200 n by default.
    gtol : float
        It ends where no element of the gradient is larger, in units of fun by those of x.
    c1, c2 : float
        The line search: see `strong_wolfe`.

    Notes
    -----
    Where the next direction would hardly go downhill, it is the gradient alone.

    A state has ``x`` (n,), ``jac`` (n,) and ``direction`` (n,); its other values are 0-d.

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, section 5.2, PR+; the
    test of the next direction is that of J. Gilbert and J. Nocedal, SIAM J. Optim. 2, 1992.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def rosenbrock(x):
    ...     return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2
    >>> result = tv.optimize.minimize(rosenbrock, [-1.2, 1.0], method="CG")
    >>> result.success, result.x.round(4)
    (True, array([1., 1.]))
    """

    gtol: Number = number(1e-5)
    c1: Number = number(1e-4)
    c2: Number = number(0.4)
    descent: Number = number(0.01)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        before = fun + tv.norm(jac) / 2.0  # so that the first trial moves x by about 1
        return State(x0, fun, jac, -jac, before, np.int64(0), np.int64(RUNNING))

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one line search."""
        slope = tv.sum(state.direction * state.jac)
        rate = first_rate(state.fun, state.before, slope)
        search = strong_wolfe(
            problem, state.x, state.direction, state.fun, state.jac, rate, self.c1, self.c2
        )
        square = tv.sum(search.jac**2)
        share = tv.sum((search.jac - state.jac) * search.jac) / tv.sum(state.jac**2)
        conjugate = tv.maximum(share, 0.0) * state.direction - search.jac
        downhill = tv.sum(conjugate * search.jac) <= -self.descent * square
        return State(
            search.x,
            search.fun,
            search.jac,
            tv.ifelse(downhill, conjugate, -search.jac),
            state.fun,
            state.nit + np.int64(1),
            tv.ifelse(search.found, np.int64(RUNNING), np.int64(STALLED)),
        )

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient is small."""
        return tv.max(tv.abs(state.jac)) <= self.gtol


__all__ = ["State", "nonlinear_cg"]
