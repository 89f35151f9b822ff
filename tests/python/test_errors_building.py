"""What the mistakes of someone who writes a graph are answered with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

x, v, i, z = tv.scalar("x"), tv.vector("v"), tv.lscalar("i"), tv.zscalar("z")


def assign() -> None:
    v[0] = 1.0


def add_in_place() -> None:
    v[0] += 1.0


class Same(tv.Op):
    """Returns its input as its output, which is not allowed."""

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x])


MISTAKES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (assign, TypeError, "v = v[index].set(value)"),
    (add_in_place, TypeError, "v[index].inc(value)"),
    (lambda: tv.grad(x * x, None), TypeError, "[grad] wrt is None, a NoneType; give a Variable"),
    (lambda: tv.grad(x * x, 3), TypeError, "[grad] wrt is 3, a int"),
    (lambda: tv.grad(i * 1.0, i), tv.DisconnectedInputError, "values of int64 are not continuous"),
    (lambda: tv.grad(z * z, z), TypeError, "[grad] the cost has to be real"),
    (lambda: tv.jacobian(z * z, z), TypeError, "[jacobian] the expression has to be real"),
    (lambda: tv.function(None, x), TypeError, "inputs is None, a NoneType; it has to be a list"),
    (lambda: tv.function("xy", x), TypeError, "inputs is 'xy', a str; it has to be a list"),
    (lambda: tv.function([x], x, updates=5), TypeError, "updates is 5, a int; it has to be a dict"),
    (lambda: tv.function([x], x, givens=5), TypeError, "givens is 5, a int; it has to be a dict"),
    (lambda: tv.function([x], x, name=5), TypeError, "name is 5, a int; it has to be a str"),
    (lambda: tv.function([tv.In(x, name=5)], x), TypeError, "the name of input 0 is 5, a int"),
    (lambda: tv.scalar(5), TypeError, "a variable's name is a str or None, not 5"),
    (lambda: tv.scalar("float32"), TypeError, "'float32' is a dtype: write dtype='float32'"),
    (lambda: tv.tensor("int8", (3,)), TypeError, "'int8' is a dtype: write dtype='int8'"),
    (lambda: tv.tensor(shape=3), TypeError, "shape is 3; it has to have one length"),
    (lambda: tv.TensorType("int8", 3), TypeError, "TensorType(shape=) is 3 (int); it has to be"),
    (lambda: tv.TensorType("int8", ("a",)), TypeError, "TensorType(shape=): a (str) is no length"),
    (lambda: tv.scalar(dtype="float46"), TypeError, "Did you mean 'float64'?"),
    (lambda: tv.constant(1, dtype="float46"), TypeError, "'float46' is not a dtype"),
    (lambda: tv.ops.cast(x, dtype="flaot32"), TypeError, "Did you mean 'float32'?"),
    (lambda: tv.reshape(v, "ab"), TypeError, "[reshape] the shape has 'ab', a str"),
    (lambda: v.reshape(2.5), TypeError, "[reshape] the shape has 2.5, a float"),
    (lambda: tv.Mode("vm_nogc"), ValueError, "Mode('vm', gc=False), or mode=\"vm_nogc\""),
    (lambda: tv.Mode("vm", gc="no"), TypeError, "gc is 'no', a str; give True or False"),
    (lambda: tv.Mode(["vm"]), ValueError, "there is no linker ['vm']"),
    (lambda: Same()(x), ValueError, "[Same] Apply: output 0 (x) is in use already; make a fresh"),
    (lambda: tv.as_variable(None), TypeError, "tv.constant(value), or through an input"),
    (lambda: tv.exp(None), TypeError, "[exp] input 'x': None (NoneType) cannot become a Variable"),
    (lambda: tv.constant(["a"]), TypeError, "tv.constant(value, type=tv.GenericType())"),
    (lambda: tv.constant({}, dtype="int8"), TypeError, "a dict is kept as an object, which has no"),
    (lambda: tv.cast(x, "int8", dtype="int8"), TypeError, "[cast] got the attribute 'dtype' twice"),
    (lambda: tv.cast(x, "int8", 3), TypeError, "[cast] takes 1 input"),
]


@pytest.mark.parametrize(("mistake", "kind", "words"), MISTAKES)
def test_a_mistake_is_named(mistake: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as raised:
        mistake()
    assert words in str(raised.value)


def test_an_op_takes_its_only_attribute_by_position_too() -> None:
    assert tv.cast(x, "int64").dtype == tv.cast(x, dtype="int64").dtype == "int64"
    assert tv.function([x], tv.ops.expand_dims(x, 0))(1.0).tolist() == [1.0]


def test_a_mode_that_is_set_to_nothing_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THUNKVM_MODE", "")
    assert tv.config.mode == "cvm"


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "cvm_nogc"])
def test_none_is_an_arm_beside_an_object(mode: str) -> None:
    c, g = tv.scalar("c"), tv.generic("g")
    f = tv.function(
        [c, g],
        [tv.ifelse(c, g, None), tv.cond([(c < 0.0, "less")], g), tv.coalesce(g, "nothing")],
        mode=mode,
    )
    assert f(1.0, {"a": 1}) == [{"a": 1}, {"a": 1}, {"a": 1}]
    assert f(0.0, None) == [None, None, "nothing"]
    assert f(-1.0, "more")[1] == "less"
    with pytest.raises(TypeError, match="None"):
        tv.ifelse(c, x, None)


def test_an_object_is_a_constant_an_update_and_a_given() -> None:
    state, g = tv.shared(None, "state"), tv.generic("g")
    tv.function([], None, updates={state: {"step": 1}})()
    assert state.get_value() == {"step": 1}
    tv.function([], None, updates={state: tv.constant("done")})()
    assert state.get_value() == "done"
    assert tv.function([], g, givens={g: None})() is None
    assert tv.constant([1, 2], type=tv.GenericType()).value == [1, 2]
    assert tv.constant(np.ones(2)).type == tv.TensorType("float64", (2,))


HALF = "half \ud800"


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: tv.scalar(HALF), "a variable's name"),
        (lambda: setattr(tv.scalar(), "name", HALF), "a variable's name"),
        (lambda: tv.shared(1.0, HALF), "a variable's name"),
        (lambda: tv.function([tv.In(x, name=HALF)], x), "an input's name"),
        (lambda: tv.function([x], x, name=HALF), "a function's name"),
        (lambda: tv.function([x], x)(**{HALF: 1.0}), "an argument's name"),
        (lambda: tv.ops.sum(x, **{HALF: 1}), "a keyword's name"),
    ],
)
def test_a_name_with_half_a_character_is_refused(make, what):
    with pytest.raises(ValueError, match=rf"{what} is 'half \\ud800', .* as UTF-8"):
        make()


OBJECT = tv.generic("g")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tv.zeros(OBJECT), r"\[zeros\] the shape is <g: generic>, an object; lengths are"),
        (lambda: tv.reshape(v, OBJECT), r"\[reshape\] the shape is <g: generic>, an object"),
        (lambda: tv.zeros_like(OBJECT), "g has no dtype: its type is generic, and only tensors"),
        (lambda: tv.squeeze(OBJECT), "g has no ndim: its type is generic"),
        (lambda: tv.moveaxis(OBJECT, 0, 0), "g has no ndim: its type is generic"),
        (lambda: tv.tensordot(v, OBJECT), "g has no ndim: its type is generic"),
        (lambda: tv.eye(OBJECT), "g has no dtype: its type is generic"),
        (lambda: v[OBJECT], r"g has no \w+: its type is generic"),
        (lambda: tv.jacobian(v, OBJECT), "g has no ndim: its type is generic"),
        (lambda: v.astype(OBJECT), "<g: generic> is not a dtype"),
        (lambda: v.astype(v), "<v: .*> is not a dtype"),
    ],
)
def test_an_object_is_no_tensor(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_an_object_has_no_attributes_of_tensors():
    assert not hasattr(OBJECT, "ndim")
    assert getattr(OBJECT, "dtype", None) is None
