"""Timing: the best of many repeats, which is what code costs when nothing is in its way.

And what the jobs over arrays are given, in every library.
"""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

REPEATS = 80
SECONDS = (
    0.002  # how long one repeat takes at least: shorter than what a busy computer gives at a time
)


ARRAY_LENGTHS = (1000, 1_000_000)
MEAN_ROW = "mean: ifelse(a < b, mean(exp(x)), mean(exp(y)))"


def two_arrays(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors of n numbers between 0.1 and 1.1."""
    random = np.random.default_rng(0)
    return random.random(n) + 0.1, random.random(n) + 0.1


def best(call: Callable[..., Any], *arguments: Any, repeats: int = REPEATS) -> float:
    """Seconds that ``call(*arguments)`` takes, at best; the cost of the loop is taken off."""
    number = 1
    while (spent := _loop(call, arguments, number)) < SECONDS:
        number = max(2 * number, min(100 * number, int(number * SECONDS / max(spent, 1e-9)) + 1))
    gc.disable()
    try:
        times = [_loop(call, arguments, number) for _ in range(repeats)]
        empty = [_empty_loop(number) for _ in range(repeats)]
    finally:
        gc.enable()
    return max(min(times) - min(empty), 0.0) / number


def once(call: Callable[[], Any], repeats: int = 3) -> float:
    """Seconds that ``call()`` takes, at best of few: for what is long."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
        del result
    return min(times)


def importing_above_numpy(module: str, repeats: int = 7) -> float:
    """Seconds of processor time that importing a module takes in a new process, above NumPy.

    Compiled files are written and read, as for anybody who imports it twice. BLAS has one thread:
    others spin while they wait for work, for as long as the processors have nothing else to do.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["OPENBLAS_NUM_THREADS"] = "1"

    def seconds(name: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", f"import {name}"], check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    pairs = [(seconds(module), seconds("numpy")) for _ in range(repeats)]
    return min(its for its, _ in pairs) - min(numpys for _, numpys in pairs)


def _loop(call: Callable[..., Any], arguments: tuple[Any, ...], number: int) -> float:
    loop = range(number)
    start = time.perf_counter()
    if len(arguments) == 1:
        (argument,) = arguments
        for _ in loop:
            call(argument)
    elif len(arguments) == 0:
        for _ in loop:
            call()
    else:
        for _ in loop:
            call(*arguments)
    return time.perf_counter() - start


def _empty_loop(number: int) -> float:
    loop = range(number)
    start = time.perf_counter()
    for _ in loop:
        pass
    return time.perf_counter() - start
