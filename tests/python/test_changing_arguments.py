"""Arguments that somebody writes to while a call reads them: what was checked is what is used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN", tv.Mode("cvm", "fast_run", compile="now")]
# Long enough for the interpreter's lock to be let go while it is walked over.
N_POSITIONS = 400_000
N_CALLS = 40


def call_while_writing(f: Callable[[], Any], write: Callable[[int], None]) -> list[Any]:
    """Call again and again while another thread writes; return the results that were no errors."""
    started, stop = threading.Event(), threading.Event()

    def keep_writing() -> None:
        turn = 0
        while not stop.is_set():
            write(turn)
            turn += 1
            started.set()

    writer = threading.Thread(target=keep_writing, daemon=True)
    writer.start()
    started.wait()
    results = []
    try:
        for _ in range(N_CALLS):
            try:
                results.append(f())
            except IndexError:  # out of bounds, at the time
                continue
    finally:
        stop.set()
        writer.join()
    return results


def flipping(positions: np.ndarray, beyond: int) -> Callable[[int], None]:
    """Write a position that is there and one that is not, in turns."""

    def write(turn: int) -> None:
        positions[-1] = 0 if turn % 2 else beyond

    return write


@pytest.mark.parametrize(
    "build", [lambda x, i: x[i], lambda x, i: x[None][:, i]], ids=["x[i]", "x[:, i]"]
)
def test_nothing_beside_an_array_is_read_at_positions_that_change(build: Any) -> None:
    around = np.full(4000, -1.0)  # what lies beside x in memory
    inside = around[1000:1004]
    inside[:] = 1.0
    x, i = tv.vector("x"), tv.lvector("i")
    f = tv.function([x, i], build(x, i), mode="cvm")
    positions = np.zeros(N_POSITIONS, "int64")
    results = call_while_writing(lambda: f(inside, positions).min(), flipping(positions, 2000))
    assert set(results) <= {1.0}


@pytest.mark.parametrize(
    "build",
    [
        lambda x, i: tv.grad(x[i].sum(), x),
        lambda x, i: tv.grad(x[None][:, i].sum(), x),
        lambda x, i: x[i].inc(1.0),
        lambda x, i: x[i].set(1.0) + 0,
    ],
    ids=["gradient of x[i]", "gradient of x[:, i]", "inc", "set"],
)
def test_nothing_beside_an_array_is_written_at_positions_that_change(build: Any) -> None:
    x, i = tv.vector("x"), tv.lvector("i")
    f = tv.function([x, i], build(x, i), mode="cvm")
    positions = np.zeros(N_POSITIONS, "int64")
    results = call_while_writing(lambda: f(np.zeros(4), positions), flipping(positions, 2**40))
    assert all(result[1:].tolist() == [0.0, 0.0, 0.0] for result in results)


@pytest.mark.parametrize("write", [lambda p: p.set(1.0), lambda p: p], ids=["set", "get"])
def test_a_mask_is_counted_and_used_once(write: Any) -> None:
    x, mask = tv.vector("x"), tv.tensor("mask", "bool", (None,))
    f = tv.function([x, mask], write(x[mask]), mode="cvm")
    given, truths = np.zeros(N_POSITIONS), np.zeros(N_POSITIONS, bool)

    def flip(turn: int) -> None:
        truths[:] = turn % 2 == 0

    for result in call_while_writing(lambda: f(given, truths), flip):
        assert result.shape[0] <= N_POSITIONS
        assert set(np.unique(result)) <= {0.0, 1.0}


class Overwrite(tv.Op):
    """Gives its input, and writes to an array that somebody passed as an argument."""

    __props__ = ()
    target: np.ndarray

    def make_node(self, *inputs: Any) -> Any:
        return tv.Apply(self, list(inputs), [inputs[0].type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        self.target[...] = 1 - self.target
        output_storage[0][0] = inputs[0]


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_all_branches_on_one_array_decide_alike(start: float, mode: Any) -> None:
    c, x = tv.vector("c"), tv.vector("x")
    grown, shrunk = x * 10, x / 10
    overwrite = Overwrite()
    first = overwrite(tv.ifelse(c, grown + 1, shrunk - 1), c)
    f = tv.function([c, x], tv.ifelse(c, grown + first, shrunk + first), mode=mode)
    overwrite.target = np.array([start])
    assert f(overwrite.target, [10.0]).tolist() == ([201.0] if start else [1.0])
    assert overwrite.target[0] == 1 - start


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_all_switches_on_one_array_decide_alike(mode: Any) -> None:
    i, x = tv.lvector("i"), tv.vector("x")
    values = [x * 10, x / 10]
    overwrite = Overwrite()
    first = overwrite(tv.switch_case(i, values), i)
    f = tv.function([i, x], tv.switch_case(i, [v + first for v in values]), mode=mode)
    overwrite.target = np.array([1])
    assert f(overwrite.target, [10.0]).tolist() == [2.0]
    with pytest.raises(ValueError, match=r"a selector has to be one number, but .* shape \(2,\)"):
        f(np.array([0, 1]), [10.0])
