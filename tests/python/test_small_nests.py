"""Emitted loops of a few elements, which keep what they found out about their inputs."""

from __future__ import annotations

import ctypes
import mmap
import threading
from typing import Any

import numpy as np
import pytest
from emitted import KERNELS, C

import thunkvm as tv

# Around the lanes of a body (16), and around a block (512).
LENGTHS = (1, 2, 15, 16, 17, 31, 32, 33, 100, 511, 512, 513, 1000)


def numbers(n: int, start: float = 0.0) -> np.ndarray:
    return start + np.arange(n, dtype=float)


def test_a_loop_gives_the_same_for_every_array_of_a_length() -> None:
    x = tv.vector("x")
    f = tv.function([x], [x * 2 + 1, (x * x).sum()], mode=C)
    for n in LENGTHS:
        for start in (0.0, 10.0, 20.0):
            line, total = f(numbers(n, start))
            np.testing.assert_array_equal(line, numbers(n, start) * 2 + 1)
            assert total == (numbers(n, start) ** 2).sum()


def test_a_loop_notices_another_length() -> None:
    x = tv.vector("x")
    f = tv.function([x], x * 2 + 1, mode=C)
    for n in (3, 3, 4, 4, 3, 600, 600, 3, 0, 0, 3):
        np.testing.assert_array_equal(f(numbers(n)), numbers(n) * 2 + 1)


def test_a_loop_notices_other_strides() -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    f = tv.function([x, y], x * y + 1, mode=C)
    a, b = numbers(12).reshape(3, 4), numbers(12, 5.0).reshape(3, 4)
    layouts = [a, np.asfortranarray(a), a[:, ::-1], a[::-1], np.repeat(a, 2, axis=1)[:, ::2], a]
    for first in layouts:
        for _ in range(2):
            np.testing.assert_array_equal(f(first, b), first * b + 1)


def test_a_loop_notices_what_is_broadcast() -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    f = tv.function([x, y], x - y * 2, mode=C)
    a = numbers(12).reshape(3, 4)
    for b in (a, a[:1], a[:, :1], a[:1, :1], a):
        for _ in range(2):
            np.testing.assert_array_equal(f(a, b), a - b * 2)
            np.testing.assert_array_equal(f(b, a), b - a * 2)


def test_lengths_that_do_not_fit_raise_before_and_after_such_that_do() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], (x - y * 2).sum(), mode=C)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"\(3,\).*\(2,\)"):
            f(numbers(3), numbers(2))
        for _ in range(2):
            assert f(numbers(3), numbers(3)) == -3.0


def test_parts_and_places_follow_the_lengths() -> None:
    x = tv.vector("x")
    value = ((x[1:] - x[:-1] ** 2) ** 2).sum()
    f = tv.function([x], [value, tv.grad(value, x)], mode=C)
    kernels = tv.function([x], [value, tv.grad(value, x)], mode=KERNELS)
    for n in (2, 2, 3, 17, 17, 18, 100, 100, 600, 600, 2, 1, 1, 5, 5):
        for start in (0.0, 0.5):
            got, expected = f(numbers(n, start)), kernels(numbers(n, start))
            assert got[0] == expected[0]
            np.testing.assert_array_equal(got[1], expected[1])


def test_a_number_is_placed_among_others() -> None:
    x = tv.vector("x")
    gradient = tv.grad(x[0] ** 2 + x[-1] * 3, x)
    f = tv.function([x], gradient + 1, mode=C)
    for n in (1, 1, 2, 2, 20, 20, 33):
        expected = np.ones(n)
        expected[0] += 2 * 4.0
        expected[-1] += 3
        np.testing.assert_array_equal(f(numbers(n, 4.0)), expected)


def test_a_value_that_a_loop_places_twice_is_in_both_places() -> None:
    x = tv.vector("x")
    y = x * 2.0 + 1.0
    f = tv.function([x], tv.zeros(5)[1:4].set(y) * 10.0 + tv.ones(5)[:3].set(y), mode=C)
    assert {row.form for row in f.explain().nodes if row.op == "set_subtensor"} == {"fused"}
    for _ in range(3):
        np.testing.assert_array_equal(f([1.0, 2.0, 3.0]), [3.0, 35.0, 57.0, 71.0, 1.0])


