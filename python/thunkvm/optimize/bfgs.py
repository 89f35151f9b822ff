"""The quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno."""

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
    """Where `bfgs` is; `inverse` approximates the inverse of the Hessian, shape ``(n, n)``."""

    x: Any
    fun: Any
    jac: Any
    inverse: Any
    before: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class bfgs(Method):
    """The quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno.

    A step searches along ``-inverse @ gradient`` for a point that satisfies the strong Wolfe
    conditions. It corrects the inverse by the change of the gradient. It keeps n * n numbers: take
    `lbfgs` for a large n.

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
    The inverse is corrected only in a step along which the function curves upwards. Else, as where
    the line search ended early, nothing of the correction is computed.

    A state has ``x`` (n,), ``jac`` (n,) and ``inverse`` (n, n); its other values are 0-d.

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, algorithm 6.1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def rosenbrock(x):
    ...     return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2
    >>> result = tv.optimize.minimize(rosenbrock, [-1.2, 1.0], method="BFGS")
    >>> result.success, result.x.round(4)
    (True, array([1., 1.]))
    >>> result.njev < result.nfev        # trials of a line search that fail have no gradient
    True
    """

    gtol: Number = number(1e-5)
    c1: Number = number(1e-4)
    c2: Number = number(0.9)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        before = fun + tv.norm(jac) / 2.0  # so that the first trial moves x by about 1
        identity = tv.eye(x0.shape[0], dtype=x0.dtype)
        return State(x0, fun, jac, identity, before, np.int64(0), np.int64(RUNNING))

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one line search."""
        direction = -(state.inverse @ state.jac)
        slope = tv.sum(direction * state.jac)
        rate = first_rate(state.fun, state.before, slope)
        search = strong_wolfe(
            problem, state.x, direction, state.fun, state.jac, rate, self.c1, self.c2
        )
        s, y = search.x - state.x, search.jac - state.jac
        curvature = tv.sum(s * y)
        curved = curvature > 0.0
        curved.name = "curved upwards"
        return State(
            search.x,
            search.fun,
            search.jac,
            tv.ifelse(curved, correct_inverse(state.inverse, s, y, curvature), state.inverse),
            state.fun,
            state.nit + np.int64(1),
            tv.ifelse(search.found, np.int64(RUNNING), np.int64(STALLED)),
        )

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient is small."""
        return tv.max(tv.abs(state.jac)) <= self.gtol


def correct_inverse(inverse: Any, s: Any, y: Any, curvature: Any) -> tv.Variable:
    """Return the inverse whose product with `y` is `s`, and that changes least."""
    image = inverse @ y
    along = (1.0 + tv.sum(y * image) / curvature) / curvature
    half = (0.5 * along) * s - image / curvature
    return inverse + half[:, None] * s + s[:, None] * half


__all__ = ["State", "bfgs"]
