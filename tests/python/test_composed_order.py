"""`flip`, `rot90`, `roll`, `repeat`, `tile` and the family of `split`, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import ARRAYS, alike, each_axis, held, refused

import thunkvm as tv

PLANES = [a for a in ARRAYS if a.ndim > 1]


def test_flip() -> None:
    for a, axis in each_axis(ARRAYS):
        alike("flip", [a], axis)
    for a in ARRAYS:
        held(tv.flip, np.flip, a)
        held(tv.flipud, np.flipud, a)
    for a in PLANES:
        held(tv.fliplr, np.fliplr, a)
        held(lambda x: tv.flip(x, (0, -1)), lambda x: np.flip(x, (0, -1)), a)
    held(tv.flip, np.flip, 3.0)
    refused(ValueError, r"\[flip\] axis: axis 2 is out of bounds", lambda x: tv.flip(x, 2), [1.0])
    refused(ValueError, r"\[fliplr\] x is .* at least 2", tv.fliplr, [1.0])


@pytest.mark.parametrize("k", range(-5, 6))
def test_rot90(k: int) -> None:
    for a in PLANES:
        held(lambda x: tv.rot90(x, k), lambda x: np.rot90(x, k), a)
        held(lambda x: tv.rot90(x, k, (-1, 0)), lambda x: np.rot90(x, k, (-1, 0)), a)


def test_rot90_refuses_bad_input() -> None:
    square = np.eye(2)
    refused(ValueError, "give the two", lambda x: tv.rot90(x, 1, (0,)), square)
    refused(ValueError, "names axis 0 twice", lambda x: tv.rot90(x, 1, (0, 0)), square)
    refused(TypeError, r"\[rot90\] k is 0.5, a float", lambda x: tv.rot90(x, 0.5), square)


@pytest.mark.parametrize("shift", [0, 1, -2, 7])
def test_roll(shift: int) -> None:
    for a, axis in each_axis(ARRAYS):
        alike("roll", [a], shift, axis)
        alike("roll", [a, shift], axis=axis)
    for a in ARRAYS:
        held(lambda x: tv.roll(x, shift), lambda x: np.roll(x, shift), a)


def test_roll_along_several_axes() -> None:
    for a in PLANES:
        for shift, axis in [((2, 1), (0, 1)), (2, (0, -1)), ((1, 2), 0), ((1, 1), (0, 0))]:
            alike("roll", [a], shift, axis)
    refused(ValueError, "3 shifts", lambda x: tv.roll(x, (1, 2, 3), (0, 1)), np.eye(2))
    refused(TypeError, r"\[roll\] shift is 0.5, a float", lambda x: tv.roll(x, 0.5), [1.0])


@pytest.mark.parametrize("n", [0, 1, 3])
def test_repeat(n: int) -> None:
    for a, axis in each_axis(ARRAYS):
        counts = (np.arange(a.shape[axis]) + n) % 3
        alike("repeat", [a], n, axis)
        alike("repeat", [a, counts], axis=axis)
    for a in ARRAYS:
        held(lambda x: x.repeat(n), lambda x: x.repeat(n), a)
        held(lambda x, n: tv.repeat(x, n), lambda x, n: np.repeat(x, n), a, n)
    held(lambda x: tv.repeat(x, n), lambda x: np.repeat(x, n), 2.0)


def test_repeat_refuses_bad_input() -> None:
    refused(TypeError, r"\[repeat\] repeats is .*give integers", lambda x: tv.repeat(x, 0.5), [1.0])
    refused(ValueError, "repeated less than 0 times", lambda x: tv.repeat(x, -1), [1.0])
    refused(IndexError, "out of bounds", tv.repeat, [1.0, 2.0], [-1, 3])
    refused(ValueError, "which has 2 axes", lambda x: tv.repeat(x, [[1]]), [1.0])


@pytest.mark.parametrize("reps", [0, 1, 2, (2,), (2, 1), (1, 2, 3), (2, 0), (2, 1, 1, 2), ()])
def test_tile(reps: Any) -> None:
    for a in [*ARRAYS, np.array(2.0)]:
        held(lambda x: tv.tile(x, reps), lambda x: np.tile(x, reps), a)


def test_tile_takes_variables() -> None:
    held(lambda x, n: tv.tile(x, (n, 2)), lambda x, n: np.tile(x, (n, 2)), [1.0, 2.0], 3)
    refused(ValueError, r"\[tile\] reps = -1", lambda x: tv.tile(x, -1), [1.0])
    refused(TypeError, r"\[tile\] reps is 1.5, a float", lambda x: tv.tile(x, 1.5), [1.0])


@pytest.mark.parametrize("places", [1, [1], [1, 3], [2, 1], [-1], [0, 9], []])
def test_split(places: Any) -> None:
    for a, axis in each_axis(ARRAYS):
        alike("split", [a], places, axis)


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_split_into_a_number_of_parts(count: int) -> None:
    for a, axis in each_axis(ARRAYS):
        alike("array_split", [a], count, axis)
        if a.shape[axis] % count == 0:
            alike("split", [a], count, axis)
        else:
            refused(
                ValueError,
                r"not \d parts of one|reshape",
                lambda x, i=axis: tv.split(x, count, i),
                a,
            )


def test_split_along_named_axes() -> None:
    for ours, theirs, least in [
        (tv.hsplit, np.hsplit, 1),
        (tv.vsplit, np.vsplit, 2),
        (tv.dsplit, np.dsplit, 3),
    ]:
        for a in ARRAYS:
            if a.ndim >= least:
                held(lambda x, f=ours: f(x, [1]), lambda x, f=theirs: f(x, [1]), a)
            else:
                refused(ValueError, f"at least {least}", lambda x, f=ours: f(x, [1]), a)


def test_split_takes_variables_for_places() -> None:
    held(
        lambda x, n: tv.split(x, [n, n + 1]),
        lambda x, n: np.split(x, [n, n + 1]),
        np.arange(5.0),
        2,
    )
    refused(TypeError, "has to be known while", tv.split, [1.0, 2.0], 2)
    refused(ValueError, r"\[split\] indices_or_sections = 0", lambda x: tv.split(x, 0), [1.0])


def test_order_in_c() -> None:
    a, fast = np.arange(12.0).reshape(3, 4), ["FAST_RUN"]
    held(tv.flip, np.flip, a, modes=fast)
    held(tv.rot90, np.rot90, a, modes=fast)
    held(lambda x: tv.roll(x, 2, 1), lambda x: np.roll(x, 2, 1), a, modes=fast)
    held(lambda x: tv.repeat(x, [1, 0, 2], 0), lambda x: np.repeat(x, [1, 0, 2], 0), a, modes=fast)
    held(lambda x: tv.tile(x, 2), lambda x: np.tile(x, 2), a, modes=fast)
    held(lambda x: tv.array_split(x, 2), lambda x: np.array_split(x, 2), a, modes=fast)


def test_gradients_of_order() -> None:
    a = np.arange(12.0).reshape(3, 4)
    tv.verify_grad(lambda x: tv.rot90(x) * a.T, [a])
    tv.verify_grad(lambda x: tv.roll(x, 3) * a, [a])
    tv.verify_grad(lambda x: tv.repeat(x, [1, 0, 2], 0) * a, [a])
    tv.verify_grad(lambda x: tv.tile(x, (2, 2)) ** 2, [a])
    tv.verify_grad(lambda x: tv.split(x, 2, 1)[1] * a[:, :2], [a])
