"""`prepare_node`, `make_py_thunk` and `make_c_thunk` of Ops, as Theano and PyTensor have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

#: By mode, what an Op in C and Python is prepared for, and what it adds.
MODES = [("py", "py", 1.0), ("vm", "py", 1.0), ("cvm", "c", 2.0), ("c|py", "c", 2.0)]


class Both(tv.COp):
    """x + 1 in Python, x + 2 in C: so the result says which one ran."""

    __props__ = ()
    itypes = otypes = [tv.dvector]

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] + 1.0

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{z}) {{ {sub["fail"]} }}
            for (npy_intp i = 0; i < PyArray_SIZE({z}); ++i)
              ((dtype_{z}*)PyArray_DATA({z}))[i] += 2;"""


class Prepared(Both):
    """Keeps what its nodes were prepared with, and which of them ran in Python."""

    def __init__(self) -> None:
        self.prepared: list[Any] = []
        self.performed: list[Any] = []

    def prepare_node(self, node: Any, storage_map: Any, compute_map: Any, impl: Any) -> None:
        self.prepared.append((node, storage_map and set(storage_map), impl))

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        self.performed.append(node)
        super().perform(node, inputs, output_storage)


def run(op: Any, mode: str) -> float:
    """What the Op adds in a function."""
    x = tv.vector("x")
    return float(tv.function([x], op(x), mode=mode)([0.0])[0])


@pytest.mark.parametrize(("mode", "impl", "added"), MODES)
def test_prepare_node_is_called_once_before_a_node_runs(mode: str, impl: str, added: float) -> None:
    op = Prepared()
    assert run(op, mode) == added
    ((node, variables, prepared_for),) = op.prepared
    assert prepared_for == impl
    assert variables == {*node.inputs, *node.outputs}


def test_prepare_node_in_mode_c_gets_no_maps() -> None:
    op = Prepared()
    assert run(op, "c") == 2.0
    assert [prepared[1:] for prepared in op.prepared] == [(None, "c")]


def test_perform_gets_the_node_that_was_prepared() -> None:
    op = Prepared()
    run(op, "vm")
    assert op.performed == [op.prepared[0][0]]


def test_prepare_node_is_called_for_each_node() -> None:
    x, op = tv.vector("x"), Prepared()
    tv.function([x], op(op(x)), mode="vm")
    assert len({node for node, *_ in op.prepared}) == 2


def test_prepare_node_of_a_generator_keeps_it_lazy() -> None:
    class First(tv.Op):
        __props__ = ()
        prepared = 0

        def make_node(self, *inputs: Any) -> tv.Apply:
            return tv.Apply(self, inputs, [inputs[0].type()])

        def prepare_node(self, node: Any, storage_map: Any, compute_map: Any, impl: Any) -> None:
            First.prepared += 1

        def demand(self, node: Any) -> Any:
            return (yield 0)

    x = tv.scalar("x")
    f = tv.function([x], First()(x * 2.0, tv.exp(x)), mode="vm")
    assert f(3.0) == 6.0
    assert First.prepared == 1
    assert {row.op: row.runs for row in f.node_runs()}["exp"] == 0


def test_a_make_thunk_of_ones_own_prepares_by_the_base() -> None:
    class Own(Prepared):
        def make_thunk(self, node: Any, *cells: Any) -> Any:  # type: ignore[override]
            return super().make_thunk(node, *cells)

    op = Own()
    assert run(op, "vm") == 2.0  # nobody says which way
    assert [impl for *_, impl in op.prepared] == ["c"]


class PythonThunk(Both):
    """x + 3 by a thunk of its own."""

    def make_py_thunk(
        self, node: Any, storage_map: Any, compute_map: Any, no_recycling: Any = (), debug: Any = 0
    ) -> Any:
        (x,), (z,) = node.inputs, node.outputs

        def thunk() -> None:
            storage_map[z][0] = storage_map[x][0] + 3.0

        return thunk


@pytest.mark.parametrize(("mode", "added"), [("py", 3.0), ("vm", 3.0), ("cvm", 2.0), ("c", 2.0)])
def test_make_py_thunk_makes_what_runs_in_python(mode: str, added: float) -> None:
    assert run(PythonThunk(), mode) == added


