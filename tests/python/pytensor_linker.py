"""A linker for PyTensor that goes by `thunkvm.linking`: the customer of that module.

``pytensor.function(..., mode=Mode(linker=ThunkvmLinker()))`` translates PyTensor's graph, node by
node. Conditionals, elementwise Ops, reductions, DimShuffle, Subtensor and Dot become those of
thunkvm; all else runs by its `perform`. Nodes come from the lines that PyTensor's tags have. Inputs
that PyTensor lets a function overwrite are mutable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytensor.scalar as ps
from pytensor.compile.aliasing import Supervisor
from pytensor.graph.basic import Constant
from pytensor.ifelse import IfElse
from pytensor.link.basic import Container, PerformLinker
from pytensor.link.utils import map_storage
from pytensor.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from pytensor.tensor.math import Dot
from pytensor.tensor.subtensor import Subtensor
from pytensor.tensor.type import TensorType

import thunkvm as tv
from thunkvm.linking import Graph, Input, Interface, Origin, Output, link

#: thunkvm's functions of scalar Ops that have one for any number of inputs, or for theirs.
ELEMENTWISE: dict[type, Callable[..., tv.Variable]] = {
    ps.basic.Abs: tv.abs,
    ps.basic.Cos: tv.cos,
    ps.basic.EQ: tv.equal,
    ps.basic.Exp: tv.exp,
    ps.basic.Expm1: tv.expm1,
    ps.basic.GE: tv.greater_equal,
    ps.basic.GT: tv.greater,
    ps.basic.Identity: lambda x: x,
    ps.basic.LE: tv.less_equal,
    ps.basic.LT: tv.less,
    ps.basic.Log: tv.log,
    ps.basic.Log1p: tv.log1p,
    ps.basic.NEQ: tv.not_equal,
    ps.basic.Neg: tv.negative,
    ps.basic.Pow: tv.power,
    ps.basic.Sin: tv.sin,
    ps.basic.Sqr: tv.square,
    ps.basic.Sqrt: tv.sqrt,
    ps.basic.Sub: tv.subtract,
    ps.basic.Switch: tv.where,
    ps.basic.Tanh: tv.tanh,
    ps.basic.TrueDiv: tv.true_div,
}
#: The same of those that take any number of inputs, two at a time.
OF_MANY: dict[type, Callable[..., tv.Variable]] = {
    ps.basic.Add: tv.add,
    ps.basic.Mul: tv.multiply,
    ps.basic.ScalarMaximum: tv.maximum,
    ps.basic.ScalarMinimum: tv.minimum,
}
REDUCTIONS: dict[type, Callable[..., tv.Variable]] = {
    ps.basic.AND: tv.all,
    ps.basic.Add: tv.sum,
    ps.basic.Mul: tv.prod,
    ps.basic.OR: tv.any,
    ps.basic.ScalarMaximum: tv.max,
    ps.basic.ScalarMinimum: tv.min,
}


class ThunkvmLinker(PerformLinker):  # type: ignore[misc]
    """Links PyTensor's graphs as functions of thunkvm.

    Parameters
    ----------
    mode : str or Mode
        The mode of thunkvm.
    """

    required_rewrites = ("minimum_compile",)
    incompatible_rewrites = ("cxx_only",)

    def __init__(self, mode: Any = "cvm", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mode = mode

    def accept(self, fgraph: Any, no_recycling: Any = None, profile: Any = None) -> Any:
        """Return a linker of this graph."""
        if self.fgraph is not None and self.fgraph is not fgraph:
            return type(self)(self.mode).accept(fgraph, no_recycling, profile)
        return super().accept(fgraph, no_recycling, profile)

    def make_all(
        self, input_storage: Any = None, output_storage: Any = None, storage_map: Any = None
    ) -> tuple[Any, ...]:
        """Return what PyTensor calls, where its values go in and out, thunks and nodes."""
        fgraph = self.fgraph
        order = self.schedule(fgraph)
        input_storage, output_storage, storage_map = map_storage(
            fgraph, order, input_storage, output_storage, storage_map
        )
        linked = linked_graph(fgraph, order, self.mode)

        def thunk() -> None:
            results = linked(*(cell[0] for cell in input_storage))
            for cell, result in zip(output_storage, results, strict=True):
                cell[0] = result

        thunk.allow_gc = self.allow_gc  # type: ignore[attr-defined]
        thunk.storage_map = storage_map  # type: ignore[attr-defined]
        thunk.linked = linked  # type: ignore[attr-defined]
        return (
            thunk,
            [Container(v, cell) for v, cell in zip(fgraph.inputs, input_storage, strict=True)],
            [
                Container(v, cell, readonly=True)
                for v, cell in zip(fgraph.outputs, output_storage, strict=True)
            ],
            [thunk],
            order,
        )


def linked_graph(fgraph: Any, order: list[Any], mode: Any) -> tv.Function:
    """Return the function of thunkvm of a FunctionGraph of PyTensor."""
    translation = Translation()
    inputs = [translation.input(variable) for variable in fgraph.inputs]
    for node in order:
        translation.add(node)
    outputs = [translation[variable] for variable in fgraph.outputs]
    mutable = mutable_inputs(fgraph)
    return link(
        Graph(inputs, outputs),
        mode,
        Interface(
            inputs=[Input(strict=is_array(v), mutable=v in mutable) for v in fgraph.inputs],
            outputs=[Output(array=is_array(v), borrow=not is_array(v)) for v in fgraph.outputs],
            origins=translation.origins,
        ),
    )


def mutable_inputs(fgraph: Any) -> set[Any]:
    """Return the inputs whose memory a function may use: those that no supervisor protects."""
    protected = [set(f.protected) for f in fgraph._features if isinstance(f, Supervisor)]
    return set(fgraph.inputs).difference(*protected) if protected else set()


def is_array(variable: Any) -> bool:
    """Return whether a variable of PyTensor has numbers."""
    return isinstance(variable.type, (TensorType, ps.ScalarType))


def type_of(variable: Any) -> tv.Type:
    """Return thunkvm's Type of a variable of PyTensor."""
    of = variable.type
    if isinstance(of, TensorType):
        return tv.TensorType(of.dtype, of.shape)
    return tv.TensorType(of.dtype, ()) if isinstance(of, ps.ScalarType) else tv.GenericType()


