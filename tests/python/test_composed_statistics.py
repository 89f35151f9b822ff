"""Functions that leave NaN out, averages and covariances, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import ARRAYS, alike, call, each_axis, held, refused

import thunkvm as tv

NOT_EMPTY = [a for a in ARRAYS if a.size]


def with_nan(a: np.ndarray) -> np.ndarray:
    """Replace the first element and the last row by NaN, where there can be some."""
    a = a.copy()
    if a.dtype.kind in "fc":
        a.reshape(-1)[0] = np.nan
        a[-1] = np.nan
    return a


@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]
)
def test_without_nan(name: str) -> None:
    for a, axis in each_axis(NOT_EMPTY):
        for keepdims in (False, True):
            alike(name, [with_nan(a)], axis=axis, keepdims=keepdims)
    for a in NOT_EMPTY:
        alike(name, [with_nan(a)])
    for a in [x for x in NOT_EMPTY if x.ndim > 1]:
        alike(name, [with_nan(a)], axis=(0, -1))
    refused(ValueError, "axis 1", lambda x: getattr(tv, name)(x, 1), [1.0])


@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]
)
def test_without_nan_of_some_elements(name: str) -> None:
    initial = {"initial": 2.0} if name in ("nansum", "nanprod", "nanmax", "nanmin") else {}
    a = np.array([[1.0, np.nan, 4.0], [np.nan, np.nan, 3.0]])
    for where in (np.array([True, False, True]), np.array([[False], [True]])):
        for axis in (None, 0, -1, (0, 1)):
            keywords: dict[str, Any] = {"axis": axis, "where": where, "keepdims": axis == 0}
            alike(name, [a], **keywords, **initial)
            alike(name, [a.astype("float32")], **keywords, **initial)
            alike(name, [np.array([[1, 2, 3], [4, 5, 6]])], **keywords, **initial)
    if initial:
        alike(name, [a], axis=1, **initial)
        alike(name, [np.full(2, np.nan)], **initial)
    x = tv.vector("x")
    with pytest.raises(TypeError, match=rf"\[{name}\] where is .*; give bools"):
        getattr(tv, name)(x, where=x)


def test_nanstd_of_equal_numbers_has_the_slope_0() -> None:
    x = tv.vector("x")
    costs = [tv.nanstd(x), tv.std(x, where=tv.logical_not(tv.isnan(x)))]
    for slope in tv.function([x], [tv.grad(cost, x) for cost in costs])([np.nan, 4.0, 4.0]):
        assert slope.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
def test_running_without_nan(name: str) -> None:
    for a, axis in each_axis(ARRAYS):
        alike(name, [with_nan(a) if a.size else a], axis=axis)
    alike(name, [np.array([[1.5, np.nan], [np.nan, 2.0]])])
    tv.verify_grad(lambda x: getattr(tv, name)(x, axis=1), [np.array([[1.5, 2.0], [-1.0, 0.5]])])
    x = tv.vector("x")
    slope = tv.function([x], tv.grad(getattr(tv, name)(x)[-1], x))([2.0, np.nan, 3.0])
    np.testing.assert_allclose(slope, {"nancumsum": [1, 0, 1], "nancumprod": [3, 0, 2]}[name])


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_running_sums_and_products(name: str) -> None:
    for a, axis in each_axis(ARRAYS):
        for include_initial in (False, True):
            alike(name, [a], axis=axis, include_initial=include_initial)
    alike(name, [np.array([2.0, 3.0])], include_initial=True)
    x, s = tv.matrix("x"), tv.scalar("s")
    for given in (x, s):
        with pytest.raises(
            ValueError, match=rf"\[{name}\] x has . axes, and axis = None; name one"
        ):
            getattr(tv, name)(given)
    tv.verify_grad(lambda x: getattr(tv, name)(x, include_initial=True), [np.array([2.0, -3.0])])


def test_count_nonzero() -> None:
    for a, axis in each_axis(ARRAYS):
        alike("count_nonzero", [a], axis=axis, keepdims=True)
    for a in ARRAYS:
        alike("count_nonzero", [a])
    alike("count_nonzero", [np.array([np.nan, -0.0, 1.0])], axis=0)


def test_nansum_and_nanprod_of_nothing_and_of_a_dtype() -> None:
    for name in ("nansum", "nanprod"):
        alike(name, [np.zeros((0, 3))], axis=0)
        alike(name, [np.array([1, 2], "int8")], dtype="float32")
    refused(ValueError, "max|empty|identity", tv.nanmax, np.zeros((0,)))


@pytest.mark.parametrize("ddof", [0, 1, 2, 9])
def test_nanvar_with_ddof(ddof: int) -> None:
    for name in ("nanvar", "nanstd"):
        alike(name, [np.array([[1.0, np.nan, 4.0], [np.nan, 2.0, np.nan]])], axis=1, ddof=ddof)


@pytest.mark.parametrize("keywords", [{}, {"nan": 3}, {"posinf": 5, "neginf": -2.5}])
def test_nan_to_num(keywords: Any) -> None:
    for dtype in ("float16", "float32", "float64", "complex64", "complex128"):
        alike("nan_to_num", [np.array([1.5, np.nan, np.inf, -np.inf], dtype)], **keywords)
    alike("nan_to_num", [np.array([1, 2])], **keywords)
    alike("nan_to_num", [np.array([complex(np.nan, 1), complex(2, -np.inf)])], **keywords)


def test_ptp() -> None:
    for a, axis in each_axis([x for x in NOT_EMPTY if x.dtype.kind != "b"]):
        for keepdims in (False, True):
            alike("ptp", [a], axis=axis, keepdims=keepdims)
    held(lambda x: x.ptp(), np.ptp, np.eye(3))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("returned", [False, True])
def test_average(keepdims: bool, returned: bool) -> None:
    options = {"keepdims": keepdims, "returned": returned}
    for a, axis in each_axis(NOT_EMPTY):
        weights = np.arange(1.0, a.size + 1).reshape(a.shape)
        for w in (None, weights, np.arange(1, a.shape[axis] + 1, dtype="int32")):
            held(
                lambda x, i=axis, w=w: tv.average(x, i, w, **options),
                lambda x, i=axis, w=w: np.average(x, i, w, **options),
                a,
            )
    for a in NOT_EMPTY:
        alike("average", [a], None, np.ones(a.shape, "float32"), **options)
    a = np.arange(24.0).reshape(2, 3, 4)
    alike("average", [a], (2, 0), np.arange(1.0, 9.0).reshape(4, 2), **options)
    alike("average", [a], (0, 1), **options)


def test_average_refuses_bad_input() -> None:
    a = np.ones((2, 3))
    refused(
        ValueError,
        r"\[average\] weights is .*2 are averaged",
        lambda x: tv.average(x, None, [1]),
        a,
    )
    refused(ValueError, "broadcast", lambda x: tv.average(x, 1, [1.0, 2.0]), a)


@pytest.mark.parametrize("rowvar", [True, False])
@pytest.mark.parametrize("ddof", [None, 0, 1])
def test_cov(rowvar: bool, ddof: int | None) -> None:
    for a in [x for x in NOT_EMPTY if x.ndim < 3 and x.size > 1]:
        alike("cov", [a], rowvar=rowvar, ddof=ddof)
        alike("cov", [a, a * a], rowvar=rowvar, bias=True)
        alike("cov", [a], rowvar=rowvar, ddof=9)
        count = a.shape[-1 if rowvar or a.ndim == 1 else 0]
        often, weights = np.arange(1, count + 1), np.linspace(1.0, 2.0, count)
        alike("cov", [a], rowvar=rowvar, ddof=ddof, fweights=often)
        alike("cov", [a], rowvar=rowvar, ddof=ddof, aweights=weights)
        alike("cov", [a], rowvar=rowvar, ddof=ddof, fweights=often, aweights=weights)


@pytest.mark.parametrize("rowvar", [True, False])
def test_corrcoef(rowvar: bool) -> None:
    for a in [np.float32([[1, 4, 2], [3, 1, 7]]), ARRAYS[0], ARRAYS[3], ARRAYS[5]]:
        alike("corrcoef", [a], rowvar=rowvar)
        alike("corrcoef", [a, a * a], rowvar=rowvar)
    alike("corrcoef", [np.eye(3)], dtype="float32")


def test_corrcoef_is_at_most_1() -> None:
    a = np.array([[4.0, 7.0, 6.0], [13.0, 22.0, 19.0]])  # whose quotient is 1 + 2**-52
    (result,) = call("py", tv.corrcoef, [a], known=True)
    assert result.max() == 1.0


def test_cov_refuses_bad_input() -> None:
    refused(ValueError, r"\[cov\] m is .*3 axes; give a matrix", tv.cov, np.ones((1, 1, 1)))
    refused(ValueError, "broadcast", lambda x: tv.cov(x, aweights=[1.0, 2.0]), np.eye(3))


def test_statistics_in_c() -> None:
    a, fast = np.array([[1.0, np.nan, 4.0], [0.5, 2.0, -1.0]]), ["FAST_RUN"]
    held(tv.nanmean, np.nanmean, a, modes=fast)
    held(tv.nanvar, np.nanvar, a, modes=fast)
    held(tv.nanmax, np.nanmax, a, modes=fast)
    held(lambda x: tv.cov(x), lambda x: np.cov(x), np.nan_to_num(a), modes=fast)


def test_gradients_of_statistics() -> None:
    a = np.array([[1.0, 3.0, 4.0], [0.5, 2.0, -1.0]])
    tv.verify_grad(lambda x: tv.nanvar(x, 1), [a])
    tv.verify_grad(lambda x: tv.ptp(x, 1), [a])
    tv.verify_grad(lambda x, w: tv.average(x, 1, w), [a, a[0]])
    tv.verify_grad(tv.cov, [a])
    tv.verify_grad(lambda x: tv.corrcoef(x)[0, 1], [a])


def test_gradient_of_nansum_is_0_at_nan() -> None:
    x = tv.vector("x")
    gradient = tv.function([x], tv.grad(tv.nansum(x**2), x))([1.0, np.nan, 3.0])
    assert gradient[[0, 2]].tolist() == [2.0, 6.0]
