"""The quasi-Newton method that remembers the last few steps, within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.cauchy import Quadratic, cauchy_point, remembered_quadratic
from thunkvm.optimize.line_search import strong_wolfe
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import CONVERGED, RUNNING, STALLED


class State(NamedTuple):
    """Where `lbfgsb` is, and the steps that it remembers, the oldest in front.

    `optimality` is the largest element of the gradient that points into the bounds.
    """

    x: Any
    fun: Any
    jac: Any
    optimality: Any
    steps: Any
    changes: Any
    scale: Any
    kept: Any
    nit: Any
    status: Any


class Boxed(NamedTuple):
    """A problem whose points are within the bounds, whatever rounding says."""

    problem: Problem
    lower: Any
    upper: Any

    def value(self, x: tv.Variable) -> tv.Variable:
        """Return the value at a point, 0-d."""
        return self.problem.value(self.clip_point(x))

    def gradient(self, x: tv.Variable) -> tv.Variable:
        """Return the gradient at a point, shape ``(n,)``."""
        return self.problem.gradient(self.clip_point(x))

    def clip_point(self, x: tv.Variable) -> tv.Variable:
        """Return the nearest point within the bounds."""
        return tv.minimum(tv.maximum(x, self.lower), self.upper)


@dataclass(frozen=True)
class lbfgsb(Method):
    """The quasi-Newton method that remembers the last few steps, within bounds.

    A step follows the gradient, along the bounds, to the Cauchy point: the first least point of the
    last steps' quadratic. It finds the quadratic's least point among those at the same bounds. It
    searches along the line to it for a point that satisfies the strong Wolfe conditions. It keeps
    ``2 * memory * n`` numbers.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most.
    memory : int
        How many steps are remembered; another number compiles anew.
    gtol : float
        It ends where no element of the gradient that points into the bounds is larger. Its units
        are those of fun by those of x.
    ftol : float
        It ends where a step lowers fun by less than so much of the largest of fun and 1.
    c1, c2 : float
        The line search: see `strong_wolfe`.

    Notes
    -----
    The bounds that the path meets are put in order only in steps whose path meets one before it
    ends. A step along which the function does not curve upwards is not remembered. If a search
    fails, or a matrix of the quadratic is singular, the steps are forgotten. Then the search begins
    along the gradient.

    A state has ``x`` (n,), ``jac`` (n,), ``steps`` (memory, n) and ``changes`` (memory, n); its
    other values are 0-d.

    References
    ----------
    R. Byrd, P. Lu, J. Nocedal and C. Zhu, A limited memory algorithm for bound constrained
    optimization, SIAM J. Sci. Comput. 16, 1995; the subspace step is projected as by J. Morales
    and J. Nocedal, Remark on algorithm 778, ACM TOMS 38, 2011.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def rosenbrock(x):
    ...     return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2
    >>> result = tv.optimize.minimize(rosenbrock, [-1.2, 1.0], method="L-BFGS-B",
    ...                               bounds=[(None, 0.5), (0.0, None)])
    >>> result.success, result.x.round(4)
    (True, array([0.5 , 0.25]))
    """

    bounded: ClassVar[bool] = True

    maxiter: Number = number(15000)
    memory: int = 10
    gtol: Number = number(1e-5)
    ftol: Number = number(1e7 * float(np.finfo(float).eps))
    c1: Number = number(1e-3)
    c2: Number = number(0.9)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        rows = tv.zeros((self.memory, x0.shape[0]), dtype=x0.dtype)
        box = make_box(problem, x0)
        zero = np.int64(0)
        return State(
            x0, fun, jac, optimality(box, x0, jac), rows, rows, tv.ones_like(fun), zero, zero,
            np.int64(RUNNING),
        )  # fmt: skip

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one line search."""
        box = make_box(problem, state.x)
        steepest = box.clip_point(state.x - state.jac) - state.x
        direction = tv.attempt(self.direction(box, state), steepest, on=np.linalg.LinAlgError)
        downhill = tv.sum(direction * state.jac) < 0.0
        direction = tv.ifelse(downhill, direction, steepest)
        room = tv.where(direction > 0.0, box.upper - state.x, box.lower - state.x)
        most = tv.min(tv.where(tv.eq(direction, 0.0), np.inf, room / direction))
        # Before the first step nothing but the bounds says how large x is.
        scaled = tv.or_(state.kept > 0, tv.all(tv.isfinite(box.upper - box.lower)))
        rate = tv.ifelse(scaled, tv.ones_like(state.fun), tv.minimum(1.0, 1.0 / tv.norm(direction)))
        search = strong_wolfe(
            box, state.x, direction, state.fun, state.jac, rate, self.c1, self.c2,
            tv.maximum(most, 1.0),
        )  # fmt: skip
        x = box.clip_point(search.x)
        s, y = x - state.x, search.jac - state.jac
        memory = self.remember_step(state, s, y, search.found)
        scale = tv.maximum(tv.maximum(tv.abs(state.fun), tv.abs(search.fun)), 1.0)
        status = tv.cond(
            [
                (
                    tv.logical_not(search.found),
                    tv.ifelse(state.kept > 0, np.int64(RUNNING), np.int64(STALLED)),
                ),
                (state.fun - search.fun <= self.ftol * scale, np.int64(CONVERGED)),
            ],
            np.int64(RUNNING),
        )
        return State(
            x, search.fun, search.jac, optimality(box, x, search.jac), *memory,
            state.nit + np.int64(1), status,
        )  # fmt: skip

    def remember_step(self, state: State, s: Any, y: Any, found: Any) -> tuple[Any, Any, Any, Any]:
        """Return the steps, their changes, the scale and how many, after a step."""
        curvature, square = tv.sum(s * y), tv.sum(y**2)
        more = (
            tv.concatenate([state.steps[1:], s[None]]),
            tv.concatenate([state.changes[1:], y[None]]),
            square / curvature,
            tv.minimum(state.kept + np.int64(1), np.int64(self.memory)),
        )
        same = (state.steps, state.changes, state.scale, state.kept)
        none = (
            tv.zeros_like(state.steps),
            tv.zeros_like(state.changes),
            tv.ones_like(state.scale),
            np.int64(0),
        )
        curved = curvature > float(np.finfo(s.dtype).eps) * square
        return tv.cond([(tv.logical_not(found), none), (curved, more)], same)

    def direction(self, box: Boxed, state: State) -> tv.Variable:
        """Return the way to the least point of the quadratic at the bounds of the Cauchy point."""
        model = remembered_quadratic(state.steps, state.changes, state.scale, state.kept)
        cauchy, free, shares = cauchy_point(model, box, state.x, state.jac)

        def subspace() -> tv.Variable:
            reduced = state.jac + model.scale * (cauchy - state.x) - model.rows.T @ shares
            step = subspace_step(model, free, reduced)
            projected = box.clip_point(cauchy + step) - state.x

            def truncated_step() -> tv.Variable:
                room = tv.where(step > 0.0, box.upper - cauchy, box.lower - cauchy)
                most = tv.min(tv.where(tv.eq(step, 0.0), np.inf, room / step))
                return cauchy + tv.minimum(most, 1.0) * step - state.x

            return tv.ifelse(tv.sum(projected * state.jac) < 0.0, projected, truncated_step())

        return tv.ifelse(state.kept > 0, subspace(), cauchy - state.x)

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient that points into the bounds is small."""
        return state.optimality <= self.gtol


def subspace_step(model: Quadratic, free: Any, reduced: Any) -> tv.Variable:
    """Return the step to the least point of the quadratic, in the free elements alone."""
    rows = tv.where(free, model.rows, 0.0)
    gradient = tv.where(free, reduced, 0.0)
    # By the formula of Sherman, Morrison and Woodbury for the inverse of the free part.
    correction = tv.solve(model.inner - rows @ rows.T / model.scale, rows @ gradient)
    return -gradient / model.scale - rows.T @ correction / model.scale**2


def make_box(problem: Problem, x: Any) -> Boxed:
    """Return a problem within its bounds, which are infinite if there are none."""
    if problem.lower is None or problem.upper is None:
        infinite = tv.full_like(x, np.inf)
        return Boxed(problem, -infinite, infinite)
    return Boxed(problem, problem.lower, problem.upper)


def optimality(box: Boxed, x: Any, jac: Any) -> tv.Variable:
    """Return the largest element of the gradient that points into the bounds, 0-d."""
    return tv.max(tv.abs(box.clip_point(x - jac) - x))


__all__ = ["Boxed", "State", "lbfgsb"]
