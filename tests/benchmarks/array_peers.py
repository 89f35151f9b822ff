"""The job of arrays.py by NumPy, JAX and Numba."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import array_inputs as given
import numpy as np
from timing import best

Row = tuple[str, float]


def numpy_arrays() -> Iterator[Row]:
    """Yield the rows of single Ops."""
    rng, (a, m) = np.random.default_rng(1), given.factors()
    matrix = given.tall_matrix()
    yield given.SORT_ROW, best(np.sort, given.sorted_numbers(), repeats=10)
    contract = partial(np.einsum, "ijk,kl->ijl", optimize=True)
    yield given.EINSUM_ROW, best(contract, a, m, repeats=10)
    yield given.SVD_ROW, best(partial(np.linalg.svd, full_matrices=False), matrix, repeats=10)
    yield given.NORMALS_ROW, best(partial(rng.standard_normal, 1_000_000), repeats=10)


def jax_arrays() -> Iterator[Row]:
    """Yield the rows of derivatives."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def residuals(x: Any) -> Any:
        return x[0] * jnp.exp(-x[1] * given.TIMES) * jnp.sin(x[2] * given.TIMES) + x[3]

    jacobian = jax.jit(jax.jacfwd(residuals))
    yield given.JACOBIAN_ROW, best(lambda x: jacobian(x).block_until_ready(), given.GUESS)

    def likelihood(scales: Any) -> Any:
        height, length, noise = jnp.exp(scales)
        apart = (given.POINTS[:, None] - given.POINTS[None, :]) ** 2
        covariance = height**2 * jnp.exp(-0.5 * apart / length**2) + noise**2 * jnp.eye(200)
        factor = jax.scipy.linalg.cho_factor(covariance)
        fit = given.VALUES @ jax.scipy.linalg.cho_solve(factor, given.VALUES)
        return -0.5 * (fit + 2.0 * jnp.sum(jnp.log(jnp.diag(factor[0]))))

    both, scales = jax.jit(jax.value_and_grad(likelihood)), given.SCALES
    yield given.PROCESS_ROW, best(lambda s: both(s)[1].block_until_ready(), scales, repeats=10)


def numba_arrays() -> Iterator[Row]:
    """Yield the row of the Gaussian process, whose gradient is written by hand."""
    import numba

    @numba.njit
    def likelihood(scales: Any, points: Any, values: Any) -> Any:
        height, length, noise = np.exp(scales)
        n = len(points)
        smooth, apart = np.empty((n, n)), np.empty((n, n))
        for i in range(n):
            for j in range(n):
                apart[i, j] = (points[i] - points[j]) ** 2
                smooth[i, j] = height**2 * np.exp(-0.5 * apart[i, j] / length**2)
        factor = np.linalg.cholesky(smooth + noise**2 * np.eye(n))
        inverse = np.linalg.inv(factor)
        inverse = inverse.T @ inverse
        weights = inverse @ values
        value = -0.5 * (values @ weights) - np.sum(np.log(np.diag(factor)))
        slope = 0.5 * (np.outer(weights, weights) - inverse)
        by_height = 2.0 * np.sum(slope * smooth)
        by_length = np.sum(slope * smooth * apart) / length**2
        by_noise = 2.0 * noise**2 * np.trace(slope)
        return value, np.array([by_height, by_length, by_noise])

    yield given.PROCESS_ROW, best(likelihood, given.SCALES, given.POINTS, given.VALUES, repeats=10)
