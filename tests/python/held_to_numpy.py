"""Compositions held against NumPy: odd layouts, known and unknown lengths, several results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from against_numpy import expect, same

import thunkvm as tv

MODES = ["py", "FAST_COMPILE"]

#: Arrays of several shapes and dtypes, an empty one and one element among them.
ARRAYS = [
    np.array([2.0, -1.0, 4.0, 0.5, 3.0]),
    np.arange(1, 13, dtype="float32").reshape(3, 4) ** 2,
    np.arange(24.0).reshape(2, 4, 3) % 7,
    np.array([[3, -2], [5, 7], [0, 1]], "int32"),
    np.array([True, False, True, True]),
    np.array([1 + 2j, 3 - 1j, -2j, 4]),
    np.zeros((0, 3)),
    np.array([7.0]),
]
MATRICES = [a for a in ARRAYS if a.ndim == 2]


def each_axis(arrays: list[np.ndarray]) -> Iterator[tuple[np.ndarray, int]]:
    """Each array with each of its axes, counted from the front and from the end."""
    return ((a, axis) for a in arrays for axis in range(-a.ndim, a.ndim))


def layouts(a: np.ndarray) -> list[np.ndarray]:
    """Lay the same elements in C order, in Fortran order, and backwards with gaps."""
    if a.ndim == 0:
        return [a, a, a]
    spread = np.repeat(a, 2, axis=-1)[..., ::-1][..., ::2][..., ::-1]
    return [a, np.asfortranarray(a), spread]


def call(mode: str, ours: Callable[..., Any], arrays: list[np.ndarray], known: bool) -> list[Any]:
    """Call what `ours` builds on inputs whose lengths are known or not; return all results."""
    shapes = [a.shape if known else (None,) * a.ndim for a in arrays]
    inputs = [
        tv.tensor(f"x{i}", a.dtype, shape)
        for i, (a, shape) in enumerate(zip(arrays, shapes, strict=True))
    ]
    built = ours(*inputs)
    outputs = list(built) if isinstance(built, (list, tuple)) else [built]
    return tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")(*arrays)


def held(
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    *arguments: Any,
    modes: list[str] = MODES,
) -> None:
    """Hold a composition against NumPy's function, with values in several layouts."""
    arrays = [np.asarray(argument) for argument in arguments]
    expected = expect(theirs, *arrays)
    listed = list(expected) if isinstance(expected, (list, tuple)) else [expected]
    for turn, given in enumerate(zip(*map(layouts, arrays), strict=True) if arrays else [()]):
        for known in (True, False):
            # Each mode meets known and unknown lengths, and each layout both.
            results = call(modes[(turn + known) % len(modes)], ours, list(given), known)
            assert len(results) == len(listed)
            for result, value in zip(results, listed, strict=True):
                same(result, value)


def alike(name: str, arrays: list[Any], *rest: Any, **keywords: Any) -> None:
    """Hold the function of a name against NumPy's of that name, both with further arguments."""
    held(
        lambda *x: getattr(tv, name)(*x, *rest, **keywords),
        lambda *x: getattr(np, name)(*x, *rest, **keywords),
        *arrays,
    )


def refused(error: type[Exception], match: str, ours: Callable[..., Any], *arguments: Any) -> None:
    """Hold that a call fails, while the graph is built or when it runs."""
    arrays = [np.asarray(argument) for argument in arguments]
    for mode in MODES:
        for known in (True, False):
            with pytest.raises(error, match=match):
                call(mode, ours, arrays, known)
