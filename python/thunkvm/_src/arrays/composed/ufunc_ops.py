"""Ops that are a ufunc of NumPy's, where there is no kernel: `NumPyUfunc`."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Apply, Variable
from thunkvm._src.arrays.creation import zeros_like
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.types import tensor
from thunkvm._src.graph.values import as_variable

#: The derivatives that are not 0, by ufunc and operand: the factor of the cotangent.
SLOPES = {"nextafter": (1.0, 0.0), "spacing": (0.0,), "bitwise_count": (0.0,)}


class NumPyUfunc(Op):
    """A ufunc of one result, whose derivatives are constants."""

    __props__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        if name not in SLOPES:
            raise ValueError(f"[{name}] it is none of {', '.join(SLOPES)}.")
        self.name = name

    def make_node(self, *inputs: Any) -> Apply:
        """Take operands in the dtypes in which NumPy computes them, with as many axes each."""
        variables = [as_variable(each) for each in inputs]
        weak = [type(each) in (int, float) for each in inputs]
        kinds: list[Any] = [
            type(each) if is_weak and not all(weak) else np.dtype(x.dtype)
            for each, is_weak, x in zip(inputs, weak, variables, strict=True)
        ]
        try:
            *dtypes, result = getattr(np, self.name).resolve_dtypes((*kinds, None))
        except TypeError:
            given = " and ".join(x.dtype for x in variables)
            raise TypeError(f"[{self.name}] is not defined for {given}, as in NumPy.") from None
        variables = [astype(x, dtype) for x, dtype in zip(variables, dtypes, strict=True)]
        ndim = max(x.ndim for x in variables)
        variables = [_with_axes(x, ndim) for x in variables]
        shape = [_common(sizes) for sizes in zip(*(x.type.shape for x in variables), strict=True)]
        return Apply(self, variables, [tensor(dtype=result.name, shape=shape)])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call NumPy."""
        output_storage[0][0] = np.asarray(getattr(np, self.name)(*inputs))

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Return the shape of one operand; of several they have to be broadcast."""
        return [input_shapes[0] if len(input_shapes) == 1 else None]

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Any]:
        """Return the constant slopes times the cotangent."""
        out: list[Any] = []
        for x, slope in zip(inputs, SLOPES[self.name], strict=True):
            if slope == 0.0:
                out.append(zeros_like(x) if np.dtype(x.dtype).kind == "f" else None)
            else:
                out.append(ops.unbroadcast(output_gradients[0] * slope, ops.shape(x)))
        return out

    def batch(self, node: Apply, inputs: list[Variable], batched: list[bool]) -> list[Variable]:
        """Return the ufunc of the stacks, with a new axis where an operand is none."""
        stacks = [
            x if is_stack else ops.expand_dims(x, axis=(0,))
            for x, is_stack in zip(inputs, batched, strict=True)
        ]
        return [self(*stacks)]


def _with_axes(x: Variable, ndim: int) -> Variable:
    missing = tuple(range(ndim - x.ndim))
    return ops.expand_dims(x, axis=missing) if missing else x


def _common(sizes: tuple[int | None, ...]) -> int | None:
    """Return the length of an axis that operands have together, if it is known."""
    longer = [n for n in sizes if n != 1]
    known = [n for n in longer if n is not None]
    return known[0] if known else None if longer else 1


__all__ = ["NumPyUfunc"]
