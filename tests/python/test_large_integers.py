"""Python integers that fit no int64, beside Variables, against NumPy 2."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

LARGE = [2**63, 2**63 + 5, 2**64 - 1, 2**64, 10**23, 10**30, -(2**63) - 1, -(10**30)]
SIGNS = ["add", "sub", "mul", "truediv", "lt", "le", "gt", "ge", "eq", "ne"]
DTYPES = ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex128"]


def ordered(sign: str, number: int) -> Callable[[Any], Any]:
    return lambda a: getattr(operator, sign)(a, number)


def swapped(sign: str, number: int) -> Callable[[Any], Any]:
    return lambda a: getattr(operator, sign)(number, a)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
@pytest.mark.parametrize("mode", ["py", "cvm"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_integer_beyond_int64_is_what_numpy_makes_of_it(dtype: str, mode: str) -> None:
    values = np.array([1, 2], dtype)
    x = tv.vector("x", dtype=dtype)
    graphs, expected = [], []
    for sign in SIGNS:
        if dtype == "complex128" and sign in ("lt", "le", "gt", "ge"):
            continue  # has no order here
        for number in LARGE:
            for apply in (ordered(sign, number), swapped(sign, number)):
                try:
                    value = apply(values)
                except OverflowError:
                    with pytest.raises(OverflowError, match="does not fit int64"):
                        apply(x)
                else:
                    graphs.append(apply(x))
                    expected.append(value)
    results = tv.function([x], graphs, mode=mode, on_unused_input="ignore")(values)
    for got, value in zip(results, expected, strict=True):
        assert got.dtype == value.dtype
        np.testing.assert_array_equal(got, value)


def test_an_integer_beyond_float64_is_an_error_beside_floats() -> None:
    with pytest.raises(OverflowError, match="does not fit float64"):
        tv.scalar("x") * 10**400


def test_a_function_of_two_inputs_takes_large_integers_as_its_operator_does() -> None:
    x, n = tv.scalar("x"), tv.scalar("n", dtype="uint64")
    outputs = [tv.mul(x, 10**23), tv.add(2**63 + 5, n), tv.lt(n, 10**30)]
    results = tv.function([x, n], outputs)(2.0, np.uint64(1))
    assert results == [2e23, 2**63 + 6, True]
    assert results[1].dtype == np.uint64
