"""`root`: SciPy's function, whose solver is one compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.arrays.shapes import reshape
from thunkvm.optimize.anderson import anderson_mixing
from thunkvm.optimize.levenberg_marquardt import levenberg_marquardt
from thunkvm.optimize.method import Method
from thunkvm.optimize.methods import method_of
from thunkvm.optimize.minimize import run_in_steps
from thunkvm.optimize.problem import join_nest
from thunkvm.optimize.required_shapes import with_shape
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.solver import Solver, begun

#: The least squares that end at a root as near as numbers are.
_squares = partial(levenberg_marquardt, ftol=-1.0, gtol=-1.0)

ROOTS: dict[str, Callable[..., Method]] = {
    "hybr": _squares,
    "lm": _squares,
    "anderson": anderson_mixing,
}


@dataclass(frozen=True)
class Equations:
    """A function whose value has to have as many elements as x."""

    fun: Callable[..., Any]
    with_jacobian: bool

    def __call__(self, x: Any, *args: Any) -> Any:
        """Return the equations as a vector, and behind it the Jacobian if fun returns both."""
        returned = self.fun(x, *args)
        if not self.with_jacobian:
            return _equations(returned, x)
        if isinstance(returned, (tuple, list)) and len(returned) == 2:
            return _equations(returned[0], x), returned[1]
        return returned  # which `Problem` refuses


def _equations(value: Any, x: Any) -> Variable:
    unknowns = reshape(join_nest(x), (-1,))
    found = reshape(join_nest(value), (-1,))
    rule = "as many elements as x (method='lm' takes more)"
    return with_shape(found, unknowns.type.shape, "the value of fun", rule)


def root(
    fun: Callable[..., Any],
    x0: Any = None,
    args: Any = (),
    method: str | Method = "hybr",
    jac: Callable[..., Any] | bool | None = None,
    tol: float | None = None,
    callback: Callable[[Any], Any] | None = None,
    options: dict[str, Any] | None = None,
    *,
    state: Any = None,
    progress: bool = False,
    mode: Any = None,
) -> OptimizeResult:
    """Return a root of n equations in n unknowns, as `scipy.optimize.root` does.

    Parameters
    ----------
    fun : callable
        From Variables like `x0`, and the extra arguments, to a vector of n; for "lm" of n or more.
    x0 : nest of numbers and arrays, optional
        Where to begin.
    args : tuple
        Extra arguments of `fun` and `jac`, which may change from call to call.
    method : str or Method
        "hybr" or "lm", which are `levenberg_marquardt`, or "anderson", which needs no derivative.
    jac : callable, optional
        As `fun`, to the Jacobian, shape ``(n, n)``; it is derived if left out. If it is True, `fun`
        returns both.
    tol : float, optional
        `xtol` of `levenberg_marquardt`, `fatol` of `anderson_mixing`.
    callback : callable, optional
        It is called with the state after each step. If it raises StopIteration, the solver ends.
    options : dict, optional
        The options of the method; ``"fatol"``: how large an element of fun may be at a root (1e-6
        for "hybr" and "lm"); ``"raise"``: whether an exception in a step is raised.
    state : NamedTuple, optional
        Where to go on from, instead of `x0`.
    progress : bool
        Show a bar of the steps, which needs tqdm.
    mode : str or Mode, optional
        The mode of the compiled functions.

    Returns
    -------
    OptimizeResult
        See `minimize`. A least sum of squares that is not 0 is no success.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def circle_and_line(x, radius):
    ...     return tv.stack([x[0] ** 2 + x[1] ** 2 - radius**2, x[0] - x[1]])
    >>> result = tv.optimize.root(circle_and_line, [1.0, 0.5], args=(2.0,))
    >>> result.success, result.x.round(6)
    (True, array([1.414214, 1.414214]))
    """
    given = dict(options or {})
    raises = bool(given.pop("raise", False))
    chosen = method_of(method, ROOTS, {})
    squares = isinstance(chosen, levenberg_marquardt)
    largest = given.pop("fatol", 1e-6) if squares else None
    if tol is not None:
        given.setdefault("xtol" if squares else "fatol", tol)
    chosen = method_of(chosen, ROOTS, given)
    solver = Solver(fun, chosen, jac, mode=mode)
    if method != "lm" and not isinstance(method, levenberg_marquardt):
        question = solver.question
        equations = Equations(question.fun, jac is True)
        solver.question = replace(question, fun=equations)
    if callback is None and not progress:
        result = solver.run(x0, args, state, raises)
    else:
        with begun(solver, x0, args, state) as call:
            result = run_in_steps(call, callback, progress, raises)
    if largest is not None:
        _judge_result(result, largest)
    return result


def _judge_result(result: OptimizeResult, largest: float) -> None:
    """Let a least sum of squares be a root if it is 0, however the search for it ended."""
    at_root = bool(np.max(np.abs(result.fun), initial=0.0) <= largest)
    if result.success and not at_root:
        result["message"] = "The sum of squares is least here, but it is not 0: this is no root."
    result["success"] = result.success and at_root


__all__ = ["root"]
