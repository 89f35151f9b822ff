"""Roots and least points of functions of one number, as parts of a graph of the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import thunkvm as tv
from thunkvm.optimize.bisection import bisection
from thunkvm.optimize.brent_minimum import brent_minimum
from thunkvm.optimize.brent_root import RTOL, brent_root
from thunkvm.optimize.implicit import implicit, run_method
from thunkvm.optimize.method import Method
from thunkvm.optimize.nests import Nest
from thunkvm.optimize.newton_root import newton_root
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import CONVERGED

NUMBER = Nest.of(np.float64(0.0))


def brent(
    f: Callable[[Any], Any],
    a: Any,
    b: Any,
    xtol: Any = 2e-12,
    rtol: Any = RTOL,
    maxiter: Any = 100,
) -> tv.Variable:
    """Return a root of a function between a and b, by Brent's method, as a Variable.

    Parameters
    ----------
    f : callable
        From a 0-d Variable to one. It may read other Variables: the root has the gradient by them
        that the equation gives it (`implicit`), of any order.
    a, b : Variable or number
        Where f has different signs, in any order.
    xtol, rtol : Variable or number
        How near the root is: within ``xtol + rtol * |x|``.
    maxiter : Variable or int
        How many steps there are at most.

    Returns
    -------
    Variable
        0-d float64; NaN if f has the same sign at a and b, is NaN, or the steps are used up. Values
        of f are counted as nfev.

    References
    ----------
    See `brent_root`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.scalar("p")
    >>> root = tv.optimize.brent(lambda x: x - p * tv.cos(x), 0.0, 2.0)
    >>> f = tv.function([p], [root, tv.grad(root, p)])
    >>> [round(float(value), 6) for value in f(1.0)]
    [0.739085, 0.441611]
    """
    return _root(f, brent_root(maxiter, xtol, rtol), a, b)


def bisect(
    f: Callable[[Any], Any],
    a: Any,
    b: Any,
    xtol: Any = 2e-12,
    rtol: Any = RTOL,
    maxiter: Any = 1100,
) -> tv.Variable:
    """Return a root of a function between a and b, by bisection, as a Variable.

    Parameters
    ----------
    f, a, b, xtol, rtol, maxiter : callable, Variables or numbers
        As of `brent`. Only signs of f are read.

    Returns
    -------
    Variable
        As of `brent`.

    References
    ----------
    See `bisection`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.scalar("p")
    >>> root = tv.optimize.bisect(lambda x: x**2 - p, 0.0, p)
    >>> f = tv.function([p], [root, tv.grad(root, p)])
    >>> [round(float(value), 6) for value in f(4.0)]
    [2.0, 0.25]
    """
    return _root(f, bisection(maxiter, xtol, rtol), a, b)


def newton(
    f: Callable[[Any], Any],
    x0: Any,
    bracket: tuple[Any, Any] | None = None,
    xtol: Any = 1.48e-8,
    rtol: Any = 0.0,
    maxiter: Any = 100,
    fprime: Callable[[Any], Any] | None = None,
) -> tv.Variable:
    """Return a root of a function, by Newton's method with bounds on its steps, as a Variable.

    Parameters
    ----------
    f, xtol, rtol, maxiter : callable, Variables or numbers
        As of `brent`; it ends behind a step of at most ``xtol + rtol * |x|``.
    x0 : Variable or number
        Where to begin.
    bracket : (a, b), optional
        Where f has different signs; no step leaves it, and slow ones are those of bisection.
    fprime : callable, optional
        The derivative of f; it is derived if left out.

    Returns
    -------
    Variable
        As of `brent`. Derivatives are counted as njev.

    References
    ----------
    See `newton_root`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.scalar("p")
    >>> root = tv.optimize.newton(lambda x: tv.exp(x) - p, 0.0)
    >>> f = tv.function([p], [root, tv.grad(root, p)])
    >>> [round(float(value), 6) for value in f(2.0)], f.counts()
    ([0.693147, 0.5], {'nfev': 7, 'njev': 6})
    """
    a, b = (None, None) if bracket is None else bracket
    return _root(f, newton_root(maxiter, xtol, rtol), a, b, x0, fprime)


def scalar_minimum(
    f: Callable[[Any], Any],
    a: Any,
    b: Any,
    xtol: Any = 1e-10,
    maxiter: Any = 500,
) -> tv.Variable:
    """Return where a function is least between a and b, by Brent's method, as a Variable.

    Parameters
    ----------
    f : callable
        From a 0-d Variable to one. It may read other Variables: the point has the gradient by them
        that the equation ``f'(x) = 0`` gives it.
    a, b : Variable or number
        The ends of the interval, a < b.
    xtol : Variable or number
        How near the point is.
    maxiter : Variable or int
        How many steps there are at most.

    Returns
    -------
    Variable
        0-d float64; NaN where f is NaN, or the steps are used up. Values of f are counted as nfev.

    References
    ----------
    See `brent_minimum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.scalar("p")
    >>> least = tv.optimize.scalar_minimum(lambda x: tv.exp(x) - p * x, -5.0, 5.0)
    >>> f = tv.function([p], [least, tv.grad(least, p)])
    >>> [round(float(value), 5) for value in f(2.0)]
    [0.69315, 0.5]
    """
    low, high = _number(a)[None], _number(b)[None]
    problem = Problem(f, NUMBER, lower=low, upper=high)
    last = run_method(brent_minimum(maxiter, xtol), problem, low)

    def slope(x: Any) -> Any:
        point = x[None]
        return tv.grad(Problem(f, NUMBER)._value(point), point, "ignore")[0]

    return implicit(slope, _solution(last))


def _root(
    f: Callable[[Any], Any], method: Method, a: Any, b: Any, x0: Any = None, fprime: Any = None
) -> tv.Variable:
    low, high = (None if end is None else _number(end)[None] for end in (a, b))
    start = low if x0 is None else _number(x0)[None]
    assert start is not None
    problem = Problem(f, NUMBER, jac=fprime, lower=low, upper=high)
    return implicit(f, _solution(run_method(method, problem, start)))


def _number(value: Any) -> tv.Variable:
    return tv.as_variable(value).astype("float64")


def _solution(state: Any) -> Any:
    """Return the solution of a state, or NaN."""
    return tv.ifelse(tv.eq(state.status, CONVERGED), state.x[0], tv.constant(np.nan))


__all__ = ["bisect", "brent", "newton", "scalar_minimum"]
