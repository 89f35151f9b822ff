"""Arrays in every layout: what an Op may write to, and what its inputs may look like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from thunkvm._core import Apply, TensorType
from thunkvm._src.teaching.nearest import did_you_mean

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
#: Those among them that the machine lends to kernels of its own.
GAPLESS = ("initial", "previous", "c_contiguous", "f_contiguous", "wrong_size")


Make = Callable[[tuple[int, ...], "np.dtype[Any]"], np.ndarray]
#: Elements around small memory that nobody may write to.
MARGIN = 16


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


class Lent:
    """Memory for outputs, with margins around it that nobody may write to.

    Attributes
    ----------
    arrays : list
        An array for each output, or None for what cannot be lent. Whoever runs with it takes them.
    """

    def __init__(self, arrays: list[np.ndarray | None], guarded: bool) -> None:
        self.arrays = arrays
        self._around = [_margins(array) if guarded else [] for array in arrays]

    def overrun(self) -> int | None:
        """Return the first output around whose memory something was written; None if none is."""
        for j, margins in enumerate(self._around):
            if not all(_is_filling(margin) for margin in margins):
                return j
        return None


def lent(layout: str, node: Apply, results: list[Any], guarded: bool) -> Lent | None:
    """Return memory in a layout for outputs like these; None where that says nothing new.

    With `guarded` it has margins, and so no array owns its memory.
    """
    if layout == "initial":
        return None
    make = _guarded_array if guarded else _filled_array
    arrays = [
        _lent(layout, output.type, value, make)
        for output, value in zip(node.outputs, results, strict=True)
    ]
    return Lent(arrays, guarded) if any(array is not None for array in arrays) else None


def _lent(layout: str, type_: Any, value: Any, make: Make) -> np.ndarray | None:
    if not isinstance(type_, TensorType) or not isinstance(value, (np.ndarray, np.generic)):
        return None
    array = np.asarray(value)
    if layout == "previous":
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        earlier = (
            _fortran(array.shape, array.dtype, make) if fortran else make(array.shape, array.dtype)
        )
        earlier[...] = array
        return earlier
    if layout == "c_contiguous":
        return make(array.shape, array.dtype)
    if array.ndim == 0 or (layout == "f_contiguous" and array.ndim < 2):
        return None
    if layout == "f_contiguous":
        return _fortran(array.shape, array.dtype, make)
    if layout == "wrong_size":
        known = type_.shape
        if None not in known:
            return None
        grown = (n + (m is None) for n, m in zip(array.shape, known, strict=True))
        return make(tuple(grown), array.dtype)
    if layout == "strided":
        return make(tuple(2 * n for n in array.shape), array.dtype)[_every(array.ndim, 2)]
    return make(array.shape, array.dtype)[_every(array.ndim, -1)]


def _fortran(shape: tuple[int, ...], dtype: np.dtype[Any], make: Make) -> np.ndarray:
    return (
        make(shape[::-1], dtype).T
        if make is _guarded_array
        else np.asfortranarray(make(shape, dtype))
    )


def _fill_value(array: np.ndarray) -> Any:
    """Return what is no result: whoever adds to it, or leaves it, shows."""
    kind = array.dtype.kind
    return array.dtype.type(True if kind == "b" else np.nan if kind in "fc" else 113)


def _is_filling(array: np.ndarray) -> bool:
    return bool(
        np.all(np.isnan(array) if array.dtype.kind in "fc" else array == _fill_value(array))
    )


def _filled_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    array = np.empty(shape, dtype)
    array.fill(_fill_value(array))
    return array


def _guarded_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """Return an array in the middle of three times its memory."""
    size = int(np.prod(shape, dtype=np.int64))
    margin = size + MARGIN
    memory = _filled_array((size + 2 * margin,), dtype)
    return memory[margin : margin + size].reshape(shape)


def _margins(array: np.ndarray | None) -> list[np.ndarray]:
    """Return the margins of a guarded array's memory."""
    if array is None:
        return []
    memory = array
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    margin = (memory.size - 2 * MARGIN) // 3 + MARGIN
    return [memory[:margin], memory[memory.size - margin :]]


def _every(ndim: int, step: int) -> tuple[slice, ...]:
    return (slice(None, None, step),) * ndim


def input_layouts(values: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the same inputs with their arrays in Fortran order, with gaps, and backwards."""
    ndims = [value.ndim for value in values if isinstance(value, np.ndarray)]
    if any(ndim > 1 for ndim in ndims):
        yield "in Fortran order", [_map(value, np.asfortranarray) for value in values]
    if any(ndims):
        yield "with gaps", [_map(value, _strided_copy) for value in values]
        yield "with negative strides", [_map(value, _backwards) for value in values]


def _map(value: Any, change: Any) -> Any:
    return change(value) if isinstance(value, np.ndarray) and value.ndim else value


def _strided_copy(array: np.ndarray) -> np.ndarray:
    memory = _guarded_array(tuple(2 * n for n in array.shape), array.dtype)
    memory[_every(array.ndim, 2)] = array
    return memory[_every(array.ndim, 2)]


def _backwards(array: np.ndarray) -> np.ndarray:
    memory = _guarded_array(array.shape, array.dtype)[_every(array.ndim, -1)]
    memory[...] = array
    return memory
