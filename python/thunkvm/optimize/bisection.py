"""Bisection: a root between two points where a function has different signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.brent_root import RTOL, SAME_SIGN, SAME_SIGN_MESSAGE, ends, value
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING


class State(NamedTuple):
    """Where `bisection` is: a root is between `low` and ``low + width``, 0-d.

    x and fun have shape ``(1,)``: the middle of the bracket before.
    """

    x: Any
    fun: Any
    low: Any
    width: Any
    sign: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class bisection(Method):
    """Bisection: a root between two points where a function has different signs.

    A step halves the bracket, at the cost of one value. Only its sign is read.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most.
    xtol, rtol : float
        It ends where the root is known to within ``xtol + rtol * |x|``.

    References
    ----------
    R. Burden and J. Faires, Numerical analysis, 9th edition, 2011, section 2.1. The order of steps
    is that of `scipy.optimize.bisect`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.root_scalar(lambda x: x**2 - 2.0, bracket=(0.0, 2.0), method="bisect")
    >>> round(result.root, 9), result.function_calls
    (1.414213562, 42)
    """

    messages: ClassVar[dict[int, str]] = {SAME_SIGN: SAME_SIGN_MESSAGE}
    bounded: ClassVar[bool] = True

    maxiter: Number = number(1100)
    xtol: Number = number(2e-12)
    rtol: Number = number(RTOL)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state of a bracket, which is the bounds of the problem."""
        low, high = ends(problem)
        low_fun, high_fun = value(problem, low), value(problem, high)
        at_low = tv.or_(tv.eq(low_fun, 0.0), tv.isnan(low_fun))
        same = low_fun * tv.sign(high_fun) > 0.0
        return State(
            tv.where(at_low, low, high)[None],
            tv.where(at_low, low_fun, high_fun)[None],
            low,
            high - low,
            tv.sign(low_fun),
            np.int64(0),
            tv.where(same, np.int64(SAME_SIGN), np.int64(RUNNING)),
        )

    def step(self, problem: Problem, state: State) -> State:
        """Return the state of half the bracket."""
        half = state.width / 2.0
        middle = state.low + half
        fun = value(problem, middle)
        return State(
            middle[None],
            fun[None],
            tv.where(fun * state.sign > 0.0, middle, state.low),
            half,
            state.sign,
            state.nit + np.int64(1),
            np.int64(RUNNING),
        )

    def converged(self, state: State) -> tv.Variable:
        """Return whether the bracket is small, or x is a root."""
        near = self.xtol + self.rtol * tv.abs(state.x[0])
        return tv.or_(tv.eq(state.fun[0], 0.0), tv.abs(state.width) < near)


__all__ = ["State", "bisection"]
