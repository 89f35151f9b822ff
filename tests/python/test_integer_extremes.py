"""Integers at the ends of their dtypes, in every function: NumPy's values and dtypes.

NumPy itself is asked, and not what the modes agree on: a function that is composed of Ops can be
wrong in all of them.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.arrays import numpy_protocol

MODES = ["py", "cvm", "FAST_RUN"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = ["bool", *INTEGERS]

# Values of different loops differ by a few units in the last place.
TOLERANCE = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-13}


def extremes(dtype: str) -> np.ndarray:
    """The lowest and highest numbers of a dtype, and small ones of both signs."""
    if dtype == "bool":
        return np.array([False, True])
    info = np.iinfo(dtype)
    small = [-7, -2, -1, 0, 1, 2, 7] if info.min < 0 else [0, 1, 2, 7]
    return np.array([info.min, info.min + 1, *small, info.max - 1, info.max], dtype)


@pytest.mark.parametrize("length", [1, 9, 40])
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", ["float16", "float32", "float64"])
def test_a_float_that_fits_no_integer_is_the_same_one_in_every_mode(source, dtype, length):
    x = tv.vector("x", dtype=source)
    ends = [2.0**64, 1.5 * 2.0**63, 2.0**63, -1.0, -(2.0**63), -(2.0**64), np.inf, np.nan, 300.7]
    with np.errstate(all="ignore"):
        values = np.resize(np.array(ends).astype(source), length)
        native, numpys = (
            tv.function([x], tv.cast(x, dtype), mode=mode)(values) for mode in ("cvm", "py")
        )
    np.testing.assert_array_equal(native, numpys)


def outcome(call: Callable[..., Any], *arguments: Any) -> Any:
    """What a call gives, or the class of the exception that says that it is not for these."""
    with np.errstate(all="ignore"):
        try:
            return call(*arguments)
        except (TypeError, ValueError) as error:
            return ValueError if isinstance(error, ValueError) else TypeError


def same(mode: str, function: Callable[..., Any], numpys: Callable[..., Any], *given: Any) -> None:
    """Hold a function of Variables against NumPy's of arrays: values, dtype and shape."""
    inputs = [tv.tensor(f"x{i}", a.dtype, (None,) * a.ndim) for i, a in enumerate(given)]

    def ours(*arrays: Any) -> Any:
        return tv.function(inputs, function(*inputs), mode=mode)(*arrays)

    found, expected = outcome(ours, *given), outcome(numpys, *given)
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected
        return
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert np.shape(found) == np.shape(expected)
    tolerance = TOLERANCE.get(np.asarray(expected).dtype.name, 0.0)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def spoken(n_inputs: int) -> list[np.ufunc]:
    """NumPy's ufuncs that Variables speak."""
    found = {u for u in vars(np).values() if isinstance(u, np.ufunc) and u.nin == n_inputs}
    return sorted(
        (u for u in found if u.nout == 1 and u.__name__ in numpy_protocol.counterparts()),
        key=lambda u: u.__name__,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ufunc", spoken(1), ids=lambda u: u.__name__)
def test_ufuncs_of_one_integer(ufunc: np.ufunc, mode: str) -> None:
    for dtype in DTYPES:
        same(mode, ufunc, ufunc, extremes(dtype))


@pytest.mark.parametrize("ufunc", spoken(2), ids=lambda u: u.__name__)
def test_ufuncs_of_two_integers(ufunc: np.ufunc) -> None:
    for left, right in itertools.product(DTYPES, DTYPES):
        x, y = extremes(left), extremes(right)
        if "shift" in ufunc.__name__:
            y = y[(y >= 0) & (y < 8)]  # C leaves the others open
        if ufunc is np.power:
            y = y[y >= 0]  # negative ones are an error
        same("py", ufunc, ufunc, x[:, None], y[None, :])
        same("vm", ufunc, ufunc, x[:, None], y[None, :])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "name", ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin",
             "cumsum", "cumprod"],
)  # fmt: skip
def test_reductions_of_integers(name: str, mode: str) -> None:
    ours, numpys = getattr(tv, name), getattr(np, name)
    for dtype in DTYPES:
        x = extremes(dtype)
        both = np.stack([x, x[::-1]])
        same(mode, ours, numpys, x)
        same(mode, lambda v: ours(v, axis=0), lambda v: numpys(v, axis=0), both)
        same(mode, lambda v: ours(v, axis=1), lambda v: numpys(v, axis=1), both)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [None, 0, 1, 2, 3, 0.5, -1, np.inf, -np.inf])
