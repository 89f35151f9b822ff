"""Arithmetic, slopes, fits and roots of polynomials, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import alike, call, held, refused

import thunkvm as tv

P, Q = np.array([1.0, -3.0, 2.5, 0.5]), np.array([2.0, 1.0])
LISTS = [P, Q, np.array([3]), np.array([1, 0, -2], "int32"), np.array([1 + 1j, 2.0, 0.5])]


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul"])
def test_sums_and_products_of_polynomials(name: str) -> None:
    for a in LISTS:
        for b in LISTS:
            alike(name, [a, b])
    alike(name, [P, np.array(2.0)])


def test_slopes_and_antiderivatives() -> None:
    for a in LISTS:
        for m in (0, 1, 2, 5):
            alike("polyder", [a], m)
            if m:
                alike("polyint", [a], m)
        alike("polyint", [a], 2, [3.0, 4.0])
        alike("polyint", [a], 1, 2.0)
    refused(ValueError, r"\[polyder\] m is -1", lambda p: tv.polyder(p, -1), P)
    refused(ValueError, r"\[polyint\] k has 2 numbers", lambda p: tv.polyint(p, 3, [1.0, 2.0]), P)


def test_quotients_of_polynomials() -> None:
    x, y = tv.tensor("x", "float64", (4,)), tv.tensor("y", "float64", (2,))
    for a, b in [(P, Q), (np.polymul(P[:3], Q), Q), (P, np.array([0.5, 4.0]))]:
        found = tv.function([x, y], list(tv.polydiv(x, y)))(a, b)
        for result, expected in zip(found, np.polydiv(a, b), strict=True):
            np.testing.assert_allclose(result, expected)
    short = tv.function([x, y], list(tv.polydiv(y, x)), on_unused_input="ignore")(P, Q)
    assert [each.tolist() for each in short] == [[0.0], [2.0, 1.0]]
    with pytest.raises(ValueError, match="lengths have to be known"):
        tv.polydiv(tv.vector("p"), Q)


def test_polynomials_of_roots() -> None:
    for values in ([1.0, 2.0, -3.0], [2], [1 + 1j, 3.0]):
        r = tv.tensor("r", np.asarray(values).dtype, (len(values),))
        np.testing.assert_allclose(tv.function([r], tv.poly(r))(values), np.poly(values))
    m = tv.tensor("m", "float64", (2, 2))
    a = np.array([[2.0, 1.0], [0.5, 3.0]])
    np.testing.assert_allclose(tv.function([m], tv.poly(m))(a), np.poly(a))
    tv.verify_grad(lambda r: tv.poly(tv.specify_shape(r, (3,))), [[1.0, 2.0, 4.0]])


@pytest.mark.parametrize("p", [P, [0.0, 0.0, 1.0, -3.0, 2.0, 0.0], [2.0], [0.0], [1, 2], [3, 0, 0]])
def test_roots_of_polynomials(p: Any) -> None:
    a = np.asarray(p)
    for known in (True, False):
        (found,) = call("FAST_COMPILE", tv.roots, [a], known)
        assert found.dtype == "complex128"
        np.testing.assert_allclose(np.sort(found), np.sort(np.roots(a)), atol=1e-12)


def test_roots_of_complex_polynomials() -> None:
    (found,) = call("py", tv.roots, [np.array([1.0, 2j, 1 - 1j])], False)
    np.testing.assert_allclose(np.sort(found), np.sort(np.roots([1.0, 2j, 1 - 1j])))


def test_gradients_of_polynomials() -> None:
    for of in (tv.polyadd, tv.polysub, tv.polymul):
        tv.verify_grad(of, [P, Q])
    tv.verify_grad(lambda p: tv.polyder(p), [P])
    tv.verify_grad(lambda p, k: tv.polyint(p, 1, k), [P, 2.0])
    tv.verify_grad(lambda p: tv.real(tv.roots(p)) * [1.0, 2.0, 3.0], [[1.0, -6.0, 11.0, -5.5]])
    fixed = tv.specify_shape
    tv.verify_grad(lambda u, v: tv.polydiv(fixed(u, (4,)), fixed(v, (2,)))[0], [P, Q])


X = np.array([0.0, 1.0, 2.0, 3.5, 4.0, 6.0])
Y = np.array([1.0, 0.5, 2.0, 2.5, 4.5, 9.0])
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])


@pytest.mark.parametrize("w", [None, WEIGHTS])
@pytest.mark.parametrize("deg", [0, 1, 3])
def test_fits(deg: int, w: Any) -> None:
    both = np.stack([Y, X**2 - 1], axis=1)
    for y in (Y, both, both.astype("float32"), both.astype("int64")):
        for extra in ({}, {"cov": True}, {"cov": "unscaled"}):
            found = call(
                "py", lambda x, y, of=extra: tv.polyfit(x, y, deg, w=w, **of), [X, y], False
            )
            expected = np.polyfit(X, y, deg, w=w, **extra)
            listed = expected if isinstance(expected, tuple) else (expected,)
            for result, value in zip(found, listed, strict=True):
                assert (result.dtype, result.shape) == (value.dtype, value.shape)
                np.testing.assert_allclose(result, value, rtol=1e-9, atol=1e-9)
    held(
        lambda x, y: tv.polyfit(x, y, deg, full=True, w=w)[2],
        lambda x, y: np.int64(np.polyfit(x, y, deg, full=True, w=w)[2]),
        X,
        Y,
    )


def test_gradients_of_fits() -> None:
    tv.verify_grad(lambda x, y, w: tv.polyfit(x, y, 2, w=w), [X, Y, WEIGHTS])
    refused(ValueError, r"\[polyfit\] deg is -1", lambda x: tv.polyfit(x, x, -1), X)
    refused(ValueError, r"x has 2 axes and y 2", lambda x: tv.polyfit(x, x, 1), np.eye(2))
