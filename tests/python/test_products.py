"""`vdot`, `cross`, `kron`, `convolve` and `correlate` against NumPy's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]
rng = np.random.default_rng(0)


def check(function: Any, theirs: Any, values: list[np.ndarray], known: bool, mode: str) -> None:
    shapes = [v.shape if known else [None] * v.ndim for v in values]
    inputs = [
        tv.tensor(f"x{i}", v.dtype, s) for i, (v, s) in enumerate(zip(values, shapes, strict=True))
    ]
    found = tv.function(inputs, function(*inputs), mode=mode)(*values)
    expected = theirs(*values)
    assert np.shape(found) == np.shape(expected)
    assert np.asarray(found).dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_vdot(shape: tuple[int, ...], mode: str) -> None:
    a = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    check(np.vdot, np.vdot, [np.asarray(a), np.asarray(rng.normal(size=shape))], False, mode)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((3,), (3,), {}),
        ((4, 3), (4, 3), {}),
        ((4, 3), (3,), {}),
        ((3, 4), (3, 4), {"axis": 0}),
        ((3, 4), (4, 3), {"axisa": 0}),
        ((5, 4, 3), (4, 3), {"axisc": 0}),
    ],
)
def test_cross(a: tuple[int, ...], b: tuple[int, ...], axes: Any, known: bool) -> None:
    values = [rng.normal(size=a), rng.normal(size=b)]
    for mode in MODES:
        check(lambda x, y: np.cross(x, y, **axes), lambda x, y: np.cross(x, y, **axes), values,
              known, mode)  # fmt: skip


def test_cross_of_vectors_in_the_plane() -> None:
    p, q = tv.tensor("p", shape=(2,)), tv.tensor("q", shape=(3,))
    flat, deep = tv.function([p, q], [tv.cross(p, p[::-1]), tv.cross(p, q)])([1.0, 2.0], [3, 4, 5])
    assert flat == 1.0 * 1.0 - 2.0 * 2.0
    assert deep.tolist() == [10.0, -5.0, -2.0]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("a", "b"), [((2,), (3,)), ((2, 3), (3, 2)), ((2,), (3, 2)), ((), (2, 2)), ((2, 1, 2), (3,))]
)
def test_kron(a: tuple[int, ...], b: tuple[int, ...], known: bool) -> None:
    for mode in MODES:
        check(np.kron, np.kron, [rng.normal(size=a), rng.normal(size=b)], known, mode)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("shown", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_sums_of_windows(name: str, shown: str, known: bool) -> None:
    theirs = getattr(np, name)
    for m in (1, 2, 3, 6):
        for n in (1, 2, 3, 4, 6):
            values = [rng.normal(size=m), rng.normal(size=n)]
            check(lambda x, y: theirs(x, y, shown), lambda x, y: theirs(x, y, shown), values,
                  known, MODES[(m + n) % 3])  # fmt: skip


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_sums_of_windows_of_complex_numbers_and_integers(name: str) -> None:
    theirs = getattr(np, name)
    complexes = [rng.normal(size=n) + 1j * rng.normal(size=n) for n in (4, 3)]
    integers = [np.arange(4), np.arange(1, 3)]
    for values in (complexes, integers):
        check(theirs, theirs, values, False, "FAST_RUN")


def test_gradients_against_differences() -> None:
    a, b = rng.normal(size=4), rng.normal(size=3)
    tv.verify_grad(tv.convolve, [a, b])
    tv.verify_grad(lambda x, y: tv.correlate(x, y, "same"), [b, a])
    tv.verify_grad(tv.kron, [np.outer(a, b), b])
    tv.verify_grad(tv.cross, [b, np.outer(a, b)])
    tv.verify_grad(tv.vdot, [a, a[::-1]])


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (
            lambda v, m: tv.convolve(v, v, "ful"),
            "[convolve] mode is 'ful'; it has to be one of fu",
        ),
        (lambda v, m: tv.correlate(v, m), "[correlate] v is <m: matrix float64 (?, ?)>; it takes"),
        (lambda v, m: tv.convolve(np.zeros(0), v), "at least one element"),
        (lambda v, m: tv.cross(np.zeros(4), v), "whose vectors have length 4; only vectors of 3"),
        (lambda v, m: tv.cross(v, v, axisa=1), "[cross]"),
        (lambda v, m: tv.function([v], tv.cross(v, v))(np.zeros(4)), "[cross] a"),
    ],
)
def test_a_mistake_is_told(mistake: Callable[[Any, Any], Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        mistake(tv.vector("v"), tv.matrix("m"))
