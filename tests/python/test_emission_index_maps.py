"""Nodes that only say where elements lie, as members of emitted loops."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from emitted import C, both, forms, loops, runs

import thunkvm as tv
from thunkvm import _core


def rosenbrock(x: tv.Variable) -> tv.Variable:
    """The valley of Rosenbrock in as many dimensions as x has."""
    head, tail = x[:-1], x[1:]
    return (100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2).sum()


# ---- what becomes a member ----


def test_the_value_and_gradient_of_rosenbrocks_function_are_two_loops() -> None:
    x = tv.vector("x")
    value = rosenbrock(x)
    f, kernels = both([x], [value, tv.grad(value, x)])
    point = np.linspace(-1.0, 2.0, 1041)
    for got, expected in zip(f(point), kernels(point), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert {form for _, form, _ in forms(f)} == {"fused"}
    assert {region for _, _, region in forms(f)} == {"function 0, nest 0", "function 0, nest 1"}


def test_parts_of_an_array_are_read_where_they_are() -> None:
    x = tv.matrix("x")
    parts = x[1:, :-1] * x[:-1, ::-1][:, 1:] + x.T[2][1:, None] - tv.squeeze(x[:1, 1:], axis=[0])
    f, kernels = both([x], parts)
    value = np.arange(16.0).reshape(4, 4)
    for layout in (value, np.asfortranarray(value), value[::-1, ::-1]):
        np.testing.assert_array_equal(f(layout), kernels(layout))
    assert loops(f) == {"subtensor", "transpose", "squeeze", "mul", "add", "sub"}
    assert runs(f) == runs(kernels)


def test_what_is_filled_is_a_value_for_a_pad_too_once_a_loop_over_more_axes_reads_it() -> None:
    part, wide, number = tv.vector("part"), tv.matrix("wide"), tv.scalar("number")
    filled = tv.full((part.shape[0] + 1,), number)
    padded = tv.set_subtensor(filled[1:], part)
    f, kernels = both([part, wide, number], padded + tv.cumsum(wide * filled).sum())
    given = (np.array([5.0, 6.0, 7.0]), np.ones((2, 4)), 7.0)
    np.testing.assert_array_equal(f(*given), [259.0, 257.0, 258.0, 259.0])
    kernels(*given)
    assert runs(f) == runs(kernels)
    assert ("full", "kernel") in [(op, form) for op, form, _ in forms(f)]


def broadcast_of_what_a_loop_computes() -> tuple[list[tv.Variable], list[tv.Variable]]:
    x = tv.vector("x")
    backwards = tv.zeros_like(x)[::-1].set(x)  # in no order of a loop
    y = backwards + x
    wide = tv.broadcast_to(y, y.shape)
    return [x], [tv.cumsum(wide * 0.5), wide + tv.cumsum(x)]


def pad_whose_numbers_become_a_value() -> tuple[list[tv.Variable], list[tv.Variable]]:
    x = tv.vector("x")
    filled = tv.full(x.shape, 1.0)
    part, other = filled[1:].set(2.0), filled[:1].set(3.0)
    return [x], [part * 0.5, other[1:] * 2.0, part + 1.0]


def view_in_front_of_a_lazy_node() -> tuple[list[tv.Variable], list[tv.Variable]]:
    x = tv.vector("x")
    tail = x[1:]
    total = tv.attempt((tail + 1.0).sum(), 0.0, on=ValueError)
    return [x], [total, tv.exp(tail) * 2.0 + 1.0]


@pytest.mark.parametrize(
    "program",
    [
        broadcast_of_what_a_loop_computes,
        pad_whose_numbers_become_a_value,
        view_in_front_of_a_lazy_node,
    ],
)
def test_no_register_holds_what_a_kernel_of_an_index_map_made(program: Any) -> None:
    f, kernels = both(*program())
    for n in (3, 3, 5):
        value = np.arange(float(n))
        for got, expected in zip(f(value), kernels(value), strict=True):
            np.testing.assert_array_equal(got, expected)
        assert _core._testing.registers_empty(f)


def test_arrays_without_elements_take_no_loop_and_give_what_kernels_give() -> None:
    x = tv.vector("x")
    placed = tv.zeros_like(x)[1:].set(x[:-1] * 2.0)
    f, kernels = both([x], [placed + x, placed.sum()])
    for n in (0, 1, 2):
        for got, expected in zip(f(np.ones(n)), kernels(np.ones(n)), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert runs(f) == runs(kernels)


def failure(function: Any, *arguments: Any) -> tuple[str, str]:
    """The message of the error, and the line of its notes that names the node."""
    with pytest.raises((IndexError, ValueError), match=r"^\[\w+\] ") as raised:
        function(*arguments)
    notes = "\n".join(raised.value.__notes__)
    (node,) = re.findall(r"node (\S+),", notes)
    return f"{raised.type.__name__}: {raised.value}", node


@pytest.mark.parametrize(
    ("value", "argument", "error", "node"),
    [
        (
            lambda x, y: x[3, 1:] * y + y,
            [1.0],
            "IndexError: [subtensor] index 3 is out of bounds for axis 0 with size 2",
            "subtensor.0",
        ),
        (
            lambda x, y: tv.exp(tv.broadcast_to(y, tv.ops.shape(x))) + x,
            [1.0, 2.0],
            "ValueError: [broadcast_to] operands could not be broadcast together: an array of "
            "shape (2,) does not fit the requested shape (2, 3), axis by axis from the last: "
            "lengths must agree or be 1",
            "broadcast_to.0",
        ),
        (
            lambda x, y: tv.zeros_like(x)[:, 1:].set(y) * x + 1.0,
            [1.0, 2.0, 3.0],
            "ValueError: [set_subtensor] could not broadcast input array from shape (3,) into "
            "shape (2, 2)",
            "set_subtensor.0",
        ),
        (
            lambda x, y: tv.squeeze(x, axis=[0]) * 2.0 + y,
            [1.0],
            "ValueError: [squeeze] cannot select an axis to squeeze out which has size not equal "
            "to one: axis 0 of shape (2, 3)",
            "squeeze.0",
        ),
        (
            lambda x, y: tv.ops.unbroadcast(x * 2.0, tv.ops.shape(x[:, 1:])) + y,
            [1.0, 2.0],
            "ValueError: [unbroadcast] an array of shape (2, 3) cannot be summed down to shape "
            "(2, 2): no array of that shape broadcasts to it",
            "unbroadcast.0",
        ),
        (
            lambda x, y: x[:, 1:] * 2.0 + y,
            [1.0, 2.0, 3.0],
            "ValueError: [add] operands could not be broadcast together with shapes (2, 2) (3,)",
            "add.0",
        ),
    ],
    ids=["subtensor", "broadcast_to", "set_subtensor", "squeeze", "unbroadcast", "add"],
)
def test_errors_are_those_of_the_nodes_own_kernel(
    value: Any, argument: list[float], error: str, node: str
) -> None:
    x, y = tv.matrix("x"), tv.vector("y")
    f, kernels = both([x, y], value(x, y))
    matrix = np.arange(6.0).reshape(2, 3)
    assert node.split(".")[0] in loops(f)
    for function in (f, kernels):
        message, failed = failure(function, matrix, argument)
        assert message.startswith(error)
        assert failed == node
        assert _core._testing.registers_empty(function)
    assert failure(f, matrix, argument) == failure(kernels, matrix, argument)


# ---- places ----


@pytest.mark.parametrize("index", ["1:", ":-1", "::2", "2:3", "-2:", ":0", "::-1", "-1::-2", "3"])
def test_a_part_of_zeros_is_set_in_place_or_by_its_kernel(index: str) -> None:
    x, v = tv.vector("x"), tv.vector("v")
    part = eval(f"np.s_[{index}]")
    f, kernels = both([x, v], tv.zeros_like(x)[part].set(v if ":" in index else v[0]) * 2.0 + x)
    value = np.arange(1.0, 6.0)
    given = np.array([7.0]) if ":" not in index else 10.0 * value[part]
    expected = np.zeros(5)
    expected[part] = given if ":" in index else 7.0
    np.testing.assert_array_equal(f(value, given), expected * 2.0 + value)
    np.testing.assert_array_equal(kernels(value, given), expected * 2.0 + value)
    assert runs(f) == runs(kernels)
    assert "set_subtensor" in loops(f)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float32", "float64"])
def test_a_number_is_placed_into_any_fill(dtype: str) -> None:
    x = tv.matrix("x", dtype=dtype)
    a, b = tv.scalar("a", dtype=dtype), tv.scalar("b", dtype=dtype)
    placed = tv.full(tv.ops.shape(x), a)[1:, ::2].set(b)
    f = tv.function([x, a, b], tv.where(x > 0, placed, x), mode=C)
    expected = np.full((3, 40), 0, dtype)
    expected[1:, ::2] = 1
    np.testing.assert_array_equal(f(np.ones((3, 40), dtype), 0, 1), expected)
    assert "set_subtensor" in loops(f)


# ---- powers ----

SQUARE = r" (\S+) \* \1;"


@pytest.mark.parametrize("make", [tv.scalar, tv.vector], ids=["scalar", "vector"])
def test_a_square_is_a_product_and_a_cube_is_not(make: Any) -> None:
    x = make("x")
    value = 3.0 if x.ndim == 0 else [3.0, -3.0]
    square = tv.function([x], (x**2) + 1.0, mode=C)
    assert re.search(SQUARE, square.c_source())
    assert "pow(" not in square.c_source()
    np.testing.assert_array_equal(square(value), np.square(value) + 1.0)
    cube = tv.function([x], (x**3) + 1.0, mode=C)
    assert not re.search(SQUARE, cube.c_source())
    np.testing.assert_array_equal(cube(value), np.power(value, 3) + 1.0)


def test_a_square_by_a_number_that_is_no_constant_is_a_power() -> None:
    x, n = tv.vector("x"), tv.scalar("n")
    f = tv.function([x, n], x**n + 1.0, mode=C)
    assert not re.search(SQUARE, f.c_source().split("nest_0")[1])
    np.testing.assert_array_equal(f([3.0], 2.0), [10.0])


def test_what_is_computed_of_a_number_along_an_axis_keeps_its_own_length() -> None:
    x, number = tv.vector("x"), tv.scalar("number")
    one = tv.expand_dims(number, axis=[0]) + 2.0
    f, _ = both([x, number], [one, x + one])
    alone, added = f([1.0, 2.0, 3.0], 1.0)
    np.testing.assert_array_equal(alone, [3.0])
    np.testing.assert_array_equal(added, [4.0, 5.0, 6.0])
