"""Variables as Python objects: identity, lifetime, operators, and what they refuse."""

from __future__ import annotations

import gc
import operator
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


class Doubled(tv.Op):
    """An Op with Python objects on both sides of the graph."""

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] * 2


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Nothing that dies in this test was found by the cycle collector."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_variable_has_one_object_while_that_lives() -> None:
    x = tv.scalar("x")
    y = tv.cos(x)
    assert y.owner.inputs[0] is x
    assert y.owner.outputs[0] is y
    assert tv.sin(y).owner.inputs[0].owner.inputs[0] is x


def test_a_variable_outlives_its_object() -> None:
    x = tv.scalar("x")
    y = tv.cos(x)
    seen = weakref.ref(x)
    del x
    assert seen() is None
    assert y.owner.inputs[0].name == "x"


def test_dropping_the_last_reference_frees_the_graph(no_collector: None) -> None:
    op = Doubled()
    freed = weakref.ref(op)
    x = tv.scalar("x")
    y = tv.exp(op(x)) + x
    del op
    assert freed() is not None, "the node holds its Op"
    del y
    assert freed() is None


def test_an_apply_and_its_variables_make_no_cycle(no_collector: None) -> None:
    op = Doubled()
    y = op(tv.scalar("x"))
    node = y.owner
    outputs = node.outputs
    assert outputs[0] is y
    freed = [weakref.ref(op), weakref.ref(y), weakref.ref(node)]
    del op, y, node, outputs
    assert [reference() for reference in freed] == [None, None, None]


def test_the_callback_of_a_weak_reference_may_ask_for_the_variable_again() -> None:
    x = tv.scalar("x")
    y = tv.cos(x)
    again: list[str | None] = []
    reference = weakref.ref(x, lambda _: again.append(y.owner.inputs[0].name))
    del x
    assert again == ["x"]
    assert reference() is None


def test_a_chain_of_a_million_nodes_is_dropped_on_a_small_stack() -> None:
    def build_and_drop() -> None:
        y = tv.scalar("x")
        for _ in range(1_000_000):
            y = tv.cos(y)
        assert y.owner.op.name == "cos"
        del y
        done.append(True)

    done: list[bool] = []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=build_and_drop)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert done == [True]


BINARY: list[tuple[Callable[[Any, Any], Any], str]] = [
    (operator.add, "add"),
    (operator.sub, "sub"),
    (operator.mul, "mul"),
    (operator.truediv, "true_div"),
    (operator.floordiv, "floor_div"),
    (operator.mod, "mod"),
    (operator.pow, "pow"),
    (operator.lt, "lt"),
    (operator.le, "le"),
    (operator.gt, "gt"),
    (operator.ge, "ge"),
]
INTEGER: list[tuple[Callable[[Any, Any], Any], str]] = [
    (operator.and_, "bitwise_and"),
    (operator.or_, "bitwise_or"),
    (operator.xor, "bitwise_xor"),
    (operator.lshift, "left_shift"),
    (operator.rshift, "right_shift"),
]


@pytest.mark.parametrize(("operation", "name"), BINARY + INTEGER)
def test_an_operator_makes_its_node(operation: Callable[[Any, Any], Any], name: str) -> None:
    dtype = "float64" if (operation, name) in BINARY else "int64"
    x, y = tv.scalar("x", dtype=dtype), tv.scalar("y", dtype=dtype)
    node = operation(x, y).owner
    assert node.op.name == name
    assert node.inputs == [x, y]


@pytest.mark.parametrize(("operation", "name"), BINARY[:7] + INTEGER)
def test_a_number_may_stand_on_the_left(operation: Callable[[Any, Any], Any], name: str) -> None:
    x = tv.scalar("x", dtype="float64" if (operation, name) in BINARY else "int64")
    node = operation(3, x).owner
    assert node.op.name == name
    assert node.inputs[1] is x
    assert float(node.inputs[0].value) == 3


@pytest.mark.parametrize(
    ("operation", "name"),
    [(operator.neg, "neg"), (abs, "abs"), (operator.invert, "invert")],
)
def test_a_unary_operator_makes_its_node(operation: Callable[[Any], Any], name: str) -> None:
    x = tv.scalar("x", dtype="int64")
    assert operation(x).owner.op.name == name


def test_plus_is_the_variable_itself() -> None:
    x = tv.scalar("x")
    assert +x is x


