"""What programs of loops are tested with: modes, gradients by differences, counts of runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: Python alone, the virtual machine without rewrites, and emitted C (the default).
MODES = ["py", "FAST_COMPILE", "FAST_RUN"]


def central(f: Callable[[Any], float], at: Any, h: float = 1e-6) -> np.ndarray:
    """Return the gradient of `f` at an array, or a number, by central differences."""
    point = np.asarray(at, float)
    gradient = np.zeros_like(point)
    for i in np.ndindex(point.shape):
        up, down = point.copy(), point.copy()
        up[i], down[i] = up[i] + h, down[i] - h
        gradient[i] = (f(up) - f(down)) / (2.0 * h)
    return gradient


def runs(f: Any, op: str) -> int:
    """Return how often all nodes of an Op ran, since the function was made."""
    return sum(row.runs for row in f.node_runs() if row.op == op)
