"""Newton's method in a region in which its model is trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING, STALLED

SUBPROBLEMS = ("dogleg", "steihaug")


class State(NamedTuple):
    """Where `trust_region` is; `hess` is that of the last point at which a step needed it."""

    x: Any
    fun: Any
    jac: Any
    hess: Any
    moved: Any
    radius: Any
    nit: Any
    status: Any


class Step(NamedTuple):
    """A step of a subproblem, the product of the Hessian with it, and whether it is at the edge."""

    step: Any
    image: Any
    at_edge: Any


@dataclass(frozen=True)
class trust_region(Method):
    """Newton's method in a region in which its model is trusted.

    A step finds a point within `radius` where the quadratic model of the function is low. The
    radius follows from how much of that comes true: it shrinks where little does, and grows where
    most does at the edge of the region.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most; 200 n by default.
    subproblem : {"dogleg", "steihaug"}
        How a step is found: by the Cholesky factor of the Hessian, on a path of two pieces; or by
        conjugate gradients, one product of the Hessian with a vector for each.
    gtol : float
        It ends where no element of the gradient is larger, in units of fun by those of x.
    radius, most : float
        The first radius, and the largest, in units of x.
    eta : float
        A step is taken if more than so much of what the model promised comes true.

    Notes
    -----
    The gradient runs only where a step is taken. The Hessian runs only in steps behind those, and
    not behind the last one. Where it is not positive definite, it has no Cholesky factor. Then the
    step of "dogleg" is that of "steihaug" with the same matrix.

    A state has ``x`` (n,), ``jac`` (n,) and, for "dogleg", ``hess`` (n, n); its other values are
    0-d.

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, algorithms 4.1 and 7.2,
    and section 4.1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def rosenbrock(x):
    ...     return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2
    >>> result = tv.optimize.minimize(rosenbrock, [-1.2, 1.0], method="dogleg")
    >>> result.success, result.x.round(5)
    (True, array([1., 1.]))
    >>> result.nhev < result.nit       # a step that was not taken leaves the Hessian as it is
    True
    """

    subproblem: str = "steihaug"
    gtol: Number = number(1e-5)
    radius: Number = number(1.0)
    most: Number = number(1000.0)
    eta: Number = number(0.15)

    def __post_init__(self) -> None:
        """Refuse subproblems that there are not."""
        if self.subproblem not in SUBPROBLEMS:
            raise ValueError(
                f"[trust_region] there is no subproblem {self.subproblem!r}; there are "
                f"{', '.join(SUBPROBLEMS)}."
            )

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        n = x0.shape[0] if self.subproblem == "dogleg" else 0
        hess = tv.zeros((n, n), dtype=x0.dtype)
        radius = tv.as_variable(self.radius).astype(x0.dtype)
        return State(x0, fun, jac, hess, tv.constant(True), radius, np.int64(0), np.int64(RUNNING))

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one trial."""
        hess = state.hess
        if self.subproblem == "dogleg":
            hess = tv.ifelse(state.moved, problem.hessian(state.x), state.hess)
            found = dogleg(hess, state.jac, state.radius)
        else:
            found = steihaug(lambda p: problem.hessian_product(state.x, p), state.jac, state.radius)
        x = state.x + found.step
        fun = problem.value(x)
        promised = -tv.sum(found.step * (state.jac + 0.5 * found.image))
        share = (state.fun - fun) / promised
        taken = share > self.eta  # false where fun is NaN
        taken.name = "step is taken"
        radius = tv.cond(
            [
                (tv.logical_not(share >= 0.25), 0.25 * tv.norm(found.step)),
                (
                    tv.and_(share > 0.75, found.at_edge),
                    tv.minimum(2.0 * state.radius, self.most).astype(x.dtype),
                ),
            ],
            state.radius,
        )
        still = tv.or_(tv.logical_not(promised > 0.0), tv.all(tv.eq(x, state.x)))
        there, here = (x, fun, problem.gradient(x)), (state.x, state.fun, state.jac)
        x, fun, jac = tv.ifelse(taken, there, here)
        return State(
            x,
            fun,
            jac,
            hess,
            taken,
            radius,
            state.nit + np.int64(1),
            tv.ifelse(still, np.int64(STALLED), np.int64(RUNNING)),
        )

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient is small."""
        return tv.max(tv.abs(state.jac)) <= self.gtol


def dogleg(hess: Any, jac: Any, radius: Any) -> Step:
    """Return the lowest point on the path by the least point along the gradient to Newton's."""
    factor = tv.cholesky(hess)
    half = tv.solve_triangular(factor, -jac)
    newton, definite = tv.attempt(
        (tv.solve_triangular(factor, half, transposed=True), True),
        (tv.zeros_like(jac), False),
        on=np.linalg.LinAlgError,
    )

    def dogleg_step() -> Step:
        steepest = -(tv.sum(jac**2) / tv.sum(jac * (hess @ jac))) * jac
        length = tv.norm(steepest)
        step = tv.ifelse(
            length >= radius,
            radius / length * steepest,
            reach_edge(steepest, newton - steepest, radius),
        )
        return Step(step, hess @ step, tv.constant(True))

    inside = Step(newton, -jac, tv.constant(False))
    return tv.cond(
        [
            (tv.logical_not(definite), steihaug(lambda p: hess @ p, jac, radius)),
            (tv.norm(newton) <= radius, inside),
        ],
        dogleg_step(),
    )


