"""Identities with gradients of their own: `grad_clip`, `grad_scale`, `zero_grad`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Apply, Variable
from thunkvm._src.arrays.creation import zeros_like
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.values import as_variable


class Identity(Op):
    """The input itself; a subclass says what its gradient is."""

    __props__: tuple[str, ...] = ()
    view_map = {0: [0]}  # noqa: RUF012 (instances may set their own)

    def make_node(self, x: Any) -> Apply:
        """Take any tensor."""
        x = as_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Return the input."""
        output_storage[0][0] = inputs[0]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Return the shape of the input."""
        return input_shapes

    def batch(self, node: Apply, inputs: list[Variable], batched: list[bool]) -> list[Variable]:
        """Take the batch as it is: each element is its own."""
        return [self(inputs[0])]


class GradClip(Identity):
    """The identity that clips its gradient."""

    __props__ = ("lower", "upper")

    def __init__(self, lower: float, upper: float) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Variable]:
        """Clip the gradient."""
        return [ops.clip(output_gradients[0], self.lower, self.upper)]


class GradScale(Identity):
    """The identity that scales its gradient."""

    __props__ = ("multiplier",)

    def __init__(self, multiplier: float) -> None:
        super().__init__()
        self.multiplier = multiplier

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Variable]:
        """Scale the gradient."""
        return [output_gradients[0] * self.multiplier]


class ZeroGrad(Identity):
    """The identity whose gradient is zeros."""

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Variable]:
        """Return zeros, whatever the gradient is."""
        return [zeros_like(inputs[0])]


class _OfC:
    """What an identity of numbers that C has is more: it is fused with what is around it."""

    def c_element(self, node: Apply) -> str:
        return "{0}"


class GradClipElement(_OfC, GradClip):
    """The identity that clips its gradient, of numbers that C has."""


class GradScaleElement(_OfC, GradScale):
    """The identity that scales its gradient, of numbers that C has."""


class ZeroGradElement(_OfC, ZeroGrad):
    """The identity whose gradient is zeros, of numbers that C has."""


def grad_clip(x: Any, lower_bound: float, upper_bound: float) -> Variable:
    """Return `x`, whose gradient is limited to an interval.

    Parameters
    ----------
    x : Variable or array-like
        Of a float dtype.
    lower_bound, upper_bound : number
        The ends of the interval.

    Returns
    -------
    Variable
        The same values. Each element of the gradient that passes it is limited; so is each in a
        `jacobian`. A tangent (`jvp`) passes as it is.

    Raises
    ------
    TypeError
        If `x` is not of floats, or a bound is no number.
    ValueError
        If the lower bound is above the upper one.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> cost = tv.sum(tv.grad_clip(x, -1.0, 1.0) ** 2)
    >>> tv.function([x], tv.grad(cost, x))([0.25, 10.0])
    array([0.5, 1. ])
    """
    lower = _number("grad_clip", "lower_bound", lower_bound)
    upper = _number("grad_clip", "upper_bound", upper_bound)
    if not lower <= upper:
        raise ValueError(
            f"[grad_clip] lower_bound is {lower}, which is not below upper_bound = {upper}; "
            "give the ends of an interval, the lower one first."
        )
    x = _floats("grad_clip", x, "f")
    made: Variable = (GradClipElement if _is_of_c(x) else GradClip)(lower, upper)(x)
    return made


def grad_scale(x: Any, multiplier: float) -> Variable:
    """Return `x`, whose gradient is multiplied by a number.

    Parameters
    ----------
    x : Variable or array-like
        Of a float or complex dtype.
    multiplier : number
        For example -1, so that what is before it works against what is after it.

    Returns
    -------
    Variable
        The same values. Tangents (`jvp`) are multiplied too.

    Raises
    ------
    TypeError
        If `x` is not of floats, or `multiplier` is no number.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> y = tv.grad_scale(x, -1.0) ** 2
    >>> [float(v) for v in tv.function([x], [y, tv.grad(y, x)])(3.0)]
    [9.0, -6.0]
    """
    factor = _number("grad_scale", "multiplier", multiplier)
    x = _floats("grad_scale", x, "fc")
    made: Variable = (GradScaleElement if _is_of_c(x) else GradScale)(factor)(x)
    return made


def zero_grad(x: Any) -> Variable:
    """Return `x`, whose gradient is zeros: what is before it counts as known, not as missing.

    `disconnected_grad` cuts instead: a gradient through that alone is an error.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], tv.grad(tv.zero_grad(x) ** 2, x), on_unused_input="ignore")(3.0))
    0.0
    """
    x = _floats("zero_grad", x, "fc")
    made: Variable = (ZeroGradElement if _is_of_c(x) else ZeroGrad)()(x)
    return made


def disconnected_grad(x: Any) -> Variable:
    """Return `x`, which gradients take for a constant, as `stop_gradient`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> cost = x * tv.disconnected_grad(x)
    >>> float(tv.function([x], tv.grad(cost, x))(3.0))
    3.0
    """
    return ops.stop_gradient(x)


def _is_of_c(x: Variable) -> bool:
    return bool(x.dtype in ("float32", "float64"))


def _floats(what: str, x: Any, kinds: str) -> Variable:
    variable: Variable = as_variable(x)
    dtype = getattr(variable.type, "dtype", "object")
    if np.dtype(dtype).kind not in kinds:
        raise TypeError(
            f"[{what}] x is {variable}, whose values of {dtype} have no gradient that could be "
            "changed; leave it out, or make it a float variable."
        )
    return variable


def _number(what: str, name: str, given: Any) -> float:
    is_number = isinstance(given, (int, float, np.integer, np.floating))
    if not is_number or math.isnan(given):
        raise TypeError(f"[{what}] {name} is {given!r}; give a number.")
    return float(given)


__all__ = ["disconnected_grad", "grad_clip", "grad_scale", "zero_grad"]
