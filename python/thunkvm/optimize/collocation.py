"""The equations of Radau IIA's three stages, and simplified Newton iterations for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.control.conditional import and_, ifelse
from thunkvm._src.control.loops import while_loop
from thunkvm.optimize.linear_factors import Factors, is_regular, solve_system
from thunkvm.optimize.ode_problem import EPSILON, norm

ROOT = 6.0**0.5
#: When the stages are, in steps.
NODES = ((4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0)
#: The weights of the slopes in the stages.
STAGES = (
    ((88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225),
    ((296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225),
    ((16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9),
)
#: The eigenvalues of the inverse of these weights.
REAL = 3 + 3 ** (2 / 3) - 3 ** (1 / 3)
COMPLEX = complex(3 + 0.5 * (3 ** (1 / 3) - 3 ** (2 / 3)), -0.5 * (3 ** (5 / 6) + 3 ** (7 / 6)))
#: From the eigenvectors' coordinates to the stages, and back.
TO_STAGES = (
    (0.09443876248897524, -0.14125529502095421, 0.03002919410514742),
    (0.25021312296533332, 0.20412935229379994, -0.38294211275726192),
    (1.0, 1.0, 0.0),
)
FROM_STAGES = (
    (4.17871859155190428, 0.32768282076106237, 0.52337644549944951),
    (-4.17871859155190428, -0.32768282076106237, 0.47662355450055044),
    (0.50287263494578682, -2.57192694985560522, 0.59603920482822492),
)
MOST_ITERATIONS = 6


class Solution(NamedTuple):
    """The result of Newton's iterations.

    Parameters
    ----------
    stages : tuple of Variable
        The solution at the three nodes without y; (n,) each.
    converged : Variable
        0-d bool.
    steps : Variable
        How many iterations there were; 0-d int64.
    rate : Variable
        The factor by which the last one was smaller than the one before; 0 if there was one.
    """

    stages: tuple[Variable, ...]
    converged: Variable
    steps: Variable
    rate: Variable


class _Newton(NamedTuple):
    """The unknowns by the eigenvectors, and how the iterations go."""

    w: Any
    change: Any
    rate: Any
    going: Any
    converged: Any
    left: Any


class Collocation(NamedTuple):
    """The equations of one step.

    Parameters
    ----------
    fun : callable
        From t and y to the slope.
    t, y : Variable
        Where the step begins: 0-d and (n,).
    stride : Variable
        Its signed length.
    scale : Variable
        How large an error may be, (n,).
    rtol : Variable
        The relative tolerance: iterations end well below it.
    """

    fun: Callable[[Variable, Variable], Variable]
    t: Variable
    y: Variable
    stride: Variable
    scale: Variable
    rtol: Variable

    @property
    def shifts(self) -> tuple[Variable, Variable]:
        """Return what the Jacobian is subtracted from, for the real and the complex system."""
        stride = ops.stop_gradient(self.stride)
        return REAL / stride, COMPLEX / stride

    def solve(self, real: Factors, complex_: Factors, guess: Sequence[Variable]) -> Solution:
        """Return the solution from a first guess of the stages on.

        Parameters
        ----------
        real, complex_ : Factors
            Factors of ``shift - Jacobian`` for both of `shifts`.
        guess : sequence of Variable
            Three of (n,).
        """
        t, y, stride = map(ops.stop_gradient, (self.t, self.y, self.stride))
        fixed = self._replace(t=t, y=y, stride=stride)
        tolerance = ops.maximum(10.0 * EPSILON / self.rtol, ops.minimum(0.03, self.rtol**0.5))
        w = tuple(stage_sums(weights, guess) for weights in FROM_STAGES)
        regular = and_(is_regular(real), is_regular(complex_))
        first = _Newton(
            tuple(map(ops.stop_gradient, w)), 0.0, 0.0, regular, False, float(MOST_ITERATIONS)
        )
        last = while_loop(
            lambda s: s[0].going,
            lambda s: [fixed._iteration(s[0], real, complex_, tolerance)],
            [first],
            MOST_ITERATIONS,
        )
        found = last[0]
        stages = tuple(stage_sums(weights, found.w) for weights in TO_STAGES)
        return Solution(stages, found.converged, last.steps, found.rate)

    def _iteration(
        self, s: _Newton, real: Factors, complex_: Factors, tolerance: Variable
    ) -> _Newton:
        z = [stage_sums(weights, s.w) for weights in TO_STAGES]
        slopes = [
            self.fun(self.t + node * self.stride, self.y + value)
            for node, value in zip(NODES, z, strict=True)
        ]
        f0, f1, f2 = (stage_sums(weights, slopes) for weights in FROM_STAGES)
        shift_real, shift_complex = self.shifts
        w0, w1, w2 = s.w
        of_real = solve_system(real, f0 - shift_real * w0)
        of_complex = solve_system(complex_, f1 + 1j * f2 - shift_complex * (w1 + 1j * w2))
        changes = (of_real, ops.real(of_complex), ops.imag(of_complex))
        size = ops.sqrt(
            sum(norm(each / self.scale) ** 2 for each in changes[1:]) / 3.0
            + norm(changes[0] / self.scale) ** 2 / 3.0
        )
        again = s.left < MOST_ITERATIONS
        rate = ops.where(again, size / s.change, 0.0)
        goes_on = ops.logical_or(
            ops.logical_not(again),
            ops.logical_and(rate < 1.0, rate**s.left / (1.0 - rate) * size <= tolerance),
        )
        goes_on = ops.logical_and(goes_on, ops.isfinite(size))
        small = ops.logical_and(again, rate / (1.0 - rate) * size < tolerance)
        converged = ops.logical_and(goes_on, ops.logical_or(ops.eq(size, 0.0), small))
        w = ifelse(goes_on, tuple(a + b for a, b in zip(s.w, changes, strict=True)), s.w)
        going = ops.logical_and(goes_on, ops.logical_not(converged))
        return _Newton(w, size, rate, going, converged, s.left - 1.0)


def stage_sums(weights: Sequence[float], values: Sequence[Variable]) -> Variable:
    """Return the weighted sum of three values.

    Examples
    --------
    >>> from thunkvm.optimize.collocation import stage_sums
    >>> stage_sums((1.0, 2.0, 0.0), (5.0, 1.0, 9.0))
    7.0
    """
    pairs = [w * value for w, value in zip(weights, values, strict=True) if w]
    total = pairs[0]
    for pair in pairs[1:]:
        total = total + pair
    return total


__all__ = ["NODES", "STAGES", "Collocation", "Solution", "stage_sums"]