class CThunk(Both):
    """x + 4 by a thunk in place of its C, or none if it is told so."""

    __props__ = ("has_c",)

    def __init__(self, has_c: bool = True) -> None:
        self.has_c = has_c
        self.prepared_for: list[Any] = []

    def prepare_node(self, node: Any, storage_map: Any, compute_map: Any, impl: Any) -> None:
        self.prepared_for.append(impl)

    def make_c_thunk(
        self, node: Any, storage_map: Any, compute_map: Any, no_recycling: Any = ()
    ) -> Any:
        if not self.has_c:
            raise NotImplementedError("no C today")
        (x,), (z,) = node.inputs, node.outputs

        def thunk() -> None:
            storage_map[z][0] = storage_map[x][0] + 4.0

        return thunk


@pytest.mark.parametrize(("mode", "added"), [("py", 1.0), ("vm", 1.0), ("cvm", 4.0), ("c|py", 4.0)])
def test_make_c_thunk_makes_what_runs_in_c(mode: str, added: float) -> None:
    assert run(CThunk(), mode) == added


def test_a_node_without_a_c_thunk_is_prepared_again_and_runs_in_python() -> None:
    op = CThunk(has_c=False)
    assert run(op, "cvm") == 1.0
    assert op.prepared_for == ["c", "py"]


def test_a_node_without_a_c_thunk_fails_where_c_alone_is_asked_for() -> None:
    op = CThunk(has_c=False)
    node = op(tv.vector("x")).owner
    with pytest.raises(NotImplementedError, match="no C today"):
        op.make_thunk(node, *maps(node, np.array([5.0])), [], impl="c")
    assert op.prepared_for == ["c"]


# ---- called by hand


def maps(node: Any, *values: Any) -> tuple[Any, Any]:
    storage = {v: [value] for v, value in zip(node.inputs, values, strict=True)}
    computed = {v: [True] for v in node.inputs}
    return storage | {v: [None] for v in node.outputs}, computed | {
        v: [False] for v in node.outputs
    }


@pytest.mark.parametrize(("make", "added"), [("make_py_thunk", 1.0), ("make_c_thunk", 2.0)])
def test_a_thunk_of_one_way_runs_it_in_storage_maps(make: str, added: float) -> None:
    node = Both()(tv.vector("x")).owner
    storage, computed = maps(node, np.array([5.0]))
    thunk = getattr(node.op, make)(node, storage, computed, [])
    thunk()
    (out,) = node.outputs
    assert storage[out][0].tolist() == [5.0 + added]
    assert computed[out] == [True]
    assert (thunk.lazy, thunk.inputs, thunk.outputs) == (
        False, [storage[node.inputs[0]]], [storage[out]],
    )  # fmt: skip


def test_make_py_thunk_needs_no_map_of_what_is_computed() -> None:
    node = Both()(tv.vector("x")).owner
    storage, _ = maps(node, np.array([5.0]))
    node.op.make_py_thunk(node, storage, None, [])()
    assert storage[node.outputs[0]][0].tolist() == [6.0]


def test_make_py_thunk_runs_debug_perform_where_one_asks_for_it() -> None:
    class Debugged(Both):
        def debug_perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0] - 1.0

    node = Debugged()(tv.vector("x")).owner
    storage, computed = maps(node, np.array([5.0]))
    node.op.make_py_thunk(node, storage, computed, [], debug=True)()
    assert storage[node.outputs[0]][0].tolist() == [4.0]


def test_make_py_thunk_gives_perform_its_params() -> None:
    class Scale(tv.COp):
        __props__ = ("factor",)
        params_type = tv.ParamsType(factor=tv.ScalarType("float64"))
        itypes = otypes = [tv.dvector]

        def __init__(self, factor: float) -> None:
            self.factor = factor

        def perform(self, node: Any, inputs: Any, output_storage: Any, params: Any) -> None:
            output_storage[0][0] = inputs[0] * params.factor

    node = Scale(3.0)(tv.vector("x")).owner
    storage, computed = maps(node, np.array([5.0]))
    node.op.make_py_thunk(node, storage, computed, [])()
    assert storage[node.outputs[0]][0].tolist() == [15.0]


def test_make_c_thunk_of_an_op_without_c_is_not_implemented() -> None:
    class Plain(tv.Op):
        __props__ = ()
        itypes = otypes = [tv.dvector]

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0]

    node = Plain()(tv.vector("x")).owner
    with pytest.raises(NotImplementedError):
        node.op.make_c_thunk(node, *maps(node, np.array([5.0])), [])


def test_make_py_thunk_of_an_op_in_c_alone_is_not_implemented() -> None:
    class Alone(Both):
        perform = None  # type: ignore[assignment]

    node = Alone()(tv.vector("x")).owner
    with pytest.raises(NotImplementedError, match="the Op Alone has no perform and no demand"):
        node.op.make_py_thunk(node, *maps(node, np.array([5.0])), [])
