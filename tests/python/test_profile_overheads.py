"""What a profile says of the time beside nodes: compiling, the cache, the lock."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.profile import Overheads

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles with gcc")


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path) -> Iterator[None]:
    with tv.config.change(cache_dir=str(tmp_path)):
        yield


def overheads(f: tv.Function) -> Overheads:
    return f.profile.functions[0].overheads


def graph(length: int, factor: float = 2.0) -> tuple[list[tv.Variable], tv.Variable]:
    """A chain whose C is another one for each length, and the same for all factors."""
    x = tv.scalar("x")
    value = x
    for _ in range(length):
        value = tv.cos(tv.sin(value) * factor)
    return [x], value


def test_compiling_that_is_waited_for_is_a_row() -> None:
    f = tv.function(*graph(11), mode=tv.Mode("cvm", compile="now"), profile=True)
    f(1.0)
    assert overheads(f).compile > 0
    assert (overheads(f).compile_background, overheads(f).cache_hits) == (0, 0)


def test_a_module_that_was_made_before_is_a_hit() -> None:
    mode = tv.Mode("cvm", compile="now")
    first = tv.function(*graph(12), mode=mode, profile=True)
    second = tv.function(*graph(12, 5.0), mode=mode, profile=True)
    first(1.0)
    second(1.0)
    assert [overheads(f).cache_hits for f in (first, second)] == [0, 1]


def test_compiling_in_the_background_is_a_row_of_its_own() -> None:
    f = tv.function(*graph(13), mode=tv.Mode("cvm", compile="background"), profile=True)
    while not f.profile._sources[0][1].compiled:
        f(1.0)
    found = overheads(f)
    assert found.compile == 0
    assert found.compile_background > 0
    assert found.changeover > 0
    assert f.profile.functions[0].groups  # what runs now


def test_the_c_of_ops_is_compiled_and_not_linked() -> None:
    class Twice(tv.Op):
        """Doubles in C."""

        def make_node(self, x: Any) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            (x,), (z,) = inputs, outputs
            return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyNumber_Add((PyObject*){x}, (PyObject*){x});
            if (!{z}) {{{sub["fail"]}}}
            """

    x = tv.vector("x")
    f = tv.function([x], Twice()(x), mode="cvm", profile=True)
    assert f([1.0])[0] == 2.0
    assert overheads(f).compile > overheads(f).link > 0


def test_waiting_for_the_lock_is_a_row_and_no_nodes() -> None:
    # The product lets the lock go, and has to wait for it behind the other thread.
    x = tv.matrix("x")
    f = tv.function([x], tv.matmul(x, x), mode="cvm", profile=True)
    stop = threading.Event()

    def hog() -> None:
        while not stop.is_set():
            sum(range(1000))

    thread = threading.Thread(target=hog)
    thread.start()
    try:
        for _ in range(5):
            f(np.ones((300, 300)))
    finally:
        stop.set()
        thread.join()
    record = f.profile.functions[0]
    assert record.overheads.lock > 0
    assert sum(call.time for call in record.calls) == pytest.approx(record.time, rel=0.03)
