"""Reductions in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.summing import reduced
from thunkvm._src.arrays.perform.table import Perform, performs


def _axes(node: Any) -> tuple[int, ...] | None:
    axis = node.op.attrs["axis"]
    return None if axis is None else tuple(axis)


def _wide(dtype: str) -> str:
    """Return the dtype that a mean of this dtype is computed in."""
    return {"float16": "float32"}.get(dtype, dtype if dtype[0] in "fc" else "float64")


def _reduction(name: str, function: Callable[..., Any]) -> None:
    """Register a function of (x, axis=, keepdims=) that gives the declared dtype by itself."""

    @performs(name)
    def _maker(node: Any) -> Perform:
        axes, keepdims = _axes(node), node.op.attrs["keepdims"]

        def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
            output_storage[0][0] = function(inputs[0], axis=axes, keepdims=keepdims)

        return perform


_reduction("sum", lambda x, axis, keepdims: reduced(np.add, x, axis, keepdims=keepdims))
_reduction("prod", lambda x, axis, keepdims: reduced(np.multiply, x, axis, keepdims=keepdims))
_reduction("any", np.any)
_reduction("all", np.all)


def _identity(dtype: np.dtype, largest: bool) -> Any:
    """Return the value that every element takes the place of."""
    if dtype.kind == "b":
        return not largest
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if largest else np.iinfo(dtype).max
    infinity = -np.inf if largest else np.inf
    return complex(infinity, infinity) if dtype.kind == "c" else infinity


@performs("max", "min")
def _extremum(node: Any) -> Perform:
    axes, keepdims = _axes(node), node.op.attrs["keepdims"]
    largest = node.op.name == "max"
    function = np.max if largest else np.min
    initial: dict[str, Any] = {}
    if node.op.attrs["or_identity"]:
        initial["initial"] = _identity(np.dtype(node.inputs[0].type.dtype), largest)

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = function(inputs[0], axis=axes, keepdims=keepdims, **initial)

    return perform


def _mean(x: Any, axes: tuple[int, ...] | None, keepdims: bool, dtype: str) -> Any:
    # np.mean would warn about an empty slice; the quotient of zeros is the same NaN.
    total = reduced(np.add, x, axes, dtype=dtype, keepdims=keepdims)
    return np.true_divide(total, np.asarray(np.size(x) // max(np.size(total), 1), total.real.dtype))


@performs("mean")
def _mean_maker(node: Any) -> Perform:
    axes, keepdims = _axes(node), node.op.attrs["keepdims"]
    dtype, wide = node.outputs[0].type.dtype, _wide(node.inputs[0].type.dtype)

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = _mean(inputs[0], axes, keepdims, wide).astype(dtype)

    return perform


@performs("var", "std")
def _spread(node: Any) -> Perform:
    axes, keepdims, ddof = _axes(node), node.op.attrs["keepdims"], node.op.attrs["ddof"]
    dtype, wide = node.outputs[0].type.dtype, _wide(node.inputs[0].type.dtype)
    is_root = node.op.name == "std"

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x = np.asarray(inputs[0]).astype(wide)
        deviation = x - _mean(x, axes, True, wide)
        squares = (deviation * deviation.conj()).real
        total = reduced(np.add, squares, axes, keepdims=keepdims)
        count = np.size(x) // max(np.size(total), 1)
        variance = np.true_divide(total, np.asarray(max(count - ddof, 0), squares.dtype))
        output_storage[0][0] = (np.sqrt(variance) if is_root else variance).astype(dtype)

    return perform


@performs("argmax", "argmin")
def _arg_extremum(node: Any) -> Perform:
    axis, keepdims = node.op.attrs["axis"], node.op.attrs["keepdims"]
    function = np.argmax if node.op.name == "argmax" else np.argmin

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = function(inputs[0], axis=axis, keepdims=keepdims)

    return perform


@performs("cumsum", "cumprod")
def _cumulative(node: Any) -> Perform:
    axis = node.op.attrs["axis"]
    function = np.cumsum if node.op.name == "cumsum" else np.cumprod

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = function(inputs[0], axis=axis)

    return perform


@performs("recurrence")
def _recurrence(node: Any) -> Perform:
    axis = node.op.attrs["axis"]

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        factors, terms = (np.moveaxis(x, axis, 0) for x in inputs)
        out = terms.copy()
        for k in range(1, len(out)):
            out[k] += factors[k] * out[k - 1]
        output_storage[0][0] = np.moveaxis(out, 0, axis)

    return perform


@performs("prod_of_others")
def _prod_of_others(node: Any) -> Perform:
    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x = inputs[0]
        out = np.empty_like(x)
        for i in range(x.shape[-1]):
            out[..., i] = np.prod(np.delete(x, i, axis=-1), axis=-1)
        output_storage[0][0] = out

    return perform
