"""Reductions in every mode, held against NumPy: values, dtypes, axes, edge values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from against_numpy import (
    COMPLEX,
    DTYPES,
    INTEGERS,
    MODES,
    against_numpy,
    run,
    same,
    values,
)

import thunkvm as tv

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
def test_unbroadcast_to_its_own_shape_keeps_the_signs_of_zeros(mode: str) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.ops.unbroadcast(x, tv.ops.shape(x)), mode=mode)
    assert np.signbit(f([-0.0, 0.0])).tolist() == [True, False]


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


@pytest.mark.parametrize(
    "ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or]
)
def test_reduce_of_a_ufunc_takes_numpys_axes(ufunc: np.ufunc) -> None:
    rows = np.array([[1.0, 5.0, 0.0], [4.0, 2.0, 0.0]])
    m, v, s = tv.matrix("m"), tv.vector("v"), tv.scalar("s")
    inputs = [(m, rows), (v, rows[0]), (s, 3.0)]
    outputs, expected = [], []
    for variable, value in inputs:
        outputs += [ufunc.reduce(variable), ufunc.reduce(variable, axis=None)]
        expected += [ufunc.reduce(value), ufunc.reduce(value, axis=None)]
    outputs += [ufunc.reduce(m, 1), ufunc.reduce(m, axis=(0, 1)), ufunc.reduce(m, keepdims=True)]
    expected += [ufunc.reduce(rows, 1), ufunc.reduce(rows, axis=(0, 1))]
    expected += [ufunc.reduce(rows, keepdims=True)]
    for got, value in zip(
        tv.function([m, v, s], outputs)(rows, rows[0], 3.0), expected, strict=True
    ):
        assert np.shape(got) == np.shape(value)
        np.testing.assert_array_equal(got, value)


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c", "c|py", "FAST_RUN"])
def test_logsumexp_and_norms_of_nothing_have_a_value(mode: Any) -> None:
    x, w, n = tv.vector("x"), tv.matrix("w"), tv.lvector("n")
    outputs = [
        tv.logsumexp(x),
        tv.logsumexp(w, axis=0),
        tv.logsumexp(n),
        tv.norm(x, np.inf),
        tv.norm(w, np.inf, axis=0),
        tv.grad(tv.logsumexp(x), x),
        tv.grad(tv.norm(x, np.inf), x),
    ]
    found = tv.function([x, w, n], outputs, mode=mode)([], np.ones((0, 2)), [])
    expected = [-np.inf, [-np.inf] * 2, -np.inf, 0.0, [0.0, 0.0], [], []]
    assert [np.asarray(value).tolist() for value in found] == expected


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float16", "float64", "complex128"])
def test_the_extremum_of_nothing_is_an_error_or_what_all_take_the_place_of(
    mode: Any, dtype: str
) -> None:
    x = tv.TensorType(dtype, (None,))("x")
    empty, some = np.zeros(0, dtype), np.array([1, 0, 1], dtype)
    for op, largest in ((tv.ops.max, True), (tv.ops.min, False)):
        f = tv.function([x], op(x, or_identity=True), mode=mode)
        assert f(some) == (1 if largest else 0)
        nothing = f(empty)
        for value in some:
            assert (np.maximum if largest else np.minimum)(nothing, value) == value
        with pytest.raises(ValueError, match="zero-size array"):
            tv.function([x], op(x), mode=mode)(empty)


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_of_floats_are_as_accurate_along_every_axis(mode: Any, axis: Any, order: Any) -> None:
    n = 4096
    half, single = tv.TensorType("float16", (None, None)), tv.TensorType("float32", (None, None))
    h, s = half("h"), single("s")
    outputs = [tv.sum(h, axis), tv.mean(h, axis), tv.mean(s, axis), tv.var(s, axis)]
    f = tv.function([h, s], outputs, mode=mode)
    ones = np.ones((n, 2) if axis == 0 else (2, n), "float16", order=order)
    thirds = np.asarray(np.full((2 * n, 300), 1 / 3, "float32"), order=order)
    total, of_ones, of_thirds, spread = f(ones, thirds)
    assert np.all(total == (2 * n if axis is None else n))
    assert np.all(of_ones == 1)
    np.testing.assert_allclose(of_thirds, np.float32(1 / 3), rtol=1e-6)
    assert np.all(np.abs(spread) < 1e-12)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_product_of_float16_is_rounded_once(mode: Any) -> None:
    x = tv.TensorType("float16", (None, None))("x")
    f = tv.function([x], [tv.prod(x, 0), tv.prod(x)], mode=mode)
    along, whole = f(np.array([[300.0, 2.0], [300.0, 2.0], [0.001, 0.25]], "float16"))
    assert along.tolist() == [np.float16(300.0 * 300.0 * np.float32(np.float16(0.001))), 1.0]
    assert whole == along[0]


@pytest.mark.parametrize("mode", ["DebugMode", "c&py"])
def test_modes_that_compare_find_nothing_wrong_with_a_sum_along_a_slow_axis(mode: str) -> None:
    x = tv.TensorType("float32", (None, None))("x")
    f = tv.function([x], [tv.sum(x, 0), tv.mean(x, 0)], mode=mode)
    total, mean = f(np.full((100_000, 3), 0.1, "float32"))
    np.testing.assert_allclose(total, 10_000.0, rtol=1e-6)
    np.testing.assert_allclose(mean, 0.1, rtol=1e-6)
