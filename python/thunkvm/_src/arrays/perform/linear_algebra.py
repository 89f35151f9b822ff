"""Products, solutions and factors of matrices in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import Perform, performs, performs_binary, performs_unary

performs_binary("matmul", np.matmul)
performs_binary("solve", np.linalg.solve)
performs_unary("inv", np.linalg.inv)
performs_unary("det", np.linalg.det)


@performs("cholesky")
def _cholesky(node: Any) -> Perform:
    upper = not node.op.attrs["lower"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.linalg.cholesky(inputs[0], upper=upper)

    def perform_or_nan(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        (a,) = inputs
        out = np.empty(a.shape, a.dtype)
        for index in np.ndindex(a.shape[:-2]):
            try:
                out[index] = np.linalg.cholesky(a[index], upper=upper)
            except np.linalg.LinAlgError:
                triangle = np.triu if upper else np.tril
                out[index] = triangle(np.full(a.shape[-2:], np.nan, a.dtype))
        output_storage[0][0] = out

    return perform_or_nan if node.op.attrs["on_error"] == "nan" else perform


@performs("solve_triangular")
def _solve_triangular(node: Any) -> Perform:
    attrs = node.op.attrs
    triangle = np.tril if attrs["lower"] else np.triu
    transposed, unit = attrs["transposed"], attrs["unit_diagonal"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        a = triangle(inputs[0])
        if unit:
            diagonal = np.arange(a.shape[-1])
            a[..., diagonal, diagonal] = 1
        if transposed:
            a = np.swapaxes(a, -1, -2)
        output_storage[0][0] = np.linalg.solve(a, inputs[1])

    return perform
