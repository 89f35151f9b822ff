"""How a solver ended: codes of the field `status`, and their messages.

Examples
--------
>>> import thunkvm as tv
>>> result = tv.optimize.minimize(lambda x: tv.sum(x**2), [1.0])
>>> result.status == tv.optimize.status.CONVERGED, tv.optimize.status.MESSAGES[result.status]
(True, 'Optimization terminated successfully.')
"""

from __future__ import annotations

RUNNING = -1
CONVERGED = 0
MAXITER = 1
STALLED = 2
NOT_FINITE = 3
RAISED = 4
STOPPED = 99

MESSAGES = {
    RUNNING: "The solver has not ended yet.",
    CONVERGED: "Optimization terminated successfully.",
    MAXITER: "Maximum number of iterations has been exceeded.",
    STALLED: "No step made progress: the limit of precision may be reached.",
    NOT_FINITE: "The function or a derivative is not finite (NaN or inf).",
    RAISED: "An exception was raised while a step was computed.",
    STOPPED: "`callback` raised `StopIteration`.",
}

__all__ = [
    "CONVERGED", "MAXITER", "MESSAGES", "NOT_FINITE", "RAISED", "RUNNING", "STALLED", "STOPPED",
]  # fmt: skip
