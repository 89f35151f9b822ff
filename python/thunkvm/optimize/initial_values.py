"""Initial value problems with SciPy's names: each is compiled once, and kept for the next call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thunkvm._src.graph.structure import leaves, rebuild
from thunkvm.optimize.nests import flat_values
from thunkvm.optimize.ode_programs import Program, Question, program_for, with_arrays
from thunkvm.optimize.ode_result import OdeResult, OdeSolution
from thunkvm.optimize.ode_solver import MESSAGES, RAISED, REACHED, RUNNING, OdeState
from thunkvm.optimize.posed_problems import list_events


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    y0: Any,
    method: str = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: tuple[Any, ...] | None = None,
    *,
    rtol: float = 1e-3,
    atol: Any = 1e-6,
    jac: Any = None,
    first_step: float | None = None,
    max_step: float = np.inf,
    max_steps: int | None = None,
    raises: bool = False,
    mode: Any = None,
) -> OdeResult:
    """Solve ``dy/dt = fun(t, y, *args)``, ``y(t0) = y0``, as `scipy.integrate.solve_ivp` does.

    The whole solution is one compiled loop. It is kept by the functions, the method, the structure
    and shapes of `y0` and the types of `args`: a call with other numbers compiles nothing.

    Parameters
    ----------
    fun : callable
        From t (0-d), y and the arguments to dy/dt, in the structure of `y0`. It is called with
        Variables, a few times in all, and builds a graph.
    t_span : pair of float
        t0 and t1; t1 may be before t0.
    y0 : array-like, shape (n,), or nest of numbers and arrays
        The solution at t0, of real numbers, or complex ones for the explicit methods.
    method : {"RK45", "DOPRI5", "RK23", "DOP853", "Radau"}
        See `integrate`. Take Radau where a problem is stiff: where the others take very many steps.
    t_eval : array-like, shape (m,), optional
        At which times to return the solution, in the order of `t_span`; after each step if left
        out.
    dense_output : bool
        Whether the result has a continuous solution, ``sol``.
    events : callable or sequence of callables, optional
        As `fun`, to 0-d values; see `integrate`.
    vectorized : bool
        For SciPy's callers; the Jacobian is derived, so that nothing depends on it.
    args : tuple of nests, optional
        More arguments of `fun`, `jac` and the events: numbers and arrays.
    rtol, atol : float, or array-like, shape (n,), for `atol`
        The error of a step is below ``atol + rtol * abs(y)``.
    jac : callable or array, optional
        The Jacobian, for Radau; derived from `fun` if left out.
    first_step : float, optional
        The size of the first step.
    max_step : float
        No step is larger.
    max_steps : int, optional
        After how many attempts to end.
    raises : bool
        Whether an exception in a step is raised. Else the solution ends there, by its status.
    mode : str or Mode, optional
        The mode of the compiled function.

    Returns
    -------
    OdeResult
        With SciPy's attributes: t, y, sol, t_events, y_events, nfev, njev, nlu, status, message and
        success.

    Raises
    ------
    ValueError
        If `t_eval` is not in `t_span` or not in order, or an argument is none of these. Also if a
        size of a step is not positive or larger than `t_span`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> found = tv.optimize.solve_ivp(lambda t, y, k: -k * y, (0.0, 2.0), [2.0], args=(0.5,),
    ...                               t_eval=[0.0, 1.0, 2.0], rtol=1e-9, atol=1e-9)
    >>> found.y.round(6), found.status
    (array([[2.      , 1.213061, 0.735759]]), 0)
    """
    del vectorized
    t0, t1 = _check_span(t_span)
    _check_sizes(first_step, max_step, abs(t1 - t0))
    times = None if t_eval is None else _checked_times(t_eval, t0, t1)
    nest = with_arrays(y0)
    _check_tolerances(rtol, atol, nest)
    extra = () if args is None else tuple(args)
    question = Question(
        fun, jac, tuple(list_events(events)), method, nest, extra, np.ndim(atol), mode,
        times is not None, max_steps is not None, dense_output,
    )  # fmt: skip
    values = [
        np.zeros(0) if times is None else times, 0 if max_steps is None else max_steps,
        t0, t1, *(leaf for _, leaf in leaves(nest)), rtol, np.asarray(atol, float),
        0.0 if first_step is None else first_step, max_step, *flat_values(extra),
    ]  # fmt: skip
    with program_for(question) as program:
        try:
            return _result(program, program.whole_loop(*values), t0, times)
        except Exception as raised:
            if raises:
                raise
            error = raised
    with program_for(question._replace(raises=False)) as program:
        return _result(program, program.whole_loop(*values), t0, times, error)


def ode_steps(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    y0: Any,
    method: str = "RK45",
    events: Any = None,
    args: tuple[Any, ...] | None = None,
    *,
    rtol: float = 1e-3,
    atol: Any = 1e-6,
    jac: Any = None,
    first_step: float | None = None,
    max_step: float = np.inf,
    state: OdeState | None = None,
    mode: Any = None,
) -> Iterator[OdeState]:
    """Yield the state of a solver after each attempt, from the steps that `solve_ivp` is a loop of.

    Parameters
    ----------
    fun, t_span, y0, method, events, args, rtol, atol, jac, first_step, max_step, mode
        As of `solve_ivp`.
    state : OdeState, optional
        A state that an earlier call yielded, of the same method and structure, to go on from. It is
        a nest of arrays, which may be pickled. It is not yielded again. `t_span` may end elsewhere.

    Yields
    ------
    OdeState
        The first is that at t0. Its y is a flat vector, and ``accepted`` says whether the attempt
        was accepted.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def decay(t, y):
    ...     return -y
    >>> states = list(tv.optimize.ode_steps(decay, (0.0, 1.0), [1.0]))
    >>> float(states[0].t), float(states[-1].t), states[-1].y.round(3)
    (0.0, 1.0, array([0.368]))
    >>> rest = list(tv.optimize.ode_steps(decay, (0.0, 2.0), [1.0], state=states[-1]))
    >>> rest[-1].y.round(3)
    array([0.135])
    """
    t0, t1 = _check_span(t_span)
    _check_sizes(first_step, max_step, abs(t1 - t0))
    nest, extra = with_arrays(y0), () if args is None else tuple(args)
    _check_tolerances(rtol, atol, nest)
    question = Question(
        fun, jac, tuple(list_events(events)), method, nest, extra, np.ndim(atol), mode
    )  # fmt: skip
    values = [
        t0, t1, *(leaf for _, leaf in leaves(nest)), rtol, np.asarray(atol, float),
        0.0 if first_step is None else first_step, max_step, *flat_values(extra),
    ]  # fmt: skip
    with program_for(question) as program:
        if state is None:
            state = program.first_state(*values)
            yield state
        else:
            status: Any = REACHED if state.t == t1 else RUNNING
            state = state._replace(status=status)
        while state.status == RUNNING:
            state = program.next_state(*(leaf for _, leaf in leaves(state)), *values)
            yield state


def _result(
    program: Program,
    found: dict[str, Any],
    t0: float,
    times: npt.NDArray[Any] | None,
    error: Exception | None = None,
) -> OdeResult:
    t, y = found.get("ts"), found["y"]
    if times is not None:
        inside = np.abs(times - t0) <= abs(found["t"] - t0)
        t, y = times[inside], _change_leaves(lambda leaf: leaf[inside], y)
    status = int(found["status"])
    message = MESSAGES[status]
    if status == RAISED and error is not None:
        message += f" {type(error).__name__}: {error}"
    return OdeResult(
        t=t,
        y=_change_leaves(lambda leaf: np.moveaxis(leaf, 0, -1), y),
        sol=OdeSolution(found["segments"], program.posed.flat, t0) if "segments" in found else None,
        t_events=found.get("t_events"),
        y_events=found.get("y_events"),
        **program.take_counts(),
        status=status,
        message=message,
        success=status in (0, 1),
    )


def _change_leaves(change: Callable[[Any], Any], tree: Any) -> Any:
    return rebuild(tree, (change(leaf) for _, leaf in leaves(tree)).__next__)


def _check_span(t_span: Any) -> tuple[float, float]:
    if np.shape(t_span) != (2,) or not np.all(np.isfinite(t_span)):
        raise ValueError(
            f"[solve_ivp] t_span is {t_span!r}: it has to be two finite times, the first and the "
            "last one."
        )
    return float(t_span[0]), float(t_span[1])


def _check_tolerances(rtol: Any, atol: Any, y0: Any) -> None:
    size = sum(np.size(leaf) for _, leaf in leaves(y0))
    if np.shape(atol) not in ((), (size,)):
        raise ValueError(
            f"[solve_ivp] atol has shape {np.shape(atol)}; it has to be a number, or a vector with "
            f"one for each element of y0, {(size,)}."
        )
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not np.all(np.asarray(tolerance, float) >= 0.0):
            raise ValueError(f"[solve_ivp] {name} is {tolerance}; it has to be 0 or more.")


def _check_sizes(first_step: float | None, max_step: float, span: float) -> None:
    if first_step is not None and not 0.0 < first_step <= span:
        raise ValueError(
            f"[solve_ivp] first_step is {first_step}; it has to be positive, and at most the "
            f"length of t_span, {span}."
        )
    if not max_step > 0.0:
        raise ValueError(f"[solve_ivp] max_step is {max_step}; it has to be positive.")


def _checked_times(t_eval: Any, t0: float, t1: float) -> npt.NDArray[Any]:
    times = np.asarray(t_eval, float)
    if times.ndim != 1:
        raise ValueError(f"[solve_ivp] t_eval has {times.ndim} dimensions; it has to have one.")
    if np.any(times < min(t0, t1)) or np.any(times > max(t0, t1)):
        raise ValueError(f"[solve_ivp] t_eval has values outside of t_span, {t0} to {t1}.")
    if np.any(np.diff(times) * (1.0 if t1 >= t0 else -1.0) <= 0.0):
        raise ValueError("[solve_ivp] t_eval is not in the order of t_span.")
    return times


__all__ = ["ode_steps", "solve_ivp"]
