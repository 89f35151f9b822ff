"""Emitted loops over every layout and length: strides, broadcasts, blocks and single elements."""

from __future__ import annotations

import numpy as np
import pytest
from emitted import C, both, forms, runs

import thunkvm as tv

ROW, COLUMN = np.array([[1.0, 2.0, 3.0]]), np.array([[10.0], [20.0]])
MATRIX = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (MATRIX, MATRIX),
        (MATRIX, ROW),
        (COLUMN, MATRIX),
        (COLUMN, ROW),
        (MATRIX[::-1], MATRIX[:, ::-1]),
        (np.asfortranarray(MATRIX), MATRIX),
        (np.repeat(MATRIX, 2, axis=1)[:, ::2], ROW),
        (np.broadcast_to(ROW, (2, 3)), COLUMN),
        (MATRIX[:, :0], COLUMN),
        (MATRIX[:0], ROW),
        (MATRIX[:1, :1], MATRIX),
    ],
    ids=["plain", "row", "column", "both", "reversed", "fortran", "strided", "stride 0",
         "no columns", "no rows", "one element"],
)  # fmt: skip
def test_one_loop_takes_every_layout(x: np.ndarray, y: np.ndarray) -> None:
    a, b = tv.matrix("a"), tv.matrix("b")
    f = tv.function([a, b], [a * b + a, (a - b).sum(axis=1)], mode=C)
    product, sums = f(x, y)
    np.testing.assert_array_equal(product, x * y + x)
    np.testing.assert_array_equal(sums, (x - y).sum(axis=1))
    assert {form for _, form, _ in forms(f)} == {"fused"}


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 511, 512, 513, 1024, 1041])
def test_an_element_does_not_depend_on_where_it_is(n: int) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) * 1.5 + tv.sin(x), mode=C)
    value = np.linspace(-3.0, 3.0, 1041)
    np.testing.assert_array_equal(f(value[:n]), f(value)[:n])
    np.testing.assert_array_equal(f(value[::-1][:n]), f(value)[::-1][:n])


@pytest.mark.parametrize("n", [2, 17, 511, 513, 1000, 5003])
def test_an_operand_of_one_element_is_that_element_in_every_block(n: int) -> None:
    x, y, z = tv.vector("x"), tv.vector("y"), tv.matrix("z")
    f = tv.function([x, y, z], [x * y + y, (z * y).sum(axis=0), (z * y).sum(axis=1)], mode="c")
    values, table = np.arange(float(n)), np.arange(3.0 * n).reshape(3, n)
    for one in ([2.0], [3.0], np.arange(9.0)[4:5]):
        line, columns, rows = f(values, one, table)
        np.testing.assert_array_equal(line, values * one + one)
        np.testing.assert_array_equal(columns, (table * one).sum(axis=0))
        np.testing.assert_allclose(rows, (table * one).sum(axis=1), rtol=1e-14)


def test_an_intermediate_that_is_smaller_than_the_result_is_computed_at_its_own_size() -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    f, kernels = both([x, y], (tv.exp(x) + 1.0) * y)
    np.testing.assert_array_equal(f(ROW, MATRIX), kernels(ROW, MATRIX))
    assert runs(f) == runs(kernels)


def test_what_is_read_behind_a_vector_function_alone_is_computed_behind_it() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f, kernels = both([x, y], tv.exp(x) * y + (-(x * 2.0)))
    assert f.c_source().count("for (i64 k = 0;") == 1
    for value in ([1.0], np.linspace(-1.0, 1.0, 700)):
        np.testing.assert_array_equal(f(value, value), kernels(value, value))


def test_what_a_vector_function_reads_is_computed_before_it() -> None:
    x = tv.vector("x")
    negative = -x
    f, kernels = both([x], tv.exp(negative) * negative + tv.sin(tv.exp(x) + negative))
    assert f.c_source().count("  call[") == 3
    for value in ([1.0], np.linspace(-1.0, 1.0, 700)):
        np.testing.assert_array_equal(f(value), kernels(value))


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
@pytest.mark.parametrize("columns", [1, 2, 3, 7, 63, 64, 511, 512, 513])
def test_a_row_and_a_column_are_repeated_over_many_blocks(columns: int, dtype: str) -> None:
    x, row, column = (tv.matrix(name, dtype=dtype) for name in ("x", "row", "column"))
    f = tv.function([x, row, column], x * row + column, mode=C)
    rows = 3000 // columns + 1
    values = np.arange(rows * columns).reshape(rows, columns).astype(dtype)
    of_row, of_column = (np.arange(n).astype(dtype) for n in (columns, rows))
    result = f(values, of_row[None], of_column[:, None])
    np.testing.assert_array_equal(result, values * of_row + of_column[:, None])


def test_a_row_is_repeated_along_two_axes_from_any_element_on() -> None:
    x, row = tv.tensor3("x"), tv.vector("row")
    f = tv.function([x, row], tv.sum(x[:, 1:] * row, axis=2), mode=C)
    values, of_row = np.arange(40.0 * 9 * 5).reshape(40, 9, 5), np.arange(5.0)
    np.testing.assert_array_equal(f(values, of_row), (values[:, 1:] * of_row).sum(axis=2))
