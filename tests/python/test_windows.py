"""Sliding windows and the convolutions of layers, against NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from held_to_numpy import ARRAYS, held, refused

import thunkvm as tv

RNG = np.random.default_rng(5)


def windows(width: Any, axis: Any = None) -> Any:
    return lambda x: np.lib.stride_tricks.sliding_window_view(x, width, axis)


def test_sliding_windows() -> None:
    for a in ARRAYS:
        if a.ndim == 1:
            held(lambda x: tv.sliding_window_view(x, 1), windows(1), a)
    cube = np.arange(60.0).reshape(3, 4, 5)
    for width, axis in [((2, 3, 1), None), (2, 1), ((2, 2), (0, -1)), ((2, 2), (1, 1)), ((), ())]:
        held(lambda x, w=width, i=axis: tv.sliding_window_view(x, w, i), windows(width, axis), cube)
    held(lambda x, n: tv.sliding_window_view(x, n, 2), lambda x, n: windows(int(n), 2)(x), cube, 3)
    x = tv.vector("x")
    assert tv.function([x], np.lib.stride_tricks.sliding_window_view(x, 2))([1, 2.5]).tolist() == [
        [1.0, 2.5]
    ]
    tv.verify_grad(lambda x: tv.sliding_window_view(x, (2, 3)), [np.arange(12.0).reshape(3, 4)])
    refused(ValueError, "window_shape has 1 lengths", lambda x: tv.sliding_window_view(x, 2), cube)


def convolved(x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """The sums that define a layer's convolution, one by one."""
    x = np.pad(x, [(0, 0), (0, 0), *padding])
    reach = [(n - 1) * d + 1 for n, d in zip(w.shape[2:], dilation, strict=True)]
    counts = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride, strict=True)]
    out = np.zeros((x.shape[0], w.shape[0], *counts), np.result_type(x, w))
    outputs, inner = w.shape[0] // groups, w.shape[1]
    for place in itertools.product(*map(range, counts)):
        picked = tuple(
            slice(i * s, i * s + r, d)
            for i, s, r, d in zip(place, stride, reach, dilation, strict=True)
        )
        for o in range(w.shape[0]):
            first = (o // outputs) * inner
            part = x[(slice(None), slice(first, first + inner), *picked)]
            out[(slice(None), o, *place)] = (part * w[o]).sum(axis=tuple(range(1, x.ndim)))
    return out


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("padding", [0, 2, (1, 0)])
@pytest.mark.parametrize("stride", [1, 3])
def test_convolutions_of_one_axis(stride: int, padding: Any, dilation: int, groups: int) -> None:
    x, w = RNG.normal(size=(2, 4, 9)), RNG.normal(size=(6, 4 // groups, 3))
    pairs = [padding] if isinstance(padding, tuple) else [(padding, padding)]
    given = pairs if isinstance(padding, tuple) else padding
    held(
        lambda x, w: tv.conv1d(x, w, stride, given, dilation, groups),
        lambda x, w: convolved(x, w, [stride], pairs, [dilation], groups),
        x,
        w,
    )


@pytest.mark.parametrize("groups", [1, 2])
def test_convolutions_of_two_axes(groups: int) -> None:
    x, w = RNG.normal(size=(2, 2, 6, 7)), RNG.normal(size=(4, 2 // groups, 3, 2))
    for stride, padding, dilation in [(1, 0, 1), ((2, 1), (1, 2), (1, 3))]:
        each = [(n, n) if isinstance(n, int) else n for n in (stride, padding, dilation)]
        held(
            lambda x, w, s=stride, p=padding, d=dilation: tv.conv2d(x, w, s, p, d, groups),
            lambda x, w, of=each: convolved(x, w, of[0], [(p, p) for p in of[1]], of[2], groups),
            x.astype("float32").astype("float64"),
            w,
        )


def test_convolutions_of_integers_and_of_as_many_as_there_are() -> None:
    x, w = np.arange(14).reshape(1, 2, 7), np.array([[[1, 2, -1], [0, 1, 3]]])
    held(tv.conv1d, lambda x, w: convolved(x, w, [1], [(0, 0)], [1], 1), x, w)
    held(
        lambda x, w: tv.conv1d(x, w, padding="same"),
        lambda x, w: convolved(x, w, [1], [(1, 1)], [1], 1),
        x,
        w,
    )
    empty = np.zeros((0, 2, 7))
    held(tv.conv1d, lambda x, w: convolved(x, w, [1], [(0, 0)], [1], 1), empty, w)


def test_gradients_of_convolutions() -> None:
    x, w = RNG.normal(size=(2, 4, 6)), RNG.normal(size=(2, 2, 3))
    tv.verify_grad(lambda x, w: tv.conv1d(x, w, 2, 1, 1, 2), [x, w])
    tv.verify_grad(
        lambda x, w: tv.conv2d(x, w, padding="same"), [x[None], RNG.normal(size=(1, 2, 2, 3))]
    )


def test_mistakes_of_convolutions() -> None:
    x, w = np.ones((1, 2, 4)), np.ones((1, 3, 2))
    with pytest.raises(ValueError, match=r"\[conv1d\] x has 2 channels and w 1 outputs of 3"):
        tv.conv1d(x, w)
    with pytest.raises(ValueError, match=r"\[conv2d\] x is .*3 axes; it takes 4"):
        tv.conv2d(x, w)
    with pytest.raises(ValueError, match=r"reaches over 5 elements, and axis 2 has 4"):
        tv.conv1d(x, np.ones((1, 2, 5)))
    with pytest.raises(ValueError, match=r"padding is 'full'; write 'valid', 'same'"):
        tv.conv1d(x, x, padding="full")
    with pytest.raises(ValueError, match=r"'same' takes a stride of 1"):
        tv.conv1d(x, x, 2, "same")
    with pytest.raises(ValueError, match=r"stride is 0; give one number, or 1, of at least 1"):
        tv.conv1d(x, x, 0)