@pytest.mark.parametrize(
    ("begin", "behind"), [(0, 0), (1, 0), (0, 1), (8, 3), (9, 0), (2, 17), (24, 0), (40, 9)]
)
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64"])
def test_numbers_are_written_around_a_value_that_is_placed(
    dtype: str, begin: int, behind: int
) -> None:
    x = tv.vector("x", dtype=dtype)
    for n in (1, 2, 15, 16, 17, 100):
        end = begin + n
        ones = tv.ones(end + behind, dtype=dtype)
        f = tv.function([x], ones[begin:end].set((x + x) * x) + x[0], mode=C)
        assert {row.form for row in f.explain().nodes if row.op == "set_subtensor"} == {"fused"}
        given = (np.arange(n) % 2).astype(dtype)
        expected = np.ones(end + behind, dtype=dtype)
        expected[begin:end] = (given + given) * given
        for _ in range(3):
            np.testing.assert_array_equal(f(given), expected + given[0])


def test_a_loop_may_compute_a_temporary_and_a_result() -> None:
    x, c = tv.vector("x"), tv.scalar("c")
    between = x * 2.0 + 1.0
    arm = tv.ifelse(c > 0, between * c + 1.0, between * c - 1.0)
    f = tv.function([x, c], [between * 3.0, arm], mode=C)
    for _ in range(3):
        for c_, expected in ((2.0, [7.0, 11.0]), (-1.0, [-4.0, -6.0])):
            got = f([1.0, 2.0], c_)
            np.testing.assert_array_equal(got[0], [9.0, 15.0])
            np.testing.assert_array_equal(got[1], expected)


def test_nothing_is_written_around_an_array() -> None:
    x, z = tv.vector("x"), tv.vector("z")
    y = (x * 2.0 + 1.0) + z  # members run one by one where x alone is repeated
    f = tv.function([x, z], tv.ones(12)[8:11].set(y) * 2.0, mode=C)
    z_ = np.array([1.0, 2.0, 3.0])
    for _ in range(2):
        np.testing.assert_array_equal(f(z_, z_), [2.0] * 8 + [8.0, 14.0, 20.0, 2.0])
        np.testing.assert_array_equal(f([1.0], z_), [2.0] * 8 + [8.0, 10.0, 12.0, 2.0])


def test_a_value_is_placed_in_numbers_of_each_call() -> None:
    x, fill = tv.vector("x"), tv.scalar("fill")
    whole = tv.ops.full(tv.ops.shape(x) + 2, fill, ndim=1)
    f = tv.function([x, fill], whole[1:-1].set(x * 2.0 + 1.0) * 3.0, mode=C)
    for value in (5.0, 5.0, 7.0, 0.0):
        np.testing.assert_array_equal(f([1.0, 2.0], value), [3.0 * value, 9.0, 15.0, 3.0 * value])


def test_what_is_placed_is_repeated_where_it_is_one_element() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], tv.zeros_like(x)[1:].set(y) * 2 + x, mode=C)
    for n, given in ((5, 1), (5, 1), (5, 4), (5, 4), (2, 1), (2, 1)):
        expected = numbers(n)
        expected[1:] += 2 * numbers(given, 3.0)
        np.testing.assert_array_equal(f(numbers(n), numbers(given, 3.0)), expected)


def test_lengths_that_are_computed_are_looked_at_in_every_call() -> None:
    x, k = tv.vector("x"), tv.vector("k", dtype="int64")
    f = tv.function([x, k], tv.ops.broadcast_to(x * 2, k + 1, ndim=1) + x, mode=C)
    for _ in range(2):
        np.testing.assert_array_equal(f(numbers(1, 3.0), [0]), [9.0])
    np.testing.assert_array_equal(f(numbers(1, 3.0), [1]), [9.0, 9.0])
    with pytest.raises(ValueError, match="broadcast_to"):
        f(numbers(3), [4])


def test_an_intermediate_whose_memory_becomes_the_results_is_read_before() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.cumsum(x) * 2 + 1, mode=C)
    for n in LENGTHS:
        for _ in range(2):
            np.testing.assert_array_equal(f(numbers(n)), numbers(n).cumsum() * 2 + 1)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float32", "float16", "complex128"])
