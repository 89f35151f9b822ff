"""Every built-in Op in every mode, held against NumPy: values, dtypes, shapes, edge values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import (
    MODES,
    against_numpy,
    run,
    same,
    values,
)

import thunkvm as tv

# ---- shapes, joining, creation ----


@pytest.mark.parametrize("mode", MODES)
def test_shapes(mode: str) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for view in (x, x[::-1, ::2], x.transpose(2, 0, 1)):
        against_numpy(mode, tv.shape, lambda v: np.array(v.shape), view)
        against_numpy(mode, tv.size, lambda v: np.int64(v.size), view)
        against_numpy(mode, tv.ravel, np.ravel, view)
        against_numpy(mode, tv.transpose, np.transpose, view)
        against_numpy(mode, lambda v: v.T, lambda v: v.T, view)
        against_numpy(mode, lambda v: v.reshape(-1, 2), lambda v: v.reshape(-1, 2), view)
        for axes in ((0, 2, 1), (-1, 0, 1)):
            against_numpy(
                mode, lambda v, a=axes: v.transpose(a), lambda v, a=axes: v.transpose(a), view
            )
        against_numpy(mode, lambda v: tv.swapaxes(v, 0, 2), lambda v: np.swapaxes(v, 0, 2), view)
        against_numpy(mode, lambda v: tv.moveaxis(v, 0, -1), lambda v: np.moveaxis(v, 0, -1), view)
        against_numpy(
            mode, lambda v: tv.expand_dims(v, (0, 2)), lambda v: np.expand_dims(v, (0, 2)), view
        )
    against_numpy(mode, lambda v: tv.squeeze(v, 1), lambda v: np.squeeze(v, 1), np.ones((2, 1, 3)))
    against_numpy(
        mode,
        lambda v: tv.broadcast_to(v, (2, 3)),
        lambda v: np.broadcast_to(v, (2, 3)),
        x[0, 0, :3],
    )
    against_numpy(mode, lambda v: v.reshape(()), lambda v: v.reshape(()), np.ones((1, 1)))


@pytest.mark.parametrize("mode", MODES)
def test_a_reshape_to_another_size_is_an_error(mode: str) -> None:
    with pytest.raises(ValueError, match=r"reshape.*\(3,\)|cannot reshape"):
        run(mode, lambda v: v.reshape(2, -1), np.ones(3))


@pytest.mark.parametrize("mode", MODES)
def test_joining(mode: str) -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3)
    pair = (a, a[::-1])
    against_numpy(mode, lambda *v: tv.concatenate(v), lambda *v: np.concatenate(v), *pair)
    against_numpy(
        mode, lambda *v: tv.concatenate(v, axis=1), lambda *v: np.concatenate(v, axis=1), *pair
    )
    against_numpy(
        mode, lambda *v: tv.concatenate(v, axis=None), lambda *v: np.concatenate(v, axis=None), a, b
    )
    against_numpy(mode, lambda *v: tv.stack(v, axis=1), lambda *v: np.stack(v, axis=1), *pair)
    against_numpy(mode, lambda *v: tv.stack(v, axis=-1), lambda *v: np.stack(v, axis=-1), *pair)
    against_numpy(mode, lambda *v: tv.hstack(v), lambda *v: np.hstack(v), b, b * 2.5)
    against_numpy(mode, lambda *v: tv.hstack(v), lambda *v: np.hstack(v), *pair)
    against_numpy(mode, lambda *v: tv.vstack(v), lambda *v: np.vstack(v), a, b)
    against_numpy(mode, lambda *v: tv.vstack(v), lambda *v: np.vstack(v), b, b)


@pytest.mark.parametrize("mode", MODES)
def test_creation(mode: str) -> None:
    n = tv.lscalar("n")

    def of(build: Any, number: int) -> Any:
        return tv.function([n], build, mode=mode, on_unused_input="ignore")(number)

    same(of(tv.zeros((n, 2)), 3), np.zeros((3, 2)))
    same(of(tv.ones(n, dtype="int8"), 0), np.ones(0, "int8"))
    same(of(tv.full((2, n), 7), 2), np.full((2, 2), 7))
    same(of(tv.full(n, 0.5, dtype="float32"), 2), np.full(2, 0.5, "float32"))
    same(of(tv.arange(n), 4), np.arange(4))
    same(of(tv.arange(n, 0, -2), 7), np.arange(7, 0, -2))
    same(of(tv.arange(0.0, n, 0.1), 1), np.arange(0.0, 1, 0.1))
    same(of(tv.arange(5, n), 2), np.arange(5, 2))
    same(of(tv.arange(n, dtype="float32"), 3), np.arange(3, dtype="float32"))
    same(of(tv.eye(n), 3), np.eye(3))
    same(of(tv.eye(2, n, k=1, dtype="int64"), 4), np.eye(2, 4, k=1, dtype="int64"))
    same(of(tv.eye(n, k=-1), 3), np.eye(3, k=-1))
    same(of(tv.identity(n, "float32"), 2), np.identity(2, "float32"))
    for count in (0, 1, 2, 7):
        same(of(tv.linspace(-1.0, 2.0, n), count), np.linspace(-1.0, 2.0, count))
    for count in range(2, 60):
        assert of(tv.linspace(0.1, 0.7, n), count)[-1] == 0.7
    x = np.arange(6, dtype="float32").reshape(2, 3)
    against_numpy(mode, tv.zeros_like, np.zeros_like, x)
    against_numpy(mode, tv.ones_like, np.ones_like, x)
    against_numpy(mode, lambda v: tv.full_like(v, 2.5), lambda v: np.full_like(v, 2.5), x)
    against_numpy(mode, lambda v: tv.zeros_like(v, "bool"), lambda v: np.zeros_like(v, "bool"), x)


# ---- linear algebra ----

VECTOR, MATRIX, OTHER = np.array([1.0, -2.0, 0.5]), np.arange(6.0).reshape(2, 3), np.ones((3, 4))


@pytest.mark.parametrize("mode", MODES)
def test_products(mode: str) -> None:
    for a, b in ((VECTOR, VECTOR), (MATRIX, VECTOR), (MATRIX, OTHER), (VECTOR, OTHER)):
        against_numpy(mode, tv.dot, np.dot, a, b)
        against_numpy(mode, tv.matmul, np.matmul, a, b)
        against_numpy(mode, lambda v, w: v @ w, np.matmul, a, b)
    batch = np.arange(24.0).reshape(2, 3, 4)
    against_numpy(mode, tv.matmul, np.matmul, batch, np.arange(8.0).reshape(4, 2))
    against_numpy(mode, tv.matmul, np.matmul, MATRIX, batch)
    against_numpy(mode, tv.matmul, np.matmul, batch, VECTOR.repeat(2)[:4])
    against_numpy(mode, tv.matmul, np.matmul, np.zeros((2, 0)), np.zeros((0, 3)))
    against_numpy(mode, tv.outer, np.outer, VECTOR, np.arange(2.0))
    against_numpy(mode, tv.inner, np.inner, MATRIX, VECTOR)
    against_numpy(mode, tv.trace, np.trace, OTHER)
    against_numpy(mode, lambda v: tv.trace(v, 1), lambda v: np.trace(v, 1), MATRIX)
    for axes in (1, ([0], [1]), ([0, 2], [2, 0])):
        a, b = batch, batch.transpose(2, 1, 0) if axes == ([0, 2], [2, 0]) else batch
        a, b = (batch, np.arange(8.0).reshape(4, 2)) if axes == 1 else (a, b)
        a, b = (batch, np.arange(10.0).reshape(5, 2)) if axes == ([0], [1]) else (a, b)
        against_numpy(
            mode,
            lambda v, w, x=axes: tv.tensordot(v, w, x),
            lambda v, w, x=axes: np.tensordot(v, w, x),
            a,
            b,
        )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "dtype", ["int8", "uint64", "bool", "float16", "float32", "complex64", "complex128"]
)
def test_products_for_other_dtypes(dtype: str, mode: str) -> None:
    x = values(dtype)[:3]
    x = np.nan_to_num(x)
    against_numpy(mode, tv.dot, np.dot, x, x)
    against_numpy(mode, tv.matmul, np.matmul, x[:, None] * x[None, :], x)


@pytest.mark.parametrize("mode", MODES)
def test_diagonals(mode: str) -> None:
    for k in (0, 1, -1, 2, -2, 5):
        against_numpy(mode, lambda v, k=k: tv.diag(v, k), lambda v, k=k: np.diag(v, k), MATRIX)
        against_numpy(mode, lambda v, k=k: tv.diag(v, k), lambda v, k=k: np.diag(v, k), VECTOR)
        against_numpy(mode, lambda v, k=k: tv.tril(v, k), lambda v, k=k: np.tril(v, k), MATRIX)
        against_numpy(mode, lambda v, k=k: tv.triu(v, k), lambda v, k=k: np.triu(v, k), MATRIX)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_systems_of_equations(dtype: str, mode: str) -> None:
    a = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]).astype(dtype)
    b = np.array([1.0, -2.0, 3.0]).astype(dtype)
    many = np.stack([b, 2 * b], axis=1)
    batch = np.stack([a, 2 * a])
    against_numpy(mode, tv.solve, np.linalg.solve, a, b)
    against_numpy(mode, tv.solve, np.linalg.solve, a, many)
    against_numpy(mode, tv.solve, np.linalg.solve, batch, np.stack([many, many]))
    against_numpy(mode, tv.solve, np.linalg.solve, a.T, b)
    against_numpy(mode, tv.cholesky, np.linalg.cholesky, a)
    against_numpy(mode, tv.cholesky, np.linalg.cholesky, batch)
    against_numpy(mode, tv.inv, np.linalg.inv, a)
    lower = np.tril(a)
    against_numpy(
        mode, lambda v, w: tv.solve_triangular(v, w, lower=True), np.linalg.solve, lower, b
    )
    against_numpy(
        mode, lambda v, w: tv.solve_triangular(v, w, lower=False), np.linalg.solve, lower.T, b
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("lower", [True, False])
def test_cholesky_gives_nan_for_the_matrices_of_a_batch_that_are_indefinite(
    dtype: str, mode: str, lower: bool
) -> None:
    good = np.array([[4.0, 2.0], [2.0, 5.0]], dtype)
    a = np.stack([good, -good, 4 * good])
    x = tv.tensor("x", dtype=dtype, shape=(None, None, None))
    factors = tv.function([x], tv.cholesky(x, lower=lower, on_error="nan"), mode=mode)(a)
    for k in (0, 2):
        np.testing.assert_allclose(factors[k], np.linalg.cholesky(a[k], upper=not lower), 1e-6)
    triangle = np.tril(np.ones((2, 2))) if lower else np.triu(np.ones((2, 2)))
    np.testing.assert_array_equal(np.isnan(factors[1]), triangle == 1)
    np.testing.assert_array_equal(factors[1][triangle == 0], 0)


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_a_factor_of_nan_is_nan_and_of_the_others_what_it_is(mode: str) -> None:
    x = tv.tensor("x", shape=(None, None, None))
    for on_error in ("raise", "nan"):
        cost = (tv.cholesky(x, on_error=on_error) * [[1.0, 2.0], [3.0, 4.0]]).sum()
        f = tv.function([x], tv.grad(cost, x), mode=mode)
        if on_error == "raise":
            right = f([[[4.0, 2.0], [2.0, 5.0]]])
    got = f([[[4.0, 2.0], [2.0, 5.0]], [[-1.0, 0.0], [0.0, 1.0]]])
    np.testing.assert_allclose(got[0], right[0], rtol=1e-14)
    assert np.isnan(got[1][np.tril_indices(2)]).all()


# ---- NumPy's own functions ----

SPOKEN = [
    (np.sqrt, [np.array([1.0, 4.0])]),
    (np.add, [np.array([1.0, 4.0]), np.array([2.0, 3.0])]),
    (lambda x: np.float64(2.0) * x, [np.array([1.0, 2.0])]),
    (lambda x: np.array([1.0, 2.0]) - x, [np.array([1.0, 5.0])]),
    (lambda x: np.array([[1.0, 2.0]]) @ x, [np.array([1.0, 5.0])]),
    (np.sum, [np.array([1.0, 4.0])]),
    (lambda x: np.sum(x, axis=0, keepdims=True), [np.ones((2, 3))]),
    (lambda x: np.mean(x, axis=1), [np.ones((2, 3))]),
    (lambda x: np.max(x, 0), [np.ones((2, 3))]),
    (np.add.reduce, [np.ones(3)]),
    (np.argmax, [np.array([1.0, 4.0])]),
    (np.dot, [np.ones((2, 3)), np.ones(3)]),
    (np.outer, [np.ones(2), np.ones(3)]),
    (lambda x: np.where(x > 1, x, -x), [np.array([0.5, 2.0])]),
    (lambda x, y: np.concatenate([x, y]), [np.ones(2), np.zeros(1)]),
    (lambda x, y: np.stack([x, y]), [np.ones(2), np.zeros(2)]),
    (lambda x: np.clip(x, 0, 1), [np.array([-1.0, 2.0])]),
    (lambda x: np.reshape(x, (2, 1)), [np.ones(2)]),
    (np.transpose, [np.ones((2, 3))]),
    (np.linalg.norm, [np.array([3.0, 4.0])]),
    (np.linalg.solve, [np.eye(2), np.ones(2)]),
    (np.zeros_like, [np.ones(2)]),
    (np.trace, [np.eye(3)]),
    (np.cumsum, [np.ones(3)]),
    (np.cumprod, [np.ones(3)]),
    (np.round, [np.array([0.5, 1.5])]),
    (lambda x: abs(x) - (-x) + (+x), [np.array([0.5, 1.5])]),
    (lambda x: x // 2 + x % 2 + x**2 + 2**x, [np.array([0.5, 1.5])]),
]


@pytest.mark.parametrize("number", range(len(SPOKEN)))
def test_numpys_functions_and_operators_make_variables(number: int) -> None:
    function, arguments = SPOKEN[number]
    inputs = [tv.tensor(dtype=a.dtype, shape=(None,) * a.ndim) for a in arguments]
    result = function(*inputs)
    assert isinstance(result, tv.Variable)
    same(tv.function(inputs, result)(*arguments), function(*arguments))


def test_numpy_functions_without_a_counterpart_are_errors_that_name_them() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match=r"np\.einsum_path has no counterpart"):
        np.einsum_path("i", x)
    with pytest.raises(TypeError, match=r"np\.isnat has no counterpart"):
        np.isnat(x)
    with pytest.raises(TypeError, match=r"np\.add on a Variable takes no out="):
        np.add(x, x, out=np.zeros(2))
    with pytest.raises(TypeError, match=r"np\.add\.at changes its operand"):
        np.add.at(x, [0], 1.0)
    with pytest.raises(TypeError, match="cannot become an ndarray"):
        np.asarray(x)


# ---- completeness ----


def test_every_registered_op_has_a_numpy_perform() -> None:
    from thunkvm._src.arrays.perform import PERFORMS

    assert set(tv.ops.__all__) - set(PERFORMS) == {"attempt", "conditional", "loop"}
