"""The JSON form of a described graph, which docs/graph_files.md and docs/graph.schema.json say.

A description (descriptions.py) holds Types and Variables; here they become numbers, text, lists and
dicts, and arrays that stand beside them. The core reads it (ops/files).
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from thunkvm._core import GenericType, TensorType, Type, Variable
from thunkvm._src.graph.exception_names import classes_of, names_of


class Arrays:
    """The arrays beside a graph's JSON, by the names of their files: one for each leaf.

    A constant may be a leaf of a graph and of bodies in it. It has one array then, and is one
    constant again when it is read.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.of_name: dict[str, np.ndarray[Any, Any]] = {}
        self._names: dict[Variable, str] = {}

    def keep_array(self, leaf: Variable, value: Any) -> str:
        """Keep the array of a leaf; return its name."""
        if leaf not in self._names:
            self._names[leaf] = f"arrays/{len(self.of_name)}.npy"
            self.of_name[self._names[leaf]] = np.asarray(value)
        return self._names[leaf]

    def npy_of(self, name: str) -> bytes:
        """Return the file of an array."""
        return npy_of(self.of_name, name)


def npy_of(arrays: Mapping[str, np.ndarray[Any, Any]], name: str) -> bytes:
    """Return the file of one of the arrays; a ValueError if there is none of that name."""
    if name not in arrays:
        raise ValueError(f"there is no array {name!r}")
    member = io.BytesIO()
    np.lib.format.write_array(member, np.asarray(arrays[name]), allow_pickle=False)
    return member.getvalue()


def to_json(graph: dict[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Return a description as JSON has it.

    Raises
    ------
    TypeError
        For what no file can hold: an Op, a Type or an object of the program's.
    """
    return {
        "leaves": {name: _leaf(leaf, arrays) for name, leaf in graph["leaves"].items()},
        "inputs": graph["inputs"],
        "ops": [_op(op, arrays) for op in graph["ops"]],
        "outputs": graph["outputs"],
    }


def _leaf(leaf: Variable, arrays: Arrays) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": leaf.leaf, "type": _type(leaf.type, str(leaf))}
    if leaf.name:
        row["name"] = leaf.name
    if leaf.leaf == "input":
        return row
    value = leaf.value if leaf.leaf == "constant" else leaf.get_value(borrow=True)
    if isinstance(leaf.type, TensorType):
        row["array"] = arrays.keep_array(leaf, value)
    elif value is not None:
        raise TypeError(
            f"{leaf} cannot be saved: its value is a {type(value).__name__}, and a graph file has "
            "numbers, arrays and None. Pickle the graph, or make the object an input."
        )
    if leaf.leaf == "constant" and leaf.weak:
        row["weak"] = True
    return row


def _type(of: Type, what: str) -> Any:
    if isinstance(of, TensorType):
        return {"dtype": of.dtype, "shape": list(of.shape)}
    if isinstance(of, GenericType):
        return "generic"
    raise TypeError(
        f"{what} cannot be saved: its Type {of} is the program's own, and a graph file has tensors "
        "and generic values. Pickle the graph instead."
    )


def _op(op: dict[str, Any], arrays: Arrays) -> dict[str, Any]:
    if "op" in op:
        raise TypeError(
            f"{op['op']} cannot be saved: it is an Op of the program's, and a graph file has the "
            "names of registered Ops. Write @tv.register_op('mine.name') above its class, pickle "
            "the graph instead, or cut it there with inputs=[...]."
        )
    row: dict[str, Any] = {
        "type": op["type"],
        "inputs": op["inputs"],
        "outputs": op["outputs"],
        "attributes": {
            name: {"graph": to_json(value, arrays)} if isinstance(value, dict) else _number(value)
            for name, value in op["attributes"].items()
        },
    }
    if "types" in op:
        row["types"] = [_type(of, f"an output of {op['type']}") for of in op["types"]]
    if any(op.get("names", ())):
        row["names"] = op["names"]
    return row


def _number(value: Any) -> Any:
    """Return an attribute; JSON has no infinities and no NaN."""
    if isinstance(value, Type):
        return {"type": _type(value, "an attribute")}
    if isinstance(value, type):
        return {"exception": names_of([value])[0]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    return [_number(item) for item in value] if isinstance(value, list) else value


def number_of(value: Any) -> Any:
    """Return an attribute of JSON, with its infinities, NaNs, Types and exceptions."""
    if isinstance(value, dict) and "type" in value:
        of = value["type"]
        return GenericType() if of == "generic" else TensorType(of["dtype"], of["shape"])
    if isinstance(value, dict) and "exception" in value:
        return classes_of([value["exception"]])[0]
    if isinstance(value, dict):
        if value.get("float") not in ("inf", "-inf", "nan"):
            raise ValueError(f"an attribute is {value!r}, which is no number")
        return float(value["float"])
    return [number_of(item) for item in value] if isinstance(value, list) else value


__all__ = ["Arrays", "npy_of", "number_of", "to_json"]