class Translation:
    """The Variables that stand for the variables of PyTensor."""

    def __init__(self) -> None:
        self._of: dict[Any, tv.Variable] = {}
        #: The lines that made the nodes of PyTensor.
        self.origins: dict[tv.Variable, Origin] = {}

    def __getitem__(self, variable: Any) -> tv.Variable:
        if variable not in self._of and isinstance(variable, Constant):
            is_number = is_array(variable)
            self._of[variable] = tv.constant(
                np.asarray(variable.data) if is_number else variable.data
            )
        return self._of[variable]

    def input(self, variable: Any) -> tv.Variable:
        """Make the free Variable for an input; PyTensor gives its value by position."""
        self._of[variable] = made = type_of(variable)()
        return made

    def add(self, node: Any) -> None:
        """Translate a node whose inputs are translated."""
        inputs = [self[variable] for variable in node.inputs]
        outputs = translated(node, inputs)
        for variable, output in zip(node.outputs, outputs, strict=True):
            of = type_of(variable)
            if isinstance(of, tv.TensorType) and output.type.dtype != of.dtype:
                output = tv.astype(output, of.dtype)
            self._of[variable] = output
            if (origin := origin_of(variable)) is not None:
                self.origins.setdefault(output, origin)


def origin_of(variable: Any) -> Origin | None:
    """Return the line that made a variable; None where its tag has no trace."""
    traces = [trace for trace in getattr(variable.tag, "trace", None) or () if trace]
    if not traces:
        return None
    file, line, _, text = traces[0][-1]
    return Origin(file, line or 0, text or "")


def translated(node: Any, inputs: list[tv.Variable]) -> list[tv.Variable]:
    """Return the outputs of a node of PyTensor for Variables as its inputs."""
    op = node.op
    if isinstance(op, IfElse):
        n = op.n_outs
        return list(tv.ifelse(inputs[0], inputs[1 : 1 + n], inputs[1 + n :]))
    found: list[tv.Variable] | None = None
    if isinstance(op, Elemwise):
        found = of_scalars(op.scalar_op, node.outputs, inputs)
    elif isinstance(op, CAReduce):
        found = of_reduction(node, inputs[0])
    elif isinstance(op, DimShuffle):
        found = [of_dimshuffle(op.new_order, inputs[0])]
    elif isinstance(op, Subtensor):
        found = [inputs[0][of_indices(op.idx_list, node.inputs[1:], inputs[1:])]]
    elif isinstance(op, Dot):
        found = [tv.dot(*inputs)]
    return by_perform(node, inputs) if found is None else found


