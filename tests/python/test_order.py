"""Sorts, partitions and the largest elements, against NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from against_numpy import DTYPES, against_numpy, run, same, values

import thunkvm as tv

MODES = ["py", "cvm", "FAST_RUN"]
X = np.array([[3.0, np.nan, 1.0, 2.0], [-1.0, 5.0, -np.inf, 5.0], [0.0, -0.0, 2.0, 2.0]])
#: C order, Fortran order, steps backwards, a part of every axis.
LAYOUTS = [X, np.asfortranarray(X), X[::-1, ::-1], np.tile(X, (2, 2))[::2, 1::2]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_and_argsort_equal_numpys_in_each_dtype(mode: str, dtype: str) -> None:
    x = np.random.default_rng(0).permutation(np.tile(values(dtype), 2))
    same(run(mode, tv.sort, x), np.sort(x, stable=True))
    same(run(mode, tv.argsort, x), np.argsort(x, stable=True))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axis", [0, 1, -1, -2, None])
@pytest.mark.parametrize("x", [*LAYOUTS, np.zeros((0, 3)), np.zeros((3, 0))])
def test_sort_and_argsort_go_along_any_axis_of_any_layout(mode: str, axis: Any, x: Any) -> None:
    against_numpy(mode, lambda v: tv.sort(v, axis), lambda v: np.sort(v, axis), x)
    against_numpy(mode, lambda v: v.sort(axis), lambda v: np.sort(v, axis), x)
    stable = {"kind": "stable"}
    against_numpy(
        mode, lambda v: v.argsort(axis, **stable), lambda v: np.argsort(v, axis, **stable), x
    )


@pytest.mark.parametrize("mode", MODES)
def test_sort_descending_is_the_reverse_and_argsort_keeps_the_order_of_equal_ones(
    mode: str,
) -> None:
    x = np.array([[2.0, 1.0, 2.0], [np.nan, 3.0, 3.0]])
    same(run(mode, lambda v: tv.sort(v, descending=True), x), np.sort(x)[:, ::-1])
    got = run(mode, lambda v: tv.argsort(v, descending=True), x)
    same(got, np.array([[0, 2, 1], [0, 1, 2]]))
    same(run(mode, lambda v: tv.argsort(v, 0, descending=True), x.T), got.T)


@pytest.mark.parametrize("mode", MODES)
def test_partition_puts_the_kth_element_where_a_sort_does(mode: str) -> None:
    x = np.random.default_rng(0).normal(size=(3, 7))
    for kth, axis in [(2, -1), ([0, 4], 1), (-1, 0), (5, None)]:
        got = run(mode, lambda v, k=kth, a=axis: v.partition(k, axis=a), x)
        where = run(mode, lambda v, k=kth, a=axis: v.argpartition(k, axis=a), x)
        wanted = np.partition(x, kth, axis=axis)
        last = -1 if axis is None else axis
        same(np.take(got, kth, last), np.take(wanted, kth, last))
        flat = x.ravel() if axis is None else x
        same(np.take_along_axis(flat, where, last), got)


@pytest.mark.parametrize("mode", MODES)
def test_topk_gives_the_largest_first_and_of_a_negative_number_the_smallest_first(
    mode: str,
) -> None:
    x = np.array([[3.0, 1.0, 2.0, 3.0], [0.0, -1.0, np.nan, 4.0]])
    same(run(mode, lambda v: tv.topk(v, 2), x), np.array([[3.0, 3.0], [np.nan, 4.0]]))
    same(run(mode, lambda v: tv.argtopk(v, 2), x), np.array([[0, 3], [2, 3]]))
    same(run(mode, lambda v: tv.topk(v, -2), x), np.array([[1.0, 2.0], [-1.0, 0.0]]))
    same(run(mode, lambda v: tv.topk(v, 1, axis=0), x), np.array([[3.0, 1.0, np.nan, 4.0]]))
    narrow = run(mode, lambda v: tv.argtopk(v, 1, axis=0, idx_dtype="int32"), x)
    same(narrow, np.array([[0, 0, 1, 1]], "int32"))
    both = run(mode, lambda v: list(tv.topk_and_argtopk(v, -1)), x)
    same(both[0], np.array([[1.0], [-1.0]]))
    same(both[1], np.array([[1], [1]]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("k", [2, -2])
def test_topk_takes_how_many_in_the_call(mode: str, k: int) -> None:
    x = np.array([3.0, 1.0, 2.0, 3.0])
    got = run(mode, lambda v, n: list(tv.topk_and_argtopk(v, n)), x, k)
    wanted = run(mode, lambda v: list(tv.topk_and_argtopk(v, k)), x)
    same(got[0], wanted[0])
    same(got[1], wanted[1])


@pytest.mark.parametrize("mode", MODES)
def test_topk_of_more_elements_than_there_are_is_an_error_in_the_call(mode: str) -> None:
    for k in (4, -4):
        with pytest.raises(IndexError, match="out of bounds"):
            run(mode, lambda v, k=k: tv.topk(v, k), np.zeros(3))


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (lambda x: tv.sort(x, 2), "[sort] axis: axis 2 is out of bounds"),
        (lambda x: tv.sort(x, kind="bogo"), "[sort] kind = 'bogo', but it has to be one of quic"),
        (lambda x: tv.argsort(x[0, 0]), "[argsort] axis: axis -1 is out of bounds for array of d"),
        (lambda x: tv.partition(x, 4), "[partition] kth = 4 is out of bounds for 4 elements; use"),
        (lambda x: tv.argpartition(x, 0, kind="q"), "[argpartition] kind = 'q', but it has to be"),
        (lambda x: tv.topk(x, 0), "[topk] kth = 0; give how many elements to take"),
        (lambda x: tv.argtopk(x, 5), "[argtopk] kth = 5, but there are 4 elements; give at most"),
    ],
)
def test_order_tells_what_is_wrong(mistake: Callable[[Any], Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        mistake(tv.zeros((3, 4)))


def test_order_asks_for_integers() -> None:
    with pytest.raises(TypeError, match=r"\[sort\] axis is 1.5, a float; give an integer"):
        tv.sort(tv.zeros((3, 4)), 1.5)
    with pytest.raises(TypeError, match=r"\[topk\] kth is .*; give an integer"):
        tv.topk(tv.vector("x"), 1.5)


def test_order_has_the_gradients_of_the_elements_that_it_moves() -> None:
    x = np.random.default_rng(1).normal(size=(3, 4))
    for function in (
        lambda v: tv.sort(v, 0) * np.arange(12.0).reshape(3, 4),
        lambda v: tv.sort(v, None, descending=True) * np.arange(12.0),
        lambda v: tv.partition(v, 1) * np.arange(4.0),
        lambda v: tv.topk(v, 2) * [1.0, 3.0],
        lambda v: tv.topk(v, -2, axis=0),
    ):
        tv.verify_grad(lambda v, f=function: tv.sum(f(v)), [x], rng=np.random.default_rng(0))


def test_sort_gives_each_of_equal_elements_its_own_gradient() -> None:
    x = tv.vector("x")
    gradient = tv.function([x], tv.grad(tv.sum(tv.sort(x) * [1.0, 2.0, 4.0]), x))
    np.testing.assert_array_equal(gradient([5.0, 5.0, 1.0]), [2.0, 4.0, 1.0])
    largest = tv.function([x], tv.grad(tv.topk(x, 1)[0], x))
    np.testing.assert_array_equal(largest([5.0, 5.0, 1.0]), [1.0, 0.0, 0.0])


def test_the_jacobian_of_a_sort_is_a_permutation() -> None:
    x = tv.vector("x")
    jacobian = tv.function([x], tv.jacobian(tv.sort(x), x))
    np.testing.assert_array_equal(jacobian([3.0, 1.0, 2.0]), np.eye(3)[[1, 2, 0]])


def test_numpys_functions_of_order_make_variables() -> None:
    x = tv.matrix("x")
    for made in (np.sort(x), np.argsort(x), np.partition(x, 1), np.argpartition(x, 1, axis=0)):
        assert isinstance(made, tv.Variable)


def long_row(dtype: str) -> np.ndarray:
    """Numbers that share digits, that differ in their last ones, and the ends of the dtype."""
    rng = np.random.default_rng(7)
    n = 3000
    if dtype.startswith("float"):
        x = rng.standard_normal(n) * 10.0 ** rng.integers(-30, 30, n)
        x[::97], x[1::97], x[2::97], x[3::97], x[4::97] = np.nan, np.inf, -np.inf, 0.0, -0.0
        return x.astype(dtype)
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    x[::3] = rng.integers(0, 5, len(x[::3]), dtype=dtype)
    x[0], x[-1] = info.max, info.min
    return x


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64"])
def test_a_long_row_is_in_numpys_order(dtype: str) -> None:
    row = long_row(dtype)
    x = tv.vector("x", dtype=dtype)
    ordered, order = tv.function([x], [tv.sort(x), tv.argsort(x)])(row)
    np.testing.assert_array_equal(order, np.argsort(row, kind="stable"))
    np.testing.assert_array_equal(ordered, np.sort(row))
    assert np.signbit(ordered).sum() == np.signbit(row).sum()


def test_rows_of_a_long_stack_are_sorted_each_by_itself() -> None:
    rows = np.stack([long_row("float64"), long_row("float64")[::-1]])
    x = tv.matrix("x")
    np.testing.assert_array_equal(tv.function([x], tv.sort(x))(rows.T.copy().T), np.sort(rows))
