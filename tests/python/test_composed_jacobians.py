"""Jacobians of compositions, whose nodes run for all rows at once, against a gradient for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_factorizations import drawn

import thunkvm as tv

V, A = tv.vector("v"), tv.matrix("a")
POINTS, SQUARE = drawn((5,)), drawn((3, 3)) + 2 * np.eye(3)

VECTORS: dict[str, Callable[[Any], Any]] = {
    "sort": lambda v: tv.sort(v, descending=True),
    "topk": lambda v: tv.topk(v, 2),
    "quantile": lambda v: tv.quantile(v, [0.2, 0.7]),
    "nanquantile": lambda v: tv.nanquantile(v, [0.2, 0.7], method="hazen"),
    "median": lambda v: tv.median(v)[None],
    "unique": tv.unique,
    "interp": lambda v: tv.interp(v, [-3.0, 0.0, 3.0], [1.0, 5.0, -2.0]),
    "interp's values": lambda v: tv.interp([0.5, 1.5], [0.0, 1.0, 2.0, 3.0, 4.0], v),
    "bincount": lambda v: tv.bincount([0, 2, 0, 1, 2], v),
}
MATRICES: dict[str, Callable[[Any], Any]] = {
    "expm": tv.expm,
    "matrix_power": lambda a: tv.matrix_power(a, -3),
    "kron": lambda a: tv.kron(a, a),
    "block_diag": lambda a: tv.block_diag(a, a),
    "tensorinv": lambda a: tv.tensorinv(a, 1),
    "full svd": lambda a: tv.svd(a)[0] ** 2,
    "complete qr": lambda a: tv.qr(a, "complete")[0] ** 2,
    "permuted lu": lambda a: tv.lu(a, permute_l=True)[0],
    "lu_solve": lambda a: tv.lu_solve(tv.lu_factor(a), a, 1),
    "cho_solve": lambda a: tv.cho_solve(tv.cho_factor(a @ a.T), a),
    "solve": lambda a: tv.solve(a, a @ a, assume_a="sym"),
    "matrix_norm": lambda a: tv.matrix_norm(a, ord="nuc")[None],
    "condition_number": lambda a: tv.condition_number(a, 1)[None],
    "solve_sylvester": lambda a: tv.solve_sylvester(a, a, a @ a),
    "solve_discrete_lyapunov": lambda a: tv.solve_discrete_lyapunov(a / 9.0, a),
    "solve_discrete_are": lambda a: tv.solve_discrete_are(a, np.eye(3), np.eye(3), np.eye(3)),
}


def held_against_rows(out: Any, given: Any, value: Any) -> None:
    out = tv.ravel(out)
    jacobian = tv.function([given], tv.jacobian(out, given))(value)
    elements = len(tv.function([given], out)(value))
    assert len(jacobian) == elements
    i = tv.lscalar("i")
    row = tv.function([given, i], tv.grad(out[i], given))
    for k in range(elements):
        np.testing.assert_allclose(jacobian[k], row(value, k), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", VECTORS)
def test_the_jacobian_of_a_function_of_vectors_has_a_gradient_in_each_row(name: str) -> None:
    held_against_rows(VECTORS[name](V), V, POINTS)


@pytest.mark.parametrize("name", MATRICES)
def test_the_jacobian_of_a_function_of_matrices_has_a_gradient_in_each_row(name: str) -> None:
    held_against_rows(MATRICES[name](A), A, SQUARE)
