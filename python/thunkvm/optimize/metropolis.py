"""Metropolis' algorithm, with delayed acceptance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.control.conditional import ifelse
from thunkvm._src.graph.values import as_variable, constant
from thunkvm.optimize.chains import Chain, chain, log_density
from thunkvm.optimize.conditions import called
from thunkvm.optimize.draws import Draw, Numbers, drawn
from thunkvm.optimize.flat_states import FlatState


class MetropolisState(NamedTuple):
    """Where a chain is.

    Parameters
    ----------
    x : Variable
        (n,).
    density, cheap : Variable
        The logarithms of both densities there, 0-d; of `cheap` 0 if there is none.
    accepted, promising : Variable
        Whether the last proposal was accepted, and whether the cheap density accepted it; 0-d bool.
    """

    x: Variable
    density: Variable
    cheap: Variable
    accepted: Variable
    promising: Variable


class MetropolisKernel(NamedTuple):
    """The step of `metropolis`.

    Parameters
    ----------
    density, cheap : callable
        From the flat x, (n,), to the logarithm of a density, 0-d; `cheap` may be None.
    scale : Variable
        The standard deviation of proposals, 0-d or (n,).
    """

    density: Callable[[Variable], Variable]
    cheap: Callable[[Variable], Variable] | None
    scale: Variable

    def start(self, x: Variable) -> MetropolisState:
        """Return the state at a point."""
        no = constant(False)
        return MetropolisState(x, self.density(x), self._cheap(x), no, no)

    def step(self, state: MetropolisState, numbers: Numbers) -> MetropolisState:
        """Return the next state: where the cheap density refuses, the other one does not run."""
        there = state.x + self.scale * numbers.normals
        first, second = ops.log(numbers.uniforms[0]), ops.log(numbers.uniforms[1])
        stays = state._replace(accepted=constant(False), promising=constant(False))
        if self.cheap is None:
            density = self.density(there)
            yes = constant(True)
            moves = MetropolisState(there, density, state.cheap, yes, yes)
            accepted = called("accepted", first < density - state.density)
            return ifelse(accepted, moves, stays)
        cheap = self._cheap(there)
        ratio = cheap - state.cheap
        density = self.density(there)
        moves = MetropolisState(there, density, cheap, constant(True), constant(True))
        almost = stays._replace(promising=constant(True))
        accepted = called("accepted", second < density - state.density - ratio)
        promising = called("promising", first < ratio)
        return ifelse(promising, ifelse(accepted, moves, almost), stays)

    def _cheap(self, x: Variable) -> Variable:
        return constant(0.0) if self.cheap is None else self.cheap(x)


def metropolis(
    density: Callable[..., Any],
    x0: Any,
    state: Any,
    steps: Any,
    *,
    scale: Any = 1.0,
    cheap: Callable[..., Any] | None = None,
    args: tuple[Any, ...] = (),
    every: int = 1,
    draw: Draw = drawn,
) -> Chain:
    """Return a chain of samples by Metropolis' algorithm, as a part of a graph.

    A proposal is normal around the point. With `cheap`, acceptance is delayed: a proposal that the
    cheap density refuses is refused, and `density` runs only where it accepts. The chain has the
    distribution of `density`, whatever the cheap one is.

    Parameters
    ----------
    density : callable
        Takes x, in the structure of `x0`, and the arguments. It returns the logarithm of a density,
        0-d, up to a constant. Its runs are counted as "nfev".
    x0 : nest of Variables, numbers and arrays
        Where the chain begins.
    state : Variable
        The first state of the random numbers, such as ``tv.random.key(seed)``.
    steps : int or Variable
        How many steps there are.
    scale : Variable, float or array
        The standard deviation of proposals: 0-d, or one for each of the n elements.
    cheap : callable, optional
        As `density`, to an approximation of it. Its runs are counted as "ncheap".
    args : tuple of nests
        More arguments of both.
    every : int
        After how many steps one is kept.
    draw : callable
        From a state of random numbers, and the number n of elements of x, to the next state and
        `Numbers`: n standard normal ones and two uniform ones. By default from a stream of
        `tv.random`.

    Returns
    -------
    Chain

    Notes
    -----
    N. Metropolis et al., Equation of state calculations by fast computing machines, 1953. Delayed
    acceptance: J. A. Christen, C. Fox, Markov chain Monte Carlo using an approximation, 2005. A
    density of NaN refuses.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> chain = tv.optimize.metropolis(lambda x: -0.5 * tv.sum(x**2), [0.0], tv.random.key(0),
    ...                                20_000, scale=2.0)
    >>> f = tv.function([], [tv.mean(chain.x), tv.var(chain.x), tv.mean(chain.accepted)])
    >>> mean, variance, rate = f()
    >>> bool(abs(mean) < 0.05), bool(abs(variance - 1.0) < 0.1)
    (True, True)
    >>> round(float(rate), 1), f.counts()  # 2 / pi * atan(2 / scale) of them are accepted
    (0.5, {'nfev': 20001})
    """
    flat = FlatState("x0", x0)

    def count_calls(fun: Callable[..., Any], name: str) -> Callable[[Variable], Variable]:
        def value(x: Variable) -> Variable:
            found = log_density(fun(flat.unravel(x), *args))
            return ops.counted(found, name=name)

        return value

    kernel = MetropolisKernel(
        count_calls(density, "nfev"),
        None if cheap is None else count_calls(cheap, "ncheap"),
        as_variable(scale),
    )
    return chain(kernel, flat, draw, state, steps, every)


__all__ = ["MetropolisKernel", "MetropolisState", "metropolis"]
