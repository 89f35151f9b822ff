"""Graphs as dicts: of each node the name of its Op, its attributes, and names of what it reads.

A graph has ``leaves`` by name, the names of its ``inputs`` and ``outputs``, and ``ops``: a dict for
each node, behind those whose outputs it reads. The body of a loop is a graph of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thunkvm import _core
from thunkvm._core import Apply, TensorType, Variable
from thunkvm._src.graph.prototypes import describe as describe_op
from thunkvm._src.graph.prototypes import prototypes
from thunkvm._src.graph.written import made, making_of


class GraphFileError(ValueError):
    """A graph file is no file of a graph, or not one that this program can read."""

    __module__ = "thunkvm"


#: What Ops raise that refuse their inputs or attributes.
REFUSALS = (ValueError, TypeError, LookupError, ArithmeticError, NotImplementedError)


def describe(inputs: Iterable[Variable], outputs: Iterable[Variable]) -> dict[str, Any]:
    """Return the graph of the outputs; `inputs` are leaves, and are there if nothing reads them."""
    roots = list(outputs)
    given = list(inputs)
    names: dict[Variable, str] = {}
    leaves: dict[str, Variable] = {}

    def name(value: Variable) -> str:
        if value not in names:
            names[value] = f"v{len(names)}"
            if value.owner is None:
                leaves[names[value]] = value
        return names[value]

    first = [name(value) for value in given]
    ops = []
    for node in _core.topological_order(roots):
        read = [name(value) for value in node.inputs]
        op = _described(node)
        op["inputs"] = in_slots(op["type"], read)
        op["outputs"] = [name(value) for value in node.outputs]
        op["types"] = [value.type for value in node.outputs]
        op["names"] = [value.name or "" for value in node.outputs]
        ops.append(op)
    return {
        "leaves": leaves,
        "inputs": first,
        "ops": ops,
        "outputs": [name(value) for value in roots],
    }


def _described(node: Apply) -> dict[str, Any]:
    """Return the type and attributes of a node, and a loop's body."""
    kind, *rest = making_of(node)
    if kind == "op":
        return {"type": rest[0], "attributes": rest[1]}
    if kind == "attempt":
        names = [_class_name(caught) for caught in rest[0]]
        return {"type": kind, "attributes": {"on": names}, "catches": rest[0]}
    if kind == "python":
        return {"type": str(rest[0]), "attributes": {}, "op": rest[0]}
    name, states, captures, limit, test, nexts, collected, keeps, implicit, for_gradients = rest
    limits = [] if limit is None else [limit]
    return {
        "type": kind,
        "attributes": {
            "name": name,
            "n_states": len(states),
            "has_limit": limit is not None,
            "n_collected": len(collected),
            "n_for_gradients": for_gradients,
            "keeps": keeps,
            "implicit": implicit,
        },
        "body": describe([*states, *captures], [*limits, test, *nexts, *collected]),
    }


def _class_name(caught: type) -> str:
    module = caught.__module__
    return caught.__qualname__ if module == "builtins" else f"{module}.{caught.__qualname__}"


def in_slots(kind: str, values: list[str]) -> dict[str, list[str]]:
    """Return values under the names of an Op's inputs; a duplicable one takes all that remain."""
    if kind not in prototypes():
        return {"inputs": values}
    return {
        slot.name: values[at:] if slot.duplicable else values[at : at + 1]
        for at, slot in enumerate(prototypes()[kind].inputs)
    }


# ---- back


def build(graph: dict[str, Any]) -> list[Variable]:
    """Make the nodes of a graph anew, each by its Op, and return its outputs.

    Raises
    ------
    GraphFileError
        With the place, for a type that nobody knows, inputs or attributes that an Op refuses, a
        value that is read before it is computed or never computed, two values of one name, and
        outputs of other types than described.
    """
    return Builder(graph).outputs()


