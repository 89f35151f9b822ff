"""Random graphs, pickled: the function that is read back has the same program and runs."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from build import Built
from given import arguments, shared_values
from kept import check_is_kept
from loop_graphs import Graphs, Smooth, Whole, built
from spec import generate

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]
CALLS = [(3, 4), (1, 0), (7, 2)]


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("mode", MODES)
def test_graphs_of_loops_are_read_back_as_they_were(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 8):
        inputs, outputs = built(Graphs(seed, fails=0.1), Whole([]))
        f = tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        check_is_kept(f, again(f), CALLS, seed)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_are_read_back_as_they_were(mode: str, fuzz_graphs: int, fuzz_seed: int) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 12):
        inputs, outputs = built(Graphs(seed), Smooth())
        slopes = tv.grad(sum(outputs), inputs, disconnected_inputs="ignore")
        f = tv.function(inputs, [*outputs, *slopes], mode=mode, on_unused_input="ignore")
        check_is_kept(f, again(f), [(0.3, -0.7), (0.9, 0.2)], seed)


def test_gradients_are_the_same_of_variables_and_of_their_pickle(
    fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 12):
        graph = built(Graphs(seed), Smooth())
        f, g = (
            tv.function(of, tv.grad(sum(y), of, "ignore"), mode="vm", on_unused_input="ignore")
            for of, y in (graph, again(graph))
        )
        check_is_kept(f, g, [(0.3, -0.7), (0.9, 0.2)], seed)


@pytest.mark.parametrize("mode", MODES)
def test_graphs_of_all_kinds_of_nodes_are_read_back_as_they_were(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 8):
        spec = generate(random.Random(seed))
        f = Built(spec, mode, shared_values(spec)).function
        calls = [list(arguments(spec, call).values()) for call in spec.calls]
        check_is_kept(f, again(f), calls, seed)
