"""The JSON form of a described graph, which docs/graph_files.md and docs/graph.schema.json say.

A description (descriptions.py) holds Types, Variables and classes; here they become numbers, text,
lists and dicts, and arrays that stand beside them.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm._core import GenericType, TensorType, Type, Variable
from thunkvm._src.files.descriptions import GraphFileError
from thunkvm._src.graph.copying import make_leaf
from thunkvm._src.graph.types import DTYPES


class Arrays:
    """The arrays beside a graph's JSON, by the names of their files: one for each leaf.

    A constant may be a leaf of a graph and of bodies in it. It has one array then, and is one
    constant again when it is read.
    """

    def __init__(self, read: Callable[[str], np.ndarray[Any, Any]] | None = None) -> None:
        """Begin with none, or with those that `read` gives."""
        self.of_name: dict[str, np.ndarray[Any, Any]] = {}
        self._names: dict[Variable, str] = {}
        self._read = read
        self._leaves: dict[str, Variable] = {}

    def add(self, leaf: Variable, value: Any) -> str:
        """Keep the array of a leaf; return its name."""
        if leaf not in self._names:
            self._names[leaf] = f"arrays/{len(self.of_name)}.npy"
            self.of_name[self._names[leaf]] = np.asarray(value)
        return self._names[leaf]

    def leaf(self, name: str, make: Callable[[np.ndarray[Any, Any]], Variable]) -> Variable:
        """Return the leaf of an array, made once."""
        if name not in self._leaves:
            assert self._read is not None
            self._leaves[name] = make(self._read(name))
        return self._leaves[name]


# ---- to JSON


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
        row["array"] = arrays.add(leaf, value)
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
            "names of registered Ops. Register it with tv.register_op, pickle the graph "
            "instead, or cut it there with inputs=[...]."
        )
    row: dict[str, Any] = {
        "type": op["type"],
        "inputs": op["inputs"],
        "outputs": op["outputs"],
        "attributes": {name: _number(value) for name, value in op["attributes"].items()},
        "types": [_type(of, f"an output of {op['type']}") for of in op["types"]],
    }
    if any(op["names"]):
        row["names"] = op["names"]
    if "body" in op:
        row["body"] = to_json(op["body"], arrays)
    return row


def _number(value: Any) -> Any:
    """Return an attribute; JSON has no infinities and no NaN."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    return [_number(item) for item in value] if isinstance(value, list) else value


# ---- from JSON


def from_json(row: Any, arrays: Arrays) -> dict[str, Any]:
    """Return the description that JSON has; `arrays` stand beside it.

    Raises
    ------
    GraphFileError
        With the place, where it is not as the schema says.
    """
    graph = _of_kind(row, dict, "the graph")
    leaves = {}
    for name, leaf in _of_kind(_get(graph, "leaves"), dict, "leaves").items():
        leaves[name] = _at(f"leaves.{name}", _read_leaf, leaf, arrays)
    ops = _of_kind(_get(graph, "ops"), list, "ops")
    return {
        "leaves": leaves,
        "inputs": _names(graph, "inputs"),
        "ops": [_at(f"ops[{i}]", _read_op, op, arrays) for i, op in enumerate(ops)],
        "outputs": _names(graph, "outputs"),
    }


