"""Derivatives where elements are equal: forward and reverse agree, and give one of the slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

NAN = np.nan
TIED = np.array([[2.0, 2.0, 1.0], [0.0, -0.0, 0.0], [1.0, 2.0, 2.0]])
OTHER = np.array([[2.0, 1.0, 1.0], [0.0, 0.0, -0.0], [3.0, 2.0, 0.0]])

ELEMENTWISE: dict[str, Callable[[Any, Any], Any]] = {
    "maximum": tv.maximum,
    "minimum": tv.minimum,
    "clip_low": lambda x, y: tv.clip(x, y, 5.0),
    "clip_high": lambda x, y: tv.clip(x, -5.0, y),
    "clip_between": lambda x, y: tv.clip(x, y, y),
}
REDUCTIONS: dict[str, Callable[[Any], Any]] = {
    "max": tv.max,
    "min": tv.min,
    "max_rows": lambda x: tv.max(x, axis=1),
    "min_columns": lambda x: tv.min(x, axis=0, keepdims=True),
    "max_initial": lambda x: tv.max(x, axis=1, initial=2.0),
    "min_initial": lambda x: tv.min(x, axis=0, initial=0.0),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_forward_and_reverse_agree_where_two_operands_are_equal(name: str) -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    f = ELEMENTWISE[name](x, y)
    u, v = tv.matrix("u"), tv.matrix("v")
    for wrt in x, y:
        forward = tv.function([x, y, v], tv.jvp(f, wrt, v))
        reverse = tv.function([x, y, u], tv.vjp(f, wrt, u))
        for i in range(9):
            one = np.zeros(9)
            one[i] = 1.0
            one = one.reshape(3, 3)
            np.testing.assert_array_equal(forward(TIED, OTHER, one), reverse(TIED, OTHER, one))


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_the_first_of_two_equal_operands_gets_the_whole_gradient(name: str) -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    slopes = tv.function([x, y], tv.grad(tv.sum(ELEMENTWISE[name](x, y)), [x, y]))
    first = TIED >= OTHER if name == "maximum" else TIED <= OTHER
    to_x, to_y = slopes(TIED, OTHER)
    np.testing.assert_array_equal(to_x, first)
    np.testing.assert_array_equal(to_y, ~first)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_the_nan_of_two_operands_gets_the_whole_gradient_and_the_first_of_two_nans(
    name: str, dtype: str
) -> None:
    x, y = tv.vector("x", dtype=dtype), tv.vector("y", dtype=dtype)
    picked = ELEMENTWISE[name](x, y)
    f = tv.function([x, y], [picked, *tv.vjp(picked, [x, y], np.full(4, 7.0, dtype))])
    value, to_x, to_y = f([NAN, 1.0, NAN, 2.0], [1.0, NAN, NAN, 2.0])
    np.testing.assert_array_equal(value, [NAN, NAN, NAN, 2.0])
    np.testing.assert_array_equal(to_x, [7.0, 0.0, 7.0, 7.0])
    np.testing.assert_array_equal(to_y, [0.0, 7.0, 0.0, 0.0])


#: Of clip, three arguments, the value, and the one that has the gradient.
CLIPPED = [
    ((NAN, 0.0, 1.0), NAN, 0),
    ((0.5, NAN, 1.0), NAN, 1),
    ((0.5, 0.0, NAN), NAN, 2),
    ((NAN, NAN, NAN), NAN, 0),
    ((0.5, NAN, NAN), NAN, 1),
    ((5.0, 0.0, 1.0), 1.0, 2),
    ((1.0, 1.0, 1.0), 1.0, 0),
]


@pytest.mark.parametrize(("arguments", "value", "taken"), CLIPPED)
def test_the_nan_of_a_clip_gets_the_whole_gradient(
    arguments: tuple[float, ...], value: float, taken: int
) -> None:
    inputs = [tv.scalar(name) for name in ("x", "low", "high")]
    clipped = tv.clip(*inputs)
    found, *slopes = tv.function(inputs, [clipped, *tv.grad(clipped, inputs)])(*arguments)
    np.testing.assert_equal(found, value)
    np.testing.assert_array_equal(slopes, np.eye(3)[taken])


@pytest.mark.parametrize("name", REDUCTIONS)
def test_forward_and_reverse_agree_where_elements_share_an_extreme(name: str) -> None:
    x, v = tv.matrix("x"), tv.matrix("v")
    f = REDUCTIONS[name](x)
    u = tv.tensor("u", shape=(None,) * f.ndim)
    forward = tv.function([x, v], tv.jvp(f, x, v))
    reverse = tv.function([x, u], tv.vjp(f, x, u))
    rng = np.random.default_rng(3)
    tangent = rng.normal(size=(3, 3))
    pushed = forward(TIED, tangent)
    cotangent = rng.normal(size=np.shape(pushed))
    pulled = reverse(TIED, cotangent)
    assert np.isfinite(pushed).all()
    assert np.isfinite(pulled).all()
    np.testing.assert_allclose(np.sum(cotangent * pushed), np.sum(pulled * tangent), rtol=1e-14)


def test_equal_extremes_share_the_gradient() -> None:
    x = tv.matrix("x")
    f = tv.function([x], tv.grad(tv.sum(tv.max(x, axis=1)), x))
    expected = [[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.5, 0.5]]
    np.testing.assert_array_equal(f(TIED), expected)


def test_an_infinite_slope_above_a_maximum_reaches_its_elements_alone() -> None:
    x, v = tv.vector("x"), tv.vector("v")
    root = tv.sqrt(tv.max(x))
    f = tv.function([x, v], [tv.grad(root, x), tv.jvp(root, x, v)])
    slope, along = f([0.0, -1.0, 0.0], [1.0, np.nan, 1.0])
    np.testing.assert_array_equal(slope, [np.inf, 0.0, np.inf])
    assert along == np.inf


def test_a_nan_takes_the_gradient_of_the_maximum_that_it_is() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.grad(tv.max(x), x))
    np.testing.assert_array_equal(f([1.0, np.nan, 1.0]), [0.0, 1.0, 0.0])


def test_an_infinite_maximum_has_the_gradient_of_its_elements() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.grad(tv.max(x), x))
    np.testing.assert_array_equal(f([np.inf, 1.0, np.inf, -np.inf]), [0.5, 0.0, 0.5, 0.0])
