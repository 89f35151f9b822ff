"""Elements picked, left out and put in between, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import ARRAYS, alike, held, refused

import thunkvm as tv

MATRIX = np.arange(12.0).reshape(3, 4)


def test_elements_where_a_condition_holds() -> None:
    for a in ARRAYS:
        held(lambda x: tv.extract(tv.abs(x) > 2, x), lambda x: np.extract(np.abs(x) > 2, x), a)
    for axis in (None, 0, 1, -1):
        alike("compress", [np.array([1, 0, 2]), MATRIX], axis=axis)
        alike("compress", [np.array([False, True]), MATRIX], axis=axis)
    tv.verify_grad(lambda x: tv.compress([True, False, True], x, axis=0) ** 2, [MATRIX])


@pytest.mark.parametrize("axis", [None, 0, 1, -2])
@pytest.mark.parametrize(
    "obj", [0, -1, 2, [0, 2], [1, 1], [], slice(None, None, 2), slice(5, 1), np.array([-1, 0])]
)
def test_parts_left_out(obj: Any, axis: int | None) -> None:
    alike("delete", [MATRIX], obj, axis)


def test_parts_left_out_by_a_mask_or_a_variable() -> None:
    alike("delete", [MATRIX], np.array([True, False, True]), 0)
    held(lambda x, i: tv.delete(x, i, 1), lambda x, i: np.delete(x, int(i), 1), MATRIX, 2)
    held(lambda x, i: tv.delete(x, i), lambda x, i: np.delete(x, i), MATRIX, [3, 7])
    refused(IndexError, "out of bounds", lambda x: tv.delete(x, 7, 0), MATRIX)
    tv.verify_grad(lambda x: tv.delete(x, [0, 2], 1) ** 2, [MATRIX])


@pytest.mark.parametrize(
    ("obj", "values", "axis"),
    [
        (1, 9.0, None),
        (1, [8.0, 9.0], None),
        (-1, 9.0, 1),
        (3, [1.0, 2.0, 3.0, 4.0], 0),
        (0, [[1.0], [2.0], [3.0]], 1),
        (2, [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]], 0),
        ([0, 2], [[7.0], [8.0]], 0),
        ([1, 1, 0], [7.0, 8.0, 9.0], None),
        ([1, 3], [8.0, 9.0], 1),
        ([2], 5.0, 0),
        (slice(0, 4, 2), [8.0, 9.0], 1),
        ([], [], None),
        (np.array([True, False, True]), 5.0, 0),
        (1, 2.7, None),
    ],
)
def test_parts_put_in_between(obj: Any, values: Any, axis: int | None) -> None:
    alike("insert", [MATRIX], obj, values, axis)
    alike("insert", [MATRIX.astype("int32")], obj, values, axis)


def test_positions_and_values_may_be_variables() -> None:
    held(
        lambda x, i, v: tv.insert(x, i, v),
        lambda x, i, v: np.insert(x, i, v),
        MATRIX[0],
        [3, 0, 3],
        [7.0, 8.0, 9.0],
    )
    tv.verify_grad(lambda x, v: tv.insert(x, [0, 2], v, 1) ** 2, [MATRIX, [3.0, 4.0]])
    refused(IndexError, "out of bounds", lambda x: tv.insert(x, 5, 1.0, 0), MATRIX)


@pytest.mark.parametrize("shape", [7, (2, 3), (5,), (0, 2), (4, 4)])
def test_elements_again_and_again(shape: Any) -> None:
    for a in (MATRIX, MATRIX[0], np.array(3), np.array([True])):
        alike("resize", [a], shape)
    alike("resize", [np.zeros(0)], shape)
    held(lambda x, n: tv.resize(x, (n, 2)), lambda x, n: np.resize(x, (n, 2)), MATRIX, 9)
    tv.verify_grad(lambda x: tv.resize(x, (4, 4)) ** 2, [MATRIX[0]])


@pytest.mark.parametrize("trim", ["fb", "f", "b", "FB"])
def test_zeros_at_the_ends(trim: str) -> None:
    for a in ([0, 0, 1, 2, 0, 3, 0], [0.0, 0.0], [], [1.5], [0, -2]):
        alike("trim_zeros", [np.array(a, "float64")], trim)
    refused(ValueError, r"\[trim_zeros\] filt has 2 axes", tv.trim_zeros, MATRIX)
