"""The values that share memory, and the nodes that wrote to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from thunkvm._core import Apply

#: How hard NumPy may look for an address that two strided arrays share.
WORK = 10_000


def copies(values: Sequence[Any]) -> list[Any]:
    """Return the values, with copies of the arrays, lists, dicts and sets among them."""
    return [_copy_value(value, value) for value in values]


def snapshot(values: Sequence[Any]) -> list[Any]:
    """Return copies of the arrays, lists, dicts and sets; None for what is none."""
    return [_copy_value(value, None) for value in values]


def _copy_value(value: Any, otherwise: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.array(value)
    if isinstance(value, (list, dict, set)):
        try:
            return deepcopy(value)
        except TypeError:  # it holds what cannot be copied
            return otherwise
    return otherwise


def changed_arrays(values: list[Any], before: list[Any]) -> Iterator[tuple[int, str]]:
    """Yield (index, what changed) for each array that is not what its copy is."""
    for i, (value, copy) in enumerate(zip(values, before, strict=True)):
        if copy is None or _same(value, copy):
            continue
        if not isinstance(value, np.ndarray):
            yield i, f"it was {copy!r} and is {value!r}"
            continue
        with np.errstate(all="ignore"):
            changed = np.asarray((value != copy) & ~((value != value) & (copy != copy)))
        where = tuple(int(k) for k in np.argwhere(changed)[0])
        yield i, f"element {where} was {copy[where]} and is {value[where]}"


def put_back(values: list[Any], before: list[Any]) -> None:
    """Give the arrays the elements that they had: they may be the caller's."""
    for value, copy in zip(values, before, strict=True):
        if isinstance(value, np.ndarray) and value.flags.writeable and not _same(value, copy):
            np.copyto(value, copy)


def _same(value: Any, copy: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) == len(copy) and all(map(_same, value, copy))
    if isinstance(value, dict):
        return list(value) == list(copy) and all(map(_same, value.values(), copy.values()))
    if isinstance(value, set):
        return len(value) == len(copy)
    if not isinstance(value, np.ndarray):
        return getattr(type(value), "__eq__", None) is object.__eq__ or bool(np.all(value == copy))
    if value.shape != copy.shape:
        return True  # a view whose shape was set; its elements are others' affair
    if np.array_equal(value, copy):
        return True
    return copy.dtype.kind in "fc" and np.array_equal(value, copy, equal_nan=True)


def share(a: Any, b: Any) -> bool:
    """Whether two arrays share an element's memory, as far as it can be told in short time."""
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        return a is b and not _immutable(a)
    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=WORK))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return False


def _immutable(value: Any) -> bool:
    return value is None or isinstance(value, (np.generic, int, float, complex, str, bytes, tuple))


def declared_inputs(node: Apply, output: int) -> set[int]:
    """Return the inputs that an output may share memory with, by the Op's own account.

    What a generator's `demand` hands back of its inputs is a view that needs no other declaration.
    """
    if hasattr(node.op, "demand"):
        return set(range(len(node.inputs)))
    allowed: set[int] = set()
    for name in ("view_map", "destroy_map"):
        allowed.update((getattr(node.op, name, None) or {}).get(output, ()))
    return allowed


def undeclared_views(
    node: Apply, inputs: list[Any], outputs: list[Any]
) -> Iterator[tuple[int, int]]:
    """Yield (output, input) for each pair that shares memory and is not declared to."""
    for j, value in enumerate(outputs):
        allowed = declared_inputs(node, j)
        for i, given in enumerate(inputs):
            if i not in allowed and share(value, given):
                yield j, i


def aliased_outputs(node: Apply, outputs: list[Any]) -> Iterator[tuple[int, int]]:
    """Yield pairs of outputs that share memory and are not declared views of one input."""
    for j, value in enumerate(outputs):
        for k in range(j + 1, len(outputs)):
            if not declared_inputs(node, j) & declared_inputs(node, k) and share(value, outputs[k]):
                yield j, k
