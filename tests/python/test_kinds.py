"""Kinds of numbers, places of numbers among NaN, and functions of grids, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from held_to_numpy import ARRAYS, alike, held, refused

import thunkvm as tv

HOLES = np.array([[np.nan, 3.0, -1.0], [2.0, np.nan, 5.0], [-np.inf, np.nan, np.inf]])


def test_real_and_complex_elements() -> None:
    for a in ARRAYS:
        for name in ("isreal", "iscomplex", "sort_complex"):
            alike(name, [a])
        for name in ("isrealobj", "iscomplexobj"):
            assert getattr(tv, name)(tv.tensor("x", a.dtype, a.shape)) is getattr(np, name)(a)
    for dtype in ("int8", "uint16", "int32", "float16"):
        alike("sort_complex", [np.array([3, 1, 2], dtype)])


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_places_of_numbers(name: str) -> None:
    for axis in (None, 0, 1, -1):
        alike(name, [HOLES], axis=axis)
        alike(name, [HOLES], axis=axis, keepdims=True)
        alike(name, [np.array([[3, 1], [2, 7]])], axis=axis)
    refused(ValueError, "there is no number", getattr(tv, name), [np.nan, np.nan])


def test_functions_of_grids() -> None:
    held(lambda: tv.mask_indices(4, tv.tril, -1), lambda: np.mask_indices(4, np.tril, -1))
    held(
        lambda n: tv.fromfunction(lambda i, j, k: i * k + j, (n, 3), k=2.0),
        lambda n: np.fromfunction(lambda i, j, k: i * k + j, (int(n), 3), k=2.0),
        2,
    )
    held(
        lambda: tv.fromfunction(lambda i: i + 1, (3,), dtype="int64"),
        lambda: np.fromfunction(lambda i: i + 1, (3,), dtype="int64"),
    )


def test_functions_over_axes() -> None:
    cube = np.arange(24.0).reshape(2, 3, 4)
    held(
        lambda x: tv.apply_over_axes(tv.sum, x, [0, -1]),
        lambda x: np.apply_over_axes(np.sum, x, [0, -1]),
        cube,
    )
    held(
        lambda x: tv.apply_over_axes(tv.cumsum, x, 1),
        lambda x: np.apply_over_axes(np.cumsum, x, 1),
        cube,
    )
    refused(
        ValueError, "func made", lambda x: tv.apply_over_axes(lambda a, _: tv.sum(a), x, 0), cube
    )


def test_functions_along_an_axis() -> None:
    cube = np.arange(24.0).reshape(2, 3, 4) % 7
    for axis in (0, 1, -1):
        for ours, theirs in [
            (lambda v: tv.sum(v) * v[0], lambda v: np.sum(v) * v[0]),
            (lambda v: tv.cumsum(v) - v[-1], lambda v: np.cumsum(v) - v[-1]),
            (lambda v: tv.outer(v, v[:2]), lambda v: np.outer(v, v[:2])),
        ]:
            held(
                lambda x, f=ours, i=axis: tv.apply_along_axis(f, i, x),
                lambda x, f=theirs, i=axis: np.apply_along_axis(f, i, x),
                cube,
            )
    held(
        lambda x: tv.apply_along_axis(lambda v, k: v[::k], 0, x, 2),
        lambda x: np.apply_along_axis(lambda v, k: v[::k], 0, x, 2),
        cube[0, 0],
    )
    tv.verify_grad(lambda x: tv.apply_along_axis(lambda v: tv.sum(v**2) * v, 1, x), [cube[0]])
