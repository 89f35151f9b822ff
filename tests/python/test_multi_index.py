"""Positions of several axes, orders of several keys and packed bits, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import alike, held, refused

import thunkvm as tv

ROWS, COLUMNS = np.array([[0, 2, 1], [1, 1, 0]]), np.array([3, 0, 2], "int8")


@pytest.mark.parametrize("order", ["C", "F"])
def test_positions_in_the_flattened_array(order: str) -> None:
    held(
        lambda i, j: tv.ravel_multi_index((i, j), (3, 4), order=order),
        lambda i, j: np.ravel_multi_index((i, j), (3, 4), order=order),
        ROWS,
        np.broadcast_to(COLUMNS, (2, 3)).copy(),
    )
    for shape in ((3, 4), (12,), (2, 3, 2), 12):
        held(
            lambda k, s=shape: tv.unravel_index(k, s, order),
            lambda k, s=shape: np.unravel_index(k, s, order),
            ROWS * 4,
        )


@pytest.mark.parametrize("mode", ["wrap", "clip", ("wrap", "clip")])
def test_positions_out_of_bounds(mode: Any) -> None:
    held(
        lambda i, j: tv.ravel_multi_index((i, j), (2, 2), mode),
        lambda i, j: np.ravel_multi_index((i, j), (2, 2), mode),
        ROWS - 1,
        np.broadcast_to(COLUMNS, (2, 3)) * 1,
    )
    refused(
        ValueError, "a position is out of bounds",
        lambda i, j: tv.ravel_multi_index((i, j), (2, 2)), ROWS, COLUMNS,
    )  # fmt: skip
    refused(ValueError, "a position is out of bounds", lambda i: tv.unravel_index(i, (2, 1)), ROWS)
    refused(
        ValueError, "2 positions, 1 lengths", lambda i: tv.ravel_multi_index((i, i), (2,)), ROWS
    )
    refused(TypeError, "positions are integers", lambda i: tv.unravel_index(i, (2,)), [1.0])
    refused(ValueError, "order is 'K'", lambda i: tv.unravel_index(i, (2,), "K"), ROWS)


def test_orders_of_several_keys() -> None:
    a, b = np.array([3.0, 1.0, 2.0, 1.0, 3.0]), np.array([1, 0, 1, 0, 0])
    held(lambda a, b: tv.lexsort((a, b)), lambda a, b: np.lexsort((a, b)), a, b)
    held(lambda a, b: tv.lexsort((b, a)), lambda a, b: np.lexsort((b, a)), a, b)
    cube = np.random.default_rng(0).integers(0, 3, (4, 3, 5))
    for axis in (0, -1):
        held(
            lambda a, b, i=axis: tv.lexsort([a, b], axis=i),
            lambda a, b, i=axis: np.lexsort([a, b], axis=i),
            cube[0],
            cube[1],
        )
    x = tv.tensor("x", "int64", (2, None))
    np.testing.assert_array_equal(
        tv.function([x], tv.lexsort(x))(cube[0, :2]), np.lexsort(cube[0, :2])
    )
    refused(TypeError, "there are no keys", lambda: tv.lexsort([]))


@pytest.mark.parametrize("bitorder", ["big", "little"])
def test_packed_bits(bitorder: str) -> None:
    rng = np.random.default_rng(4)
    for dtype in ("bool", "int64", "uint8"):
        for shape in ((1,), (8,), (13,), (3, 9), (2, 0), (0,)):
            a = rng.integers(0, 3, shape).astype(dtype)
            alike("packbits", [a], None, bitorder)
            for axis in range(-a.ndim, a.ndim):
                alike("packbits", [a], axis, bitorder)
    for shape in ((1,), (3, 2), (0, 2)):
        a = rng.integers(0, 256, shape).astype("uint8")
        alike("unpackbits", [a], None, None, bitorder)
        for axis in range(a.ndim):
            # Behind the last byte of a matrix NumPy's bits are anything.
            for count in (None, 3, 5, -3, 30):
                if a.ndim > 1 and abs(count or 0) > 8 * a.shape[axis]:
                    continue
                alike("unpackbits", [a], axis, count, bitorder)
    refused(TypeError, r"\[packbits\].*integers and bools", tv.packbits, [1.0])
    refused(TypeError, r"\[unpackbits\].*it takes uint8", tv.unpackbits, [1])
    refused(ValueError, "bitorder is 'x'", lambda a: tv.packbits(a, bitorder="x"), [1])
