"""`tv.map_calls`: a function over many inputs, on threads and by executors."""

from __future__ import annotations

import math
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import thunkvm as tv

x = tv.scalar("x")


def test_map_calls_gives_the_results_in_order() -> None:
    f = tv.function([x], tv.ifelse(x > 5.0, tv.sqrt(x), x))
    assert tv.map_calls(f, [float(k) for k in range(50)]) == [f(float(k)) for k in range(50)]
    assert tv.map_calls(f, []) == []


def test_map_calls_runs_on_as_many_threads_as_are_asked_for() -> None:
    together = threading.Barrier(3, timeout=30)  # two of them alone would wait for ever
    assert tv.map_calls(lambda k: (together.wait(), k)[1], range(3), workers=3) == [0, 1, 2]


def test_map_calls_takes_tuples_dicts_and_single_arguments() -> None:
    given = [(7, 2), (9, 4)]
    assert tv.map_calls(divmod, given) == [(3, 1), (2, 1)]
    assert tv.map_calls(dict, [{"a": 1}]) == [{"a": 1}]
    assert tv.map_calls(abs, [-1, -2]) == [1, 2]


@pytest.mark.parametrize("workers", [1, 2])
def test_map_calls_raises_the_exception_of_the_first_that_failed(workers: int) -> None:
    calls = []

    def f(k: int) -> float:
        calls.append(k)
        return 1 / (k - 3)

    with pytest.raises(ZeroDivisionError):
        tv.map_calls(f, range(100), workers=workers)
    assert len(calls) < 100


def test_map_calls_takes_an_executor() -> None:
    f = tv.function([x], x * 2.0)
    with ThreadPoolExecutor(2) as threads:
        assert tv.map_calls(f, [float(k) for k in range(200)], executor=threads) == [
            2.0 * k for k in range(200)
        ]
        assert tv.map_calls(f, [], executor=threads) == []
        with pytest.raises(TypeError):
            tv.map_calls(f, [1.0, object()], executor=threads)


def test_map_calls_takes_an_executor_of_processes() -> None:
    with ProcessPoolExecutor(1) as processes:
        assert tv.map_calls(math.sqrt, [4.0, 9.0], executor=processes) == [2.0, 3.0]


def test_an_interrupt_ends_map_calls_before_calls_that_have_not_begun() -> None:
    ran = []

    def interrupt_once(n: int) -> None:
        ran.append(n)
        if n == 100_000:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        tv.map_calls(interrupt_once, range(200_000), workers=2)
    assert len(ran) < 200_000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((3, []), "f is 3, a int; it has to be a function"),
        ((abs, 3), "inputs is 3, a int; it has to be a list"),
        ((abs, [1], 3), "executor is 3, a int; .*it has no submit"),
        ((abs, [1], None, 1.5), "workers is 1.5; it has to be a number of threads"),
    ],
)
def test_map_calls_says_what_is_wrong(given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=rf"\[map_calls\] {message}"):
        tv.map_calls(*given)


def test_map_calls_refuses_no_workers() -> None:
    with pytest.raises(ValueError, match="0 workers"):
        tv.map_calls(abs, [1], workers=0)


def test_threads_call_what_each_of_them_made() -> None:
    from thunkvm._src.calls.many import on_threads

    made: list[Any] = []

    def make() -> Any:
        made.append(object())
        return lambda item: item + 1

    assert on_threads(make, range(10), workers=2) == list(range(1, 11))
    assert 1 <= len(made) <= 2

    def broken() -> Any:
        raise KeyError("no function")

    with pytest.raises(KeyError):
        on_threads(broken, range(10), workers=2)
