"""`root_scalar` and `minimize_scalar`: SciPy's functions, whose solvers are compiled loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm.optimize.bisection import bisection
from thunkvm.optimize.brent_minimum import brent_minimum
from thunkvm.optimize.brent_root import brent_root
from thunkvm.optimize.method import Method
from thunkvm.optimize.methods import method_of
from thunkvm.optimize.minimize import run_in_steps
from thunkvm.optimize.newton_root import newton_root
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.solver import Solver, begun

#: The methods by name; those of SciPy's that have no own here are Brent's.
ROOTS: dict[str, Callable[..., Method]] = {
    "brentq": brent_root,
    "brenth": brent_root,
    "ridder": brent_root,
    "toms748": brent_root,
    "bisect": bisection,
    "newton": newton_root,
    "secant": newton_root,
    "halley": newton_root,
}
MINIMA: dict[str, Callable[..., Method]] = {
    "bounded": brent_minimum,
    "brent": brent_minimum,
    "golden": brent_minimum,
}


def root_scalar(
    f: Callable[..., Any],
    args: Any = (),
    method: str | Method | None = None,
    bracket: Any = None,
    fprime: Callable[..., Any] | None = None,
    fprime2: Callable[..., Any] | None = None,
    x0: float | None = None,
    x1: float | None = None,
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: int | None = None,
    options: dict[str, Any] | None = None,
    *,
    callback: Callable[[Any], Any] | None = None,
    progress: bool = False,
    mode: Any = None,
) -> OptimizeResult:
    """Return a root of a function of one number, as `scipy.optimize.root_scalar` does.

    Parameters
    ----------
    f : callable
        From a 0-d Variable, and the extra arguments, to one.
    args : tuple
        Extra arguments of `f` and `fprime`, which may change from call to call.
    method : str or Method, optional
        "brentq" (with a bracket), "bisect" or "newton"; SciPy's other names are one of these. It is
        "brentq" with a bracket and "newton" without one if left out.
    bracket : (a, b), optional
        Where f has different signs.
    fprime : callable, optional
        The derivative of f; it is derived if left out. `fprime2` and `x1` are not read.
    x0 : float, optional
        Where to begin; the middle of the bracket if left out.
    xtol, rtol : float, optional
        How near the root is, in units of x, and of itself.
    maxiter : int, optional
        How many steps there are at most.
    options : dict, optional
        The same by name, and ``"raise"``: whether an exception in a step is raised.
    callback : callable, optional
        It is called with the state after each step.
    progress : bool
        Show a bar of the steps, which needs tqdm.
    mode : str or Mode, optional
        The mode of the compiled functions.

    Returns
    -------
    OptimizeResult
        With SciPy's items: root, iterations, function_calls, converged, flag, method; and with
        those of `minimize`.

    Raises
    ------
    ValueError
        If there is neither a bracket nor x0, or a method lacks its bracket.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.root_scalar(lambda x, a: x**2 - a, args=(2.0,), bracket=(0.0, 2.0))
    >>> round(result.root, 12), result.converged
    (1.414213562373, True)
    """
    if bracket is None and x0 is None:
        raise ValueError("[root_scalar] give a bracket, or x0 to begin at.")
    default = "newton" if bracket is None else "brentq"
    given = dict(options or {})
    raises = bool(given.pop("raise", False))
    for name, value in (("xtol", xtol), ("rtol", rtol), ("maxiter", maxiter)):
        if value is not None:
            given[name] = value
    chosen = method_of(default if method is None else method, ROOTS, given)
    if bracket is None and not isinstance(chosen, newton_root):
        raise ValueError(f"[root_scalar] {method} needs a bracket: two points of different signs.")
    bounds = None if bracket is None else _ends("root_scalar", "bracket", bracket, (2,))
    start = sum(bounds) / 2.0 if x0 is None and bounds else x0
    solver = Solver(f, chosen, fprime, bounds=bounds, mode=mode)
    result = _run_solver(solver, np.float64(start), args, callback, progress, raises)
    result.update(
        root=float(result.x),
        iterations=result.nit,
        function_calls=result.nfev + result.get("njev", 0),
        converged=result.success,
        flag="converged" if result.success else result.message,
        method=_name(method or default),
    )
    return result


def minimize_scalar(
    fun: Callable[..., Any],
    bracket: Any = None,
    bounds: Any = None,
    args: Any = (),
    method: str | Method | None = None,
    tol: float | None = None,
    options: dict[str, Any] | None = None,
    *,
    callback: Callable[[Any], Any] | None = None,
    progress: bool = False,
    mode: Any = None,
) -> OptimizeResult:
    """Return where a function of one number is least, as `scipy.optimize.minimize_scalar` does.

    Parameters
    ----------
    fun : callable
        From a 0-d Variable, and the extra arguments, to one.
    bracket : (a, b) or (a, b, c), optional
        Points to begin with: the search goes downhill from them; (0, 1) if left out.
    bounds : (a, b), optional
        The ends of an interval, instead.
    args : tuple
        Extra arguments of `fun`, which may change from call to call.
    method : str or Method, optional
        "bounded" or "brent", which go by what is given; "golden" is "brent".
    tol : float, optional
        How near the point is: the option `xtol`.
    options : dict, optional
        The options of `brent_minimum`, and ``"raise"``: whether an exception is raised.
    callback : callable, optional
        It is called with the state after each step.
    progress : bool
        Show a bar of the steps, which needs tqdm.
    mode : str or Mode, optional
        The mode of the compiled functions.

    Returns
    -------
    OptimizeResult
        x and fun are numbers.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.minimize_scalar(lambda x, a: (x - a) ** 4, args=(30.0,))
    >>> round(result.x, 1), result.success
    (30.0, True)
    """
    given = dict(options or {})
    raises = bool(given.pop("raise", False))
    if tol is not None:
        given.setdefault("xtol", tol)
    for theirs, ours in (("xatol", "xtol"),):  # SciPy's name for the same
        if theirs in given:
            given[ours] = given.pop(theirs)
    if bounds is not None:
        low, high = _ends("minimize_scalar", "bounds", bounds, (2,))
        if [low, high] != [float(end) for end in bounds]:
            raise ValueError(f"[minimize_scalar] bounds are {bounds}: the lower one comes first.")
    else:
        begin = (0.0, 1.0) if bracket is None else bracket
        low, high = _ends("minimize_scalar", "bracket", begin, (2, 3))
    given.setdefault("searches", bounds is None)
    chosen = method_of(method or "brent", MINIMA, given)
    solver = Solver(fun, chosen, bounds=(low, high), mode=mode)
    result = _run_solver(solver, np.float64(low), args, callback, progress, raises)
    result.update(x=float(result.x), fun=float(result.fun))
    return result


def _run_solver(
    solver: Solver, x0: Any, args: Any, callback: Any, progress: bool, raises: bool
) -> OptimizeResult:
    if callback is None and not progress:
        return solver.run(x0, args, None, raises)
    with begun(solver, x0, args, None) as call:
        return run_in_steps(call, callback, progress, raises)


def _ends(what: str, name: str, points: Any, numbers: tuple[int, ...]) -> tuple[float, float]:
    """Return the least and the greatest of so many points."""
    if np.ndim(points) != 1 or len(points) not in numbers or not np.all(np.isfinite(points)):
        raise ValueError(
            f"[{what}] {name} is {points!r}: it has to be {' or '.join(map(str, numbers))} finite "
            "numbers."
        )
    return float(min(points)), float(max(points))


def _name(method: Any) -> str:
    return method if isinstance(method, str) else type(method).__name__


__all__ = ["minimize_scalar", "root_scalar"]