class Inner(NamedTuple):
    """The conjugate gradients of `steihaug`; `residual` is ``hessian @ point + jac``."""

    point: Any
    residual: Any
    direction: Any
    square: Any
    at_edge: Any
    done: Any
    count: Any


def steihaug(product: Callable[[Any], Any], jac: Any, radius: Any) -> Step:
    """Return the end of conjugate gradients: inside, or the edge that they leave the region by."""
    size = tv.norm(jac)
    enough = (tv.minimum(0.5, tv.sqrt(size)) * size) ** 2

    def step(s: Inner) -> Inner:
        image = product(s.direction)
        curvature = tv.sum(s.direction * image)
        rate = s.square / curvature
        point = s.point + rate * s.direction
        leaves = tv.or_(curvature <= 0.0, tv.norm(point) >= radius)

        def go_on() -> Inner:
            residual = s.residual + rate * image
            square = tv.sum(residual**2)
            direction = square / s.square * s.direction - residual
            return Inner(
                point, residual, direction, square, tv.constant(False), square <= enough, s.count
            )

        def edge_step() -> Inner:
            edge = reach_edge(s.point, s.direction, radius)
            share = tv.sum((edge - s.point) * s.direction) / tv.sum(s.direction**2)
            yes = tv.constant(True)
            return s._replace(
                point=edge, residual=s.residual + share * image, at_edge=yes, done=yes
            )

        return tv.ifelse(leaves, edge_step(), go_on())._replace(count=s.count + np.int64(1))

    no = tv.constant(False)
    begin = Inner(tv.zeros_like(jac), jac, -jac, size**2, no, no, np.int64(0))
    most = 10 * jac.shape[0]
    last = tv.while_loop(lambda s: tv.and_(tv.logical_not(s.done), s.count < most), step, begin)
    return Step(last.point, last.residual - jac, last.at_edge)


def reach_edge(point: Any, direction: Any, radius: Any) -> tv.Variable:
    """Return where one leaves the region from a point in it, along a direction."""
    a = tv.sum(direction**2)
    b = tv.sum(point * direction)
    c = tv.sum(point**2) - radius**2  # not positive
    root = tv.sqrt(tv.maximum(b**2 - a * c, 0.0))
    # Of two forms of the root, the one that subtracts no equal numbers.
    share = tv.where(b > 0.0, -c / (b + root), (root - b) / a)
    return point + share * direction


__all__ = ["State", "dogleg", "reach_edge", "steihaug", "trust_region"]
