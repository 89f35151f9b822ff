"""`save` and `load`: graphs in files, a zip with graph.json and the arrays as npy beside it."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.files.descriptions import describe_graph
from thunkvm._src.files.errors import GraphFileError
from thunkvm._src.files.graph_json import Arrays, to_json
from thunkvm._src.files.host import Host
from thunkvm._src.saving import save_bytes

FORMAT, VERSION = "thunkvm graph", 1
GRAPH = "graph.json"
#: The time of every member: equal graphs are equal bytes.
_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Graph:
    """A graph of a file.

    Attributes
    ----------
    inputs : list of Variable
        Its free variables, in the order of `save`.
    outputs : Variable, list or dict of Variables
        As they were given to `save`.
    shared : dict of str to Variable
        The shared variables that have a name, with the values that they had.
    """

    inputs: list[Variable]
    outputs: Any
    shared: dict[str, Variable]


def save(
    path: str | PathLike[str],
    outputs: Variable | Sequence[Variable] | Mapping[str, Variable],
    inputs: Sequence[Variable] | None = None,
) -> None:
    """Write a graph into a file, with its constants and the values of its shared variables.

    The file is written beside its place and renamed: it is there whole or not at all. Its format
    is documented (docs/graph_files.md) and holds no code.

    Parameters
    ----------
    path : str or path
        The file; ``.tv`` is its usual ending.
    outputs : Variable, or list or dict of Variables
        The values that the graph computes.
    inputs : sequence of Variable, optional
        The free variables in the order that `load` gives; in that of first use if left out. The
        graph is cut at a Variable that has an Op, as `tv.function` does.

    Raises
    ------
    TypeError
        If an Op, a Type or a constant is an object of the program's. Pickle such graphs. Also if an
        input has a value already.
    ValueError
        If an output needs a free variable that is not in `inputs`, or an input comes twice.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile, os
    >>> import thunkvm as tv
    >>> x, w = tv.vector("x"), tv.shared([1.0, 2.0], "w")
    >>> path = os.path.join(tempfile.mkdtemp(), "model.tv")
    >>> tv.save(path, {"y": tv.ifelse(x.sum() > 0, x * w, x)}, inputs=[x])
    >>> model = tv.load(path)
    >>> tv.function(model.inputs, model.outputs["y"])([1.0, 1.0])
    array([1., 2.])
    >>> model.shared["w"].get_value()
    array([1., 2.])
    """
    values = _values(outputs)
    given, values = _cut([] if inputs is None else _inputs(inputs), values)
    free = [leaf for leaf in _core.leaves(values) if leaf.leaf == "input"]
    if inputs is None:
        given = free
    known = set(given)
    for leaf in free:
        if leaf not in known:
            raise ValueError(f"the outputs need the free variable {leaf}; add it to inputs.")
    arrays = Arrays()
    graph = to_json(describe_graph(given, values), arrays)
    names = graph["outputs"]
    if isinstance(outputs, Mapping):
        graph["outputs"] = dict(zip(outputs, names, strict=True))
    elif isinstance(outputs, Variable):
        graph["outputs"] = names[0]
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        text = json.dumps({"format": FORMAT, "version": VERSION, **graph}, allow_nan=False)
        file.writestr(zipfile.ZipInfo(GRAPH, _TIME), text, zipfile.ZIP_DEFLATED)
        for name in arrays.of_name:
            file.writestr(zipfile.ZipInfo(name, _TIME), arrays.npy_of(name), zipfile.ZIP_DEFLATED)
    save_bytes(path, data.getvalue())


def _inputs(inputs: Any) -> list[Variable]:
    if isinstance(inputs, (Variable, str, Mapping)) or not isinstance(inputs, Iterable):
        raise TypeError(
            f"inputs is {inputs!r}, a {type(inputs).__name__}; give a list of Variables, such as "
            "[x, y]; [] for none."
        )
    given: dict[Variable, None] = {}
    for number, value in enumerate(inputs):
        if not isinstance(value, Variable):
            raise TypeError(
                f"input {number} is {value!r}, a {type(value).__name__}; give a Variable such as "
                "tv.scalar() makes."
            )
        if value.leaf in ("shared", "constant"):
            raise TypeError(
                f"input {number}, {value}, is a {value.leaf} variable; the file has its value. "
                "Leave it out."
            )
        if value in given:
            raise ValueError(f"the input {value} comes twice; give each once.")
        given[value] = None
    return list(given)


def _cut(inputs: list[Variable], values: list[Variable]) -> tuple[list[Variable], list[Variable]]:
    """Return free variables in the place of the inputs that Ops compute, and the values of them."""
    fresh = {value: value.type(value.name) for value in inputs if value.leaf is None}
    cut = _core.substitute(values, list(fresh.items()))
    return [fresh.get(value, value) for value in inputs], cut


def _values(outputs: Any) -> list[Variable]:
    if isinstance(outputs, Variable):
        return [outputs]
    if not isinstance(outputs, (Mapping, Sequence)):
        raise TypeError(
            f"outputs is {outputs!r}, a {type(outputs).__name__}; give a Variable, or a list or "
            "dict of Variables. A function is pickled."
        )
    values = list(outputs.values() if isinstance(outputs, Mapping) else outputs)
    for value in values:
        if not isinstance(value, Variable):
            raise TypeError(
                f"outputs has {value!r}, a {type(value).__name__}; give a Variable, or a list or "
                "dict of Variables."
            )
    for name in outputs if isinstance(outputs, Mapping) else ():
        if not isinstance(name, str):
            raise TypeError(f"outputs has the key {name!r}; the names in a file are str.")
    return values


def load(path: str | PathLike[str]) -> Graph:
    """Read a graph that `save` wrote.

    Nothing of the file is run: its Ops are names that the registry knows, and its arrays numbers.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Graph
        With `inputs`, `outputs` and `shared`: ``tv.function(graph.inputs, graph.outputs)``.

    Raises
    ------
    GraphFileError
        If it is no graph file, is damaged or is of a later version. Also if it has an Op, an
        attribute or a graph that cannot be; the message has the place.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile, os
    >>> import thunkvm as tv
    >>> path = os.path.join(tempfile.mkdtemp(), "note.tv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("no zip")
    >>> tv.load(path)
    Traceback (most recent call last):
      ...
    thunkvm.GraphFileError: note.tv: it is no zip file, or damaged
    """
    with open(path, "rb") as opened:
        data = opened.read()
    try:
        inputs, made, names, is_one, shared = _core.read_graph_file(data, Host())
    except GraphFileError as error:
        raise GraphFileError(f"{os.path.basename(os.fspath(path))}: {error}") from None
    outputs: Any = made
    if names is not None:
        outputs = dict(zip(names, made, strict=True))
    elif is_one:
        outputs = made[0]
    return Graph(inputs, outputs, dict(shared))


__all__ = ["Graph", "GraphFileError", "load", "save"]
