"""The core's questions to Python while it reads a graph: Ops that programs registered, and None."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from thunkvm._core import GenericType, Variable
from thunkvm._src.files.graph_json import number_of
from thunkvm._src.graph.copying import make_leaf
from thunkvm._src.graph.prototypes import describe
from thunkvm._src.graph.registered import is_registered, outputs_of

#: The exceptions of Ops that refuse their inputs or attributes.
REFUSALS = (ValueError, TypeError, LookupError, ArithmeticError, NotImplementedError)


class Host:
    """The Ops that programs registered. What it refuses is a ValueError."""

    @staticmethod
    def inputs_of(name: str) -> list[tuple[str, bool, bool]] | None:
        """Return name, duplicable and optional of each input; None of a built-in Op."""
        is_of_host = is_registered(name)  # first: it knows classes that nobody has used yet
        try:
            inputs = describe(name).inputs
        except KeyError as error:
            raise ValueError(error.args[0]) from None
        if not is_of_host:
            return None
        return [(slot.name, slot.duplicable, slot.optional) for slot in inputs]

    @staticmethod
    def outputs_of(name: str, attributes: str, inputs: Sequence[Variable]) -> list[Variable]:
        """Make a node; the attributes are JSON."""
        given: dict[str, Any] = json.loads(attributes)
        try:
            return outputs_of(name, {key: number_of(each) for key, each in given.items()}, inputs)
        except REFUSALS as error:
            raise ValueError(error.args[0] if isinstance(error, KeyError) else error) from None

    @staticmethod
    def none(kind: str, name: str) -> Variable:
        """Make a constant or a shared variable whose value is None."""
        return make_leaf(kind, GenericType(), None, name or None)


__all__ = ["Host"]
