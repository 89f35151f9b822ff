"""Every built-in Op in every mode, held against NumPy: values, dtypes, shapes, edge values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "vm_nogc", "cvm_nogc", "FAST_RUN", "FAST_COMPILE"]

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *COMPLEX]

# Results of libm, libmvec and NumPy's own loops differ by a few units in the last place.
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-13, "complex64": 4e-6}


def values(dtype: str) -> np.ndarray:
    """Edge values of a dtype: zeros of both signs, ones, extremes, infinities, NaN."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True, True])
    if kind == "i":
        info = np.iinfo(dtype)
        return np.array([0, 1, -1, 2, -7, 100, info.min, info.max], dtype)
    if kind == "u":
        return np.array([0, 1, 2, 7, 100, np.iinfo(dtype).max], dtype)
    if kind == "f":
        listed = [0.0, -0.0, 0.5, 1.0, -1.0, 1.5, -2.5, 3.7, -7.3, 30.0, np.inf, -np.inf, np.nan]
        return np.array(listed, dtype)
    return np.array([0, 1, -1, 1j, 0.5 - 2j, -1.5 + 0.25j, 3 + 4j], dtype)


def run(mode: str, build: Callable[..., Any], *arguments: Any) -> Any:
    """Make a function of `build` in a mode, and call it."""
    arrays = [np.asarray(argument) for argument in arguments]
    inputs = [tv.tensor(f"x{i}", a.dtype, (None,) * a.ndim) for i, a in enumerate(arrays)]
    return tv.function(inputs, build(*inputs), mode=mode)(*arrays)


