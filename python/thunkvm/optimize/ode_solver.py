"""Solvers of initial value problems, by the contract of solvers: `start`, `step`, `running`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.control.conditional import ifelse
from thunkvm._src.control.fallback import attempt
from thunkvm._src.control.loops import while_loop
from thunkvm._src.graph.values import constant
from thunkvm.optimize.conditions import called
from thunkvm.optimize.crossings import Crossing, Event, first_crossing, following_crossings
from thunkvm.optimize.ode_problem import OdeMethod, OdeProblem, first_size
from thunkvm.optimize.segments import Segment, flat_segment

#: How a solution stands; the first three are SciPy's.
REACHED, ENDED, TOO_SMALL, RUNNING, RAISED = map(np.int64, (0, 1, -1, 2, -2))
MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
    -1: "Required step size is less than spacing between numbers.",
    -2: "An exception was raised while a step was computed.",
    2: "Maximum number of steps has been exceeded.",
}


class OdeState(NamedTuple):
    """A solution after a step, or after an attempt that was refused.

    Parameters
    ----------
    t, y : Variable
        The point that it has come to: 0-d and (n,).
    h : Variable
        The size of the next attempt.
    status : Variable
        0: it has come to t1. 1: an event ended it. -1: the next step would be too small. -2: a
        step raised an exception. 2: it goes on.
    accepted : Variable
        Whether the last attempt was accepted; 0-d bool.
    segment : Segment
        The solution over the last step that was accepted.
    known : Any
        What the method knows.
    crossings : tuple of Crossing
        One for each event.

    Examples
    --------
    >>> import thunkvm as tv
    >>> states = list(tv.optimize.ode_steps(lambda t, y: -y, (0.0, 1.0), [1.0]))
    >>> float(states[-1].t), int(states[-1].status), all(state.accepted for state in states[1:])
    (1.0, 0, True)
    """

    t: Variable
    y: Variable
    h: Variable
    status: Variable
    accepted: Variable
    segment: Segment
    known: Any
    crossings: tuple[Crossing, ...]


class OdeSolver(NamedTuple):
    """A method of steps, and events.

    Parameters
    ----------
    method : OdeMethod
    events : tuple of Event
    """

    method: OdeMethod
    events: tuple[Event, ...] = ()

    def start(self, problem: OdeProblem) -> OdeState:
        """Return the state at t0."""
        t, y = problem.t0, problem.y0
        slope = problem.fun(t, y)
        return OdeState(
            t=t,
            y=y,
            h=ops.minimum(first_size(problem, slope, self.method.order), problem.max_step),
            status=ifelse(ops.eq(t, problem.t1), REACHED, RUNNING),
            accepted=constant(False),
            segment=flat_segment(t, y, self.method.degree),
            known=self.method.start(problem, slope),
            crossings=tuple(first_crossing(event, t, y) for event in self.events),
        )

    def is_running(self, state: OdeState) -> Variable:
        """Return whether there are steps to come."""
        return called("running", ops.eq(state.status, RUNNING))

    def step(self, problem: OdeProblem, state: OdeState) -> OdeState:
        """Return the state after one more attempt; one of two arms is computed behind it."""
        tried = self.method.attempt(problem, state)
        possible = called("step possible", tried.h_refused >= problem.shortest(state.t))
        refused = state._replace(
            h=tried.h_refused,
            status=ifelse(possible, RUNNING, TOO_SMALL),  # NaN is too small
            accepted=constant(False),
            known=tried.refused,
            crossings=tuple(each._replace(fired=constant(False)) for each in state.crossings),
        )
        return ifelse(tried.accepted, self._accept_step(problem, state, tried), refused)

    def _accept_step(self, problem: OdeProblem, state: OdeState, tried: Any) -> OdeState:
        crossings, ended, end = following_crossings(
            self.events, state.crossings, tried.segment, tried.y, problem.direction
        )
        t, y = tried.segment.end, tried.y
        reached = called("at the end", (t - problem.t1) * problem.direction >= 0.0)
        status = ifelse(reached, REACHED, RUNNING)
        if any(event.terminal for event in self.events):
            t, y, status = ifelse(ended, (end, tried.segment.at(end), ENDED), (t, y, status))
        h = ops.minimum(ops.maximum(tried.h_after, problem.shortest(t)), problem.max_step)
        return OdeState(t, y, h, status, constant(True), tried.segment, tried.after, crossings)


def integrate_problem(
    solver: OdeSolver,
    problem: OdeProblem,
    max_steps: Any = None,
    checkpoint: Any = None,
    raises: bool = True,
) -> tuple[OdeState, OdeState, Variable]:
    """Return the state at the end, those after all attempts, and how many there were.

    Parameters
    ----------
    solver : OdeSolver
    problem : OdeProblem
    max_steps : int or Variable, optional
        After how many attempts it ends in any case.
    checkpoint : {None, "sqrt"} or int or Variable, optional
        As of `tv.while_loop`.
    raises : bool
        Whether an exception in a step is raised; else the solution ends before that step.
    """

    def step(states: list[OdeState]) -> list[OdeState]:
        after = solver.step(problem, states[0])
        if raises:
            return [after]
        return [attempt(after, states[0]._replace(status=constant(RAISED)))]

    found = while_loop(
        lambda states: solver.is_running(states[0]),
        step,
        [solver.start(problem)],
        max_steps,
        history="all",
        checkpoint=checkpoint,
    )
    return found[0], found.history[0], found.steps


__all__ = ["OdeSolver", "OdeState", "integrate_problem"]
