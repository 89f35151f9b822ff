"""Cycles through Ops that hold what was built of them are collected, and nothing else."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import numpy as np
import pytest
from collected import (
    MODES,
    OPS,
    Double,
    Model,
    Pass,
    an_op,
    is_collected,
)

import thunkvm as tv


@pytest.mark.parametrize("op_class", OPS)
@pytest.mark.parametrize("mode", MODES)
def test_an_op_that_holds_its_own_function_is_collected(mode: str, op_class: Any) -> None:
    def make() -> Any:
        op, x = op_class(), tv.vector("x")
        op.f = tv.function([x], tv.exp(op(x * 1.0)) + op(x), mode=mode)
        assert op.f([0.0]).tolist() == [1.0]
        return op

    assert is_collected(make)


@pytest.mark.parametrize("build", [lambda y: y, lambda y: y * y + 1.0], ids=["alone", "in a graph"])
def test_an_op_that_holds_its_own_output_is_collected(build: Any) -> None:
    def make() -> Any:
        op = Double()
        op.y = build(op(tv.vector("x")))
        return op

    assert is_collected(make)


def test_a_function_that_its_own_op_calls_is_collected() -> None:
    def make() -> Any:
        class Recursive(Double):
            def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
                output_storage[0][0] = f(inputs[0] - 1.0) + 1.0 if inputs[0] > 0 else inputs[0]

        x = tv.scalar("x")
        f = tv.function([x], Recursive()(x))
        assert f(3.0) == 3.0
        return f

    assert is_collected(make)


def test_a_default_that_holds_the_function_is_collected() -> None:
    class Box:
        f: Any

    def make() -> Any:
        box, held = Box(), tv.generic("held")
        box.f = tv.function([tv.In(held, value=box, borrow=True)], held)
        return box

    assert is_collected(make)


def test_what_somebody_else_holds_is_left_alone() -> None:
    op, x = Double(), tv.vector("x")
    op.y = op(x)
    op.tag = "here"
    other = op.y + 1.0  # holds the node that op.y names
    del op
    gc.collect()
    assert other.owner.inputs[0].owner.op.tag == "here"
    f, g = (tv.function([x], other) for _ in range(2))
    del other
    gc.collect()
    del g
    gc.collect()
    assert f([1.0]).tolist() == [3.0]
    made = f.node_runs()
    assert [row[1] for row in made] == ["Double", "add"]


def test_a_variable_that_lives_keeps_its_op_whole() -> None:
    op, x = Double(), tv.vector("x")
    op.f = tv.function([x], op(x))
    y = op(x) * 3.0
    op.tag = "here"
    reference = weakref.ref(op)
    del op
    gc.collect()
    assert reference().tag == "here"
    np.testing.assert_array_equal(tv.function([x], y)([1.0]), [6.0])
    del y
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("mode", MODES)
def test_what_a_node_that_somebody_kept_needs_is_left_alone(mode: str) -> None:
    def make() -> tuple[Any, Any]:
        op, x = Double(), tv.vector("x")
        op.y = op(x)
        op.f = tv.function([x], op(x) + op.y, mode=mode)
        op.tag = "here"
        return op.y.owner, (op(x) * 2.0).owner  # the collector does not know these

    nodes = make()
    gc.collect()
    assert [nodes[0].op.tag, nodes[1].inputs[0].owner.op.tag] == ["here", "here"]
    assert nodes[0].op.f([1.0]).tolist() == [4.0]


def test_an_op_of_several_nodes_is_kept_by_each_of_them() -> None:
    def make() -> Any:
        op, x = Double(), tv.vector("x")
        op.y = op(x)
        op.tag = "here"
        return op(x).owner

    node = make()
    gc.collect()
    assert node.op.tag == "here"
    assert node.op.y.owner.op is node.op


@pytest.mark.parametrize("hold_by", ["variable", "function"])
def test_an_op_of_one_node_that_somebody_kept_is_left_alone(hold_by: str) -> None:
    def make() -> Any:
        op, x = Double(), tv.vector("x")
        y = op(x)
        op.held = y if hold_by == "variable" else tv.function([x], y)
        op.tag = "here"
        return y.owner

    node = make()
    gc.collect()
    assert node.op.tag == "here"


def test_values_that_are_kept_between_calls_are_collected() -> None:
    def make() -> Any:
        model, g = Model(), tv.generic("g")
        model.f = tv.function([g], Pass()(Pass()(g)), mode="cvm_nogc")
        model.f(model)
        return model

    assert is_collected(make)


# No object in these cycles but ours can be cleared.


def test_a_variable_alone_closes_a_cycle_that_is_collected() -> None:
    def make() -> Any:
        model, s = Model(), tv.shared(None, "s")
        s.set_value((s, model), borrow=True)
        return model

    assert is_collected(make)


def test_a_node_alone_closes_a_cycle_that_is_collected() -> None:
    def make() -> Any:
        model, s = Model(), tv.shared(None, "s")
        node = Pass()(s).owner
        s.set_value((node, model), borrow=True)
        return model

    assert is_collected(make)


def test_a_function_alone_closes_a_cycle_that_is_collected() -> None:
    def make() -> Any:
        model, s = Model(), tv.shared(None, "s")
        f = tv.function([], Pass()(s))
        s.set_value((f, model), borrow=True)
        return model

    assert is_collected(make)


def test_what_the_collector_took_says_so() -> None:
    s = tv.shared(None, "s")
    f, node = tv.function([], Pass()(s)), Pass()(s).owner
    s.set_value((f, node, s), borrow=True)
    # What the collector does to a cycle, done to objects that are still in use.
    for thing in (f, node, s):
        clear_as_the_collector_does(thing)
    with pytest.raises(RuntimeError, match="the garbage collector took it"):
        f()
    with pytest.raises(RuntimeError, match="the garbage collector took it"):
        f.node_runs()
    with pytest.raises(RuntimeError, match="the garbage collector took it"):
        _ = node.op
    assert s.name == "a collected variable"


def clear_as_the_collector_does(thing: Any) -> None:
    """Call the `tp_clear` of an object's class."""
    slot = ctypes.pythonapi.PyType_GetSlot
    slot.argtypes, slot.restype = [ctypes.py_object, ctypes.c_int], ctypes.c_void_p
    clear = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(slot(type(thing), 51))
    assert clear(thing) == 0


