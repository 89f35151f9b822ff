"""`least_squares`: SciPy's function, whose solver is one compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thunkvm._src.graph.structure import children
from thunkvm.optimize.bounds import bounds_of
from thunkvm.optimize.levenberg_marquardt import BY_GRADIENT, levenberg_marquardt
from thunkvm.optimize.methods import refuse_printing
from thunkvm.optimize.minimize import run_in_steps
from thunkvm.optimize.nests import Nest, as_nest
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.solver import Solver, begun
from thunkvm.optimize.status import CONVERGED, MAXITER, MESSAGES, NOT_FINITE, STALLED

#: SciPy's names of methods and of ways to a Jacobian, all of which are ours here.
METHODS = ("trf", "dogbox", "lm")
DIFFERENCES = ("2-point", "3-point", "cs")

#: SciPy's codes of what passed, and their messages.
PASSED = {
    1: "`gtol` termination condition is satisfied.",
    2: "`ftol` termination condition is satisfied.",
    3: "`xtol` termination condition is satisfied.",
    4: "Both `ftol` and `xtol` termination conditions are satisfied.",
}
#: Codes of our own, of what SciPy raises an exception for or does not tell.
NOT_PASSED = {STALLED: -2, NOT_FINITE: -3}
RAISES = -4


@dataclass(frozen=True)
class WithKeywords:
    """A function whose last argument is a dict of its keyword arguments."""

    fun: Callable[..., Any]

    def __call__(self, x: Any, *args: Any) -> Any:
        """Return the value of the function."""
        return self.fun(x, *args[:-1], **args[-1])


def least_squares(
    fun: Callable[..., Any],
    x0: Any = None,
    jac: Callable[..., Any] | str | bool | None = None,
    bounds: Any = (-np.inf, np.inf),
    method: str = "trf",
    ftol: float | None = 1e-8,
    xtol: float | None = 1e-8,
    gtol: float | None = 1e-8,
    x_scale: Any = "jac",
    loss: str | Callable[[Any], Any] = "linear",
    f_scale: float = 1.0,
    max_nfev: int | None = None,
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
    callback: Callable[[Any], Any] | None = None,
    *,
    verbose: int = 0,
    options: dict[str, Any] | None = None,
    state: Any = None,
    progress: bool = False,
    mode: Any = None,
) -> OptimizeResult:
    """Return where the sum of squares of residuals is least, as `scipy.optimize.least_squares`.

    It is ``0.5 * f_scale**2 * sum(loss((fun(x) / f_scale) ** 2))``. All steps are one compiled
    loop of `levenberg_marquardt`, kept for calls with other numbers; see `minimize`.

    Parameters
    ----------
    fun : callable
        From Variables like `x0`, and the extra arguments, to the residuals, a vector of m.
    x0 : nest of numbers and arrays, optional
        Where to begin; its elements are n numbers.
    jac : callable, optional
        As `fun`, to the Jacobian, shape ``(m, n)``. It is derived from `fun` if left out, exactly;
        SciPy's names of differences are taken for that, too.
    bounds : (lower, upper) or Bounds, optional
        The bounds of x, each a number or like `x0`.
    method : {"trf", "dogbox", "lm"}
        SciPy's names; all are the same method here, and all take bounds and losses.
    ftol, xtol, gtol : float or None
        When to end: see `levenberg_marquardt`; None for never.
    x_scale : "jac", number or vector of n
        The units of x.
    loss : str or callable
        "linear", "huber", "soft_l1", "cauchy", "arctan", or a function from a vector of squared
        residuals to their costs. Its derivatives are derived.
    f_scale : float
        Residuals beyond it are outliers, in units of fun.
    max_nfev : int, optional
        How often fun runs at most; ``200 n + 1`` if left out.
    args, kwargs : tuple, dict
        Extra arguments of `fun` and `jac`: nests of numbers and arrays, which may change from
        call to call.
    callback : callable, optional
        It is called with the state after each step. If it raises StopIteration, the solver ends.
    verbose : int
        For SciPy's callers: 0, since nothing is printed; take `progress`.
    options : dict, optional
        Other options of `levenberg_marquardt`, and ``"raise"``: whether an exception in a step is
        raised, instead of a status of the result.
    state : NamedTuple, optional
        Where to go on from, instead of `x0`.
    progress : bool
        Show a bar of the steps, which needs tqdm.
    mode : str or Mode, optional
        The mode of the compiled functions.

    Returns
    -------
    OptimizeResult
        With SciPy's items: x, cost, fun (the residuals), jac (weighed by the loss), grad,
        optimality, active_mask, nfev, njev, status, message, success; and nit and state. The
        status is SciPy's: 1 to 4 for a solution, 0 for `max_nfev`, less than 0 for a failure.

    Raises
    ------
    ValueError
        If there is no such method or loss.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> def line(b, t, y):
    ...     return b["slope"] * t + b["level"] - y
    >>> t = np.arange(5.0)
    >>> y = np.array([1.0, 3.0, 5.0, 7.0, 90.0])          # the last one is an outlier
    >>> x0 = {"slope": 1.8, "level": 1.2}
    >>> fit = tv.optimize.least_squares(line, x0, args=(t, y), loss="cauchy", f_scale=0.1)
    >>> round(float(fit.x["slope"]), 3), round(float(fit.x["level"]), 3), fit.success
    (2.0, 1.0, True)
    """
    if method not in METHODS:
        raise ValueError(
            f"[least_squares] there is no method {method!r}; there are {', '.join(METHODS)}."
        )
    refuse_printing("verbose", verbose)
    if isinstance(jac, str):
        if jac not in DIFFERENCES:
            raise ValueError(
                f"[least_squares] jac is {jac!r}; it has to be a function, or one of "
                f"{', '.join(DIFFERENCES)}."
            )
        jac = None
    given = dict(options or {})
    raises = bool(given.pop("raise", False))
    if max_nfev is not None:
        given["maxiter"] = max_nfev - 1
    for name, tolerance in (("ftol", ftol), ("xtol", xtol), ("gtol", gtol)):
        given.setdefault(name, -1.0 if tolerance is None else tolerance)
    chosen = levenberg_marquardt(
        loss=loss, f_scale=f_scale, x_scale=_units(x_scale, x0 if state is None else state.x),
        **given,
    )  # fmt: skip
    args = args if isinstance(args, tuple) else (args,)
    if kwargs:
        args = (*args, dict(kwargs))
        fun = WithKeywords(fun)
        jac = WithKeywords(jac) if callable(jac) else jac
    pair = _pair(bounds)
    solver = Solver(fun, chosen, jac, bounds=pair, mode=mode)
    if callback is None and not progress:
        result = solver.run(x0, args, state, raises)
    else:
        with begun(solver, x0, args, state) as call:
            result = run_in_steps(call, callback, progress, raises)
    return _add_scipy_items(result, pair)


def _units(x_scale: Any, x0: Any) -> Any:
    if isinstance(x_scale, str):
        if x_scale != "jac":
            raise ValueError(f"[least_squares] x_scale is {x_scale!r}; a name has to be 'jac'.")
        return x_scale
    scale = as_nest(x_scale)
    units = Nest.of(scale, "x_scale").ravel(scale)
    if not np.all((units > 0.0) & np.isfinite(units)):
        raise ValueError(
            f"[least_squares] x_scale is {x_scale!r}: units have to be finite and more than 0; "
            "leave it out, or give 'jac', to find them by the Jacobian."
        )
    if np.ndim(scale) == 0 and children(scale) is None:
        return float(scale)
    size = Nest.of(as_nest(x0)).size
    if units.size != size:
        raise ValueError(
            f"[least_squares] x_scale has {units.size} elements, but x has {size}: it has to be a "
            "number, or a vector or nest of as many as x has."
        )
    return tuple(units.tolist())


def _pair(bounds: Any) -> tuple[Any, Any] | None:
    """Return lower and upper bounds; None if all are infinite."""
    if bounds is None:
        return None
    if isinstance(bounds, (tuple, list)):
        lower, upper = bounds
    else:
        found = bounds_of(bounds)
        assert found is not None
        lower, upper = found
    single = all(np.ndim(side) == 0 and children(side) is None for side in (lower, upper))
    if single and np.isneginf(lower) and np.isposinf(upper):
        return None
    return lower, upper


def _add_scipy_items(result: OptimizeResult, bounds: tuple[Any, Any] | None) -> OptimizeResult:
    """Return a result with the items and codes of SciPy's."""
    state, status = result.state, result.status
    message = result.message
    if status == CONVERGED:
        told = int(state.reason) or BY_GRADIENT
        message = PASSED[told]
    elif status == MAXITER:
        told, message = 0, "The maximum number of function evaluations is exceeded."
    elif status in NOT_PASSED:
        told, message = NOT_PASSED[status], MESSAGES[status]
    else:
        told = RAISES if status > 0 and status < 99 else status
    result.update(
        cost=float(state.cost),
        jac=state.jac,
        grad=state.grad,
        optimality=float(state.optimality),
        active_mask=_active_bounds(state.x, bounds),
        status=told,
        message=message,
    )
    return result


def _active_bounds(x: Any, bounds: tuple[Any, Any] | None) -> Any:
    """Return -1 for each element of x at its lower bound, 1 at its upper one, else 0."""
    nest = Nest.of(as_nest(x))
    flat = nest.ravel(as_nest(x))
    mask = np.zeros(flat.shape, int)
    if bounds is not None:
        sides = []
        for bound in map(as_nest, bounds):
            single = np.ndim(bound) == 0 and children(bound) is None
            sides.append(np.full(flat.shape, bound) if single else nest.ravel(bound))
        mask[flat <= sides[0]] = -1
        mask[flat >= sides[1]] = 1
    return nest.unravel(mask)


__all__ = ["least_squares"]
