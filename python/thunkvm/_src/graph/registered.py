"""Ops that programs declared by `register_op`, with names beside the built-in ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from thunkvm._core import Apply, TensorType, Variable
from thunkvm._src.graph.declarations import OpBuilder
from thunkvm._src.graph.functions_as_ops import types_of
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.prototypes import describe
from thunkvm._src.graph.registered_classes import (
    class_of,
    outputs_of_class,
)
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching.nearest import did_you_mean


class RegisteredOp(Op):
    """An Op of `register_op` with its attributes; equal to others of its name and attributes."""

    __props__ = ("key",)
    declared: OpBuilder

    def __init__(self, attributes: dict[str, Any]) -> None:
        super().__init__()
        self.attributes = attributes

    @property
    def name(self) -> str:
        """Its name in the registry."""
        return self.declared.name

    @property
    def key(self) -> str:
        """The attributes as text: 0.0 and -0.0 are not one attribute, nor are 1 and True."""
        return repr(self.attributes)

    def make_node(self, *inputs: Any) -> Apply:
        """Make a node of inputs in the order of the declaration, a duplicable one's values last."""
        variables = [as_variable(x) for x in inputs]
        declared = self.declared
        self._check_tensors(variables)
        if (say := declared.functions.get("types")) is None:
            return Apply(self, variables, [variables[0].type() for _ in declared.outputs])
        returned = say(**self._name_inputs(variables), **self.attributes)
        what = f"[{self.name}] what its types returned"
        types = types_of(list(self._order_outputs(returned, "types")), what)
        return Apply(self, variables, [type_() for type_ in types])

    def _check_tensors(self, variables: list[Variable]) -> None:
        for slot, given in zip(
            self.declared.inputs.values(), self._by_slot(variables), strict=True
        ):
            for variable in given if slot.is_tensor else ():
                if not isinstance(variable.type, TensorType):
                    raise TypeError(
                        f"[{self.name}] {slot.name} = {variable}: it has to be a tensor. Give one, "
                        "or declare the input with is_tensor=False."
                    )

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call the function of arrays, and check what it returns."""
        returned = self.declared.functions["perform"](
            **self._name_inputs(inputs), **self.attributes
        )
        values = self._order_outputs(returned, "perform")
        for name, output, storage, value in zip(
            self.declared.outputs, node.outputs, output_storage, values, strict=True
        ):
            try:
                result = output.type.filter(value)
            except TypeError as error:
                raise TypeError(
                    f"[{self.name}] its perform returned {_describe_value(value)} as {name!r}, "
                    f"which has to be a {output.type} without loss. Convert it there, or say the "
                    "Type of the output with @op.types."
                ) from error
            if isinstance(result, np.ndarray) and any(
                isinstance(x, np.ndarray) and np.may_share_memory(result, x) for x in inputs
            ):
                result = result.copy()
            storage[0] = result

    def _by_slot(self, values: Sequence[Any]) -> list[list[Any]]:
        """Return a list of values for each input; a duplicable one has all that remain."""
        return [
            list(values[at:] if slot.duplicable else values[at : at + 1])
            for at, slot in enumerate(self.declared.inputs.values())
        ]

    def _name_inputs(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return values of the inputs by name; a duplicable one has a list."""
        slots = self.declared.inputs.values()
        return {
            slot.name: given if slot.duplicable else given[0]
            for slot, given in zip(slots, self._by_slot(values), strict=True)
        }

    def _order_outputs(self, returned: Any, what: str) -> Sequence[Any]:
        """Return a value for each output, of what a function of the declaration returned."""
        names = list(self.declared.outputs)
        if isinstance(returned, Mapping):
            if set(returned) != set(names):
                raise TypeError(
                    f"[{self.name}] its {what} returned a dict of {sorted(map(str, returned))}; "
                    f"its outputs are {names}."
                )
            return [returned[name] for name in names]
        if len(names) == 1:
            return [returned]
        if not isinstance(returned, (tuple, list)) or len(returned) != len(names):
            raise TypeError(
                f"[{self.name}] its {what} returned {_describe_value(returned)}; its outputs are "
                f"{names}: return a tuple of them, or a dict by these names."
            )
        return returned

    def __str__(self) -> str:
        """Return the name with the attributes."""
        inside = ", ".join(f"{name}={value!r}" for name, value in self.attributes.items())
        return f"{type(self).__name__}{{{inside}}}" if inside else type(self).__name__

    def __reduce__(self) -> tuple[Callable[..., RegisteredOp], tuple[Any, ...]]:
        """Pickle by name: it is read where a program has registered it."""
        return registered_op, (self.name, self.attributes)


