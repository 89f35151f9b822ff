"""Conversions between dtypes in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import Perform, performs


@performs("cast")
def _cast(node: Any) -> Perform:
    dtype = np.dtype(node.outputs[0].type.dtype)
    # Taking the real part first says that the imaginary one is not missed; astype alone warns.
    drops = node.inputs[0].type.dtype.startswith("complex") and dtype.kind not in "bc"

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x = np.asarray(inputs[0])
        output_storage[0][0] = (x.real if drops else x).astype(dtype)

    return perform
