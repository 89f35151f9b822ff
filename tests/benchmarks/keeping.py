"""What a call costs that keeps its intermediates: the modes `_nogc` beside the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from timing import best

import thunkvm as tv

#: Running sums, which no nest fuses: each has an array of its own.
LENGTH = 20


def keeping() -> Iterator[tuple[str, float]]:
    """Calls of 20 running sums, one of the other."""
    x = tv.vector("x")
    y = x
    for _ in range(LENGTH):
        y = tv.cumsum(y * 0.01)
    for size in (4, 1000, 100_000):
        for mode in ("c", "c_nogc"):
            f = tv.function([x], y.sum(), mode=mode)
            yield f"keeping: 20 cumsums, n = {size:,}, mode {mode}", best(f, np.ones(size))
