"""Line searches: how far to go along a direction, each one loop of trials.

A trial needs the value at a point. The gradient there stands in the arm of the trials whose value
is low enough, and runs in no other.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

import thunkvm as tv

#: The next trial in a bracket stays so far away from both ends, in units of its width.
MARGIN = 0.1
#: The next trial behind the last one, where there is no bracket yet: least and most, in units of
#: the distance of the last two.
EXPANSION = (1.1, 4.0)


class Differentiable(Protocol):
    """A function of a vector, as graphs; a `Problem` is one."""

    def value(self, x: tv.Variable) -> tv.Variable:
        """Return the value at a point, 0-d."""

    def gradient(self, x: tv.Variable) -> tv.Variable:
        """Return the gradient at a point, shape ``(n,)``."""


class Search(NamedTuple):
    """The end of a line search.

    Attributes
    ----------
    rate : Variable
        How far it went along the direction, 0-d.
    x, fun, jac : Variable
        The point, shape ``(n,)``, the value there, 0-d, and the gradient there, shape ``(n,)``.
    found : Variable
        Whether the value there is low enough, a 0-d bool; else x is where the search began.

    Examples
    --------
    >>> import thunkvm as tv
    >>> problem, x = tv.optimize.Problem(lambda x: tv.sum(x**2)), tv.vector("x")
    >>> fun, jac = problem.value_and_gradient(x)
    >>> search = tv.optimize.backtracking(problem, x, -jac, fun, jac)
    >>> tv.function([x], [search.found, search.x])([1.0])
    [np.True_, array([0.])]
    """

    rate: Any
    x: Any
    fun: Any
    jac: Any
    found: Any


def backtracking(
    problem: Differentiable,
    x: tv.Variable,
    direction: tv.Variable,
    fun: tv.Variable,
    jac: tv.Variable,
    rate: Any = 1.0,
    c1: Any = 1e-4,
    shrink: Any = 0.5,
    trials: Any = 50,
) -> Search:
    """Return the first of the rates t, t * shrink, ... at which the value falls by enough.

    Enough is ``c1`` of what the gradient promises (L. Armijo, 1966). The gradient runs once,
    behind the trials.

    Parameters
    ----------
    problem : Problem
        The function; its `Problem.value` and `Problem.gradient` are asked for.
    x, direction : Variable
        Where to begin, and where to go, shape ``(n,)``.
    fun, jac : Variable
        The value at x, 0-d, and the gradient there, shape ``(n,)``.
    rate : number
        The first trial, in units of `direction`.
    c1, shrink : number
        How much is enough, from 0 to 1; what a rate that fails is multiplied by.
    trials : int
        How many there are at most.

    Returns
    -------
    Search

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, algorithm 3.1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> problem, x = tv.optimize.Problem(lambda x: tv.sum(x**2)), tv.vector("x")
    >>> fun, jac = problem.value_and_gradient(x)
    >>> search = tv.optimize.backtracking(problem, x, -8.0 * jac, fun, jac)
    >>> f = tv.function([x], [search.rate, search.jac])
    >>> f([1.0]), f.counts() == {"nfev": 6, "njev": 2}
    ([np.float64(0.0625), array([0.])], True)
    """
    slope = tv.sum(jac * direction)

    def fails(state: tuple[Any, Any, Any]) -> tv.Variable:
        at, value, tried = state
        return tv.and_(
            tv.logical_not(value <= fun + c1 * at * slope), tv.as_variable(tried) < trials
        )

    def shrink_step(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        at = state[0] * shrink
        return at, problem.value(x + at * direction), state[2] + np.int64(1)

    first = tv.as_variable(rate).astype(fun.dtype)
    at, value, _ = tv.while_loop(
        fails, shrink_step, (first, problem.value(x + first * direction), np.int64(1))
    )
    found = value <= fun + c1 * at * slope
    after = x + at * direction
    stay = (0.0 * at, x, fun, jac)
    rate, x, fun, jac = tv.ifelse(found, (at, after, value, problem.gradient(after)), stay)
    return Search(rate, x, fun, jac, found)


def first_rate(fun: Any, before: Any, slope: Any) -> tv.Variable:
    """Return the first trial of a search that is to lower a value as the last one did.

    Parameters
    ----------
    fun, before : Variable
        The value, and that of the step before, 0-d; inf if there was none.
    slope : Variable
        The slope along the direction, negative, 0-d.

    Returns
    -------
    Variable
        In units of the direction, at most 1, 0-d.

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, equation 3.60.

    Examples
    --------
    >>> import thunkvm as tv
    >>> rate = tv.optimize.first_rate(1.0, 2.0, -8.0)
    >>> float(tv.function([], rate)())
    0.2525
    """
    rate = tv.minimum(1.0, 1.01 * 2.0 * (tv.as_variable(fun) - before) / slope)
    return tv.where(rate > 0.0, rate, 1.0)


class _Trials(NamedTuple):
    """The bracket of `strong_wolfe`: the best rate, the other end, and the next trial.

    The best rate has the least value of all whose value is low enough. The other end has no slope
    (NaN) where its value was too high for a gradient; it is at inf where there is none yet.
    """

    rate: Any
    fun: Any
    slope: Any
    jac: Any
    end: Any
    end_fun: Any
    end_slope: Any
    trial: Any
    tried: Any
    done: Any


def strong_wolfe(
    problem: Differentiable,
    x: tv.Variable,
    direction: tv.Variable,
    fun: tv.Variable,
    jac: tv.Variable,
    rate: Any = 1.0,
    c1: Any = 1e-4,
    c2: Any = 0.9,
    most: Any = np.inf,
    trials: Any = 20,
) -> Search:
    """Return a rate at which the value falls by enough and the slope is flat enough.

    The value falls by at least ``c1`` of the slope's promise. The slope is at most ``c2`` of the
    first one. Trials go outwards until they enclose such a rate, and then inwards; each is the
    least point of a parabola or a cubic through what is known. The gradient runs only in trials
    whose value is low enough.

    Parameters
    ----------
    problem : Problem
        The function; its `Problem.value` and `Problem.gradient` are asked for.
    x, direction : Variable
        Where to begin, and where to go (downhill), shape ``(n,)``.
    fun, jac : Variable
        The value at x, 0-d, and the gradient there, shape ``(n,)``.
    rate : number
        The first trial, in units of `direction`.
    c1, c2 : number
        How much of the slope the value has to fall by, and may remain; 0 < c1 < c2 < 1.
    most : number
        No rate is larger; the search ends there if the value is still falling.
    trials : int
        How many there are at most. Behind them the best rate is taken if its value is low enough.

    Returns
    -------
    Search

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, algorithms 3.5 and 3.6;
    the steps outwards are those of J. Moré and D. Thuente, Line search algorithms with guaranteed
    sufficient decrease, ACM TOMS 20, 1994.

    Examples
    --------
    >>> import thunkvm as tv
    >>> problem, x = tv.optimize.Problem(lambda x: tv.sum(x**2)), tv.vector("x")
    >>> fun, jac = problem.value_and_gradient(x)
    >>> search = tv.optimize.strong_wolfe(problem, x, -4.0 * jac, fun, jac)
    >>> f = tv.function([x], [search.rate, search.jac])
    >>> f([1.0]), f.counts() == {"nfev": 3, "njev": 2}
    ([np.float64(0.125), array([0.])], True)
    """
    slope = tv.sum(jac * direction)
    limit = tv.as_variable(most).astype(fun.dtype)
    unknown = tv.zeros_like(fun) + np.nan

    def step(s: _Trials) -> _Trials:
        at = s.trial
        point = x + at * direction
        value = problem.value(point)
        low = tv.and_(value <= fun + c1 * at * slope, tv.or_(value < s.fun, tv.eq(s.rate, 0.0)))
        low.name = "low enough"

        def lower_trials() -> _Trials:
            gradient = problem.gradient(point)
            here = tv.sum(gradient * direction)
            done = tv.or_(tv.logical_not(tv.abs(here) > -c2 * slope), at >= limit)
            # Uphill towards the other end: what encloses the solution is here and the last best.
            turned = here * (s.end - s.rate) >= 0.0
            end = tv.ifelse(turned, (s.rate, s.fun, s.slope), (s.end, s.end_fun, s.end_slope))
            trial = tv.ifelse(
                tv.isinf(end[0]),
                tv.minimum(_outwards(s.rate, s.fun, s.slope, at, value, here), limit),
                _inwards(at, value, here, *end),
            )
            return _Trials(at, value, here, gradient, end[0], end[1], end[2], trial, s.tried, done)

        def higher() -> _Trials:
            trial = _inwards(s.rate, s.fun, s.slope, at, value, np.nan)
            return s._replace(end=at, end_fun=value, end_slope=unknown, trial=trial)

        after = tv.ifelse(low, lower_trials(), higher())
        return after._replace(tried=s.tried + np.int64(1))

    zero = tv.zeros_like(fun)
    none = zero + np.inf
    first = tv.minimum(tv.as_variable(rate).astype(fun.dtype), limit)
    begin = _Trials(zero, fun, slope, jac, none, none, none, first, np.int64(0), tv.constant(False))

    def goes_on(s: _Trials) -> tv.Variable:
        # What the slope promises of another trial has to be more than rounding.
        promised = tv.abs(s.slope * (s.trial - s.rate))
        worth = promised > float(np.finfo(fun.dtype).eps) * tv.abs(s.fun)
        left = tv.as_variable(s.tried) < trials
        return tv.and_(tv.logical_not(s.done), left, tv.or_(tv.eq(s.tried, 0), worth))

    last = tv.while_loop(goes_on, step, begin)
    # At the limit of precision the value at a small rate is low enough, and not lower.
    found = tv.or_(last.done, last.fun < fun)
    return Search(last.rate, x + last.rate * direction, last.fun, last.jac, found)


def _outwards(a: Any, fa: Any, da: Any, b: Any, fb: Any, db: Any) -> tv.Variable:
    """Return the next trial behind b, where the value falls from a to b and still falls there."""
    least, most = (b + times * (b - a) for times in EXPANSION)
    trial = _least_of_cubic(a, fa, da, b, fb, db)
    # A cubic that falls for ever has its least point in front, or none.
    return tv.where(trial > b, tv.minimum(tv.maximum(trial, least), most), most)


def _inwards(a: Any, fa: Any, da: Any, b: Any, fb: Any, db: Any) -> tv.Variable:
    """Return the next trial between the best rate a and b, whose slope may be NaN."""
    width = b - a
    trial = tv.ifelse(
        tv.isnan(db),
        a - da * width**2 / (2.0 * (fb - fa - da * width)),
        _least_of_cubic(a, fa, da, b, fb, db),
    )
    share = (trial - a) / width
    share = tv.where(tv.isfinite(share), share, MARGIN)
    return a + width * tv.minimum(tv.maximum(share, MARGIN), 1.0 - MARGIN)


def _least_of_cubic(a: Any, fa: Any, da: Any, b: Any, fb: Any, db: Any) -> tv.Variable:
    """Return the least point of the cubic with these values and slopes at a and b."""
    first = da + db - 3.0 * (fa - fb) / (a - b)
    second = tv.sign(b - a) * tv.sqrt(tv.maximum(first**2 - da * db, 0.0))
    return b - (b - a) * (db + second - first) / (db - da + 2.0 * second)


__all__ = ["Search", "backtracking", "first_rate", "strong_wolfe"]
