"""Whole-array Ops and derivatives; array_peers.py has the same of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import array_inputs as given
import numpy as np
from timing import best

import thunkvm as tv

Row = tuple[str, float]


def arrays() -> Iterator[Row]:
    """An Op of each family, and two programs of several."""
    x, m, a = tv.vector("x"), tv.matrix("m"), tv.tensor3("a")
    draw = tv.random.Generator(1).standard_normal(1_000_000)
    residuals = x[0] * tv.exp(-x[1] * given.TIMES) * tv.sin(x[2] * given.TIMES) + x[3]
    jacobian = tv.jacobian(residuals, x, mode="forward")
    jobs: dict[str, tuple[list[tv.Variable], Any, tuple[Any, ...]]] = {
        given.SORT_ROW: ([x], tv.sort(x), (given.sorted_numbers(),)),
        given.EINSUM_ROW: ([a, m], tv.einsum("ijk,kl->ijl", a, m), given.factors()),
        given.SVD_ROW: ([m], list(tv.svd(m, full_matrices=False)), (given.tall_matrix(),)),
        given.NORMALS_ROW: ([], draw, ()),
        given.JACOBIAN_ROW: ([x], jacobian, (given.GUESS,)),
        given.PROCESS_ROW: ([x], tv.value_and_grad(log_likelihood(x), x), (given.SCALES,)),
    }
    for row, (inputs, outputs, arguments) in jobs.items():
        yield row, best(tv.function(inputs, outputs, mode="FAST_RUN"), *arguments, repeats=10)


def log_likelihood(scales: tv.Variable) -> tv.Variable:
    """Return how likely the values are under a process of squared exponentials."""
    height, length, noise = (tv.exp(scales[i]) for i in range(3))
    apart = (given.POINTS[:, None] - given.POINTS[None, :]) ** 2
    covariance = height**2 * tv.exp(-0.5 * apart / length**2) + noise**2 * np.eye(len(given.POINTS))
    fit = given.VALUES @ tv.solve(covariance, given.VALUES, assume_a="pos")
    return -0.5 * (fit + tv.logdet(covariance))
