"""Stretches of a solution, each a polynomial of the time."""

from __future__ import annotations

from typing import Any, NamedTuple

from thunkvm._core import Variable


class Segment(NamedTuple):
    """A solution from one time to another: ``y + terms[0] * x + terms[1] * x**2 + ...``.

    x goes from 0, at `begin`, to 1, at `end`.

    Parameters
    ----------
    begin, end : Variable
        0-d; or the times of several segments, (m,).
    y : Variable
        The solution at `begin`, (n,); or (m, n).
    terms : tuple of Variable
        The coefficients, like `y`.
    """

    begin: Any
    end: Any
    y: Any
    terms: tuple[Any, ...]

    def at(self, t: Any) -> Any:
        """Return the solution at a time in the segment, or at one time in each of them.

        Examples
        --------
        >>> from thunkvm.optimize.segments import Segment
        >>> Segment(0.0, 2.0, 5.0, (1.0, 10.0)).at(1.0)
        8.0
        """
        x = (t - self.begin) / (self.end - self.begin)
        if getattr(self.y, "ndim", 0) > getattr(x, "ndim", 0):
            x = x[..., None] if getattr(x, "ndim", 0) else x
        total = self.terms[-1]
        for term in reversed(self.terms[:-1]):
            total = term + x * total
        return self.y + x * total


def flat_segment(t: Variable, y: Variable, degree: int) -> Segment:
    """Return a segment from `t` to `t` whose polynomial has so many terms, all zero.

    Parameters
    ----------
    t : Variable
        0-d.
    y : Variable
        (n,).
    degree : int
        How many.
    """
    return Segment(t, t, y, tuple(y * 0.0 for _ in range(degree)))


__all__ = ["Segment", "flat_segment"]
