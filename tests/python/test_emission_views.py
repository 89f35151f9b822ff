"""Parts of arrays that several emitted loops find, and those that are kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from emitted import KERNELS, C, both, forms, runs

import thunkvm as tv
from thunkvm import _core


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
    assert views(f) == [("fused", ""), ("fused", "")]
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
    assert views(f) == [("fused", ""), ("fused", "")]
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


def test_a_view_begins_where_a_value_does_that_two_nests_alone_see() -> None:
    x = tv.vector("x")
    y = tv.sin(x) * 2.0
    f, kernels = both([x], [(y[:-1] * y.sum()).sum()])
    for value in (np.arange(5.0), np.arange(5.0), np.arange(40.0)):
        np.testing.assert_array_equal(f(value), kernels(value))


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
    assert _core._testing.registers_empty(f)


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
    assert ("kernel", "other code than nests reads it") in views(f)


def test_a_view_of_an_array_that_dies_is_found_by_each_loop_that_reads_it() -> None:
    x = tv.vector("x")
    head = tv.cumsum(x)[:-1]
    outer = head[None, :] * tv.ones((2, 1)) + head
    f, kernels = both([x], [(head * 2.0 + 1.0).sum(), outer])
    for got, expected in zip(f([1.0, 2.0, 5.0]), kernels([1.0, 2.0, 5.0]), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert views(f) == [("fused", ""), ("fused", "")]
    assert runs(f) == runs(kernels)


def test_lengths_of_what_one_loop_computes_are_found_by_each_loop_that_compares_them() -> None:
    x, m, g = tv.vector("x"), tv.matrix("m"), tv.vector("g")
    y = x * 2.0 + 1.0
    wide = tv.broadcast_to(g, y.shape)
    f, kernels = both([x, m, g], [(y * wide).sum(), m * tv.exp(wide)])
    for n in (3, 3, 5, 1):
        given = (np.arange(float(n)), np.ones((2, n)), np.arange(float(n)))
        for got, expected in zip(f(*given), kernels(*given), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert runs(f) == runs(kernels)


@pytest.mark.parametrize("misfit", [1, 2], ids=["the first", "the second"])
def test_what_two_loops_have_as_a_member_is_counted_once_where_one_of_them_fails(
    misfit: int,
) -> None:
    x, y, z = tv.vector("x"), tv.vector("y"), tv.vector("z")
    part = tv.cumsum(x)[:-1]
    outer = tv.exp(tv.ones((2, 1)) * z)
    f, kernels = both([x, y, z], [(part * y + 1.0).sum(), part[None, :] * outer])
    given = [np.ones(4), np.ones(3), np.ones(3)]
    given[misfit] = np.ones(5)
    counts = []
    for function in (f, kernels):
        with pytest.raises(ValueError, match="broadcast"):
            function(*given)
        counts.append(dict(runs(function)))
    assert [count["subtensor.1"] for count in counts] == [1, 1]


def test_what_an_earlier_loop_had_as_a_member_was_reached_where_a_later_one_fails() -> None:
    x, y, z, m = tv.vector("x"), tv.vector("y"), tv.vector("z"), tv.matrix("m")
    failing = m * z
    part = tv.cumsum(x)[:-1]
    earlier = part * y + 1.0
    f = tv.function([x, y, z, m], failing * tv.cumsum(earlier) * part, mode=C)
    with pytest.raises(ValueError, match="broadcast"):
        f(np.ones(4), np.ones(3), np.ones(3), np.ones((2, 5)))
    counts = {name.split(".")[0]: count for name, count in runs(f) if not name.startswith("mul")}
    assert counts == {"cumsum": 1, "subtensor": 1, "add": 1}


def test_a_view_is_found_by_loops_and_computed_in_an_arm_whose_kernel_reads_a_part_of_it() -> None:
    x, c = tv.vector("x"), tv.scalar("c")
    tail = x[1:]
    arm = tv.ifelse(c > 0.0, tv.cumsum(tail[::-1]), tv.cumsum(tail[::-1]) * tail)
    f, kernels = both([x, c], [tv.exp(tail) * 2.0 + 1.0, arm])
    for c_now in (1.0, -1.0, 1.0):
        for n in (4, 1, 4):
            value = np.arange(float(n))
            for got, expected in zip(f(value, c_now), kernels(value, c_now), strict=True):
                np.testing.assert_array_equal(got, expected)
            assert _core._testing.registers_empty(f)
    assert runs(f) == runs(kernels)


def test_lengths_of_a_view_are_compared_in_an_arm_without_its_kernel() -> None:
    x, c = tv.vector("x"), tv.scalar("c")
    tail = x[1:]
    cost = (tail**2).sum()
    f, kernels = both([x, c], [cost, tv.ifelse(cost < c, tv.grad(cost, x), x)])
    for c_now in (10.0, -1.0):
        value = np.arange(3.0)
        for got, expected in zip(f(value, c_now), kernels(value, c_now), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert views(f) == [("fused", "")]


def test_a_view_that_is_an_output_is_a_kernel() -> None:
    x = tv.vector("x")
    tail = x[1:]
    f = tv.function([x], [tail, tail * 2.0 + 1.0], mode=C)
    np.testing.assert_array_equal(f([1.0, 2.0])[0], [2.0])
    np.testing.assert_array_equal(f([1.0, 2.0])[1], [5.0])
    assert [(op, form) for op, form, _ in forms(f)] == [
        ("subtensor", "kernel"),
        ("mul", "fused"),
        ("add", "fused"),
    ]


def test_a_value_of_which_only_one_arm_is_a_loop_is_an_array() -> None:
    c, x = tv.scalar("c", dtype="bool"), tv.vector("x")
    y = tv.exp(x) + 1.0
    chosen = tv.ifelse(c, y, (x - 1.0) * 2.0)
    f, kernels = both([c, x], [y.sum(), tv.sin(chosen * 3.0) + x])
    for condition, length in ((False, 3), (True, 5), (False, 2), (True, 2)):
        value = np.linspace(0.0, 1.0, length)
        np.testing.assert_array_equal(f(condition, value)[1], kernels(condition, value)[1])