class _DifferentiableOp(RegisteredOp):
    def L_op(  # noqa: N802
        self,
        inputs: list[Variable],
        outputs: list[Variable],
        output_gradients: list[Variable | None],
    ) -> list[Variable | None]:
        """Ask the declared gradient, by name."""
        slots, names = self.declared.inputs, list(self.declared.outputs)
        by_output = {
            name: None if slot.no_gradient or slot.intermediate else gradient
            for (name, slot), gradient in zip(
                self.declared.outputs.items(), output_gradients, strict=True
            )
        }
        if all(gradient is None for gradient in by_output.values()):
            return [None] * len(inputs)
        returned = self.declared.functions["grad"](
            self._name_inputs(inputs), dict(zip(names, outputs, strict=True)), by_output,
            **self.attributes,
        )  # fmt: skip
        if not isinstance(returned, Mapping):
            raise TypeError(
                f"[{self.name}] its grad returned {_describe_value(returned)}; it has to return a "
                f"dict by the names of the inputs: {list(slots)}."
            )
        if others := set(returned) - set(slots):
            raise TypeError(
                f"[{self.name}] its grad returned one for {min(others)!r}; its inputs are "
                f"{list(slots)}."
            )
        gradients: list[Variable | None] = []
        for name, given in self._name_inputs(inputs).items():
            slot, of = slots[name], returned.get(name)
            number = len(given) if slot.duplicable else 1
            several = of if slot.duplicable and of is not None else [of] * number
            if len(several) != number:
                raise TypeError(
                    f"[{self.name}] its grad returned {len(several)} for {name!r}, of which there "
                    f"are {number}."
                )
            gradients += [None] * number if slot.no_gradient else list(several)
        return gradients


class _PushedOp(RegisteredOp):
    def pushforward(
        self, inputs: list[Variable], outputs: list[Variable], tangents: list[Variable | None]
    ) -> list[Variable | None]:
        """Ask the declared forward rule, by name."""
        slots, names = self.declared.inputs, list(self.declared.outputs)
        moves = self._name_inputs(tangents)
        for name, slot in slots.items():
            if slot.no_gradient:
                moves[name] = [None] * len(moves[name]) if slot.duplicable else None
        if all(
            move is None
            for name, slot in slots.items()
            for move in (moves[name] if slot.duplicable else [moves[name]])
        ):
            return [None] * len(names)
        returned = self.declared.functions["pushforward"](
            self._name_inputs(inputs), dict(zip(names, outputs, strict=True)), moves,
            **self.attributes,
        )  # fmt: skip
        if isinstance(returned, Mapping) and set(returned) < set(names):
            returned = {name: returned.get(name) for name in names}
        found = self._order_outputs(returned, "pushforward")
        return [
            None if slot.no_gradient else tangent
            for slot, tangent in zip(self.declared.outputs.values(), found, strict=True)
        ]


class _ShapedOp(RegisteredOp):
    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> Sequence[Any]:
        """Ask the declared shape rule, by name."""
        returned = self.declared.functions["infer_shape"](
            self._name_inputs(node.inputs), self._name_inputs(input_shapes), **self.attributes
        )
        return self._order_outputs(returned, "infer_shape")


class _BatchedOp(RegisteredOp):
    def batch(self, node: Apply, inputs: list[Variable], batched: list[bool]) -> Sequence[Variable]:
        """Ask the declared rule, by name."""
        returned = self.declared.functions["batch"](
            self._name_inputs(inputs), self._name_inputs(batched), **self.attributes
        )
        return self._order_outputs(returned, "batch")


#: The classes of Ops by what they can do: the core asks which methods there are.
WAYS = {
    "grad": _DifferentiableOp,
    "pushforward": _PushedOp,
    "infer_shape": _ShapedOp,
    "batch": _BatchedOp,
}
CLASSES: dict[str, type[RegisteredOp]] = {}


def _describe_value(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return f"an array of {value.dtype} with shape {value.shape}"
    return f"{value!r}, a {type(value).__name__}"


def registered_op(name: str, attributes: Mapping[str, Any]) -> RegisteredOp:
    """Return the Op of that name with attributes, which are checked.

    Raises
    ------
    KeyError
        If no program registered it.
    TypeError, ValueError
        If an attribute is unknown, missing, or refused by its rules.
    """
    if name not in CLASSES:
        describe(name)
        raise KeyError(f"{name!r} is a built-in Op, not one of tv.register_op.")
    declared = CLASSES[name].declared
    for given in attributes:
        if given not in declared.attributes:
            known = ", ".join(declared.attributes) or "none"
            raise TypeError(
                f"[{name}] it has no attribute {given!r}.{did_you_mean(given, declared.attributes)}"
                f" Its attributes are: {known}."
            )
    values = {}
    for key, attribute in declared.attributes.items():
        if key in attributes:
            values[key] = attribute.check_value(attributes[key])
        elif attribute.is_required:
            raise TypeError(
                f"[{name}] the attribute {key!r} is missing; it has no default. It is "
                f"{attribute.comment}."
            )
        else:
            values[key] = attribute.checked_default()
    return CLASSES[name](values)


def is_registered(name: str) -> bool:
    """Return whether a program registered an Op of that name."""
    return name in CLASSES or class_of(name) is not None


def outputs_of(name: str, attributes: Mapping[str, Any], inputs: Sequence[Any]) -> list[Variable]:
    """Return all outputs of a new node, intermediate ones too, of inputs one after the other."""
    if class_of(name) is not None:
        return outputs_of_class(name, attributes, inputs)
    declared = CLASSES[name].declared
    least = sum(not slot.duplicable for slot in declared.inputs.values())
    if len(inputs) < least or (len(inputs) > least == len(declared.inputs)):
        raise TypeError(f"[{name}] it takes {', '.join(declared.inputs)}; there are {len(inputs)}.")
    return list(registered_op(name, attributes).make_node(*inputs).outputs)


__all__ = ["CLASSES", "WAYS", "RegisteredOp", "is_registered", "outputs_of", "registered_op"]
