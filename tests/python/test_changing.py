"""What NumPy writes in place, as new arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from held_to_numpy import held, refused

import thunkvm as tv

MATRIX = np.arange(12.0).reshape(3, 4)


def written(name: str) -> Callable[..., Any]:
    """NumPy's function, with the array that it has changed as the result."""

    def write(a: Any, *rest: Any, **keywords: Any) -> Any:
        out = a.copy()
        getattr(np, name)(out, *rest, **keywords)
        return out

    return write


def changes(name: str, a: Any, *rest: Any, **keywords: Any) -> None:
    ours = getattr(tv, name)
    held(lambda x: ours(x, *rest, **keywords), lambda x: written(name)(x, *rest, **keywords), a)


@pytest.mark.parametrize("dtype", ["float64", "int32", "complex64"])
def test_values_put_at_positions(dtype: str) -> None:
    a = MATRIX.astype(dtype)
    changes("put", a, [0, 5, -1], [7, 8, 9])
    changes("put", a, [[3, 4], [1, 3]], [7, 8])
    changes("put", a, 2, 5)
    changes("put", a, [], [1])
    changes("put", a, [15, -3], [7, 8], mode="wrap")
    changes("put", a, [15, -3], [7, 8], mode="clip")
    refused(IndexError, "out of bounds", lambda x: tv.put(x, [12], [1]), a)
    refused(ValueError, r"\[put\] mode is 'no'", lambda x: tv.put(x, [1], [1], "no"), a)


@pytest.mark.parametrize("name", ["place", "putmask"])
def test_values_put_where_a_mask_is(name: str) -> None:
    for mask in (MATRIX % 3 == 0, MATRIX < 0, MATRIX >= 0):
        for values in ([7.0, 8.0, 9.0], [5.0], np.arange(20.0)):
            changes(name, MATRIX, mask, values)
            changes(name, MATRIX.astype("int64"), mask, np.asarray(values, "int64"))
    ours = getattr(tv, name)
    held(
        lambda x, m, v: ours(x, m, v), lambda x, m, v: written(name)(x, m, v),
        MATRIX, MATRIX > 5, [1.0, 2.0],
    )  # fmt: skip
    tv.verify_grad(lambda x, v: ours(x, MATRIX > 5, v) ** 2, [MATRIX, [3.0, 4.0]])


def test_copies_where_a_mask_is() -> None:
    changes("copyto", MATRIX, MATRIX[0] * 10)
    changes("copyto", MATRIX, 3, where=MATRIX > 4)
    changes("copyto", MATRIX.astype("float32"), MATRIX * 2, where=MATRIX[0] > 1)
    tv.verify_grad(lambda x, v: tv.copyto(x, v, where=MATRIX > 4) ** 2, [MATRIX, MATRIX[0]])
    refused(TypeError, r"\[copyto\] src is of float64", lambda x: tv.copyto(x, 1.5), [1, 2])


def test_a_mask_is_written_by_its_index() -> None:
    held(lambda x: x[x > 4].set(0.0), lambda x: np.where(x > 4, 0.0, x), MATRIX)
    held(lambda x: x[x > 4].inc(x[x > 4]), lambda x: np.where(x > 4, 2 * x, x), MATRIX)
    tv.verify_grad(lambda x: x[MATRIX > 4].set(x[MATRIX < 7] ** 2), [MATRIX])
