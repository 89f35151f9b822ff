"""Apply nodes, Types and Ops as users write them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


class Split(tv.Op):
    """The square and the cube: two outputs."""

    __props__ = ()

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type("square"), x.type("cube")])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] ** 2
        output_storage[1][0] = inputs[0] ** 3

    def grad(self, inputs: list[Any], output_gradients: list[Any]) -> list[Any]:
        (x,), (square, cube) = inputs, output_gradients
        return [2 * x * square + 3 * x**2 * cube]


def test_the_outputs_that_make_node_made_become_the_nodes() -> None:
    op, x = Split(), tv.vector("x")
    fresh = [x.type(), x.type()]
    node = tv.Apply(op, [x], fresh)
    assert node.outputs[0] is fresh[0]
    assert [fresh[0].index, fresh[1].index] == [0, 1]
    assert fresh[1].owner == node
    assert fresh[1].leaf is None
    assert node.op is op
    assert node.inputs == [x]


def test_an_output_keeps_its_name() -> None:
    square, cube = Split()(tv.scalar("x"))
    assert (square.name, cube.name) == ("square", "cube")


def test_two_handles_on_one_node_are_equal() -> None:
    square, cube = Split()(tv.scalar("x"))
    assert square.owner == cube.owner
    assert hash(square.owner) == hash(cube.owner)
    assert square.owner != Split()(tv.scalar("x"))[0].owner


def test_an_output_that_is_in_use_is_refused() -> None:
    op, x = Split(), tv.scalar("x")
    with pytest.raises(ValueError, match=r"\[Split\] Apply: output 0 \(x\) is in use.*x\.type\(\)"):
        tv.Apply(op, [x], [x])
    with pytest.raises(ValueError, match=r"output 0 .* is in use"):
        tv.Apply(op, [x], [tv.cos(x)])
    fresh = x.type()
    with pytest.raises(ValueError, match=r"output 1 .* is in use"):
        tv.Apply(op, [x], [fresh, fresh])
    used = x.type()
    y = tv.cos(used)
    with pytest.raises(ValueError, match="is in use"):
        tv.Apply(op, [x], [used])
    assert y.owner.inputs[0] is used


def test_inputs_and_outputs_have_to_be_variables() -> None:
    op, x = Split(), tv.scalar("x")
    with pytest.raises(TypeError, match=r"Apply\(inputs=\)\[1\] has to be a Variable, not a float"):
        tv.Apply(op, [x, 1.0], [x.type()])
    with pytest.raises(TypeError, match="output 0 is a float"):
        tv.Apply(op, [x], [1.0])
    with pytest.raises(ValueError, match="outputs is empty"):
        tv.Apply(op, [x], [])
    with pytest.raises(TypeError, match="not one Variable"):
        tv.Apply(op, x, [x.type()])


def test_an_op_is_an_instance_with_make_node() -> None:
    x = tv.scalar("x")
    with pytest.raises(TypeError, match="this is a class, make an instance"):
        tv.Apply(Split, [x], [x.type()])
    with pytest.raises(TypeError, match="3 is no Op"):
        tv.Apply(3, [x], [x.type()])
    with pytest.raises(TypeError, match="add is a built-in Op"):
        tv.Apply((x + x).owner.op, [x], [x.type()])


def test_a_built_in_op_shows_its_attributes_and_applies_again() -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    op = x.sum(axis=0).owner.op
    assert op.name == "sum"
    assert op.attrs["axis"] == [0]
    assert op.attrs["keepdims"] is False
    again = op(y)
    assert again.owner.inputs == [y]
    assert again.owner.op == op
    assert again.owner.op != y.sum(axis=1).owner.op
    assert x.astype("float32").owner.op.attrs == {"dtype": "float32"}


def test_a_gradient_that_nothing_asks_for_comes_as_zeros() -> None:
    x = tv.vector("x")
    square, cube = Split()(x)
    f = tv.function([x], [tv.grad(square.sum(), x), tv.grad(cube.sum(), x)])
    by_square, by_cube = f([1.0, 2.0])
    np.testing.assert_array_equal(by_square, [2.0, 4.0])
    np.testing.assert_array_equal(by_cube, [3.0, 12.0])


def test_a_gradient_of_the_wrong_form_is_an_error_that_names_the_op() -> None:
    class Wrong(Split):
        def __init__(self, result: Any) -> None:
            self.result = result

        def grad(self, inputs: list[Any], output_gradients: list[Any]) -> Any:
            return self.result

    x = tv.vector("x")
    with pytest.raises(ValueError, match=r"\[Wrong\] grad returned 2 gradients for 1 inputs"):
        tv.grad(Wrong([x, x])(x)[0].sum(), x)
    with pytest.raises(TypeError, match=r"grad returned a .*Variable; it has to return a list"):
        tv.grad(Wrong(x)(x)[0].sum(), x)
    with pytest.raises(TypeError, match=r"grad returned a scalar float64 for input 0 \(x\)"):
        tv.grad(Wrong([x.sum()])(x)[0].sum(), x)


def test_what_grad_raises_says_for_which_node() -> None:
    class Wrong(Split):
        def grad(self, inputs: list[Any], output_gradients: list[Any]) -> Any:
            raise ArithmeticError("no")

    x = tv.vector("x")
    square, _ = Wrong()(x)
    with pytest.raises(ArithmeticError, match="no") as caught:
        tv.grad(square.sum(), x)
    assert "raised by Wrong.grad for the node made at test_apply.py" in caught.value.__notes__[0]


def test_a_make_node_that_returns_no_apply_is_an_error() -> None:
    class Wrong(Split):
        def make_node(self, x: Any) -> Any:
            return x

    with pytest.raises(TypeError, match=r"Wrong\.make_node returned"):
        Wrong()(tv.scalar("x"))


def test_a_map_that_is_no_dict_is_an_error() -> None:
    class Wrong(Split):
        view_map = ()  # type: ignore[assignment]

    with pytest.raises(TypeError, match=r"\[Wrong\] view_map is a tuple; it has to be a dict"):
        Wrong()(tv.scalar("x"))


def test_tensor_types_are_one_object_each() -> None:
    a = tv.TensorType("float64", (None, 3))
    assert a is tv.TensorType(np.float64, [None, 3])
    assert a != tv.TensorType("float64", (None, 4))
    assert (a.dtype, a.ndim, a.shape) == ("float64", 2, (None, 3))
    assert a("x").type is a
    assert pickle.loads(pickle.dumps(a)) is a


def test_a_tensor_type_checks_its_dtype_and_shape() -> None:
    with pytest.raises(TypeError, match="float65 is not a dtype; use one of bool, int8"):
        tv.TensorType("float65", ())
    with pytest.raises(TypeError, match="is not supported"):
        tv.TensorType("datetime64[s]", ())
    with pytest.raises(ValueError, match="length -2 is negative"):
        tv.TensorType("float64", (-2,))


def test_a_tensor_type_filters_values() -> None:
    vector = tv.TensorType("float64", (None,))
    np.testing.assert_array_equal(vector.filter([1, 2]), [1.0, 2.0])
    with pytest.raises(TypeError):
        vector.filter([[1.0]])
    with pytest.raises(TypeError):
        tv.TensorType("float32", ()).filter(np.float64(0.1))
    assert tv.TensorType("float32", ()).filter(np.float64(0.5), allow_downcast=True) == 0.5


def test_a_users_type_makes_variables_and_survives_in_the_graph() -> None:
    class Interval(tv.Type):
        def __init__(self, closed: bool) -> None:
            self.closed = closed

        def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
            low, high = value
            return (low, high)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Interval) and other.closed == self.closed

        def __hash__(self) -> int:
            return hash(self.closed)

    class Width(tv.Op):
        def make_node(self, interval: Any) -> tv.Apply:
            assert interval.type == Interval(True)
            return tv.Apply(self, [interval], [tv.scalar().type()])

        def perform(self, node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
            low, high = inputs[0]
            output_storage[0][0] = np.float64(high - low)

    interval = Interval(True)("i")
    assert interval.name == "i"
    assert interval.type.closed
    f = tv.function([interval], Width()(interval))
    assert f([1, 4]) == 3.0


def test_a_class_is_no_type() -> None:
    with pytest.raises(TypeError, match=r"is not a Type.*make an instance of it"):
        tv._core.input_variable(tv.GenericType, "x")


def test_an_op_with_an_equal_twin_keeps_its_own_identity() -> None:
    a, b = Split(), Split()
    assert a == b
    x = tv.scalar("x")
    assert a(x)[0].owner.op is a
    assert b(x)[0].owner.op is b