class Builder:
    """The values of a graph that is being made."""

    def __init__(self, graph: dict[str, Any]) -> None:
        """Make all nodes."""
        self.graph = graph
        self.values: dict[str, Variable] = dict(graph["leaves"])
        for at, op in enumerate(graph["ops"]):
            try:
                self._make(op)
            except GraphFileError as error:
                raise GraphFileError(f"ops[{at}] ({op['type']}): {error}") from None
            except REFUSALS as error:
                reason = error.args[0] if isinstance(error, KeyError) else error
                raise GraphFileError(f"ops[{at}] ({op['type']}): {reason}") from None

    def inputs(self) -> list[Variable]:
        """Return the inputs, which are free variables, each once."""
        names = self.graph["inputs"]
        values = [self._value(name, "inputs: ") for name in names]
        if len(set(names)) < len(names):
            raise GraphFileError("inputs: one of them is there twice")
        for value in values:
            if value.leaf != "input":
                raise GraphFileError(f"inputs: {value} is no free variable")
        return values

    def outputs(self) -> list[Variable]:
        """Return the outputs."""
        return [self._value(name, "outputs: ") for name in self.graph["outputs"]]

    def check_is_closed(self, what: str, allowed: tuple[str, ...]) -> None:
        """Refuse leaves that are neither inputs nor of the kinds that are allowed."""
        given = set(self.graph["inputs"])
        for name, leaf in self.graph["leaves"].items():
            if name not in given and leaf.leaf not in allowed:
                raise GraphFileError(f"the free variable {leaf} is not among the inputs {what}")

    def _value(self, name: str, place: str = "") -> Variable:
        if (found := self.values.get(name)) is not None:
            return found
        for at, op in enumerate(self.graph["ops"]):
            if name in op["outputs"]:
                raise GraphFileError(
                    f"{place}it reads {name!r}, which ops[{at}] computes, not before it: a graph "
                    "has no cycle"
                )
        raise GraphFileError(f"{place}it reads {name!r}, which nothing computes")

    def _make(self, op: dict[str, Any]) -> None:
        kind, names = op["type"], _in_order(op["type"], op["inputs"])
        inputs = [self._value(name) for name in names]
        if kind == "loop":
            making: tuple[Any, ...] = ("loop", *_loop(op))
        elif kind == "attempt":
            making = ("attempt", op["catches"])
        else:
            making = ("op", kind, op["attributes"])
        outputs = made(making, inputs)
        types = op.get("types", [None] * len(outputs))
        labels = op.get("names", [""] * len(outputs))
        if not len(outputs) == len(op["outputs"]) == len(types) == len(labels):
            raise GraphFileError(f"it has {len(outputs)} outputs; it is said to have others")
        for output, name, of, label in zip(outputs, op["outputs"], types, labels, strict=True):
            if of is not None and output.type != of:
                raise GraphFileError(f"its output {name!r} is {output.type}, not {of}")
            if name in self.values:
                raise GraphFileError(f"two values are called {name!r}")
            if label and output.owner is not None:
                output.name = label
            self.values[name] = output


def _in_order(kind: str, slots: dict[str, list[str]]) -> list[str]:
    """Return the inputs of an Op in the order in which it takes them."""
    if kind in ("loop", "attempt"):
        if set(slots) != {"inputs"}:
            raise GraphFileError("its inputs have to be under the name 'inputs'")
        return slots["inputs"]
    inputs = describe_op(kind).inputs
    if others := set(slots) - {slot.name for slot in inputs}:
        names = ", ".join(slot.name for slot in inputs)
        raise GraphFileError(f"it has no input {min(others)!r}; it has: {names}")
    values: list[str] = []
    left_out = ""
    for slot in inputs:
        found = slots.get(slot.name, [])
        if len(found) != 1 and not slot.duplicable and not (slot.optional and not found):
            raise GraphFileError(f"the input {slot.name!r} has to be one value, not {len(found)}")
        if found and left_out:
            raise GraphFileError(f"{slot.name!r} is there, and {left_out!r} is left out")
        left_out = left_out if found else slot.name
        values += found
    return values


def _loop(op: dict[str, Any]) -> tuple[Any, ...]:
    """Return what makes a loop, as `making_of` gives it."""
    if "body" not in op:
        raise GraphFileError("it has no body")
    attributes = op["attributes"]
    counts = {}
    for name in ("n_states", "n_collected", "n_for_gradients", "keeps"):
        counts[name] = attributes.get(name)
        if type(counts[name]) is not int or not 0 <= counts[name] < 1 << 20:
            raise GraphFileError(f"the attribute {name!r} = {counts[name]!r} has to be from 0")
    try:
        body = Builder(op["body"])
        inputs, values = body.inputs(), body.outputs()
        body.check_is_closed("of the body", ("constant",))
    except GraphFileError as error:
        raise GraphFileError(f"body: {error}") from None
    n_states, n_limits = counts["n_states"], int(attributes.get("has_limit") is True)
    first = n_limits + 1 + n_states
    implicit = attributes.get("implicit") is True
    if (
        len(inputs) < n_states
        or len(values) != first + counts["n_collected"]
        or counts["n_for_gradients"] > counts["n_collected"]
        or (implicit and n_states == 0)
    ):
        raise GraphFileError("body: its inputs and outputs do not fit the loop's attributes")
    for condition in values[: n_limits + 1]:
        if not isinstance(condition.type, TensorType) or any(
            length not in (1, None) for length in condition.type.shape
        ):
            raise GraphFileError(f"body: a loop's test is one number, not {condition.type}")
    for collected in values[first:]:
        if not isinstance(collected.type, TensorType):
            raise GraphFileError(f"body: it collects {collected.type}, which is no tensor")
    return (
        attributes.get("name"),
        inputs[:n_states],
        inputs[n_states:],
        values[0] if n_limits else None,
        values[n_limits],
        values[n_limits + 1 : first],
        values[first:],
        counts["keeps"],
        implicit,
        counts["n_for_gradients"],
    )
