"""Sums and products of floats in NumPy, as accurate along every axis as the kernels' are."""

from __future__ import annotations

from typing import Any

import numpy as np


def reduced(
    ufunc: np.ufunc,
    x: Any,
    axes: tuple[int, ...] | None,
    *,
    dtype: Any = None,
    keepdims: bool = False,
) -> Any:
    """Return ``ufunc.reduce(x, axes)`` of elements that lie side by side, float16 in float32.

    NumPy adds pairwise along the axis that lies closest in memory, and one by one along others:
    4,096 rows of float16 ones add up to 2,048 there.

    Examples
    --------
    >>> import numpy as np
    >>> from thunkvm._src.arrays.perform.summing import reduced
    >>> reduced(np.add, np.ones((4096, 2), "float16"), (0,)).tolist()
    [4096.0, 4096.0]
    """
    x = np.asarray(x)
    wanted = np.dtype(dtype) if dtype is not None else x.dtype
    if wanted.kind not in "fc":
        return ufunc.reduce(x, axis=axes, dtype=dtype, keepdims=keepdims)
    every = range(x.ndim)
    gone = [axis % x.ndim for axis in (every if axes is None else axes)]
    kept = [axis for axis in every if axis not in gone]
    lengths = [x.shape[axis] for axis in kept]
    count = int(np.prod([x.shape[axis] for axis in gone], dtype=np.int64))
    together = np.ascontiguousarray(x.transpose(kept + gone)).reshape(*lengths, count)
    wide = np.dtype("float32") if wanted == "float16" else wanted
    with np.errstate(over="ignore"):  # of float32 that is too large for float16
        total = ufunc.reduce(together, axis=-1, dtype=wide).astype(wanted)
    return np.expand_dims(total, tuple(gone)) if keepdims else total


__all__ = ["reduced"]
