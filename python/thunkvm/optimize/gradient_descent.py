"""Descent against the gradient, with a backtracking line search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING, STALLED


class State(NamedTuple):
    """Where `gradient_descent` is."""

    x: Any
    fun: Any
    jac: Any
    rate: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class gradient_descent(Method):
    """Descent against the gradient: ``x - t * gradient``, where t falls until the value does.

    A step is one trial of a rate t. It is halved where the value does not fall by enough (L.
    Armijo, 1966), and doubled behind a step that does. The gradient runs only behind a trial that
    is accepted.

    Parameters
    ----------
    maxiter : int
        How many trials there are at most; 200 n by default.
    gtol : float
        It ends where no element of the gradient is larger, in units of fun by those of x.
    rate : float
        The first t, in units of x squared by those of fun.
    c1 : float
        Of what the gradient promises, how much the value has to fall by.

    Notes
    -----
    A state has ``x`` (n,) and ``jac`` (n,); its other values are 0-d.

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, section 3.1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.minimize(lambda x: tv.sum(tv.cosh(x)), [6.0, -3.0],
    ...                               method="gradient_descent")
    >>> result.success, result.x.round(4) + 0.0
    (True, array([0., 0.]))
    >>> result.nfev - result.nit, result.njev < result.nit   # a trial that fails has no gradient
    (1, True)
    """

    gtol: Number = number(1e-5)
    rate: Number = number(1.0)
    c1: Number = number(1e-4)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        return State(x0, fun, jac, self.rate, np.int64(0), np.int64(RUNNING))

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one trial."""
        x = state.x - state.rate * state.jac
        fun = problem.value(x)
        slope = tv.sum(state.jac**2)
        accepted = State(x, fun, problem.gradient(x), 2.0 * state.rate, state.nit, state.status)
        status = tv.ifelse(tv.all(tv.eq(x, state.x)), np.int64(STALLED), state.status)
        rejected = state._replace(rate=0.5 * state.rate, status=status)
        enough = fun <= state.fun - self.c1 * state.rate * slope
        enough.name = "low enough"
        after = tv.ifelse(enough, accepted, rejected)
        return after._replace(nit=state.nit + np.int64(1))

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient is small."""
        return tv.max(tv.abs(state.jac)) <= self.gtol


__all__ = ["State", "gradient_descent"]
