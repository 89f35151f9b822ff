"""Random graphs, saved in files and loaded: the same schedules and values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import test_random_indices
from loop_graphs import Graphs, Whole, built
from test_loop_graphs import InC

import thunkvm as tv

CALLS = [(3, 4), (1, 0), (7, 2)]


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


def test_indices_of_a_file_read_and_write_the_same(from_files: list[int], fuzz_seed: int) -> None:
    test_random_indices.test_random_indices_read_and_write_as_numpy("vm", fuzz_seed)
    assert from_files
