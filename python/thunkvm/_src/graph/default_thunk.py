"""The thunk that `Op.make_thunk` makes of an Op's other ways to run, and Theano's form of it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from thunkvm._core import Apply, Function, NoCompilerError, Variable
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.thunk import Thunk

#: Lists of one element, for each input or output.
Cells = list[list[Any]]
#: A list of one element by variable.
Storage = Mapping[Variable, list[Any]]
#: The ways of an Op to run in C.
C_WAYS = ("c_code", "c_kernel", "c_element")


class NodeThunk(Thunk):
    """Runs a function of one node.

    Attributes
    ----------
    inputs, outputs : list of list
        Where the values are, as Theano's thunks have them.
    """

    def __init__(self, function: Function, inputs: Cells, outputs: Cells, computed: Cells) -> None:
        self.function, self.inputs, self.outputs, self.computed = (
            function, inputs, outputs, computed,
        )  # fmt: skip

    def __call__(self) -> None:
        """Compute the outputs."""
        values = self.function(*[cell[0] for cell in self.inputs])
        _store_values(values, self.outputs, self.computed)


class PerformThunk(Thunk):
    """Runs an Op's `perform`, for the node itself.

    Attributes
    ----------
    inputs, outputs : list of list
        Where the values are, as Theano's thunks have them.
    """

    def __init__(
        self, perform: Any, node: Apply, inputs: Cells, outputs: Cells, computed: Cells
    ) -> None:
        self.perform, self.node = perform, node
        self.inputs, self.outputs, self.computed = inputs, outputs, computed

    def __call__(self) -> None:
        """Compute the outputs."""
        self.perform(self.node, [cell[0] for cell in self.inputs], self.outputs)
        for said in self.computed:
            said[0] = 1


class DemandThunk(Thunk):
    """Runs an Op's generator `demand`."""

    lazy = True

    def __init__(
        self, op: Any, node: Apply, available: Cells, computed: Cells, inputs: Cells, outputs: Cells
    ) -> None:
        self.op, self.node, self.available, self.computed = op, node, available, computed
        self.inputs, self.outputs = inputs, outputs
        self._generator: Any = None
        self._asked = 0

    def __call__(self) -> list[int] | None:
        """Go on, with the input that was asked for."""
        if self._generator is None or not self.available[self._asked][0]:  # a new call
            self._generator = self.op.demand(self.node)
            return self._until_it_asks(lambda: next(self._generator))
        return self._until_it_asks(lambda: self._generator.send(self.inputs[self._asked][0]))

    def raised(self, i: int, exception: Exception) -> list[int] | None:
        """Raise in the generator what computing input i raised."""
        return self._until_it_asks(lambda: self._generator.throw(exception))

    def _until_it_asks(self, resume: Callable[[], int]) -> list[int] | None:
        while True:
            try:
                self._asked = resume()
            except StopIteration as ended:
                self._generator = None
                _store_values(ended.value, self.outputs, self.computed)
                return None
            if not self.available[self._asked][0]:
                return [self._asked]

            def resume() -> int:
                asked: int = self._generator.send(self.inputs[self._asked][0])
                return asked


class StorageThunk(Thunk):
    """Runs a thunk that was made with Theano's maps of storage.

    A variable that is two inputs has one entry in the maps, of which this keeps the lists.
    """

    def __init__(
        self,
        make_thunk: Callable[..., Any],
        impl: str | None,
        node: Apply,
        available: Cells,
        computed: Cells,
        inputs: Cells,
        outputs: Cells,
    ) -> None:
        first: dict[Variable, int] = {}
        for i, variable in enumerate(node.inputs):
            first.setdefault(variable, i)
        self._again = [
            (i, first[variable]) for i, variable in enumerate(node.inputs) if first[variable] != i
        ]
        self._available, self._inputs, self._computed = available, inputs, computed
        storage_map = {variable: inputs[i] for variable, i in first.items()}
        compute_map = {variable: available[i] for variable, i in first.items()}
        storage_map |= zip(node.outputs, outputs, strict=True)
        compute_map |= zip(node.outputs, computed, strict=True)
        keywords = {} if impl is None else {"impl": impl}
        self._thunk = make_thunk(node, storage_map, compute_map, [], **keywords)
        self.lazy = bool(getattr(self._thunk, "lazy", False))
        if hasattr(self._thunk, "raised"):
            self.raised = self._thunk.raised

    def __call__(self) -> list[int] | None:
        """Run it; an eager one need not say that it computed its outputs."""
        for i, first in self._again:
            if self._available[i][0]:
                self._inputs[first][0] = self._inputs[i][0]
                self._available[first][0] = 1
        asked = self._thunk()
        if self.lazy:
            return list(asked) if asked else None
        for cell in self._computed:
            cell[0] = 1
        return None


