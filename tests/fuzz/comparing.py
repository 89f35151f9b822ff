"""Results of calls: what they give or raise, and how two of them are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

import thunkvm as tv

KERNELS = tv.Mode("cvm", compile="never")


def results(function: Any, arguments: list[np.ndarray]) -> Any:
    """What a call gives, or the message of what it raises."""
    try:
        return function(*arguments)
    except (IndexError, ValueError, ZeroDivisionError) as error:
        return f"{type(error).__name__}: {error}"


def errors(
    inputs: list[tv.Variable], outputs: list[tv.Variable], arguments: list[np.ndarray]
) -> set[str]:
    """What the kernels of these values raise, and of all that they are computed from.

    Where several nodes of a graph raise, which of them runs first is not promised. Lengths are
    asked of what is there: alone, and where the arrays that they are broadcast from are.
    """
    messages, seen, left = set(), set(inputs), list(outputs)
    while left:
        value = left.pop()
        if value in seen:
            continue
        seen.add(value)
        if value.owner is not None:
            left.extend(value.owner.inputs)
            of = value.owner.inputs[0].owner if value.owner.op.name == "shape" else None
            for computed in [value], [value, *(of.inputs if of is not None else [])]:
                f = tv.function(inputs, computed, mode=KERNELS, on_unused_input="ignore")
                got = results(f, arguments)
                messages |= {got} if isinstance(got, str) else set()
    return messages


def bits(value: Any) -> bytes:
    """The bits of a result; all NaNs alike."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.tobytes()


def alike(a: Any, b: Any) -> bool:
    """True if two calls gave the same."""
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    return [bits(value) for value in a] == [bits(value) for value in b]
