"""Medians and quantiles in all methods, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from against_numpy import expect, run, same
from held_to_numpy import held

import thunkvm as tv
from thunkvm._src.arrays.composed.quantiles import METHODS

MODES = ["py", "cvm", "FAST_RUN"]
INF = np.inf
OVER = [(1, False), ((0, -1), True), (None, False), (None, True)]
draw = np.random.default_rng(0).normal


def test_the_methods_of_quantiles_are_numpys() -> None:
    import numpy.lib._function_base_impl as theirs

    assert set(METHODS) == set(theirs._QuantileMethods)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("q", [0.0, 0.3, 1.0, np.array([0.0, 0.25, 0.5, 0.6, 0.99, 1.0])])
def test_quantile_equals_numpys(method: str, dtype: str, q: Any) -> None:
    for n in (1, 2, 5, 8):
        x = (draw(size=(3, n, 2)) * 4).astype(dtype)
        for axis, keepdims in OVER:
            over = {"axis": axis, "method": method, "keepdims": keepdims}
            wanted = expect(lambda v, q=q, over=over: np.quantile(v, q, **over), x)
            same(run("cvm", lambda v, q=q, over=over: tv.quantile(v, q, **over), x), wanted)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("axis", "keepdims"), OVER)
def test_quantiles_are_nan_where_an_element_is_or_leave_nan_out(
    mode: str, axis: Any, keepdims: bool
) -> None:
    x = draw(size=(3, 5, 2))
    x[0, 0, 0] = x[1, 2, 1] = np.nan
    x[2, :, 1] = np.nan
    over = {"axis": axis, "keepdims": keepdims}
    for ours, theirs in [
        (lambda v: tv.median(v, **over), lambda v: np.median(v, **over)),
        (lambda v: tv.nanmedian(v, **over), lambda v: np.nanmedian(v, **over)),
        (lambda v: tv.quantile(v, 0.3, **over), lambda v: np.quantile(v, 0.3, **over)),
        (
            lambda v: tv.percentile(v, [30, 60], **over),
            lambda v: np.percentile(v, [30, 60], **over),
        ),
        (
            lambda v: tv.nanquantile(v, [0.3, 0.6], **over, method="hazen"),
            lambda v: np.nanquantile(v, [0.3, 0.6], **over, method="hazen"),
        ),
        (
            lambda v: tv.nanpercentile(v, 30, **over),
            lambda v: np.nanpercentile(v, 30, **over),
        ),
    ]:
        same(run(mode, ours, x), expect(theirs, x))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32", "complex128"])
def test_median_equals_numpys(mode: str, dtype: str) -> None:
    for n in (0, 1, 2, 5, 6):
        x = (draw(size=(3, n)) * 9).astype(dtype)
        same(run(mode, lambda v: tv.median(v, 1), x), expect(lambda v: np.median(v, 1), x))
        same(run(mode, lambda v: tv.median(v.T, 0), x), expect(lambda v: np.median(v, 1), x))
    infinite = np.array([np.inf, 1.0, np.inf])
    same(run(mode, tv.median, infinite), np.median(infinite))


@pytest.mark.parametrize("mode", MODES)
def test_a_quantile_may_be_asked_for_in_the_call(mode: str) -> None:
    x = draw(size=(4, 3))
    for q in (0.3, np.array([0.2, 0.9]), np.array([[0.2], [0.9]])):
        got = run(mode, lambda v, q: tv.quantile(v, q, axis=0), x, q)
        same(got, np.quantile(x, np.ravel(q), axis=0).reshape((*np.shape(q), 3)))
    outside = run(mode, lambda v, q: tv.quantile(v, q), x, np.array([-0.1, 0.5, 1.1]))
    same(outside, np.array([np.nan, np.median(x), np.nan]))


#: Elements, q, the quantile, and its gradients to the elements and to q. NumPy's value is NaN, but
#: for the last three.
INFINITE: list[tuple[list[float], float, float, list[float], float]] = [
    ([INF, INF], 0.25, INF, [1, 0], 0),
    ([INF], 0.5, INF, [1], 0),
    ([1, INF], 0.0, 1, [1, 0], 0),
    ([1, INF], 0.75, INF, [0.25, 0.75], INF),
    ([-INF, 1], 0.25, -INF, [0.75, 0.25], INF),
    ([-INF, INF], 0.0, -INF, [1, 0], 0),
    ([-INF, INF], 1.0, INF, [0, 1], 0),
    ([1, 2, INF], 0.5, 2, [0, 1, 0], 0),
    ([1, INF], 0.25, INF, [0.75, 0.25], INF),
    ([-INF, 1], 0.75, -INF, [0.25, 0.75], INF),
    ([-INF, 1], 1.0, 1, [0, 1], 0),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("x", "q", "value", "to_x", "to_q"), INFINITE)
def test_an_infinite_element_of_no_weight_does_not_count(
    x: list[float], q: float, value: float, to_x: list[float], to_q: float, mode: str
) -> None:
    v, at = tv.vector("v"), tv.scalar("q")
    quantile = tv.quantile(v, at)
    found = tv.function([v, at], [quantile, *tv.grad(quantile, [v, at])], mode=mode)(x, q)
    for each, wanted in zip(found, (value, to_x, to_q), strict=True):
        np.testing.assert_array_equal(each, wanted)
    numpys = expect(np.quantile, x, np.float64(q))
    assert np.isnan(numpys) or numpys == value


def test_a_quantile_at_an_element_has_the_slope_above_it_and_the_largest_that_below() -> None:
    q = tv.vector("q")
    slope = tv.function([q], tv.grad(tv.sum(tv.quantile([1.0, 2.0, 5.0, 5.0], q)), q))
    np.testing.assert_allclose(slope([0.0, 1 / 6, 1 / 3, 0.5, 1.0]), [3.0, 3.0, 9.0, 9.0, 0.0])


def test_the_nan_among_the_elements_has_the_gradient_of_a_quantile() -> None:
    v = tv.vector("v")
    for quantile in (tv.median(v), tv.quantile(v, 0.3), tv.quantile(v, 0.3, method="lower")):
        slope = tv.function([v], tv.grad(quantile, v))
        np.testing.assert_array_equal(slope([1.0, np.nan, 2.0]), [0.0, 1.0, 0.0])


def test_equal_neighbours_share_the_gradient_of_a_quantile_by_their_weights() -> None:
    v = tv.vector("v")
    slope = tv.function([v], tv.grad(tv.quantile(v, 0.25), v))
    np.testing.assert_array_equal(slope([2.0, 2.0]), [0.75, 0.25])


@pytest.mark.parametrize("method", METHODS)
def test_quantiles_have_gradients(method: str) -> None:
    x, rng = draw(size=(3, 5)), np.random.default_rng(0)
    tv.verify_grad(lambda v: tv.quantile(v, [0.1, 0.37, 0.9], 1, method=method), [x], rng=rng)
    tv.verify_grad(lambda v: tv.nanquantile(v, 0.37, 0, method=method), [x], rng=rng)


def test_quantile_has_a_gradient_to_q_and_median_one_to_the_middle() -> None:
    x, rng = draw(size=(3, 5)), np.random.default_rng(0)
    tv.verify_grad(lambda v, q: tv.quantile(v, q, axis=1), [x, np.array([0.1, 0.4])], rng=rng)
    tv.verify_grad(lambda v: tv.median(v, 1), [x], rng=rng)
    v = tv.vector("v")
    gradient = tv.function([v], tv.grad(tv.median(v), v))
    np.testing.assert_array_equal(gradient([3.0, 1.0, 2.0, 7.0]), [0.5, 0.0, 0.5, 0.0])
    ignoring = tv.function([v], tv.grad(tv.nanmedian(v), v))
    np.testing.assert_array_equal(ignoring([3.0, np.nan, 2.0]), [0.5, 0.0, 0.5])


@pytest.mark.parametrize(
    ("mistake", "error", "told"),
    [
        (lambda x: tv.quantile(x, 1.5), ValueError, "[quantile] q = 1.5, but it has to be from 0"),
        (lambda x: tv.percentile(x, [-1]), ValueError, "[percentile] q = [-1], but it has to be"),
        (lambda x: tv.quantile(x, 0.5, method="l"), ValueError, "[quantile] method = 'l', but it"),
        (lambda x: tv.median(x, 3), ValueError, "[median] axis: axis 3 is out of bounds"),
        (lambda x: tv.quantile(x > 0, 0.5), TypeError, "is of bools, which have no quantiles"),
        (lambda x: tv.quantile(x * 1j, 0.5), TypeError, "is complex; there are quantiles of real"),
    ],
)
def test_quantiles_tell_what_is_wrong(
    mistake: Callable[[Any], Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error) as raised:
        mistake(tv.matrix("x"))
    assert told in str(raised.value)


def test_a_quantile_of_nothing_is_an_error_in_the_call() -> None:
    with pytest.raises(IndexError):
        run("cvm", lambda v: tv.quantile(v, 0.5), np.zeros(0))


@pytest.mark.parametrize("method", ["linear", "lower", "weibull"])
def test_quantiles_of_no_numbers_are_nan(method: str) -> None:
    for shape in ((0, 3), (2, 0)):
        for axis in (None, 0, 1, (0, 1)):
            empty = np.zeros(shape)
            held(lambda v, i=axis: tv.nanmedian(v, i), lambda v, i=axis: np.nanmedian(v, i), empty)
            held(
                lambda v, i=axis: tv.nanquantile(v, 0.5, i, method=method),
                lambda v, i=axis: np.nanquantile(v, 0.5, i, method=method),
                empty,
            )
    # NumPy leaves the axis of the quantiles out here.
    v = tv.matrix("v")
    both = tv.function([v], tv.nanquantile(v, [0.0, 1.0], 0, method=method))(np.zeros((0, 3)))
    np.testing.assert_array_equal(both, np.full((2, 3), np.nan))
