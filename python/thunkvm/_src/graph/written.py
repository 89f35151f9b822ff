"""Graphs written down: each node as the name of its Op, its attributes and its inputs.

Pickles and files of graphs are lists of such descriptions, each node after its inputs. So a graph
of any depth is written and read without recursion, but for the bodies of loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from weakref import WeakValueDictionary

from thunkvm import _core
from thunkvm._core import Apply, Variable
from thunkvm._src.graph.exception_names import classes_of, remember
from thunkvm._src.graph.prototypes import describe
from thunkvm._src.graph.registered import RegisteredOp, is_registered, outputs_of

#: What a value is called in a description: that of a node by (node, output), one from outside by a
#: number.
Reference = tuple[int, int] | int
#: A node: what makes its outputs, the references to its inputs, and names of its outputs.
Description = tuple[tuple[Any, ...], list[Reference], list[str | None] | None]


class Written:
    """Nodes of a graph, and what they take from outside.

    Parameters
    ----------
    nodes : list of Apply
        Each after its inputs, as far as these are among them.

    Attributes
    ----------
    nodes : list of Description
        The nodes, written down.
    outside : list of Variable
        What they use besides: leaves, and outputs of nodes that are written elsewhere.
    """

    def __init__(self, nodes: Iterable[Apply]) -> None:
        self.nodes: list[Description] = []
        self.outside: list[Variable] = []
        self._kept = list(nodes)
        self._numbers = {hash(node): number for number, node in enumerate(self._kept)}
        self._of_outside: dict[int, int] = {}
        for node in self._kept:
            outputs = node.outputs
            names = [output.name for output in outputs]
            inputs = [self._reference(x) for x in node.inputs]
            self.nodes.append((making_of(node), inputs, names if any(names) else None))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return how to read them: as `Read`."""
        nodes = [check_description(node) for node in self.nodes]
        # Classes that attributes name: who reads them imports their modules.
        caught: dict[str, type[Exception]] = {}
        for (kind, name, *rest), *_ in self.nodes:
            if (kind, name) == ("op", "attempt"):
                names = rest[0]["on"]
                caught.update(zip(names, classes_of(names), strict=True))
        return Read, (nodes, self.outside, caught)

    def number(self, node: Apply) -> int:
        """Return the position of a node that is written here."""
        return self._numbers[hash(node)]

    def _reference(self, x: Variable) -> Reference:
        node = x.owner
        if node is not None and (number := self._numbers.get(hash(node))) is not None:
            return number, x.index
        key = id(x)  # which `outside` keeps
        if key not in self._of_outside:
            self._of_outside[key] = len(self.outside)
            self.outside.append(x)
        return self._of_outside[key]


class Read:
    """Nodes that were written down, made again.

    Parameters
    ----------
    nodes : list of Description
        The nodes.
    outside : list of Variable
        What they take from outside.
    caught : dict of str to class
        The exceptions that they name, whose modules are imported therefore.
    """

    def __init__(
        self,
        nodes: list[Description],
        outside: list[Variable],
        caught: Mapping[str, type[Exception]] = MappingProxyType({}),
    ) -> None:
        remember(caught)
        self.outputs: list[list[Variable]] = []
        for making, inputs, names in nodes:
            values = [
                outside[x] if isinstance(x, int) else self.outputs[x[0]][x[1]] for x in inputs
            ]
            outputs = make_node(making, values)
            for output, name in zip(outputs, names or (), strict=names is not None):
                if name is not None:
                    output.name = name
            self.outputs.append(outputs)


#: By node, who has written it, as long as somebody keeps that: a pickler keeps what it has pickled.
_WRITERS: WeakValueDictionary[int, Written] = WeakValueDictionary()


def writer_of(node: Apply) -> Written:
    """Return the writer of a node: somebody who writes it, and all that nobody has, now.

    Pickles share it: what is reached from two pickled Variables is written once.
    """
    key = hash(node)
    if (found := _WRITERS.get(key)) is None:
        found = Written(_unwritten_nodes(node))
        for each in found._kept:
            _WRITERS[hash(each)] = found
    return found


def _unwritten_nodes(root: Apply) -> list[Apply]:
    """Return the nodes that nobody has written and `root` needs, each after its inputs."""
    order: list[Apply] = []
    met: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
            continue
        if hash(node) in met or hash(node) in _WRITERS:
            continue
        met.add(hash(node))
        stack.append((node, True))
        owners = [x.owner for x in node.inputs]
        stack.extend((owner, False) for owner in reversed(owners) if owner is not None)
    return order


def making_of(node: Apply) -> tuple[Any, ...]:
    """Return the description that makes a node's outputs from its inputs, without the inputs.

    ``("op", type, attributes)`` for an Op of the registry; ``("python", op, types)`` for an Op of a
    user's, which has no name there. A graph among the attributes is (inputs, outputs).
    """
    op = node.op
    if isinstance(op, RegisteredOp):
        return "op", op.name, op.attributes
    if not isinstance(op, _core.BuiltinOp):
        return "python", op, [output.type for output in node.outputs]
    if op.type is None:
        raise TypeError(
            f"{node} is of a graph that was linked; write the graph that the function was made of."
        )
    return "op", op.type, op.attrs


def make_node(making: tuple[Any, ...], inputs: Sequence[Variable]) -> list[Variable]:
    """Return the outputs of a node that is made again."""
    kind, *rest = making
    if kind == "python":
        op, types = rest
        if isinstance(op, ByValue):
            op = op.load_op()
        return Apply(op, list(inputs), [type() for type in types]).outputs
    name, attributes = rest
    if is_registered(name):
        return outputs_of(name, attributes, inputs)
    describe(name)  # or an error that says how to know it
    return _core.apply_op(name, attributes, list(inputs))


class ByValue:
    """An Op that cloudpickle writes whole, since Python cannot import it: of a lambda, or local."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def load_op(self) -> Any:
        """Return the Op."""
        import pickle

        return pickle.loads(self.data)


def check_description(node: Description) -> Description:
    """Return a description whose Op can be pickled: by reference, else whole by cloudpickle."""
    import pickle

    making, inputs, names = node
    if making[0] != "python":
        return node
    try:
        pickle.dumps(making[1])
        return node
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        reason = error
    try:
        import cloudpickle
    except ImportError:
        raise TypeError(
            f"the Op {making[1]} cannot be pickled: {reason}. Define its class, and the functions "
            "that it holds, in a module; or install cloudpickle, which pickles them whole."
        ) from None
    try:
        whole = cloudpickle.dumps(making[1])
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"the Op {making[1]} cannot be pickled: {error}. Keep what no pickle holds out of the "
            "Op, or give its class __reduce__."
        ) from error
    return (making[0], ByValue(whole), *making[2:]), inputs, names


__all__ = ["Read", "Written", "make_node", "making_of", "writer_of"]
