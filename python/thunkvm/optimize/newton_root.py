"""Newton's method for a root of a function of one number, kept from running away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.brent_root import SAME_SIGN, SAME_SIGN_MESSAGE, ends, value
from thunkvm.optimize.conditions import called
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING, STALLED


class State(NamedTuple):
    """Where `newton_root` is; x and fun have shape ``(1,)``, the others are 0-d.

    `slope` is that at the point before, unless `moved` is false; `rate` is the share of Newton's
    step that is tried next; a root is between `low` and `high`, where these are finite.
    """

    x: Any
    fun: Any
    slope: Any
    low: Any
    high: Any
    low_sign: Any
    step: Any
    rate: Any
    moved: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class newton_root(Method):
    """Newton's method for a root of a function of one number, kept from running away.

    With a bracket, a step that would leave it, or that converges slower than bisection, goes to
    the middle instead. Without one, a step that does not lower the size of f is halved.

    Parameters
    ----------
    maxiter : int
        How many trials there are at most.
    xtol, rtol : float
        It ends behind a step of at most ``xtol + rtol * |x|``.

    Notes
    -----
    The derivative runs only behind a trial that was taken, and not behind the last one.

    References
    ----------
    W. Press et al., Numerical recipes, third edition, 2007, section 9.4.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.root_scalar(lambda x: tv.arctan(x), x0=3.0, method="newton")
    >>> abs(result.root) < 1e-12, result.converged       # Newton's own steps diverge from there
    (True, True)
    """

    messages: ClassVar[dict[int, str]] = {SAME_SIGN: SAME_SIGN_MESSAGE}
    bounded: ClassVar[bool] = True

    maxiter: Number = number(100)
    xtol: Number = number(1.48e-8)
    rtol: Number = number(0.0)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point, within the bounds of the problem if it has them."""
        x, fun = x0[0], value(problem, x0[0])
        zero = tv.zeros_like(fun)
        low, high, sign = -zero - np.inf, zero + np.inf, zero
        same = tv.constant(False)
        if problem.lower is not None and problem.upper is not None:
            low, high = ends(problem)
            low_fun, high_fun = value(problem, low), value(problem, high)
            sign = tv.sign(low_fun)
            same = sign * tv.sign(high_fun) > 0.0
            here = tv.sign(fun)
            # A root at an end is found there.
            x, fun = tv.cond(
                [(tv.eq(low_fun, 0.0), (low, low_fun)), (tv.eq(high_fun, 0.0), (high, high_fun))],
                (x, fun),
            )
            low, high = (
                tv.where(tv.eq(here, sign), x0[0], low),
                tv.where(tv.eq(here, -sign), x0[0], high),
            )
        return State(
            x[None], fun[None], zero, low, high, sign, high - low, zero + 1.0, tv.constant(True),
            np.int64(0), tv.where(same, np.int64(SAME_SIGN), np.int64(RUNNING)),
        )  # fmt: skip

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one trial."""
        x, fun = state.x[0], state.fun[0]
        slope = tv.ifelse(state.moved, problem.jacobian(state.x)[0, 0], state.slope)
        newton = x - state.rate * fun / slope
        bracketed = tv.and_(tv.isfinite(state.low), tv.isfinite(state.high))
        inside = tv.and_(newton > state.low, newton < state.high)
        fast = tv.abs(2.0 * fun) <= tv.abs(state.step * slope)
        bisects = called(
            "bisection is better", tv.and_(bracketed, tv.logical_not(tv.and_(inside, fast)))
        )
        after = tv.ifelse(bisects, (state.low + state.high) / 2.0, newton)
        after_fun = value(problem, after)
        taken = tv.or_(bracketed, tv.abs(after_fun) < tv.abs(fun))  # false where it is NaN
        near = tv.abs(after - x) <= self.xtol + self.rtol * tv.abs(x)
        at_low = tv.eq(tv.sign(after_fun), state.low_sign)
        return State(
            tv.ifelse(taken, after, x)[None],
            tv.ifelse(taken, after_fun, fun)[None],
            slope,
            tv.where(tv.and_(bracketed, at_low), after, state.low),
            tv.where(tv.and_(bracketed, tv.logical_not(at_low)), after, state.high),
            state.low_sign,
            tv.ifelse(taken, after - x, state.step),
            tv.ifelse(taken, tv.ones_like(x), state.rate / 2.0),
            taken,
            state.nit + np.int64(1),
            # A step so small that is refused: rounding, or a least value of |f| that is no root.
            tv.where(tv.and_(near, tv.logical_not(taken)), np.int64(STALLED), np.int64(RUNNING)),
        )

    def converged(self, state: State) -> tv.Variable:
        """Return whether x is a root, or the last step was small."""
        near = tv.abs(state.step) <= self.xtol + self.rtol * tv.abs(state.x[0])
        return tv.or_(tv.eq(state.fun[0], 0.0), tv.and_(state.moved, state.nit > 0, near))


__all__ = ["State", "newton_root"]
