"""Conversions between dtypes in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import Perform, performs


def integers_of(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return floats truncated to integers, what does not fit as the kernels do it.

    NumPy leaves that open, and has other values for the last elements of an array than for the
    rest: here it goes through int64 where that holds it, and is the least int64 where not.
    """
    bounds, least = np.iinfo(dtype), -(2.0**63)
    x = np.trunc(x.astype("float64"))
    fits = (x >= float(bounds.min)) & (x < float(bounds.max + 1))
    if fits.all():
        return x.astype(dtype)
    if dtype == "int32":  # for which the machine has a conversion of its own
        others = np.array(bounds.min, dtype)
    else:
        held = (x >= least) & (x < -least)
        others = np.where(held, x, least).astype("int64").astype(dtype)
    return np.where(fits, np.where(fits, x, 0).astype(dtype), others)


@performs("cast")
def _cast(node: Any) -> Perform:
    dtype = np.dtype(node.outputs[0].type.dtype)
    # Taking the real part first says that the imaginary one is not missed; astype alone warns.
    narrows = dtype.kind in "iu" and np.dtype(node.inputs[0].type.dtype).kind in "fc"
    drops = node.inputs[0].type.dtype.startswith("complex") and dtype.kind not in "bc"

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x = np.asarray(inputs[0])
        x = x.real if drops else x
        output_storage[0][0] = integers_of(x, dtype) if narrows else x.astype(dtype)

    return perform
