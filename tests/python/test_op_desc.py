"""`OpDesc` and `GraphDesc`: nodes and graphs as text are built, described and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


@tv.register_op("tests.shift")
def shift(op: Any) -> None:
    """The input and a number."""
    op.add_input("x", "a tensor")
    op.add_output("out", "the sum")
    op.add_attribute("by", "the number", float)
    op.perform(lambda x, by: x + by)


X, W = tv.vector("x"), tv.shared(np.array([1.0, 2.0]), "w")


def test_op_desc_builds_a_node_by_positions_and_by_names() -> None:
    for inputs in ["x", "w"], {"y": ["w"], "x": ["x"]}:
        (y,) = tv.OpDesc("sub", inputs, ["y"]).build({"x": X, "w": W})
        np.testing.assert_array_equal(tv.function([X], y)([5.0, 5.0]), [4.0, 3.0])


def test_op_desc_builds_a_registered_op_and_a_duplicable_input() -> None:
    (y,) = tv.OpDesc("tests.shift", ["x"], ["y"], {"by": 2.0}).build({"x": X})
    (z,) = tv.OpDesc("concatenate", ["x", "y", "x"], ["z"], {"axis": 0}).build({"x": X, "y": y})
    np.testing.assert_array_equal(tv.function([X], z)([1.0]), [1.0, 3.0, 1.0])


def test_graph_desc_describes_conditionals_and_attempts_and_builds_them() -> None:
    y = tv.ifelse(X.sum() > 0, tv.sqrt(X) * W, X)
    z = tv.attempt(y, X, on=(ValueError, np.linalg.LinAlgError))
    graph = tv.GraphDesc.of([y, z])

    values = graph.build()

    assert "conditional" in [op.type for op in graph.ops]
    built = [values[name] for name in graph.outputs]
    for x in [4.0, 9.0], [-1.0, -1.0]:
        for value, expected in zip(
            tv.function([X], built)(x), tv.function([X], [y, z])(x), strict=True
        ):
            np.testing.assert_array_equal(value, expected)


def test_graph_desc_is_the_same_after_json() -> None:
    graph = tv.GraphDesc.of([shift(X, by=-np.inf), tv.sum(X * W, axis=0)])
    row, arrays = graph.to_json()

    other = tv.GraphDesc.from_json(json.loads(json.dumps(row, allow_nan=False)), arrays)

    assert (other.ops, other.inputs, other.outputs) == (graph.ops, graph.inputs, graph.outputs)
    values = other.build()
    f = tv.function([values[other.inputs[0]]], [values[name] for name in other.outputs])
    infinite, total = f([1.0, 1.0])
    assert (list(infinite), total) == ([-np.inf, -np.inf], 3.0)


def test_the_json_of_a_graph_desc_follows_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(
        (Path(__file__).resolve().parents[2] / "docs/graph.schema.json").read_text()
    )
    row, arrays = tv.GraphDesc.of([tv.ifelse(X.sum() > 0, shift(X, by=np.inf), X * W)]).to_json()

    of_graph = {"$defs": schema["$defs"], "$ref": "#/$defs/graph"}
    jsonschema.validate(row, of_graph)
    del row["ops"][0]["types"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(row, of_graph)
    with pytest.raises(tv.GraphFileError, match=r"ops\[0\] \(\w+\): 'types' is missing"):
        tv.GraphDesc.from_json(row, arrays)


@pytest.mark.parametrize(
    ("desc", "message"),
    [
        (
            tv.OpDesc("mull", ["x", "x"], ["y"]),
            "(mull): there is no Op called 'mull'. Did you mean",
        ),
        (tv.OpDesc("exp", ["x", "x"], ["y"]), "(exp): it takes 1 inputs, and there are 2"),
        (tv.OpDesc("exp", ["z"], ["y"]), "(exp): it reads 'z', which nothing computes"),
        (tv.OpDesc("exp", {"in": ["x"]}, ["y"]), "(exp): it has no input 'in'; it has: x"),
        (tv.OpDesc("exp", ["x"], ["y", "z"]), "(exp): it has 1 outputs; it is said to have others"),
        (tv.OpDesc("exp", ["x"], ["x"]), "(exp): two values are called 'x'"),
        (
            tv.OpDesc("tests.shift", ["x"], ["y"]),
            "the attribute 'by' is missing; it has no default",
        ),
        (
            tv.OpDesc("loop", ["x"], ["y"], {"name": "while_loop"}),
            "(loop): [loop] needs the attribute 'body'",
        ),
        (tv.OpDesc("attempt", ["x"], ["y"], {"on": ["no.Error"]}), "it catches no.Error, which is"),
    ],
)
def test_op_desc_refuses_what_cannot_be_built(desc: tv.OpDesc, message: str) -> None:
    with pytest.raises(ValueError, match=r"^ops\[0\]") as raised:
        desc.build({"x": X})
    assert message in str(raised.value)


def test_graph_desc_describes_loops_whose_bodies_are_graphs_among_the_attributes() -> None:
    x = tv.scalar("x")
    last = tv.while_loop(lambda s: s < 10.0, lambda s: tv.ifelse(s > 4.0, s * x, s + 2.0), x)
    graph = tv.GraphDesc.of([last])

    (loop,) = (op for op in graph.ops if op.type == "loop")
    body = loop.attributes["body"]
    assert [op.type for op in body.ops if op.type == "conditional"] == ["conditional"]
    row, arrays = graph.to_json()
    read = tv.GraphDesc.from_json(json.loads(json.dumps(row)), arrays)
    assert [op.type for op in read.ops] == [op.type for op in graph.ops]

    f = tv.function([x], last)
    for each in graph, read:
        values = each.build()
        g = tv.function([values[name] for name in each.inputs], values[each.outputs[0]])
        assert [float(g(at)) for at in (2.0, 3.0)] == [float(f(at)) for at in (2.0, 3.0)]


def test_graph_desc_refuses_ops_without_a_name() -> None:
    op = tv.as_op(np.sort, [tv.dvector], [tv.dvector])
    with pytest.raises(TypeError, match=r"is no OpDesc: it has no registered name"):
        tv.GraphDesc.of([op(X)])
