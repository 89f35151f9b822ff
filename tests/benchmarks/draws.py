"""Draws of a million random numbers, beside NumPy's generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from timing import best

import thunkvm as tv

Row = tuple[str, float]

N = 1_000_000
DRAWS: dict[str, Callable[[Any], Any]] = {
    "random": lambda g: g.random(N),
    "standard_normal": lambda g: g.standard_normal(N),
    "standard_exponential": lambda g: g.standard_exponential(N),
    "integers": lambda g: g.integers(0, 1000, N),
}


def draws() -> Iterator[Row]:
    """Each distribution, here and by NumPy."""
    for name, draw in DRAWS.items():
        yield f"draws: {name}", best(tv.function([], draw(tv.random.Generator(1))), repeats=10)
        numpy_rng = np.random.default_rng(1)
        yield f"draws: {name}, NumPy", best(lambda d=draw, g=numpy_rng: d(g), repeats=10)
