"""Arrays in every layout: what an Op may write to, and what its inputs may look like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from thunkvm._core import Apply, TensorType
from thunkvm.nearest import did_you_mean

#: What outputs may hold when an Op runs, as PyTensor calls it: nothing (``initial``), the result of
#: an earlier call, other memory in C or Fortran order, with gaps, backwards, and of another shape.
LAYOUTS = (
    "initial",
    "previous",
    "c_contiguous",
    "f_contiguous",
    "strided",
    "negative",
    "wrong_size",
)
#: Of those, what the machine lends to kernels of its own.
GAPLESS = ("initial", "previous", "c_contiguous", "f_contiguous", "wrong_size")


def layouts_of(asked: str | Sequence[str]) -> tuple[str, ...]:
    """Return the layouts that an option names: ``"ALL"``, ``"previous:strided"`` or a sequence.

    Raises
    ------
    ValueError
        If there is no such layout.

    Examples
    --------
    >>> from thunkvm.checking.layouts import layouts_of
    >>> layouts_of("previous:strided")
    ('previous', 'strided')
    """
    names = [name for name in asked.split(":") if name] if isinstance(asked, str) else list(asked)
    if "ALL" in names:
        return LAYOUTS
    for name in names:
        if name not in LAYOUTS:
            raise ValueError(
                f"check_preallocated_output has {name!r}; it is one of {', '.join(LAYOUTS)}, or "
                "several with colons between them, or ALL." + did_you_mean(name, LAYOUTS)
            )
    return tuple(names)


def lent(layout: str, node: Apply, results: list[Any]) -> list[Any] | None:
    """Return memory in a layout for outputs like these; None where that says nothing new.

    What is no array gets None: it cannot be lent.
    """
    if layout == "initial":
        return None
    arrays = [
        _lent(layout, output.type, value)
        for output, value in zip(node.outputs, results, strict=True)
    ]
    return arrays if any(array is not None for array in arrays) else None


def _lent(layout: str, type_: Any, value: Any) -> np.ndarray | None:
    if not isinstance(type_, TensorType) or not isinstance(value, (np.ndarray, np.generic)):
        return None
    array = np.asarray(value)
    if layout == "previous":
        return np.array(array, order="K")
    if layout == "c_contiguous":
        return _filled(array.shape, array.dtype)
    if array.ndim == 0 or (layout == "f_contiguous" and array.ndim < 2):
        return None
    if layout == "f_contiguous":
        return np.asfortranarray(_filled(array.shape, array.dtype))
    if layout == "wrong_size":
        known = type_.shape
        if None not in known:
            return None
        grown = (n + (m is None) for n, m in zip(array.shape, known, strict=True))
        return _filled(tuple(grown), array.dtype)
    if layout == "strided":
        return _filled(tuple(2 * n for n in array.shape), array.dtype)[_every(array.ndim, 2)]
    return _filled(array.shape, array.dtype)[_every(array.ndim, -1)]


def _filled(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """Return memory with what is no result: whoever adds to it, or leaves it, shows."""
    array = np.empty(shape, dtype)
    array.fill(True if dtype.kind == "b" else np.nan if dtype.kind in "fc" else 113)
    return array


def _every(ndim: int, step: int) -> tuple[slice, ...]:
    return (slice(None, None, step),) * ndim


def input_layouts(values: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the same inputs with their arrays in Fortran order, with gaps, and backwards."""
    ndims = [value.ndim for value in values if isinstance(value, np.ndarray)]
    if any(ndim > 1 for ndim in ndims):
        yield "in Fortran order", [_map(value, np.asfortranarray) for value in values]
    if any(ndims):
        yield "with gaps", [_map(value, _strided) for value in values]
        yield "with negative strides", [_map(value, _backwards) for value in values]


def _map(value: Any, change: Any) -> Any:
    return change(value) if isinstance(value, np.ndarray) and value.ndim else value


def _strided(array: np.ndarray) -> np.ndarray:
    memory = _filled(tuple(2 * n for n in array.shape), array.dtype)
    memory[_every(array.ndim, 2)] = array
    return memory[_every(array.ndim, 2)]


def _backwards(array: np.ndarray) -> np.ndarray:
    return array[_every(array.ndim, -1)].copy()[_every(array.ndim, -1)]
