"""Whether what an Op infers of shapes is what it computes: for modes and tests that check Ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Apply, TensorType, Variable


def inferred_shapes(node: Apply, inputs: Sequence[Any]) -> list[tuple[int, ...] | None]:
    """Return the shapes that a node's Op infers for these values of its inputs.

    Parameters
    ----------
    node : Apply
    inputs : sequence
        A value for each input of the node.

    Returns
    -------
    list
        A tuple of lengths for each output; None for one that has to be computed to know.

    Raises
    ------
    TypeError, ValueError
        As `infer_shape` does, or as what it returned for an output breaks the rule.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> from thunkvm.checking.inferred import inferred_shapes
    >>> x, y = tv.matrix("x"), tv.vector("y")
    >>> inferred_shapes((x + y).owner, [np.zeros((2, 1)), np.zeros(3)])
    [(2, 3)]
    """
    from thunkvm._src.calls.function import function

    lengths: list[Variable] = []
    known: list[int] = []
    shapes: list[tuple[Variable, ...] | None] = []
    for variable, value in zip(node.inputs, inputs, strict=True):
        if not isinstance(variable.type, TensorType):
            shapes.append(None)
            continue
        own = tuple(_core.input_variable(TensorType("int64", ())) for _ in np.shape(value))
        shapes.append(own)
        lengths += own
        known += np.shape(value)
    inferred = _core.infer_shape(node, shapes)
    asked = [length for shape in inferred for length in shape or ()]
    values = {v: (v.type(), x) for v, x in zip(node.inputs, inputs, strict=True) if _is_given(v)}
    compute = function(
        [*lengths, *(fresh for fresh, _ in values.values())],
        asked,
        givens={variable: fresh for variable, (fresh, _) in values.items()},
        mode="vm",
        on_unused_input="ignore",
    )
    found = iter(compute(*known, *(value for _, value in values.values())))
    return [None if shape is None else tuple(int(next(found)) for _ in shape) for shape in inferred]


def _is_given(variable: Variable) -> bool:
    return variable.leaf != "constant"


def check_shapes(node: Apply, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Raise where a node's Op infers another shape for an output than that has.

    Parameters
    ----------
    node : Apply
    inputs, outputs : sequence
        The values of its inputs and outputs.

    Raises
    ------
    ValueError
        With the Op, the output, both shapes and the shapes of the inputs.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> from thunkvm.checking.inferred import check_shapes
    >>> double = tv.as_op(lambda x: np.append(x, x), [tv.dvector], [tv.dvector],
    ...                   infer_shape=lambda node, input_shapes: input_shapes)
    >>> node = double(tv.vector("x")).owner
    >>> check_shapes(node, [np.zeros(2)], [np.zeros(4)])
    Traceback (most recent call last):
    ...
    ValueError: <lambda> infers the shape (2,) for output 0, but that has the shape (4,), ...
    """
    for j, (said, value) in enumerate(zip(inferred_shapes(node, inputs), outputs, strict=True)):
        if said is None or said == np.shape(value):
            continue
        given = ", ".join(str(np.shape(x)) for x in inputs)
        raise ValueError(
            f"{node.op} infers the shape {said} for output {j}, but that has the shape "
            f"{np.shape(value)}, of inputs with the shapes {given}; infer_shape has to return what "
            "the Op computes, or None for an output whose shape it cannot tell."
        )
