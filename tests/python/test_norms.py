"""Norms and condition numbers in all orders, against NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from against_numpy import run
from test_factorizations import DTYPES, drawn, near

import thunkvm as tv

MODES = ["py", "cvm", "FAST_RUN"]
ORDERS = ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]
A, V, T = tv.matrix("a"), tv.vector("v"), tv.tensor3("t")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ord", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_norms_of_matrices_equal_numpys(mode: str, ord: Any, dtype: str) -> None:
    a, stack = drawn((4, 3), dtype), drawn((2, 4, 3), dtype)
    got = run(mode, lambda v: tv.norm(v, ord), a)
    near(got, np.linalg.norm(a, ord), dtype)
    assert got.dtype == np.linalg.norm(a, ord).dtype
    for axes in ((1, 2), (2, 0), (-1, -2)):
        for keepdims in (False, True):
            got = run(mode, lambda v, x=axes, k=keepdims: tv.norm(v, ord, x, keepdims=k), stack)
            near(got, np.linalg.norm(stack, ord, axes, keepdims), dtype)
    got = run(mode, lambda v: tv.matrix_norm(v, ord=ord, keepdims=True), stack)
    near(got, np.linalg.matrix_norm(stack, ord=ord, keepdims=True), dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ord", [0, 1, 2, 3, 0.5, np.inf, -np.inf])
def test_norms_of_vectors_equal_numpys(mode: str, ord: Any) -> None:
    x = drawn((2, 3, 4))
    for axis in (None, 1, (0, 2), (2, 0, 1)):
        for keepdims in (False, True):
            more = {"axis": axis, "keepdims": keepdims, "ord": ord}
            got = run(mode, lambda v, more=more: tv.vector_norm(v, **more), x)
            np.testing.assert_allclose(got, np.linalg.vector_norm(x, **more), rtol=1e-12)
    kept = run(mode, lambda v: tv.norm(v, ord, 1, keepdims=True), x)
    np.testing.assert_allclose(kept, np.linalg.norm(x, ord, 1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("p", [None, *ORDERS])
def test_condition_numbers_equal_numpys(mode: str, p: Any) -> None:
    for a in (drawn((3, 3)), drawn((2, 3, 3), "complex128")):
        got = run(mode, lambda v: np.linalg.cond(v, p), a)
        np.testing.assert_allclose(got, np.linalg.cond(a, p), rtol=1e-10)
    if p in (None, 2, -2):
        for a in (drawn((4, 3)), np.diag([1.0, 0.0])):
            got = run(mode, lambda v: tv.condition_number(v, p), a)
            with np.errstate(divide="ignore"):
                np.testing.assert_allclose(got, np.linalg.cond(a, p), rtol=1e-10)
    assert run(mode, tv.condition_number, np.zeros((2, 2))) == np.inf


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_gradients_of_norms_are_those_of_differences(dtype: str) -> None:
    a, rng = drawn((3, 3), dtype), np.random.default_rng(0)
    for ord in ORDERS:
        tv.verify_grad(lambda v, o=ord: tv.norm(v, o), [a], rng=rng)
        tv.verify_grad(lambda v, o=ord: tv.condition_number(v, o), [a], rng=rng)


@pytest.mark.parametrize(
    ("mistake", "error", "told"),
    [
        (lambda: tv.norm(A, 3), ValueError, "[norm] ord=3 is a norm of vectors, but x has 2"),
        (lambda: tv.norm(T, 2), ValueError, "[norm] ord=2 is a norm of vectors, but x has 3"),
        (lambda: tv.norm(T, "nuc"), ValueError, "[norm] ord='nuc' is a norm of"),
        (lambda: tv.matrix_norm(A, ord=3), ValueError, "[matrix_norm] there is no norm ord=3 of"),
        (lambda: tv.matrix_norm(V), np.linalg.LinAlgError, "[matrix_norm] 1-dimensional array giv"),
        (lambda: tv.condition_number(A, "x"), ValueError, "[matrix_norm] there is no norm ord='x'"),
        (
            lambda: tv.condition_number(tv.zeros((2, 3)), 1),
            np.linalg.LinAlgError,
            "[condition_number] Last 2 dimensions of the array must be square, but x is",
        ),
    ],
)
def test_norms_tell_what_is_wrong(
    mistake: Callable[[], Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=re.escape(told)):
        mistake()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ord", [None, 2, 3, 1.5])
def test_the_gradient_of_a_norm_of_zeros_is_zero(mode: str, ord: Any) -> None:
    slope = tv.grad(tv.sum(tv.norm(A, ord, axis=1)), A)
    got = tv.function([A], slope, mode=mode)([[0.0, 0.0], [3.0, 0.0]])
    np.testing.assert_allclose(got, [[0.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize("ord", [None, 3, 0.5, -1, -2.5])
def test_norms_of_zeros_equal_numpys(ord: Any) -> None:
    for v in ([0.0, 0.0], [0.0, 2.0], [np.inf, 1.0]):
        with np.errstate(divide="ignore"):
            expected = np.linalg.norm(v, ord)
        np.testing.assert_allclose(tv.function([V], tv.norm(V, ord))(v), expected)
