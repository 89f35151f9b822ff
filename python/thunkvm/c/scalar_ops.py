"""Between 0-d tensors and `ScalarType`: arrays in C, and plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm._core import Apply, TensorType, Variable
from thunkvm._src.graph.values import as_variable
from thunkvm.c.op import COp
from thunkvm.c.scalars import ScalarType


class ScalarFromTensor(COp):
    """The number of a 0-d tensor, as a variable of `ScalarType`; ``scalar_from_tensor(x)``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> y = tv.scalar_from_tensor(x)
    >>> y.type, tv.function([x], tv.tensor_from_scalar(y) + 1.0)(2.0)
    (ScalarType(float64), np.float64(3.0))
    """

    __props__ = ()

    def make_node(self, *inputs: Any, **attributes: Any) -> Apply:
        """Take a 0-d tensor."""
        (x,) = inputs
        x = as_variable(x)
        if not isinstance(x.type, TensorType) or x.type.ndim != 0:
            raise TypeError(f"scalar_from_tensor takes a 0-d tensor, but {x} is a {x.type}.")
        return Apply(self, [x], [ScalarType(x.type.dtype)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Take the array's only element."""
        output_storage[0][0] = np.dtype(node.inputs[0].dtype).type(inputs[0])

    def c_code(
        self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]
    ) -> str:
        """Read the array's only element."""
        (x,), (z,) = inputs, outputs
        return f"{z} = *({node.outputs[0].type.c_element_type()}*)PyArray_DATA({x});"

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        """Return the gradient as a tensor."""
        return [tensor_of(output_gradients[0])]


class TensorFromScalar(COp):
    """The 0-d tensor of a variable of `ScalarType`; ``tensor_from_scalar(s)``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> s = tv.ScalarType("float64")("s")
    >>> tv.function([s], tv.exp(tv.tensor_from_scalar(s)))(0.0)
    np.float64(1.0)
    """

    __props__ = ()

    def make_node(self, *inputs: Any, **attributes: Any) -> Apply:
        """Take a number."""
        (s,) = inputs
        if not isinstance(getattr(s, "type", None), ScalarType):
            raise TypeError(f"tensor_from_scalar takes a variable of ScalarType, but got {s!r}.")
        return Apply(self, [s], [TensorType(s.type.dtype, ())()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Make an array of the number."""
        output_storage[0][0] = np.asarray(inputs[0])

    def c_code(
        self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]
    ) -> str:
        """Make an array, unless there is the one of an earlier call."""
        (s,), (z,) = inputs, outputs
        of_element, number = node.inputs[0].type.dtype_specs()[1:]
        return f"""
            if ({z} == NULL) {{
              {z} = (PyArrayObject*)PyArray_EMPTY(0, NULL, {number}, 0);
              if ({z} == NULL) {{ {sub["fail"]} }}
            }}
            *({of_element}*)PyArray_DATA({z}) = {s};"""

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        """Return the gradient as a number."""
        return [number_of(output_gradients[0])]


scalar_from_tensor = ScalarFromTensor()
tensor_from_scalar = TensorFromScalar()


def number_of(x: Variable) -> Variable:
    """Return the number of a 0-d tensor; of one that was made of a number that number itself."""
    return _convert_scalar(x, scalar_from_tensor, TensorFromScalar)


def tensor_of(s: Variable) -> Variable:
    """Return the 0-d tensor of a number; of one that is a tensor's that tensor itself.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.c.scalar_ops import tensor_of
    >>> x = tv.scalar("x")
    >>> tensor_of(tv.scalar_from_tensor(x)) is x
    True
    """
    return _convert_scalar(s, tensor_from_scalar, ScalarFromTensor)


def _convert_scalar(variable: Variable, convert: Any, inverse: type) -> Variable:
    node = variable.owner
    if node is not None and isinstance(node.op, inverse):
        return node.inputs[0]
    converted: Variable = convert(variable)
    return converted
