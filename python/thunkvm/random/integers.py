"""The bounds of draws of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable, constant


def bounds(low: Any, high: Any, dtype: Any, endpoint: bool) -> tuple[Variable, Variable, str]:
    """Return the least and the greatest integer to draw, and the Op's name.

    Parameters
    ----------
    low, high, dtype, endpoint
        As `Draws.integers` has them.

    Raises
    ------
    TypeError
        If the dtype is none of integers, or a bound is no integer.

    Examples
    --------
    >>> from thunkvm.random.integers import bounds
    >>> [bound.value.item() for bound in bounds(10, None, "int8", False)[:2]]
    [0, 9]
    """
    kind = np.dtype(dtype)
    if kind.kind not in "iub":
        raise TypeError(f"[integers] the dtype is {kind}; it has to be one of integers, or bool.")
    if high is None:
        low, high = 0, low
    wide = "uint64" if kind.name == "uint64" else "int64"
    last = _bound(high, wide, 0 if endpoint else 1)
    return _bound(low, wide, 0), last, kind.name


def _bound(value: Any, dtype: str, less: int) -> Variable:
    if isinstance(value, Variable):
        if np.dtype(value.dtype).kind not in "iub":
            raise TypeError(
                f"[integers] the bound {value} is of {value.dtype}; it has to be of integers."
            )
        bound = ops.cast(value, dtype=dtype)
        return bound - np.dtype(dtype).type(less) if less else bound
    # With Python's integers, since one more than the last may be none of the dtype.
    exact = np.asarray(np.asarray(value, object) - less, object)
    if not all(isinstance(one, (int, np.integer)) for one in exact.ravel()):
        raise TypeError(f"[integers] the bound is {value!r}; it has to be an integer.")
    limits = np.iinfo(dtype)
    for one in exact.ravel():
        if not limits.min <= one <= limits.max:
            raise ValueError(f"[integers] the bound {one} is out of bounds for {dtype}")
    return constant(exact.astype(dtype))


__all__ = ["bounds"]
