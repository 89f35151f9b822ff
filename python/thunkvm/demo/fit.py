"""A Levenberg-Marquardt fit whose step, decisions included, is one compiled function.

The algorithm is Levenberg's and Marquardt's with the scaling of Moré (1978): each parameter is
measured in units of the largest column norm of the Jacobian seen so far, and the damping is divided
by 3 after a step that lowered the residual sum of squares, doubled after one that did not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import thunkvm as tv
from thunkvm.demo.datasets import Dataset

FIRST_DAMPING = 1e-3
TOLERANCE = 1e-8
MAX_TRIALS = 1000


@dataclass(frozen=True)
class NodeRuns:
    """How often one node of the step ran during a fit."""

    node: str
    op: str
    form: str
    origin: str
    runs: int


@dataclass(frozen=True)
class Fit:
    """What came of a fit.

    Attributes
    ----------
    parameters : array of float64, shape (n,)
        The parameters at the end.
    rss : float
        The residual sum of squares there.
    trials, accepted : int
        How many steps were tried, and how many of them lowered the residual sum of squares.
    last_accepted : bool
        Whether the last trial was one of them.
    jacobians : int
        How often the Jacobian ran, read from the function's counters.
    converged : bool
        Whether the last step was small enough, rather than the trials used up.
    nodes : list of NodeRuns
        The counters of every node of the step.
    """

    parameters: npt.NDArray[np.float64]
    rss: float
    trials: int
    accepted: int
    last_accepted: bool
    jacobians: int
    converged: bool
    nodes: list[NodeRuns]

    @property
    def expected_jacobians(self) -> int:
        """One at the start, and one after each accepted step that another trial followed."""
        return 1 + self.accepted - self.last_accepted


class Fitter:
    """The compiled functions that fit one data set; the state between steps is shared variables.

    Parameters
    ----------
    dataset : Dataset
        What to fit.
    mode : str or thunkvm.Mode
        The mode of the functions.
    """

    def __init__(self, dataset: Dataset, mode: str | tv.Mode) -> None:
        self.dataset = dataset
        n, m = len(dataset.certified), len(dataset.x)
        # Where the fit is: the parameters, and the residual there.
        self.b = tv.shared(np.zeros(n), "b", shape=(n,))
        self.residual = tv.shared(np.zeros(m), "residual", shape=(m,))
        self.rss = tv.shared(0.0, "rss")
        # What the last Jacobian gave: J'J, J'r, and the units of the parameters.
        self.normal = tv.shared(np.zeros((n, n)), "normal", shape=(n, n))
        self.slope = tv.shared(np.zeros(n), "slope", shape=(n,))
        self.unit = tv.shared(np.zeros(n), "unit", shape=(n,))
        # What the last trial decided.
        self.damping = tv.shared(FIRST_DAMPING, "damping")
        self.accepted = tv.shared(True, "accepted")
        self.begin = self._begin(mode)
        self.step = self._step(mode)

    def _residual_at(self, b: tv.Variable) -> tv.Variable:
        return tv.constant(self.dataset.y) - self.dataset.model(b, tv.constant(self.dataset.x))

    def _begin(self, mode: str | tv.Mode) -> tv.Function:
        """Return a function that puts the state at a starting point."""
        start = tv.tensor("start", shape=(len(self.dataset.certified),))
        residual = self._residual_at(start)
        updates = [
            (self.b, start),
            (self.residual, residual),
            (self.rss, tv.sum(residual**2)),
            (self.unit, tv.zeros_like(self.unit)),
            (self.damping, FIRST_DAMPING),
            (self.accepted, True),
        ]
        return tv.function([start], None, updates=updates, mode=mode, name="begin")

    def _step(self, mode: str | tv.Mode) -> tv.Function:
        """Return the function that tries one step: (accepted, converged)."""
        # The Jacobian is needed only where the last trial moved the parameters.
        now = tv.ifelse(
            self.accepted,
            self._derivatives(),
            {"normal": self.normal, "slope": self.slope, "unit": self.unit},
        )
        unit = tv.where(now["unit"] > 0.0, now["unit"], 1.0)
        scaled = now["normal"] / tv.outer(unit, unit)
        damped = scaled + self.damping * tv.eye(len(self.dataset.certified))
        change = tv.solve(damped, now["slope"] / unit) / unit

        trial = self.b + change
        residual = self._residual_at(trial)
        rss = tv.sum(residual**2)
        better = rss < self.rss  # false where the trial overflowed to NaN
        after = tv.ifelse(
            better,
            {"b": trial, "residual": residual, "rss": rss},
            {"b": self.b, "residual": self.residual, "rss": self.rss},
        )
        damping = tv.ifelse(better, self.damping / 3.0, self.damping * 2.0)
        converged = tv.max(tv.abs(change) / (tv.abs(self.b) + 1e-30)) < TOLERANCE

        updates = [
            (self.b, after["b"]),
            (self.residual, after["residual"]),
            (self.rss, after["rss"]),
            (self.normal, now["normal"]),
            (self.slope, now["slope"]),
            (self.unit, now["unit"]),
            (self.damping, damping),
            (self.accepted, better),
        ]
        return tv.function([], [better, converged], updates=updates, mode=mode, name="step")

    def _derivatives(self) -> dict[str, tv.Variable]:
        """Return what a step needs of the Jacobian of the model at the current parameters."""
        model = self.dataset.model(self.b, tv.constant(self.dataset.x))
        jacobian = tv.jacobian(model, self.b)
        return {
            "normal": jacobian.T @ jacobian,
            "slope": jacobian.T @ self.residual,
            "unit": tv.maximum(self.unit, tv.sqrt(tv.sum(jacobian**2, axis=0))),
        }

    def fit(self, start: tuple[float, ...]) -> Fit:
        """Run steps from a starting point until they are small, or `MAX_TRIALS` of them."""
        self.step.reset_counters()
        self.begin(start)
        trials = accepted = 0
        better = converged = False
        while not converged and trials < MAX_TRIALS:
            better, converged = map(bool, self.step())
            trials += 1
            accepted += better
        nodes = [NodeRuns(*runs) for runs in self.step.node_runs()]
        return Fit(
            parameters=self.b.get_value(),
            rss=float(self.rss.get_value()),
            trials=trials,
            accepted=accepted,
            last_accepted=better,
            jacobians=max(node.runs for node in nodes if node.origin.endswith("_derivatives")),
            converged=converged,
            nodes=nodes,
        )
