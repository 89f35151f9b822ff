"""Steps of explicit Runge-Kutta methods, whose size follows an estimate of their error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.control.conditional import ifelse
from thunkvm._src.graph.values import constant
from thunkvm.optimize.conditions import called
from thunkvm.optimize.ode_problem import LEAST, MOST, SAFETY, Attempt, OdeProblem, norm
from thunkvm.optimize.segments import Segment
from thunkvm.optimize.tableaus import Tableau

#: An error is never remembered as smaller, so that the step after it may grow.
LEAST_ERROR = 1e-4


class RungeKuttaKnown(NamedTuple):
    """The state of an explicit method between its steps.

    Parameters
    ----------
    slope : Variable
        The slope at the point, (n,): the last stage of the step before is the first of the next.
    error : Variable
        The error of the last step that was accepted, in tolerances; 0-d.
    refused : Variable
        Whether the last attempt was refused; 0-d bool.
    """

    slope: Variable
    error: Variable
    refused: Variable


class RungeKutta(NamedTuple):
    """The explicit method of a tableau.

    A refused step costs its stages. Its dense output, and what else follows from an accepted step,
    is in the other arm of a conditional.
    """

    tableau: Tableau

    @property
    def order(self) -> int:
        """Return the order of the estimate of the error."""
        return self.tableau.order

    @property
    def degree(self) -> int:
        """Return the degree of the dense output."""
        return len(self.tableau.dense[0])

    def start(self, problem: OdeProblem, slope: Variable) -> RungeKuttaKnown:
        """Return the state of the method at the beginning."""
        del problem
        return RungeKuttaKnown(slope, constant(LEAST_ERROR), constant(False))

    def attempt(self, problem: OdeProblem, state: Any) -> Attempt:
        """Return a step from the point of a state, of its size ``state.h``."""
        table = self.tableau
        t, y, known = state.t, state.y, state.known
        after, stride = problem.stride(t, state.h)
        slopes = [known.slope]
        for node, row in zip(table.nodes[1:], table.stages[1:], strict=True):
            slopes.append(problem.fun(t + node * stride, y + stride * _weighted_sum(row, slopes)))
        there = y + stride * _weighted_sum(table.weights, slopes)
        slopes.append(problem.fun(after, there))
        error = self._error(stride, slopes, problem.scale(y, there))
        accepted = called("accepted", error < 1.0)
        dense = list(slopes)  # with stages that run where the dense output is demanded
        for node, row in zip(table.extra_nodes, table.extra_stages, strict=True):
            dense.append(problem.fun(t + node * stride, y + stride * _weighted_sum(row, dense)))
        terms = tuple(stride * _weighted_sum(row, dense) for row in zip(*table.dense, strict=True))
        size = ops.abs(stride)
        return Attempt(
            accepted=accepted,
            segment=Segment(t, after, y, terms),
            y=there,
            after=RungeKuttaKnown(slopes[-1], ops.maximum(error, LEAST_ERROR), constant(False)),
            refused=known._replace(refused=constant(True)),
            h_after=size * self._growth(error, known),
            h_refused=size * self._shrinking_factor(error),
        )

    def _error(self, stride: Variable, slopes: list[Variable], scale: Variable) -> Variable:
        """Return the error in tolerances, by one estimate of it, or by two."""
        error = norm(stride * _weighted_sum(self.tableau.errors, slopes) / scale)
        if not self.tableau.third:
            return error
        third = norm(stride * _weighted_sum(self.tableau.third, slopes) / scale)
        size = ops.sqrt(error**2 + 0.01 * third**2)
        return ifelse(ops.eq(size, 0.0), 0.0, error**2 / size)  # NaN stays

    def _growth(self, error: Variable, known: RungeKuttaKnown) -> Variable:
        """Return the factor after a step that was accepted: no growth after a refusal."""
        beta = self.tableau.beta
        exponent = 1.0 / (self.order + 1) - 0.75 * beta
        factor = SAFETY * error**-exponent
        if beta:
            factor = factor * known.error**beta
        most = ops.where(known.refused, 1.0, MOST)
        return ifelse(error > 0.0, ops.maximum(LEAST, ops.minimum(most, factor)), most)

    def _shrinking_factor(self, error: Variable) -> Variable:
        """Return the factor after a step that was refused; the least where the error is NaN."""
        exponent = 1.0 / (self.order + 1) - 0.75 * self.tableau.beta
        return ops.fmax(LEAST, SAFETY * error**-exponent)


def _weighted_sum(weights: Sequence[float], slopes: Sequence[Variable]) -> Variable:
    """Return the sum of the slopes whose weight is not 0."""
    parts = [w * slope for w, slope in zip(weights, slopes, strict=False) if w]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


__all__ = ["RungeKutta", "RungeKuttaKnown"]