def test_matmul_takes_an_array_on_either_side() -> None:
    x = tv.vector("x")
    assert (x @ np.ones(3)).owner.op.name == "matmul"
    assert (np.ones(3) @ x).owner.op.name == "matmul"
    assert (x @ [1.0, 2.0]).owner.op.name == "matmul"


def test_python_numbers_yield_to_the_dtype_and_numpy_numbers_do_not() -> None:
    x = tv.vector("x", dtype="float32")
    assert (x * 2.0).dtype == "float32"
    assert (2 + x).dtype == "float32"
    assert (x * np.float64(2.0)).dtype == "float64"
    assert (tv.scalar("n", dtype="int8") + 1).dtype == "int8"
    assert (x * 1j).dtype == "complex64"


def test_a_number_is_the_same_constant_wherever_it_is_used() -> None:
    x = tv.scalar("x")
    assert (x * 2.0).owner.inputs[1] is (x + 2.0).owner.inputs[1]
    assert (x * 2.0).owner.inputs[1] is not (x * 2).owner.inputs[1]
    zero, minus_zero = (x * 0.0).owner.inputs[1], (x * -0.0).owner.inputs[1]
    assert not np.signbit(zero.value)
    assert np.signbit(minus_zero.value)


def test_naming_a_constant_names_no_other() -> None:
    two = tv.as_variable(2.0)
    two.name = "two"
    assert (tv.scalar("x") * 2.0).owner.inputs[1].name is None


def test_an_integer_that_fits_no_dtype_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(OverflowError, match=r"1180591620717411303424 does not fit int64.*float"):
        tv.scalar("x", dtype="int64") + 2**70


@pytest.mark.parametrize("other", ["1.0", None, {}, object()])
def test_what_is_no_number_is_no_operand(other: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        tv.scalar("x") + other
    with pytest.raises(TypeError, match="unsupported operand"):
        other - tv.scalar("x")


def test_pow_takes_no_modulus() -> None:
    with pytest.raises(TypeError, match=r"tv\.mod"):
        pow(tv.scalar("x"), 2, 3)


def test_a_list_may_hold_variables() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    z = tv.as_variable([x, 2.0, y])
    assert z.ndim == 1
    np.testing.assert_array_equal(tv.function([x, y], z)(1.0, 3.0), [1.0, 2.0, 3.0])
    assert tv.as_variable([[x, y], [y, x]]).ndim == 2


def test_the_truth_of_a_variable_is_an_error_that_shows_the_ifelse() -> None:
    x = tv.scalar("x")
    with pytest.raises(TypeError, match=r"tv\.ifelse\(condition, a, b\)") as caught:
        _ = 1 if x > 0 else 2
    assert "gt" in str(caught.value)
    assert "test_variable.py" in str(caught.value), "the line that made it"
    with pytest.raises(TypeError, match=r"`tv\.ifelse\(x, a, b\)`"):
        bool(x)
    with pytest.raises(TypeError, match=r"tv\.and_"):
        _ = 0 < x < 1


def test_a_name_is_text_or_none() -> None:
    x = tv.scalar()
    assert x.name is None
    x.name = "größe"
    assert x.name == "größe"
    x.name = None
    assert x.name is None
    with pytest.raises(TypeError, match=r"not 3 \(of class int\)"):
        x.name = 3


def test_only_tensors_have_a_dtype() -> None:
    x = tv.generic("options")
    assert not hasattr(x, "dtype")
    with pytest.raises(AttributeError, match="options has no ndim: its type is generic"):
        _ = x.ndim


def test_a_leaf_says_what_it_is() -> None:
    x = tv.scalar("x")
    assert (x.leaf, x.owner) == ("input", None)
    assert tv.constant(1.0).leaf == "constant"
    assert tv.shared(1.0).leaf == "shared"
    assert tv.cos(x).leaf is None


def test_a_constant_keeps_its_value_whatever_happens_to_the_array() -> None:
    array = np.arange(3.0)
    c = tv.constant(array)
    array[0] = 7.0
    c.value[1] = 7.0
    np.testing.assert_array_equal(c.value, [0.0, 1.0, 2.0])


def test_only_a_constant_has_a_value() -> None:
    with pytest.raises(AttributeError, match=r"x is no constant.*tv\.function"):
        _ = tv.scalar("x").value


def test_a_variable_that_is_made_by_its_class_needs_a_type() -> None:
    with pytest.raises(TypeError, match="missing required argument 'type'"):
        tv.Variable()
