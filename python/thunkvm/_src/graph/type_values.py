"""The answers of Types about values: whether they are any of theirs, equal, or share memory.

Attached to `Type` and `TensorType` by ``thunkvm._src.variable``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._core import Type, Variable

#: What `values_eq_approx` allows by itself, as Theano's: relative and absolute, for double and for
#: single precision.
TOLERANCES = {"d": (1e-5, 1e-8), "f": (1e-3, 1e-5), "e": (1e-2, 1e-3)}


def make_variable(self: Type, name: str | None = None) -> Variable:
    """Return a fresh variable of this Type: ``self(name)``."""
    return self(name)


def is_valid_value(self: Type, value: Any, strict: bool = True) -> bool:
    """Return whether `filter` takes the value."""
    try:
        self.filter(value, strict=strict)
    except (TypeError, ValueError):
        return False
    return True


@property  # type: ignore[misc]
def broadcastable(self: Any) -> tuple[bool, ...]:
    """For each axis whether its length is known to be 1."""
    return tuple(length == 1 for length in self.shape)


@staticmethod  # type: ignore[misc]
def values_eq(a: Any, b: Any, force_same_dtype: bool = True) -> bool:
    """Return whether two arrays are equal, NaN being equal to NaN.

    Parameters
    ----------
    a, b : ndarray
    force_same_dtype : bool
        Whether arrays of two dtypes differ.
    """
    a, b = np.asarray(a), np.asarray(b)
    return not (force_same_dtype and a.dtype != b.dtype) and bool(
        np.array_equal(a, b, equal_nan=a.dtype.kind in "fc" and b.dtype.kind in "fc")
    )


@staticmethod  # type: ignore[misc]
def values_eq_approx(
    a: Any,
    b: Any,
    allow_remove_inf: bool = False,
    allow_remove_nan: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
) -> bool:
    """Return whether two arrays have one dtype and shape, and are nearly equal.

    NaN is equal to NaN, and an infinity to itself.

    Parameters
    ----------
    a, b : ndarray
    allow_remove_inf, allow_remove_nan : bool
        Whether an infinity, or a NaN, in `a` is near everything.
    rtol, atol : float, optional
        ``abs(a - b) <= atol + rtol * abs(b)``; Theano's for the dtype if left out.
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    relative, absolute = TOLERANCES[np.zeros((), a.dtype).real.dtype.char]
    near = np.isclose(
        a,
        b,
        rtol=relative if rtol is None else rtol,
        atol=absolute if atol is None else atol,
        equal_nan=True,
    )
    if allow_remove_inf:
        near |= np.isinf(a)
    if allow_remove_nan:
        near |= np.isnan(a)
    return bool(np.all(near))


@staticmethod  # type: ignore[misc]
def may_share_memory(a: Any, b: Any) -> bool:
    """Return whether both are arrays whose memory may overlap."""
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.may_share_memory(a, b)


__all__ = [
    "broadcastable", "is_valid_value", "make_variable", "may_share_memory", "values_eq",
    "values_eq_approx",
]  # fmt: skip
