"""Adam: steps against the gradient, each element in units of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm.optimize.conditions import called
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING, STALLED


class State(NamedTuple):
    """Where `adam` is: the means of the gradient and of its square, shape ``(n,)``.

    `best` is the least value so far, and `waited` the steps since it fell by enough.
    """

    x: Any
    fun: Any
    jac: Any
    mean: Any
    square: Any
    rate: Any
    best: Any
    waited: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class adam(Method):
    """Adam: steps against the gradient, each element in units of its own.

    Parameters
    ----------
    maxiter : int
        How many steps there are at most.
    rate : float
        The length of a step in each element, in units of x.
    beta1, beta2 : float
        How much of the mean of the gradient, and of its square, a step keeps.
    eps : float
        It is added to the root of the mean square, in units of the gradient.
    clip : float
        A longer gradient is shortened to this length; inf for none.
    patience : int
        The rate falls where so many steps have not lowered the least value; 0 for never.
    shrink : float
        What it is multiplied by.
    threshold : float
        How much of its size the least value has to fall by.
    least_rate : float
        It ends where the rate would be less.
    gtol : float
        It ends where no element of the gradient is larger, in units of fun by those of x.

    Notes
    -----
    The length of the gradient is computed only if there is a `clip`. The gradient is scaled only
    where it is longer.

    A state has ``x`` (n,), ``jac`` (n,), ``mean`` (n,) and ``square`` (n,); its other values are
    0-d.

    References
    ----------
    D. Kingma and J. Ba, Adam: a method for stochastic optimization, ICLR 2015.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.minimize(lambda x: tv.sum((x - 1.0) ** 2 * tv.constant([1.0, 30.0])),
    ...                               [0.0, 3.0], method="adam",
    ...                               options={"rate": 0.1, "patience": 50, "gtol": 1e-4})
    >>> result.success, result.x.round(4)
    (True, array([1., 1.]))
    """

    maxiter: Number = number(10000)
    rate: Number = number(1e-3)
    beta1: Number = number(0.9)
    beta2: Number = number(0.999)
    eps: Number = number(1e-8)
    clip: Number = number(float("inf"))
    patience: Number = number(0)
    shrink: Number = number(0.5)
    threshold: Number = number(1e-4)
    least_rate: Number = number(0.0)
    gtol: Number = number(1e-5)

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        zeros = tv.zeros_like(x0)
        rate = tv.as_variable(self.rate).astype(x0.dtype)
        return State(
            x0, fun, jac, zeros, zeros, rate, fun, np.int64(0), np.int64(0), np.int64(RUNNING)
        )

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one step."""
        jac = tv.ifelse(tv.isinf(self.clip), state.jac, clip_gradient(state.jac, self.clip))
        mean = self.beta1 * state.mean + (1.0 - self.beta1) * jac
        square = self.beta2 * state.square + (1.0 - self.beta2) * jac**2
        nit = tv.as_variable(state.nit) + np.int64(1)
        steps = nit.astype(mean.dtype)
        unbiased = mean / (1.0 - self.beta1**steps)
        size = tv.sqrt(square / (1.0 - self.beta2**steps)) + self.eps
        x = state.x - state.rate * unbiased / size
        fun, jac = problem.value_and_gradient(x)
        rate, best, waited = tv.ifelse(
            tv.as_variable(self.patience) > 0,
            self.plateau(state, fun),
            (state.rate, state.best, state.waited),
        )
        status = tv.where(rate < self.least_rate, np.int64(STALLED), np.int64(RUNNING))
        return State(x, fun, jac, mean, square, rate, best, waited, nit, status)

    def plateau(self, state: State, fun: Any) -> tuple[Any, Any, Any]:
        """Return the rate, the least value and the steps since, behind a step to a value."""
        lower = fun < state.best - self.threshold * tv.abs(state.best)
        waited = state.waited + np.int64(1)
        return tuple(
            tv.cond(
                [
                    (lower, (state.rate, fun, np.int64(0))),
                    (waited < self.patience, (state.rate, state.best, waited)),
                ],
                (self.shrink * state.rate, state.best, np.int64(0)),
            )
        )

    def converged(self, state: State) -> tv.Variable:
        """Return whether the gradient is small."""
        return tv.max(tv.abs(state.jac)) <= self.gtol


def clip_gradient(jac: Any, most: Any) -> tv.Variable:
    """Return a gradient that is no longer than that."""
    length = tv.norm(jac)
    return tv.ifelse(called("the gradient is too long", length > most), jac * (most / length), jac)


__all__ = ["State", "adam"]