def _store_values(values: Any, outputs: Cells, computed: Cells) -> None:
    if len(outputs) == 1:
        values = (values,)
    for value, output, said in zip(values, outputs, computed, strict=True):
        output[0], said[0] = value, 1


def default_thunk(op: Any, node: Apply, *storage: Any, impl: str | None = None) -> Thunk:
    """Return the thunk of an Op that has a `perform`, a `demand` or C.

    Parameters
    ----------
    op : Op
    node : Apply
        A node of it.
    *storage
        What `make_thunk` gets behind the node: the four lists of the proposal of 2010, or Theano's
        maps of storage and of what is computed.
    impl : {"py", "c", "c|py"}, optional
        Which of them; the Op's `implementation` if left out, else C where it has any.

    Raises
    ------
    TypeError
        If `storage` is neither.
    NotImplementedError
        If the Op has no such way to run.
    """
    if len(storage) in (2, 3) and isinstance(storage[0], Mapping):
        values, said, *rest = storage
        return _prepare_thunk(op, node, impl, values, said, rest[0] if rest else [])
    if len(storage) == 4:
        return StorageThunk(
            lambda node, *maps: _prepare_thunk(op, node, impl, *maps), None, node, *storage
        )
    raise TypeError(
        f"make_thunk of {op} takes (node, input_computed, output_computed, input_registers, "
        "output_registers), or Theano's (node, storage_map, compute_map, no_recycling, impl), "
        f"but it got {len(storage)} arguments behind the node."
    )


def _prepare_thunk(
    op: Any, node: Apply, impl: str | None, values: Storage, said: Storage | None, kept: Any
) -> Thunk:
    """Prepare a node and make its thunk by the methods of Theano's that an Op may define."""
    way = impl or op.implementation or "c|py"
    if way == "c" or (way != "py" and any(hasattr(op, name) for name in C_WAYS)):
        _method(op, "prepare_node")(node, values, said, "c")
        try:
            thunk: Thunk = _method(op, "make_c_thunk")(node, values, said, kept)
            return thunk
        except (NotImplementedError, NoCompilerError):
            if way == "c":
                raise
    _method(op, "prepare_node")(node, values, said, "py")
    thunk = _method(op, "make_py_thunk")(node, values, said, kept)
    return thunk


def _method(op: Any, name: str) -> Any:
    """Return a method of an Op; that of `Op` where its class is no subclass and has none."""
    return getattr(op, name, None) or getattr(Op, name).__get__(op)


def python_thunk(
    op: Any, node: Apply, values: Storage, said: Storage | None, debug: bool = False
) -> Thunk:
    """Return the thunk of an Op that has a `perform` or a `demand`; see `Op.make_py_thunk`."""
    inputs, outputs, available, computed = _cells(node, values, said)
    if hasattr(op, "demand"):
        return DemandThunk(op, node, available, computed, inputs, outputs)
    perform = getattr(op, "debug_perform", None) if debug else None
    perform = perform or getattr(op, "perform", None)
    if perform is None:
        raise NotImplementedError(f"the Op {op} has no perform and no demand.")
    if getattr(op, "params_type", None) is not None and _required_arguments(perform) == 4:
        from thunkvm.c.params_values import with_params

        perform = with_params(perform, node)
    return PerformThunk(perform, node, inputs, outputs, computed)


