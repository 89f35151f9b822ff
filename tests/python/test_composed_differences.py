"""`diff`, `ediff1d`, `gradient`, `trapezoid` and `unwrap`, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from held_to_numpy import ARRAYS, alike, each_axis, held, refused

import thunkvm as tv

NUMBERS = [a for a in ARRAYS if a.dtype != "bool"]
LONG = [a for a in NUMBERS if min(a.shape) > 1]
REALS = [a for a in LONG if a.dtype.kind != "c"]


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_diff(n: int) -> None:
    for a, axis in each_axis(ARRAYS):
        alike("diff", [a], n, axis)


def test_diff_with_ends() -> None:
    for a, axis in each_axis(NUMBERS):
        alike("diff", [a], prepend=1, append=np.ones(a.shape, a.dtype), axis=axis)


def test_diff_refuses_bad_input() -> None:
    refused(ValueError, r"\[diff\] n = -1; give how often", lambda x: tv.diff(x, -1), [1.0])
    refused(ValueError, r"\[diff\] x is .*which has no axis", tv.diff, 1.0)


def test_ediff1d() -> None:
    for a in NUMBERS:
        held(tv.ediff1d, np.ediff1d, a)
        held(lambda x: tv.ediff1d(x, [1, 2], 3), lambda x: np.ediff1d(x, [1, 2], 3), a)
    refused(TypeError, r"\[ediff1d\] to_end is of float64", lambda x: tv.ediff1d(x, 0.5), [1, 2])


@pytest.mark.parametrize("order", [1, 2])
def test_gradient(order: int) -> None:
    for a in [x for x in LONG if min(x.shape) > 2]:
        alike("gradient", [a], edge_order=order)
    for a, axis in [(x, i) for x, i in each_axis(LONG) if x.shape[i] > 2]:
        places = np.cumsum(np.arange(1.0, a.shape[axis] + 1.0))
        for given in (0.5, places):
            alike("gradient", [a], given, axis=axis, edge_order=order)


def test_gradient_takes_variables_for_distances() -> None:
    held(tv.gradient, np.gradient, [1.0, 4.0, 9.0], 0.5)
    held(tv.gradient, np.gradient, [1.0, 4.0, 9.0], [0.0, 1.0, 3.0])


def test_gradient_refuses_bad_input() -> None:
    known, unknown = tv.tensor("x", shape=(2,)), tv.vector("x")
    with pytest.raises(ValueError, match="axis 0 has 2 samples; edge_order = 2 takes at least 3"):
        tv.gradient(known, edge_order=2)
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        tv.function([unknown], tv.gradient(unknown, edge_order=2))([1.0, 2.0])
    refused(
        ValueError, r"\[gradient\] edge_order = 3", lambda x: tv.gradient(x, edge_order=3), [1.0]
    )
    refused(TypeError, "2 distances are given for 1", lambda x: tv.gradient(x, 1, 2), [1.0, 2.0])
    refused(TypeError, "of bools, which have no differences", tv.gradient, [True, False])
    refused(ValueError, "the distance along axis", lambda x: tv.gradient(x, [[1]]), [1.0, 2.0])


def test_trapezoid() -> None:
    for a, axis in each_axis(ARRAYS):
        alike("trapezoid", [a], axis=axis)
        alike("trapezoid", [a], dx=0.5, axis=axis)
        alike("trapezoid", [a, np.arange(a.shape[axis]) ** 2.0], axis=axis)


def test_unwrap() -> None:
    for a, axis in each_axis(REALS):
        for period in (4, 5, 6.5):
            alike("unwrap", [a * 3], axis=axis, period=period)
    held(lambda p: tv.unwrap(p, 5.0), lambda p: np.unwrap(p, 5.0), [0.0, 4.0, 9.5, 20.0, 2.0])
    refused(TypeError, r"\[unwrap\] p is", lambda p: tv.unwrap(p, period=4), np.uint8([1, 9]))


def test_differences_in_c() -> None:
    a = np.array([[1.0, 4.0, 9.0], [0.0, 7.0, 1.0]])
    held(lambda x: tv.diff(x, 2), lambda x: np.diff(x, 2), a, modes=["FAST_RUN"])
    held(tv.gradient, np.gradient, a, modes=["FAST_RUN"])
    held(tv.trapezoid, np.trapezoid, a, modes=["FAST_RUN"])
    held(tv.unwrap, np.unwrap, a, modes=["FAST_RUN"])


def test_gradients_of_differences() -> None:
    a = np.array([[1.0, 4.0, 9.0], [0.0, 7.0, 1.0]])
    tv.verify_grad(lambda x: tv.diff(x, 2), [a])
    tv.verify_grad(lambda x: tv.gradient(x, [1.0, 2.0, 4.0], axis=1, edge_order=2), [a])
    tv.verify_grad(lambda y, x: tv.trapezoid(y, x), [a, a[0]])
    tv.verify_grad(tv.unwrap, [a])
