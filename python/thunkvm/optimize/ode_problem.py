"""An initial value problem over flat vectors, and the contract of a method for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.control.conditional import ifelse, or_
from thunkvm.optimize.conditions import called
from thunkvm.optimize.segments import Segment

#: The least factor by which a step becomes shorter, and the largest by which it becomes longer.
LEAST, MOST = 0.2, 10.0
SAFETY = 0.9
EPSILON = 2.0**-52
#: A time is not divided into more steps than it has numbers.
SMALLEST_NORMAL = 2.0**-1022


class OdeProblem(NamedTuple):
    """What a method solves; everything but the functions is a Variable.

    Parameters
    ----------
    fun : callable
        From t (0-d) and y (n,) to dy/dt (n,).
    jac : callable
        From t, y to the Jacobian (n, n) of `fun` by y.
    t0, t1 : Variable
        Where to begin and to end; 0-d.
    y0 : Variable
        The solution at t0; (n,).
    rtol, atol : Variable
        An error is small if it is below ``atol + rtol * abs(y)``; `atol` is 0-d or (n,).
    first_step : Variable
        The size of the first step; 0: chosen.
    max_step : Variable
        No step is larger.
    """

    fun: Callable[[Variable, Variable], Variable]
    jac: Callable[[Variable, Variable], Variable]
    t0: Variable
    t1: Variable
    y0: Variable
    rtol: Variable
    atol: Variable
    first_step: Variable
    max_step: Variable

    @property
    def direction(self) -> Variable:
        """Return whether t grows (1.0), or falls (-1.0)."""
        return ops.where(self.t1 >= self.t0, 1.0, -1.0)

    def scale(self, *values: Variable) -> Variable:
        """Return how large an error may be beside the largest of these values."""
        largest = ops.abs(values[0])
        for value in values[1:]:
            largest = ops.maximum(largest, ops.abs(value))
        return ops.stop_gradient(self.atol + self.rtol * largest)

    def stride(self, t: Variable, h: Variable) -> tuple[Variable, Variable]:
        """Return the time after a step of size `h`, which does not go beyond t1, and the stride.

        The size carries no gradient: a solution does not depend on it. The last stride does, by t1.
        """
        ahead = t + self.direction * ops.stop_gradient(h)
        beyond = called("beyond the end", (ahead - self.t1) * self.direction > 0.0)
        after = ifelse(beyond, self.t1, ahead)
        return after, after - t

    def shortest(self, t: Variable) -> Variable:
        """Return the size of a step that is only just one at `t`."""
        return ops.maximum(10.0 * EPSILON * ops.abs(t), SMALLEST_NORMAL)


class Attempt(NamedTuple):
    """A step that may be refused; `after` and `refused` are computed where they are taken.

    Parameters
    ----------
    accepted : Variable
        0-d bool.
    segment : Segment
        The solution over the step.
    y : Variable
        The solution at its end, (n,).
    after, refused : Any
        What the method knows then, in either case.
    h_after, h_refused : Variable
        The size of the next step to try.
    """

    accepted: Variable
    segment: Segment
    y: Variable
    after: Any
    refused: Any
    h_after: Variable
    h_refused: Variable


class OdeMethod(Protocol):
    """A method of steps.

    `order` is that of the estimate of its error; `degree` that of the polynomials of its segments.
    """

    @property
    def order(self) -> int: ...  # noqa: D102 (see above)

    @property
    def degree(self) -> int: ...  # noqa: D102 (see above)

    def start(self, problem: OdeProblem, slope: Variable) -> Any:
        """Return the method's state at t0, where the slope is given."""

    def attempt(self, problem: OdeProblem, state: Any) -> Attempt:
        """Return a step from the point of a state, of its size ``state.h``."""


def norm(values: Variable) -> Variable:
    """Return the root of the mean of squares; 0-d.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.ode_problem import norm
    >>> v = tv.vector("v")
    >>> float(tv.function([v], norm(v))([3.0, 4.0, 0.0, 0.0]))
    2.5
    """
    size = ops.abs(ops.stop_gradient(values))
    return ops.sqrt((size * size).mean())


def known_length(vector: Variable) -> Any:
    """Return the length of a vector: a number if its type says it, else a Variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.ode_problem import known_length
    >>> known_length(tv.tensor("v", shape=(3,)))
    3
    """
    length = vector.type.shape[0]
    return vector.shape[0] if length is None else length


def first_size(problem: OdeProblem, slope: Variable, order: int) -> Variable:
    """Return the size of the first step.

    E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.4.

    Parameters
    ----------
    problem : OdeProblem
    slope : Variable
        The slope at t0, (n,).
    order : int
        The order of the estimate of the error.
    """
    span = ops.abs(problem.t1 - problem.t0)
    y0 = ops.stop_gradient(problem.y0)
    scale = problem.scale(y0)
    of_value, of_slope = norm(y0 / scale), norm(slope / scale)
    flat = or_(of_value < 1e-5, of_slope < 1e-5)
    probe = ops.minimum(ifelse(flat, 1e-6, 0.01 * of_value / of_slope), span)
    stride = problem.direction * probe
    there = problem.fun(problem.t0 + stride, y0 + stride * slope)
    steepest = ops.maximum(of_slope, norm((there - slope) / scale) / probe)
    chosen = ifelse(
        steepest <= 1e-15,
        ops.maximum(1e-6, probe * 1e-3),
        (0.01 / steepest) ** (1.0 / (order + 1)),
    )
    h = ops.minimum(ops.minimum(100.0 * probe, chosen), span)
    given = called("first step given", problem.first_step > 0.0)
    return ifelse(given, problem.first_step, h)


__all__ = [
    "EPSILON",
    "LEAST",
    "MOST",
    "SAFETY",
    "Attempt",
    "OdeMethod",
    "OdeProblem",
    "first_size",
    "known_length",
    "norm",
]