def of_scalars(op: Any, outputs: list[Any], inputs: list[tv.Variable]) -> list[tv.Variable] | None:
    """Return what a scalar Op gives for each element; None for an Op that has no function."""
    if isinstance(op, ps.basic.Composite):
        return of_composite(op, inputs)
    if isinstance(op, ps.basic.Cast):
        return [tv.astype(inputs[0], outputs[0].type.dtype)]
    if (of_many := OF_MANY.get(type(op))) is not None:
        result = inputs[0]
        for other in inputs[1:]:
            result = of_many(result, other)
        return [result]
    function = ELEMENTWISE.get(type(op))
    return None if function is None else [function(*inputs)]


def of_composite(op: Any, inputs: list[tv.Variable]) -> list[tv.Variable] | None:
    """Return what the scalar graph of a fused Op gives for each element."""
    inside = Translation()
    inside._of.update(zip(op.fgraph.inputs, inputs, strict=True))
    for node in op.fgraph.toposort():
        values = of_scalars(node.op, node.outputs, [inside[x] for x in node.inputs])
        if values is None:
            return None
        inside._of.update(zip(node.outputs, values, strict=True))
    return [inside[output] for output in op.fgraph.outputs]


def of_reduction(node: Any, x: tv.Variable) -> list[tv.Variable] | None:
    """Return a reduction, computed in the dtype that PyTensor computes it in."""
    op = node.op
    function = REDUCTIONS.get(type(op.scalar_op))
    if function is None:
        return None
    dtype = getattr(op, "acc_dtype", None)
    if dtype is not None and dtype != x.type.dtype:
        x = tv.astype(x, dtype)
    return [function(x, axis=None if op.axis is None else tuple(op.axis))]


def of_dimshuffle(order: tuple[Any, ...], x: tv.Variable) -> tv.Variable:
    """Return x without the axes that the order leaves out, in its order, with its new axes."""
    kept = [axis for axis in order if axis != "x"]
    dropped = tuple(axis for axis in range(x.ndim) if axis not in kept)
    if dropped:
        x = tv.squeeze(x, axis=dropped)
    ranks = [sorted(kept).index(axis) for axis in kept]
    if ranks != sorted(ranks):
        x = tv.transpose(x, ranks)
    new = tuple(place for place, axis in enumerate(order) if axis == "x")
    return tv.expand_dims(x, new) if new else x


def of_indices(idx_list: Any, given: list[Any], inputs: list[tv.Variable]) -> tuple[Any, ...]:
    """Return the index of a Subtensor: its numbers say which input stands there."""

    def value(number: int | None) -> Any:
        if number is None:
            return None
        variable = given[number]
        return int(variable.data) if isinstance(variable, Constant) else inputs[number]

    def entries() -> Iterator[Any]:
        for entry in idx_list:
            if isinstance(entry, slice):
                yield slice(value(entry.start), value(entry.stop), value(entry.step))
            else:
                yield value(entry)

    return tuple(entries())


def by_perform(node: Any, inputs: list[tv.Variable]) -> list[tv.Variable]:
    """Return the outputs of a node that runs by its `perform`."""
    applied = Performed(node)(*inputs)
    return [applied] if isinstance(applied, tv.Variable) else list(applied)


class Performed(tv.Op):
    """A node of PyTensor as an Op that runs its `perform`."""

    def __init__(self, node: Any) -> None:
        super().__init__()
        self.node = node
        self.view_map = dict(node.op.view_map)
        self.destroy_map = dict(node.op.destroy_map)
        node.op.prepare_node(node, None, None, "py")

    def __str__(self) -> str:
        return str(self.node.op)

    def make_node(self, *inputs: Any) -> tv.Apply:
        """Return the node; PyTensor knows the Types of its outputs."""
        return tv.Apply(self, list(inputs), [type_of(v)() for v in self.node.outputs])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Run PyTensor's `perform`."""
        values = [
            np.asarray(value) if isinstance(variable.type, TensorType) else value
            for value, variable in zip(inputs, self.node.inputs, strict=True)
        ]
        self.node.op.perform(self.node, values, output_storage)
