"""Random graphs of loops in loops, conditionals, lazy Ops and attempts, against a walk by need."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from loop_graphs import Broken, Graphs, Smooth, Whole, built
from loop_oracle import Oracle, Slopes

import thunkvm as tv

#: Modes whose nodes may be Ops that note; and modes of C.
MODES = ["py", "FAST_COMPILE", "vm_nogc", "cvm_nogc"]
EMITTING = ["FAST_RUN", "c|py", "c&py"]
CALLS = [(3, 4), (1, 0), (7, 2)]
#: How the inputs change.
ALONG = [0.5, -2.0]


def expected(oracle: Oracle, given: tuple[int, int]) -> tuple[Any, Counter[Any]]:
    """The values, or None of a graph that fails; and what ran."""
    try:
        return oracle.run(list(given))
    except Broken:
        return None, oracle.ran


def found(f: Any, ran: list[Any], given: tuple[int, int]) -> tuple[Any, Counter[Any]]:
    ran.clear()
    try:
        values = [int(value) for value in f(*given)]
    except Broken:
        return None, Counter(ran)
    return values, Counter(ran)


@pytest.mark.parametrize("mode", MODES)
def test_loops_compute_what_is_demanded_once_in_each_step(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 2):
        graph, ran = Graphs(seed), []  # type: ignore[var-annotated]
        inputs, outputs = built(graph, Whole(ran))
        f = tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        oracle = Oracle(graph)
        for given in CALLS:
            assert found(f, ran, given) == expected(oracle, given), (seed, given)


@pytest.mark.parametrize("mode", MODES)
def test_what_fails_in_a_step_is_replaced_or_ends_the_call(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 4):
        graph, ran = Graphs(seed, fails=0.15), []  # type: ignore[var-annotated]
        inputs, outputs = built(graph, Whole(ran))
        f = tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        oracle = Oracle(graph)
        for given in CALLS:  # in which order what is demanded runs before it fails is open
            assert found(f, ran, given)[0] == expected(oracle, given)[0], (seed, given)


@pytest.mark.parametrize("mode", EMITTING)
def test_loops_as_c_compute_the_same_values(mode: str, fuzz_graphs: int, fuzz_seed: int) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 25):
        graph = Graphs(seed)
        inputs, outputs = built(graph, Whole(None))
        f = tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        oracle = InC(graph)
        for given in CALLS:
            assert [int(v) for v in f(*given)] == oracle.run(list(given))[0], (seed, given)


class InC(Oracle):
    """What the lazy Op picks where it is an `ifelse`."""

    def picks(self, selector: Any) -> tuple[int, ...]:
        return (1,) if selector % 3 == 0 else (2,)


@pytest.mark.parametrize("mode", ["py", "FAST_COMPILE", "vm_nogc", "FAST_RUN"])
def test_gradients_through_loops_are_the_derivatives_of_what_ran(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    n_graphs = fuzz_graphs // (25 if mode == "FAST_RUN" else 6)
    for seed in range(fuzz_seed, fuzz_seed + n_graphs):
        graph = Graphs(seed)
        inputs, outputs = built(graph, Smooth())
        total = sum(outputs)
        slopes = tv.grad(total, inputs, disconnected_inputs="ignore")
        tangent = tv.jvp(total, inputs, ALONG, disconnected_outputs="ignore")
        results = [*outputs, *slopes, tangent]
        f = tv.function(inputs, results, mode=mode, on_unused_input="ignore")
        for given in [(0.3, -0.7), (0.9, 0.2)]:
            values, derivatives = Slopes(graph).slopes(list(given))
            got = f(*given)
            np.testing.assert_allclose(got[:-3], values, rtol=1e-12, err_msg=str((seed, given)))
            expected = [*derivatives, np.dot(derivatives, ALONG)]
            np.testing.assert_allclose(
                got[-3:], expected, rtol=1e-9, atol=1e-11, err_msg=str((seed, given))
            )
