"""The comparison of a node's native code with its NumPy implementation, for the mode ``c&py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import _core

#: How far two implementations of one node may be apart, relative to the largest magnitude in the
#: result: sums in another order, and functions of a few ulp, repeated.
TOLERANCES: dict[str, float] = {"e": 1e-2, "f": 1e-4, "d": 1e-9, "F": 1e-4, "D": 1e-9}


class DisagreementError(ValueError):
    """Two implementations of a node gave different results for the same inputs."""


def compare(node: _core.Apply, inputs: list[Any], outputs: list[Any]) -> None:
    """Run a node's NumPy implementation on copies of its inputs and compare the results.

    Nothing happens for a node that has no other implementation.

    Raises
    ------
    DisagreementError
        If a result differs in shape, dtype or value. It names the node, the output, the first
        element that differs and both values.
    """
    from thunkvm.perform import PERFORMS

    maker = PERFORMS.get(node.op.name)
    perform = None if maker is None else maker(node)
    if perform is None:
        return
    storage = [[None] for _ in outputs]
    with np.errstate(all="ignore"):
        perform(node, [np.array(value)[()] for value in inputs], storage)
    for index, (native, cell) in enumerate(zip(outputs, storage, strict=True)):
        difference = _difference(np.asarray(native), np.asarray(cell[0]))
        if difference:
            raise DisagreementError(
                f"[{node.op.name}] native code and perform disagree on output {index} of "
                f"{node.outputs[index]}: {difference}. One of them is wrong."
            )


def _difference(native: np.ndarray, expected: np.ndarray) -> str:
    """Say how two results differ; an empty text if they agree."""
    if native.shape != expected.shape:
        return f"the shapes are {native.shape} and {expected.shape}"
    if native.dtype != expected.dtype:
        return f"the dtypes are {native.dtype} and {expected.dtype}"
    tolerance = TOLERANCES.get(native.dtype.char)
    if tolerance is None:
        wrong = native != expected
    else:
        finite = np.abs(expected[np.isfinite(expected)])
        largest = float(finite.max()) if finite.size else 0.0
        with np.errstate(all="ignore"):
            close = np.abs(native - expected) <= tolerance * largest
        same = (native == expected) | (np.isnan(native) & np.isnan(expected))
        wrong = ~(close | same)
    if not wrong.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    element = f"element {where} is" if where else "the values are"
    return f"{element} {native[where]!r} and {expected[where]!r}"


__all__ = ["DisagreementError", "compare"]
