"""The parts of floats, against NumPy: subnormal and largest numbers, both zeros, NaN."""

from __future__ import annotations

import numpy as np
import pytest
from against_numpy import same
from held_to_numpy import ARRAYS, alike, call, refused

import thunkvm as tv

EDGES = {
    "float64": [0.0, -0.0, 1.0, -2.5, 0.75, 1e-310, -5e-324, 1.7e308, np.inf, -np.inf, 8.0, 0.1],
    "float32": [0.0, -0.0, 1.0, -2.5, 1e-40, 3e38, np.inf, -np.inf, 8.0, 0.1],
    "float16": [0.0, -0.0, 1.0, -2.5, 6e-8, 65504.0, np.inf, -np.inf, 8.0, 0.1],
    "int64": [0, 1, -7, 2**40],
    "int8": [0, 1, -128, 127],
    "bool": [True, False],
}
REAL = [a for a in ARRAYS if a.dtype.kind != "c"]
EXPONENTS = [0, 1, -1, 5, 24, -30, 130, -150, 1023, -1074, -1100, 2100, -4000, 10**6]


def signs(name: str, a: np.ndarray) -> None:
    """Hold the signs of zeros too."""
    results, expected = call("py", getattr(tv, name), [a], False), getattr(np, name)(a)
    listed = expected if isinstance(expected, tuple) else (expected,)
    for result, value in zip(results, listed, strict=True):
        same(result, value)
        assert (np.signbit(result) == np.signbit(value)).all()


@pytest.mark.parametrize("dtype", EDGES)
def test_parts_of_floats(dtype: str) -> None:
    a = np.array(EDGES[dtype], dtype)
    with np.errstate(all="ignore"):
        for name in ("modf", "frexp"):
            signs(name, a)
            alike(name, [a])
        if a.dtype.kind == "f":
            alike("spacing", [a])
        alike("nextafter", [a, a[::-1].copy()])
        alike("nextafter", [a[:, None], a])


@pytest.mark.parametrize("mode", ["py", "FAST_RUN"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8", "bool"])
def test_products_with_powers_of_two_are_rounded_once(dtype: str, mode: str) -> None:
    rng = np.random.default_rng(1)
    a = np.array(EDGES[dtype], dtype)[:, None]
    more = np.ldexp(rng.uniform(0.5, 1.0, 40), rng.integers(-60, 60, 40))
    n = np.array(EXPONENTS)
    with np.errstate(all="ignore"):
        arrays = a, more.astype(dtype)[:, None]
    for x in arrays:
        with np.errstate(all="ignore"):
            expected = np.ldexp(x, n.astype("int32"))
            (result,) = call(mode, tv.ldexp, [x, n], False)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


def test_parts_of_arrays() -> None:
    for a in REAL:
        for name in ("modf", "frexp"):
            alike(name, [a])
        if a.dtype.kind == "f":
            alike("spacing", [a])
        alike("nextafter", [a, np.array(3.0)])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "bool"])
def test_counts_of_bits(dtype: str) -> None:
    alike("bitwise_count", [np.array([0, 1, 3, 100, 127]).astype(dtype)])
    if dtype[0] == "i":
        alike("bitwise_count", [np.array([[-1, np.iinfo(dtype).min]], dtype)])


def test_derivatives_of_parts() -> None:
    a = np.array([1.3, -7.2, 0.4])
    tv.verify_grad(lambda x: tv.modf(x)[0] * 3.0, [a])
    tv.verify_grad(lambda x: tv.frexp(x)[0], [a])
    tv.verify_grad(lambda x: tv.ldexp(x, [3, -1, 0]), [a])
    x = tv.vector("x")
    y = tv.nextafter(x[:, None], [0.0, 9.0]) + tv.spacing(x)[:, None]
    assert tv.function([x], tv.grad(tv.sum(y), x))(a).tolist() == [2.0, 2.0, 2.0]
    assert tv.function([x], tv.jacobian(tv.nextafter(x, 9.0), x))(a).tolist() == np.eye(3).tolist()


def test_mistakes_of_parts() -> None:
    refused(TypeError, r"\[modf\] is not defined for complex128", tv.modf, [1j])
    refused(TypeError, r"\[nextafter\] is not defined for", tv.nextafter, [1j], [2.0])
    refused(TypeError, r"\[bitwise_count\] is not defined for float64", tv.bitwise_count, [1.0])
    refused(TypeError, r"\[ldexp\] x2 is .*float64; exponents are integers", tv.ldexp, 1.0, 2.0)
