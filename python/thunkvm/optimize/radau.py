"""Steps of Radau IIA, the implicit Runge-Kutta method of order 5 for stiff problems.

E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 1996, section IV.8 (radau5), in
the form of SciPy's Radau. The Jacobian is computed again only where Newton's iterations converge
slowly. Matrices are factored only where it or the size of the step has changed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.creation import eye
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.control.conditional import and_, cond, ifelse
from thunkvm._src.control.fixed_points import fixed_point
from thunkvm._src.graph.values import constant
from thunkvm.optimize.collocation import NODES, STAGES, Collocation, stage_sums
from thunkvm.optimize.conditions import called
from thunkvm.optimize.linear_factors import Factors, factor_matrix, solve_system
from thunkvm.optimize.ode_problem import (
    LEAST,
    MOST,
    SAFETY,
    Attempt,
    OdeProblem,
    known_length,
    norm,
)
from thunkvm.optimize.segments import Segment

ROOT = 6.0**0.5
#: The weights of the stages in the estimate of the error, divided by the stride.
ERRORS = ((-13.0 - 7.0 * ROOT) / 3.0, (-13.0 + 7.0 * ROOT) / 3.0, -1.0 / 3.0)
#: The polynomial through the stages: the weight of a stage in each term.
DENSE = (
    (13 / 3 + 7 * ROOT / 3, -23 / 3 - 22 * ROOT / 3, 10 / 3 + 5 * ROOT),
    (13 / 3 - 7 * ROOT / 3, -23 / 3 + 22 * ROOT / 3, 10 / 3 - 5 * ROOT),
    (1 / 3, -8 / 3, 10 / 3),
)
#: A Jacobian is good as long as Newton's iterations are this few, or converge this fast.
FEW, FAST = 2, 1e-3


class RadauKnown(NamedTuple):
    """The state of the method between its steps.

    Parameters
    ----------
    slope : Variable
        The slope at the point, (n,).
    jacobian : Variable
        (n, n), of this point or of one before.
    stale, fresh : Variable
        Whether the Jacobian has to be computed again, and whether it is of this point; 0-d bool.
    real, complex : Factors
        Factors of the two matrices of Newton's method.
    factored_for : Variable
        The size of the step that they are for; 0: none.
    h, error : Variable
        The size and the error of the last step that was accepted; 0 before the first.
    refused : Variable
        Whether the last attempt was refused; 0-d bool.
    """

    slope: Variable
    jacobian: Variable
    stale: Variable
    fresh: Variable
    real: Factors
    complex: Factors
    factored_for: Variable
    h: Variable
    error: Variable
    refused: Variable


class Radau(NamedTuple):
    """The method; it has no options, and is of order 5."""

    @property
    def order(self) -> int:
        """Return the order of the estimate of the error."""
        return 3

    @property
    def degree(self) -> int:
        """Return the degree of the dense output."""
        return 3

    def start(self, problem: OdeProblem, slope: Variable) -> RadauKnown:
        """Return the state of the method at the beginning."""
        flat = ops.stop_gradient(problem.y0) * 0.0
        zeros = flat[:, None] * flat
        rows = ops.cast(flat, dtype="int64")
        no, zero = constant(False), constant(0.0)
        return RadauKnown(
            slope, zeros, constant(True), no, Factors(zeros, rows),
            Factors(ops.cast(zeros, dtype="complex128"), rows), zero, zero, zero, no,
        )  # fmt: skip

    def attempt(self, problem: OdeProblem, state: Any) -> Attempt:
        """Return a step from the point of a state, of its size ``state.h``."""
        t, y, known = state.t, state.y, state.known
        after, stride = problem.stride(t, state.h)
        size = ops.minimum(state.h, ops.abs(ops.stop_gradient(problem.t1 - t)))
        jacobian = ifelse(known.stale, problem.jac(t, y), known.jacobian)
        system = Collocation(problem.fun, t, y, stride, problem.scale(y), problem.rtol)
        changed = ops.logical_or(known.stale, ops.neq(known.factored_for, size))
        real, complex_ = ifelse(
            called("matrices changed", changed),
            tuple(factor_matrix(each, jacobian, eye(known_length(y))) for each in system.shifts),
            (known.real, known.complex),
        )
        found = system.solve(real, complex_, _guess(state, t, y, stride))
        stages = _with_gradient(problem, t, y, stride, found.stages)
        there = y + stages[2]
        error = self._error(problem, state, found.stages, stride, real)
        accepted = called("accepted", and_(found.converged, error <= 1.0))
        have = known._replace(
            jacobian=jacobian,
            stale=constant(False),
            fresh=ops.logical_or(known.stale, known.fresh),
            real=real,
            complex=complex_,
            factored_for=size,
        )
        safety = SAFETY * 13.0 / (12.0 + found.steps)
        predicted = safety * _predicted_factor(size, error, known)
        # Newton's iterations were slow: the Jacobian is computed anew where the step goes on.
        slow = ops.logical_and(found.steps > FEW, found.rate > FAST)
        growth = ops.minimum(MOST, predicted)
        growth = ops.where(ops.logical_and(ops.logical_not(slow), growth < 1.2), 1.0, growth)
        terms = tuple(stage_sums(weights, stages) for weights in zip(*DENSE, strict=True))
        refused, h_refused = self._refusal(have, found, size, predicted)
        return Attempt(
            accepted=accepted,
            segment=Segment(t, after, y, terms),
            y=there,
            after=have._replace(
                slope=problem.fun(after, there),
                stale=slow,
                fresh=constant(False),
                h=size,
                error=error,
                refused=constant(False),
            ),
            refused=refused,
            h_after=size * growth,
            h_refused=h_refused,
        )

    def _refusal(
        self, have: RadauKnown, found: Any, size: Variable, predicted: Variable
    ) -> tuple[RadauKnown, Variable]:
        """Return the state after a refusal, and the size of the next attempt.

        If Newton's iterations do not converge, a new Jacobian is tried first, if there is one.
        """
        by_error = have._replace(refused=constant(True))
        return cond(
            [
                (found.converged, (by_error, size * ops.fmax(LEAST, predicted))),
                (have.fresh, (have, size * 0.5)),
            ],
            (have._replace(stale=constant(True)), size),
        )

    def _error(
        self, problem: OdeProblem, state: Any, stages: Any, stride: Variable, real: Factors
    ) -> Variable:
        """Return the error in tolerances; behind a refusal, filtered once more if it is large."""
        y, known = state.y, state.known
        scale = problem.scale(y, y + stages[2])
        of_stages = stage_sums(ERRORS, stages) / stride
        error = solve_system(real, known.slope + of_stages)
        size = norm(error / scale)

        def filtered_error() -> Variable:
            slope = problem.fun(state.t, y + error)
            return norm(solve_system(real, slope + of_stages) / scale)

        return ifelse(and_(known.refused, size > 1.0), filtered_error(), size)


def _guess(state: Any, t: Variable, y: Variable, stride: Variable) -> tuple[Variable, ...]:
    """Return the stages that the polynomial of the step before predicts; zero at first."""
    predicted = tuple(state.segment.at(t + node * stride) - y for node in NODES)
    return ifelse(state.known.h > 0.0, predicted, tuple(y * 0.0 for _ in NODES))


def _predicted_factor(size: Variable, error: Variable, known: RadauKnown) -> Variable:
    """Return the factor of the next step's size, by the errors of two steps (Gustafsson)."""
    two = (size / known.h) * (known.error / error) ** 0.25
    multiplier = ifelse(and_(known.h > 0.0, error > 0.0), ops.minimum(1.0, two), 1.0)
    return multiplier * error**-0.25


def _with_gradient(
    problem: OdeProblem, t: Variable, y: Variable, stride: Variable, stages: Any
) -> tuple[Variable, ...]:
    """Return the stages, with the gradient of the equation that they solve.

    No step of the fixed point runs: its gradient is one linear system at the solution.
    """
    n = known_length(y)

    def equation(flat: Variable) -> Variable:
        z = [flat[i * n : (i + 1) * n] for i in range(3)]
        slopes = [
            problem.fun(t + node * stride, y + value) for node, value in zip(NODES, z, strict=True)
        ]
        rows = [stride * stage_sums(weights, slopes) for weights in STAGES]
        return concatenate(rows)

    solution = fixed_point(equation, ops.stop_gradient(concatenate(stages)), max_steps=0)
    return tuple(solution[i * n : (i + 1) * n] for i in range(3))


__all__ = ["Radau", "RadauKnown"]