def _at(place: str, read: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except (ValueError, TypeError) as error:
        raise GraphFileError(f"{place}: {error}") from None


def _get(row: dict[str, Any], key: str) -> Any:
    if key not in row:
        raise GraphFileError(f"'{key}' is missing")
    return row[key]


def _of_kind(value: Any, kind: type, what: str) -> Any:
    if not isinstance(value, kind):
        raise GraphFileError(f"{what} is a {type(value).__name__}, not a {kind.__name__}")
    return value


def _names(row: dict[str, Any], key: str) -> list[str]:
    return [_of_kind(name, str, f"a name in {key}") for name in _of_kind(_get(row, key), list, key)]


def _read_leaf(row: Any, arrays: Arrays) -> Variable:
    kind = _get(_of_kind(row, dict, "it"), "kind")
    of = _read_type(_get(row, "type"))
    name = row.get("name")
    if name is not None:
        _of_kind(name, str, "'name'")
    if kind not in ("input", "constant", "shared"):
        raise GraphFileError(f"its kind is {kind!r}; there are input, constant and shared")
    weak = row.get("weak") is True
    if kind == "input" or not isinstance(of, TensorType):
        return make_leaf(kind, of, None, name)
    leaf = arrays.leaf(
        _of_kind(_get(row, "array"), str, "'array'"),
        lambda value: make_leaf(kind, of, _fitting(value, of), name, weak),
    )
    if (leaf.leaf, leaf.type, leaf.name, leaf.weak) != (kind, of, name, weak):
        raise GraphFileError("its array is that of a leaf of another kind, type or name")
    return leaf


def _fitting(value: np.ndarray[Any, Any], of: TensorType) -> np.ndarray[Any, Any]:
    fits = value.ndim == of.ndim and all(
        known is None or known == length
        for known, length in zip(of.shape, value.shape, strict=True)
    )
    if value.dtype.name != of.dtype or not fits:
        raise GraphFileError(f"its array is {value.dtype.name} {value.shape}, and its type {of}")
    return value


def _read_type(row: Any) -> Type:
    if row == "generic":
        return GenericType()
    dtype, shape = _get(_of_kind(row, dict, "a type"), "dtype"), _get(row, "shape")
    if dtype not in DTYPES:
        raise GraphFileError(f"there is no dtype {dtype!r}; there are {', '.join(DTYPES)}")
    for length in _of_kind(shape, list, "a shape"):
        if length is not None and (type(length) is not int or length < 0):
            raise GraphFileError(f"a shape has the length {length!r}; it has to be >= 0 or null")
    return TensorType(dtype, tuple(shape))


def _read_op(row: Any, arrays: Arrays) -> dict[str, Any]:
    kind = _of_kind(_get(_of_kind(row, dict, "it"), "type"), str, "'type'")
    attributes = _of_kind(_get(row, "attributes"), dict, "'attributes'")
    inputs = _of_kind(_get(row, "inputs"), dict, "'inputs'")
    op = {
        "type": kind,
        "inputs": {slot: _names(inputs, slot) for slot in inputs},
        "outputs": _names(row, "outputs"),
        "attributes": {name: _read_number(value) for name, value in attributes.items()},
        "types": [_read_type(of) for of in _of_kind(_get(row, "types"), list, "'types'")],
    }
    op["names"] = _names(row, "names") if "names" in row else [""] * len(op["types"])
    if "body" in row:
        op["body"] = from_json(row["body"], arrays)
    if kind == "attempt":
        caught = _of_kind(_get(attributes, "on"), list, "'on'")
        op["catches"] = tuple(exception_class(name) for name in caught)
    return op


def _read_number(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get("float") not in ("inf", "-inf", "nan"):
            raise GraphFileError(f"an attribute is {value!r}, which is no number")
        return float(value["float"])
    return [_read_number(item) for item in value] if isinstance(value, list) else value


def exception_class(name: Any) -> type[Exception]:
    """Return the class of that name, of what the program has imported: loading runs nothing."""
    path = _of_kind(name, str, "a name in 'on'")
    found = getattr(builtins, path, None)
    module, _, attributes = path.rpartition(".")
    while found is None and module:
        found = sys.modules.get(module)
        for attribute in attributes.split(".") if found is not None else ():
            found = vars(found).get(attribute) if isinstance(found, (type, type(sys))) else None
        if found is None:
            module, _, last = module.rpartition(".")
            attributes = f"{last}.{attributes}"
    if not isinstance(found, type) or not issubclass(found, Exception):
        raise GraphFileError(
            f"it catches {path}, which is no exception of what this program has imported; import "
            "its module first"
        )
    return found
