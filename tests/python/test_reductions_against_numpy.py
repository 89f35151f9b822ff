"""Reductions in every mode, held against NumPy: values, dtypes, axes, edge values."""

from __future__ import annotations

import math

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
