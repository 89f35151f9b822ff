"""`minimize_many`: many starts, each with a control flow of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.calls.many import listed, on_threads
from thunkvm.optimize.method import Method
from thunkvm.optimize.minimize import chosen_solver
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.solver import Solver
from thunkvm.optimize.status import MESSAGES, RAISED


def minimize_many(
    fun: Callable[..., Any] | Variable,
    starts: Iterable[Any],
    args: Any = (),
    method: str | Method | None = None,
    jac: Callable[..., Any] | bool | None = None,
    hess: Callable[..., Any] | None = None,
    hessp: Callable[..., Any] | None = None,
    bounds: Any = None,
    tol: float | None = None,
    options: dict[str, Any] | None = None,
    *,
    workers: int | None = None,
    mode: Any = None,
) -> list[OptimizeResult]:
    """Return where a function is least from each of many starts, on several threads.

    Each start is a loop of its own: none waits for the steps of another, and none computes a
    branch that it does not take. Threads run at the same time where `fun` holds no Python.

    Parameters
    ----------
    fun : callable or Variable
        From Variables like a start, and the extra arguments, to a 0-d Variable.
    starts : iterable of nests
        Where to begin: as `x0` of `minimize`, each. The rows of an array are starts.
    args, method, jac, hess, hessp, bounds, tol, options, mode
        As of `minimize`, for all starts alike.
    workers : int, optional
        How many threads there are; the number of processors if left out.

    Returns
    -------
    list of OptimizeResult
        One for each start, in order. A start that fails, whatever it is that fails, is a result
        whose status and message say so.

    Raises
    ------
    TypeError
        If `starts` is no iterable.
    ValueError
        If there is no such method, or it takes no bounds.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def wave(x):
    ...     return tv.sum(tv.cos(x) + x**2 / 50.0)
    >>> results = tv.optimize.minimize_many(wave, [[-2.0], [3.0], [8.0]], workers=2)
    >>> [round(float(result.x[0]), 3) for result in results]
    [-3.02, 3.02, 9.054]
    """
    solver, raises = chosen_solver(fun, method, jac, hess, hessp, bounds, tol, options, mode)
    items = listed("[minimize_many] starts", starts)
    if not items:
        return []
    # The first one compiles; the other threads find its C.
    first = _result(solver, items[0], args, raises)
    return [
        first,
        *on_threads(lambda: lambda x0: _result(solver, x0, args, raises), items[1:], workers),
    ]


def _result(solver: Solver, x0: Any, args: Any, raises: bool) -> OptimizeResult:
    try:
        return solver.run(x0, args, raises=raises)
    except Exception as error:
        if raises:
            raise
        message = f"{MESSAGES[RAISED]} {type(error).__name__}: {error}"
        return OptimizeResult(
            x=x0, fun=np.nan, nit=0, nfev=0, status=RAISED, success=False, message=message
        )


__all__ = ["minimize_many"]
