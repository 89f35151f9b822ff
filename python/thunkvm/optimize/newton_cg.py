"""Newton's method, whose systems are solved by conjugate gradients as well as needed."""

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
    """Where `newton_cg` is."""

    x: Any
    fun: Any
    jac: Any
    nit: Any
    status: Any


class Inner(NamedTuple):
    """The conjugate gradients of one step; `residual` is ``hessian @ point + gradient``."""

    point: Any
    residual: Any
    direction: Any
    square: Any
    done: Any
    count: Any


@dataclass(frozen=True)
class newton_cg(Method):
    """Newton's method, whose systems are solved by conjugate gradients as well as needed.

    A step solves ``hessian @ p = -gradient``. It ends where the residual is small beside the
    gradient, or the Hessian curves downwards along a direction. It searches along p for a point
    that satisfies the strong Wolfe conditions. There is no Hessian: a product of it with a vector
    is as expensive as a few gradients. One runs for each iteration of the conjugate gradients.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most; 200 n by default.
    gtol : float
        It ends where no element of the gradient is larger, in units of fun by those of x.
    xtol : float
        It ends where a step moves x by less on the average, in units of x.
    c1, c2 : float
        The line search: see `strong_wolfe`.

    Notes
    -----
    A state has ``x`` (n,) and ``jac`` (n,); its other values are 0-d.

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, algorithm 7.1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def rosenbrock(x):
    ...     return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2
    >>> result = tv.optimize.minimize(rosenbrock, [-1.2, 1.0], method="Newton-CG")
    >>> result.success, result.x.round(4)
    (True, array([1., 1.]))
    >>> result.nit < result.nhev <= 2 * result.nit
    True
    """

    gtol: Number = number(1e-5)
    xtol: Number = number(1e-8)
    c1: Number = number(1e-4)
    c2: Number = number(0.9)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        return State(x0, fun, jac, np.int64(0), np.int64(RUNNING))

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one line search."""
        direction = self.direction(problem, state)
        search = strong_wolfe(
            problem, state.x, direction, state.fun, state.jac, 1.0, self.c1, self.c2
        )
        moved = tv.mean(tv.abs(search.x - state.x))
        status = tv.cond(
            [
                (tv.logical_not(search.found), np.int64(STALLED)),
                (moved <= self.xtol, np.int64(CONVERGED)),
            ],
            np.int64(RUNNING),
        )
        nit = state.nit + np.int64(1)
        return State(search.x, search.fun, search.jac, nit, status)

    def direction(self, problem: Problem, state: State) -> tv.Variable:
        """Return where a step goes, shape ``(n,)``: downhill, and close to Newton's step."""
        size = tv.norm(state.jac)
        enough = (tv.minimum(0.5, tv.sqrt(size)) * size) ** 2

        def step(s: Inner) -> Inner:
            image = problem.hessian_product(state.x, s.direction)
            curvature = tv.sum(s.direction * image)
            curved = curvature > 0.0
            curved.name = "curved upwards"

            def go_on() -> Inner:
                rate = s.square / curvature
                residual = s.residual + rate * image
                square = tv.sum(residual**2)
                return Inner(
                    s.point + rate * s.direction,
                    residual,
                    square / s.square * s.direction - residual,
                    square,
                    square <= enough,
                    s.count,
                )

            # Downwards: what there is, or steepest descent if there is nothing.
            steepest = s.square / tv.abs(curvature) * s.direction
            end = s._replace(
                point=tv.ifelse(tv.eq(s.count, 0), steepest, s.point), done=tv.constant(True)
            )
            after = tv.ifelse(curved, go_on(), end)
            return after._replace(count=s.count + np.int64(1))

        most = 20 * state.x.shape[0]
        begin = Inner(
            tv.zeros_like(state.jac),
            state.jac,
            -state.jac,
            size**2,
            tv.constant(False),
            np.int64(0),
        )
        last = tv.while_loop(lambda s: tv.and_(tv.logical_not(s.done), s.count < most), step, begin)
        return last.point

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient is small."""
        return tv.max(tv.abs(state.jac)) <= self.gtol


__all__ = ["Inner", "State", "newton_cg"]
