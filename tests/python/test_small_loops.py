"""Emitted loops of a few elements, which keep what they found out about their inputs."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

C = tv.Mode("c")
KERNELS = tv.Mode("cvm", compile="never")

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


def test_rows_are_folded_one_by_one() -> None:
    x = tv.matrix("x")
    f = tv.function([x], [(x * 2).sum(axis=1), (x + 1).sum(axis=1, keepdims=True)], mode=C)
    for shape in ((3, 5), (3, 5), (5, 3), (1, 16), (4, 128), (4, 128), (2, 3)):
        value = numbers(shape[0] * shape[1]).reshape(shape)
        rows, columns = f(value)
        np.testing.assert_array_equal(rows, (value * 2).sum(axis=1))
        np.testing.assert_array_equal(columns, (value + 1).sum(axis=1, keepdims=True))


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
