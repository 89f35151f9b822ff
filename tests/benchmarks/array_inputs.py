"""What the job of whole arrays is given, here and by the peers."""

from __future__ import annotations

from typing import Any

import numpy as np

SORT_ROW = "arrays: sort of 200,000"
EINSUM_ROW = "arrays: einsum ijk,kl->ijl of 50, 40, 60, 70"
SVD_ROW = "arrays: svd of 200 by 100"
NORMALS_ROW = "arrays: 1,000,000 normal numbers"
JACOBIAN_ROW = "arrays: jacobian of 3,000 residuals by 4"
PROCESS_ROW = "arrays: Gaussian process of 200 points, with its gradient"

TIMES = np.linspace(0.0, 4.0, 3000)
GUESS = np.array([2.0, 0.7, 1.5, 0.3])
POINTS = np.random.default_rng(3).uniform(0.0, 10.0, 200)
VALUES = np.sin(POINTS)
#: Logarithms of the height, the length and the noise.
SCALES = np.array([0.1, -0.2, -2.0])


def sorted_numbers() -> np.ndarray[Any, Any]:
    """Return what is sorted."""
    return np.random.default_rng(0).normal(size=200_000)


def factors() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the factors of the contraction."""
    draw = np.random.default_rng(1)
    return draw.normal(size=(50, 40, 60)), draw.normal(size=(60, 70))


def tall_matrix() -> np.ndarray[Any, Any]:
    """Return the matrix that is decomposed."""
    return np.random.default_rng(2).normal(size=(200, 100))
