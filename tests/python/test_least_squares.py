"""Pseudo-inverses, ranks, least squares and spaces of matrices of any rank, against NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from against_numpy import run, same
from test_factorizations import DTYPES, SHAPES, dagger, drawn, is_orthonormal, layouts, near

import thunkvm as tv

MODES = ["py", "cvm", "FAST_RUN"]
A, B = tv.matrix("a"), tv.matrix("b")


def of_rank(m: int, n: int, rank: int, dtype: str = "float64", seed: int = 0) -> Any:
    return drawn((m, rank), dtype, seed) @ drawn((rank, n), dtype, seed + 1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_pinv_and_matrix_rank_equal_numpys(mode: str, dtype: str, shape: tuple[int, ...]) -> None:
    a = drawn(shape, dtype)
    for x in layouts(a):
        near(run(mode, tv.pinv, x), np.linalg.pinv(a), dtype)
    assert run(mode, tv.pinv, a).dtype == dtype
    if min(shape[-2:]):  # NumPy has no rank of nothing
        same(run(mode, tv.matrix_rank, a), np.linalg.matrix_rank(a))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_pinv_leaves_small_singular_values_out(
    mode: str, dtype: str, shape: tuple[int, int]
) -> None:
    a = of_rank(*shape, 2, dtype)
    for rcond in (1e-3, 0.5):
        wanted = np.linalg.pinv(a, rcond)
        near(run(mode, lambda v, r=rcond: tv.pinv(v, r), a), wanted, dtype)
        near(run(mode, lambda v, r=rcond: tv.pinv(v, rtol=r), a), wanted, dtype)
    same(run(mode, lambda v: tv.matrix_rank(v), a), np.linalg.matrix_rank(a))
    same(run(mode, lambda v: tv.matrix_rank(v, tol=1e9), a), np.linalg.matrix_rank(a, tol=1e9))
    same(run(mode, lambda v: tv.matrix_rank(v, rtol=0.9), a), np.linalg.matrix_rank(a, rtol=0.9))
    stack = np.stack([a, 2 * drawn(shape, dtype, 7)])
    shares = np.array([1e-3, 0.5])
    near(run(mode, lambda v: tv.pinv(v, shares), stack), np.linalg.pinv(stack, shares), dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pinv_and_matrix_rank_of_hermitian_matrices_read_one_triangle(
    mode: str, dtype: str
) -> None:
    a = of_rank(4, 2, 2, dtype)
    a = a @ dagger(a)
    got = run(mode, lambda v: tv.pinv(v, 1e-3, hermitian=True), np.tril(a))
    near(got, np.linalg.pinv(a, 1e-3, hermitian=True), dtype)
    assert run(mode, lambda v: tv.matrix_rank(v, hermitian=True, rtol=1e-3), np.tril(a)) == 2


@pytest.mark.parametrize("mode", MODES)
def test_the_rank_of_a_vector_is_whether_it_is_not_zero(mode: str) -> None:
    for x in (np.zeros(3), np.array([0.0, 2.0]), np.float64(0.0), np.float64(1.0)):
        same(run(mode, tv.matrix_rank, x), np.int64(np.linalg.matrix_rank(x)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "rank"), [((5, 3), 3), ((5, 3), 2), ((3, 5), 3), ((3, 3), 3)])
def test_lstsq_equals_numpys(mode: str, dtype: str, shape: tuple[int, int], rank: int) -> None:
    a = of_rank(*shape, rank, dtype)
    for b in (drawn(shape[:1], dtype, 9), drawn((shape[0], 2), dtype, 9)):
        got = run(mode, lambda a, b: list(tv.lstsq(a, b, 1e-3)), a, b)
        wanted = np.linalg.lstsq(a, b, 1e-3)
        for ours, theirs in zip(got, wanted, strict=True):
            assert np.shape(ours) == np.shape(theirs)
            near(ours, theirs, dtype)
        assert got[0].dtype == dtype
    near(
        run(mode, lambda a, b: tv.lstsq(a, b)[0], a[:, :1], b),
        np.linalg.lstsq(a[:, :1], b)[0],
        dtype,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_orth_and_null_space_span_what_a_matrix_reaches_and_what_it_takes_to_zero(
    mode: str, dtype: str
) -> None:
    for m, n, rank in [(5, 4, 2), (3, 5, 3), (4, 4, 4), (3, 3, 0)]:
        a = of_rank(m, n, rank, dtype)
        reached, lost = run(mode, lambda v: [tv.orth(v, 1e-3), tv.null_space(v, 1e-3)], a)
        assert reached.shape == (m, rank)
        assert lost.shape == (n, n - rank)
        is_orthonormal(reached, dtype)
        is_orthonormal(lost, dtype)
        near(reached @ (dagger(reached) @ a), a, dtype)
        near(a @ lost, np.zeros((m, n - rank)), dtype)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (2, 4, 3)])
def test_the_gradient_of_pinv_is_that_of_differences(shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(0)
    tv.verify_grad(tv.pinv, [drawn(shape, dtype)], rng=rng)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5)])
def test_the_gradient_of_pinv_is_that_of_matrices_of_the_same_rank(
    shape: tuple[int, int], dtype: str
) -> None:
    left, right = drawn((shape[0], 2), dtype), drawn((2, shape[1]), dtype, 1)
    rng = np.random.default_rng(0)
    tv.verify_grad(lambda a, b: tv.pinv(a @ b, 1e-6), [left, right], rng=rng)
    b = drawn((shape[0], 2), dtype, 3)
    tv.verify_grad(lambda a, c, b: tv.lstsq(a @ c, b, 1e-6)[0], [left, right, b], rng=rng)


def test_the_gradient_of_pinv_with_equal_singular_values_is_that_of_the_inverse() -> None:
    a, weights = np.eye(3), drawn((3, 3))
    got, wanted = (
        tv.function([A], tv.grad(tv.sum(weights * inverse(A)), A))(a)
        for inverse in (tv.pinv, tv.inv)
    )
    np.testing.assert_allclose(got, wanted, atol=1e-13)


def test_the_hessian_of_pinv_is_that_of_the_inverse() -> None:
    x, a = tv.vector("x"), drawn((3, 3))
    weights = drawn((3, 3), seed=4)
    got, wanted = (
        tv.function([x], tv.hessian(tv.sum(weights * inverse(tv.reshape(x, (3, 3)))), x))(a.ravel())
        for inverse in (tv.pinv, tv.inv)
    )
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-10)


def test_the_gradient_of_residuals_is_that_of_differences() -> None:
    a, b = drawn((5, 3)), drawn((5, 2), seed=1)
    tv.verify_grad(lambda a, b: tv.lstsq(a, b)[1], [a, b], rng=np.random.default_rng(0))
    tv.verify_grad(lambda a: tv.lstsq(a, b)[3], [a], rng=np.random.default_rng(0))


def test_the_gradient_of_spaces_is_that_of_their_projectors() -> None:
    def reached(a: Any, b: Any) -> Any:
        columns = tv.orth(a @ b, 1e-6)
        return columns @ tv.transpose(columns)

    def lost(a: Any, b: Any) -> Any:
        columns = tv.null_space(a @ b, 1e-6)
        return columns @ tv.transpose(columns)

    rng = np.random.default_rng(0)
    tv.verify_grad(reached, [drawn((4, 2)), drawn((2, 2), seed=1)], rng=rng)
    tv.verify_grad(lost, [drawn((2, 2)), drawn((2, 4), seed=1)], rng=rng)


def test_a_jacobian_of_pinv_has_the_gradient_of_each_element() -> None:
    out, value = tv.ravel(tv.pinv(A)), drawn((4, 2))
    jacobian = tv.function([A], tv.jacobian(out, A))(value)
    for i in range(8):
        row = tv.function([A], tv.grad(out[i], A))(value)
        np.testing.assert_allclose(jacobian[i], row, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    ("mistake", "error", "told"),
    [
        (lambda: tv.pinv(A, 0.1, rtol=0.1), ValueError, "[pinv] both rcond and rtol are given"),
        (lambda: tv.matrix_rank(A, 0.1, rtol=0.1), ValueError, "[matrix_rank] both tol and rtol"),
        (lambda: tv.pinv(A[0]), np.linalg.LinAlgError, "[pinv] 1-dimensional array given. Array"),
        (lambda: tv.lstsq(A[None], A), np.linalg.LinAlgError, "[lstsq] a has to be a matrix, and"),
        (lambda: tv.orth(A[None]), np.linalg.LinAlgError, "[orth] a has to be one matrix, but"),
        (lambda: tv.null_space(A[None]), np.linalg.LinAlgError, "[null_space] a has to be one"),
    ],
)
def test_least_squares_tell_what_is_wrong(
    mistake: Callable[[], Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=re.escape(told)):
        mistake()
