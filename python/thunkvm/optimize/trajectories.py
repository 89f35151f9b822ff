"""Solutions of initial value problems as parts of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.exposed import nonzero, searchsorted
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.control.conditional import ifelse
from thunkvm._src.graph.values import as_variable
from thunkvm.optimize.ode_solver import OdeState, integrate_problem
from thunkvm.optimize.posed_problems import Posed, pose
from thunkvm.optimize.segments import Segment


class Trajectory:
    """A solution in a graph: nothing of it is computed unless it is asked for.

    `integrate` makes it. All Variables may be differentiated by the initial value, the times and
    the arguments.

    Attributes
    ----------
    t : Variable
        When the solution ends; 0-d. It is t1 unless an event or a failure ended it.
    y : nest of Variables
        The solution there, in the structure of `y0`.
    status : Variable
        How it ended; 0-d int64. 0: it has come to t1. 1: an event ended it. -1: the next step would
        be too small. 2: `max_steps` ended it.
    steps : Variable
        How many steps were tried; 0-d int64.
    ts : Variable
        t0, and the times after all steps that were accepted, (m,).
    ys : nest of Variables
        The solution at `ts`: each leaf of `y0` with a new first axis, of m.
    t_events : list of Variable
        When each event was; each (k,), with a k of its own.
    y_events : list of nests
        The solution there.

    Examples
    --------
    >>> import thunkvm as tv
    >>> path = tv.optimize.integrate(lambda t, y: -y, (0.0, 1.0), 1.0, rtol=1e-8, atol=1e-8)
    >>> tv.function([], path.at([0.0, 1.0]))().round(6)
    array([1.      , 0.367879])
    """

    def __init__(self, posed: Posed, found: tuple[OdeState, OdeState, Variable]) -> None:
        self.problem = posed.problem
        self.flat = posed.flat
        self.last, self.history, self.steps = found

    @property
    def t(self) -> Variable:
        """Return when the solution ends."""
        return self.last.t

    @property
    def y(self) -> Any:
        """Return the solution at its end."""
        return self.flat.unravel(self.last.y)

    @property
    def status(self) -> Variable:
        """Return how the solution ended."""
        return self.last.status

    @property
    def ts(self) -> Variable:
        """Return t0, and the times after all accepted steps."""
        return concatenate([self.problem.t0[None], self.history.t[self._accepted_steps]])

    @property
    def ys(self) -> Any:
        """Return the solution at `ts`."""
        rows = concatenate([self.problem.y0[None], self.history.y[self._accepted_steps]])
        return self.flat.unravel(rows)

    @property
    def segments(self) -> Segment:
        """Return the solution over each accepted step: polynomials in rows."""
        rows = self._accepted_steps
        begin, end, y, terms = self.history.segment
        return Segment(begin[rows], end[rows], y[rows], tuple(term[rows] for term in terms))

    @property
    def t_events(self) -> list[Variable]:
        """Return when each event was."""
        return [each.t[nonzero(each.fired)[0]] for each in self.history.crossings]

    @property
    def y_events(self) -> list[Any]:
        """Return the solution at the events."""
        crossings = self.history.crossings
        return [self.flat.unravel(each.y[nonzero(each.fired)[0]]) for each in crossings]

    def at(self, t: Any) -> Any:
        """Return the solution at times; NaN where it has not come to.

        Parameters
        ----------
        t : Variable or array-like
            Times in any order, (m,).

        Returns
        -------
        nest of Variables
            Each leaf of `y0` with a new first axis, of m.
        """
        t = ops.cast(as_variable(t), dtype="float64")
        direction = self.problem.direction
        begin, ends, y, terms = self.history.segment
        # A refused step has no length: its polynomial is NaN everywhere, at t0 too.
        accepted = self._accepted_steps
        rows = searchsorted(ends[accepted] * direction, t * direction)
        rows = accepted[ops.minimum(rows, accepted.shape[0] - 1)]
        found = Segment(begin[rows], ends[rows], y[rows], tuple(term[rows] for term in terms))
        inside = ops.logical_and(
            (t - self.last.t) * direction <= 0.0, (t - self.problem.t0) * direction >= 0.0
        )
        dense = ops.where(inside[:, None], found.at(t), np.nan)
        resting = ops.where(inside[:, None], self.problem.y0, np.nan)
        return self.flat.unravel(ifelse(accepted.shape[0] > 0, dense, resting))

    @property
    def _accepted_steps(self) -> Variable:
        rows: Variable = nonzero(self.history.accepted)[0]
        return rows


def integrate(
    fun: Callable[..., Any],
    t_span: Sequence[Any],
    y0: Any,
    method: str = "DOPRI5",
    args: tuple[Any, ...] = (),
    *,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    events: Any = None,
    jac: Any = None,
    first_step: Any = None,
    max_step: Any = np.inf,
    max_steps: Any = None,
    checkpoint: Any = None,
    raises: bool = True,
) -> Trajectory:
    """Return the solution of ``dy/dt = fun(t, y, *args)``, ``y(t0) = y0``, as a part of a graph.

    A step whose error is too large is refused: it costs its stages, and all that follows from an
    accepted step is in the other arm of a conditional. So are dense output, the search for events,
    and, of the implicit method, Jacobians and factors of matrices.

    Parameters
    ----------
    fun : callable
        From t (0-d), y and the arguments to dy/dt, in the structure of `y0`. It is called with
        Variables, and builds a graph. The runs of its values are counted as "nfev".
    t_span : pair of Variable or number
        t0 and t1; t1 may be before t0.
    y0 : nest of Variables, numbers and arrays
        The solution at t0. A flat list of numbers and 0-d Variables is a vector.
    method : {"DOPRI5", "RK45", "RK23", "DOP853", "Radau"}
        DOPRI5 has steps of order 5 by Dormand and Prince, whose size is controlled by two errors;
        RK45 the same steps, and SciPy's control by one error. RK23 is of order 3, for large
        tolerances, and DOP853 of order 8, for small ones. Radau is implicit, of order 5, for stiff
        problems.
    args : tuple of nests
        More arguments of `fun`, `jac` and the events.
    rtol, atol : Variable, float or array
        The error of a step is below ``atol + rtol * abs(y)``, in the root of the mean of squares.
        `atol` is 0-d, or has an element for each of the flat y.
    events : callable or sequence of callables, optional
        As `fun`, to 0-d values: an event is where one crosses zero. Its attributes are SciPy's.
        ``terminal`` (bool, or the number of the crossing) ends the solution there.
        ``direction`` (negative or positive) lets crossings count from one side alone.
    jac : callable or array, optional
        As `fun`, to the Jacobian (n, n) by the flat y, counted as "njev"; by default that of `fun`
        by `tv.jacobian`.
    first_step : Variable or float, optional
        The size of the first step; chosen if left out.
    max_step : Variable or float
        No step is larger.
    max_steps : Variable or int, optional
        The solution ends after so many attempts.
    checkpoint : {None, "sqrt"} or int or Variable, optional
        What of the steps is kept for gradients; see `tv.while_loop`.
    raises : bool
        Whether an exception in a step is raised; else the solution ends there, with status -2.

    Returns
    -------
    Trajectory

    Raises
    ------
    TypeError, ValueError
        If an argument is none of these.

    Notes
    -----
    Gradients go back through the steps that were accepted. The sizes of steps count as constants,
    since a solution does not depend on them. The gradient of an implicit step is that of its
    equations. An event's time has that of the equation ``event(t, y(t)) = 0``.

    Explicit steps and their control: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary
    Differential Equations I, 1993, II.4 to II.6. Radau: E. Hairer, G. Wanner, volume II, 1996,
    IV.8.

    Examples
    --------
    >>> import thunkvm as tv
    >>> k, ends = tv.scalar("k"), tv.scalar("ends")
    >>> decay = tv.optimize.integrate(lambda t, y: -k * y, (0.0, ends), 2.0, rtol=1e-9, atol=1e-9)
    >>> f = tv.function([k, ends], [decay.y, tv.grad(decay.y, k), decay.at([0.0, 1.0])])
    >>> y, slope, rows = f(0.5, 2.0)
    >>> round(float(y), 6), round(float(slope), 6), rows.round(6).tolist()
    (0.735759, -1.471518, [2.0, 1.213061])
    """
    posed = pose(fun, t_span, y0, method, args, rtol, atol, events, jac, first_step, max_step)
    return Trajectory(
        posed, integrate_problem(posed.solver, posed.problem, max_steps, checkpoint, raises)
    )


__all__ = ["Trajectory", "integrate"]
