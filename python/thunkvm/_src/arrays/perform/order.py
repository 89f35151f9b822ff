"""Sorted elements, and elements by their positions in rows, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import Perform, performs, performs_outputs

performs_outputs("sort", lambda x: np.sort(x, axis=-1))
performs_outputs("argsort", lambda x: np.argsort(x, axis=-1, kind="stable"))


@performs("searchsorted")
def _searchsorted(node: Any) -> Perform:
    side = node.op.attrs["side"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x, v = _rows_together(*inputs)
        out = np.empty(v.shape, np.int64)
        for index in np.ndindex(v.shape[:-1]):
            out[index] = np.searchsorted(x[index], v[index], side=side)
        output_storage[0][0] = out

    return perform


def _rows_together(*arrays: Any) -> list[Any]:
    """Return the arrays with the axes before the last one broadcast."""
    batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    return [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays]


def _take_along(x: Any, indices: Any) -> Any:
    x, indices = _rows_together(x, indices)
    return np.take_along_axis(x, indices, axis=-1)


def _add_along(x: Any, indices: Any, values: Any) -> Any:
    x, indices, values = _rows_together(x, indices, values)
    out = np.array(x)
    for index in np.ndindex(out.shape[:-1]):
        np.add.at(out[index], indices[index], values[index])
    return out


def _put_along(x: Any, indices: Any, values: Any) -> Any:
    if indices.shape[-1] != values.shape[-1]:
        raise ValueError(f"{indices.shape[-1]} positions cannot take {values.shape[-1]} values")
    x, indices, values = _rows_together(x, indices, values)
    out = np.array(x)
    for index in np.ndindex(out.shape[:-1]):
        for i, value in zip(indices[index], values[index], strict=True):
            out[index][i] = value
    return out


performs_outputs("take_along", _take_along)
performs_outputs("add_along", _add_along)
performs_outputs("put_along", _put_along)