def test_norms_of_integers_are_numpys_floats(order: Any, mode: str) -> None:
    for dtype in DTYPES:
        x = extremes(dtype)
        same(mode, lambda v: tv.norm(v, order), lambda v: np.linalg.norm(v, order), x)
        same(
            mode,
            lambda v: tv.norm(v, order, axis=0),
            lambda v: np.linalg.norm(v, order, axis=0),
            np.stack([x, x[::-1]]),
        )


def test_the_norm_of_small_integers_does_not_overflow() -> None:
    x, y = tv.vector("x", "uint8"), tv.vector("y", "int32")
    assert tv.function([x], tv.norm(x))([16, 0]) == 16.0
    assert tv.function([y], tv.norm(y))([50000, 0]) == 50000.0


def test_logaddexp_of_unsigned_integers_does_not_wrap() -> None:
    x, y = tv.scalar("x", "uint64"), tv.scalar("y", "uint64")
    found = tv.function([x, y], tv.logaddexp(x, y))(0, 1)
    assert found == pytest.approx(1.3132616875182228)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("decimals", [0, 1, 2, -1, -2, -3])
def test_rounded_integers_are_integers(decimals: int, mode: str) -> None:
    for dtype in INTEGERS:
        # What is rounded beyond the dtype is C's to say.
        x = extremes(dtype)[1:-2] // 2
        same(mode, lambda v: tv.round(v, decimals), lambda v: np.round(v, decimals), x)


@pytest.mark.parametrize("decimals", [1, -1])
def test_bools_have_no_decimals(decimals: int) -> None:
    with pytest.raises(TypeError, match=r"\[round\] bools have no decimals"):
        tv.round(tv.vector("x", "bool"), decimals)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [*DTYPES, "float16", "float32", "float64", "complex64"])
def test_linspace_has_numpys_dtype(dtype: str, mode: str) -> None:
    start, stop = np.array(0, dtype), np.array(1, dtype)
    same(mode, lambda v: tv.linspace(v, 3, 5), lambda v: np.linspace(v, 3, 5), stop)
    same(mode, lambda v: tv.linspace(0.5, v, 5), lambda v: np.linspace(0.5, v, 5), stop)
    same(mode, lambda v, w: tv.linspace(v, w, 7), lambda v, w: np.linspace(v, w, 7), stop, start)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [*DTYPES, "float16", "float32"])
def test_arange_has_numpys_dtype(dtype: str, mode: str) -> None:
    one = np.array(1, dtype)
    same(mode, tv.arange, np.arange, one)
    same(mode, lambda v: tv.arange(0, 200, v), lambda v: np.arange(0, 200, v), one)


@pytest.mark.parametrize("mode", MODES)
def test_products_and_joins_of_integers(mode: str) -> None:
    for dtype in DTYPES:
        x = extremes(dtype)
        square = np.resize(x, (3, 3))
        for name in ("outer", "inner", "dot"):
            same(mode, getattr(tv, name), getattr(np, name), x, x)
        same(mode, tv.matmul, np.matmul, square, square)
        same(
            mode,
            lambda v, w: tv.tensordot(v, w, ([0], [1])),
            lambda v, w: np.tensordot(v, w, ([0], [1])),
            square,
            square,
        )
        for name in ("trace", "diag", "tril", "zeros_like", "ones_like"):
            same(mode, getattr(tv, name), getattr(np, name), square)
        same(mode, lambda v: tv.clip(v, 1, 3), lambda v: np.clip(v, 1, 3), x)
        same(mode, lambda v: tv.clip(v, -1000, 1000), lambda v: np.clip(v, -1000, 1000), x)


@pytest.mark.parametrize("mode", MODES)
def test_systems_of_integers_are_solved_in_float64(mode: str) -> None:
    for dtype in INTEGERS:
        a, b = np.array([[4, 1], [1, 3]], dtype), np.array([5, 4], dtype)
        for name in ("inv", "det", "cholesky"):
            same(mode, getattr(tv, name), getattr(np.linalg, name), a)
        same(mode, tv.solve, np.linalg.solve, a, b)


def test_the_sign_of_bools_is_an_error_as_in_numpy() -> None:
    x = tv.vector("x", "bool")
    with pytest.raises(TypeError, match="bools, which have no sign"):
        tv.positive(x)
    with pytest.raises(TypeError, match="bools, which have no sign"):
        operator.pos(x)
