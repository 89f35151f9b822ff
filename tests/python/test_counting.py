"""Bins, counts and elements that differ, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from against_numpy import against_numpy, run, same

import thunkvm as tv

MODES = ["py", "cvm", "FAST_RUN"]
draw = np.random.default_rng(0)
M, V, N = tv.matrix("m"), tv.vector("v"), tv.lvector("n")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_equals_numpys(mode: str, side: str) -> None:
    a = np.array([1.0, 2.0, 2.0, 5.0, np.nan])
    for v in (2.0, [0.0, 2.0, 3.0, 9.0, np.nan], np.zeros((2, 0)), draw.normal(size=(2, 3))):
        against_numpy(
            mode,
            lambda a, v: tv.searchsorted(a, v, side),
            lambda a, v: np.searchsorted(a, v, side),
            a,
            v,
        )
    shuffled, sorter = a[[3, 0, 4, 2, 1]], np.array([1, 3, 4, 0, 2])
    got = run(mode, lambda a, v, s: a.searchsorted(v, side, s), shuffled, [2.0, 6.0], sorter)
    same(got, np.searchsorted(shuffled, [2.0, 6.0], side, sorter))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("bins", [[0.0, 1.0, 1.0, 3.0], [3.0, 1.0, 0.0], [1.0], [2.0, 2.0], []])
def test_digitize_equals_numpys_in_bins_that_rise_and_fall(
    mode: str, right: bool, bins: list[float]
) -> None:
    x = np.array([[-1.0, 0.0, 0.5], [1.0, 2.0, 3.0], [4.0, np.inf, -np.inf]])
    wanted = np.digitize(x, np.array(bins, float), right)
    same(run(mode, lambda v: tv.digitize(v, np.array(bins, float), right), x), wanted)
    same(run(mode, lambda v, b: tv.digitize(v, b, right), x, np.array(bins, float)), wanted)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("x", [[1, 3, 1, 0], [], [7]])
def test_bincount_equals_numpys(mode: str, x: list[int]) -> None:
    x = np.array(x, "int64")
    against_numpy(mode, tv.bincount, np.bincount, x)
    against_numpy(mode, tv.bincount, np.bincount, x.astype("uint8"))
    wanted = np.bincount(x, minlength=5)
    same(run(mode, lambda v: tv.bincount(v, minlength=5), x), wanted)
    same(run(mode, lambda v, n: tv.bincount(v, minlength=n), x, 5), wanted)
    if not x.size:
        return  # NumPy counts no weights in int64
    w = draw.normal(size=x.shape)
    same(run(mode, lambda v, w: tv.bincount(v, w), x, w), np.bincount(x, w))
    integers = np.arange(x.size)
    same(run(mode, lambda v, w: tv.bincount(v, w), x, integers), np.bincount(x, integers))


@pytest.mark.parametrize("mode", MODES)
def test_bincount_refuses_negative_elements_in_the_call(mode: str) -> None:
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        run(mode, tv.bincount, [2, -1])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("bins", "more"),
    [
        (10, {}),
        (3, {"range": (-1.0, 1.0)}),
        (4, {"density": True}),
        ([-1.0, 0.0, 0.0, 2.0], {}),
        ([-1.0, 0.5, 2.0], {"density": True}),
        (1, {"range": (0.5, 0.5)}),
    ],
)
def test_histogram_equals_numpys(mode: str, bins: Any, more: dict[str, Any]) -> None:
    for x in (draw.normal(size=(5, 6)), np.array([0.5, 0.5]), np.array([-1.0, 1.0, 2.0, 0.0])):
        if more.get("density") and x.size < 3 and bins == 4:
            continue
        weights = draw.normal(size=x.shape)
        got = run(mode, lambda v, b=bins, m=more: list(tv.histogram(v, b, **m)), x)
        for ours, theirs in zip(got, np.histogram(x, bins, **more), strict=True):
            same(ours, theirs)
        got = run(
            mode, lambda v, w, b=bins, m=more: tv.histogram(v, b, weights=w, **m)[0], x, weights
        )
        np.testing.assert_allclose(
            got, np.histogram(x, bins, weights=weights, **more)[0], rtol=1e-12, atol=1e-12
        )
        edges = tv.function([], tv.histogram_bin_edges(x, bins, more.get("range")), mode=mode)()
        same(edges, np.histogram_bin_edges(x, bins, more.get("range")))


@pytest.mark.parametrize("mode", MODES)
def test_histogram_takes_bins_in_the_call_and_nothing_to_count(mode: str) -> None:
    x = draw.normal(size=9)
    for ours, theirs in zip(
        run(mode, lambda v, n: list(tv.histogram(v, n)), x, 4), np.histogram(x, 4), strict=True
    ):
        same(ours, theirs)
    for ours, theirs in zip(
        run(mode, lambda v: list(tv.histogram(v, 3)), np.zeros(0)),
        np.histogram(np.zeros(0), 3),
        strict=True,
    ):
        same(ours, theirs)
    integers = np.arange(10)
    same(run(mode, lambda v: tv.histogram(v, 3)[0], integers), np.histogram(integers, 3)[0])


def test_counts_have_gradients() -> None:
    rng, x = np.random.default_rng(0), np.array([0.1, 0.9, 1.7, 2.4])
    tv.verify_grad(lambda w: tv.bincount([0, 2, 0, 1], w), [x], rng=rng)
    tv.verify_grad(lambda w: tv.histogram(x, 3, weights=w)[0], [x], rng=rng)
    tv.verify_grad(lambda v: tv.unique(v), [x[::-1].copy()], rng=rng)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "x",
    [np.array([[0.0, 2.0, np.nan], [3.0, 0.0, -0.0]]), np.zeros(3), np.ones(2), np.zeros((2, 0))],
)
def test_nonzero_argwhere_and_flatnonzero_equal_numpys(mode: str, x: Any) -> None:
    against_numpy(mode, tv.flatnonzero, np.flatnonzero, x)
    against_numpy(mode, tv.argwhere, np.argwhere, x)
    against_numpy(mode, lambda v: v > 0, lambda v: v > 0, x)
    for ours, theirs in zip(run(mode, lambda v: list(v.nonzero()), x), x.nonzero(), strict=True):
        same(ours, theirs)
    same(run(mode, lambda v: v[tv.nonzero(v)], x), x[np.nonzero(x)])
    against_numpy(mode, tv.argwhere, np.argwhere, 5.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float64", "int32", "bool", "complex64"])
def test_unique_equals_numpys(mode: str, dtype: str) -> None:
    for x in (np.array([[3, 1, 3], [1, 1, 0]], dtype), np.zeros(0, dtype), np.ones((), dtype)):
        got = run(mode, lambda v: list(tv.unique(v, True, True, True)), x)
        for ours, theirs in zip(got, np.unique(x, True, True, True), strict=True):
            same(ours, theirs)
        same(run(mode, tv.unique, x), np.unique(x))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique_takes_nan_for_one_element_or_for_many(mode: str, equal_nan: bool) -> None:
    x = np.array([np.nan, 1.0, np.nan, 1.0])
    got = run(mode, lambda v: tv.unique(v, return_counts=True, equal_nan=equal_nan)[1], x)
    same(got, np.unique(x, return_counts=True, equal_nan=equal_nan)[1])


@pytest.mark.parametrize(
    ("mistake", "error", "told"),
    [
        (lambda: tv.searchsorted(M, 1.0), ValueError, "[searchsorted] a has to be a vector, but"),
        (lambda: tv.searchsorted(V, 1.0, "up"), ValueError, "side = 'up', but it has to be 'lef"),
        (lambda: tv.digitize(V, [0, 2, 1]), ValueError, "[digitize] bins have to rise or to fall"),
        (lambda: tv.bincount(V), TypeError, "[bincount] x has to be of integers, but it is"),
        (lambda: tv.bincount(N, minlength=-1), ValueError, "[bincount] minlength = -1, but it"),
        (lambda: tv.histogram(V, "auto"), TypeError, "[histogram] bins = 'auto'; give the number"),
        (lambda: tv.histogram(V, 0), ValueError, "[histogram] bins = 0, but there has to be at"),
        (lambda: tv.histogram(V, [1, 0]), ValueError, "[histogram] bins are edges that fall"),
        (lambda: tv.histogram(V, 2, (1, 0)), ValueError, "range = (1, 0) ends before it begins"),
        (lambda: tv.histogram(V, 2.5), TypeError, "[histogram] bins is 2.5; give the number"),
        (lambda: tv.nonzero(V[0]), ValueError, "is 0-d; write x[None] for a vector"),
    ],
)
def test_counting_tells_what_is_wrong(
    mistake: Callable[[], Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error) as raised:
        mistake()
    assert told in str(raised.value)
