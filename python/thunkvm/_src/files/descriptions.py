"""Graphs as dicts: of each node the name of its Op, its attributes, and names of what it reads.

A graph has ``leaves`` by name, the names of its ``inputs`` and ``outputs``, and ``ops``: a dict for
each node, behind those whose outputs it reads. A graph among the attributes, which is the body of a
loop, is such a dict too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thunkvm import _core
from thunkvm._core import Apply, Variable
from thunkvm._src.graph.prototypes import prototypes
from thunkvm._src.graph.registered_classes import described
from thunkvm._src.graph.written import making_of


def describe_graph(inputs: Iterable[Variable], outputs: Iterable[Variable]) -> dict[str, Any]:
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
        op = _describe_node(node)
        op["inputs"] = name_inputs(op["type"], read)
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


def _describe_node(node: Apply) -> dict[str, Any]:
    """Return the type and attributes of a node."""
    kind, *rest = making_of(node)
    if kind == "python":
        if (known := described(rest[0])) is not None:
            return {"type": known[0], "attributes": known[1]}
        return {"type": str(rest[0]), "attributes": {}, "op": rest[0]}
    # A graph is the one attribute that is a tuple.
    attributes = {
        name: describe_graph(*value) if isinstance(value, tuple) else value
        for name, value in rest[1].items()
    }
    return {"type": rest[0], "attributes": attributes}


def name_inputs(kind: str, values: list[str]) -> dict[str, list[str]]:
    """Return values under the names of an Op's inputs; a duplicable one takes all that remain."""
    if kind not in prototypes():
        return {"inputs": values}
    return {
        slot.name: values[at:] if slot.duplicable else values[at : at + 1]
        for at, slot in enumerate(prototypes()[kind].inputs)
    }


__all__ = ["describe_graph", "name_inputs"]
