"""Counts in boxes, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import held, refused

import thunkvm as tv

POINTS = np.random.default_rng(2).normal(size=(40, 3)).round(1)
WEIGHTS = np.arange(40.0)
EDGES = np.array([-1.0, 0.0, 0.5, 3.0])


def ours(x: Any, *rest: Any, **keywords: Any) -> list[Any]:
    counts, edges = tv.histogramdd(tv.specify_shape(x, (None, 3)), *rest, **keywords)
    return [counts, *edges]


def theirs(x: Any, *rest: Any, **keywords: Any) -> list[Any]:
    counts, edges = np.histogramdd(x, *rest, **keywords)
    return [counts, *edges]


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("bins", [3, [2, 3, 4], [EDGES, 2, EDGES]])
def test_counts_in_boxes(bins: Any, density: bool) -> None:
    for ranges in (None, [(-1.0, 1.0), (0.0, 2.0), (-3.0, 3.0)], [None, (0.0, 2.0), None]):
        held(
            lambda x, r=ranges: ours(x, bins, r, density),
            lambda x, r=ranges: theirs(x, bins, r, density),
            POINTS,
        )
    held(
        lambda x, w: ours(x, bins, weights=w), lambda x, w: theirs(x, bins, weights=w),
        POINTS, WEIGHTS,
    )  # fmt: skip


def test_counts_in_rectangles() -> None:
    x, y = POINTS[:, 0], POINTS[:, 1]
    for bins in (4, EDGES, [3, 5], [EDGES, 2]):
        held(lambda x, y, b=bins: tv.histogram2d(x, y, b),
             lambda x, y, b=bins: np.histogram2d(x, y, b), x, y)  # fmt: skip
    held(tv.histogram2d, np.histogram2d, np.zeros(0), np.zeros(0))


def test_gradients_of_counts_in_boxes() -> None:
    tv.verify_grad(
        lambda w: tv.histogram2d(POINTS[:, 0], POINTS[:, 1], 3, weights=w)[0] ** 2, [WEIGHTS]
    )
    refused(ValueError, "there are 3 coordinates, 2 bins", lambda x: ours(x, [2, 2]), POINTS)
    with pytest.raises(ValueError, match="a known number of columns"):
        tv.histogramdd(tv.matrix("x"))
