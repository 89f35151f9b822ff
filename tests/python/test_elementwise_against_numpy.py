"""Elementwise Ops in every mode, held against NumPy: values, dtypes, promotion, edge values."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from against_numpy import (
    COMPLEX,
    DTYPES,
    INTEGERS,
    MODES,
    against_numpy,
    expect,
    run,
    same,
    values,
)

import thunkvm as tv

# ---- elementwise, one input ----

UNARY = {
    "abs": np.abs, "arccos": np.arccos, "arccosh": np.arccosh, "arcsin": np.arcsin,
    "arcsinh": np.arcsinh, "arctan": np.arctan, "arctanh": np.arctanh, "cbrt": np.cbrt,
    "ceil": np.ceil, "conj": np.conj, "cos": np.cos, "cosh": np.cosh, "exp": np.exp,
    "exp2": np.exp2, "expm1": np.expm1, "floor": np.floor, "imag": np.imag, "invert": np.invert,
    "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan, "log": np.log,
    "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "logical_not": np.logical_not,
    "neg": np.negative, "real": np.real, "reciprocal": np.reciprocal, "sign": np.sign,
    "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "square": np.square, "tan": np.tan,
    "tanh": np.tanh, "trunc": np.trunc,
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_are_numpys_for_every_dtype(name: str, mode: str) -> None:
    for dtype in DTYPES:
        x = values(dtype)
        if dtype in COMPLEX and name in ("log2", "log10", "exp2", "log1p", "expm1"):
            x = x[1:2]  # NumPy's complex versions lose digits near the branch points
        against_numpy(mode, getattr(tv, name), UNARY[name], x)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["exp", "neg", "sqrt", "isnan", "floor", "abs", "sign"])
def test_unary_functions_take_scalars_empty_and_strided_arrays(name: str, mode: str) -> None:
    x = values("float64")
    for view in (
        x[3],
        x[:0],
        x[::-1],
        x[::3],
        x[:12].reshape(3, 4).T,
        np.broadcast_to(x[2], (2, 3)),
    ):
        against_numpy(mode, getattr(tv, name), UNARY[name], view)


SPECIAL = {
    "erf": (math.erf, [-3.0, -0.5, 0.0, 0.1, 2.0]),
    "erfc": (math.erfc, [-3.0, -0.5, 0.0, 0.1, 6.0]),
    "gammaln": (math.lgamma, [0.25, 0.5, 1.0, 2.5, 10.0, 171.5]),
    "sigmoid": (lambda v: 1 / (1 + math.exp(-v)), [-30.0, -1.0, 0.0, 2.0, 40.0]),
    "softplus": (lambda v: math.log1p(math.exp(v)), [-30.0, -1.0, 0.0, 2.0, 30.0]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions(name: str, mode: str) -> None:
    function, listed = SPECIAL[name]
    result = run(mode, getattr(tv, name), np.array(listed))
    np.testing.assert_allclose(result, [function(v) for v in listed], rtol=1e-14)


# ---- elementwise, two inputs ----

BINARY = {
    "add": np.add, "arctan2": np.arctan2, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "eq": np.equal,
    "floor_div": np.floor_divide, "ge": np.greater_equal, "gt": np.greater, "hypot": np.hypot,
    "le": np.less_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor, "lt": np.less, "maximum": np.maximum, "minimum": np.minimum,
    "mod": np.remainder, "mul": np.multiply, "neq": np.not_equal, "sub": np.subtract,
    "true_div": np.true_divide,
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_functions_are_numpys_for_every_dtype(name: str, mode: str) -> None:
    for dtype in DTYPES:
        x = values(dtype)
        # Every value with every other one, by broadcasting.
        against_numpy(mode, getattr(tv, name), BINARY[name], x[:, None], x[None, :])


MIXED = [("int8", "uint8"), ("int64", "uint64"), ("int32", "float32"), ("bool", "int16"),
         ("float16", "int8"), ("float32", "float64"), ("int64", "float16"),
         ("float64", "complex64"), ("uint8", "complex64")]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["add", "mul", "lt", "eq", "true_div", "maximum"])
def test_binary_functions_promote_as_numpy_does(name: str, mode: str) -> None:
    for left, right in MIXED:
        x, y = values(left), values(right)
        against_numpy(mode, getattr(tv, name), BINARY[name], x[:, None], y[None, :])
        against_numpy(mode, getattr(tv, name), BINARY[name], y[:, None], x[None, :])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float16", "float32", "complex64"])
def test_python_numbers_take_the_dtype_beside_them(dtype: str, mode: str) -> None:
    x = values(dtype)[1:4]
    against_numpy(mode, lambda v: v + 1, lambda v: v + 1, x)
    against_numpy(mode, lambda v: 2.5 * v, lambda v: 2.5 * v, x)
    against_numpy(mode, lambda v: v / 2, lambda v: v / 2, x)
    against_numpy(mode, lambda v: v * True, lambda v: v * True, x)


@pytest.mark.parametrize("mode", MODES)
def test_powers(mode: str) -> None:
    bases = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.5, np.inf, -np.inf, np.nan])
    exponents = np.array([0.0, 1.0, -1.0, 2.0, 3.0, 0.5, -0.5, np.inf, -np.inf, np.nan])
    against_numpy(mode, tv.pow, np.power, bases[:, None], exponents[None, :])
    integers = np.array([0, 1, -1, 2, -3, 7])
    against_numpy(mode, tv.pow, np.power, integers[:, None], np.array([0, 1, 2, 5, 70])[None, :])
    with pytest.raises(ValueError, match="Integers to negative integer powers are not allowed"):
        run(mode, tv.pow, integers, np.array([-1] * 6))


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c"])
def test_a_power_depends_on_the_values_alone(mode: str) -> None:
    x, y = tv.scalar("x"), tv.vector("y")
    power = tv.function([x, y], [x**0.5, y**0.5, y ** tv.constant([0.5])], mode=mode)
    for number, array, pair in (power(-np.inf, [-np.inf]), power(-0.0, [-0.0])):
        assert number == array[0] == pair[0] in (np.inf, 0.0)
        assert not np.signbit(number)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("infinite", [complex(np.inf, 1), complex(1, np.inf), complex(0, -np.inf)])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_complex_means_and_products_of_infinite_parts_are_numpys(
    infinite: complex, mode: str
) -> None:
    z = np.array([infinite, 2 + 1j, 1j])
    against_numpy(mode, tv.mean, np.mean, z)
    against_numpy(mode, tv.prod, np.prod, z)


@pytest.mark.parametrize("mode", MODES)
def test_shifts(mode: str) -> None:
    for dtype in INTEGERS:
        x = values(dtype)
        shifts = np.array([0, 1, 3, np.dtype(dtype).itemsize * 8 - 1], dtype)
        against_numpy(mode, tv.left_shift, np.left_shift, x[:, None], shifts[None, :])
        against_numpy(mode, tv.right_shift, np.right_shift, x[:, None], shifts[None, :])


@pytest.mark.parametrize("mode", MODES)
def test_integer_division_by_zero_is_zero_and_wraps_as_numpys(mode: str) -> None:
    lowest = np.iinfo("int64").min
    x, y = np.array([5, -5, 0, lowest, -7]), np.array([0, 0, 0, -1, 2])
    assert run(mode, tv.floor_div, x, y).tolist() == [0, 0, 0, lowest, -4]
    assert run(mode, tv.mod, x, y).tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("mode", MODES)
def test_what_numpy_warns_of_comes_without_a_warning(mode: str) -> None:
    numbers, x = np.array([1, 2], "int32"), np.array([1.0, 1e308])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(mode, lambda v: v // 0, numbers).tolist() == [0, 0]
        assert run(mode, lambda v: v % 0, numbers).tolist() == [0, 0]
        assert run(mode, lambda v: v // 0, numbers[0]) == 0
        assert run(mode, lambda v: v / 0.0, x).tolist() == [np.inf, np.inf]
        assert run(mode, lambda v: v * v, x).tolist() == [1.0, np.inf]


@pytest.mark.parametrize("mode", MODES)
def test_clip_where_round_and_composed_functions(mode: str) -> None:
    x = values("float64")
    finite = np.array([-710.0, -1.0, 0.0, 2.0, 710.0])
    against_numpy(mode, lambda v: tv.clip(v, -1.0, 1.0), lambda v: np.clip(v, -1.0, 1.0), x)
    against_numpy(mode, lambda v: tv.clip(v, None, 1.0), lambda v: np.clip(v, None, 1.0), x)
    against_numpy(mode, lambda v: tv.where(v > 0, v, 0.0), lambda v: np.where(v > 0, v, 0.0), x)
    against_numpy(mode, tv.round, np.round, x)
    against_numpy(mode, lambda v: tv.round(v, 1), lambda v: np.round(v, 1), x)
    against_numpy(mode, lambda v: tv.round(v, -1), lambda v: np.round(v, -1), x)
    ends = np.array([*finite, np.inf, -np.inf])
    against_numpy(mode, tv.logaddexp, np.logaddexp, ends[:, None], ends[None, :])
    against_numpy(mode, tv.deg2rad, np.deg2rad, finite)
    against_numpy(mode, tv.rad2deg, np.rad2deg, finite)
    for ours, theirs in zip(run(mode, tv.divmod, x, x[::-1]), expect(np.divmod, x, x[::-1]),
                            strict=True):  # fmt: skip
        same(ours, theirs)


@pytest.mark.parametrize("mode", MODES)
def test_casts_between_all_dtypes(mode: str) -> None:
    for source in DTYPES:
        x = values(source)[:4]  # within the range of every dtype, so that C says what they become
        x = x if np.dtype(source).kind in "bu" else np.abs(x.real).astype(source)
        for target in DTYPES:
            same(
                run(mode, lambda v, t=target: v.astype(t), x),
                expect(lambda v, t=target: v.astype(t), x),
            )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_of_equal_elements_the_one_that_numpy_takes_comes_out(mode, name, dtype):
    x, y = tv.vector("x", dtype), tv.vector("y", dtype)
    f = tv.function([x, y], getattr(tv, name)(x, y), mode=mode)
    values = np.array([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan], dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values))
    computed, expected = f(a, b), getattr(np, name)(a, b)
    np.testing.assert_array_equal(computed, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(
        np.signbit(computed.real)[numbers], np.signbit(expected.real)[numbers]
    )