def test_a_finalizer_may_bring_a_model_back() -> None:
    saved = []

    class Phoenix(Model):
        def __del__(self) -> None:
            saved.append(self)

    def make() -> None:
        model, x = Phoenix(), tv.vector("x")
        op = Double()
        op.model = model  # type: ignore[attr-defined]
        model.y = op(x)
        model.f = tv.function([x], model.y + 1.0)

    make()
    gc.collect()
    (model,) = saved
    assert model.f([1.0]).tolist() == [3.0]
    assert model.y.owner.op.model is model
    saved.clear()
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


def test_a_finalizer_may_bring_back_a_graph_by_a_new_node_of_it() -> None:
    saved = []

    class Builder(Model):
        def __del__(self) -> None:
            saved.append(self.y + 1.0)  # a holder that was not there when the collection began

    def make() -> None:
        model, x = Builder(), tv.vector("x")
        op = Double()
        op.model = model  # type: ignore[attr-defined]
        model.x, model.y = x, op(x)

    make()
    gc.collect()
    (total,) = saved
    model = total.owner.inputs[0].owner.op.model
    assert tv.function([model.x], total)([1.0]).tolist() == [3.0]
    saved.clear()
    reference = weakref.ref(model)
    del model, total
    gc.collect()
    assert reference() is None


def test_what_a_variable_in_use_shares_with_garbage_is_left_alone() -> None:
    def make() -> Any:
        op, x = Double(), tv.vector("x")
        op.tag = "here"
        hidden = op(x)
        op.garbage = [hidden + 1.0, tv.function([x], hidden)]
        return hidden * 2.0

    y = make()
    for _ in range(3):
        gc.collect()
    op = y.owner.inputs[0].owner.op
    assert op.tag == "here"
    assert op.garbage[1]([1.0]).tolist() == [2.0]


def test_a_deep_graph_is_collected_without_recursion() -> None:
    def make() -> Any:
        model = Model()
        y = an_op(model)
        for _ in range(200_000):
            y = y + 1.0
        model.held = y
        return model

    assert is_collected(make)


def test_variables_all_along_a_deep_graph_are_collected() -> None:
    def make() -> Any:
        model = Model()
        model.held = [an_op(model)]
        for _ in range(30_000):
            model.held.append(model.held[-1] + 1.0)
        return model

    # Where each of them had its graph walked, this would not end.
    assert is_collected(make)


def test_a_chain_of_ops_that_hold_each_others_outputs_is_collected() -> None:
    def make() -> Any:
        first = Double()
        y = first(tv.vector("x"))
        for _ in range(20_000):
            op = Double()
            op.before = y  # type: ignore[attr-defined]
            y = op(y)
        first.last = y  # type: ignore[attr-defined]
        return first

    assert is_collected(make)


@pytest.mark.parametrize("with_function", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_an_op_in_the_body_of_a_loop_that_it_holds_is_collected(
    nested: bool, with_function: bool
) -> None:
    def make() -> Any:
        op, x = Double(), tv.vector("x")
        body = lambda _, s: op(s) + 1.0  # noqa: E731
        if nested:
            body = lambda _, s: tv.fori_loop(0, 2, lambda _, t: op(t), s)  # noqa: E731
        op.y = tv.fori_loop(0, 3, body, x)
        if with_function:
            op.f = tv.function([x], op.y, mode="vm")
            op.f([1.0])
        return op

    assert is_collected(make)


def test_an_op_in_the_body_of_a_loop_in_use_is_left_alone() -> None:
    def make() -> tuple[Any, Any, Any]:
        op, x = Double(), tv.vector("x")
        op.tag = ["here"]
        return x, tv.fori_loop(0, 3, lambda _, s: op(s), x), weakref.ref(op)

    x, loop, op = make()
    gc.collect()
    assert op().tag == ["here"]
    assert tv.function([x], loop, mode="vm")([1.0]).tolist() == [8.0]


def test_a_collection_may_begin_in_a_frame_that_can_import_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    complaints: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", complaints.append)
    op, x = Double(), tv.vector("x")
    op.y = op(x)
    reference = weakref.ref(op)
    del op, x
    eval("collect()", {"__builtins__": {}, "collect": gc.collect})  # as in a namedtuple's __new__
    assert complaints == []
    assert reference() is None
