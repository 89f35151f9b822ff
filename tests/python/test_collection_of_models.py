"""Cycles through users' models that hold graphs and functions are collected."""

from __future__ import annotations

from typing import Any

import pytest
from collected import (
    MODES,
    OPS,
    Model,
    Pass,
    an_op,
    array_type,
    is_collected,
)

import thunkvm as tv
from thunkvm import _core


def a_constant(model: Any) -> Any:
    return tv.constant(model, type=tv.GenericType())


def a_shared_variable(model: Any) -> Any:
    return tv.shared(model, borrow=True)


def a_type(model: Any) -> Any:
    return array_type(model)("x")


def a_shared_variable_of_a_type(model: Any) -> Any:
    return _core.shared_variable(array_type(model), None)


WAYS = [an_op, a_constant, a_shared_variable, a_type, a_shared_variable_of_a_type]


def holds_a_variable(model: Any, v: Any) -> None:
    model.held = v


def holds_two_variables(model: Any, v: Any) -> None:
    model.held = [v, Pass()(v)]


def holds_a_node(model: Any, v: Any) -> None:
    model.held = Pass()(v).owner


def holds_a_node_and_a_variable(model: Any, v: Any) -> None:
    model.held = (Pass()(v).owner, v)


def holds_functions_and_a_variable(model: Any, v: Any) -> None:
    free = [leaf for leaf in _core.leaves([v]) if leaf.leaf == "input"]
    model.held = [tv.function(free, Pass()(v), mode=mode) for mode in MODES], v


HOLDS = [
    holds_a_variable, holds_two_variables, holds_a_node, holds_a_node_and_a_variable,
    holds_functions_and_a_variable,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hold", HOLDS)
def test_a_model_that_is_held_by_a_graph_that_it_holds_is_collected(way: Any, hold: Any) -> None:
    def make() -> Any:
        model = Model()
        hold(model, way(model))
        return model

    assert is_collected(make)


@pytest.mark.parametrize("mode", [*MODES, "c&py", "c|py", "DebugMode"])
@pytest.mark.parametrize("op_class", OPS)
def test_a_model_with_functions_and_variables_is_collected(mode: str, op_class: Any) -> None:
    def make() -> Any:
        model, x = Model(), tv.vector("x")
        op = op_class()
        op.model = model
        hidden = op(x)
        hidden.name = "hidden"
        output = tv.exp(hidden) + hidden
        model.held = {
            "variables": [hidden, output],
            "node": hidden.owner,
            "functions": [tv.function([x], out, mode=mode) for out in (output, hidden, output)],
        }
        assert [f([0.0]).tolist() for f in model.held["functions"]] == [[1.0], [0.0], [1.0]]
        return model

    assert is_collected(make)


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_failed_keeps_no_model(mode: str) -> None:
    class Fail(Pass):
        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            raise ValueError("failed")

    def make() -> Any:
        model, g = Model(), tv.generic("g")
        model.f = tv.function([g], Fail()(Pass()(g)), mode=mode)
        with pytest.raises(ValueError, match="failed"):
            model.f(model)
        return model

    assert is_collected(make)
