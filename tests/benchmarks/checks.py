"""What DebugMode costs, on average of the calls of some seconds from the first on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from timing import two_arrays

import thunkvm as tv

SECONDS = 4.0
#: What a nanosecond of the ordinary mode takes in DebugMode, so that 20 ns are 20 times.
ROW = "debug: {}, for each ns unchecked"
NAMES = (
    "exp(a)*b+log(b), n = 1,000",
    "exp(a)*b+log(b), n = 1,000,000",
    "x*2+1 of a float",
    "50 cos of a float",
    "50 conditionals",
    "a product of 200x200",
)


def graphs() -> Iterator[tuple[list[Any], Any, list[Any]]]:
    """Inputs, output and arguments, in the order of the names."""
    x, a, b, m = tv.scalar("x"), tv.vector("a"), tv.vector("b"), tv.matrix("m")
    for n in (1000, 1_000_000):
        yield [a, b], tv.exp(a) * b + tv.log(b), list(two_arrays(n))
    yield [x], x * 2 + 1, [0.5]
    cosines = picked = x
    for _ in range(50):
        cosines = tv.cos(cosines)
        picked = tv.ifelse(picked > 0.5, tv.cos(picked), tv.exp(picked) * 0.3)
    yield [x], cosines, [0.5]
    yield [x], picked, [0.5]
    yield [m], (m @ m).sum(), [np.ones((200, 200))]


def debug() -> Iterator[tuple[str, float]]:
    """How many times what a call takes in the ordinary mode it takes in DebugMode."""
    ordinary = tv.Mode("cvm", compile="never")
    for name, (inputs, output, arguments) in zip(NAMES, graphs(), strict=True):
        f = tv.function(inputs, output, mode=ordinary)
        f(*arguments)
        plain = average(f, arguments, SECONDS / 4)
        checked = average(tv.function(inputs, output, mode="DebugMode"), arguments, SECONDS)
        yield ROW.format(name), checked / plain * 1e-9


def average(function: Any, arguments: list[Any], seconds: float) -> float:
    """How long a call takes, on average of those that so many seconds have room for."""
    calls, begin = 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        for _ in range(10):
            function(*arguments)
        calls += 10
    return spent / calls
