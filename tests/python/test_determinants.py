"""The derivatives of determinants: those of singular matrices, of tiny and of huge ones, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

A = tv.matrix("a")
MODES = ["py", "vm", "FAST_RUN"]


def minors(a: Any) -> Any:
    """Return the cofactors of a matrix by their definition: signed determinants of its minors."""
    n = len(a)
    out = np.empty_like(a)
    for i, j in np.ndindex(n, n):
        minor = np.delete(np.delete(a, i, 0), j, 1)
        out[i, j] = (-1) ** (i + j) * (np.linalg.det(minor) if n > 1 else 1)
    return out


def matrix_of_rank(n: int, rank: int, dtype: str = "float64") -> Any:
    draw = np.random.default_rng(n * 10 + rank).normal
    if dtype == "complex128":
        return matrix_of_rank(n, rank) + 1j * matrix_of_rank(n + 10, rank)[:n, :n]
    return (draw(size=(n, rank)) @ draw(size=(rank, n))).astype(dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rank", range(5))
def test_the_gradient_of_det_is_its_cofactors_at_every_rank(mode: str, rank: int) -> None:
    a = matrix_of_rank(4, rank)
    gradient = tv.function([A], tv.grad(tv.det(A), A), mode=mode)
    np.testing.assert_allclose(gradient(a), minors(a), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_det_in_a_batch_is_right_where_one_matrix_is_singular(mode: str) -> None:
    stack = tv.tensor3("stack")
    values = np.stack([matrix_of_rank(3, rank) for rank in (3, 2, 1)])
    gradient = tv.function([stack], tv.grad(tv.sum(tv.det(stack)), stack), mode=mode)
    want = np.stack([minors(value) for value in values])
    np.testing.assert_allclose(gradient(values), want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_the_hessian_of_det_of_a_zero_matrix_of_two_rows_is_the_one_of_a_d_minus_b_c(
    mode: str,
) -> None:
    x = tv.vector("x")
    hessian = tv.function([x], tv.hessian(tv.det(tv.reshape(x, (2, 2))), x), mode=mode)
    want = [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]]
    np.testing.assert_allclose(hessian(np.zeros(4)), want, atol=1e-15)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_the_hessian_of_det_has_the_minors_of_order_one_of_three_rows(mode: str, rank: int) -> None:
    x = tv.vector("x")
    hessian = tv.function([x], tv.hessian(tv.det(tv.reshape(x, (3, 3))), x), mode=mode)
    a = matrix_of_rank(3, rank)
    # A determinant is linear in each element: so is a cofactor, and differences are exact.
    columns = []
    for k in range(9):
        moved = a.copy()
        moved.flat[k] += 1
        columns.append((minors(moved) - minors(a)).ravel())
    np.testing.assert_allclose(hessian(a.ravel()), np.array(columns).T, atol=1e-12)


def test_the_third_derivative_of_det_of_a_regular_matrix_is_right() -> None:
    x = tv.vector("x")
    first = tv.grad(tv.det(tv.reshape(x, (3, 3))), x)
    second = tv.grad(first[0], x)
    third = tv.function([x], tv.grad(second[4], x))
    # d3 det / da00 da11 da22 is 1, all others of a00 and a11 are 0.
    np.testing.assert_allclose(third(matrix_of_rank(3, 3).ravel()), np.eye(9)[8], atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_det_of_a_complex_singular_matrix_is_the_conjugate_of_its_cofactors(
    mode: str,
) -> None:
    z = tv.zmatrix("z")
    a = matrix_of_rank(3, 2, "complex128")
    a[2] = a[0] + 1j * a[1]
    gradient = tv.function([z], tv.grad(tv.real(tv.det(z)), z), mode=mode)
    np.testing.assert_allclose(gradient(a), minors(a).conj(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("diagonal", "determinant", "cofactors"),
    [
        ([1e-200, 1e-200, 1e300], 1e-100, [1e100, 1e100, 0.0]),
        ([1e-170, 1e-170], 0.0, [1e-170, 1e-170]),
        ([1e200, 1e200, 1e-300], 1e100, [1e-100, 1e-100, np.inf]),
        ([0.0, 2.0, 3.0], 0.0, [6.0, 0.0, 0.0]),
        ([0.0, 0.0, 3.0], 0.0, [0.0, 0.0, 0.0]),
    ],
)
def test_det_and_its_gradient_are_lost_only_where_they_have_no_float(
    mode: str, diagonal: list[float], determinant: float, cofactors: list[float]
) -> None:
    f = tv.function([A], [tv.det(A), tv.grad(tv.det(A), A)], mode=mode)
    value, gradient = f(np.diag(diagonal))
    np.testing.assert_allclose(value, determinant, rtol=1e-12)
    np.testing.assert_allclose(np.diag(gradient), cofactors, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_cofactors_of_a_matrix_with_a_nan_are_nan(mode: str) -> None:
    cofactors = tv.function([A], tv.ops.cofactors(A), mode=mode)
    assert np.isnan(cofactors([[np.nan, 1.0], [2.0, 3.0]])).all()


@pytest.mark.parametrize("mode", MODES)
def test_cofactors_of_one_number_and_of_none_are_one_and_nothing(mode: str) -> None:
    cofactors = tv.function([A], tv.ops.cofactors(A), mode=mode)
    assert cofactors([[49.0]]).tolist() == [[1.0]]
    assert cofactors([[0.0]]).tolist() == [[1.0]]
    assert cofactors(np.zeros((0, 0))).shape == (0, 0)


def test_cofactor_changes_of_matrices_of_two_sizes_say_both() -> None:
    b = tv.matrix("b")
    change = tv.function([A, b], tv.ops.cofactor_changes(A, b), mode="FAST_RUN")
    with pytest.raises(ValueError, match=r"a has shape \(2, 2\), b \(3, 3\)"):
        change(np.eye(2), np.eye(3))
