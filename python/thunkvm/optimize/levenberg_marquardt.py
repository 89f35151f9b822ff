"""The least-squares method of Levenberg and Marquardt, within bounds and under robust losses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.conditions import called
from thunkvm.optimize.losses import loss_of, weigh
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import CONVERGED, RUNNING, STALLED

#: Codes of `State.reason`, SciPy's: which test a solution passed.
BY_GRADIENT, BY_COST, BY_STEP, BY_COST_AND_STEP = 1, 2, 3, 4


class Factors(NamedTuple):
    """The singular values of the Jacobian in scaled units, with k = min(m, n).

    `along` are the residuals along its left singular vectors, shape ``(k,)``; `rows` are its right
    singular vectors, shape ``(k, n)``.
    """

    along: Any
    values: Any
    rows: Any


class State(NamedTuple):
    """Where `levenberg_marquardt` is; `fun` are the residuals, shape ``(m,)``.

    `jac` (shape ``(m, n)``) is weighed by the loss, and `grad` is the gradient of `cost`; `scale`
    has the units of x, and of `radius`; `moved` says whether the factors are of another point.
    """

    x: Any
    fun: Any
    cost: Any
    jac: Any
    grad: Any
    optimality: Any
    scale: Any
    factors: Any
    radius: Any
    damping: Any
    moved: Any
    reason: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class levenberg_marquardt(Method):
    """The least-squares method of Levenberg and Marquardt, within bounds and under robust losses.

    A step is one trial: the least point of the linearised residuals within a radius around x. The
    radius follows how well the residuals at the trial were foretold.

    Parameters
    ----------
    maxiter : int
        How many trials there are at most; 200 n by default.
    ftol : float
        It ends where a good trial lowers the cost by less than so much of it.
    xtol : float
        It ends where a step is shorter than so much of x, both in units of `x_scale`.
    gtol : float
        It ends where no element of the gradient that points into the bounds is larger. Its units
        are those of fun squared by those of x.
    factor : float
        The first radius, in lengths of x in units of `x_scale`.
    loss : str or callable
        What a squared residual costs: "linear", "huber", "soft_l1", "cauchy", "arctan", or a
        function from a vector z to one; see `least_squares`.
    f_scale : float
        Residuals beyond it are outliers, in units of fun; "linear" knows none.
    x_scale : "jac", float or tuple of n floats
        The units of x; "jac" for the inverse of the largest norm of each column of the Jacobian so
        far (J. Moré). Other units compile anew.

    Notes
    -----
    The Jacobian runs only where a trial lowers the cost. Its singular values are found only if
    another trial follows. A trial that fails costs one run of fun, and a search for the damping in
    vectors of n elements. Within bounds, elements that are at one and are driven outwards stay
    there, and the trial is projected.

    A state has ``x`` (n,), ``fun`` (m,), ``jac`` (m, n), ``grad`` (n,), ``scale`` (n,) and the
    factors of the Jacobian: ``along`` (min(m, n),), ``values`` (min(m, n),) and
    ``rows`` (min(m, n), n); its other values are 0-d.

    References
    ----------
    J. Moré, The Levenberg-Marquardt algorithm: implementation and theory, Lecture Notes in
    Mathematics 630, 1978; the projection is that of C. Kanzow, N. Yamashita and M. Fukushima,
    J. Comput. Appl. Math. 172, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> t = np.linspace(0.0, 1.0, 20)
    >>> result = tv.optimize.least_squares(lambda b, y: b[0] * tv.exp(-b[1] * t) - y, [1.0, 1.0],
    ...                                    args=(3.0 * np.exp(-2.0 * t),), method="lm")
    >>> result.x.round(6), result.success
    (array([3., 2.]), True)
    >>> result.njev <= result.nfev       # a trial that fails has no Jacobian
    True
    """

    bounded: ClassVar[bool] = True
    like_x: ClassVar[tuple[str, ...]] = ("x", "grad")

    ftol: Number = number(1e-8)
    xtol: Number = number(1e-8)
    gtol: Number = number(1e-8)
    factor: Number = number(1.0)
    f_scale: Number = number(1.0)
    loss: str | Callable[[Any], Any] = "linear"
    x_scale: Any = "jac"

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun = problem.residuals(x0)
        here = weigh(fun, loss_of(self.loss), self.f_scale)
        jac, grad = self.derivatives(problem, x0, here)
        if self.x_scale == "jac":
            lengths = tv.sqrt(tv.sum(jac**2, axis=0))
            scale = tv.where(tv.eq(lengths, 0.0), 1.0, lengths)
        else:
            units = tv.constant(np.asarray(self.x_scale, x0.dtype))
            scale = 1.0 / tv.broadcast_to(units, x0.shape)
        length = tv.norm(scale * x0)
        radius = self.factor * tv.where(tv.eq(length, 0.0), 1.0, length)
        k = tv.minimum(jac.shape[0], jac.shape[1])
        zeros, n = partial(tv.zeros, dtype=x0.dtype), jac.shape[1]
        none = Factors(zeros((k,)), zeros((k,)), zeros((k, n)))
        zero = np.int64(0)
        return State(
            x0, fun, here.cost, jac, grad, optimality(problem, x0, grad), scale, none, radius,
            tv.zeros_like(radius), tv.constant(True), zero, zero, np.int64(RUNNING),
        )  # fmt: skip

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one trial."""
        loss = loss_of(self.loss)
        factors = tv.ifelse(
            state.moved,
            factor_jacobian(problem, state, weigh(state.fun, loss, self.f_scale).fun),
            state.factors,
        )
        p, damping = damped_step(factors, state.radius, state.damping)
        x = clip_point(problem, state.x + p / state.scale)
        taken_p = p if problem.lower is None else (x - state.x) * state.scale
        fun = problem.residuals(x)
        here = weigh(fun, loss, self.f_scale)

        image = factors.values * (factors.rows @ taken_p)
        foretold = -tv.sum(image * (factors.along + 0.5 * image))
        lowered = state.cost - here.cost
        share = tv.where(foretold > 0.0, lowered / foretold, -1.0)
        length, size = tv.norm(p), tv.norm(state.scale * state.x)
        radius = tv.cond(
            [
                (tv.logical_not(share >= 0.25), 0.25 * length),  # where fun is NaN, too
                (tv.and_(share > 0.75, length > 0.95 * state.radius), 2.0 * state.radius),
            ],
            state.radius,
        )

        taken = called("the cost is lower", lowered > 0.0)

        def moved_state() -> State:
            jac, grad = self.derivatives(problem, x, here)
            scale = state.scale
            if self.x_scale == "jac":
                scale = tv.maximum(scale, tv.sqrt(tv.sum(jac**2, axis=0)))
            return state._replace(
                x=x, fun=fun, cost=here.cost, jac=jac, grad=grad,
                optimality=optimality(problem, x, grad), scale=scale,
            )  # fmt: skip

        by_cost = tv.and_(tv.abs(lowered) <= self.ftol * state.cost, share > 0.25)
        by_step = length <= self.xtol * (self.xtol + size)
        reason = tv.where(
            by_cost,
            tv.where(by_step, np.int64(BY_COST_AND_STEP), np.int64(BY_COST)),
            tv.where(by_step, np.int64(BY_STEP), np.int64(0)),
        )
        still = tv.all(tv.eq(state.x + p / state.scale, state.x))
        status = tv.cond(
            [(reason > 0, np.int64(CONVERGED)), (still, np.int64(STALLED))], np.int64(RUNNING)
        )
        return tv.ifelse(taken, moved_state(), state)._replace(
            factors=factors,
            radius=radius,
            damping=damping * state.radius / radius,
            moved=taken,
            reason=reason,
            nit=state.nit + np.int64(1),
            status=status,
        )

    def derivatives(self, problem: Problem, x: Any, here: Any) -> tuple[Any, Any]:
        """Return the weighed Jacobian at a point, and the gradient of the cost there."""
        jac = problem.jacobian(x)
        if here.rows is not None:
            jac = jac * here.rows[:, None]
        return jac, jac.T @ here.fun

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient is small."""
        return state.optimality <= self.gtol


def clip_point(problem: Problem, x: Any) -> Any:
    """Return the nearest point within the bounds."""
    if problem.lower is None or problem.upper is None:
        return x
    return tv.minimum(tv.maximum(x, problem.lower), problem.upper)


def optimality(problem: Problem, x: Any, grad: Any) -> Any:
    """Return the largest element of the gradient that points into the bounds, 0-d."""
    if problem.lower is None or problem.upper is None:
        return tv.max(tv.abs(grad))
    return tv.max(tv.abs(clip_point(problem, x - grad) - x))


def factor_jacobian(problem: Problem, state: State, fun: Any) -> Factors:
    """Return the singular values of the Jacobian, in the elements that no bound holds."""
    scaled = state.jac / state.scale
    if problem.lower is not None and problem.upper is not None:
        held = tv.where(state.grad > 0.0, state.x <= problem.lower, state.x >= problem.upper)
        scaled = tv.where(held, 0.0, scaled)
    left, values, rows = tv.svd(scaled, full_matrices=False)
    # What rounding leaves of a singular value that is 0 says nothing.
    m = tv.as_variable(scaled.shape[0]).astype(values.dtype)
    noise = float(np.finfo(values.dtype).eps) * m * tv.max(values)
    kept = values > noise
    return Factors(tv.where(kept, left.T @ fun, 0.0), tv.where(kept, values, 0.0), rows)


def damped_step(factors: Factors, radius: Any, damping: Any) -> tuple[Any, Any]:
    """Return the least point of ``|J p + r|`` within a radius, and its damping.

    The damping is 0 where Newton's step is short enough. Otherwise it is searched for until the
    length of the step is within a hundredth of the radius.
    """
    along, values, rows = factors
    pulled = values * along
    newton = tv.where(values > 0.0, -along / tv.where(values > 0.0, values, 1.0), 0.0)
    length = tv.norm(newton)
    short = called("Newton's step is short enough", length <= radius)

    def search_shift() -> tuple[Any, Any]:
        inverse = tv.where(values > 0.0, 1.0 / tv.where(values > 0.0, values, 1.0), 0.0)
        slope = -tv.sum(newton**2 * inverse**2) / length
        low = (radius - length) / slope
        high = tv.norm(pulled) / radius

        def clip_to_interval(at: Any, low: Any, high: Any) -> Any:
            middle = tv.maximum(0.001 * high, tv.sqrt(low * high))
            return tv.where(tv.and_(at >= low, at <= high), at, middle)

        def better(s: tuple[Any, ...]) -> tuple[Any, ...]:
            at, low, high, _, tried = s
            at = clip_to_interval(at, low, high)
            shrunk = values**2 + at
            size = tv.norm(pulled / shrunk)
            over = size - radius
            slope = -tv.sum(pulled**2 / shrunk**3) / size
            high = tv.where(over < 0.0, at, high)
            low = tv.maximum(low, at - over / slope)
            near = tv.abs(over) <= 0.01 * radius
            after = tv.where(near, at, at - size / radius * over / slope)
            return after, low, high, near, tried + np.int64(1)

        begin = tv.where(damping > 0.0, damping, 0.0 * high)
        at, low, high, near, _ = tv.while_loop(
            lambda s: tv.and_(tv.logical_not(s[3]), s[4] < 10),
            better,
            (tv.where(begin > 0.0, begin, -1.0), low, high, tv.constant(False), np.int64(0)),
        )
        at = tv.where(near, at, clip_to_interval(at, low, high))
        return -pulled / (values**2 + at), at

    inner, at = tv.ifelse(short, (newton, tv.zeros_like(length)), search_shift())
    return rows.T @ inner, at


__all__ = ["Factors", "State", "damped_step", "levenberg_marquardt"]
