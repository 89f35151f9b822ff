"""`minimize`: SciPy's function, whose solver is one compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from thunkvm._core import Variable
from thunkvm.optimize.bounds import bounds_of
from thunkvm.optimize.method import Method
from thunkvm.optimize.methods import MINIMIZERS, method_of
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.solver import Call, Solver, begun
from thunkvm.optimize.status import RUNNING, STOPPED


def minimize(
    fun: Callable[..., Any] | Variable,
    x0: Any = None,
    args: Any = (),
    method: str | Method | None = None,
    jac: Callable[..., Any] | bool | None = None,
    hess: Callable[..., Any] | None = None,
    hessp: Callable[..., Any] | None = None,
    bounds: Any = None,
    tol: float | None = None,
    callback: Callable[[Any], Any] | None = None,
    options: dict[str, Any] | None = None,
    *,
    state: Any = None,
    progress: bool = False,
    mode: Any = None,
) -> OptimizeResult:
    """Return where a function is least, as `scipy.optimize.minimize` does.

    All steps are one compiled loop, in which a gradient or a Hessian runs only where a step needs
    it. It is compiled in the first call, and kept. Its key has the function, the method, and the
    structure and types of `x0` and `args`: a call with other numbers compiles nothing.

    Parameters
    ----------
    fun : callable or Variable
        From Variables like `x0`, and the extra arguments, to a 0-d Variable. It is called while
        the graph is built, and never with numbers. If it is a graph itself, `x0` and `args` are
        dicts from its Variables to values.
    x0 : nest of numbers and arrays, optional
        Where to begin: an array, a number, or dicts, lists, tuples and dataclasses of them. A list
        of numbers is an array.
    args : tuple
        Extra arguments of `fun`, `jac`, `hess` and `hessp`: nests of numbers and arrays, which may
        change from call to call.
    method : str or Method, optional
        Its name, or one with options such as ``tv.optimize.bfgs(gtol=1e-8)``. "BFGS" if left out,
        or "L-BFGS-B" if there are bounds.
    jac, hess, hessp : callable, optional
        As `fun`. They return the gradient (a nest like x) and the Hessian (shape ``(n, n)``); and
        the product of the Hessian with a vector (behind x). They are derived from `fun` if left
        out. ``jac=True`` says that `fun` returns its value and its gradient.
    bounds : sequence of (least, greatest), or Bounds, optional
        The bounds of each element of x; None or inf for none.
    tol : float, optional
        The tolerance of the method: its option `gtol`; `xatol` and `fatol` of `nelder_mead`, and
        `xtol` of `fista`.
    callback : callable, optional
        It is called with the state after each step. If it raises StopIteration, the solver ends.
    options : dict, optional
        The options of the method, and ``"raise"``: whether an exception in a step is raised,
        instead of a status of the result.
    state : NamedTuple, optional
        Where to go on from, instead of `x0`: the state of a result or of a callback.
    progress : bool
        Show a bar of the steps, which needs tqdm.
    mode : str or Mode, optional
        The mode of the compiled functions; `config.mode` if left out.

    Returns
    -------
    OptimizeResult
        Whatever happened in the steps: NaN, a singular matrix or an exception end with a status.

    Raises
    ------
    ValueError
        If there is no such method, or it takes no bounds.
    TypeError
        If x0 or args are no numbers, or fun returns no 0-d Variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def bowl(x, center):
    ...     return tv.sum((x["a"] - center) ** 2) + (x["b"] - 1.0) ** 2
    >>> result = tv.optimize.minimize(bowl, {"a": [0.0, 0.0], "b": 0.0}, args=(2.0,))
    >>> result.x["a"].round(3), round(float(result.x["b"]), 3), result.success
    (array([2., 2.]), 1.0, True)
    """
    solver, raises = chosen_solver(fun, method, jac, hess, hessp, bounds, tol, options, mode)
    if callback is None and not progress:
        return solver.run(x0, args, state, raises)
    with begun(solver, x0, args, state) as call:
        return run_in_steps(call, callback, progress, raises)


def chosen_solver(
    fun: Callable[..., Any] | Variable,
    method: str | Method | None,
    jac: Any,
    hess: Any,
    hessp: Any,
    bounds: Any,
    tol: float | None,
    options: dict[str, Any] | None,
    mode: Any,
) -> tuple[Solver, bool]:
    """Return the solver that the arguments of `minimize` choose, and whether exceptions pass."""
    given = dict(options or {})
    raises = bool(given.pop("raise", False))
    box = bounds_of(bounds)
    default = "BFGS" if box is None else "L-BFGS-B"
    chosen = method_of(default if method is None else method, MINIMIZERS, {})
    if tol is not None:
        given = dict.fromkeys(chosen.tolerances, tol) | given
    chosen = method_of(chosen, MINIMIZERS, given)
    return Solver(fun, chosen, jac, hess, hessp, box, mode), raises


def run_in_steps(
    call: Call, callback: Callable[[Any], Any] | None, progress: bool, raises: bool
) -> OptimizeResult:
    """Return the result of a call, a step at a time."""
    if callback is not None and not callable(callback):
        raise TypeError(
            f"[optimize] callback is {callback!r}, a {type(callback).__name__}: it has to be a "
            "function of a state."
        )
    state: Any = None
    with _bar(progress) as update:
        for state in call.steps():
            update(state)
            if callback is not None and (call.continues or int(state.nit)):
                try:
                    callback(call.shape_state(state))
                except StopIteration:
                    if int(state.status) == RUNNING:
                        state = state._replace(status=np.int64(STOPPED))
                    break
    return call.result(state, raises)


@contextmanager
def _bar(shown: bool) -> Iterator[Callable[[Any], None]]:
    """Yield what shows a state in a bar of steps."""
    if not shown:
        yield lambda state: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError(
            "progress=True needs tqdm, which is not installed here: pip install tqdm."
        ) from error
    with tqdm(unit="step") as bar:

        def update(state: Any) -> None:
            bar.n = int(state.nit)
            bar.set_postfix_str(f"fun={float(np.sum(state.fun)):.6g}", refresh=False)
            bar.refresh()

        yield update


__all__ = ["chosen_solver", "minimize", "run_in_steps"]
