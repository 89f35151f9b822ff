"""Random graphs, pickled: the function that is read back has the same program and runs."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from build import Built
from loop_graphs import Broken, Graphs, Whole, built
from oracle import shared_values
from spec import generate

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]
CALLS = [(3, 4), (1, 0), (7, 2)]


def outcome(f: Any, given: tuple[int, ...]) -> tuple[Any, list[int]]:
    """The values, or None where the call fails; and how often each node ran."""
    f.reset_counters()
    try:
        values = [int(value) for value in f(*given)]
    except Broken:
        values = []
    return values, [row.runs for row in f.node_runs()]


@pytest.mark.parametrize("mode", MODES)
def test_graphs_of_loops_are_read_back_as_they_were(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 8):
        inputs, outputs = built(Graphs(seed, fails=0.1), Whole([]))
        f = tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        g = pickle.loads(pickle.dumps(f))
        assert g.disassemble() == f.disassemble(), seed
        for given in CALLS:
            assert outcome(g, given) == outcome(f, given), (seed, given)


@pytest.mark.parametrize("mode", MODES)
def test_graphs_of_all_kinds_of_nodes_are_read_back_as_they_were(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 8):
        spec = generate(random.Random(seed))
        made = Built(spec, mode, shared_values(spec))
        f = made.function
        assert pickle.loads(pickle.dumps(f)).disassemble() == f.disassemble(), seed
