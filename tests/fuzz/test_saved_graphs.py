"""Random graphs, saved in files and loaded: the same schedules and values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import test_random_indices
from loop_graphs import Broken, Graphs, Noted, Smooth, Whole, built, mixed
from test_loop_graphs import InC, expected, found

import thunkvm as tv

CALLS = [(3, 4), (1, 0), (7, 2)]
#: What nodes of `note` ran on.
RAN: list[Any] = []


@tv.register_op("fuzz.note")
def note(op: Any) -> None:
    """Notes what it runs on, and mixes it."""
    op.add_input("x", "numbers", duplicable=True)
    op.add_output("out", "a number")
    op.add_attribute("number", "which node it is", int)
    op.add_attribute("fails", "whether it fails for some numbers", bool)
    op.types(lambda x, number, fails: tv.lscalar())

    @op.perform
    def perform(x: Any, number: int, fails: bool) -> Any:
        inputs = tuple(map(int, x))
        RAN.append((number, *inputs))
        value = mixed(number, inputs)
        if fails and value % 3 == 0:
            raise Broken(number)
        return np.int64(value)


class Named(Whole):
    """Graphs of Ops that have names, so that files hold them."""

    def noted(self, node: Noted, inputs: list[tv.Variable]) -> tv.Variable:
        return note(inputs, number=node.number, fails=node.fails)


def schedule(function: Any) -> list[str]:
    return [repr(row) for row in function._schedule()]


@pytest.fixture
def from_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """Make every function of a graph that was saved and loaded; return the bytes of the files."""
    function: Callable[..., Any] = tv.function
    sizes: list[int] = []

    def of_loaded(inputs: Any, outputs: Any, **options: Any) -> Any:
        path = tmp_path / "graph.tv"
        tv.save(path, outputs, inputs)
        sizes.append(path.stat().st_size)
        loaded = tv.load(path)
        first = function(inputs, outputs, **options)
        second = function(loaded.inputs, loaded.outputs, **options)
        assert first.disassemble() == second.disassemble()
        assert schedule(first) == schedule(second)
        return second

    monkeypatch.setattr(tv, "function", of_loaded)
    return sizes


def test_loops_of_a_file_compute_what_they_did(
    from_files: list[int], fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 4):
        inputs, outputs = built(Graphs(seed), Whole(None))
        oracle = InC(Graphs(seed))
        f = tv.function(inputs, outputs, mode="vm", on_unused_input="ignore")
        for given in CALLS:
            assert [int(v) for v in f(*given)] == oracle.run(list(given))[0], seed
    assert len(from_files) == fuzz_graphs // 4


def test_gradients_of_a_file_are_what_they_were(
    tmp_path: Path, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 12):
        inputs, outputs = built(Graphs(seed), Smooth())
        slopes = tv.grad(sum(outputs), inputs, disconnected_inputs="ignore")
        tv.save(tmp_path / "graph.tv", [*outputs, *slopes], inputs)
        loaded = tv.load(tmp_path / "graph.tv")
        f = tv.function(inputs, [*outputs, *slopes], mode="vm", on_unused_input="ignore")
        g = tv.function(loaded.inputs, loaded.outputs, mode="vm", on_unused_input="ignore")
        for given in [(0.3, -0.7), (0.9, 0.2)]:
            np.testing.assert_array_equal(g(*given), f(*given), err_msg=str((seed, given)))


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
@pytest.mark.parametrize("fails", [0.0, 0.15])
def test_ops_of_users_run_in_a_graph_of_a_file_as_in_the_graph_that_was_saved(
    mode: str, fails: float, tmp_path: Path, fuzz_graphs: int, fuzz_seed: int
) -> None:
    path = tmp_path / "graph.tv"
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 8):
        inputs, outputs = built(Graphs(seed, fails), Named(None))
        tv.save(path, outputs, inputs)
        loaded = tv.load(path)
        f = tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        g = tv.function(loaded.inputs, loaded.outputs, mode=mode, on_unused_input="ignore")
        assert schedule(f) == schedule(g), seed
        for given in CALLS:
            ran = found(g, RAN, given)
            assert ran == found(f, RAN, given), (seed, given)
            if not fails:
                assert ran == expected(InC(Graphs(seed)), given), (seed, given)


def test_indices_of_a_file_read_and_write_the_same(from_files: list[int], fuzz_seed: int) -> None:
    test_random_indices.test_random_indices_read_and_write_as_numpy("vm", fuzz_seed)
    assert from_files
