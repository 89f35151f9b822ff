"""The Fourier transforms as Ops, by ``numpy.fft``; `fourier` makes all others of these three.

Axes are counted from the end, so that a transform of stacks is the same Op. Each Op's adjoint is
another of them: its gradient, and by that its tangents.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Apply, Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.lengths import along, integers_below
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.types import tensor
from thunkvm._src.graph.values import as_variable

#: The norm by which the transform the other way is the adjoint.
ADJOINT_NORM = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
#: Of an FFT, for each element and each doubling of their number.
FLOPS = 5


class ComplexTransform(Op):
    """The transform of complex numbers along axes, forward or inverse."""

    __props__ = ("axes", "inverse", "norm")

    def __init__(self, axes: tuple[int, ...], inverse: bool, norm: str) -> None:
        super().__init__()
        self.axes = axes
        self.inverse = inverse
        self.norm = norm

    def make_node(self, x: Variable) -> Apply:
        """Take complex numbers."""
        return Apply(self, [x], [tensor(dtype=x.dtype, shape=x.type.shape)])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call NumPy."""
        transform: Any = np.fft.ifftn if self.inverse else np.fft.fftn
        output_storage[0][0] = transform(inputs[0], axes=self.axes, norm=self.norm)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Return the shape of the input."""
        return input_shapes

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Any]:
        """Return the adjoint of the cotangent."""
        adjoint = ComplexTransform(self.axes, not self.inverse, ADJOINT_NORM[self.norm])
        return [adjoint(output_gradients[0])]

    def batch(self, node: Apply, inputs: list[Variable], batched: list[bool]) -> list[Variable]:
        """Return the transform of the stack: axes are counted from the end."""
        return [self(*inputs)]

    def flops(self, inputs: list[Any], outputs: list[Any]) -> int:
        """Return 5 n log2(n) for each row."""
        return _flops(inputs[0], self.axes)


class RealTransform(Op):
    """The half of the transform of real numbers along an axis that says the other half too."""

    __props__ = ("axis", "norm")

    def __init__(self, axis: int, norm: str) -> None:
        super().__init__()
        self.axis = axis
        self.norm = norm

    def make_node(self, x: Variable) -> Apply:
        """Take real numbers."""
        shape = list(x.type.shape)
        n = shape[self.axis]
        shape[self.axis] = None if n is None else n // 2 + 1
        dtype = "complex64" if x.dtype == "float32" else "complex128"
        return Apply(self, [x], [tensor(dtype=dtype, shape=shape)])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call NumPy."""
        norm: Any = self.norm
        output_storage[0][0] = np.fft.rfft(inputs[0], axis=self.axis, norm=norm)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Return the shape with half of the axis."""
        shape = list(input_shapes[0])
        shape[self.axis] = shape[self.axis] // 2 + 1
        return [shape]

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Any]:
        """Return the adjoint: the inverse counts the inner ones twice, for their mirror images."""
        n = length(inputs[0], self.axis)
        cotangent = output_gradients[0] / _times(output_gradients[0], self.axis, n)
        return [HermitianTransform(self.axis, ADJOINT_NORM[self.norm])(cotangent, n)]

    def batch(self, node: Apply, inputs: list[Variable], batched: list[bool]) -> list[Variable]:
        """Return the transform of the stack: the axis is counted from the end."""
        return [self(*inputs)]

    def flops(self, inputs: list[Any], outputs: list[Any]) -> int:
        """Return half of those of complex numbers."""
        return _flops(inputs[0], (self.axis,)) // 2


class HermitianTransform(Op):
    """The `n` real numbers along an axis of whose transform a half is given."""

    __props__ = ("axis", "norm")

    def __init__(self, axis: int, norm: str) -> None:
        super().__init__()
        self.axis = axis
        self.norm = norm

    def make_node(self, x: Variable, n: Any) -> Apply:
        """Take complex numbers, ``n // 2 + 1`` along the axis, and `n`."""
        shape = list(x.type.shape)
        count = as_variable(np.int64(n) if isinstance(n, int) else n)
        if count.dtype != "int64":
            count = ops.cast(count, dtype="int64")
        shape[self.axis] = int(count.value) if count.leaf == "constant" else None
        dtype = "float32" if x.dtype == "complex64" else "float64"
        return Apply(self, [x, count], [tensor(dtype=dtype, shape=shape)])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call NumPy."""
        norm: Any = self.norm
        out = np.fft.irfft(inputs[0], n=int(inputs[1]), axis=self.axis, norm=norm)
        output_storage[0][0] = out

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Return none: the length is a value."""
        return [None]

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Any]:
        """Return the adjoint: the inner ones count twice, for their mirror images."""
        half = RealTransform(self.axis, ADJOINT_NORM[self.norm])(output_gradients[0])
        return [half * _times(half, self.axis, inputs[1]), None]

    def batch(
        self, node: Apply, inputs: list[Variable], batched: list[bool]
    ) -> list[Variable] | None:
        """Return the transform of the stack: the axis is counted from the end."""
        x, n = inputs
        if batched[1]:
            n = n[0]  # the same length in each row
        if not batched[0]:
            x = ops.expand_dims(x, axis=(0,))
        known = node.outputs[0].type.shape[self.axis]
        return [self(x, n if known is None else known)]

    def flops(self, inputs: list[Any], outputs: list[Any]) -> int:
        """Return half of those of complex numbers."""
        return _flops(outputs[0], (self.axis,)) // 2


def _times(half: Variable, axis: int, n: Any) -> Variable:
    """Return how often each element of half a transform of `n` numbers is in the whole one."""
    k = integers_below(length(half, axis))
    has_image = ops.logical_and(ops.gt(k, 0), ops.neq(k * 2, n))
    dtype = "float32" if half.dtype == "complex64" else "float64"
    return along(
        ops.cast(ops.cast(has_image, dtype="int8") + 1, dtype=dtype), axis % half.ndim, half.ndim
    )


def _flops(shape: Any, axes: tuple[int, ...]) -> int:
    rows = math.prod(shape[axis] for axis in axes)
    return int(FLOPS * math.prod(shape) * math.log2(rows)) if rows else 0


__all__ = ["ADJOINT_NORM", "ComplexTransform", "HermitianTransform", "RealTransform"]