def _required_arguments(method: Any) -> int:
    code = getattr(method, "__code__", None)
    if code is None:
        return -1
    optional = len(method.__defaults__ or ())
    return int(code.co_argcount - optional - hasattr(method, "__self__"))


def c_thunk(op: Any, node: Apply, values: Storage, said: Storage | None) -> Thunk:
    """Return the thunk of an Op that has C; see `Op.make_c_thunk`."""
    inputs, outputs, _, computed = _cells(node, values, said)
    return NodeThunk(_function_of(op, node, "c"), inputs, outputs, computed)


def _cells(node: Apply, values: Storage, said: Storage | None) -> tuple[Cells, Cells, Cells, Cells]:
    """Return where the inputs and outputs are, and where it is said whether they are there."""
    known: Storage = said or {}
    available, computed = ([known.get(v, [1]) for v in vs] for vs in (node.inputs, node.outputs))
    inputs, outputs = ([values[v] for v in vs] for vs in (node.inputs, node.outputs))
    return inputs, outputs, available, computed


def make_prepared_thunk(self: Any, node: Apply, *storage: Any, **keywords: Any) -> Thunk:
    """Make a thunk as `Op.make_thunk` does: that of a class which defines a part of it alone."""
    return Op.make_thunk(self, node, *storage, **keywords)


def prepare(op: Any, node: Apply) -> None:
    """Call an Op's `prepare_node` for a node that runs in C without a thunk.

    The Op of a `c_thunk` is prepared already.
    """
    own = getattr(type(op), "prepare_node", Op.prepare_node) is not Op.prepare_node
    if own and getattr(type(op), "make_thunk", None) is not Op.make_thunk:
        op.prepare_node(node, None, None, "c")


def _function_of(op: Any, node: Apply, way: str) -> Function:
    """Return a function of the node's inputs; `way` is the name of its mode."""
    from thunkvm._src.calls.function import function
    from thunkvm._src.calls.mode import get_mode
    from thunkvm._src.calls.specs import Out

    kind = type(op)
    plain = copy.copy(op)  # without a make_thunk of its own, which may be what asks
    plain.__class__ = type(kind.__name__, (kind,), {"make_thunk": Op.make_thunk})
    plain.implementation = None
    inputs = [variable.type() for variable in node.inputs]
    outputs = Apply(plain, inputs, [variable.type() for variable in node.outputs]).outputs
    borrowed = [Out(variable, borrow=True) for variable in outputs]
    results = borrowed[0] if len(borrowed) == 1 else borrowed
    made: Function = function(inputs, results, mode=get_mode(way), name=f"a thunk of {op}")
    return made


def of_protocol(make_thunk: Any, impl: str | None) -> Any:
    """Return a user's `make_thunk` as the protocol of 2010 has it.

    Parameters
    ----------
    make_thunk : callable
        Of that protocol, or Theano's ``make_thunk(node, storage_map, compute_map, no_recycling,
        impl=None)``, with or without `impl`.
    impl : str, optional
        What Theano's gets for `impl`.
    """
    if getattr(make_thunk, "__func__", None) is make_prepared_thunk:
        return lambda node, *cells: make_thunk(node, *cells, impl=impl)
    code = getattr(make_thunk, "__code__", None)
    if code is None:
        return make_thunk
    names = code.co_varnames[: code.co_argcount]
    if len(names) != 5 and "impl" not in names:
        return make_thunk
    given = impl if "impl" in names else None
    return lambda node, *cells: StorageThunk(make_thunk, given, node, *cells)


def maker(op: Any) -> Any:
    """Return the `make_thunk` of 2010 that an Op would inherit, whatever it has of its own."""
    return lambda node, *cells: default_thunk(op, node, *cells)


__all__ = [
    "c_thunk", "default_thunk", "make_prepared_thunk", "maker", "of_protocol", "prepare",
    "python_thunk",
]  # fmt: skip
