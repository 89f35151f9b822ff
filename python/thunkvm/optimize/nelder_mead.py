"""The simplex method of Nelder and Mead, which needs no derivative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.conditions import called
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING


class State(NamedTuple):
    """Where `nelder_mead` is: n + 1 points, shape ``(n + 1, n)``, and their values, least first.

    x and fun are the first of them.
    """

    x: Any
    fun: Any
    simplex: Any
    values: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class nelder_mead(Method):
    """The simplex method of Nelder and Mead, which needs no derivative.

    A step reflects the worst of n + 1 points at the middle of the others. It goes farther where
    that is the best point, and less far or back where it is the worst. It draws all points to the
    best one where nothing helps.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most; 200 n by default.
    xatol : float
        It ends where no point is farther from the best one in any element of x, and
    fatol : float
        no value is farther from the least one.
    adaptive : bool
        Coefficients that depend on n (F. Gao and L. Han), for n of 10 and more.

    Notes
    -----
    Each trial is an arm: a step runs fun once if the reflection is good, and twice if it is the
    best or the worst. It runs fun n times more only where all points are drawn together.

    A state has ``x`` (n,), ``simplex`` (n + 1, n) and ``values`` (n + 1,); its other values are
    0-d.

    References
    ----------
    J. Nelder and R. Mead, A simplex method for function minimization, Computer J. 7, 1965; F. Gao
    and L. Han, Comput. Optim. Appl. 51, 2012. The order of trials is SciPy's.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def rosenbrock(x):
    ...     return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2
    >>> result = tv.optimize.minimize(rosenbrock, [-1.2, 1.0], method="Nelder-Mead")
    >>> result.success, result.x.round(3), result.nfev, result.nit
    (True, array([1., 1.]), 159, 84)
    """

    #: The options that `tol` sets.
    tolerances: ClassVar[tuple[str, ...]] = ("xatol", "fatol")
    bounded: ClassVar[bool] = True

    xatol: Number = number(1e-4)
    fatol: Number = number(1e-4)
    adaptive: bool = False

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state whose points are x0 and one for each axis near it."""
        steps = tv.where(tv.eq(x0, 0.0), 0.00025, 0.05 * x0)
        points = tv.concatenate([x0[None], x0[None] + tv.diag(steps)])
        if problem.lower is not None and problem.upper is not None:
            points = tv.where(points > problem.upper, 2.0 * problem.upper - points, points)
        points = clip_point(problem, points)
        return sort_points(points, values_at(problem, points), np.int64(0))

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one step."""
        points, values = state.simplex, state.values
        farther, nearer, drawn = self.coefficients(state.x)
        worst, worst_fun = points[-1], values[-1]
        middle = tv.sum(points[:-1], axis=0) / tv.as_variable(state.x.shape[0]).astype(
            state.x.dtype
        )

        def trial(share: Any) -> tuple[Any, Any]:
            point = clip_point(problem, middle + share * (middle - worst))
            return point, problem.value(point)

        def with_last(point: Any, fun: Any) -> tuple[Any, Any]:
            return (
                tv.concatenate([points[:-1], point[None]]),
                tv.concatenate([values[:-1], fun[None]]),
            )

        def together() -> tuple[Any, Any]:
            rest = clip_point(problem, points[0] + drawn * (points[1:] - points[0]))
            return (
                tv.concatenate([points[:1], rest]),
                tv.concatenate([values[:1], values_at(problem, rest)]),
            )

        reflected, fun = trial(1.0)

        def expanded_simplex() -> tuple[Any, Any]:
            point, value = trial(farther)
            return tv.ifelse(value < fun, with_last(point, value), with_last(reflected, fun))

        def contracted_simplex(share: Any, accepts: Callable[[Any], Any]) -> tuple[Any, Any]:
            point, value = trial(share)
            return tv.ifelse(accepts(value), with_last(point, value), together())

        points, values = tv.cond(
            [
                (called("the reflection is the best", fun < values[0]), expanded_simplex()),
                (called("it is good", fun < values[-2]), with_last(reflected, fun)),
                (
                    called("it is better than the worst", fun < worst_fun),
                    contracted_simplex(nearer, lambda value: value <= fun),
                ),
            ],
            contracted_simplex(-nearer, lambda value: value < worst_fun),
        )
        return sort_points(points, values, state.nit + np.int64(1))

    def coefficients(self, x: Any) -> tuple[Any, Any, Any]:
        """Return how far an expansion goes, a contraction, and the points that draw together."""
        if not self.adaptive:
            return 2.0, 0.5, 0.5
        n = tv.as_variable(x.shape[0]).astype(x.dtype)
        return 1.0 + 2.0 / n, 0.75 - 0.5 / n, 1.0 - 1.0 / n

    def converged(self, state: State) -> tv.Variable:
        """Return whether the points and their values are near each other."""
        return tv.and_(
            tv.max(tv.abs(state.values[1:] - state.values[0])) <= self.fatol,
            tv.max(tv.abs(state.simplex[1:] - state.simplex[0])) <= self.xatol,
        )


def clip_point(problem: Problem, x: Any) -> Any:
    """Return the nearest points within the bounds."""
    if problem.lower is None or problem.upper is None:
        return x
    return tv.minimum(tv.maximum(x, problem.lower), problem.upper)


def values_at(problem: Problem, points: Any) -> Any:
    """Return the values at points, one after the other, shape ``(len(points),)``."""
    return tv.map(problem.value, points)


def sort_points(points: Any, values: Any, nit: Any) -> State:
    """Return the state of points, the least value first."""
    order = tv.argsort(values)
    points, values = points[order], values[order]
    return State(points[0], values[0], points, values, nit, np.int64(RUNNING))


__all__ = ["State", "nelder_mead"]
