"""Vectors as sets, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import alike, held

import thunkvm as tv

PAIRS: list[tuple[Any, Any]] = [
    (np.array([3.0, 1.0, 3.0, 7.0]), np.array([7.0, 2.0, 3.0])),
    (np.array([[3, 1], [5, 1]], "int8"), np.array([1, 9, 3])),
    (np.array([2.5, np.nan, 1.0]), np.array([np.nan, 1.0, 1.0])),
    (np.array([1 + 2j, 3.0, 1.0]), np.array([3.0, 1 + 2j])),
    (np.array([True, False]), np.array([True, True])),
    (np.zeros(0), np.array([1.0, 2.0])),
    (np.array([1.0, 2.0]), np.zeros(0)),
]


@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_sets(pair: int) -> None:
    a, b = PAIRS[pair]
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"):
        alike(name, [a, b])
    alike("isin", [a, b], invert=True)
    alike("setdiff1d", [np.unique(a), b], assume_unique=True)
    if not np.isnan(a).any():
        alike("intersect1d", [a, b], return_indices=True)


@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_what_differs(pair: int) -> None:
    a = PAIRS[pair][0]
    for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
        ours, theirs = getattr(tv, name), getattr(np, name)
        if name == "unique_values":  # NumPy's are in no order
            held(ours, lambda x, of=theirs: np.sort(of(x)), a)
        else:
            held(lambda x, of=ours: tuple(of(x)), lambda x, of=theirs: tuple(of(x)), a)


def test_gradients_of_sets() -> None:
    a, b = np.array([3.0, 1.0, 5.0]), np.array([3.0, 2.0])
    tv.verify_grad(lambda x: tv.setdiff1d(x, b + 0.5) ** 2, [a])
    tv.verify_grad(lambda x, y: tv.union1d(x, y) ** 2, [a, b + 0.5])
    tv.verify_grad(lambda x: tv.setxor1d(x, b + 0.5) ** 2, [a])
