"""Linear systems of which more is known: what is read, what is solved, and the gradients."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from against_numpy import run
from test_factorizations import DTYPES, dagger, drawn, near, positive

import thunkvm as tv

MODES = ["py", "cvm", "FAST_RUN"]
A, V = tv.matrix("a"), tv.vector("v")


def of_kind(kind: str, dtype: str, stack: tuple[int, ...] = ()) -> Any:
    a = drawn((*stack, 4, 4), dtype) + 4 * np.eye(4, dtype=dtype)
    return {
        "gen": a,
        "sym": a + np.swapaxes(a, -1, -2),
        "her": a + dagger(a),
        "pos": a @ dagger(a),
        "diagonal": a * np.eye(4, dtype=dtype),
        "lower triangular": np.tril(a),
        "upper triangular": np.triu(a),
    }[kind]


KINDS = ["gen", "sym", "her", "pos", "diagonal", "lower triangular", "upper triangular"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lower", [True, False])
def test_solve_reads_what_says_it_all(mode: str, dtype: str, kind: str, lower: bool) -> None:
    for stack in ((), (2,)):
        whole, b = of_kind(kind, dtype, stack), drawn((4, 2), dtype, 1)
        # What is not read is something else.
        given, other = whole.copy(), np.full((4, 4), 99, dtype)
        half = np.tri(4, k=-1, dtype=bool)
        read_lower = lower if kind in ("sym", "her", "pos") else kind == "lower triangular"
        if kind == "diagonal":
            given = np.where(np.eye(4, dtype=bool), given, other)
        elif kind != "gen":
            given = np.where(half.T if read_lower else half, other, given)
        for transposed in (False, True):
            x = run(
                mode,
                lambda a, b, t=transposed: tv.solve(a, b, assume_a=kind, lower=lower, transposed=t),
                given,
                b,
            )
            turned = np.swapaxes(whole, -1, -2) if transposed else whole
            assert x.dtype == dtype
            near(turned @ x, np.broadcast_to(b, x.shape), dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_solve_takes_a_vector(mode: str, kind: str) -> None:
    a, b = of_kind(kind, "float64"), drawn((4,), seed=1)
    near(a @ run(mode, lambda a, b: tv.solve(a, b, assume_a=kind), a, b), b, "float64")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_solve_triangular_takes_scipys_names_for_what_it_solves_with(
    mode: str, dtype: str, lower: bool, unit: bool
) -> None:
    a = drawn((3, 3), dtype) + 3 * np.eye(3, dtype=dtype)
    b = drawn((3, 2), dtype, 1)
    read = np.tril(a) if lower else np.triu(a)
    if unit:
        read[np.arange(3), np.arange(3)] = 1
    options = {"lower": lower, "unit_diagonal": unit}
    turns = {0: read, "N": read, 1: read.T, "T": read.T, 2: dagger(read), "C": dagger(read)}
    for trans, turned in turns.items():
        x = run(mode, lambda a, b, t=trans: tv.solve_triangular(a, b, trans=t, **options), a, b)
        near(turned @ x, b, dtype)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("transposed", [True, False])
def test_the_gradient_of_solve_is_that_of_what_is_read(
    dtype: str, kind: str, transposed: bool
) -> None:
    a, b = of_kind(kind, dtype), drawn((4, 2), dtype, 1)

    def solved(a: Any, b: Any) -> Any:
        return tv.solve(a, b, assume_a=kind, transposed=transposed)

    if kind in ("her", "pos"):
        # The imaginary parts of the diagonal are not free.
        a[np.arange(4), np.arange(4)] = a[np.arange(4), np.arange(4)].real
    if dtype == "complex128" and kind == "her":

        def solved(a: Any, b: Any) -> Any:
            whole = tv.tril(a, -1) + tv.diag(tv.real(tv.diagonal(a))) + tv.triu(a, 1)
            return tv.solve(whole, b, assume_a=kind, transposed=transposed)

    tv.verify_grad(solved, [a, b], rng=np.random.default_rng(0))


def test_solve_refuses_what_is_not_positive_definite_where_that_is_assumed() -> None:
    f = tv.function([A, V], tv.solve(A, V, assume_a="pos", lower=True))
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        f(-positive(2), [1.0, 2.0])


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (lambda: tv.solve(A, V, assume_a="band"), "[solve] assume_a = 'band', but it has to be on"),
        (lambda: tv.solve_triangular(A, V, trans=3), "[solve_triangular] trans = 3, but it has to"),
        (
            lambda: tv.solve_triangular(A, V, trans="T", transposed=True),
            "[solve_triangular] trans = 'T', and transposed = True; give one of them",
        ),
    ],
)
def test_solutions_tell_what_is_wrong(mistake: Callable[[], Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        mistake()


def test_solve_asks_for_square_matrices() -> None:
    for kind in ("gen", "pos", "sym"):
        with pytest.raises(np.linalg.LinAlgError, match="Last 2 dimensions of the array"):
            tv.solve(tv.zeros((2, 3)), V, assume_a=kind)
