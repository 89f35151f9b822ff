"""`clone_replace`, `graph_replace`, `OpFromGraph`, `eval` and constructors of several variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


def test_clone_replace_replaces_leaves_and_inner_variables_at_once() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    inner = x * 2
    f = tv.function([x, y], tv.clone_replace({"a": inner + y}, {x: y, y: x}))
    assert f(1.0, 10.0) == {"a": 21.0}
    g = tv.function([y], tv.clone_replace([inner + 1], [(inner, y)]))
    assert g(5.0) == [6.0]
    assert tv.clone_replace(inner) is inner


def test_graph_replace_refuses_what_nothing_depends_on() -> None:
    x, y, z = tv.scalar("x"), tv.scalar("y"), tv.scalar("z")
    with pytest.raises(ValueError, match=r"no output depends on <z: .*>, which is to be replaced"):
        tv.graph_replace(x + y, {z: x})
    assert float(tv.graph_replace(x + y, {z: x}, strict=False).eval({x: 1.0, y: 2.0})) == 3.0
    assert float(tv.graph_replace(x + y, {x: y}).eval({y: 2.0})) == 4.0


def test_replacing_leaves_arms_lazy(counting: Any) -> None:
    costly = counting(np.square)
    c, x, y = tv.scalar("c"), tv.scalar("x"), tv.scalar("y")
    z = tv.clone_replace(tv.ifelse(c > 0, x, 0.0), {x: costly(y)})
    f = tv.function([c, y], z)
    assert f(-1.0, 3.0) == 0.0
    assert costly.runs == 0
    assert f(1.0, 3.0) == 9.0


def test_op_from_graph_is_its_graph_of_other_inputs() -> None:
    x, y, a = tv.scalar("x"), tv.scalar("y"), tv.scalar("a")
    both = tv.OpFromGraph([x, y], [x * y, x + y])
    product, total = both(a, both(a, 3)[0])
    f = tv.function([a], [product, total, tv.grad(product, a)])
    assert f(2.0) == [12.0, 8.0, 12.0]


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (
            lambda x, v: tv.clone_replace(x, {x: v}),
            "<v: vector float64 (?,)> cannot stand in the pl",
        ),
        (
            lambda x, v: tv.clone_replace(x, {"x": x}),
            "what is replaced is 'x', a str; give a Var",
        ),
        (lambda x, v: tv.graph_replace([x, 3], {x: x}), "an output is 3, a int; give a Variable."),
        (lambda x, v: tv.OpFromGraph([x], [x], name="f")(x, x), "[f] it takes 1 inputs, but got 2"),
        (lambda x, v: tv.OpFromGraph([x], [3]), "an input or output is 3, a int; give a Variable"),
    ],
)
def test_a_mistake_of_replacing_is_told(mistake: Callable[..., Any], told: str) -> None:
    with pytest.raises(TypeError) as error:
        mistake(tv.scalar("x"), tv.vector("v"))
    assert told in str(error.value)


def test_eval_takes_variables_and_names() -> None:
    x, v = tv.scalar("x"), tv.vector("v")
    weights = tv.shared([1.0, 10.0])
    assert ((x + v) * weights).eval({x: 1.0}, v=[1.0, 2.0]).tolist() == [2.0, 30.0]
    assert float(weights.sum().eval()) == 11.0
    assert float((x * 2).eval({"x": 4, v: [0.0]})) == 8.0


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (lambda x, y: (x + y).eval({x: 1.0}), "depends on <y: scalar float64>, which has no value"),
        (
            lambda x, y: x.eval(weigth=1.0),
            "depends on no Variable of the name 'weigth'; it depends",
        ),
        (lambda x, y: tv.scalar("weight").eval(weigth=1.0), "Did you mean 'weight'?"),
        (lambda x, y: (x + tv.scalar("x")).eval(x=1.0), "depends on 2 Variables of the name 'x'"),
    ],
)
def test_a_mistake_of_eval_is_told(mistake: Callable[..., Any], told: str) -> None:
    with pytest.raises(ValueError, match="eval") as error:
        mistake(tv.scalar("x"), tv.scalar("y"))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("kind", "plural"),
    [("scalar", "scalars"), ("vector", "vectors"), ("matrix", "matrices"), ("row", "rows"),
     ("col", "cols"), *((f"tensor{n}", f"tensor{n}s") for n in range(3, 8))],
)  # fmt: skip
def test_plurals_make_each_by_the_singular(kind: str, plural: str) -> None:
    one, several = getattr(tv, kind), getattr(tv, plural)
    assert [(v.name, v.type) for v in several("one", "two", dtype="float32")] == [
        ("one", one(dtype="float32").type), ("two", one(dtype="float32").type)
    ]  # fmt: skip
    assert [v.name for v in several("xyz")] == ["x", "y", "z"]
    assert [v.name for v in several(2)] == [None, None]
    for prefix, dtype in (("i", "int32"), ("d", "float64"), ("z", "complex128")):
        assert [v.type for v in getattr(tv, prefix + plural)("a", "b")] == 2 * [
            one(dtype=dtype).type
        ]
        assert getattr(tv, prefix + kind)("a").type == one(dtype=dtype).type


def test_plurals_refuse_what_are_no_names() -> None:
    with pytest.raises(TypeError, match=r"\[vectors\] the names are \(1, 2\); give a text for ea"):
        tv.vectors(1, 2)
    with pytest.raises(TypeError, match=r"\[fscalars\] the names are \(\); give a text for each"):
        tv.fscalars()
