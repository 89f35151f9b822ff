"""Factors of matrices: the Ops that LAPACK computes, and NumPy's and SciPy's functions of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from against_numpy import run, same

import thunkvm as tv

MODES = ["py", "FAST_COMPILE", "cvm", "FAST_RUN"]
DTYPES = ["float32", "float64", "complex64", "complex128"]
SHAPES = [
    (3, 3),
    (5, 3),
    (3, 5),
    (2, 4, 3),
    (2, 1, 3, 3),
    (0, 3),
    (3, 0),
    (0, 0),
    (0, 2, 2),
    (1, 1),
]
TOLERANCE = {"float32": 2e-5, "float64": 1e-12, "complex64": 2e-5, "complex128": 1e-12}


def drawn(shape: tuple[int, ...], dtype: str = "float64", seed: int = 0) -> Any:
    draw = np.random.default_rng(seed).normal
    real = draw(size=shape)
    return (real + 1j * draw(size=shape) if dtype.startswith("c") else real).astype(dtype)


def positive(n: int, dtype: str = "float64", seed: int = 0) -> Any:
    a = drawn((n, n), dtype, seed)
    return a @ a.conj().T + n * np.eye(n, dtype=dtype)


def layouts(a: Any) -> Iterator[Any]:
    """The same values in C order, in Fortran order, backwards in memory, and with gaps."""
    yield a
    yield np.asfortranarray(a)
    yield a[..., ::-1, ::-1].copy()[..., ::-1, ::-1]
    yield np.repeat(np.repeat(a, 2, -1), 3, -2)[..., ::3, ::2]


def dagger(a: Any) -> Any:
    return np.swapaxes(a, -1, -2).conj()


def near(got: Any, wanted: Any, dtype: str) -> None:
    scale = max(1.0, np.max(np.abs(wanted), initial=0.0))
    np.testing.assert_allclose(got, wanted, rtol=0, atol=TOLERANCE[dtype] * scale)


def is_orthonormal(columns: Any, dtype: str) -> None:
    k = columns.shape[-1]
    near(dagger(columns) @ columns, np.broadcast_to(np.eye(k), (*columns.shape[:-2], k, k)), dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_svd_gives_the_matrix_back(mode: str, dtype: str, shape: tuple[int, ...]) -> None:
    a = drawn(shape, dtype)
    k = min(shape[-2:])
    for full in (False, True):
        for x in layouts(a):
            u, s, vh = run(mode, lambda v, f=full: list(tv.svd(v, full_matrices=f)), x)
            wanted = np.linalg.svd(a, full_matrices=full)
            assert [each.shape for each in (u, s, vh)] == [each.shape for each in wanted]
            assert [each.dtype for each in (u, s, vh)] == [each.dtype for each in wanted]
            near(s, wanted[1], dtype)
            near((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, dtype)
            is_orthonormal(u, dtype)
            is_orthonormal(dagger(vh), dtype)
    near(run(mode, lambda v: tv.svd(v, compute_uv=False), a), wanted[1], dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_svd_of_hermitian_matrices_reads_one_triangle(mode: str, dtype: str) -> None:
    a = drawn((2, 4, 4), dtype)
    u, s, vh = run(mode, lambda v: list(tv.svd(v, hermitian=True)), a)
    whole = np.tril(a) + dagger(np.tril(a, -1))
    real = np.arange(4)
    whole[..., real, real] = whole[..., real, real].real
    near(s, np.linalg.svd(whole, compute_uv=False), dtype)
    near((u * s[..., None, :]) @ vh, whole, dtype)
    near(run(mode, lambda v: tv.svd(v, compute_uv=False, hermitian=True), a), s, dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_qr_gives_the_matrix_back(mode: str, dtype: str, shape: tuple[int, ...]) -> None:
    a = drawn(shape, dtype)
    for kind in ("reduced", "complete"):
        for x in layouts(a):
            q, r = run(mode, lambda v, m=kind: list(tv.qr(v, m)), x)
            wanted = np.linalg.qr(a, kind)
            assert q.shape == wanted.Q.shape
            assert r.shape == wanted.R.shape
            assert q.dtype == r.dtype == dtype
            near(q @ r, a, dtype)
            is_orthonormal(q, dtype)
            near(np.tril(r, -1), 0 * r, dtype)
    same(run(mode, lambda v: tv.qr(v, "r"), a), run(mode, lambda v: tv.qr(v)[1], a))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_lu_gives_the_matrix_back(mode: str, dtype: str, shape: tuple[int, ...]) -> None:
    a = drawn(shape, dtype)
    for x in layouts(a):
        p, lower, upper = run(mode, lambda v: list(tv.lu(v)), x)
        near(p @ lower @ upper, a, dtype)
        near(np.triu(lower, 1), 0 * lower, dtype)
        near(np.tril(upper, -1), 0 * upper, dtype)
        # LAPACK takes |re| + |im| for the size of a complex number.
        assert np.all(np.abs(lower) <= 1.5)
    near(run(mode, lambda v: tv.lu(v, permute_l=True)[0], a), p @ lower, dtype)
    rows, lower, upper = run(mode, lambda v: list(tv.lu(v, p_indices=True)), a)
    near(np.take_along_axis(lower, rows[..., None], -2) @ upper, a, dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("stack", [(), (3,)])
def test_lu_solve_solves_with_the_matrix_its_transpose_and_its_adjoint(
    mode: str, dtype: str, trans: int, stack: tuple[int, ...]
) -> None:
    a = drawn((*stack, 6, 6), dtype)
    turned = [a, np.swapaxes(a, -1, -2), dagger(a)][trans]
    for b in (drawn((6,), dtype), drawn((6, 2), dtype), drawn((*stack, 6, 2), dtype)):
        if stack and b.ndim == 1:
            continue
        x = run(mode, lambda a, b: tv.lu_solve(tv.lu_factor(a), b, trans), a, b)
        near(turned @ x, np.broadcast_to(b, (turned @ x).shape), dtype)


def test_lu_solve_takes_factors_that_are_given() -> None:
    packed, exchanges = tv.matrix("lu"), tv.lvector("piv")
    f = tv.function([packed, exchanges], tv.lu_solve((packed, exchanges), [5.0, 12.0]))
    same(f([[4.0, 4.0], [0.25, 1.0]], [1, 1]), np.array([1.0, 2.0]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [True, False])
def test_cho_solve_solves_through_either_triangle(mode: str, dtype: str, lower: bool) -> None:
    a = positive(4, dtype)
    kept = np.tril(a) if lower else np.triu(a)
    for b in (drawn((4,), dtype), drawn((4, 3), dtype)):
        x = run(mode, lambda a, b: tv.cho_solve(tv.cho_factor(a, lower), b), kept, b)
        near(a @ x, b, dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (0, 0), (0, 2, 2), (1, 1)])
def test_eigenvalues_and_vectors_solve_their_equation(
    mode: str, dtype: str, shape: tuple[int, ...]
) -> None:
    a = drawn(shape, dtype)
    hermitian = a + dagger(a)
    for x in layouts(hermitian):
        for triangle in "LU":
            given = np.tril(x) if triangle == "L" else np.triu(x)
            w, v = run(mode, lambda v, t=triangle: list(tv.eigh(v, UPLO=t)), given)
            near(w, np.linalg.eigvalsh(hermitian), dtype)
            near(hermitian @ v, v * w[..., None, :], dtype)
            is_orthonormal(v, dtype)
            same(w.dtype.type(0), np.linalg.eigvalsh(hermitian).dtype.type(0))
            values = run(mode, lambda v, t=triangle: tv.eigvalsh(v, UPLO=t), given)
            near(values, w, dtype)
    for x in layouts(a):
        w, v = run(mode, lambda v: list(tv.eig(v)), x)
        near(a @ v, v * w[..., None, :], dtype)
        near(np.sort(run(mode, tv.eigvals, x)), np.sort(np.linalg.eigvals(a)), dtype)
    if shape[-1]:
        sign, log = run(mode, lambda v: list(tv.slogdet(v)), a)
        near(sign * np.exp(log), np.linalg.det(a), dtype)
        near(run(mode, tv.logdet, a), log, dtype)


def test_factorizations_of_singular_matrices_are_what_numpy_says() -> None:
    zero = np.zeros((2, 2))
    same(run("cvm", lambda v: list(tv.slogdet(v)), zero)[1], np.float64(-np.inf))
    same(run("cvm", lambda v: tv.svd(v)[1], zero), np.zeros(2))
    _, lower, upper = run("cvm", lambda v: list(tv.lu(v)), zero)
    same(lower, np.eye(2))
    same(upper, zero)
    with pytest.raises(np.linalg.LinAlgError, match=r"(?i)singular"):
        run("cvm", lambda a: tv.lu_solve(tv.lu_factor(a), [1.0, 2.0]), zero)


A, V = tv.matrix("a"), tv.vector("v")
FUNCTIONS: list[tuple[str, Callable[[Any], Any]]] = [
    ("svd", tv.svd),
    ("svdvals", tv.svdvals),
    ("qr", tv.qr),
    ("lu", tv.lu),
    ("lu_factor", tv.lu_factor),
    ("cho_factor", tv.cho_factor),
    ("eigh", tv.eigh),
    ("eigvalsh", tv.eigvalsh),
    ("eig", tv.eig),
    ("eigvals", tv.eigvals),
    ("slogdet", tv.slogdet),
    ("logdet", tv.logdet),
]
SQUARE = FUNCTIONS[4:]


@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_factorizations_ask_for_two_axes(name: str, function: Callable[[Any], Any]) -> None:
    for given in (V, V[0]):
        told = f"[{name}] {given.ndim}-dimensional array given. Array must be at least two-dim"
        with pytest.raises(np.linalg.LinAlgError, match=re.escape(told)):
            function(given)


@pytest.mark.parametrize(("name", "function"), SQUARE)
def test_factorizations_of_square_matrices_refuse_others_with_their_shape(
    name: str, function: Callable[[Any], Any]
) -> None:
    with pytest.raises(np.linalg.LinAlgError) as raised:
        function(tv.zeros((2, 3)))
    assert f"[{name}] Last 2 dimensions of the array must be square" in str(raised.value)
    assert "(2, 3)" in str(raised.value)
    if name != "lu_factor":  # which factors what is not square, too
        out = function(A)
        f = tv.function([A], out[0] if isinstance(out, tuple) else out)
        with pytest.raises(
            np.linalg.LinAlgError, match=r"must be square, but a has shape \(2, 3\)"
        ):
            f(np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda a: tv.svd(a)[1], "[svd] SVD did not converge: check the matrix for NaN"),
        (
            tv.svdvals,
            "[svdvals] SVD did not converge: check the matrix for NaN and infinity",
        ),
        (lambda a: tv.eigh(a)[0], "[eigh] the eigenvalues did not converge: check the matrix for"),
        (tv.eigvalsh, "[eigvalsh] the eigenvalues did not converge: check the matrix for NaN"),
        (tv.eigvals, "[eig] Array must not contain infs or NaNs (shape (2, 2))"),
    ],
)
def test_factorizations_refuse_nan_and_infinity(function: Callable[[Any], Any], told: str) -> None:
    for mode in MODES:
        for value in (np.nan, np.inf):
            with pytest.raises(np.linalg.LinAlgError, match=re.escape(told)):
                run(mode, function, np.full((2, 2), value))


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (lambda: tv.qr(A, "raw"), "[qr] mode = 'raw', but Householder's reflectors are not there"),
        (lambda: tv.qr(A, "full"), "[qr] mode = 'full', but it has to be one of 'reduced', 'comp"),
        (lambda: tv.lu_solve((A, [0]), V, 3), "[lu_solve] trans = 3, but it has to be 0, 1 or 2"),
    ],
)
def test_factorizations_tell_what_is_wrong(mistake: Callable[[], Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        mistake()


@pytest.mark.parametrize(
    "outputs",
    [
        lambda a: tv.svd(a),
        lambda a: tv.qr(a),
        lambda a: tv.lu(a),
        lambda a: tv.eigh(a),
        lambda a: tv.eig(a),
        lambda a: tv.slogdet(a),
        lambda a: [tv.svdvals(a), tv.eigvalsh(a)],
    ],
)
def test_the_shapes_of_factors_are_known_without_them(outputs: Callable[[Any], Any]) -> None:
    # A matrix of NaN would be refused, and one that is asked for would be counted.
    asked = []

    class Counting(tv.Op):
        def make_node(self, x: Any) -> Any:
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: Any, storage: Any) -> None:
            asked.append(1)
            storage[0][0] = inputs[0].copy()

        def infer_shape(self, fgraph: Any, node: Any, shapes: Any) -> Any:
            return shapes

    lengths = [tv.shape(each) for each in outputs(Counting()(A))]
    f = tv.function([A], lengths, on_unused_input="ignore")
    shapes = [tuple(map(int, each)) for each in f(np.full((3, 3), np.nan))]
    assert asked == []
    values = tv.function([A], list(outputs(A)))(positive(3))
    assert shapes == [np.shape(each) for each in values]
