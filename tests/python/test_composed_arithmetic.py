"""Signs, remainders, powers and sequences of numbers, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import TOLERANCE, expect
from held_to_numpy import ARRAYS, alike, call, held, refused

import thunkvm as tv

VALUES = {
    "float64": [0.0, -0.0, 1.0, -1.0, 2.5, -7.3, np.inf, -np.inf, 1e-310, -1e-310, 1e300, 3.0],
    "float32": [0.0, -0.0, 1.0, -1.0, 2.5, -7.25, np.inf, -np.inf, 3.0],
    "float16": [0.0, -0.0, 1.0, -1.0, 2.5, -7.25, np.inf, 3.0],
    "int64": [0, 1, -1, 7, -7, 2**62, -(2**63), 3],
    "int8": [0, 1, -1, 7, -128, 127, -3],
    "uint8": [0, 1, 7, 255, 128, 3],
    "uint64": [0, 1, 2**64 - 1, 7],
    "bool": [True, False],
}


def pairs(first: str, second: str) -> tuple[np.ndarray, np.ndarray]:
    """Each value of a dtype with each of another."""
    a, b = np.array(VALUES[first], first), np.array(VALUES[second], second)
    return np.repeat(a, len(b)), np.tile(b, len(a))


@pytest.mark.parametrize("dtype", VALUES)
def test_signbit_and_infinities(dtype: str) -> None:
    for name in ("signbit", "isposinf", "isneginf"):
        alike(name, [np.array(VALUES[dtype], dtype)])


def test_signs_refuse_complex_numbers() -> None:
    for name in ("signbit", "isposinf", "isneginf"):
        refused(TypeError, rf"\[{name}\]", getattr(tv, name), [1j])
    for name in ("copysign", "heaviside", "fmod", "logaddexp2"):
        refused(TypeError, rf"\[{name}\] is not defined for", getattr(tv, name), [1j], [2.0])


@pytest.mark.parametrize("second", VALUES)
@pytest.mark.parametrize("first", VALUES)
def test_functions_of_two_numbers(first: str, second: str) -> None:
    a, b = pairs(first, second)
    for name in ("copysign", "heaviside", "fmod", "float_power", "logaddexp2"):
        expected = np.asarray(expect(getattr(np, name), a, b))
        tolerance = 0.0 if name in ("copysign", "heaviside", "fmod") else 4e-13
        tolerance = max(tolerance, TOLERANCE.get(expected.dtype.name, 0.0)) if tolerance else 0.0
        for mode in ("py", "FAST_COMPILE"):
            (result,) = call(mode, getattr(tv, name), [a, b], known=False)
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
            numbers = ~np.isnan(expected)
            if name in ("copysign", "fmod"):  # zeros of the same sign
                assert (np.signbit(result) == np.signbit(expected))[numbers].all()


@pytest.mark.parametrize("name", ["copysign", "heaviside", "fmod", "float_power", "logaddexp2"])
def test_a_number_of_python_does_not_raise_the_dtype(name: str) -> None:
    for dtype in ("float32", "int16"):
        a = np.array([0, 1, 2, 5], dtype)
        alike(name, [a], 2)
        alike(name, [a], 2.5)


def test_logaddexp2_of_float16_is_rounded_once() -> None:
    a = np.array([-1.0, 127.0, 255.0], "float16")
    (result,) = call("py", tv.logaddexp2, [a, a], known=False)
    assert result.tolist() == [0.0, 128.0, 256.0]


def test_gradients_of_arithmetic() -> None:
    a, b = np.array([5.5, -7.3, 2.2]), np.array([2.0, 3.0, -1.5])
    for name in ("copysign", "fmod", "logaddexp2"):
        tv.verify_grad(getattr(tv, name), [a, b])
    tv.verify_grad(lambda x: tv.float_power(x, 3), [a])
    tv.verify_grad(tv.logaddexp2, [a, a])  # both have a half of the gradient
    tv.verify_grad(lambda x, y: tv.heaviside(x, y), [a, b])


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("ends", [(0, 2, 5), (0.0, 1, 1), (-1, 3.5, 7), (2, 2, 0), (3, 0, 4)])
def test_logspace_and_geomspace(ends: Any, endpoint: bool) -> None:
    alike("logspace", [], *ends, endpoint)
    alike("logspace", [], *ends, endpoint, 2.0, "int64")
    start, stop, num = 1 + abs(ends[0]), 1 + abs(ends[1]), ends[2]
    alike("geomspace", [], start, stop, num, endpoint)
    alike("geomspace", [], -start, -stop, num, endpoint)
    alike("geomspace", [], start, stop, num, endpoint, "int32")
    alike("geomspace", [], start * 1j, stop + 0j, num, endpoint)


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
def test_ranges_between_arrays_have_a_new_first_axis(name: str) -> None:
    for num in (0, 1, 3):  # as many as there are ends, too
        alike(name, [np.array([1.0, 2.0, 4.0]), np.array([2.0, 3.0, 8.0])], num)
        alike(name, [np.array([[1.0], [2.0]]), np.array([3.0, 4.0, 5.0])], num)
        alike(name, [np.array(2.0), np.array([3.0, 4.0])], num)
    tv.verify_grad(
        lambda a, b: getattr(tv, name)(a, b, 3), [np.array([0.5, 1.0]), np.array([1.5, 2.5])]
    )


def test_geomspace_ends_with_the_number_that_was_given() -> None:
    (result,) = call("py", lambda: tv.geomspace(1.0, 5.0, 3), [], known=True)
    assert result[-1] == 5.0  # 10**log10(5) is not


def test_sequences_take_variables() -> None:
    held(tv.logspace, lambda a, b, n: np.logspace(a, b, int(n)), 0.0, 2.0, 5)
    held(tv.geomspace, lambda a, b, n: np.geomspace(a, b, int(n)), 2.0, 7.0, 5)
    with pytest.raises(ValueError, match=r"\[geomspace\] start = 0, which no ratio reaches"):
        tv.geomspace(0, 1)
    with pytest.raises(ValueError, match=r"\[logspace\] num = -1; give at least 0"):
        tv.logspace(0, 1, -1)


@pytest.mark.parametrize("count", [None, 0, 1, 3])
@pytest.mark.parametrize("increasing", [True, False])
def test_vander(count: int | None, increasing: bool) -> None:
    for a in [x for x in ARRAYS if x.ndim == 1]:
        alike("vander", [a], count, increasing)
    for dtype in ("int8", "float16"):
        alike("vander", [np.array([1, 2, 100], dtype)], count, increasing)
    held(lambda x, n: tv.vander(x, n), lambda x, n: np.vander(x, int(n)), [1, 2], 4)
    refused(ValueError, r"\[vander\] x is .*2 axes; give a vector", tv.vander, np.eye(2))


@pytest.mark.parametrize("p", [[2.0], [1, 2, 3], [1.0, 0.0, 2.0, -1.0]])
def test_polyval(p: Any) -> None:
    for a in [*ARRAYS, np.array(3)]:
        alike("polyval", [np.array(p), a])
    refused(ValueError, r"\[polyval\] p is .*0 axes; give a vector", tv.polyval, 1.0, [2.0])


def test_arithmetic_in_c() -> None:
    a, b = pairs("float64", "float64")
    keep = np.isfinite(a) & np.isfinite(b)
    for name in ("copysign", "heaviside", "fmod"):
        held(getattr(tv, name), getattr(np, name), a[keep], b[keep], modes=["FAST_RUN"])
    held(
        lambda x: tv.polyval([1, 2, 3], x),
        lambda x: np.polyval([1, 2, 3], x),
        [2.0],
        modes=["FAST_RUN"],
    )


def test_gradients_of_polynomials() -> None:
    a, p = np.array([0.5, 0.0, -2.0]), np.array([1.0, 3.0, -1.0])
    tv.verify_grad(lambda x: tv.vander(x), [a])
    tv.verify_grad(tv.polyval, [p, a])
    tv.verify_grad(lambda s: tv.geomspace(s, 5.0, 4), [np.array(2.0)])
