"""Indexing in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import Perform, performs


def _key(index: list[str]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """Return the function that makes NumPy's key of the integers and arrays that are inputs."""

    def key(inputs: list[Any]) -> tuple[Any, ...]:
        rest = iter(inputs)

        def number(text: str) -> int | None:
            if text == "":
                return None
            return int(next(rest)) if text == "?" else int(text)

        def index_item(text: str) -> Any:
            if text == "[]":
                # A copy: NumPy checks all indices before it reads them once more.
                return np.array(next(rest))
            if text == "newaxis":
                return None
            if text == "...":
                return Ellipsis
            if ":" in text:
                return slice(*[number(part) for part in text.split(":")])
            return number(text)

        return tuple(index_item(text) for text in index)

    return key


@performs("subtensor", "advanced_subtensor")
def _subtensor(node: Any) -> Perform:
    key = _key(node.op.attrs["index"])

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.asarray(inputs[0])[key(inputs[1:])]

    return perform


@performs("slice_length")
def _slice_length(node: Any) -> Perform:
    key = _key([node.op.attrs["slice"]])

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        length, *integers = (int(number) for number in inputs)
        output_storage[0][0] = np.int64(len(range(*key(integers)[0].indices(length))))

    return perform


@performs("set_subtensor", "advanced_set_subtensor")
def _set(node: Any) -> Perform:
    key = _key(node.op.attrs["index"])

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        out = np.array(inputs[0])
        out[key(inputs[2:])] = inputs[1]
        output_storage[0][0] = out

    return perform


@performs("inc_subtensor", "advanced_inc_subtensor")
def _inc(node: Any) -> Perform:
    key = _key(node.op.attrs["index"])
    repeats = node.op.name == "advanced_inc_subtensor"

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        out, at = np.array(inputs[0]), key(inputs[2:])
        if repeats:
            np.add.at(out, at, inputs[1])
        else:
            out[at] += inputs[1]
        output_storage[0][0] = out

    return perform


@performs("take")
def _take(node: Any) -> Perform:
    axis, leading = node.op.attrs["axis"], node.op.attrs["leading"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x, positions = (np.asarray(value) for value in inputs)
        if leading == 0:
            output_storage[0][0] = np.take(x, positions, axis=axis)
            return
        at = axis % x.ndim
        shape = x.shape[:at] + positions.shape[leading:] + x.shape[at + 1 :]
        out = np.empty(shape, x.dtype)
        for entry in np.ndindex(x.shape[:leading]):
            out[entry] = np.take(x[entry], positions[entry], axis=at - leading)
        output_storage[0][0] = out

    return perform


@performs("add_at")
def _add_at(node: Any) -> Perform:
    axis, leading = node.op.attrs["axis"], node.op.attrs["leading"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        out, positions, value = np.array(inputs[0]), np.array(inputs[1]), np.asarray(inputs[2])
        at = axis % out.ndim
        before = (slice(None),) * (at - leading)
        # As take: where nothing is walked over, positions are not looked at.
        for entry in np.ndindex(out.shape[:leading]) if 0 not in out.shape[:at] else ():
            np.add.at(out[entry], (*before, positions[entry]), value[entry])
        output_storage[0][0] = out

    return perform
