"""Brent's method: a root between two points where a function has different signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.conditions import called
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING

#: The code of a bracket at whose ends the function has the same sign.
SAME_SIGN = 11
SAME_SIGN_MESSAGE = "The function has the same sign at both ends of the bracket."
RTOL = 4.0 * float(np.finfo(float).eps)


class State(NamedTuple):
    """Where `brent_root` is: x and `end` enclose a root, and |fun| is least at x.

    x and fun have shape ``(1,)``, the others are 0-d; `last` is the point before x, `step` and
    `step_before` are the last two steps.
    """

    x: Any
    fun: Any
    last: Any
    last_fun: Any
    end: Any
    end_fun: Any
    step: Any
    step_before: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class brent_root(Method):
    """Brent's method: a root between two points where a function has different signs.

    A step goes to the zero of a parabola (or a line) in the values, if that is short enough. Else
    it goes to the middle of the bracket: one value a step, and none of the derivative.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most.
    xtol, rtol : float
        It ends where the root is known to within ``xtol + rtol * |x|``.

    Notes
    -----
    The parabola, the line and the middle are arms: a step computes one of them.

    References
    ----------
    R. Brent, Algorithms for minimization without derivatives, 1973, chapter 4. The order of steps
    is that of `scipy.optimize.brentq`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.root_scalar(lambda x: x**3 - 8.0, bracket=(0.0, 9.0))
    >>> round(result.root, 12), result.converged
    (2.0, True)
    """

    messages: ClassVar[dict[int, str]] = {SAME_SIGN: SAME_SIGN_MESSAGE}
    bounded: ClassVar[bool] = True

    maxiter: Number = number(100)
    xtol: Number = number(2e-12)
    rtol: Number = number(RTOL)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state of a bracket, which is the bounds of the problem."""
        low, high = ends(problem)
        low_fun, high_fun = value(problem, low), value(problem, high)
        # A root at an end is found there; NaN there ends the search.
        at_low = tv.or_(tv.eq(low_fun, 0.0), tv.isnan(low_fun))
        enclosed = tv.or_(at_low, tv.eq(high_fun, 0.0), low_fun * high_fun < 0.0)
        zero = tv.zeros_like(low)
        state = order_bracket(low, low_fun, high, high_fun, zero, zero, zero, zero)
        status = tv.where(
            tv.or_(enclosed, tv.isnan(high_fun)), np.int64(RUNNING), np.int64(SAME_SIGN)
        )
        x, fun = tv.where(at_low, low, state[0]), tv.where(at_low, low_fun, state[1])
        return State._make((x[None], fun[None], *state[2:], np.int64(0), status))

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one step."""
        x, fun = state.x[0], state.fun[0]
        near = self.tolerance(x)
        half = (state.end - x) / 2.0

        def interpolated_step() -> tv.Variable:
            line = -fun * (x - state.last) / (fun - state.last_fun)
            slope = (state.last_fun - fun) / (state.last - x)
            across = (state.end_fun - fun) / (state.end - x)
            parabola = (
                -fun
                * (state.end_fun * across - state.last_fun * slope)
                / (across * slope * (state.end_fun - state.last_fun))
            )
            return tv.ifelse(tv.eq(state.last, state.end), line, parabola)

        middle = (half, half)
        falling = tv.abs(fun) < tv.abs(state.last_fun)
        hopeful = called("the values fall", tv.and_(tv.abs(state.step_before) > near, falling))

        def short() -> tuple[Any, Any]:
            tried = interpolated_step()
            limit = tv.minimum(tv.abs(state.step_before), 3.0 * tv.abs(half) - near)
            return tv.ifelse(2.0 * tv.abs(tried) < limit, (tried, state.step), middle)

        step, before = tv.ifelse(hopeful, short(), middle)
        after = x + tv.where(tv.abs(step) > near, step, tv.where(half > 0.0, near, -near))
        after_fun = value(problem, after)
        found = order_bracket(x, fun, after, after_fun, state.end, state.end_fun, step, before)
        x, fun, *rest = found
        nit = state.nit + np.int64(1)
        return State._make((x[None], fun[None], *rest, nit, np.int64(RUNNING)))

    def tolerance(self, x: Any) -> Any:
        """Return how far x may be from the root, halved."""
        return (self.xtol + self.rtol * tv.abs(x)) / 2.0

    def converged(self, state: State) -> tv.Variable:
        """Return whether the bracket is small, or x is a root."""
        x = state.x[0]
        half = (state.end - x) / 2.0
        return tv.or_(tv.eq(state.fun[0], 0.0), tv.abs(half) < self.tolerance(x))


def order_bracket(
    last: Any, last_fun: Any, x: Any, fun: Any, end: Any, end_fun: Any, step: Any, before: Any
) -> Any:
    """Return the bracket behind a step from `last` to x: the smaller value is at x."""
    crossed = last_fun * tv.sign(fun) < 0.0
    length = x - last
    end, end_fun, step, before = tv.ifelse(
        crossed, (last, last_fun, length, length), (end, end_fun, step, before)
    )
    swapped = tv.abs(end_fun) < tv.abs(fun)
    return tuple(
        tv.ifelse(
            tv.and_(swapped, tv.neq(end_fun, 0.0)),
            (end, end_fun, x, fun, x, fun, step, before),
            (x, fun, last, last_fun, end, end_fun, step, before),
        )
    )


def ends(problem: Problem) -> tuple[Any, Any]:
    """Return the ends of the bracket of a problem of one number, 0-d."""
    assert problem.lower is not None
    assert problem.upper is not None
    return problem.lower[0], problem.upper[0]


def value(problem: Problem, x: Any) -> Any:
    """Return the value of a function of one number, 0-d; counted as nfev."""
    return problem.residuals(x[None])[0]


__all__ = ["RTOL", "SAME_SIGN", "SAME_SIGN_MESSAGE", "State", "brent_root", "ends", "value"]
