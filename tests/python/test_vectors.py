"""Products in stacks and moved axes, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from held_to_numpy import ARRAYS, alike, held, refused

import thunkvm as tv

CUBE = np.arange(24.0).reshape(2, 3, 4)


def test_products_of_vectors_in_stacks() -> None:
    for dtype in ("float64", "float32", "int64", "complex128"):
        a = (CUBE - 7).astype(dtype) * (1 + 1j if dtype[0] == "c" else 1)
        a = a.astype(dtype)
        alike("vecdot", [a, a[0]])
        alike("vecdot", [a, a], axis=1)
        alike("vecdot", [a, a], axis=0)
        alike("matvec", [a, a[:, 0]])
        alike("matvec", [a, a[0, 0]])
        alike("vecmat", [a[:, :, 0], a])
        alike("vecmat", [a[0, :, 1], a])
    held(np.linalg.vecdot, np.linalg.vecdot, CUBE, CUBE)
    alike("vecdot", [np.zeros((2, 0)), np.zeros(0)])
    tv.verify_grad(lambda x, y: tv.vecdot(x, y, axis=0), [CUBE, CUBE[:, :1] - 5.0])
    tv.verify_grad(tv.matvec, [CUBE, CUBE[0, 0]])
    tv.verify_grad(tv.vecmat, [CUBE[:, :, 0] + 1j, CUBE - 2j])
    refused(ValueError, r"\[vecdot\] x2 is .*0-d", tv.vecdot, [1.0], 2.0)


def test_moved_axes() -> None:
    for a in ARRAYS:
        if a.ndim >= 2:
            alike("matrix_transpose", [a])
            held(np.linalg.matrix_transpose, np.linalg.matrix_transpose, a)
    for axis in range(-3, 3):
        for start in range(-3, 4):
            alike("rollaxis", [CUBE], axis, start)
    refused(ValueError, r"1 axes; give at least 2", tv.matrix_transpose, [1.0])
    refused(ValueError, r"\[rollaxis\] start = 5", lambda x: tv.rollaxis(x, 0, 5), CUBE)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_parts_along_an_axis(axis: int) -> None:
    x = tv.tensor("x", "float64", (2, 3, 4))
    parts = tv.function([x], list(tv.unstack(x, axis)))(CUBE)
    for part, expected in zip(parts, np.unstack(CUBE, axis=axis), strict=True):
        np.testing.assert_array_equal(part, expected)
    with pytest.raises(ValueError, match=r"\[unstack\] the length of axis 0"):
        tv.unstack(tv.vector("v"))
