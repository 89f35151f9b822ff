"""The rewrite `factors`: one Cholesky factor serves all that is asked of its matrix."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["FAST_RUN", tv.Mode("vm", "fast_run"), tv.Mode("py", "fast_run")]
FACTORING = ("cholesky", "slogdet", "inv", "det", "cofactors", "solve", "lu_factors")
rng = np.random.default_rng(7)


def positive(n: int, dtype: str = "float64") -> Any:
    a = rng.normal(size=(n, n)) + (1j * rng.normal(size=(n, n)) if dtype[0] == "c" else 0)
    return (a @ a.conj().T + n * np.eye(n)).astype(dtype)


def factorisations(f: tv.Function) -> dict[str, int]:
    """The runs of the nodes that factor matrices, in the last calls."""
    runs: Counter[str] = Counter()
    for _, op, _, _, n in f.node_runs():
        if op in FACTORING:
            runs[op] += n
    return {op: n for op, n in runs.items() if n}


def likelihood(k: Any, y: Any, solve: Any) -> Any:
    return -0.5 * (y @ solve(k, y) + tv.logdet(k) + y.shape[0] * np.log(2 * np.pi))


SOLVES = {
    "solve": lambda k, y: tv.solve(k, y, assume_a="pos"),
    "lower": lambda k, y: tv.solve(k, y, assume_a="pos", lower=True),
    "cho_solve": lambda k, y: tv.cho_solve(tv.cho_factor(k), y),
}


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("solve", SOLVES.values(), ids=SOLVES)
def test_the_likelihood_of_a_gaussian_process_and_its_gradient_factorise_once(
    solve: Any, mode: Any
) -> None:
    x, y, scale = tv.vector("x"), tv.vector("y"), tv.scalar("scale")
    distance = (x[:, None] - x[None, :]) / scale
    k = tv.exp(-0.5 * distance * distance) + 0.1 * tv.eye(x.shape[0])
    value = likelihood(k, y, solve)
    f = tv.function([x, y, scale], [value, tv.grad(value, scale)], mode=mode)
    at, data = np.linspace(0.0, 3.0, 12), np.sin(np.linspace(0.0, 3.0, 12))

    value_there, slope = f(at, data, 0.7)

    assert factorisations(f) == {"cholesky": 1}
    apart = at[:, None] - at[None, :]
    bell = np.exp(-0.5 * (apart / 0.7) ** 2)
    matrix = bell + 0.1 * np.eye(12)
    alpha = np.linalg.solve(matrix, data)
    logdet = np.linalg.slogdet(matrix)[1]
    expected = -0.5 * (data @ alpha + logdet + 12 * np.log(2 * np.pi))
    change = bell * apart**2 / 0.7**3
    expected_slope = 0.5 * np.sum((np.outer(alpha, alpha) - np.linalg.inv(matrix)) * change)
    np.testing.assert_allclose(value_there, expected, rtol=1e-12)
    np.testing.assert_allclose(slope, expected_slope, rtol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("lower", [False, True])
def test_values_by_a_factor_are_numpys(dtype: str, lower: bool) -> None:
    a = tv.tensor("a", dtype=dtype, shape=(None, None, None))
    sign, logabsdet = tv.slogdet(a)
    outputs = [
        tv.cholesky(a, lower=lower),
        sign,
        logabsdet,
        tv.ops.inv(a),
        tv.cholesky(a, lower=not lower),
    ]
    f = tv.function([a], outputs, mode="FAST_RUN")
    matrices = np.stack([positive(5, dtype), positive(5, dtype)])

    factor, signs, logs, inverses, other = f(matrices)

    assert factorisations(f) == {"cholesky": 1}
    close = {"rtol": 1e-3, "atol": 1e-4} if dtype in ("float32", "complex64") else {"rtol": 1e-9}
    expected = np.linalg.slogdet(matrices)
    np.testing.assert_allclose(signs, expected[0], **close)
    np.testing.assert_allclose(logs, expected[1], **close)
    np.testing.assert_allclose(inverses, np.linalg.inv(matrices), **close)
    np.testing.assert_allclose(factor, np.linalg.cholesky(matrices, upper=not lower), **close)
    np.testing.assert_allclose(other, np.linalg.cholesky(matrices, upper=lower), **close)
    assert [v.dtype for v in (signs, logs, inverses)] == [
        matrices.dtype, matrices.real.dtype, matrices.dtype,
    ]  # fmt: skip


def test_a_matrix_that_is_not_symmetric_has_its_own_determinant_and_inverse() -> None:
    a = tv.matrix("a")
    f = tv.function(
        [a], [tv.cholesky(a), tv.logdet(a), tv.ops.inv(a), tv.cholesky(a, lower=False)],
        mode="FAST_RUN",
    )  # fmt: skip
    matrix = np.array([[4.0, 1.0], [2.0, 5.0]])
    lower, logdet, inverse, upper = f(matrix)
    assert logdet == np.linalg.slogdet(matrix)[1]
    np.testing.assert_array_equal(inverse, np.linalg.inv(matrix))
    np.testing.assert_allclose(lower, [[2.0, 0.0], [1.0, 2.0]])
    np.testing.assert_array_equal(upper, np.linalg.cholesky(matrix, upper=True))


def test_a_factor_of_nan_is_not_used() -> None:
    a = tv.matrix("a")
    f = tv.function([a], [tv.cholesky(a, on_error="nan"), *tv.slogdet(a)], mode="FAST_RUN")
    factor, sign, logabsdet = f([[1.0, 2.0], [2.0, 1.0]])
    assert np.isnan(factor).any()
    assert (sign, round(float(logabsdet), 12)) == (-1.0, round(np.log(3.0), 12))


def test_a_matrix_of_no_rows_has_the_determinant_1() -> None:
    a = tv.matrix("a")
    f = tv.function([a], [tv.cholesky(a), *tv.slogdet(a), tv.ops.inv(a)], mode="FAST_RUN")
    factor, sign, logabsdet, inverse = f(np.empty((0, 0)))
    assert factor.shape == inverse.shape == (0, 0)
    assert (sign, logabsdet) == (1.0, 0.0)


# ---- laziness ----


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_factor_in_an_arm_serves_nothing_outside_of_it(mode: Any) -> None:
    c, a = tv.scalar("c"), tv.matrix("a")
    factor = tv.ifelse(c > 0, tv.sum(tv.cholesky(a)), 0.0)
    f = tv.function([c, a], [factor, tv.logdet(a)], mode=mode)
    indefinite = np.array([[1.0, 2.0], [2.0, 1.0]])
    np.testing.assert_allclose(f(0.0, indefinite), [0.0, np.log(3.0)], rtol=1e-12)
    assert factorisations(f) == {"slogdet": 1}
    with pytest.raises(np.linalg.LinAlgError):
        f(1.0, indefinite)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_factor_in_an_arm_serves_the_determinant_in_the_same_arm(mode: Any) -> None:
    c, a = tv.scalar("c"), tv.matrix("a")
    arm = tv.sum(tv.cholesky(a)) + tv.logdet(a)
    f = tv.function([c, a], tv.ifelse(c > 0, arm, tv.sum(a)), mode=mode)
    assert f(0.0, [[1.0, 2.0], [2.0, 1.0]]) == 6.0
    assert factorisations(f) == {}
    assert f(1.0, [[4.0, 0.0], [0.0, 1.0]]) == pytest.approx(3.0 + np.log(4.0))
    assert factorisations(f) == {"cholesky": 1}


def test_a_factor_outside_of_an_arm_serves_the_arm() -> None:
    c, a = tv.scalar("c"), tv.matrix("a")
    arm = tv.ifelse(c > 0, tv.logdet(a), 0.0)
    f = tv.function([c, a], [tv.cholesky(a), arm], mode="FAST_RUN")
    assert f(1.0, [[4.0, 0.0], [0.0, 1.0]])[1] == pytest.approx(np.log(4.0))
    assert factorisations(f) == {"cholesky": 1}


def test_a_factor_that_an_attempt_may_do_without_serves_nothing_outside_of_it() -> None:
    a = tv.matrix("a")
    tried = tv.attempt(tv.sum(tv.cholesky(a)), -1.0)
    f = tv.function([a], [tried, tv.logdet(a)], mode="FAST_RUN")
    np.testing.assert_allclose(f([[1.0, 2.0], [2.0, 1.0]]), [-1.0, np.log(3.0)], rtol=1e-12)


def test_in_a_loop_and_in_an_attempt_each_step_factorises_once() -> None:
    a = tv.matrix("a")

    def step(i: Any, total: Any) -> Any:
        k = a + i * tv.eye(2)
        return total + tv.attempt(tv.sum(tv.cholesky(k)) + tv.logdet(k), -100.0)

    f = tv.function([a], tv.fori_loop(0, 3, step, 0.0), mode="FAST_RUN")
    steps = [np.diag([4.0, 1.0]) + i * np.eye(2) for i in range(3)]
    expected = sum(np.linalg.cholesky(k).sum() + np.linalg.slogdet(k)[1] for k in steps)
    assert f(np.diag([4.0, 1.0])) == pytest.approx(expected)
    assert factorisations(f) == {"cholesky": 3}
    assert f(np.diag([-9.0, 1.0])) == -300.0


def test_a_chain_of_factorised_matrices_factorises_each_once() -> None:
    a = tv.matrix("a")
    inner = tv.ops.inv(a) + tv.cholesky(a)
    b = inner @ inner.T
    f = tv.function([a], [tv.logdet(b), tv.sum(tv.cholesky(b)), tv.logdet(a)], mode="FAST_RUN")
    matrix = positive(3)
    first = np.linalg.inv(matrix) + np.linalg.cholesky(matrix)
    second = first @ first.T
    expected = [
        np.linalg.slogdet(second)[1],
        np.linalg.cholesky(second).sum(),
        np.linalg.slogdet(matrix)[1],
    ]
    np.testing.assert_allclose(f(matrix), expected, rtol=1e-9)
    assert factorisations(f) == {"cholesky": 2}


def test_a_mode_without_the_rewrite_keeps_the_determinants_bits() -> None:
    a = tv.matrix("a")
    mode = tv.get_mode("FAST_RUN").excluding("factors")
    f = tv.function([a], [tv.cholesky(a), tv.logdet(a)], mode=mode)
    matrix = positive(6)
    assert f(matrix)[1] == np.linalg.slogdet(matrix)[1]
    assert factorisations(f) == {"cholesky": 1, "slogdet": 1}


def test_debug_mode_lets_the_rewrite_round() -> None:
    k, y = tv.matrix("k"), tv.vector("y")
    value = likelihood(k, y, SOLVES["solve"])
    f = tv.function([k, y], [value, tv.grad(value, k)], mode=tv.DebugMode(optimizer="fast_run"))
    f(positive(5), np.arange(5.0))
