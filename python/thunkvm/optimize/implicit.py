"""Solutions whose gradients are those of the equation that they solve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import thunkvm as tv
from thunkvm.optimize.method import Method
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.program import as_variables


def implicit(equation: Callable[[Any], Any], x: Any) -> tv.Variable:
    """Return x, with the gradient that it has as the solution of ``equation(x) = 0``.

    That is ``dx/dp = -J**-1 dF/dp``, with J the derivatives of the equation F by x, by the
    implicit function theorem: for each p that the equation reads, and whatever computed x.
    Nothing of the equation is computed for the value of x.

    Parameters
    ----------
    equation : callable
        From a Variable like x to one of its shape.
    x : Variable
        A solution, 0-d or of any shape, computed in any way: no gradient goes through that.

    Returns
    -------
    Variable
        It has derivatives of any order; its Jacobian has to be regular there.

    References
    ----------
    S. Krantz and H. Parks, The implicit function theorem, 2002.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.scalar("a")
    >>> cube_root = tv.optimize.implicit(lambda x: x**3 - a, a ** (1 / 3))
    >>> f = tv.function([a], [cube_root, tv.grad(cube_root, a)])
    >>> [round(float(value), 6) for value in f(8.0)]
    [2.0, 0.083333]
    """
    # A fixed point that takes no step has the gradient of its equation, and is x itself.
    return tv.fixed_point(lambda z: z - equation(z), x, max_steps=0)


def run_method(method: Method, problem: Problem, x0: Any) -> Any:
    """Return the last state of a method, as a part of a graph of the user's."""
    start = method.judge_state(as_variables(method.start(problem, x0)))
    return tv.while_loop(
        method.is_running,
        lambda state: method.judge_state(as_variables(method.step(problem, state))),
        start,
    )


__all__ = ["implicit", "run_method"]
