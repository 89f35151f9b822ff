"""Nodes that only say where elements lie, as members of emitted loops."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

C = tv.Mode("c")
KERNELS = tv.Mode("cvm", compile="never")


def forms(function: Any) -> list[tuple[str, str, str]]:
    """The Op, form and region of each node."""
    return [(row.op, row.form, row.region) for row in function.explain().nodes]


def loops(function: Any) -> set[str]:
    """The Ops of the nodes that are members of loops."""
    return {op for op, form, _ in forms(function) if form == "loop"}


def runs(function: Any) -> list[tuple[str, int]]:
    return [(row[0], row[-1]) for row in function.node_runs()]


def both(inputs: list[Any], outputs: Any) -> tuple[Any, Any]:
    """The function as emitted code, and on its kernels."""
    return tv.function(inputs, outputs, mode=C), tv.function(inputs, outputs, mode=KERNELS)


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
    assert {form for _, form, _ in forms(f)} == {"loop"}
    assert {region for _, _, region in forms(f)} == {"chunk 0, loop 0", "chunk 0, loop 1"}


def test_parts_of_an_array_are_read_where_they_are() -> None:
    x = tv.matrix("x")
    parts = x[1:, :-1] * x[:-1, ::-1][:, 1:] + x.T[2][1:, None] - tv.squeeze(x[:1, 1:], axis=[0])
    f, kernels = both([x], parts)
    value = np.arange(16.0).reshape(4, 4)
    for layout in (value, np.asfortranarray(value), value[::-1, ::-1]):
        np.testing.assert_array_equal(f(layout), kernels(layout))
    assert loops(f) == {"subtensor", "transpose", "squeeze", "mul", "add", "sub"}
    assert runs(f) == runs(kernels)


def views(function: Any) -> list[tuple[str, str]]:
    """The form of each view, and why it is nothing better."""
    nodes = function.explain().nodes
    return [(row.form, row.why) for row in nodes if row.op in ("subtensor", "transpose")]


def test_a_view_of_an_input_is_found_by_each_loop_that_reads_it() -> None:
    x = tv.vector("x")
    head = x[:-1]
    outer = head[None, :] * tv.ones((2, 1)) + head
    f, kernels = both([x], [(head * 2.0 + 1.0).sum(), outer])
    for value in ([1.0, 2.0, 5.0], [1.0, 2.0, 6.0], np.arange(40.0), [3.0]):
        for got, expected in zip(f(value), kernels(value), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert views(f) == [("loop", ""), ("loop", "")]
    assert runs(f) == runs(kernels)


def test_a_view_of_an_output_is_found_in_an_arm_too() -> None:
    x, step = tv.vector("x"), tv.scalar("step")
    y = x * step + 1.0
    head, tail = y[:-1], y[1:]
    cost = ((tail - head**2) ** 2).sum()
    small = tv.ifelse(cost < 10.0, tail * head + 2.0, x)
    f, kernels = both([x, step], [y, cost, small])
    for scale in (0.1, 3.0, 0.1, 3.0):
        for n in (2, 2, 5):
            value = np.arange(float(n))
            for got, expected in zip(f(value, scale), kernels(value, scale), strict=True):
                np.testing.assert_array_equal(got, expected)
    assert views(f) == [("loop", ""), ("loop", "")]
    assert runs(f) == runs(kernels)


def test_a_result_of_which_two_loops_find_a_part_is_an_array() -> None:
    x, m = tv.vector("x"), tv.matrix("m")
    y = x * 2.0 + 1.0
    head = y[:-1]
    f, kernels = both([x, m], [y, (head * 2.0 + 1.0).sum(), head[None, :] * m + 1.0])
    for n in (3, 3, 20):
        given = (np.arange(float(n)), np.ones((2, n - 1)))
        for got, expected in zip(f(*given), kernels(*given), strict=True):
            np.testing.assert_array_equal(got, expected)


def test_a_view_that_is_read_in_an_arm_alone_is_found_there() -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    head = x[:-1]
    f, kernels = both([c, x], tv.ifelse(c, (head * 2.0 + 1.0).sum(), (head - 1.0 / head).max()))
    value = [1.0, 2.0, 5.0]
    assert [f(c, value) for c in (1.0, 0.0, 1.0)] == [8.0, 1.5, 8.0]
    assert [kernels(c, value) for c in (1.0, 0.0, 1.0)] == [8.0, 1.5, 8.0]
    assert runs(f) == runs(kernels)


def test_a_view_that_several_arms_read_is_found_before_what_reads_it() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    c, d = tv.scalar("c"), tv.scalar("d")
    part = x[1:]  # of a body that is run at the first need, and stands behind the arms
    shared = y * 3.0 + part
    outputs = [
        tv.ifelse(c > 0, part * 2.0 + y, shared - 1.0),
        tv.ifelse(d > 0, part * 3.0 - y, shared * 2.0 + 1.0),
    ]
    for mode in ("c", "c_nogc"):
        f = tv.function([x, y, c, d], outputs, mode=mode)
        kernels = tv.function([x, y, c, d], outputs, mode=KERNELS)
        for x_, y_ in ((3, 2), (3, 2), (1, 0), (2, 5), (6, 1), (3, 2)):  # 2, 5: one by one
            for picks in ((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)):
                value, other = np.arange(x_, dtype=float), np.ones(y_) * 5.0
                for got, expected in zip(
                    f(value, other, *picks), kernels(value, other, *picks), strict=True
                ):
                    np.testing.assert_array_equal(got, expected)
        assert runs(f) == runs(kernels)


def test_a_shared_view_is_found_where_members_run_one_by_one() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    head = x[:-1]
    outputs = [(head + y * 2.0).sum(), head[None, :] * 2.0 + 1.0]
    f, kernels = both([x, y], outputs)
    for n in (1, 3, 1, 0):
        given = (np.arange(4.0), np.arange(float(n)))
        if n == 0:
            with pytest.raises(ValueError, match="broadcast"):
                f(*given)
            continue
        for got, expected in zip(f(*given), kernels(*given), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert f.registers_empty()


def test_a_view_outlives_its_array_where_an_arm_reads_it() -> None:
    x = tv.vector("x")
    array = tv.cumsum(x)
    head = array[:-1]
    total = (head * 2.0 + 1.0).sum()
    outputs = [total, array * 3.0, tv.ifelse(total > 5.0, head * head - 1.0, x)]
    f, kernels = both([x], outputs)
    for value in ([1.0, 2.0, 5.0], [0.1, 0.2, 0.3], [2.0, 2.0, 2.0]):
        for got, expected in zip(f(value), kernels(value), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert runs(f) == runs(kernels)


def test_a_shared_view_has_run_where_the_first_loop_that_reads_it_fails() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    head = x[:-1]
    f, kernels = both([x, y], [(head + y * 2.0).sum(), head[None, :] * 2.0 + 1.0])
    for function in (f, kernels):
        with pytest.raises(ValueError, match="broadcast"):
            function([1.0, 2.0, 3.0, 4.0], [1.0, 2.0])
    assert dict(runs(f))["subtensor.0"] == dict(runs(kernels))["subtensor.0"] == 1


def test_a_view_of_what_no_loop_has_in_memory_is_found_where_nothing_is_retired() -> None:
    a, x = tv.scalar("a"), tv.vector("x")
    f = tv.function(
        [a, x], tv.expand_dims(a[None], axis=[1]) * 2.0 + x, mode=tv.Mode("c", gc=False)
    )
    for _ in range(2):
        np.testing.assert_array_equal(f(3.0, [1.0, 2.0]), [[7.0, 8.0]])


@pytest.mark.parametrize(
    "outputs",
    [
        lambda x: [(x[:-1] * 2.0 + 1.0).sum(), x[:-1]],
        lambda x: [(tv.cumsum(x)[:-1] * 2.0 + 1.0).sum(), tv.cumsum(x)[:-1].sum()],
    ],
    ids=["returned", "read by a kernel"],
)
def test_a_view_that_other_code_reads_is_a_kernel(outputs: Any) -> None:
    x = tv.vector("x")
    f, kernels = both([x], outputs(x))
    for got, expected in zip(f([1.0, 2.0, 5.0]), kernels([1.0, 2.0, 5.0]), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert ("kernel", "other code than one loop reads it") in views(f)


def test_a_view_of_an_array_that_dies_is_a_kernel_where_two_loops_read_it() -> None:
    x = tv.vector("x")
    head = tv.cumsum(x)[:-1]
    outer = head[None, :] * tv.ones((2, 1)) + head
    f, kernels = both([x], [(head * 2.0 + 1.0).sum(), outer])
    for got, expected in zip(f([1.0, 2.0, 5.0]), kernels([1.0, 2.0, 5.0]), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert views(f)[0] == ("kernel", "other code than one loop reads it")


def test_a_view_that_is_an_output_is_a_kernel() -> None:
    x = tv.vector("x")
    tail = x[1:]
    f = tv.function([x], [tail, tail * 2.0 + 1.0], mode=C)
    np.testing.assert_array_equal(f([1.0, 2.0])[0], [2.0])
    np.testing.assert_array_equal(f([1.0, 2.0])[1], [5.0])
    assert [(op, form) for op, form, _ in forms(f)] == [
        ("subtensor", "kernel"),
        ("mul", "loop"),
        ("add", "loop"),
    ]


def test_lengths_that_are_computed_with_are_a_kernels() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.ops.shape(x) * 2 + 1, mode=C)
    np.testing.assert_array_equal(f([0.0, 0.0]), [5])
    assert forms(f)[0] == ("shape", "kernel", "chunk 0")


@pytest.mark.parametrize(
    "lengths",
    [
        lambda k: k[1:],
        lambda k: k[:1] + 1,
        lambda k: tv.full([1], k[1]),
        lambda k: tv.expand_dims(k[1], axis=[0]),
    ],
    ids=["part", "sum", "full", "expand_dims"],
)
def test_lengths_that_are_no_arrays_are_computed_before_the_loop(lengths: Any) -> None:
    x, k = tv.vector("x"), tv.vector("k", dtype="int64")
    f = tv.function([x, k], tv.exp(tv.ops.broadcast_to(x, lengths(k), ndim=1)) * 2.0, mode=C)
    np.testing.assert_array_equal(f([0.0], [2, 3]), [2.0, 2.0, 2.0])


def test_an_axis_that_is_squeezed_out_leaves_a_number() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], tv.squeeze(x, axis=[0]) * y + y, mode=C)
    np.testing.assert_array_equal(f([3.0], [1.0, 2.0]), [4.0, 8.0])


def test_of_a_value_whose_lengths_alone_are_read_no_elements_are_computed() -> None:
    x = tv.vector("x")
    f = tv.function([x], (x + tv.zeros_like(tv.sin(x))) * 2.0, mode=C)
    np.testing.assert_array_equal(f([1.0, 2.0]), [2.0, 4.0])
    assert "call[" not in f.c_source()
    assert "sin(" not in f.c_source()
    assert dict(runs(f))["sin.0"] == 1


def lengths_in_both_arms() -> tuple[list[tv.Variable], tv.Variable]:
    """An array of which either arm reads the lengths and nothing else."""
    x, z, c = tv.vector("x"), tv.vector("z"), tv.scalar("c")
    measured, other = tv.exp(x) + 1.0, tv.sin(z) * 2.0
    then = tv.broadcast_to(c * 3.0, tv.ops.shape(measured)) * other
    return [x, z, c], tv.ifelse(c > 0, then, tv.broadcast_to(c, tv.ops.shape(measured)) + other)


def test_of_a_value_whose_lengths_alone_are_read_in_arms_no_elements_are_computed() -> None:
    inputs, output = lengths_in_both_arms()
    f, kernels = both(inputs, output)
    for n in (1, 2, 100, 1000):
        x, z = np.linspace(0, 1, n), np.linspace(1, 2, n)
        for c in (1.0, -1.0, 1.0, -1.0):
            np.testing.assert_array_equal(f(x, z, c), kernels(x, z, c))
    assert "nothing but the lengths of it is read" in f.c_source()
    assert "exp(" not in f.c_source()
    assert runs(f) == runs(kernels)


def test_lengths_alone_are_an_array_where_members_run_one_by_one() -> None:
    x, z = tv.vector("x"), tv.vector("z")
    measured = tv.exp(x) + 1.0
    c = measured.sum()
    output = tv.ifelse(
        c > 3.0,
        tv.broadcast_to(c, tv.ops.shape(measured)) * tv.sin(z),
        tv.broadcast_to(c, tv.ops.shape(measured)) + z,
    )
    f, kernels = both([x, z], [c, output])
    assert "exp" in loops(f)
    for value in ([0.5], [1.0], [0.5], [1.0]):
        for z_ in ([1.0], [1.0, 2.0], [3.0]):  # the arm's loop may be longer than what it measures
            np.testing.assert_array_equal(f(value, z_)[1], kernels(value, z_)[1])
    for n in (3, 100_000, 3):
        with pytest.raises(ValueError, match=rf"\[mul\].*\({n},\) \(2,\)"):
            f(np.ones(n), [1.0, 2.0])
        assert f.registers_empty()


def test_lengths_are_those_of_the_call_where_the_measured_value_is_an_array() -> None:
    x, z, c = tv.vector("x"), tv.vector("z"), tv.scalar("c")
    measured = (x * 2.0 + 1.0) + z  # members run one by one where x is repeated
    output = tv.ifelse(
        c > 0,
        tv.broadcast_to(c, tv.ops.shape(measured)) * 1.0,
        tv.broadcast_to(c, tv.ops.shape(measured)) * 2.0 + 1.0,
    )
    f = tv.function([x, z, c], output, mode=C)
    for _ in range(2):
        for x_, z_ in ((3, 3), (1, 2), (1, 1), (1, 5), (3, 3)):
            for c_, expected in ((2.0, 2.0), (-1.0, -1.0)):
                got = f(np.ones(x_), np.ones(z_), c_)
                np.testing.assert_array_equal(got, [expected] * max(x_, z_))


def test_a_member_is_stored_for_the_elements_that_an_arm_reads_only() -> None:
    x, c = tv.vector("x"), tv.scalar("c")
    head = x[:-1]
    cost = ((x[1:] - head**2) ** 2 + (1.0 - head) ** 2).sum()
    f = tv.function([x, c], [cost, tv.ifelse(c > cost, tv.grad(cost, x), x)], mode=C)
    first = f.c_source().split("void loop_1")[0]
    assert len(re.findall(r"o\d\[k\] =", first)) == 2  # the two values that are squared
    cost_of_2, gradient = f([0.5, 2.0], 100.0)
    assert cost_of_2 == 1.75**2 + 0.25
    np.testing.assert_array_equal(gradient, [-2.0 * 1.75 - 1.0, 2.0 * 1.75])


# ---- where lengths do not fit ----


def test_an_intermediate_that_is_smaller_than_the_lengths_is_computed_at_its_own_size() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    small = tv.exp(x) * 2.0
    f, kernels = both([x, y], [small, tv.broadcast_to(small, tv.ops.shape(y)) + y])
    for value in ([0.0], [0.0, 0.0, 0.0]):
        got, wide = f(value, [1.0, 2.0, 3.0])
        np.testing.assert_array_equal(got, [2.0] * len(value))
        np.testing.assert_array_equal(wide, [3.0, 4.0, 5.0])
        kernels(value, [1.0, 2.0, 3.0])
    assert runs(f) == runs(kernels)
    assert {form for _, form, _ in forms(f)} == {"loop"}


def test_a_gradient_that_was_broadcast_is_added_up() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f, kernels = both([x, y], tv.grad((x * y).sum(), x) * 2.0)
    for value in ([1.0], [1.0, 1.0, 1.0]):
        np.testing.assert_array_equal(f(value, [1.0, 2.0, 3.0]), kernels(value, [1.0, 2.0, 3.0]))
    assert runs(f) == runs(kernels)
    np.testing.assert_array_equal(f([1.0], [1.0, 2.0, 3.0]), [12.0])
    assert ("unbroadcast", "loop", "chunk 0, loop 0") in forms(f)


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
        assert function.registers_empty()
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


# ---- sums that undo a broadcast ----


def test_a_value_that_is_read_through_unbroadcast_may_be_an_output_too() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    product = x * y
    summed = tv.ops.unbroadcast(product, tv.ops.shape(y))
    f, kernels = both([x, y], [product, summed, summed + 1.0])
    for value in ([5.0, 6.0], [5.0]):
        for got, expected in zip(f(value, value), kernels(value, value), strict=True):
            np.testing.assert_array_equal(got, expected)
    product_, summed_, more = f([5.0, 6.0], [2.0])
    np.testing.assert_array_equal(product_, [10.0, 12.0])
    np.testing.assert_array_equal(summed_, [22.0])
    np.testing.assert_array_equal(more, [23.0])
    assert "unbroadcast" in loops(f)


def test_arrays_are_added_up_where_the_loop_has_other_lengths() -> None:
    x, y, z = tv.vector("x"), tv.vector("y"), tv.vector("z")
    lengths = tv.ops.shape(z)
    value = tv.ops.unbroadcast(x, lengths) * z + tv.ops.unbroadcast(y, lengths)
    f, kernels = both([x, y, z], value)
    assert loops(f) == {"shape", "unbroadcast", "mul", "add"}
    one, two = [10.0], [1.0, 2.0]
    np.testing.assert_array_equal(f(two, two, two), [2.0, 6.0])
    np.testing.assert_array_equal(f(two, two, one), [33.0])
    np.testing.assert_array_equal(f(one, two, one), [103.0])
    np.testing.assert_array_equal(f(two, one, one), [40.0])
    for arguments in ((two, two, two), (two, two, one), (one, two, one), (two, one, one)):
        kernels(*arguments)
    assert runs(f) == runs(kernels)


def test_an_array_is_added_up_where_a_vector_of_lengths_says_so() -> None:
    x, k = tv.vector("x"), tv.vector("k", dtype="int64")
    f = tv.function([x, k], tv.ops.unbroadcast(x, k, ndim=1) * 2.0 + 1.0, mode=C)
    np.testing.assert_array_equal(f([1.0, 2.0], [2]), [3.0, 5.0])
    np.testing.assert_array_equal(f([1.0, 2.0], [1]), [7.0])
    with pytest.raises(ValueError, match=r"an array of shape \(1,\) cannot be summed down"):
        f([1.0], [2])
    assert loops(f) == {"unbroadcast", "mul", "add"}


def test_outputs_that_are_one_value_share_no_memory() -> None:
    x = tv.vector("x")
    double = x * 2.0
    f = tv.function([x], [double, tv.ops.unbroadcast(double, tv.ops.shape(x))], mode=C)
    first, second = f([1.0, 2.0])
    first[:] = 0.0
    np.testing.assert_array_equal(second, [2.0, 4.0])


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
    assert not re.search(SQUARE, f.c_source().split("loop_0")[1])
    np.testing.assert_array_equal(f([3.0], 2.0), [10.0])


def test_what_is_computed_of_a_number_along_an_axis_keeps_its_own_length() -> None:
    x, number = tv.vector("x"), tv.scalar("number")
    one = tv.expand_dims(number, axis=[0]) + 2.0
    f, _ = both([x, number], [one, x + one])
    alone, added = f([1.0, 2.0, 3.0], 1.0)
    np.testing.assert_array_equal(alone, [3.0])
    np.testing.assert_array_equal(added, [4.0, 5.0, 6.0])


def test_a_value_of_which_only_one_arm_is_a_loop_is_an_array() -> None:
    c, x = tv.scalar("c", dtype="bool"), tv.vector("x")
    y = tv.exp(x) + 1.0
    chosen = tv.ifelse(c, y, (x - 1.0) * 2.0)
    f, kernels = both([c, x], [y.sum(), tv.sin(chosen * 3.0) + x])
    for condition, length in ((False, 3), (True, 5), (False, 2), (True, 2)):
        value = np.linspace(0.0, 1.0, length)
        np.testing.assert_array_equal(f(condition, value)[1], kernels(condition, value)[1])
