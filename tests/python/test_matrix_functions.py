"""Powers, exponentials, products, blocks and equations of matrices."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from against_numpy import against_numpy, run, same
from test_factorizations import DTYPES, dagger, drawn, layouts, near, positive

import thunkvm as tv

MODES = ["py", "cvm", "FAST_RUN"]
A, V, T = tv.matrix("a"), tv.vector("v"), tv.tensor3("t")


def verified(function: Callable[..., Any], *values: Any) -> None:
    tv.verify_grad(function, list(values), rng=np.random.default_rng(0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 3, 5, 8])
def test_matrix_power_equals_numpys(mode: str, n: int) -> None:
    for dtype in DTYPES:
        for shape in ((3, 3), (2, 3, 3), (0, 0)):
            a = drawn(shape, dtype)
            got = run(mode, lambda v: tv.matrix_power(v, n), a)
            wanted = np.linalg.matrix_power(a, n)
            assert got.dtype == wanted.dtype
            np.testing.assert_allclose(
                got, wanted, rtol=2e-4 if a.real.dtype == "float32" else 1e-10, atol=1e-4
            )
    if n >= 0:
        integers = np.array([[1, 2], [3, 4]])
        same(
            run(mode, lambda v: tv.matrix_power(v, n), integers),
            np.linalg.matrix_power(integers, n),
        )


def exponential(a: Any) -> Any:
    """The exponential by its series, in so many halves that each is short."""
    half = a.astype(np.complex256 if np.iscomplexobj(a) else np.float128) / 2**12
    term = total = np.broadcast_to(np.eye(a.shape[-1]), a.shape).astype(half.dtype)
    for k in range(1, 20):
        term = term @ half / k
        total = total + term
    for _ in range(12):
        total = total @ total
    return total.astype(a.dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1e-3, 1.0, 8.0])
def test_expm_equals_its_series(mode: str, dtype: str, size: float) -> None:
    for shape in ((4, 4), (2, 3, 3), (1, 1)):
        a = (size * drawn(shape, dtype)).astype(dtype)
        for x in layouts(a):
            got, wanted = run(mode, tv.expm, x), exponential(a)
            assert got.dtype == dtype
            scale = np.linalg.norm(wanted, axis=(-2, -1))[..., None, None]
            tolerance = 2e-5 if a.real.dtype == "float32" else 1e-13
            np.testing.assert_allclose(got / scale, wanted / scale, atol=tolerance * max(1, size))


@pytest.mark.parametrize("mode", MODES)
def test_expm_squares_each_matrix_of_a_stack_as_often_as_it_needs(mode: str) -> None:
    stack = np.stack([np.diag([1.0, -1.0]), np.diag([100.0, -700.0])])
    got = run(mode, tv.expm, stack)
    wanted = np.stack([np.diag(np.exp(np.diag(each))) for each in stack])
    np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=0)
    same(got[0], run(mode, tv.expm, stack[0]))


@pytest.mark.parametrize("mode", MODES)
def test_expm_of_nothing_is_nothing_and_of_nan_is_nan(mode: str) -> None:
    same(run(mode, tv.expm, np.zeros((0, 0))), np.zeros((0, 0)))
    same(run(mode, tv.expm, np.zeros((2, 2))), np.eye(2))
    for value in (np.nan, np.inf):
        assert np.isnan(run(mode, tv.expm, np.full((2, 2), value))).all()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("size", [0.1, 1.0, 5.0])
def test_the_gradient_of_expm_is_that_of_differences(dtype: str, size: float) -> None:
    # Norms that are far from where another squaring begins.
    a = drawn((3, 3), dtype)
    verified(lambda a: tv.expm(size * a) / np.exp(size), a)
    verified(lambda a: tv.expm(size * a) / np.exp(size), drawn((2, 3, 3), dtype))


def test_the_gradient_of_the_trace_of_expm_is_the_transposed_exponential() -> None:
    a = drawn((3, 3)) * 4
    gradient = tv.function([A], tv.grad(tv.trace(tv.expm(A)), A))(a)
    np.testing.assert_allclose(gradient, exponential(a).T, rtol=1e-10)


@pytest.mark.parametrize("mode", MODES)
def test_kron_equals_numpys(mode: str) -> None:
    for a, b in [
        ((2, 3), (4, 1)),
        ((3,), (2,)),
        ((2,), (2, 3)),
        ((2, 1, 2), (3, 2)),
        ((), (2,)),
        ((), ()),
        ((0, 2), (3, 2)),
    ]:
        against_numpy(mode, tv.kron, np.kron, drawn(a), drawn(b, seed=1))
    against_numpy(mode, tv.kron, np.kron, np.array([[1, 2]]), drawn((2, 2), "complex128"))
    verified(tv.kron, drawn((2, 3)), drawn((2, 2), seed=1))


@pytest.mark.parametrize("mode", MODES)
def test_block_diag_puts_matrices_on_the_diagonal(mode: str) -> None:
    a, b = drawn((2, 3)), np.array([[1, 2]])
    got = run(mode, lambda a, b: tv.block_diag(a, b, 5.0, [7.0, 8.0]), a, b)
    wanted = np.zeros((5, 8))
    wanted[:2, :3], wanted[2, 3:5], wanted[3, 5], wanted[4, 6:] = a, [1, 2], 5, [7, 8]
    same(got, wanted)
    same(run(mode, tv.block_diag, a), a)
    same(run(mode, tv.block_diag, np.zeros((0, 2)), b), np.array([[0, 0, 1, 2.0]]))
    verified(lambda a: tv.block_diag(a, a * 2), a)


@pytest.mark.parametrize("mode", MODES)
def test_multi_dot_equals_numpys(mode: str) -> None:
    shapes: list[list[tuple[int, ...]]] = [
        [(2, 3), (3, 4)],
        [(2, 30), (30, 4), (4, 5), (5, 1)],
        [(3,), (3, 4), (4, 2)],
        [(2, 3), (3, 4), (4,)],
        [(3,), (3, 4), (4,)],
        [(3,), (3,)],
    ]
    for each in shapes:
        arrays = [drawn(shape, seed=i) for i, shape in enumerate(each)]
        got = run(mode, lambda *v: tv.multi_dot(v), *arrays)
        np.testing.assert_allclose(got, np.linalg.multi_dot(arrays), rtol=1e-12)
        assert np.shape(got) == np.shape(np.linalg.multi_dot(arrays))


def test_multi_dot_multiplies_in_the_order_that_costs_least() -> None:
    # Of (a b) c and a (b c) the second makes two vectors of matrices.
    a, b, column = tv.zeros((50, 40)), tv.zeros((40, 30)), tv.zeros((30, 1))
    out = tv.multi_dot([a, b, column])
    assert out.owner.inputs[0] is a
    first = tv.multi_dot([tv.zeros((1, 30)), tv.zeros((30, 40)), tv.zeros((40, 50))])
    assert first.owner.inputs[0].type.shape == (1, 40)


@pytest.mark.parametrize("mode", MODES)
def test_tensorinv_and_tensorsolve_equal_numpys(mode: str) -> None:
    a = drawn((2, 3, 6))
    against_numpy(mode, tv.tensorinv, np.linalg.tensorinv, a)
    b = drawn((6, 2, 3))
    against_numpy(mode, lambda v: tv.tensorinv(v, 1), lambda v: np.linalg.tensorinv(v, 1), b)
    against_numpy(mode, tv.tensorsolve, np.linalg.tensorsolve, a, drawn((2, 3), seed=2))
    c = drawn((2, 6, 3))
    for axes in ((1,), None):
        side = drawn((2, 3) if axes else (2,), seed=3)
        if axes:
            against_numpy(
                mode,
                lambda a, b, x=axes: tv.tensorsolve(a, b, x),
                lambda a, b, x=axes: np.linalg.tensorsolve(a, b, x),
                c,
                side,
            )
    verified(tv.tensorinv, a)
    verified(tv.tensorsolve, a, drawn((2, 3), seed=2))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions_of_sylvesters_and_lyapunovs_equations_solve_them(mode: str, dtype: str) -> None:
    a, b, q = positive(3, dtype), positive(2, dtype, 1), drawn((3, 2), dtype, 2)
    x = run(mode, tv.solve_sylvester, a, b, q)
    assert x.dtype == dtype
    near(a @ x + x @ b, q, dtype)
    a, q = drawn((3, 3), dtype) / 4, drawn((3, 3), dtype, 1)
    x = run(mode, tv.solve_discrete_lyapunov, a, q)
    near(a @ x @ dagger(a) - x + q, 0 * q, dtype)
    x = run(mode, tv.solve_continuous_lyapunov, a + 2 * np.eye(3, dtype=dtype), q)
    a = a + 2 * np.eye(3, dtype=dtype)
    near(a @ x + x @ dagger(a), q, dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("growth", [0.3, 1.0, 3.0])
def test_the_solution_of_riccatis_equation_solves_it_and_stabilizes(
    mode: str, dtype: str, growth: float
) -> None:
    a, b = (growth * drawn((3, 3), dtype)).astype(dtype), drawn((3, 2), dtype, 1)
    q, r = positive(3, dtype, 2), positive(2, dtype, 3)
    x = run(mode, tv.solve_discrete_are, a, b, q, r)
    assert x.dtype == dtype
    gain = np.linalg.solve(r + dagger(b) @ x @ b, dagger(b) @ x @ a)
    scale = max(1.0, np.abs(x).max())
    tolerance = 1e-3 if dtype in ("float32", "complex64") else 1e-9
    np.testing.assert_allclose(
        (dagger(a) @ x @ a - dagger(a) @ x @ b @ gain + q) / scale, x / scale, atol=tolerance
    )
    near(x, dagger(x), dtype)
    assert np.abs(np.linalg.eigvals(a - b @ gain)).max() < 1


@pytest.mark.parametrize("mode", MODES)
def test_riccatis_equation_without_a_stabilizing_solution_gives_nan(mode: str) -> None:
    zero, one = np.zeros((1, 1)), np.eye(1)
    assert np.isnan(run(mode, tv.solve_discrete_are, 2 * one, zero, one, one)).all()
    assert np.isnan(run(mode, tv.solve_discrete_are, one, zero, zero, one)).all()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_gradients_of_matrix_equations_are_those_of_differences(dtype: str) -> None:
    a, b, q = positive(3, dtype), positive(2, dtype, 1), drawn((3, 2), dtype, 2)
    verified(tv.solve_sylvester, a, b, q)
    a, q = drawn((3, 3), dtype) / 4, drawn((3, 3), dtype, 1)
    verified(tv.solve_discrete_lyapunov, a, q)
    verified(lambda a, q: tv.solve_continuous_lyapunov(a + 2 * np.eye(3), q), a, q)

    def riccati(a: Any, b: Any, q: Any, r: Any) -> Any:
        return tv.solve_discrete_are(
            a, b, q @ tv.conj(q).T + np.eye(3), r @ tv.conj(r).T + np.eye(2)
        )

    sides = drawn((3, 2), dtype, 1), drawn((3, 3), dtype, 2), drawn((2, 2), dtype, 3)
    verified(riccati, drawn((3, 3), dtype), *sides)


@pytest.mark.parametrize(
    ("mistake", "error", "told"),
    [
        (lambda: tv.matrix_power(A, 0.5), TypeError, "[matrix_power] n is 0.5, but it has to be"),
        (lambda: tv.block_diag(), ValueError, "[block_diag] there are no arrays; give at least"),
        (lambda: tv.block_diag(T), ValueError, "has more than two axes; give matrices"),
        (
            lambda: tv.multi_dot([A]),
            ValueError,
            "[multi_dot] there are 1 arrays; give at lea",
        ),
        (lambda: tv.multi_dot([A, V, A]), np.linalg.LinAlgError, "[multi_dot] array 1 is"),
        (lambda: tv.tensorinv(T, 0), ValueError, "[tensorinv] ind = 0, but it has to be an integ"),
        (lambda: tv.expm(V), np.linalg.LinAlgError, "[expm] 1-dimensional array given. Array must"),
        (
            lambda: tv.expm(tv.zeros((2, 3))),
            np.linalg.LinAlgError,
            "[expm] Last 2 dimensions of the array must be square, but a is",
        ),
        (
            lambda: tv.solve_sylvester(T, A, A),
            np.linalg.LinAlgError,
            "[solve_sylvester] a has to be one matrix, but it is",
        ),
    ],
)
def test_matrix_functions_tell_what_is_wrong(
    mistake: Callable[[], Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=re.escape(told)):
        mistake()
