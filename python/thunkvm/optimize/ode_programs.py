"""The compiled functions of one initial value problem, kept for the next call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm._src.graph.structure import children, leaves, rebuild
from thunkvm.optimize.counts import CountedFunction, CountedFunctions
from thunkvm.optimize.kept_programs import KeptPrograms
from thunkvm.optimize.nests import NUMBERS, as_nest, structure_key, types_key, variables_like
from thunkvm.optimize.ode_solver import integrate_problem
from thunkvm.optimize.posed_problems import pose
from thunkvm.optimize.trajectories import Trajectory


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
    mode : str or Mode, optional
        The mode of the functions.
    has_times, has_limit, is_dense : bool
        Whether the solution is asked for at times of the caller, and whether the number of steps is
        limited. Then whether the polynomials of the steps are asked for.
    raises : bool
        Whether an exception in a step is raised; else the solution ends before it.
    """

    fun: Callable[..., Any]
    jac: Any
    events: tuple[Callable[..., Any], ...]
    method: str
    y0: Any
    args: tuple[Any, ...]
    atol_ndim: int
    mode: Any
    has_times: bool = False
    has_limit: bool = False
    is_dense: bool = False
    raises: bool = True

    @property
    def key(self) -> Hashable:
        """The key of all calls for which the same program is right."""
        y0 = [np.asarray(leaf) for _, leaf in leaves(self.y0)]
        events = tuple(
            (each, getattr(each, "terminal", None), getattr(each, "direction", None))
            for each in self.events
        )
        mode = tv.config.mode if self.mode is None else self.mode
        return (
            self.fun, self.jac, events, self.method, structure_key(self.y0),
            tuple((leaf.shape, leaf.dtype.str) for leaf in y0), types_key(self.args),
            self.atol_ndim, mode, *self[8:],
        )  # fmt: skip


class Program(CountedFunctions):
    """The functions that answer a question, each compiled when it is first needed.

    Parameters
    ----------
    question : Question
    """

    def __init__(self, question: Question) -> None:
        self.question = question
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
        args = variables_like(question.args, "args")
        inputs = [
            t0, t1, *y0, rtol, atol, first_step, max_step, *(leaf for _, leaf in leaves(args)),
        ]  # fmt: skip
        self.posed = pose(
            question.fun, (t0, t1), rebuild(question.y0, iter(y0).__next__), question.method, args,
            rtol, atol, question.events, question.jac, first_step, max_step,
        )  # fmt: skip
        super().__init__(inputs, question.mode, f"{{}}.{question.method}")

    @property
    def whole_loop(self) -> CountedFunction:
        """From times, the limit of steps and the inputs to the results."""
        return self._once("solve_ivp", self._solution_graph)

    @property
    def first_state(self) -> CountedFunction:
        """From the inputs to the state at the beginning."""
        return self._once("start", lambda: ([], self._first_state()))

    @property
    def next_state(self) -> CountedFunction:
        """From a state and the inputs to the state after one attempt."""
        return self._once("step", self._next_state)

    def take_counts(self) -> dict[str, int]:
        """Return how often slopes, Jacobians and factors were computed since the last time."""
        return {"nfev": 0, "njev": 0, "nlu": 0} | super().take_counts()

    def _solution_graph(self) -> tuple[list[tv.Variable], dict[str, Any]]:
        question = self.question
        t_eval, limit = tv.vector("t_eval"), tv.scalar("max_steps", dtype="int64")
        found = integrate_problem(
            self.posed.solver, self.posed.problem, limit if question.has_limit else None, None,
            question.raises,
        )  # fmt: skip
        trajectory = Trajectory(self.posed, found)
        outputs: dict[str, Any] = {"t": trajectory.t, "status": trajectory.status}
        if question.has_times:
            outputs["y"] = trajectory.at(t_eval)
        else:
            outputs["ts"], outputs["y"] = trajectory.ts, trajectory.ys
        if question.is_dense:
            outputs["segments"] = trajectory.segments
        if question.events:
            outputs["t_events"], outputs["y_events"] = trajectory.t_events, trajectory.y_events
        return [t_eval, limit], outputs

    def _next_state(self) -> tuple[list[tv.Variable], Any]:
        started = self._first_state()
        named = [leaf.type(f"state{path}") for path, leaf in leaves(started)]
        state = rebuild(started, iter(named).__next__)
        return named, self.posed.solver.step(self.posed.problem, state)

    def _first_state(self) -> Any:
        state = self.posed.solver.start(self.posed.problem)
        return rebuild(state, (tv.as_variable(leaf) for _, leaf in leaves(state)).__next__)


_kept: KeptPrograms[Program] = KeptPrograms()


def program_for(question: Question) -> AbstractContextManager[Program]:
    """Lend a program that answers a question: that of an earlier call, unless it is in use.

    Parameters
    ----------
    question : Question
    """
    return _kept.lent(question.key, lambda: Program(question))


def with_arrays(y0: Any) -> Any:
    """Return a nest of users whose leaves are arrays.

    Raises
    ------
    TypeError
        If a leaf is no number and no array of numbers.
    """
    nest = as_nest(y0)
    for path, leaf in leaves(nest):
        if np.asarray(leaf).dtype.kind not in NUMBERS:
            raise TypeError(
                f"[solve_ivp] y0{path} is {leaf!r}: it has to be a number, or an array of numbers; "
                "make one of it, such as np.asarray(y0, float)."
            )
    return np.asarray(nest) if children(nest) is None else nest


__all__ = ["Program", "Question", "program_for", "with_arrays"]
