"""The derivatives of factors of matrices, through functions that leave signs and phases open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_factorizations import drawn, positive

import thunkvm as tv

DTYPES = ["float64", "complex128"]
SHAPES = [(4, 4), (5, 3), (3, 5), (2, 4, 3)]


def verified(function: Callable[..., Any], *values: Any, **more: Any) -> None:
    tv.verify_grad(function, list(values), rng=np.random.default_rng(0), **more)


def dagger(x: Any) -> Any:
    return tv.swapaxes(tv.conj(x), -1, -2)


def weighted(x: Any, seed: int = 3) -> Any:
    """A sum of the elements with weights, real for complex ones too."""
    shape = [n for n in x.type.shape]
    assert None not in shape
    if x.dtype.startswith("complex"):
        weights = drawn(tuple(shape), "complex128", seed)
        return tv.sum(tv.real(tv.conj(weights) * x))
    return tv.sum(drawn(tuple(shape), seed=seed) * x)


def known(function: Callable[[Any], Any], shape: tuple[int, ...]) -> Callable[[Any], Any]:
    """The function of a matrix whose lengths are known; else nothing says the shapes of results."""
    return lambda a: weighted(function(tv.specify_shape(a, shape)))


SVD: dict[str, Callable[[Any], Any]] = {
    "values": lambda a: tv.svd(a)[1],
    "values alone": lambda a: tv.svd(a, compute_uv=False),
    "left": lambda a: (lambda u: u @ (tv.arange(u.type.shape[-1])[:, None] * dagger(u)))(
        tv.svd(a, full_matrices=False)[0]
    ),
    "right": lambda a: (lambda v: dagger(v) @ (tv.arange(v.type.shape[-2])[:, None] * v))(
        tv.svd(a, full_matrices=False)[2]
    ),
    "all": lambda a: (lambda u, s, vh: (u * (s**3)[..., None, :]) @ vh)(
        *tv.svd(a, full_matrices=False)
    ),
    "beyond the values": lambda a: (
        lambda u, s, vh: (
            u[..., s.type.shape[-1] :] @ dagger(u[..., s.type.shape[-1] :])
            if a.type.shape[-2] > a.type.shape[-1]
            else dagger(vh[..., s.type.shape[-1] :, :]) @ vh[..., s.type.shape[-1] :, :]
        )
    )(*tv.svd(a)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("of", SVD)
def test_the_gradient_of_svd_is_that_of_differences(
    of: str, shape: tuple[int, ...], dtype: str
) -> None:
    verified(known(SVD[of], shape), drawn(shape, dtype))


@pytest.mark.parametrize("of", SVD)
def test_the_gradient_of_svd_needs_no_lengths(of: str) -> None:
    a, shape = tv.matrix("a"), (3, 3)
    if of in ("values", "all", "values alone"):
        unknown = tv.function([a], tv.grad(tv.sum(SVD[of](a) ** 2), a))
        b = tv.specify_shape(a, shape)
        fixed = tv.function([a], tv.grad(tv.sum(SVD[of](b) ** 2), a))
        value = drawn(shape)
        np.testing.assert_allclose(unknown(value), fixed(value), rtol=1e-10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_gradient_of_qr_is_that_of_differences(shape: tuple[int, ...], dtype: str) -> None:
    # LAPACK's diagonal of r may be negative, but it is so for all matrices near by.
    a = drawn(shape, dtype)
    verified(known(lambda a: tv.qr(a)[0], shape), a)
    verified(known(lambda a: tv.qr(a)[1], shape), a)
    verified(known(lambda a: tv.qr(a)[0] * 2 @ tv.qr(a)[1] ** 2, shape), a)
    verified(known(lambda a: tv.qr(a, "complete")[1], shape), a)
    k = min(shape[-2:])

    def beyond(a: Any) -> Any:
        q = tv.qr(a, "complete")[0][..., k:]
        return q @ dagger(q)

    if shape[-2] > shape[-1]:
        verified(known(beyond, shape), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_gradient_of_lu_is_that_of_differences(shape: tuple[int, ...], dtype: str) -> None:
    a = drawn(shape, dtype)
    verified(known(lambda a: tv.lu(a)[1], shape), a)
    verified(known(lambda a: tv.lu(a)[2], shape), a)
    verified(known(lambda a: tv.lu(a, permute_l=True)[0], shape), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_the_gradient_of_lu_solve_is_that_of_differences(dtype: str, trans: int) -> None:
    a, b = drawn((3, 3), dtype), drawn((3, 2), dtype, 1)

    def solved(a: Any, b: Any) -> Any:
        return weighted(tv.specify_shape(tv.lu_solve(tv.lu_factor(a), b, trans), (3, 2)))

    verified(solved, a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [True, False])
def test_the_gradient_of_cho_solve_is_that_of_differences(dtype: str, lower: bool) -> None:
    b = drawn((3, 2), dtype, 1)

    def solved(a: Any, b: Any) -> Any:
        # Off its diagonal a positive definite matrix is free.
        whole = a @ dagger(a) + 3.0 * tv.eye(3)
        return weighted(tv.specify_shape(tv.cho_solve(tv.cho_factor(whole, lower), b), (3, 2)))

    verified(solved, drawn((3, 3), dtype), b)


EIGEN: dict[str, Callable[[Any], Any]] = {
    "eigvalsh": tv.eigvalsh,
    "upper eigvalsh": lambda a: tv.eigvalsh(a, UPLO="U"),
    "eigh": lambda a: tv.eigh(a)[0],
    "vectors of eigh": lambda a: (lambda w, v: (v * (w**3)[..., None, :]) @ dagger(v))(*tv.eigh(a)),
    "sizes of eigh": lambda a: tv.abs(tv.eigh(a)[1]) ** 2,
    "eigvals": lambda a: tv.sum(tv.eigvals(a) ** 3, axis=-1),
    "sizes of eig": lambda a: tv.sum(tv.abs(tv.eig(a)[1]) ** 4, axis=-1),
    "slogdet": lambda a: tv.slogdet(a)[1],
    "logdet": tv.logdet,
    "sign": lambda a: tv.slogdet(a)[0] * tv.slogdet(a)[1],
    "hermitian svd": lambda a: tv.svd(a, hermitian=True)[1],
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
@pytest.mark.parametrize("of", EIGEN)
def test_the_gradient_of_eigenvalues_is_that_of_differences(
    of: str, shape: tuple[int, ...], dtype: str
) -> None:
    a = drawn(shape, dtype, 5)
    if "eigh" in of or "eigvalsh" in of or "hermitian" in of:
        # LAPACK does not read the imaginary parts of the diagonal.
        a[..., np.arange(3), np.arange(3)] = a[..., np.arange(3), np.arange(3)].real
    verified(known(EIGEN[of], shape), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "values",
    [
        lambda a: tv.sum(tv.eigvalsh(a) ** 2),
        lambda a: tv.sum(tv.exp(tv.eigh(a)[0])),
        lambda a: tv.sum(tv.svd(a)[1] ** 2),
        lambda a: tv.sum(tv.svdvals(a)),
        lambda a: tv.sum(tv.real(tv.eigvals(a)) ** 2),
        lambda a: (lambda w, v: tv.sum(tv.real((v * w[None]) @ dagger(v))))(*tv.eigh(a)),
    ],
)
def test_equal_values_have_finite_gradients(values: Callable[[Any], Any], dtype: str) -> None:
    a = tv.tensor("a", dtype, (None, None))
    gradient = tv.function([a], tv.grad(values(a), a))(np.eye(3, dtype=dtype) * 2)
    assert np.all(np.isfinite(gradient))


def test_the_gradient_of_a_sum_of_equal_values_is_the_unit_matrix() -> None:
    a = tv.matrix("a")
    for values in (tv.eigvalsh, tv.svdvals, lambda a: tv.real(tv.eigvals(a))):
        gradient = tv.function([a], tv.grad(tv.sum(values(a)), a))
        np.testing.assert_allclose(gradient(np.eye(3) * 2), np.eye(3), atol=1e-12)


JACOBIANS: dict[str, Callable[[Any], Any]] = {
    "svd": lambda a: tv.svd(a)[1],
    "svdvals": tv.svdvals,
    "qr": lambda a: tv.ravel(tv.qr(a)[1]),
    "lu": lambda a: tv.ravel(tv.lu(a)[2]),
    "eigh": lambda a: tv.ravel(tv.eigh(a)[1] ** 2),
    "eigvalsh": tv.eigvalsh,
    "eig": lambda a: tv.ravel(tv.abs(tv.eig(a)[1])),
    "slogdet": lambda a: tv.slogdet(a)[1][None],
    "solved": lambda a: tv.lu_solve(tv.lu_factor(a), [1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("of", JACOBIANS)
def test_a_jacobian_of_factors_has_the_gradient_of_each_element(of: str) -> None:
    a = tv.matrix("a")
    out = JACOBIANS[of](a)
    value = positive(3) + np.diag([1.0, 2.0, 4.0])
    jacobian = tv.function([a], tv.jacobian(out, a))(value)
    for i in range(len(tv.function([a], out)(value))):
        row = tv.function([a], tv.grad(out[i], a))(value)
        np.testing.assert_allclose(jacobian[i], row, rtol=1e-9, atol=1e-10)


def test_the_second_derivatives_of_a_null_spaces_projector_are_those_of_its_formula() -> None:
    x = tv.vector("x")
    weights = drawn((3, 3))

    def beyond(a: Any) -> Any:
        q = tv.qr(a, "complete")[0][:, 1:]
        return q @ tv.transpose(q)

    def formula(a: Any) -> Any:
        return tv.eye(3) - a @ tv.transpose(a) / tv.sum(a * a)

    value = np.array([1.0, 2.0, -0.5])
    got, wanted = (
        tv.function([x], tv.hessian(tv.sum(weights * p(tv.reshape(x, (3, 1)))), x))(value)
        for p in (beyond, formula)
    )
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)
