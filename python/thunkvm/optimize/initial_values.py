"""Initial value problems with SciPy's names: each is compiled once, and kept for the next call."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import thunkvm as tv
from thunkvm._src.graph.structure import children, leaves, rebuild
from thunkvm.optimize.nests import (
    as_nest,
    flat_values,
    structure_key,
    types_key,
    variables_like,
)
from thunkvm.optimize.ode_result import OdeResult, OdeSolution
from thunkvm.optimize.ode_solver import MESSAGES, RAISED
from thunkvm.optimize.trajectories import Trajectory, integrate, listed

#: How many programs are kept; the one that was not used for the longest time goes first.
KEPT = 128


class Question(NamedTuple):
    """A problem without the numbers that may change from call to call without compiling again.

    Parameters
    ----------
    fun, jac : Any
        See `integrate`.
    events : tuple of callable
    method : str
    y0 : nest of arrays
        Its structure, shapes and dtypes are read.
    args : tuple
        Their types are read.
    atol_ndim : int
        Whether the absolute tolerance is a number (0) or a vector (1).
    has_times, has_limit, is_dense : bool
        Whether the solution is asked for at times of the caller, the number of steps is limited,
        and the polynomials of the steps are asked for.
    mode : str or Mode, optional
        The mode of the function.
    """

    fun: Callable[..., Any]
    jac: Any
    events: tuple[Callable[..., Any], ...]
    method: str
    y0: Any
    args: tuple[Any, ...]
    atol_ndim: int
    has_times: bool
    has_limit: bool
    is_dense: bool
    mode: Any

    @property
    def key(self) -> Hashable:
        """What all calls have in common for which the same program is right."""
        y0 = [np.asarray(leaf) for _, leaf in leaves(self.y0)]
        events = tuple(
            (each, getattr(each, "terminal", None), getattr(each, "direction", None))
            for each in self.events
        )
        mode = tv.config.mode if self.mode is None else self.mode
        return (
            self.fun, self.jac, events, self.method, structure_key(self.y0),
            tuple((leaf.shape, leaf.dtype.str) for leaf in y0), types_key(self.args),
            self.atol_ndim, self.has_times, self.has_limit, self.is_dense, mode,
        )  # fmt: skip


class Program:
    """The function that answers a question.

    Parameters
    ----------
    question : Question
    raises : bool
        Whether an exception in a step is raised; else the solution ends before it.
    """

    def __init__(self, question: Question, raises: bool) -> None:
        y0 = [
            tv.TensorType(np.result_type(np.asarray(leaf), np.float64).name, np.shape(leaf))(
                f"y0{path}"
            )
            for path, leaf in leaves(question.y0)
        ]
        t0, t1, rtol, first_step, max_step = (
            tv.scalar(name) for name in ("t0", "t1", "rtol", "first_step", "max_step")
        )
        atol = tv.TensorType("float64", (None,) * question.atol_ndim)("atol")
        t_eval, max_steps = tv.vector("t_eval"), tv.scalar("max_steps", dtype="int64")
        args = variables_like(question.args, "args")
        self.trajectory = integrate(
            question.fun,
            (t0, t1),
            rebuild(question.y0, iter(y0).__next__),
            question.method,
            args,
            rtol=rtol,
            atol=atol,
            events=question.events,
            jac=question.jac,
            first_step=first_step,
            max_step=max_step,
            max_steps=max_steps if question.has_limit else None,
            raises=raises,
        )
        self.function = tv.function(
            [
                t0, t1, *y0, rtol, atol, first_step, max_step, max_steps, t_eval,
                *(leaf for _, leaf in leaves(args)),
            ],
            _outputs(self.trajectory, question, t_eval),
            mode=question.mode,
            on_unused_input="ignore",
            name=f"solve_ivp.{question.method}",
        )  # fmt: skip

    def counts(self) -> dict[str, int]:
        """Return how often the function, the Jacobian and factors were computed so far."""
        return {"nfev": 0, "njev": 0, "nlu": 0, **self.function.counts()}


def _outputs(found: Trajectory, question: Question, t_eval: tv.Variable) -> dict[str, Any]:
    outputs: dict[str, Any] = {"t": found.t, "status": found.status}
    if question.has_times:
        outputs["y"] = found.at(t_eval)
    else:
        outputs["ts"], outputs["y"] = found.ts, found.ys
    if question.is_dense:
        outputs["segments"] = found.segments
    if question.events:
        outputs["t_events"], outputs["y_events"] = found.t_events, found.y_events
    return outputs


_programs: OrderedDict[Hashable, Program] = OrderedDict()
_lock = RLock()


def program_for(question: Question, raises: bool) -> Program:
    """Return the program that answers a question, the same as in an earlier call if there is one.

    Parameters
    ----------
    question : Question
    raises : bool
        See `Program`.
    """
    key = question.key, raises
    try:
        hash(key)
    except TypeError:
        return Program(question, raises)
    with _lock:
        if key not in _programs:
            _programs[key] = Program(question, raises)
        _programs.move_to_end(key)
        while len(_programs) > KEPT:
            _programs.popitem(last=False)
        return _programs[key]


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    y0: Any,
    method: str = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
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
        Variables, once, and builds a graph.
    t_span : pair of float
        t0 and t1; t1 may be before t0.
    y0 : array-like, shape (n,), or nest of numbers and arrays
        The solution at t0, of real numbers, or complex ones for the explicit methods.
    method : {"RK45", "DOPRI5", "RK23", "Radau"}
        See `integrate`. Take Radau where a problem is stiff: where the others take very many steps.
    t_eval : array-like, shape (m,), optional
        At which times to return the solution, in the order of `t_span`; after each step if left
        out.
    dense_output : bool
        Whether the result has a continuous solution, ``sol``.
    events : callable or sequence of callables, optional
        As `fun`, to 0-d values; see `integrate`.
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
        If `t_eval` is not in `t_span` or not in order, or an argument is none of these.

    Examples
    --------
    >>> import thunkvm as tv
    >>> found = tv.optimize.solve_ivp(lambda t, y, k: -k * y, (0.0, 2.0), [2.0], args=(0.5,),
    ...                               t_eval=[0.0, 1.0, 2.0], rtol=1e-9, atol=1e-9)
    >>> found.y.round(6), found.status
    (array([[2.      , 1.213061, 0.735759]]), 0)
    """
    t0, t1 = map(float, t_span)
    times = None if t_eval is None else _checked_times(t_eval, t0, t1)
    nest = _with_arrays(y0)
    extra = () if args is None else tuple(args)
    question = Question(
        fun, jac, tuple(listed(events)), method, nest, extra, np.ndim(atol), times is not None,
        max_steps is not None, dense_output, mode,
    )  # fmt: skip
    values = [
        t0, t1, *(leaf for _, leaf in leaves(nest)), rtol, np.asarray(atol, float),
        0.0 if first_step is None else first_step, max_step,
        0 if max_steps is None else max_steps, np.zeros(0) if times is None else times,
        *flat_values(extra),
    ]  # fmt: skip
    program, error = program_for(question, True), None
    before = program.counts()
    try:
        found = program.function(*values)
    except Exception as raised:
        if raises:
            raise
        program, error = program_for(question, False), raised
        before = program.counts()
        found = program.function(*values)
    counts = {name: n - before[name] for name, n in program.counts().items()}
    return _result(question, program.trajectory, found, t0, times, counts, error)


