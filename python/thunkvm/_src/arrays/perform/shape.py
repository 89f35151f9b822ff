"""Shapes, views, joins and diagonals in NumPy."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.summing import reduced
from thunkvm._src.arrays.perform.table import Perform, performs, performs_unary

performs_unary("shape", lambda x: np.array(np.shape(x), dtype="int64"))
performs_unary("size", lambda x: np.int64(np.size(x)))


@performs("length")
def _length(node: Any) -> Perform:
    axis = node.op.attrs["axis"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.int64(np.shape(inputs[0])[axis])

    return perform


def _match_lengths(axis_a: int, a: int, axis_b: int, b: int) -> int:
    if a != b:
        raise ValueError(
            f"[tensordot] shape-mismatch for sum: axis {axis_a} of a has length {a}, but axis "
            f"{axis_b} of b, which meets it, has length {b}"
        )
    return a


@performs("matched_lengths")
def _matched_lengths(node: Any) -> Perform:
    axes_a, axes_b = node.op.attrs["axes_a"], node.op.attrs["axes_b"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        a, b = (np.shape(x) for x in inputs)
        lengths = [
            _match_lengths(axis_a, a[axis_a], axis_b, b[axis_b])
            for axis_a, axis_b in zip(axes_a, axes_b, strict=True)
        ]
        output_storage[0][0] = np.array(lengths, dtype="int64")

    return perform


@performs("broadcast_shape")
def _broadcast_shape(node: Any) -> Perform:
    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        shapes = [np.shape(x) for x in inputs]
        try:
            together = np.broadcast_shapes(*shapes)
        except ValueError:
            raise ValueError(
                "[broadcast_shape] operands could not be broadcast together: the shapes "
                f"{' '.join(map(str, shapes))} do not agree, and only axes of length 1 are repeated"
            ) from None
        output_storage[0][0] = np.array(together, dtype="int64")

    return perform


@performs("broadcast_length")
def _broadcast_length(node: Any) -> Perform:
    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        together = {int(length) for length in inputs} - {1}
        if len(together) > 1:
            raise ValueError(
                "[broadcast_length] operands could not be broadcast together: axes of lengths "
                f"{' and '.join(map(str, sorted(together)))} do not agree, and only axes of length "
                "1 are repeated"
            )
        output_storage[0][0] = np.int64(together.pop() if together else 1)

    return perform


@performs("matched_length")
def _matched_length(node: Any) -> Perform:
    axis_a, axis_b = node.op.attrs["axis_a"], node.op.attrs["axis_b"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        a, b = inputs
        output_storage[0][0] = np.int64(_match_lengths(axis_a, a, axis_b, b))

    return perform


@performs("reshaped_length")
def _reshaped_length(node: Any) -> Perform:
    axis = node.op.attrs["axis"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        size, *lengths = (int(number) for number in inputs)
        output_storage[0][0] = np.int64(_resolve_lengths(size, lengths)[axis])

    return perform


def _resolve_lengths(size: int, lengths: list[int]) -> list[int]:
    """Return the lengths, with what is left for the one that is -1."""
    known = math.prod(length for length in lengths if length != -1)
    unknown = lengths.count(-1)
    fits = known == size if unknown == 0 else known != 0 and size % known == 0
    if unknown > 1 or any(length < -1 for length in lengths) or not fits:
        raise ValueError(f"[reshape] cannot reshape array of size {size} into shape {lengths}")
    return [size // known if length == -1 else length for length in lengths]


@performs("reshape")
def _reshape(node: Any) -> Perform:
    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.reshape(inputs[0], inputs[1].tolist())

    return perform


@performs("broadcast_to")
def _broadcast_to(node: Any) -> Perform:
    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x, shape = np.asarray(inputs[0]), tuple(inputs[1].tolist())
        if math.prod(shape) * x.itemsize > sys.maxsize:
            raise ValueError(
                f"[broadcast_to] an array of shape {shape} and dtype {x.dtype} is larger than the "
                "address space"
            )
        output_storage[0][0] = np.broadcast_to(x, shape)

    return perform


@performs("unbroadcast")
def _unbroadcast(node: Any) -> Perform:
    leading = node.op.attrs["leading"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x = np.asarray(inputs[0])
        shape = x.shape[:leading] + tuple(inputs[1].tolist())
        if x.shape == shape:  # a sum along no axis would make 0 of -0
            output_storage[0][0] = x
            return
        extra = x.ndim - len(shape)
        added = tuple(range(leading, leading + extra))
        lengths = x.shape[:leading] + x.shape[leading + extra :]
        axes = tuple(i for i, n in enumerate(shape) if i >= leading and n == 1 != lengths[i])
        if tuple(1 if i in axes else n for i, n in enumerate(lengths)) != shape:
            raise ValueError(
                f"[unbroadcast] an array of shape {np.shape(inputs[0])} cannot be summed down to "
                f"shape {shape}: no array of that shape broadcasts to it"
            )
        gone = added + tuple(i if i < leading else i + extra for i in axes)
        output_storage[0][0] = reduced(np.add, x, gone, dtype=x.dtype).reshape(shape)

    return perform


@performs("transpose")
def _transpose(node: Any) -> Perform:
    axes = node.op.attrs["axes"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.transpose(inputs[0], axes)

    return perform


@performs("expand_dims")
def _expand_dims(node: Any) -> Perform:
    axes = tuple(node.op.attrs["axis"])

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.expand_dims(inputs[0], axes)

    return perform


@performs("squeeze")
def _squeeze(node: Any) -> Perform:
    axes = tuple(node.op.attrs["axis"])

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.squeeze(inputs[0], axes)

    return perform


@performs("concatenate")
def _concatenate(node: Any) -> Perform:
    axis = node.op.attrs["axis"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        # NumPy lets the sum wrap around, and writes where it has no memory.
        if sum(np.shape(part)[axis] for part in inputs) > sys.maxsize:
            raise ValueError("the joined axis is larger than the address space")
        output_storage[0][0] = np.concatenate(inputs, axis=axis)

    return perform


@performs("stack")
def _stack(node: Any) -> Perform:
    axis = node.op.attrs["axis"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.stack(inputs, axis=axis)

    return perform


@performs("one_element")
def _one_element(node: Any) -> Perform:
    role = node.op.attrs["role"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        if np.size(inputs[0]) != 1:
            raise ValueError(
                f"{role} has to be one number, but it is an array of shape {np.shape(inputs[0])}: "
                "reduce it to one element first, or choose elementwise with tv.where"
            )
        output_storage[0][0] = np.asarray(inputs[0]).reshape(())[()]

    return perform


@performs("specify_shape")
def _specify_shape(node: Any) -> Perform:
    wanted, what = node.op.attrs["shape"], node.op.attrs["what"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        shape = np.shape(inputs[0])
        for axis, (has, must) in enumerate(zip(shape, wanted, strict=True)):
            if must not in (-1, has):
                raise ValueError(
                    f"[specify_shape] {what} has shape {shape}, but axis {axis} has to have "
                    f"length {must}"
                )
        output_storage[0][0] = inputs[0]

    return perform


def countable_diagonal(k: int, shape: tuple[int, ...]) -> int:
    """Return a diagonal that NumPy can count to, which is as far beyond the corners."""
    far = max(shape)
    return max(-far, min(far, k))


@performs("diagonal")
def _diagonal(node: Any) -> Perform:
    attrs = node.op.attrs
    offset, axis1, axis2 = attrs["offset"], attrs["axis1"], attrs["axis2"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        k = countable_diagonal(offset, np.shape(inputs[0]))
        output_storage[0][0] = np.diagonal(inputs[0], k, axis1, axis2)

    return perform


@performs("set_diagonal")
def _set_diagonal(node: Any) -> Perform:
    attrs = node.op.attrs
    offset, axis1, axis2 = attrs["offset"], attrs["axis1"], attrs["axis2"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        out = np.array(inputs[0])
        matrices = np.moveaxis(out, (axis1, axis2), (-2, -1))
        rows = np.arange(np.shape(inputs[1])[-1]) + max(0, -offset)
        matrices[..., rows, rows + offset] = inputs[1]
        output_storage[0][0] = out

    return perform


@performs("tril", "triu")
def _triangle(node: Any) -> Perform:
    function = np.tril if node.op.name == "tril" else np.triu
    k = node.op.attrs["k"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = function(inputs[0], countable_diagonal(k, np.shape(inputs[0])))

    return perform
