"""The keywords ``where=`` and ``initial=`` of reductions: some of the elements, and one more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import lengths
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.shapes import broadcast_to
from thunkvm._src.graph.values import as_variable


def mask_of(what: str, x: Variable, where: Any) -> Variable | None:
    """Return the mask of the elements that a reduction takes, or None if it takes all.

    Parameters
    ----------
    what : str
        The function, for errors.
    x : Variable
    where : Variable or array-like of bool, or None
        It is broadcast to the shape of `x`.

    Raises
    ------
    TypeError
        If it is of another dtype.
    """
    if where is None or where is True:
        return None
    mask = as_variable(where)
    if mask.dtype != "bool":
        raise TypeError(
            f"[{what}] where is {mask}, of {mask.dtype}; give bools, as a comparison makes them."
        )
    return broadcast_to(mask, lengths(x))


def mask_elements(x: Variable, mask: Variable | None, other: Any) -> Variable:
    """Return `x` with `other`, which counts for nothing, in place of the elements left out.

    Their gradient is 0, whatever they are.
    """
    return x if mask is None else ops.where(mask, x, ops.cast(other, dtype=x.dtype))


def join_initial(what: str, out: Variable, initial: Any, join: Callable[..., Any]) -> Variable:
    """Return a reduction joined with the value that it begins with.

    Parameters
    ----------
    what : str
        The function, for errors.
    out : Variable
        The reduction.
    initial : Variable or number, or None
        It is cast to the dtype of the reduction; None for none.
    join : callable
        What the reduction does with two elements.

    Raises
    ------
    ValueError
        If it is not 0-d.
    """
    if initial is None:
        return out
    first = as_variable(initial)
    if first.ndim:
        raise ValueError(f"[{what}] initial is {first}, with {first.ndim} axes; give a number.")
    result: Variable = join(astype(first, out.dtype), out)
    return result


def lowest(dtype: str) -> Any:
    """Return the number of a dtype that is above none of it; its opposite is `highest`."""
    return _extreme(np.dtype(dtype), -np.inf, "min")


def highest(dtype: str) -> Any:
    """Return the number of a dtype that is below none of it."""
    return _extreme(np.dtype(dtype), np.inf, "max")


def _extreme(dtype: np.dtype, infinity: float, end: str) -> Any:
    if dtype.kind == "b":
        return end == "max"
    if dtype.kind in "iu":
        return getattr(np.iinfo(dtype), end)
    return complex(infinity, infinity) if dtype.kind == "c" else infinity


def count_of(mask: Variable, axis: Any, keepdims: bool, dtype: str) -> Variable:
    """Return how many elements a mask takes along axes."""
    return ops.cast(ops.sum(mask, axis=axis, keepdims=keepdims), dtype=dtype)


__all__ = ["count_of", "highest", "join_initial", "lowest", "mask_elements", "mask_of"]
