"""Axes of length 1, stacks, and elements along axes, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import ARRAYS, alike, each_axis, held, refused

import thunkvm as tv

WITH_NUMBERS = [*ARRAYS, np.array(3.0), np.array(4)]


def put(x: np.ndarray, indices: Any, values: Any, axis: int | None) -> np.ndarray:
    """Replace elements of a copy."""
    x = x.copy()
    np.put_along_axis(x, np.asarray(indices), values, axis)
    return x


@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
def test_atleast(name: str) -> None:
    for a in WITH_NUMBERS:
        alike(name, [a])
    alike(name, [np.array(1.0), np.ones(3), np.ones((2, 2))])


def test_atleast_nd() -> None:
    held(lambda x: tv.atleast_nd(x, n=3), lambda x: x[None, None], [1.0, 2.0])
    held(lambda x: tv.atleast_nd(x, n=3, left=False), lambda x: x[:, None, None], [1.0, 2.0])
    held(lambda x: tv.atleast_nd(x, n=0), lambda x: x, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"\[atleast_nd\] n = -1; give at least 0"):
        tv.atleast_nd(tv.vector(), n=-1)


def test_dstack_and_column_stack() -> None:
    for a in WITH_NUMBERS:
        held(lambda x: tv.dstack([x, x]), lambda x: np.dstack([x, x]), a)
        if a.ndim:
            held(lambda x: tv.column_stack([x, x]), lambda x: np.column_stack([x, x]), a)
    held(
        lambda x, y: tv.column_stack([x, y]),
        lambda x, y: np.column_stack([x, y]),
        [1.0, 2.0],
        [[3], [4]],
    )
    refused(TypeError, r"\[dstack\] it takes the arrays as one list", tv.dstack, 1.0)
    with pytest.raises(ValueError, match=r"\[column_stack\] there are no arrays"):
        tv.column_stack([])


def test_block() -> None:
    a, b = np.ones((2, 3)), np.arange(6).reshape(2, 3)
    for nested in (
        lambda x, y: [x, y],
        lambda x, y: [[x, y], [y, x]],
        lambda x, y: [[x], [y]],
        lambda x, y: [[[x]], [[y]]],
        lambda x, y: x,
    ):
        held(
            lambda x, y, n=nested: tv.block(n(x, y)), lambda x, y, n=nested: np.block(n(x, y)), a, b
        )
    held(lambda x: tv.block([[x, 1], [2, x]]), lambda x: np.block([[x, 1], [2, x]]), [3.0])
    tv.verify_grad(lambda x: tv.block([[x, 2 * x], [x * x, x]]), [np.array([[0.5, -1.0]])])


def test_block_refuses_tuples_empty_lists_and_lists_of_several_depths() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match=r"\[block\] there is the tuple .*; write lists"):
        tv.block([(x, x)])
    with pytest.raises(ValueError, match=r"\[block\] there is an empty list"):
        tv.block([[]])
    with pytest.raises(
        ValueError, match=r"\[block\] arrays lie in \[1, 2\] lists; put all of them"
    ):
        tv.block([x, [x]])


def test_append() -> None:
    for a, axis in each_axis(ARRAYS):
        held(lambda x, i=axis: tv.append(x, x, i), lambda x, i=axis: np.append(x, x, i), a)
    for a in WITH_NUMBERS:
        alike("append", [a], [1, 2])


def test_stacklists() -> None:
    held(
        lambda a, b: tv.stacklists([[a, b], [b, 0.0], [a, a]]),
        lambda a, b: np.array([[a, b], [b, 0.0], [a, a]]),
        1.0,
        2.0,
    )
    with pytest.raises(ValueError, match=r"\[stacklists\] a list is empty"):
        tv.stacklists([[]])


def test_take_along_axis() -> None:
    for a, axis in each_axis([x for x in ARRAYS if x.size]):
        many = np.argsort(a, axis)[::-1]
        one = np.full([2 if i == axis % a.ndim else 1 for i in range(a.ndim)], -1)
        for indices in (many, one):
            alike("take_along_axis", [a, indices], axis)
    alike("take_along_axis", [np.eye(3), np.array([1, -1, 4])], None)


def test_put_along_axis() -> None:
    for a, axis in each_axis([x for x in ARRAYS if x.size]):
        many = np.argsort(a, axis)
        one = np.full([1 for _ in a.shape], -1)
        for indices in (many, one):
            held(
                lambda x, j, i=axis: tv.put_along_axis(x, j, 1, i),
                lambda x, j, i=axis: put(x, j, 1, i),
                a,
                indices,
            )
    held(
        lambda x, v: tv.put_along_axis(x, [[0], [2]], v, 1),
        lambda x, v: put(x, [[0], [2]], v, 1),
        np.eye(2, 3),
        [[7.0], [8.0]],
    )
    held(
        lambda x: tv.put_along_axis(x, [1, 4], 9.0, None),
        lambda x: put(x, np.array([1, 4]), 9.0, None),
        np.eye(3),
    )


def test_along_axes_refuse_bad_input() -> None:
    a = np.eye(2)
    take = tv.take_along_axis
    refused(TypeError, r"\[take_along_axis\] indices is .*give integers", take, a, a)
    refused(ValueError, "with 1 axes, but there are 2", take, a, [0])
    refused(IndexError, "index 2 is out of bounds", take, a, [[2]])
    refused(ValueError, "axis 3 is out of bounds", lambda x: take(x, [[0]], 3), a)
    with pytest.raises(TypeError, match=r"np\.put_along_axis has no counterpart"):
        np.put_along_axis(tv.matrix(), np.array([[0]]), 0, 0)


def test_stacking_in_c() -> None:
    a, fast = np.arange(6.0).reshape(2, 3), ["FAST_RUN"]
    held(tv.atleast_3d, np.atleast_3d, a, modes=fast)
    held(lambda x: tv.dstack([x, x]), lambda x: np.dstack([x, x]), a, modes=fast)
    held(lambda x: tv.append(x, 1.0), lambda x: np.append(x, 1.0), a, modes=fast)
    held(
        lambda x: tv.take_along_axis(x, [[0], [2]], 1),
        lambda x: np.take_along_axis(x, np.array([[0], [2]]), 1),
        a,
        modes=fast,
    )


def test_gradients_of_stacking() -> None:
    a, v = np.arange(6.0).reshape(2, 3), np.array([[2.0], [5.0]])
    tv.verify_grad(lambda x: tv.dstack([x, x * x]), [a])
    tv.verify_grad(lambda x, y: tv.append(x, y, 1) ** 2, [a, v])
    tv.verify_grad(lambda x: tv.take_along_axis(x, [[0, 0], [2, 1]], 1) ** 2, [a])
    tv.verify_grad(lambda x, y: tv.put_along_axis(x, [[0], [2]], y, 1) ** 2, [a, v])
    tv.verify_grad(lambda x: tv.stacklists([[x, x * x]]), [a])
