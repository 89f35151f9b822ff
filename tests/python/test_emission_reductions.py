"""Reductions as members of emitted loops: of the last axes, the first ones, and any others."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from emitted import KERNELS, C

import thunkvm as tv

REDUCTIONS = ["sum", "mean", "max", "min", "prod", "any", "all"]


def forms(function: tv.CompiledFunction) -> set[str]:
    return {row.form for row in function.explain().nodes}


def elements(shape: tuple[int, ...], dtype: str = "float64") -> np.ndarray:
    """Numbers that no sum of is exact, in any order but one."""
    values = np.random.default_rng(shape[0]).uniform(-1, 1, shape)
    return (values * 3).astype(dtype) if dtype[0] in "iu" else values.astype(dtype)


# Around the accumulators of a reduction (16), its blocks (128), those of a loop (512), short rows.
MATRICES = [
    (1, 1), (1, 9), (9, 1), (2, 3), (15, 2), (16, 2), (17, 2), (128, 3), (129, 3), (300, 7),
    (1000, 10), (40, 33), (7, 511), (130, 512), (20, 513), (3, 1100), (257, 100),
]  # fmt: skip


@pytest.mark.parametrize("op", REDUCTIONS)
def test_a_reduction_of_the_first_axis_is_a_member_of_the_loop(op: str) -> None:
    x = tv.matrix("x")
    result = getattr(tv, op)(x * 2 + 1, axis=0)
    f = tv.function([x], result, mode=C)
    kernels = tv.function([x], result, mode=KERNELS)
    assert forms(f) == {"fused"}
    for shape in MATRICES:
        value = elements(shape)
        for _ in range(2):
            got = f(value)
            np.testing.assert_array_equal(got, kernels(value), err_msg=str(shape))
            np.testing.assert_allclose(got, getattr(np, op)(value * 2 + 1, axis=0), rtol=1e-10)


def check_sums(
    x: tv.Variable, axis: tuple[int, ...], keepdims: bool, shapes: Iterable[tuple[int, ...]]
) -> None:
    """Sums over these axes are part of the loop, and have the bits of the kernels."""
    result = tv.sum(x * 2 + 1, axis=axis, keepdims=keepdims)
    f = tv.function([x], result, mode=C)
    kernels = tv.function([x], result, mode=KERNELS)
    assert forms(f) == {"fused"}
    for shape in shapes:
        value = elements(shape)
        for _ in range(2):
            got = f(value)
            np.testing.assert_array_equal(got, kernels(value), err_msg=str(shape))
        expected = (value * 2 + 1).sum(axis=axis, keepdims=keepdims)
        assert np.shape(got) == np.shape(expected)
        np.testing.assert_allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("axis", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_that_are_neighbours_are_reduced_in_the_loop(
    axis: tuple[int, ...], keepdims: bool
) -> None:
    shapes = itertools.product((1, 3, 140), (2, 17), (1, 5, 20, 600))
    check_sums(tv.tensor3("x"), axis, keepdims, shapes)


@pytest.mark.parametrize("axis", [(0, 2), (0, 3), (1, 3), (0, 1, 3), (0, 2, 3)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_with_others_between_them_are_reduced_in_the_loop(
    axis: tuple[int, ...], keepdims: bool
) -> None:
    shapes = itertools.product((1, 3, 40), (2, 17), (1, 5), (1, 3, 150, 600))
    check_sums(tv.tensor4("x"), axis, keepdims, shapes)


def test_first_third_and_fifth_axes_are_reduced_of_what_the_loop_stores_too() -> None:
    x, y = (tv.TensorType("float64", (None,) * 5)(name) for name in "xy")
    z = tv.exp(x) * y
    outputs = [z.sum(axis=(0, 2, 4)), (z + 1).max(axis=(0, 2, 4)), z]
    f = tv.function([x, y], outputs, mode=C)
    kernels = tv.function([x, y], outputs, mode=KERNELS)
    assert {row.code for row in f.explain().nodes} == {"function 0, nest 0"}
    for shape in ((2, 3, 2, 3, 2), (3, 2, 5, 4, 7), (2, 5, 3, 2, 700), (9, 1, 9, 3, 1)):
        value = elements(shape)
        others = [
            value,
            np.asfortranarray(value),
            value[:1],
            value[..., :1],
            value[::-1, ..., ::-1],
        ]
        for other in others:
            for _ in range(2):
                for got, expected in zip(f(value, other), kernels(value, other), strict=True):
                    np.testing.assert_array_equal(got, expected, err_msg=str(shape))


def test_what_is_placed_is_reduced_over_axes_with_others_between_them() -> None:
    x = tv.tensor3("x")
    result = (tv.zeros_like(x)[1:, 1:].set(x[:-1, :-1]) + x).sum(axis=(0, 2))
    f = tv.function([x], result, mode=C)
    kernels = tv.function([x], result, mode=KERNELS)
    for shape in ((3, 4, 5), (30, 4, 20), (2, 700, 2), (3, 4, 5)):
        for _ in range(2):
            np.testing.assert_array_equal(f(elements(shape)), kernels(elements(shape)))


def test_a_reduction_of_no_axis_is_left_to_the_kernel() -> None:
    x = tv.matrix("x")
    f = tv.function([x], tv.sum(x * 2, axis=()), mode=C)
    np.testing.assert_array_equal(f([[1.0, 2.0]]), [[2.0, 4.0]])
    assert {row.op: row.why for row in f.explain().nodes}["sum"] == "it reduces no axis"


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "int64", "float32"])
def test_columns_of_every_dtype_are_reduced_like_by_the_kernel(dtype: str) -> None:
    x = tv.matrix("x", dtype=dtype)
    outputs = [tv.sum(x + x, axis=0), tv.max(x + x, axis=0), tv.all(x + x, axis=0)]
    f = tv.function([x], outputs, mode=C)
    kernels = tv.function([x], outputs, mode=KERNELS)
    for shape in ((300, 3), (33, 40), (5, 700)):
        for got, expected in zip(
            f(elements(shape, dtype)), kernels(elements(shape, dtype)), strict=True
        ):
            np.testing.assert_array_equal(got, expected)
            assert got.dtype == expected.dtype


def test_several_reductions_of_the_same_axes_are_one_loop_beside_its_outputs() -> None:
    x = tv.matrix("x")
    y = tv.exp(x)
    outputs = [y.sum(axis=0), (y * x).mean(axis=0), y, (x + 1).max(axis=0)]
    f = tv.function([x], outputs, mode=C)
    kernels = tv.function([x], outputs, mode=KERNELS)
    assert {row.code for row in f.explain().nodes} == {"function 0, nest 0"}
    for shape in ((3, 4), (50, 20), (130, 9), (4, 1030)):
        for got, expected in zip(f(elements(shape)), kernels(elements(shape)), strict=True):
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_stored_beside_a_reduction_stays_within_its_memory(axis: int) -> None:
    # Shapes whose last block begins at any element; some fill a block of the allocator, which
    # says so, at the latest when it gets it back, if there was written behind it.
    x = tv.matrix("x")
    y = tv.exp(x)
    f = tv.function([x], [y.sum(axis=axis), y], mode=C)
    for shape in itertools.product(range(2, 40), (3, 17, 100, 171, 513, 1025, 1030)):
        value = np.ones(shape)
        total, stored = f(value)
        np.testing.assert_array_equal(stored, np.exp(value), err_msg=str(shape))
        np.testing.assert_allclose(total, np.exp(value).sum(axis=axis))


def test_columns_of_what_is_strided_or_broadcast() -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    result = (x * 2 + y).sum(axis=0)
    f = tv.function([x, y], result, mode=C)
    kernels = tv.function([x, y], result, mode=KERNELS)
    for shape in ((3, 5), (40, 30), (150, 7), (5, 1200)):
        value = elements(shape)
        layouts = [value, np.asfortranarray(value), value[::-1, ::-1]]
        for left, right in itertools.product(layouts, [*layouts, value[:1], value[:, :1]]):
            for _ in range(2):
                np.testing.assert_array_equal(f(left, right), kernels(left, right))


def test_columns_of_a_matrix_that_something_is_placed_in() -> None:
    x = tv.matrix("x")
    result = (tv.zeros_like(x)[1:, 1:].set(x[:-1, :-1]) + x).sum(axis=0)
    f = tv.function([x], result, mode=C)
    kernels = tv.function([x], result, mode=KERNELS)
    for shape in ((3, 4), (30, 40), (200, 6), (3, 700), (3, 4)):
        for _ in range(2):
            np.testing.assert_array_equal(f(elements(shape)), kernels(elements(shape)))


def test_columns_without_elements_are_the_kernels() -> None:
    x = tv.matrix("x")
    f = tv.function([x], (x * 2).sum(axis=0), mode=C)
    np.testing.assert_array_equal(f(np.empty((0, 3))), [0.0, 0.0, 0.0])
    assert f(np.empty((3, 0))).shape == (0,)
    g = tv.function([x], (x * 2).max(axis=0), mode=C)
    with pytest.raises(ValueError, match="zero-size"):
        g(np.empty((0, 3)))


def test_a_gradient_of_the_mean_of_columns_runs_in_loops() -> None:
    x = tv.matrix("x")
    cost = (tv.tanh(x).mean(axis=0) ** 2).sum()
    f = tv.function([x], tv.grad(cost, x), mode=C)
    kernels = tv.function([x], tv.grad(cost, x), mode=KERNELS)
    for shape in ((4, 3), (40, 13)):
        np.testing.assert_array_equal(f(elements(shape)), kernels(elements(shape)))


def test_a_sum_of_a_loop_that_became_part_of_another_is_not_read_within_it() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    later, square = y + 1.0, x * x  # a loop each, until `later + square` makes them one
    f = tv.function([x, y], [later, square.sum() * (later + square)], mode=C)
    first, second = f(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.testing.assert_array_equal(first, [4.0, 5.0])
    np.testing.assert_array_equal(second, [25.0, 45.0])
