"""Cycles through Ops that hold what was built of them are collected, and nothing else."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN"]


class Double(tv.Op):
    """Twice its input, by `perform`."""

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 2.0


class DoubleByThunk(Double):
    """Twice its input, by `make_thunk`."""

    def make_thunk(self, node: Any, *lists: Any) -> Any:
        op, (_, output_computed, inputs, outputs) = self, lists

        def thunk() -> None:
            assert op is self
            outputs[0][0] = inputs[0][0] * 2.0
            output_computed[0][0] = 1

        return thunk


class DoubleByDemand(Double):
    """Twice its input, by `demand`."""

    def demand(self, node: Any) -> Any:
        return (yield 0) * 2.0


OPS = [Double, DoubleByThunk, DoubleByDemand]


def is_collected(make: Callable[[], Any]) -> bool:
    """Whether the object that `make` returns goes away once nobody holds it."""
    made = weakref.ref(make())
    gc.collect()
    return made() is None


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
