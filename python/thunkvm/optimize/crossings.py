"""Events of a solution: the times at which a function of it crosses zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.control.conditional import and_, ifelse
from thunkvm._src.control.loops import while_loop
from thunkvm._src.graph.values import constant
from thunkvm.optimize.conditions import called
from thunkvm.optimize.implicit import implicit
from thunkvm.optimize.segments import Segment

#: A bracket is narrow enough if it has so many spacings of numbers; SciPy's tolerance is the same.
SPACINGS = 4.0 * 2.0**-52
#: Bisection alone would come from the largest number to the smallest in about so many steps.
MOST_STEPS = 200


class Event(NamedTuple):
    """A function of a solution, and which of its zeros count.

    Parameters
    ----------
    value : callable
        From t (0-d) and y (n,) to a 0-d value.
    direction : float
        Positive: only crossings from below count. Negative: only those from above. 0: both.
    terminal : int
        The solution ends with the crossing of this number; 0: never.
    """

    value: Callable[[Variable, Variable], Variable]
    direction: float = 0.0
    terminal: int = 0


class Crossing(NamedTuple):
    """The state of an event after a step.

    Parameters
    ----------
    value : Variable
        The function at the end of the step; 0-d.
    fired : Variable
        Whether it crossed zero in the step; 0-d bool.
    t, y : Variable
        Where the last crossing was: 0-d and (n,).
    times : Variable
        How many there were; 0-d int64.
    """

    value: Variable
    fired: Variable
    t: Variable
    y: Variable
    times: Variable


def first_crossing(event: Event, t: Variable, y: Variable) -> Crossing:
    """Return the state of an event at the beginning of a solution.

    Parameters
    ----------
    event : Event
    t, y : Variable
        The beginning.
    """
    return Crossing(event.value(t, y), constant(False), t, y, constant(np.int64(0)))


def following_crossings(
    events: tuple[Event, ...],
    known: tuple[Crossing, ...],
    segment: Segment,
    y: Variable,
    direction: Variable,
) -> tuple[tuple[Crossing, ...], Variable, Variable]:
    """Return the crossings of a step, whether one ended the solution, and when.

    A crossing is looked for only in a step at whose ends the function has different signs.

    Parameters
    ----------
    events : tuple of Event
    known : tuple of Crossing
        Those of the step before.
    segment : Segment
        The solution in this step.
    y : Variable
        The solution at its end.
    direction : Variable
        1.0 or -1.0: that of the time.
    """
    values = [event.value(segment.end, y) for event in events]
    active = [
        called("crosses zero", _crosses(event.direction, before.value, value))
        for event, before, value in zip(events, known, values, strict=True)
    ]
    roots = [  # each is demanded where its event is active, and not otherwise
        _root(event, segment, before.value, value)
        for event, before, value in zip(events, known, values, strict=True)
    ]
    ended: Variable = constant(False)
    end: Variable = segment.end
    for event, before, is_active, root in zip(events, known, active, roots, strict=True):
        if event.terminal:
            ends = and_(is_active, before.times + 1 >= event.terminal)
            ended = ops.logical_or(ended, ends)
            end = ifelse(and_(ends, (root - end) * direction < 0.0), root, end)
    found = []
    for before, value, is_active, root in zip(known, values, active, roots, strict=True):
        fired = and_(is_active, (root - end) * direction <= 0.0)
        t, y_there, times = ifelse(
            fired, (root, segment.at(root), before.times + 1), (before.t, before.y, before.times)
        )
        found.append(Crossing(value, fired, t, y_there, times))
    return tuple(found), ended, end


def _crosses(direction: float, before: Variable, after: Variable) -> Variable:
    """Return whether a function that was `before` and is `after` has crossed zero as it should."""
    up = ops.logical_and(before <= 0.0, after >= 0.0)
    down = ops.logical_and(before >= 0.0, after <= 0.0)
    if direction > 0.0:
        return up
    return down if direction < 0.0 else ops.logical_or(up, down)


class _Bracket(NamedTuple):
    """Ends of a bracket with the values there, and a third point, which was an end before."""

    a: Any
    b: Any
    c: Any
    value_a: Any
    value_b: Any
    value_c: Any
    fraction: Any


def _root(event: Event, segment: Segment, before: Variable, after: Variable) -> Variable:
    """Return when an event crosses zero in a segment, with the gradient of the equation.

    T. R. Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a
    nonlinear function without using derivatives, 1997.
    """

    def value(t: Variable) -> Variable:
        return event.value(t, segment.at(t))

    def is_wide(s: Any) -> Variable:
        best = ops.where(ops.abs(s.value_a) < ops.abs(s.value_b), s.a, s.b)
        width = SPACINGS * (1.0 + ops.abs(best))
        exact = ops.logical_or(ops.eq(s.value_a, 0.0), ops.eq(s.value_b, 0.0))
        return ops.logical_and(ops.abs(s.b - s.a) > width, ops.logical_not(exact))

    def step(s: Any) -> Any:
        t = s.a + s.fraction * (s.b - s.a)
        there = value(t)
        same = ops.ge(there * s.value_a, 0.0)
        b, value_b = ifelse(same, (s.b, s.value_b), (s.a, s.value_a))
        c, value_c = ifelse(same, (s.a, s.value_a), (s.b, s.value_b))
        fraction = _fraction(t, b, c, there, value_b, value_c)
        return _Bracket(t, b, c, there, value_b, value_c, fraction)

    begin, end = ops.stop_gradient(segment.begin), ops.stop_gradient(segment.end)
    at_begin, at_end = ops.stop_gradient(before), ops.stop_gradient(after)
    first = _Bracket(end, begin, begin, at_end, at_begin, at_begin, 0.5)
    last = while_loop(lambda s: is_wide(s[0]), lambda s: [step(s[0])], [first], MOST_STEPS)[0]
    best = ops.where(ops.abs(last.value_a) < ops.abs(last.value_b), last.a, last.b)
    return implicit(value, best)


def _fraction(a: Any, b: Any, c: Any, at_a: Any, at_b: Any, at_c: Any) -> Variable:
    """Return where between `a` and `b` to look next: by a parabola where that is safe."""
    xi = (a - b) / (c - b)
    phi = (at_a - at_b) / (at_c - at_b)
    safe = ops.logical_and(phi * phi < xi, (1.0 - phi) ** 2 < 1.0 - xi)
    parabola = at_a / (at_b - at_a) * at_c / (at_b - at_c) + (c - a) / (b - a) * at_a / (
        at_c - at_a
    ) * at_b / (at_c - at_b)
    margin = SPACINGS * (1.0 + ops.abs(a)) / (2.0 * ops.abs(b - a))
    inside = ops.minimum(1.0 - margin, ops.maximum(margin, parabola))
    return ifelse(and_(safe, ops.neq(c, b)), inside, 0.5)


__all__ = ["Crossing", "Event", "first_crossing", "following_crossings"]
