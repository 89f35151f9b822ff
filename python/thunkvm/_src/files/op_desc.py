"""`OpDesc` and `GraphDesc`: a node, and a graph, as text: built, and as the JSON of graph files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.files.descriptions import describe_graph, name_inputs
from thunkvm._src.files.errors import GraphFileError
from thunkvm._src.files.graph_json import Arrays, npy_of, number_of, to_json
from thunkvm._src.files.host import Host


@dataclass
class OpDesc:
    """A node as text: the name of its Op, names of its inputs and outputs, and its attributes.

    Attributes
    ----------
    type : str
        The Op's name, as `thunkvm.ops.describe` knows it.
    inputs : list of str, or dict of str to list of str
        The names of what it reads: in the order of the Op's inputs, or by the names of these.
    outputs : list of str
        The names of what it computes.
    attributes : dict
        What the Op is told: numbers, texts and lists of them. The body of a loop is a `GraphDesc`.

    Notes
    -----
    The message OpDesc of the design of 2017, from which Ops are created.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> (y,) = tv.OpDesc("mul", ["x", "x"], ["y"]).build({"x": x})
    >>> tv.function([x], y)([3.0])
    array([9.])
    """

    type: str
    inputs: list[str] | dict[str, list[str]]
    outputs: list[str]
    attributes: dict[str, Any] = field(default_factory=dict)

    def build(self, values: Mapping[str, Variable]) -> list[Variable]:
        """Make the node.

        Parameters
        ----------
        values : dict of str to Variable
            The inputs by name.

        Returns
        -------
        list of Variable
            The outputs.

        Raises
        ------
        ValueError
            If there is no such Op, it refuses inputs or attributes, or has another number of
            outputs.
        """
        built = GraphDesc(dict(values), [self], [], list(self.outputs)).build()
        return [built[name] for name in self.outputs]

    def _description(self) -> dict[str, Any]:
        """Return it as a dict, as `describe_graph` has it."""
        slots = self.inputs
        if not isinstance(slots, dict):
            slots = name_inputs(self.type, list(self.inputs))
            if (taken := sum(map(len, slots.values()))) < len(self.inputs):
                given = len(self.inputs)
                raise GraphFileError(f"it takes {taken} inputs, and there are {given}")
        return {
            "type": self.type,
            "inputs": {slot: names for slot, names in slots.items() if names},
            "outputs": list(self.outputs),
            "attributes": {
                name: value._add_types() if isinstance(value, GraphDesc) else value
                for name, value in self.attributes.items()
            },
        }


@dataclass
class GraphDesc:
    """A graph as a list of `OpDesc`, each behind those whose outputs it reads.

    Attributes
    ----------
    leaves : dict of str to Variable
        What the graph begins with: inputs, constants and shared variables, by name.
    ops : list of OpDesc
        The nodes.
    inputs, outputs : list of str
        The names of the graph's free variables, in order, and of its results.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> graph = tv.GraphDesc.of([tv.exp(x * x)])
    >>> [op.type for op in graph.ops]
    ['mul', 'exp']
    >>> row, arrays = graph.to_json()
    >>> tv.GraphDesc.from_json(row, arrays).ops == graph.ops
    True
    """

    leaves: dict[str, Variable]
    ops: list[OpDesc]
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, outputs: Iterable[Variable], inputs: Iterable[Variable] | None = None) -> GraphDesc:
        """Describe a graph.

        Parameters
        ----------
        outputs : iterable of Variable
            What it computes.
        inputs : iterable of Variable, optional
            Its free variables; in the order of first use if left out.

        Raises
        ------
        TypeError
            If a node is of an Op without a registered name.
        """
        values = list(outputs)
        free = [leaf for leaf in _core.leaves(values) if leaf.leaf == "input"]
        return cls._from_description(describe_graph(free if inputs is None else inputs, values))

    @classmethod
    def _from_description(cls, graph: dict[str, Any]) -> GraphDesc:
        ops = []
        for op in graph["ops"]:
            if "op" in op:
                raise TypeError(
                    f"{op['type']} is no OpDesc: it has no registered name. tv.register_op gives "
                    "an Op one."
                )
            attributes = {
                name: cls._from_description(value) if isinstance(value, dict) else value
                for name, value in op["attributes"].items()
            }
            ops.append(OpDesc(op["type"], op["inputs"], op["outputs"], attributes))
        return cls(graph["leaves"], ops, graph["inputs"], graph["outputs"])

    def build(self) -> dict[str, Variable]:
        """Make the nodes, and return all values by name, leaves too.

        Raises
        ------
        ValueError
            With the place, where a node cannot be made, or a name is read before it is computed.
        """
        return self._build_values(self._description())

    def _build_values(self, graph: dict[str, Any]) -> dict[str, Variable]:
        arrays = Arrays()
        rows = to_json({**graph, "leaves": {}}, arrays)["ops"]
        try:
            return _core.build_graph(
                list(self.leaves.items()), json.dumps(rows, default=_plain), list(self.inputs),
                list(self.outputs), arrays.npy_of, Host(),
            )  # fmt: skip
        except GraphFileError as error:
            raise ValueError(str(error)) from None

    def _description(self) -> dict[str, Any]:
        ops = []
        for at, op in enumerate(self.ops):
            try:
                ops.append(op._description())
            except GraphFileError as error:
                raise ValueError(f"ops[{at}] ({op.type}): {error}") from None
        return {"leaves": self.leaves, "ops": ops, "inputs": self.inputs, "outputs": self.outputs}

    def _add_types(self) -> dict[str, Any]:
        """Return it as a dict with the types and names of outputs, which building it says."""
        graph = self._description()
        values = self._build_values(graph)
        for op in graph["ops"]:
            op["types"] = [values[name].type for name in op["outputs"]]
            op["names"] = [values[name].name or "" for name in op["outputs"]]
        return graph

    def to_json(self) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
        """Return what `graph.json` of a graph file has of it, and the arrays beside that by name.

        Raises
        ------
        ValueError
            If the graph cannot be built; the types of outputs are known by building it.
        TypeError
            If a leaf is an object of the program's.
        """
        arrays = Arrays()
        return to_json(self._add_types(), arrays), arrays.of_name

    @classmethod
    def from_json(
        cls, row: dict[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]] | None = None
    ) -> GraphDesc:
        """Return the graph that a dict of JSON has.

        Parameters
        ----------
        row : dict
            As `to_json` returns it, and docs/graph.schema.json says.
        arrays : dict of str to ndarray, optional
            The arrays of its constants and shared variables.

        Raises
        ------
        GraphFileError
            With the place, where it is not as the schema says, or no graph can be built of it.
        """
        given = arrays or {}
        values = _core.read_graph_json(json.dumps(row), lambda name: npy_of(given, name), Host())
        ops = []
        for op in row["ops"]:
            attributes = {
                name: cls.from_json(value["graph"], given)
                if isinstance(value, dict) and "graph" in value
                else number_of(value)
                for name, value in op["attributes"].items()
            }
            ops.append(OpDesc(op["type"], op["inputs"], op["outputs"], attributes))
        return cls(
            {name: values[name] for name in row["leaves"]}, ops, row["inputs"], row["outputs"]
        )


def _plain(value: Any) -> Any:
    """Return a number of NumPy's, or an array, as JSON has it."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"an attribute is {value!r}, a {type(value).__name__}")


__all__ = ["GraphDesc", "OpDesc"]