def _result(
    question: Question,
    trajectory: Trajectory,
    found: dict[str, Any],
    t0: float,
    times: npt.NDArray[Any] | None,
    counts: dict[str, int],
    error: Exception | None,
) -> OdeResult:
    t, y = found.get("ts"), found["y"]
    if times is not None:
        inside = np.abs(times - t0) <= abs(found["t"] - t0)
        t, y = times[inside], _each(lambda leaf: leaf[inside], y)
    status = int(found["status"])
    message = MESSAGES[status]
    if status == RAISED and error is not None:
        message += f" {type(error).__name__}: {error}"
    return OdeResult(
        t=t,
        y=_each(lambda leaf: np.moveaxis(leaf, 0, -1), y),
        sol=OdeSolution(found["segments"], trajectory.flat, t0) if question.is_dense else None,
        t_events=found.get("t_events"),
        y_events=found.get("y_events"),
        **counts,
        status=status,
        message=message,
        success=status in (0, 1),
    )


def _each(change: Callable[[Any], Any], tree: Any) -> Any:
    return rebuild(tree, (change(leaf) for _, leaf in leaves(tree)).__next__)


def _with_arrays(y0: Any) -> Any:
    nest = as_nest(y0)
    return np.asarray(nest) if children(nest) is None else nest


def _checked_times(t_eval: Any, t0: float, t1: float) -> npt.NDArray[Any]:
    times = np.asarray(t_eval, float)
    if times.ndim != 1:
        raise ValueError(f"[solve_ivp] t_eval has {times.ndim} dimensions; it has to have one.")
    if np.any(times < min(t0, t1)) or np.any(times > max(t0, t1)):
        raise ValueError(f"[solve_ivp] t_eval has values outside of t_span, {t0} to {t1}.")
    if np.any(np.diff(times) * (1.0 if t1 >= t0 else -1.0) <= 0.0):
        raise ValueError("[solve_ivp] t_eval is not in the order of t_span.")
    return times


__all__ = ["Program", "Question", "program_for", "solve_ivp"]
