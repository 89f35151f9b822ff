"""Lengths in emitted loops: compared, of shape-only values, and of sums that undo a broadcast."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from emitted import C, both, forms, loops, runs

import thunkvm as tv
from thunkvm import _core


def test_lengths_that_are_computed_with_are_a_kernels() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.ops.shape(x) * 2 + 1, mode=C)
    np.testing.assert_array_equal(f([0.0, 0.0]), [5])
    assert forms(f)[0] == ("shape", "kernel", "function 0")


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
    assert "sin" not in [row.op for row in f.explain().nodes]


def lengths_in_both_arms() -> tuple[list[tv.Variable], tv.Variable]:
    """An array of which either arm reads the lengths and nothing else."""
    x, z, c = tv.vector("x"), tv.vector("z"), tv.scalar("c")
    shape_only, other = tv.exp(x) + 1.0, tv.sin(z) * 2.0
    then = tv.broadcast_to(c * 3.0, tv.ops.shape(shape_only)) * other
    return [x, z, c], tv.ifelse(c > 0, then, tv.broadcast_to(c, tv.ops.shape(shape_only)) + other)


def test_of_a_value_whose_lengths_alone_are_read_in_arms_no_elements_are_computed() -> None:
    inputs, output = lengths_in_both_arms()
    f, kernels = both(inputs, output)
    for n in (1, 2, 100, 1000):
        x, z = np.linspace(0, 1, n), np.linspace(1, 2, n)
        for c in (1.0, -1.0, 1.0, -1.0):
            np.testing.assert_array_equal(f(x, z, c), kernels(x, z, c))
    assert "exp(" not in f.c_source()
    assert runs(f) == runs(kernels)


def test_lengths_alone_are_an_array_where_members_run_one_by_one() -> None:
    x, z = tv.vector("x"), tv.vector("z")
    shape_only = tv.exp(x) + 1.0
    c = shape_only.sum()
    output = tv.ifelse(
        c > 3.0,
        tv.broadcast_to(c, tv.ops.shape(shape_only)) * tv.sin(z),
        tv.broadcast_to(c, tv.ops.shape(shape_only)) + z,
    )
    f, kernels = both([x, z], [c, output])
    assert "exp" in loops(f)
    for value in ([0.5], [1.0], [0.5], [1.0]):
        for z_ in ([1.0], [1.0, 2.0], [3.0]):  # the arm's loop may be longer than what it measures
            np.testing.assert_array_equal(f(value, z_)[1], kernels(value, z_)[1])
    for n in (3, 100_000, 3):
        with pytest.raises(ValueError, match=rf"\[mul\].*\({n},\) \(2,\)"):
            f(np.ones(n), [1.0, 2.0])
        assert _core._testing.registers_empty(f)


def test_lengths_are_those_of_the_call_where_the_shape_only_value_is_an_array() -> None:
    x, z, c = tv.vector("x"), tv.vector("z"), tv.scalar("c")
    shape_only = (x * 2.0 + 1.0) + z  # members run one by one where x is repeated
    output = tv.ifelse(
        c > 0,
        tv.broadcast_to(c, tv.ops.shape(shape_only)) * 1.0,
        tv.broadcast_to(c, tv.ops.shape(shape_only)) * 2.0 + 1.0,
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
    first = f.c_source().split("void nest_1")[0]
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
    assert {form for _, form, _ in forms(f)} == {"fused"}


def test_a_gradient_that_was_broadcast_is_added_up() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f, kernels = both([x, y], tv.grad((x * y).sum(), x) * 2.0)
    for value in ([1.0], [1.0, 1.0, 1.0]):
        np.testing.assert_array_equal(f(value, [1.0, 2.0, 3.0]), kernels(value, [1.0, 2.0, 3.0]))
    assert runs(f) == runs(kernels)
    np.testing.assert_array_equal(f([1.0], [1.0, 2.0, 3.0]), [12.0])
    assert ("unbroadcast", "fused", "function 0, nest 0") in forms(f)


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


# ---- which nodes share a loop ----


def test_nodes_of_one_static_shape_are_one_loop_though_none_reads_another() -> None:
    x, y = (tv.tensor(dtype="float64", shape=(3,), name=name) for name in "xy")
    f, kernels = both([x, y], [tv.exp(x), y * y])
    assert {region for _, _, region in forms(f)} == {"function 0, nest 0"}
    arguments = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    for got, expected in zip(f(*arguments), kernels(*arguments), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_row_that_is_computed_and_then_repeated_is_no_member_of_the_loop_of_the_matrix() -> None:
    row = tv.tensor(dtype="float64", shape=(1, 3), name="row")
    x = tv.tensor(dtype="float64", shape=(4, 3), name="x")
    f, kernels = both([row, x], tv.exp(row) * x + 1.0)
    assert forms(f)[0][:2] == ("exp", "kernel")
    assert loops(f) == {"mul", "add"}
    arguments = (np.ones((1, 3)), np.arange(12.0).reshape(4, 3))
    np.testing.assert_array_equal(f(*arguments), kernels(*arguments))


@pytest.mark.parametrize("n", [1, 3])
def test_lengths_that_are_not_known_are_compared_when_the_loop_runs(n: int) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f, kernels = both([x, y], [tv.exp(x) + y, tv.exp(x)])
    assert loops(f) == {"exp", "add"}
    arguments = (np.ones(n), np.arange(3.0))
    for got, expected in zip(f(*arguments), kernels(*arguments), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_what_does_not_fit_the_lengths_that_it_is_broadcast_to_makes_the_loop_no_larger() -> None:
    x, y = tv.matrix("x"), tv.vector("y")
    part = tv.broadcast_to(y, tv.ops.shape(x))
    f, kernels = both([x, y], x**2.0 + part)
    arguments = (np.ones((2, 1)), np.ones(600))
    for function in (f, kernels):
        with pytest.raises(ValueError, match=r"shape \(600,\) does not fit .* \(2, 1\)"):
            function(*arguments)
    np.testing.assert_array_equal(f(np.ones((2, 1)), [3.0]), [[4.0], [4.0]])


# ---- what a node that a loop stands for would have checked ----


def same_error(function: Any, kernels: Any, *arguments: Any) -> None:
    with pytest.raises(ValueError) as expected:  # noqa: PT011  # any of the kernels'
        kernels(*arguments)
    with pytest.raises(ValueError, match=re.escape(str(expected.value))):
        function(*arguments)


@pytest.mark.parametrize(
    ("shape", "other"), [((1,), (5,)), ((3, 1), (1, 4)), ((2, 1), (600,))], ids=str
)
def test_a_value_that_does_not_fit_lengths_is_an_error_of_the_loop_too(
    shape: tuple[int, ...], other: tuple[int, ...]
) -> None:
    x = tv.tensor(dtype="float64", shape=(None,) * len(shape), name="x")
    v = tv.tensor(dtype="float64", shape=(None,) * len(other), name="v")
    product = tv.exp(x) * tv.broadcast_to(v, tv.ops.shape(x))
    f, kernels = both([x, v], product)
    same_error(f, kernels, np.ones(shape), np.ones(other))
    attempted, expected = both([x, v], tv.attempt(tv.sum(product), -1.0))
    assert attempted(np.ones(shape), np.ones(other)) == -1.0
    assert expected(np.ones(shape), np.ones(other)) == -1.0


def test_lengths_that_a_type_has_of_a_node_are_checked_where_the_node_does_not_run() -> None:
    x, v = tv.vector("x"), tv.vector("v")
    s = tv.tensor(dtype="int64", shape=(1,), name="s")
    five, others = (tv.ops.specify_shape(each, shape=[5]) for each in (x, v))
    f, kernels = both([x, v, s], tv.exp(five) * tv.ops.broadcast_to(others, s))
    value = np.arange(5.0)
    same_error(f, kernels, value, value, np.array([7]))
    np.testing.assert_array_equal(f(value, value, [5]), kernels(value, value, [5]))


def test_how_many_lengths_there_are_is_checked_where_the_node_does_not_run() -> None:
    s = tv.tensor(dtype="int64", shape=(None,), name="s")
    ones = tv.ops.full(tv.stack([s[0], s[1]]), 1.0)
    f, kernels = both([s], ones * tv.exp(tv.ops.full(s, 2.0, ndim=2)))
    same_error(f, kernels, np.array([2, 3, 4]))
    np.testing.assert_array_equal(f([2, 3]), kernels([2, 3]))


def test_a_length_that_a_node_without_inputs_computes_is_one_of_its_own() -> None:
    n = tv.as_op(lambda: np.int64(3), itypes=[], otypes=[tv.lscalar])()
    f = tv.function([], tv.exp(tv.ones((n,))) * 2.0, mode=tv.Mode("cvm", compile="now"))
    np.testing.assert_allclose(f(), 2.0 * np.e * np.ones(3))
