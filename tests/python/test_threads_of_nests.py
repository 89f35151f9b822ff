"""Fused loops on several threads."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("size", [1, 511, 512, 513, 5000])
def test_the_number_of_threads_changes_no_bit(threads: int, size: int) -> None:
    a, b = tv.vector("a"), tv.vector("b")
    f = tv.function([a, b], tv.exp(a) * b + tv.log(b), mode="c")
    x, y = np.linspace(-2.0, 2.0, 2 * size)[::2], np.linspace(0.1, 3.0, size)
    alone = f(x, y)
    with tv.config.change(threads=threads, threads_from=0):
        shared = f(x, y)
    assert shared.tobytes() == alone.tobytes()


REDUCTIONS = {
    "all": lambda y: [y.sum(), y.mean(), y.max(), y.min(), tv.any(y > 0.5)],
    "strictly in order": lambda y: [y.prod(), y.sum()],
    "rows": lambda y: [y.sum(axis=1), y.max(axis=1, keepdims=True)],
    "columns": lambda y: [y.sum(axis=0), y.mean(axis=0, keepdims=True)],
    "beside an output": lambda y: [y.sum(), y * 2],
}


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("shape", [(1, 3), (700, 3), (3, 700), (129, 128), (300, 301), (2, 40_000)])
def test_the_number_of_threads_changes_no_bit_of_a_reduction(
    kind: str, shape: tuple[int, int]
) -> None:
    x = tv.matrix("x")
    f = tv.function([x], REDUCTIONS[kind](tv.exp(x) * 0.5 + 0.1), mode="c")
    kernels = tv.function(
        [x],
        REDUCTIONS[kind](tv.exp(x) * 0.5 + 0.1),
        mode=tv.Mode("cvm", compile="never"),
    )
    value = np.random.default_rng(3).uniform(-1, 1, shape)
    expected = [np.asarray(result).tobytes() for result in kernels(value)]
    for threads in (1, 2, 3):
        with tv.config.change(threads=threads, threads_from=0):
            assert [np.asarray(result).tobytes() for result in f(value)] == expected


KERNELS = {
    "side by side": lambda x: tv.exp(x),
    "a row for all": lambda x: x * x[0] + 1.0,
    "across memory": lambda x: x.T - 0.5,
    "var": lambda x: x.var(),
    "std of rows": lambda x: x.std(axis=1),
    "var of columns": lambda x: x.var(axis=0, keepdims=True, ddof=1),
}


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("shape", [(1, 3), (700, 3), (3, 700), (1000, 1001), (2, 400_000)])
def test_the_number_of_threads_changes_no_bit_of_a_kernel(
    kind: str, shape: tuple[int, int]
) -> None:
    x = tv.matrix("x")
    f = tv.function([x], KERNELS[kind](x), mode=tv.Mode("cvm", compile="never"))
    value = np.random.default_rng(4).uniform(-1, 1, shape)
    expected = f(value).tobytes()
    for threads in (2, 3):
        with tv.config.change(threads=threads, threads_from=0):
            assert f(value).tobytes() == expected


def test_a_kernel_that_fails_on_a_thread_says_so_in_its_words() -> None:
    x, n = tv.tensor(dtype="int64", shape=(None,), name="x"), tv.vector("n", dtype="int64")
    f = tv.function([x, n], x**n, mode=tv.Mode("cvm", compile="never"))
    powers = np.full(400_000, 2)
    powers[399_999] = -1
    with (
        tv.config.change(threads=2, threads_from=0),
        pytest.raises(ValueError, match="Integers to negative integer powers are not allowed"),
    ):
        f(np.full(400_000, 3), powers)
    powers[399_999] = 0
    assert f(np.full(400_000, 3), powers)[-2:].tolist() == [9, 1]


def test_the_number_of_threads_changes_no_bit_of_what_is_placed() -> None:
    x = tv.matrix("x")
    shifted = tv.zeros_like(x)[1:, ::2].set(x[:-1, ::2]) + x
    inner = tv.full(tv.ops.shape(x), 3.0)[1:-1, 2:].set(x[1:-1, 2:] * 2.0) * x
    outputs = [shifted, inner.sum(), shifted.sum(axis=0), inner.max(axis=1)]
    f = tv.function([x], outputs, mode="c")
    assert "fused" in {row.form for row in f.explain().nodes if row.op == "set_subtensor"}
    kernels = tv.function([x], outputs, mode=tv.Mode("cvm", compile="never"))
    for shape in ((3, 5), (700, 3), (40, 600), (2, 20_000), (1, 9)):
        value = np.random.default_rng(3).uniform(-1, 1, shape)
        expected = [result.tobytes() for result in kernels(value)]
        for threads in (1, 2, 3):
            with tv.config.change(threads=threads, threads_from=0):
                assert [result.tobytes() for result in f(value)] == expected


def test_a_process_that_is_forked_computes_alone() -> None:
    a = tv.vector("a")
    f = tv.function([a], tv.exp(a) * 2.0, mode="c")
    x = np.linspace(-2.0, 2.0, 5000)
    with tv.config.change(threads=2, threads_from=0):
        expected = f(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if f(x).tobytes() == expected.tobytes() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_number_of_threads_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="threads has to be a number of threads from 1"):
        tv.config.threads = 0
    assert tv.config.threads == 1


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["array", "sum", "rows"])
def test_a_long_loop_asks_between_its_blocks_whether_the_call_goes_on(
    threads: int, kind: str
) -> None:
    x = tv.matrix("x")
    y = tv.exp(x) * x + 1.0
    out = {"array": y, "sum": y.sum(), "rows": y.sum(axis=1)}[kind]
    f = tv.function([x], out, mode="c")
    value = np.ones((2, 1 << 19))
    with tv.config.change(threads=threads, threads_from=0):
        f(value)
        before = _core._testing.times_gil_left()
        f(value)
        assert _core._testing.times_gil_left() - before > 1


class StopError(Exception):
    """What the handler of the next test raises."""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_ends_a_long_loop_and_the_function_stays_usable(threads: int) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) * 2.0, mode="c")
    value = np.zeros(1 << 22)

    def stop(number: int, frame: object) -> None:
        raise StopError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        with (
            tv.config.change(threads=threads, threads_from=0),
            pytest.raises(StopError),
        ):
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            while True:
                f(value)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert _core._testing.registers_empty(f)
    np.testing.assert_array_equal(f([0.0]), [2.0])
