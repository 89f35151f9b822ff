"""A fit by `tv.optimize.levenberg_marquardt`: one compiled loop, decisions included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import thunkvm as tv
from thunkvm.demo.datasets import Dataset
from thunkvm.optimize.solver import begun

#: The limit of precision: certified values have 11 digits.
EXACT: dict[str, Any] = {"ftol": -1.0, "gtol": -1.0, "xtol": 1e-13, "maxiter": 5000}


@dataclass(frozen=True)
class NodeRuns:
    """How often one node of the loop ran during a fit."""

    node: str
    op: str
    form: str
    origin: str
    runs: int


@dataclass(frozen=True)
class LoopRuns:
    """How many steps one loop made during a fit; `within` says whether it is in the other one."""

    steps: int
    within: bool


@dataclass(frozen=True)
class BranchRuns:
    """How often one condition of the loop took each of its arms during a fit."""

    condition: str
    then: int
    otherwise: int


@dataclass(frozen=True)
class Fit:
    """The result of a fit.

    Attributes
    ----------
    parameters : array of float64, shape (n,)
        The parameters at the end.
    rss : float
        The residual sum of squares there.
    trials, accepted : int
        How many steps were tried, and how many of them lowered the residual sum of squares: the
        arm that the loop's condition took.
    jacobians : int
        How often the Jacobian ran, read from the function's counters.
    converged : bool
        Whether the last step was small enough, rather than the trials used up.
    nodes, loops, branches : list
        The counters of every node, of both loops, and of the named conditions.
    """

    parameters: npt.NDArray[np.float64]
    rss: float
    trials: int
    accepted: int
    jacobians: int
    converged: bool
    nodes: list[NodeRuns]
    loops: list[LoopRuns]
    branches: list[BranchRuns]

    @property
    def expected_jacobians(self) -> int:
        """One at the start, and one at each trial that lowered the residual sum of squares."""
        return 1 + self.accepted


class Fitter:
    """The solver of one data set, compiled once for both starts.

    Parameters
    ----------
    dataset : Dataset
        What to fit.
    mode : str or thunkvm.Mode
        The mode of the function.
    """

    def __init__(self, dataset: Dataset, mode: str | tv.Mode) -> None:
        self.dataset = dataset
        self.solver = tv.optimize.Solver(
            self._residuals, tv.optimize.levenberg_marquardt(**EXACT), mode=mode
        )

    def _residuals(self, b: tv.Variable, x: tv.Variable, y: tv.Variable) -> tv.Variable:
        residuals: tv.Variable = self.dataset.model(b, x) - y
        return residuals

    def fit(self, start: tuple[float, ...]) -> Fit:
        """Run the loop from a starting point until its steps are small."""
        with begun(self.solver, start, (self.dataset.x, self.dataset.y), None) as call:
            solve = call.program.whole_loop.function
            solve.reset_counters()
            last = call.make_state(solve(*call.begin, *call.numbers))
            recorded = solve.profile.functions[0]
            nodes = [NodeRuns(*runs) for runs in solve.node_runs()]
        branches: dict[str, BranchRuns] = {}
        for row in recorded.conditions:
            then, otherwise, *_ = [arm.taken for arm in row.arms] + [0]
            branches.setdefault(row.text, BranchRuns(row.text, then, otherwise))
        named = [branches[name] for name in ("the cost is lower", "Newton's step is short enough")]
        return Fit(
            parameters=np.asarray(last.x),
            rss=2.0 * float(last.cost),
            trials=int(last.nit),
            accepted=named[0].then,
            jacobians=solve.counts()["njev"],
            converged=int(last.status) == tv.optimize.status.CONVERGED,
            nodes=nodes,
            loops=[LoopRuns(row.steps, row.outer is not None) for row in recorded.loops],
            branches=named,
        )
