"""Gradients of what a selection did not take: 0, whatever the slope there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

INF, NAN = np.inf, np.nan
MODES = ["py", "FAST_COMPILE", "FAST_RUN"]


def slope(build: Callable[[tv.Variable], tv.Variable], at: Any, mode: str, order: int = 1) -> Any:
    x = tv.vector("x")
    gradient = tv.grad(tv.sum(build(x)), x)
    for _ in range(order - 1):
        gradient = tv.grad(tv.sum(gradient), x)
    return tv.function([x], gradient, mode=mode)(np.array(at))


CUT: dict[str, tuple[Callable[[Any], Any], list[float], list[float]]] = {
    "log": (lambda x: tv.where(x > 0, tv.log(x), 0.0), [-1.0, 0.0, 2.0], [0.0, 0.0, 0.5]),
    "log on the other side": (
        lambda x: tv.where(x <= 0, 0.0, tv.log(x)),
        [-1.0, 0.0, 2.0],
        [0.0, 0.0, 0.5],
    ),
    "sqrt of a sum": (
        lambda x: tv.where(x > 0, tv.sqrt(x + x), 0.0),
        [0.0, 2.0],
        [0.0, 0.5],
    ),
    "x log x, of which two ways lead to x": (
        lambda x: tv.where(x > 0, x * tv.log(x), 0.0),
        [0.0, 1.0],
        [0.0, 1.0],
    ),
    "two selections of a function": (
        lambda x: tv.where(x > 0, tv.log(x), 0.0) + tv.where(x > 1, tv.log(x), 0.0),
        [0.0, 0.5, 2.0],
        [0.0, 2.0, 1.0],
    ),
    "a selection in a selection": (
        lambda x: tv.where(x > 1, tv.where(x < 3, 1.0 / (x - 1.0), 0.0), 0.0),
        [1.0, 2.0, 3.0],
        [0.0, -1.0, 0.0],
    ),
    "a function of a selection": (
        lambda x: tv.exp(tv.where(x > 0, tv.log(x), 0.0)),
        [0.0, 2.0],
        [0.0, 1.0],
    ),
    "a condition that is broadcast": (
        lambda x: tv.where(x > 0, tv.log(tv.stack([x, x])), 0.0),
        [0.0, 2.0],
        [0.0, 1.0],
    ),
    "an element": (lambda x: tv.sqrt(x)[0], [4.0, 0.0], [0.25, 0.0]),
    "a slice of a function": (
        lambda x: 2.0 * tv.log(x)[:2] + 1.0,
        [1.0, 2.0, 0.0],
        [2.0, 1.0, 0.0],
    ),
    "a slice of a function of it": (lambda x: (tv.sqrt(x) * 2.0)[1:], [0.0, 4.0], [0.0, 0.5]),
    "elements by their positions": (lambda x: (1.0 / x)[[1, 1]], [0.0, 1.0], [0.0, -2.0]),
    "elements by a mask": (lambda x: tv.log(x)[x > 0], [0.0, 2.0], [0.0, 0.5]),
    "maximum": (lambda x: tv.maximum(1.0, tv.sqrt(x)), [0.0, 4.0], [0.0, 0.25]),
    "minimum": (lambda x: tv.minimum(1.0 / x, 2.0), [0.0, 1.0], [0.0, -1.0]),
    "a maximum over an axis": (lambda x: tv.max(tv.sqrt(x)), [1.0, 0.0, 4.0], [0.0, 0.0, 0.25]),
    "a minimum over an axis": (lambda x: tv.min(1.0 / x), [0.0, 2.0, 1.0], [0.0, -0.25, 0.0]),
    "a sum of rows": (
        lambda x: tv.sum(tv.log(tv.stack([x, x[::-1]], axis=1)), axis=1)[:1],
        [1.0, 2.0],
        [1.0, 0.5],
    ),
    "a reshaped function": (
        lambda x: tv.reshape(tv.log(x), (1, 2))[0, 1:],
        [0.0, 4.0],
        [0.0, 0.25],
    ),
    "sorted elements": (lambda x: tv.sort(tv.sqrt(x))[1:], [0.0, 4.0], [0.0, 0.25]),
    "the largest ones": (lambda x: tv.topk(tv.sqrt(x), 1)[0], [0.0, 4.0], [0.0, 0.25]),
    "a median": (lambda x: tv.median(tv.log(x)), [0.0, 1.0, 2.0], [0.0, 1.0, 0.0]),
    "elements along an axis": (
        lambda x: tv.take_along_axis(tv.sqrt(x), np.array([1]), 0),
        [0.0, 4.0],
        [0.0, 0.25],
    ),
    "elements that are overwritten": (
        lambda x: tv.sqrt(x)[:1].set(1.0),
        [0.0, 4.0],
        [0.0, 0.25],
    ),
    "a part of a concatenation": (
        lambda x: tv.concatenate([tv.sqrt(x), x])[2:],
        [0.0, 4.0],
        [1.0, 1.0],
    ),
    "a part of a stack": (lambda x: tv.stack([tv.log(x), x])[1], [0.0, 4.0], [1.0, 1.0]),
    "rolled elements": (lambda x: tv.roll(tv.sqrt(x), 1)[:1], [0.0, 4.0], [0.0, 0.25]),
    "a padded function": (lambda x: tv.pad(tv.log(x), 1)[2:3], [0.0, 4.0], [0.0, 0.25]),
    "a triangle": (
        lambda x: tv.triu(tv.log(tv.stack([x, x])), 1)[0],
        [0.0, 4.0],
        [0.0, 0.25],
    ),
    "a running sum": (lambda x: tv.cumsum(tv.log(x))[:2], [1.0, 2.0, 0.0], [2.0, 0.5, 0.0]),
    "clip": (lambda x: tv.clip(tv.log(x), -1.0, 1.0), [0.0, 1.0, 9.0], [0.0, 1.0, 0.0]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CUT)
def test_what_is_not_taken_has_the_slope_0(case: str, mode: str) -> None:
    build, at, expected = CUT[case]
    np.testing.assert_array_equal(slope(build, at, mode), expected)


@pytest.mark.parametrize("mode", MODES)
def test_a_second_derivative_is_cut_where_the_first_one_is(mode: str) -> None:
    build, at, _ = CUT["log"]
    np.testing.assert_array_equal(slope(build, at, mode, order=2), [0.0, 0.0, -0.25])


@pytest.mark.parametrize("mode", MODES)
def test_a_maximum_of_nan_is_the_nan_that_was_taken(mode: str) -> None:
    found = slope(lambda x: tv.max(2.0 * x), [1.0, NAN, 3.0], mode)
    np.testing.assert_array_equal(found, [0.0, 2.0, 0.0])


@pytest.mark.parametrize("mode", MODES)
def test_an_infinite_slope_of_what_is_taken_stays(mode: str) -> None:
    found = slope(lambda x: tv.where(x >= 0, tv.sqrt(x), 0.0), [-1.0, 0.0, 4.0], mode)
    np.testing.assert_array_equal(found, [0.0, INF, 0.25])


@pytest.mark.parametrize("mode", MODES)
def test_a_gradient_of_0_is_no_cut(mode: str) -> None:
    # Both elements are taken; the second one's cotangent happens to be 0.
    weights = tv.constant(np.array([1.0, 0.0]))
    found = slope(lambda x: tv.sqrt(x) * weights, [4.0, 0.0], mode)
    np.testing.assert_array_equal(found, [0.25, NAN])


def test_a_tangent_is_cut_too() -> None:
    x, v = tv.vector("x"), tv.vector("v")
    f = tv.function([x, v], tv.jvp(tv.where(x > 0, tv.log(x), 0.0), x, v))
    np.testing.assert_array_equal(f([0.0, 2.0], [1.0, 1.0]), [0.0, 0.5])
