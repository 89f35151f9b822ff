"""Solutions whose gradients are those of the equation that they solve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import thunkvm as tv
from thunkvm.optimize.method import Method
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.program import as_variables
from thunkvm.optimize.required_shapes import with_shape


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

    def map_point(z: tv.Variable) -> tv.Variable:
        value = tv.as_variable(equation(z))
        shape = [z.shape[axis] if n is None else n for axis, n in enumerate(z.type.shape)]
        return z - with_shape(value, shape, "the value of the equation", "the shape of x")

    # A fixed point that takes no step has the gradient of its equation, and is x itself.
    return tv.fixed_point(map_point, x, max_steps=0)


def run_method(method: Method, problem: Problem, x0: Any) -> Any:
    """Return the last state of a method, as a part of a graph of the user's."""
    start = method.judge_state(as_variables(method.start(problem, x0)))
    return tv.while_loop(
        method.is_running,
        lambda state: method.judge_state(as_variables(method.step(problem, state))),
        start,
    )


__all__ = ["implicit", "run_method"]