def expect(numpy_function: Callable[..., Any], *arguments: Any) -> Any:
    """Return NumPy's result, without its warnings."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return numpy_function(*arguments)


def same(result: Any, expected: Any) -> None:
    """Compare dtype, shape and values."""
    expected = np.asarray(expected)
    assert np.asarray(result).dtype == expected.dtype
    assert np.shape(result) == expected.shape
    if expected.dtype.kind in "fc":
        tolerance = TOLERANCE.get(expected.dtype.name, 1e-13)
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance * 1e-2)
    else:
        np.testing.assert_array_equal(result, expected)


def against_numpy(
    mode: str, ours: Callable[..., Any], theirs: Callable[..., Any], *arguments: Any
) -> None:
    """Hold one call against NumPy; what NumPy refuses for its dtype, we refuse."""
    try:
        expected = expect(theirs, *arguments)
    except TypeError:
        with pytest.raises(TypeError):
            run(mode, ours, *arguments)
        return
    same(run(mode, ours, *arguments), expected)


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


# ---- reductions ----

REDUCTIONS = {
    "sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean, "any": np.any,
    "all": np.all, "var": np.var, "std": np.std, "argmax": np.argmax, "argmin": np.argmin,
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_over_all_axes_for_every_dtype(name: str, mode: str) -> None:
    for dtype in DTYPES:
        if dtype in COMPLEX and name in ("max", "min", "argmax", "argmin"):
            continue  # complex numbers have no order
        x = values(dtype)
        x = x[np.isfinite(x)] if x.dtype.kind == "f" else x
        if name in ("mean", "var", "std") and dtype in INTEGERS:
            x = x[np.abs(x.astype("float64")) < 1e6]  # or the last digits depend on the order
        against_numpy(mode, getattr(tv, name), REDUCTIONS[name], x.reshape(1, -1))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_over_single_axes(name: str, mode: str) -> None:
    x = np.array([[[3.0, -1.0], [0.5, 2.0], [7.0, 7.0]], [[1.0, 4.0], [0.0, -2.0], [5.0, 6.0]]])
    for axis in (0, 1, 2, -1):
        for keepdims in (False, True):
            against_numpy(
                mode,
                lambda v, a=axis, k=keepdims: getattr(tv, name)(v, axis=a, keepdims=k),
                lambda v, a=axis, k=keepdims: REDUCTIONS[name](v, axis=a, keepdims=k),
                x,
            )
    if not name.startswith("arg"):
        for axes in ((0, 1), (2, 0), (0, 1, 2)):
            against_numpy(
                mode,
                lambda v, a=axes: getattr(tv, name)(v, axis=a),
                lambda v, a=axes: REDUCTIONS[name](v, axis=a),
                x,
            )


@pytest.mark.parametrize("mode", MODES)
def test_reductions_of_nan_empty_and_strided_arrays(mode: str) -> None:
    nan = np.array([1.0, np.nan, 3.0])
    empty = np.zeros((0, 3))
    for name in ("sum", "max", "min", "mean", "argmax", "argmin", "any", "all"):
        against_numpy(mode, getattr(tv, name), REDUCTIONS[name], nan)
    for name in ("sum", "prod", "mean", "any", "all"):
        ours, theirs = getattr(tv, name), REDUCTIONS[name]
        against_numpy(mode, lambda v, f=ours: f(v, axis=0), lambda v, f=theirs: f(v, axis=0), empty)
        against_numpy(mode, ours, theirs, np.zeros((3, 4)).T[:, :0])
    big = np.arange(24.0).reshape(4, 6)
    for view in (big.T, big[::-1, ::2], np.broadcast_to(big[0], (3, 6))):
        for name in ("sum", "max", "mean", "argmin"):
            ours, theirs = getattr(tv, name), REDUCTIONS[name]
            against_numpy(
                mode, lambda v, f=ours: f(v, axis=1), lambda v, f=theirs: f(v, axis=1), view
            )


@pytest.mark.parametrize("mode", MODES)
def test_max_of_nothing_is_numpys_error(mode: str) -> None:
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        run(mode, tv.max, np.zeros(0))


@pytest.mark.parametrize("mode", MODES)
def test_cumsum_norm_and_logsumexp(mode: str) -> None:
    x = np.array([[3.0, -4.0, 0.0], [1.0, 2.0, 2.0]])
    against_numpy(mode, tv.cumsum, np.cumsum, x)
    against_numpy(mode, lambda v: tv.cumsum(v, axis=1), lambda v: np.cumsum(v, axis=1), x)
    against_numpy(mode, tv.cumprod, np.cumprod, x)
    against_numpy(mode, lambda v: tv.cumprod(v, axis=0), lambda v: np.cumprod(v, axis=0), x)
    against_numpy(mode, tv.norm, np.linalg.norm, x)
    for order in (None, 1, 2, 3, 0, np.inf, -np.inf):
        against_numpy(
            mode, lambda v, o=order: tv.norm(v, o), lambda v, o=order: np.linalg.norm(v, o), x[0]
        )
        against_numpy(
            mode,
            lambda v, o=order: tv.norm(v, o, axis=1),
            lambda v, o=order: np.linalg.norm(v, o, axis=1),
            x,
        )
    same(run(mode, tv.logsumexp, np.array([1000.0, 1000.0])), 1000.0 + math.log(2.0))
    same(run(mode, tv.logsumexp, np.array([-np.inf, -np.inf])), -np.inf)
    same(run(mode, tv.logsumexp, np.array([0.0, np.inf])), np.inf)


# ---- shapes, joining, creation ----


@pytest.mark.parametrize("mode", MODES)
def test_shapes(mode: str) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for view in (x, x[::-1, ::2], x.transpose(2, 0, 1)):
        against_numpy(mode, tv.shape, lambda v: np.array(v.shape), view)
        against_numpy(mode, tv.size, lambda v: np.int64(v.size), view)
        against_numpy(mode, tv.ravel, np.ravel, view)
        against_numpy(mode, tv.transpose, np.transpose, view)
        against_numpy(mode, lambda v: v.T, lambda v: v.T, view)
        against_numpy(mode, lambda v: v.reshape(-1, 2), lambda v: v.reshape(-1, 2), view)
        for axes in ((0, 2, 1), (-1, 0, 1)):
            against_numpy(
                mode, lambda v, a=axes: v.transpose(a), lambda v, a=axes: v.transpose(a), view
            )
        against_numpy(mode, lambda v: tv.swapaxes(v, 0, 2), lambda v: np.swapaxes(v, 0, 2), view)
        against_numpy(mode, lambda v: tv.moveaxis(v, 0, -1), lambda v: np.moveaxis(v, 0, -1), view)
        against_numpy(
            mode, lambda v: tv.expand_dims(v, (0, 2)), lambda v: np.expand_dims(v, (0, 2)), view
        )
    against_numpy(mode, lambda v: tv.squeeze(v, 1), lambda v: np.squeeze(v, 1), np.ones((2, 1, 3)))
    against_numpy(
        mode,
        lambda v: tv.broadcast_to(v, (2, 3)),
        lambda v: np.broadcast_to(v, (2, 3)),
        x[0, 0, :3],
    )
    against_numpy(mode, lambda v: v.reshape(()), lambda v: v.reshape(()), np.ones((1, 1)))


@pytest.mark.parametrize("mode", MODES)
def test_a_reshape_to_another_size_is_an_error(mode: str) -> None:
    with pytest.raises(ValueError, match=r"reshape.*\(3,\)|cannot reshape"):
        run(mode, lambda v: v.reshape(2, -1), np.ones(3))


@pytest.mark.parametrize("mode", MODES)
def test_joining(mode: str) -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3)
    pair = (a, a[::-1])
    against_numpy(mode, lambda *v: tv.concatenate(v), lambda *v: np.concatenate(v), *pair)
    against_numpy(
        mode, lambda *v: tv.concatenate(v, axis=1), lambda *v: np.concatenate(v, axis=1), *pair
    )
    against_numpy(
        mode, lambda *v: tv.concatenate(v, axis=None), lambda *v: np.concatenate(v, axis=None), a, b
    )
    against_numpy(mode, lambda *v: tv.stack(v, axis=1), lambda *v: np.stack(v, axis=1), *pair)
    against_numpy(mode, lambda *v: tv.stack(v, axis=-1), lambda *v: np.stack(v, axis=-1), *pair)
    against_numpy(mode, lambda *v: tv.hstack(v), lambda *v: np.hstack(v), b, b * 2.5)
    against_numpy(mode, lambda *v: tv.hstack(v), lambda *v: np.hstack(v), *pair)
    against_numpy(mode, lambda *v: tv.vstack(v), lambda *v: np.vstack(v), a, b)
    against_numpy(mode, lambda *v: tv.vstack(v), lambda *v: np.vstack(v), b, b)


@pytest.mark.parametrize("mode", MODES)
def test_creation(mode: str) -> None:
    n = tv.lscalar("n")

    def of(build: Any, number: int) -> Any:
        return tv.function([n], build, mode=mode, on_unused_input="ignore")(number)

    same(of(tv.zeros((n, 2)), 3), np.zeros((3, 2)))
    same(of(tv.ones(n, dtype="int8"), 0), np.ones(0, "int8"))
    same(of(tv.full((2, n), 7), 2), np.full((2, 2), 7))
    same(of(tv.full(n, 0.5, dtype="float32"), 2), np.full(2, 0.5, "float32"))
    same(of(tv.arange(n), 4), np.arange(4))
    same(of(tv.arange(n, 0, -2), 7), np.arange(7, 0, -2))
    same(of(tv.arange(0.0, n, 0.1), 1), np.arange(0.0, 1, 0.1))
    same(of(tv.arange(5, n), 2), np.arange(5, 2))
    same(of(tv.arange(n, dtype="float32"), 3), np.arange(3, dtype="float32"))
    same(of(tv.eye(n), 3), np.eye(3))
    same(of(tv.eye(2, n, k=1, dtype="int64"), 4), np.eye(2, 4, k=1, dtype="int64"))
    same(of(tv.eye(n, k=-1), 3), np.eye(3, k=-1))
    same(of(tv.identity(n, "float32"), 2), np.identity(2, "float32"))
    for count in (0, 1, 2, 7):
        same(of(tv.linspace(-1.0, 2.0, n), count), np.linspace(-1.0, 2.0, count))
    for count in range(2, 60):
        assert of(tv.linspace(0.1, 0.7, n), count)[-1] == 0.7
    x = np.arange(6, dtype="float32").reshape(2, 3)
    against_numpy(mode, tv.zeros_like, np.zeros_like, x)
    against_numpy(mode, tv.ones_like, np.ones_like, x)
    against_numpy(mode, lambda v: tv.full_like(v, 2.5), lambda v: np.full_like(v, 2.5), x)
    against_numpy(mode, lambda v: tv.zeros_like(v, "bool"), lambda v: np.zeros_like(v, "bool"), x)


# ---- linear algebra ----

VECTOR, MATRIX, OTHER = np.array([1.0, -2.0, 0.5]), np.arange(6.0).reshape(2, 3), np.ones((3, 4))


@pytest.mark.parametrize("mode", MODES)
def test_products(mode: str) -> None:
    for a, b in ((VECTOR, VECTOR), (MATRIX, VECTOR), (MATRIX, OTHER), (VECTOR, OTHER)):
        against_numpy(mode, tv.dot, np.dot, a, b)
        against_numpy(mode, tv.matmul, np.matmul, a, b)
        against_numpy(mode, lambda v, w: v @ w, np.matmul, a, b)
    batch = np.arange(24.0).reshape(2, 3, 4)
    against_numpy(mode, tv.matmul, np.matmul, batch, np.arange(8.0).reshape(4, 2))
    against_numpy(mode, tv.matmul, np.matmul, MATRIX, batch)
    against_numpy(mode, tv.matmul, np.matmul, batch, VECTOR.repeat(2)[:4])
    against_numpy(mode, tv.matmul, np.matmul, np.zeros((2, 0)), np.zeros((0, 3)))
    against_numpy(mode, tv.outer, np.outer, VECTOR, np.arange(2.0))
    against_numpy(mode, tv.inner, np.inner, MATRIX, VECTOR)
    against_numpy(mode, tv.trace, np.trace, OTHER)
    against_numpy(mode, lambda v: tv.trace(v, 1), lambda v: np.trace(v, 1), MATRIX)
    for axes in (1, ([0], [1]), ([0, 2], [2, 0])):
        a, b = batch, batch.transpose(2, 1, 0) if axes == ([0, 2], [2, 0]) else batch
        a, b = (batch, np.arange(8.0).reshape(4, 2)) if axes == 1 else (a, b)
        a, b = (batch, np.arange(10.0).reshape(5, 2)) if axes == ([0], [1]) else (a, b)
        against_numpy(
            mode,
            lambda v, w, x=axes: tv.tensordot(v, w, x),
            lambda v, w, x=axes: np.tensordot(v, w, x),
            a,
            b,
        )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "dtype", ["int8", "uint64", "bool", "float16", "float32", "complex64", "complex128"]
)
def test_products_for_other_dtypes(dtype: str, mode: str) -> None:
    x = values(dtype)[:3]
    x = np.nan_to_num(x)
    against_numpy(mode, tv.dot, np.dot, x, x)
    against_numpy(mode, tv.matmul, np.matmul, x[:, None] * x[None, :], x)


@pytest.mark.parametrize("mode", MODES)
def test_diagonals(mode: str) -> None:
    for k in (0, 1, -1, 2, -2, 5):
        against_numpy(mode, lambda v, k=k: tv.diag(v, k), lambda v, k=k: np.diag(v, k), MATRIX)
        against_numpy(mode, lambda v, k=k: tv.diag(v, k), lambda v, k=k: np.diag(v, k), VECTOR)
        against_numpy(mode, lambda v, k=k: tv.tril(v, k), lambda v, k=k: np.tril(v, k), MATRIX)
        against_numpy(mode, lambda v, k=k: tv.triu(v, k), lambda v, k=k: np.triu(v, k), MATRIX)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_systems_of_equations(dtype: str, mode: str) -> None:
    a = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]).astype(dtype)
    b = np.array([1.0, -2.0, 3.0]).astype(dtype)
    many = np.stack([b, 2 * b], axis=1)
    batch = np.stack([a, 2 * a])
    against_numpy(mode, tv.solve, np.linalg.solve, a, b)
    against_numpy(mode, tv.solve, np.linalg.solve, a, many)
    against_numpy(mode, tv.solve, np.linalg.solve, batch, np.stack([many, many]))
    against_numpy(mode, tv.solve, np.linalg.solve, a.T, b)
    against_numpy(mode, tv.cholesky, np.linalg.cholesky, a)
    against_numpy(mode, tv.cholesky, np.linalg.cholesky, batch)
    against_numpy(mode, tv.inv, np.linalg.inv, a)
    lower = np.tril(a)
    against_numpy(
        mode, lambda v, w: tv.solve_triangular(v, w, lower=True), np.linalg.solve, lower, b
    )
    against_numpy(
        mode, lambda v, w: tv.solve_triangular(v, w, lower=False), np.linalg.solve, lower.T, b
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("lower", [True, False])
def test_cholesky_gives_nan_for_the_matrices_of_a_batch_that_are_indefinite(
    dtype: str, mode: str, lower: bool
) -> None:
    good = np.array([[4.0, 2.0], [2.0, 5.0]], dtype)
    a = np.stack([good, -good, 4 * good])
    x = tv.tensor("x", dtype=dtype, shape=(None, None, None))
    factors = tv.function([x], tv.cholesky(x, lower=lower, on_error="nan"), mode=mode)(a)
    for k in (0, 2):
        np.testing.assert_allclose(factors[k], np.linalg.cholesky(a[k], upper=not lower), 1e-6)
    triangle = np.tril(np.ones((2, 2))) if lower else np.triu(np.ones((2, 2)))
    np.testing.assert_array_equal(np.isnan(factors[1]), triangle == 1)
    np.testing.assert_array_equal(factors[1][triangle == 0], 0)


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_a_factor_of_nan_is_nan_and_of_the_others_what_it_is(mode: str) -> None:
    x = tv.tensor("x", shape=(None, None, None))
    for on_error in ("raise", "nan"):
        cost = (tv.cholesky(x, on_error=on_error) * [[1.0, 2.0], [3.0, 4.0]]).sum()
        f = tv.function([x], tv.grad(cost, x), mode=mode)
        if on_error == "raise":
            right = f([[[4.0, 2.0], [2.0, 5.0]]])
    got = f([[[4.0, 2.0], [2.0, 5.0]], [[-1.0, 0.0], [0.0, 1.0]]])
    np.testing.assert_allclose(got[0], right[0], rtol=1e-14)
    assert np.isnan(got[1][np.tril_indices(2)]).all()


# ---- NumPy's own functions ----

SPOKEN = [
    (np.sqrt, [np.array([1.0, 4.0])]),
    (np.add, [np.array([1.0, 4.0]), np.array([2.0, 3.0])]),
    (lambda x: np.float64(2.0) * x, [np.array([1.0, 2.0])]),
    (lambda x: np.array([1.0, 2.0]) - x, [np.array([1.0, 5.0])]),
    (lambda x: np.array([[1.0, 2.0]]) @ x, [np.array([1.0, 5.0])]),
    (np.sum, [np.array([1.0, 4.0])]),
    (lambda x: np.sum(x, axis=0, keepdims=True), [np.ones((2, 3))]),
    (lambda x: np.mean(x, axis=1), [np.ones((2, 3))]),
    (lambda x: np.max(x, 0), [np.ones((2, 3))]),
    (np.add.reduce, [np.ones(3)]),
    (np.argmax, [np.array([1.0, 4.0])]),
    (np.dot, [np.ones((2, 3)), np.ones(3)]),
    (np.outer, [np.ones(2), np.ones(3)]),
    (lambda x: np.where(x > 1, x, -x), [np.array([0.5, 2.0])]),
    (lambda x, y: np.concatenate([x, y]), [np.ones(2), np.zeros(1)]),
    (lambda x, y: np.stack([x, y]), [np.ones(2), np.zeros(2)]),
    (lambda x: np.clip(x, 0, 1), [np.array([-1.0, 2.0])]),
    (lambda x: np.reshape(x, (2, 1)), [np.ones(2)]),
    (np.transpose, [np.ones((2, 3))]),
    (np.linalg.norm, [np.array([3.0, 4.0])]),
    (np.linalg.solve, [np.eye(2), np.ones(2)]),
    (np.zeros_like, [np.ones(2)]),
    (np.trace, [np.eye(3)]),
    (np.cumsum, [np.ones(3)]),
    (np.cumprod, [np.ones(3)]),
    (np.round, [np.array([0.5, 1.5])]),
    (lambda x: abs(x) - (-x) + (+x), [np.array([0.5, 1.5])]),
    (lambda x: x // 2 + x % 2 + x**2 + 2**x, [np.array([0.5, 1.5])]),
]


@pytest.mark.parametrize("number", range(len(SPOKEN)))
def test_numpys_functions_and_operators_make_variables(number: int) -> None:
    function, arguments = SPOKEN[number]
    inputs = [tv.tensor(dtype=a.dtype, shape=(None,) * a.ndim) for a in arguments]
    result = function(*inputs)
    assert isinstance(result, tv.Variable)
    same(tv.function(inputs, result)(*arguments), function(*arguments))


def test_numpy_functions_without_a_counterpart_are_errors_that_name_them() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match=r"np\.fft\.fft has no counterpart"):
        np.fft.fft(x)
    with pytest.raises(TypeError, match=r"np\.nextafter has no counterpart"):
        np.nextafter(x, x)
    with pytest.raises(TypeError, match=r"np\.add on a Variable takes no out="):
        np.add(x, x, out=np.zeros(2))
    with pytest.raises(TypeError, match=r"np\.add\.accumulate has no counterpart"):
        np.add.accumulate(x)
    with pytest.raises(TypeError, match="cannot become an ndarray"):
        np.asarray(x)


# ---- completeness ----


def test_every_registered_op_has_a_numpy_perform() -> None:
    from thunkvm._src.arrays.perform import PERFORMS

    made_of_others = {"diag", "dot", "trace"}
    assert set(tv.ops.__all__) - set(PERFORMS) == {"conditional", *made_of_others}


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
