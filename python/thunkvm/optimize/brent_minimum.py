"""Brent's method: where a function of one number is least, without a derivative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.brent_root import ends
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING

#: The share of an interval that the golden section cuts off.
GOLDEN = (3.0 - 5.0**0.5) / 2.0
GROWTH = (1.0 + 5.0**0.5) / 2.0
ROOT_EPS = float(np.finfo(float).eps) ** 0.5


class State(NamedTuple):
    """Where `brent_minimum` is: the least value that was found is at x, between `low` and `high`.

    x has shape ``(1,)``, the others are 0-d. The second and third least values are at `second`
    and `third`; `step` and `step_before` are the last two steps.
    """

    x: Any
    fun: Any
    low: Any
    high: Any
    second: Any
    second_fun: Any
    third: Any
    third_fun: Any
    step: Any
    step_before: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class brent_minimum(Method):
    """Brent's method: where a function of one number is least, without a derivative.

    A step goes to the least point of the parabola through the three least values, if that is near
    enough. Else it cuts the longer side by the golden section: one value a step.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most.
    xtol, rtol : float
        It ends where the point is known to within ``xtol + 3 * rtol * |x|`` or so; below 1.5e-8,
        rounding of fun decides.
    searches : bool
        The bounds are two points to begin with, and not the ends of an interval: points are tried
        downhill of them, ever farther, until they enclose a least point.

    Notes
    -----
    The parabola and the golden section are arms: a step computes one of them.

    References
    ----------
    R. Brent, Algorithms for minimization without derivatives, 1973, chapter 5.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.minimize_scalar(lambda x: (x - 2.0) ** 2 + 1.0, bounds=(0.0, 5.0))
    >>> round(result.x, 6), round(result.fun, 6), result.success
    (2.0, 1.0, True)
    """

    bounded: ClassVar[bool] = True

    maxiter: Number = number(500)
    xtol: Number = number(1e-10)
    rtol: Number = number(ROOT_EPS)
    searches: bool = False

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state of an interval, which is the bounds of the problem."""
        low, high = ends(problem)
        if self.searches:
            low, x, high, fun = enclose_minimum(problem, low, high)
        else:
            x = low + GOLDEN * (high - low)
            fun = value_at(problem, x)
        zero = tv.zeros_like(x)
        return State(
            x[None], fun, low, high, x, fun, x, fun, zero, zero, np.int64(0), np.int64(RUNNING)
        )

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one step."""
        x, fun = state.x[0], state.fun
        middle = (state.low + state.high) / 2.0
        near = self.tolerance(x)

        def golden_step() -> tuple[Any, Any]:
            side = tv.where(x >= middle, state.low - x, state.high - x)
            return GOLDEN * side, side

        def parabola() -> tuple[Any, Any]:
            r = (x - state.second) * (fun - state.third_fun)
            q = (x - state.third) * (fun - state.second_fun)
            p = (x - state.third) * q - (x - state.second) * r
            q = 2.0 * (q - r)
            p = tv.where(q > 0.0, -p, p)
            q = tv.abs(q)
            fits = tv.and_(
                tv.abs(p) < tv.abs(0.5 * q * state.step_before),
                p > q * (state.low - x),
                p < q * (state.high - x),
            )

            def parabolic_step() -> tuple[Any, Any]:
                point = x + p / q
                at_end = tv.or_(point - state.low < 2.0 * near, state.high - point < 2.0 * near)
                return tv.where(at_end, tv.where(middle >= x, near, -near), p / q), state.step

            return tv.ifelse(fits, parabolic_step(), golden_step())

        step, before = tv.ifelse(tv.abs(state.step_before) > near, parabola(), golden_step())
        after = x + tv.where(step >= 0.0, 1.0, -1.0) * tv.maximum(tv.abs(step), near)
        after_fun = value_at(problem, after)

        def lower_state() -> State:
            right = after >= x
            return state._replace(
                x=after[None], fun=after_fun,
                low=tv.where(right, x, state.low), high=tv.where(right, state.high, x),
                second=x, second_fun=fun, third=state.second, third_fun=state.second_fun,
            )  # fmt: skip

        def higher() -> State:
            right = after >= x
            to_second = tv.or_(after_fun <= state.second_fun, tv.eq(state.second, x))
            to_third = tv.or_(
                after_fun <= state.third_fun,
                tv.eq(state.third, x),
                tv.eq(state.third, state.second),
            )
            rest = tv.cond(
                [
                    (to_second, (after, after_fun, state.second, state.second_fun)),
                    (to_third, (state.second, state.second_fun, after, after_fun)),
                ],
                (state.second, state.second_fun, state.third, state.third_fun),
            )
            return state._replace(
                low=tv.where(right, state.low, after), high=tv.where(right, after, state.high),
                second=rest[0], second_fun=rest[1], third=rest[2], third_fun=rest[3],
            )  # fmt: skip

        return tv.ifelse(after_fun <= fun, lower_state(), higher())._replace(
            step=step,
            step_before=before,
            nit=state.nit + np.int64(1),
            status=np.int64(RUNNING),
        )

    def tolerance(self, x: Any) -> Any:
        """Return the least length of a step."""
        return self.rtol * tv.abs(x) + self.xtol / 3.0

    def converged(self, state: State) -> tv.Variable:
        """Return whether the interval is small."""
        x = state.x[0]
        middle, half = (state.low + state.high) / 2.0, (state.high - state.low) / 2.0
        return tv.abs(x - middle) <= 2.0 * self.tolerance(x) - half


def value_at(problem: Problem, x: Any) -> Any:
    """Return the value of a function of one number, 0-d; counted as nfev."""
    return problem.value(x[None])


def enclose_minimum(problem: Problem, a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    """Return an interval, a point in it with a lower value than both ends have, and its value."""
    a_fun, b_fun = value_at(problem, a), value_at(problem, b)
    a, a_fun, b, b_fun = tv.ifelse(a_fun < b_fun, (b, b_fun, a, a_fun), (a, a_fun, b, b_fun))
    c = b + GROWTH * (b - a)

    def farther(s: tuple[Any, ...]) -> tuple[Any, ...]:
        _, b, _, c, c_fun, tried = s
        d = c + GROWTH * (c - b)
        return b, c, c_fun, d, value_at(problem, d), tried + np.int64(1)

    a, b, b_fun, c, _, _ = tv.while_loop(
        lambda s: tv.and_(s[4] < s[2], s[5] < 1000),
        farther,
        (a, b, b_fun, c, value_at(problem, c), np.int64(0)),
    )
    return tv.minimum(a, c), b, tv.maximum(a, c), b_fun


__all__ = ["State", "brent_minimum"]
