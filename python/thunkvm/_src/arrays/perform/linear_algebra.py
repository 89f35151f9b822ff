"""Products, solutions and factors of matrices in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import (
    Perform,
    performs,
    performs_binary,
    performs_outputs,
    performs_ternary,
    performs_unary,
)

performs_binary("matmul", np.matmul)
performs_binary("dot", np.matmul)
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


def _beside(a: Any, factor: Any) -> Any:
    """Return a matrix for each factor of a stack; the value is the same with a factor."""
    return np.broadcast_to(a, np.broadcast_shapes(a.shape, factor.shape))


@performs("factored_cholesky")
def _factored_cholesky(node: Any) -> Perform:
    without = _cholesky(node)

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        without(node, [_beside(*inputs)], output_storage)

    return perform


performs_binary("factored_inv", lambda a, factor: np.linalg.inv(_beside(a, factor)))
performs_outputs("factored_slogdet", lambda a, factor: np.linalg.slogdet(_beside(a, factor)))


# NumPy factors the matrix by itself.
performs_outputs("slogdet_by_lu", lambda a, packed, exchanges: np.linalg.slogdet(a))
performs_ternary("det_by_lu", lambda a, packed, exchanges: np.linalg.det(a))
performs_ternary("inv_by_lu", lambda a, packed, exchanges: np.linalg.inv(a))
performs_ternary("cofactors_by_lu", lambda a, packed, exchanges: _cofactors(a))


@performs("solve_by_lu")
def _solve_by_lu(node: Any) -> Perform:
    transposed, conjugated = node.op.attrs["transposed"], node.op.attrs["conjugated"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        a, b, *_ = inputs
        a = np.conj(a) if conjugated else a
        output_storage[0][0] = np.linalg.solve(np.swapaxes(a, -1, -2) if transposed else a, b)

    return perform


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


def _cofactors(a: Any) -> Any:
    scaled = _Equilibrated(a)
    n = a.shape[-1]
    products, exponent = _products(scaled.s, np.eye(n, dtype=bool))
    middle = np.zeros_like(a)
    middle[..., np.arange(n), np.arange(n)] = products
    return scaled.out_of_bases(middle, exponent)


def _cofactor_changes(a: Any, b: Any) -> Any:
    scaled = _Equilibrated(a)
    n = a.shape[-1]
    change = np.conj(np.swapaxes(scaled.u, -1, -2)) @ _times_power(b, -scaled.powers) @ scaled.v
    pairs = np.eye(n, dtype=bool)[:, None] | np.eye(n, dtype=bool)[None]
    products, exponent = _products(scaled.s, pairs.reshape(n * n, n))
    products = products.reshape(*a.shape) * ~np.eye(n, dtype=bool)
    middle = -products * np.swapaxes(change, -1, -2)
    sums = (products * np.diagonal(change, axis1=-2, axis2=-1)[..., None, :]).sum(-1)
    middle[..., np.arange(n), np.arange(n)] = sums
    return scaled.out_of_bases(middle, exponent)


class _Equilibrated:
    """Matrices with rows and columns near 1, by powers of two, as u diag(s) v*."""

    def __init__(self, a: Any) -> None:
        rows = _exponents(np.abs(a).max(-1, keepdims=True, initial=0))
        a = _times_power(a, -rows)
        columns = _exponents(np.abs(a).max(-2, keepdims=True, initial=0))
        #: The factors of each element, and of the determinant.
        self.powers = rows + columns
        self.power = rows.sum((-1, -2), keepdims=True) + columns.sum((-1, -2), keepdims=True)
        try:
            self.u, self.s, vh = np.linalg.svd(_times_power(a, -columns))
        except np.linalg.LinAlgError:  # a NaN somewhere
            self.u, self.s, vh = np.full_like(a, np.nan), np.zeros(a.shape[:-1], a.real.dtype), a
        turn = np.linalg.det(self.u) * np.linalg.det(vh)
        self.turn = (turn / np.abs(turn))[..., None, None]
        self.v = np.conj(np.swapaxes(vh, -1, -2))

    def out_of_bases(self, middle: Any, exponent: Any) -> Any:
        out = self.turn * (np.conj(self.u) @ middle @ np.swapaxes(self.v, -1, -2))
        return _times_power(out, exponent + self.power - self.powers)


def _products(s: Any, left_out: Any) -> tuple[Any, Any]:
    """Return, for each row of a mask, the product of the values that it does not leave out.

    And the power of two that belongs to them all.
    """
    mantissas, exponents = np.frexp(s)
    products = np.where(left_out, 1, mantissas[..., None, :]).prod(-1)
    powers = np.where(left_out, 0, exponents[..., None, :]).sum(-1)
    counted = np.where(products != 0, powers, powers.min(initial=0))
    common = counted.max(-1, initial=0, keepdims=True)
    return np.ldexp(products, powers - common), common[..., None]


def _exponents(size: Any) -> Any:
    """Return the powers of two that numbers are near; 0 of what has none."""
    return np.where((size > 0) & np.isfinite(size), np.frexp(size)[1], 0)


def _times_power(x: Any, powers: Any) -> Any:
    if np.iscomplexobj(x):
        return (np.ldexp(x.real, powers) + 1j * np.ldexp(x.imag, powers)).astype(x.dtype)
    return np.ldexp(x, powers)


performs_unary("cofactors", _cofactors)
performs_binary("cofactor_changes", _cofactor_changes)
