"""The rewrite `factors`: the LU factors of a matrix serve all that is asked of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_shared_factors import MODES, factorisations, positive

import thunkvm as tv

rng = np.random.default_rng(11)
A, B = tv.matrix("a"), tv.vector("b")
SQUARE, SIDE = rng.normal(size=(6, 6)), rng.normal(size=6)
DTYPES = ["float32", "float64", "complex64", "complex128"]


def drawn(shape: tuple[int, ...], dtype: str) -> Any:
    parts = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return (parts if dtype[0] == "c" else parts.real).astype(dtype)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_all_values_of_a_matrix_are_made_of_one_lu_factorisation(mode: Any) -> None:
    outputs = [tv.solve(A, B), tv.det(A), *tv.slogdet(A), tv.ops.inv(A)]
    f = tv.function([A, B], outputs, mode=mode)
    x, det, sign, logabsdet, inverse = f(SQUARE, SIDE)
    assert factorisations(f) == {"lu_factors": 1}
    np.testing.assert_allclose(x, np.linalg.solve(SQUARE, SIDE), rtol=1e-12)
    np.testing.assert_allclose(det, np.linalg.det(SQUARE), rtol=1e-12)
    np.testing.assert_allclose((sign, logabsdet), np.linalg.slogdet(SQUARE), rtol=1e-12)
    np.testing.assert_allclose(inverse, np.linalg.inv(SQUARE), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_value_and_its_gradient_are_made_of_one_lu_factorisation(mode: Any) -> None:
    value = tv.sum(tv.solve(A, B)) + tv.det(A) + tv.logdet(A)
    f = tv.function([A, B], [value, *tv.grad(value, [A, B])], mode=mode)
    found, to_a, to_b = f(SQUARE, SIDE)
    assert factorisations(f) == {"lu_factors": 1}
    inverse, x = np.linalg.inv(SQUARE), np.linalg.solve(SQUARE, SIDE)
    det, logdet = np.linalg.det(SQUARE), np.linalg.slogdet(SQUARE)[1]
    np.testing.assert_allclose(found, x.sum() + det + logdet, rtol=1e-12)
    np.testing.assert_allclose(to_b, inverse.sum(0), rtol=1e-11)
    expected = -np.outer(inverse.sum(0), x) + (det + 1.0) * inverse.T
    np.testing.assert_allclose(to_a, expected, rtol=1e-10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("side", [(4,), (4, 2), (3, 4, 2), (2, 1, 4, 2)], ids=str)
def test_solutions_by_shared_factors_are_numpys(side: tuple[int, ...], dtype: str) -> None:
    a = tv.tensor("a", dtype=dtype, shape=(None, None, None))
    b = tv.tensor("b", dtype=dtype, shape=(None,) * len(side))
    turned = [a, tv.swapaxes(a, -1, -2), tv.conj(tv.swapaxes(a, -1, -2)), tv.conj(a)]
    f = tv.function([a, b], [tv.ops.solve(each, b) for each in turned], mode="FAST_RUN")
    matrices, sides = drawn((3, 4, 4), dtype), drawn(side, dtype)

    found = f(matrices, sides)

    assert factorisations(f) == {"lu_factors": 1}
    back = np.swapaxes(matrices, -1, -2)
    columns = sides[:, None] if sides.ndim == 1 else sides
    digits = 1e-3 if np.dtype(dtype).itemsize // (1 + (dtype[0] == "c")) == 4 else 1e-11
    for x, matrix in zip(found, [matrices, back, back.conj(), matrices.conj()], strict=True):
        wanted = np.linalg.solve(matrix, columns)
        wanted = wanted[..., 0] if sides.ndim == 1 else wanted
        assert x.dtype == dtype
        np.testing.assert_allclose(x, wanted, rtol=digits, atol=digits)


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_of_stacks_by_shared_factors_are_numpys(dtype: str) -> None:
    a = tv.tensor("a", dtype=dtype, shape=(None, None, None))
    det = tv.det(a)
    outputs = [det, *tv.slogdet(a), tv.ops.inv(a), tv.ops.cofactors(a)]
    f = tv.function([a], outputs, mode="FAST_RUN")
    matrices = drawn((3, 4, 4), dtype)
    found = f(matrices[:, ::-1])
    assert factorisations(f) == {"lu_factors": 1}
    matrices = matrices[:, ::-1]
    inverse = np.linalg.inv(matrices)
    dets = np.linalg.det(matrices)
    cofactors = dets[:, None, None] * np.swapaxes(inverse, -1, -2)
    digits = 1e-3 if np.finfo(dtype).eps > 1e-10 else 1e-11
    expected = [dets, *np.linalg.slogdet(matrices), inverse, cofactors]
    for value, wanted in zip(found, expected, strict=True):
        assert value.dtype == wanted.dtype
        np.testing.assert_allclose(value, wanted, rtol=digits, atol=digits)


def test_cofactors_of_a_singular_matrix_do_without_its_factors() -> None:
    f = tv.function([A], [tv.det(A), tv.grad(tv.det(A), A)], mode="FAST_RUN")
    det, slope = f([[2.0, 1.0], [4.0, 2.0]])
    assert det == 0.0
    np.testing.assert_allclose(slope, [[2.0, -4.0], [-1.0, 2.0]], rtol=1e-14)


def test_a_matrix_of_no_rows_has_factors() -> None:
    f = tv.function([A, B], [tv.solve(A, B), tv.det(A), tv.ops.inv(A)], mode="FAST_RUN")
    x, det, inverse = f(np.empty((0, 0)), np.empty(0))
    assert (x.shape, det, inverse.shape) == ((0,), 1.0, (0, 0))


def test_factors_that_the_user_asks_for_serve_too() -> None:
    packed = tv.lu_factor(A)[0]
    f = tv.function([A], [packed, tv.logdet(A)], mode="FAST_RUN")
    assert f(SQUARE)[1] == pytest.approx(np.linalg.slogdet(SQUARE)[1], rel=1e-12)
    assert factorisations(f) == {"lu_factors": 1}


def test_a_single_value_of_a_matrix_keeps_its_own_factors() -> None:
    f = tv.function([A, B], [tv.solve(A, B), tv.det(A + 1.0)], mode="FAST_RUN")
    np.testing.assert_allclose(f(SQUARE, SIDE)[0], np.linalg.solve(SQUARE, SIDE), rtol=1e-12)
    assert factorisations(f) == {"solve": 1, "det": 1}


def test_what_a_cholesky_factor_serves_needs_no_lu_factors() -> None:
    f = tv.function([A], [tv.cholesky(A), tv.logdet(A), tv.ops.inv(A), tv.det(A)], mode="FAST_RUN")
    matrix = positive(4)
    assert f(matrix)[3] == pytest.approx(np.linalg.det(matrix))
    assert factorisations(f) == {"cholesky": 1, "det": 1}


# ---- laziness and errors ----


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_lu_factors_of_two_arms_are_computed_in_the_arm_that_is_taken(mode: Any) -> None:
    c = tv.scalar("c")
    outer = tv.ifelse(c > 0, tv.det(A), 0.0)
    inner = tv.ifelse(c > 1, tv.logdet(A), 0.0)
    f = tv.function([c, A], [outer, inner], mode=mode)
    matrix = np.diag([2.0, 3.0])
    assert f(0.0, matrix) == [0.0, 0.0]
    assert factorisations(f) == {}
    np.testing.assert_allclose(f(1.0, matrix), [6.0, 0.0])
    assert factorisations(f) == {"lu_factors": 1}
    np.testing.assert_allclose(f(2.0, matrix), [6.0, np.log(6.0)])
    assert factorisations(f) == {"lu_factors": 2}
    assert f(0.0, np.zeros((2, 3))) == [0.0, 0.0]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_singular_matrix_fails_the_solution_alone(mode: Any) -> None:
    c = tv.scalar("c")
    solved = tv.ifelse(c > 0, tv.sum(tv.solve(A, B)), 0.0)
    f = tv.function([c, A, B], [tv.det(A), solved], mode=mode)
    singular = [[1.0, 2.0], [2.0, 4.0]]
    assert f(0.0, singular, [1.0, 1.0]) == [0.0, 0.0]
    with pytest.raises(np.linalg.LinAlgError, match=r"[Ss]ingular"):
        f(1.0, singular, [1.0, 1.0])


def test_an_attempt_does_without_a_solution_by_shared_factors() -> None:
    f = tv.function(
        [A, B], [tv.attempt(tv.sum(tv.solve(A, B)), -1.0), tv.det(A)], mode="FAST_RUN"
    )  # fmt: skip
    assert f([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0]) == [-1.0, 0.0]
    np.testing.assert_allclose(f(np.diag([2.0, 4.0]), [2.0, 4.0]), [2.0, 8.0])


def test_in_a_loop_each_step_factorises_once() -> None:
    def step(i: Any, total: Any) -> Any:
        k = A + i * tv.eye(A.shape[0])
        return total + tv.sum(tv.solve(k, B)) + tv.logdet(k)

    f = tv.function([A, B], tv.fori_loop(0, 3, step, 0.0), mode="FAST_RUN")
    steps = [np.diag([4.0, 1.0]) + i * np.eye(2) for i in range(3)]
    expected = sum(np.linalg.solve(k, [1.0, 2.0]).sum() + np.linalg.slogdet(k)[1] for k in steps)
    assert f(np.diag([4.0, 1.0]), [1.0, 2.0]) == pytest.approx(expected)
    assert factorisations(f) == {"lu_factors": 3}


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (lambda: [tv.det(A), tv.ops.inv(A)], r"\[(det|inv)\] Last 2 dimensions"),
        (lambda: [tv.solve(A, B), tv.solve(A.T, B)], r"\[solve\] Last 2 dimensions"),
    ],
)  # fmt: skip
def test_a_matrix_that_is_not_square_is_refused_in_the_words_of_the_user(
    build: Any, told: str
) -> None:
    f = tv.function([A, B], build(), mode="FAST_RUN", on_unused_input="ignore")
    with pytest.raises(np.linalg.LinAlgError, match=told):
        f(np.ones((2, 3)), np.ones(2))


def test_debug_mode_lets_shared_lu_factors_round() -> None:
    value = tv.sum(tv.solve(A, B)) + tv.logdet(A)
    f = tv.function([A, B], [value, tv.grad(value, A)], mode=tv.DebugMode(optimizer="fast_run"))
    f(SQUARE, SIDE)
