"""FISTA: gradient steps with a proximal map, with momentum that restarts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm._src.graph.structure import leaves
from thunkvm.optimize.conditions import called
from thunkvm.optimize.method import Method, Number, number
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RUNNING


class State(NamedTuple):
    """Where `fista` is; the next step begins at `ahead`, where value and gradient are known.

    `fun` is the value of the smooth part, and of the penalty if there is one, at x; `mapping` is
    the largest element of the last step by its rate.
    """

    x: Any
    fun: Any
    ahead: Any
    ahead_fun: Any
    ahead_jac: Any
    momentum: Any
    rate: Any
    mapping: Any
    nit: Any
    status: Any


@dataclass(frozen=True)
class fista(Method):
    """FISTA: gradient steps with a proximal map, with momentum that restarts.

    It minimises ``fun(x) + penalty(x)``, where fun is smooth and the penalty has a proximal map.
    `soft_threshold` is that of absolute values, `project` that of bounds.

    Parameters
    ----------
    maxiter : int
        How many trials there are at most.
    prox : callable
        ``prox(x, t, *args)``: takes a nest like x0, a step t and the extra arguments of fun. It
        returns the least point z of ``penalty(z) + |z - x|**2 / (2 t)``; x itself if left out.
    penalty : callable, optional
        ``penalty(x, *args)``, 0-d; it is only added to `fun` of the result.
    rate : float
        The first step t; it falls until the value at a trial is as low as it has to be.
    shrink : float
        What it is multiplied by then.
    restart : bool
        The momentum ends where it points uphill (B. O'Donoghue and E. Candès).
    xtol : float
        It ends where no element of a step, divided by t, is larger: that is the gradient if there
        is no penalty.

    Notes
    -----
    A trial costs one value. The gradient, and the value at the next point, run only where the
    trial was low enough; where the momentum restarts, that value is known already.

    A state has ``x`` (n,), ``ahead`` (n,) and ``ahead_jac`` (n,); its other values are 0-d.

    References
    ----------
    A. Beck and M. Teboulle, A fast iterative shrinkage-thresholding algorithm, SIAM J. Imaging
    Sci. 2, 2009; B. O'Donoghue and E. Candès, Found. Comput. Math. 15, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> def misfit(x, b, weight):
    ...     return 0.5 * tv.sum((x - b) ** 2)
    >>> def prox(x, t, b, weight):
    ...     return tv.optimize.soft_threshold(x, t * weight)
    >>> result = tv.optimize.minimize(misfit, np.zeros(3), args=(np.array([3.0, 0.5, -2.0]), 1.0),
    ...                               method="fista", options={"prox": prox})
    >>> result.success, result.x.round(6)
    (True, array([ 2.,  0., -1.]))
    """

    #: The options that `tol` sets.
    tolerances: ClassVar[tuple[str, ...]] = ("xtol",)
    like_x: ClassVar[tuple[str, ...]] = ("x",)

    maxiter: Number = number(10000)
    rate: Number = number(1.0)
    shrink: Number = number(0.5)
    xtol: Number = number(1e-6)
    prox: Callable[..., Any] | None = None
    penalty: Callable[..., Any] | None = None
    restart: bool = True

    def start(self, problem: Problem, x0: tv.Variable) -> State:
        """Return the state at a starting point."""
        fun, jac = problem.value_and_gradient(x0)
        one = tv.ones_like(fun)
        return State(
            x0, self.objective(problem, x0, fun), x0, fun, jac, one, self.rate * one,
            np.inf * one, np.int64(0), np.int64(RUNNING),
        )  # fmt: skip

    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one trial."""
        start = state.ahead
        x = self.proximal_point(problem, start - state.rate * state.ahead_jac, state.rate)
        change = x - start
        fun = problem.value(x)
        square = tv.sum(change**2)
        # Rounding of the values may not refuse a step for ever.
        slack = 4.0 * np.finfo(float).eps * tv.abs(state.ahead_fun)
        bound = state.ahead_fun + tv.sum(change * state.ahead_jac) + square / (2.0 * state.rate)
        low = called("low enough", fun <= bound + slack)

        def accepted_step() -> State:
            step = x - state.x
            grown = (1.0 + tv.sqrt(1.0 + 4.0 * state.momentum**2)) / 2.0
            uphill = tv.constant(False)
            if self.restart:
                uphill = called("the momentum points uphill", tv.sum(change * step) < 0.0)

            def further() -> tuple[Any, ...]:
                ahead = x + (state.momentum - 1.0) / grown * step
                return ahead, *problem.value_and_gradient(ahead), grown

            ahead, *known = tv.ifelse(
                uphill, (x, fun, problem.gradient(x), tv.ones_like(fun)), further()
            )
            mapping = tv.max(tv.abs(change)) / state.rate
            return State._make(
                (x, self.objective(problem, x, fun), ahead, *known, state.rate, mapping,
                 state.nit, state.status)
            )  # fmt: skip

        return tv.ifelse(
            low, accepted_step(), state._replace(rate=self.shrink * state.rate)
        )._replace(nit=state.nit + np.int64(1), status=np.int64(RUNNING))

    def proximal_point(self, problem: Problem, x: Any, t: Any) -> Any:
        """Return the proximal map of a point, shape ``(n,)``."""
        if self.prox is None:
            return x
        found = self.prox(problem._nest_point(x), t, *problem.args)
        parts = [tv.reshape(tv.as_variable(part), (-1,)) for _, part in leaves(found)]
        flat = parts[0] if len(parts) == 1 else tv.concatenate(parts)
        return tv.reshape(flat, x.shape)

    def objective(self, problem: Problem, x: Any, fun: Any) -> Any:
        """Return the value of both parts."""
        if self.penalty is None:
            return fun
        return fun + self.penalty(problem._nest_point(x), *problem.args)

    def converged(self, state: State) -> tv.Variable:
        """Return whether the last step was small."""
        return state.mapping <= self.xtol


__all__ = ["State", "fista"]
