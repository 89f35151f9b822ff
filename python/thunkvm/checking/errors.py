"""The errors of `DebugMode`: one class for each kind of lie, named as PyTensor's."""
# ruff: noqa: N818 (PyTensor's names)

from __future__ import annotations


class DebugModeError(Exception):
    """An Op, a rewrite or a value breaks its contract.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Shift(tv.Op):
    ...     def make_node(self, x):
    ...         return tv.Apply(self, [x], [x.type()])
    ...     def perform(self, node, inputs, output_storage):
    ...         inputs[0] += 1.0
    ...         output_storage[0][0] = inputs[0].copy()
    >>> x = tv.vector("x")
    >>> f = tv.function([x], Shift()(x * 2.0), mode="DebugMode")
    >>> try:
    ...     f([1.0])
    ... except tv.DebugModeError as error:
    ...     print(type(error).__name__)
    BadDestroyMap
    """

    __module__ = "thunkvm"


class BadThunkOutput(DebugModeError):
    """Two ways of running a node give different outputs for the same inputs."""


class BadDestroyMap(DebugModeError):
    """A node wrote to an input that its ``destroy_map`` does not name."""


class BadViewMap(DebugModeError):
    """An output shares memory with an input that ``view_map`` does not name, or with an output."""


class InvalidValueError(DebugModeError):
    """An output is no value of its Type, or not finite where it has to be."""


class BadInferShape(DebugModeError):
    """``infer_shape`` says another shape than the output has."""


class BadRewrite(DebugModeError):
    """A rewrite changed what a function computes."""


class StochasticOrder(DebugModeError):
    """Linking the same graph again gave another program."""


class Crash(DebugModeError):
    """The C of an Op ended the process that tried it."""


__all__ = [
    "BadDestroyMap",
    "BadInferShape",
    "BadRewrite",
    "BadThunkOutput",
    "BadViewMap",
    "Crash",
    "DebugModeError",
    "InvalidValueError",
    "StochasticOrder",
]
