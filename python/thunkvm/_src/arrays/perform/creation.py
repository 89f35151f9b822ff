"""New arrays in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.shape import countable_diagonal
from thunkvm._src.arrays.perform.table import Perform, performs


@performs("full")
def _full(node: Any) -> Perform:
    dtype = np.dtype(node.outputs[0].type.dtype)

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.full(inputs[0].tolist(), inputs[1], dtype)

    return perform


@performs("arange")
def _arange(node: Any) -> Perform:
    dtype = np.dtype(node.outputs[0].type.dtype)

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        # As Python numbers: NumPy's own count through scalars of theirs, whose division by zero is
        # an infinity.
        output_storage[0][0] = np.arange(*(value.item() for value in inputs), dtype=dtype)

    return perform


@performs("arange_length")
def _arange_length(node: Any) -> Perform:
    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        start, stop, step = (value.item() for value in inputs)
        if step == 0:
            raise ZeroDivisionError("[arange] division by zero: step is 0")
        whole = isinstance(start, int)
        length = len(range(start, stop, step)) if whole else math.ceil((stop - start) / step)
        output_storage[0][0] = np.int64(max(length, 0))

    return perform


@performs("eye")
def _eye(node: Any) -> Perform:
    dtype, k = np.dtype(node.outputs[0].type.dtype), node.op.attrs["k"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        rows, columns = int(inputs[0]), int(inputs[1])
        near = countable_diagonal(k, (rows, columns))
        output_storage[0][0] = np.eye(rows, columns, k=near, dtype=dtype)

    return perform