def test_elements_of_every_size_are_copied_whole(dtype: str) -> None:
    x = tv.vector("x", dtype=dtype)
    f = tv.function([x], [x + x, (x * x)[1:]], mode=C)
    for n in (1, 1, 3, 3, 15, 16, 17, 17, 40):
        value = (np.arange(n) % 3).astype(dtype)
        for got, expected in zip(f(value), (value + value, (value * value)[1:]), strict=True):
            np.testing.assert_array_equal(got, expected)
            assert got.dtype == expected.dtype


def test_rows_are_reduced_one_by_one() -> None:
    x = tv.matrix("x")
    f = tv.function([x], [(x * 2).sum(axis=1), (x + 1).sum(axis=1, keepdims=True)], mode=C)
    for shape in ((3, 5), (3, 5), (5, 3), (1, 16), (4, 128), (4, 128), (2, 3)):
        value = numbers(shape[0] * shape[1]).reshape(shape)
        rows, columns = f(value)
        np.testing.assert_array_equal(rows, (value * 2).sum(axis=1))
        np.testing.assert_array_equal(columns, (value + 1).sum(axis=1, keepdims=True))


def at_the_end_of_memory(values: np.ndarray) -> np.ndarray:
    """The values, in front of a page that nobody may read."""
    n_bytes = (values.nbytes // mmap.PAGESIZE + 1) * mmap.PAGESIZE
    memory = np.frombuffer(mmap.mmap(-1, n_bytes + mmap.PAGESIZE), dtype=np.uint8, count=n_bytes)
    behind = ctypes.c_void_p(memory.ctypes.data + n_bytes)
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    assert mprotect(behind, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    result = memory[n_bytes - values.nbytes :].view(values.dtype)
    result[:] = values
    return result


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nothing_behind_an_argument_is_read(dtype: str) -> None:
    x, y = tv.vector("x", dtype=dtype), tv.vector("y", dtype=dtype)
    f = tv.function([x, y], [(x * y + x).sum(), tv.exp(x) * y + 1.0, x[1:] * 2.0 + y[:-1]], mode=C)
    kernels = tv.function([x, y], [(x * y + x).sum(), tv.exp(x) * y + 1.0], mode=KERNELS)
    for n in LENGTHS:
        given = numbers(n, 0.5).astype(dtype) / n
        for _ in range(2):
            got = f(at_the_end_of_memory(given), at_the_end_of_memory(given))
            expected = kernels(given, given)
            assert got[0] == expected[0]
            np.testing.assert_array_equal(got[1], expected[1])
            np.testing.assert_array_equal(got[2], given[1:] * 2 + given[:-1])


def test_what_a_caller_gave_is_never_written() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) + 1, mode=C)
    for n in (3, 3, 16, 16, 17, 17):
        value = numbers(n)
        f(value)
        np.testing.assert_array_equal(value, numbers(n))


def test_results_of_earlier_calls_stay_what_they_were() -> None:
    x = tv.vector("x")
    f = tv.function([x], x * 2, mode=C)
    results = [f(numbers(20, start)) for start in range(5)]
    for start, result in enumerate(results):
        np.testing.assert_array_equal(result, numbers(20, start) * 2)


def chain_of_loops(x: tv.Variable, n: int) -> list[tv.Variable]:
    """Loops each of which reads a part of what the one before computed."""
    values = [x]
    for _ in range(n):
        values.append(values[-1][::-1] * 0.5 + 1.0)
    return values


def test_small_arrays_between_loops_may_be_more_than_the_memory_of_a_call_holds() -> None:
    x = tv.vector("x")
    f = tv.function([x], chain_of_loops(x, 100)[-1], mode=C)
    kernels = tv.function([x], chain_of_loops(x, 100)[-1], mode=KERNELS)
    for n in (5, 512, 512, 512, 5, 5, 513, 512):
        np.testing.assert_array_equal(f(numbers(n)), kernels(numbers(n)))


def test_threads_that_share_a_function_have_lengths_of_their_own() -> None:
    x = tv.vector("x")
    f = tv.function([x], [(x * x).sum(), x[1:] * 2], mode=C)
    wrong: list[Any] = []

    def work(n: int) -> None:
        for _ in range(300):
            total, line = f(numbers(n))
            if total != (numbers(n) ** 2).sum() or not np.array_equal(line, numbers(n)[1:] * 2):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in (2, 3, 40, 600)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
