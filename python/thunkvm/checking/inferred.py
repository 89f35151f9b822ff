"""The shapes that an Op's `infer_shape` says, against those that it computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm._core import Apply, TensorType, Variable
from thunkvm.values import as_variable


def misinferred(node: Apply, inputs: Sequence[Any], outputs: Sequence[Any]) -> str | None:
    """Say which output of a user's Op has another shape than `infer_shape` says.

    Parameters
    ----------
    node : Apply
    inputs, outputs : sequence
        The values of its inputs and outputs.

    Returns
    -------
    str or None
        What is wrong; None if nothing is, or if the Op has no `infer_shape` of its own.
    """
    infer = getattr(node.op, "infer_shape", None)
    if infer is None or getattr(infer, "__module__", "") == "thunkvm.op":
        return None
    free: dict[Variable, Any] = {}
    shapes = [
        _lengths(value, free) if isinstance(variable.type, TensorType) else None
        for variable, value in zip(node.inputs, inputs, strict=True)
    ]
    said = list(infer(node, shapes))
    if len(said) != len(outputs):
        return f"infer_shape has {len(said)} shapes for {len(outputs)} outputs"
    asked = [as_variable(length) for shape in said for length in shape or ()]
    found = iter(_computed(asked, node, inputs, free))
    for j, (shape, value) in enumerate(zip(said, outputs, strict=True)):
        if shape is None:
            continue
        inferred = tuple(int(next(found)) for _ in shape)
        if inferred != np.shape(value):
            return (
                f"infer_shape says {inferred} for output {j}, which has the shape "
                f"{np.shape(value)}, of inputs with the shapes "
                f"{', '.join(str(np.shape(given)) for given in inputs)}"
            )
    return None


def _lengths(value: Any, free: dict[Variable, Any]) -> tuple[Variable, ...]:
    """Return a free variable for each length of a value; note what it stands for."""
    variables = tuple(TensorType("int64", ())() for _ in np.shape(value))
    free.update(zip(variables, np.shape(value), strict=True))
    return variables


def _computed(
    asked: list[Variable], node: Apply, inputs: Sequence[Any], free: dict[Variable, Any]
) -> list[Any]:
    """Compute lengths, which may depend on the lengths and values of the node's inputs."""
    from thunkvm.function import function

    given = dict(free)
    for variable, value in zip(node.inputs, inputs, strict=True):
        if variable.leaf not in ("constant", "shared"):
            given[variable] = value
    compute = function(list(given), asked, mode="vm", on_unused_input="ignore")
    values: list[Any] = compute(*given.values())
    return values
