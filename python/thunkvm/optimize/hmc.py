"""Hamiltonian Monte Carlo, whose trajectories end where their energy diverges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.control.conditional import and_, ifelse
from thunkvm._src.control.loops import while_loop
from thunkvm._src.derivatives.gradient import grad
from thunkvm._src.graph.values import as_variable, constant
from thunkvm.optimize.chains import Chain, chain, log_density
from thunkvm.optimize.conditions import called
from thunkvm.optimize.draws import Draw, Numbers, drawn
from thunkvm.optimize.flat_states import FlatState


class HmcState(NamedTuple):
    """Where a chain is, and how its last trajectory went.

    Parameters
    ----------
    x : Variable
        (n,).
    density, gradient : Variable
        The logarithm of the density there, 0-d, and its gradient, (n,).
    accepted, diverged : Variable
        Whether the last proposal was accepted, and whether its trajectory ended early; 0-d bool.
    leaps : Variable
        How many steps the last trajectory had; 0-d int64.
    """

    x: Variable
    density: Variable
    gradient: Variable
    accepted: Variable
    diverged: Variable
    leaps: Variable


class _Trajectory(NamedTuple):
    x: Variable
    momentum: Variable
    density: Variable
    gradient: Variable
    error: Variable


class HmcKernel(NamedTuple):
    """The step of `hmc`.

    Parameters
    ----------
    density : callable
        From the flat x, (n,), to the logarithm of a density, 0-d, and its gradient, (n,).
    step_size : Variable
        0-d.
    length : Variable
        How many steps a trajectory has; 0-d int64.
    mass : Variable
        The masses, 0-d or (n,).
    divergence : Variable
        The error of the energy at which a trajectory ends; 0-d.
    """

    density: Callable[[Variable], tuple[Variable, Variable]]
    step_size: Variable
    length: Variable
    mass: Variable
    divergence: Variable

    def start(self, x: Variable) -> HmcState:
        """Return the state at a point."""
        density, gradient = self.density(x)
        no = constant(False)
        return HmcState(x, density, gradient, no, no, constant(np.int64(0)))

    def step(self, state: HmcState, numbers: Numbers) -> HmcState:
        """Return the next state: a trajectory runs as long as its energy is near to the first."""
        momentum = ops.sqrt(self.mass) * numbers.normals
        begin = state.density - self._kinetic(momentum)

        def leap(s: list[_Trajectory]) -> list[_Trajectory]:
            x, p, _, gradient, _ = s[0]
            half = p + 0.5 * self.step_size * gradient
            x = x + self.step_size * half / self.mass
            density, gradient = self.density(x)
            p = half + 0.5 * self.step_size * gradient
            return [_Trajectory(x, p, density, gradient, begin - (density - self._kinetic(p)))]

        first = _Trajectory(state.x, momentum, state.density, state.gradient, constant(0.0))
        found = while_loop(lambda s: s[0].error < self.divergence, leap, [first], self.length)
        last = found[0]
        near = last.error < self.divergence  # so NaN is far
        accepted = called("accepted", and_(near, ops.log(numbers.uniforms[0]) < -last.error))
        x, density, gradient = ifelse(
            accepted,
            (last.x, last.density, last.gradient),
            (state.x, state.density, state.gradient),
        )
        return HmcState(x, density, gradient, accepted, ops.logical_not(near), found.steps)

    def _kinetic(self, momentum: Variable) -> Variable:
        return 0.5 * (momentum * momentum / self.mass).sum()


def hmc(
    density: Callable[..., Any],
    x0: Any,
    state: Any,
    steps: Any,
    *,
    step_size: Any,
    length: Any,
    mass: Any = 1.0,
    divergence: Any = 1000.0,
    args: tuple[Any, ...] = (),
    every: int = 1,
    draw: Draw = drawn,
) -> Chain:
    """Return a chain of samples by Hamiltonian Monte Carlo, as a part of a graph.

    A proposal is the end of a trajectory by the leapfrog method, from a momentum that is drawn. A
    trajectory whose energy differs from the first by `divergence` ends at once and is refused: its
    other steps do not run. That costs a bias of ``exp(-divergence)`` at most.

    Parameters
    ----------
    density : callable
        Takes x, in the structure of `x0`, and the arguments. It returns the logarithm of a density,
        0-d, up to a constant. The runs of its values are counted as "nfev", those of its gradients
        as "njev".
    x0 : nest of Variables, numbers and arrays
        Where the chain begins.
    state : Variable
        The first state of the random numbers, such as ``tv.random.key(seed)``.
    steps : int or Variable
        How many trajectories there are.
    step_size : Variable or float
        The step of the leapfrog method.
    length : Variable or int
        How many of these steps a trajectory has.
    mass : Variable, float or array
        The masses: 0-d, or one for each of the n elements.
    divergence : Variable or float
        The error of the energy at which a trajectory ends.
    args : tuple of nests
        More arguments of `density`.
    every : int
        After how many trajectories a point is kept.
    draw : callable
        From a state of random numbers, and the number n of elements of x, to the next state and
        `Numbers`: n standard normal ones and two uniform ones. By default from a stream of
        `tv.random`.

    Returns
    -------
    Chain

    Notes
    -----
    R. M. Neal, MCMC using Hamiltonian dynamics, Handbook of Markov Chain Monte Carlo, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> scale = np.array([1.0, 3.0])
    >>> chain = tv.optimize.hmc(lambda x: -0.5 * tv.sum((x / scale) ** 2), np.zeros(2),
    ...                         tv.random.key(0), 2000, step_size=0.5, length=8)
    >>> f = tv.function([], [tv.std(chain.x, axis=0), tv.mean(chain.accepted)])
    >>> deviations, rate = f()
    >>> bool(np.all(abs(deviations / scale - 1.0) < 0.1)), bool(rate > 0.9), f.counts()["njev"]
    (True, True, 16001)
    """
    flat = FlatState("x0", x0)

    def value_and_gradient(x: Variable) -> tuple[Variable, Variable]:
        found = log_density(density(flat.unravel(x), *args))
        value, gradient = ops.counted(found, name="nfev"), grad(found, x)
        return value, ops.counted(gradient, name="njev")

    kernel = HmcKernel(
        value_and_gradient,
        as_variable(step_size),
        ops.cast(as_variable(length), dtype="int64"),
        as_variable(mass),
        as_variable(divergence),
    )
    return chain(kernel, flat, draw, state, steps, every)


__all__ = ["HmcKernel", "HmcState", "hmc"]
