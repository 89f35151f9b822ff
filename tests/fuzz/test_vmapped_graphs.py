"""Random branching graphs under `vmap`: each example runs what it needs, once, and nothing else."""

from __future__ import annotations

import pprint
import random
from collections import Counter
from functools import partial

import numpy as np
import pytest
from naming import run_as
from test_gradient_graphs import Wrong, build
from waves import LENGTH, Call, Graph, generate

import thunkvm as tv

MODES = ("py", "vm", "cvm", "FAST_RUN")
EXAMPLES = 4


def check(graph: Graph, mode: str, seed: int) -> None:
    """Hold a call for a batch against the oracle's calls for its examples.

    Raises
    ------
    Wrong
        At the first difference.
    """
    ran: Counter = Counter()
    outputs = [len(graph.owners()) - 1, random.Random(seed).randrange(3, len(graph.owners()))]

    def of_one(*inputs: tv.Variable) -> list[tv.Variable]:
        values = build(graph, LENGTH, ran)
        return tv.clone_replace(
            [values[v] for v in outputs], dict(zip(values[:3], inputs, strict=True))
        )

    batches = [
        tv.tensor(f"x{n}", shape=(None, *([LENGTH] if rank else [])))
        for n, rank in enumerate(graph.ranks()[:3])
    ]
    f = tv.function(batches, tv.vmap(of_one)(*batches), mode=mode, on_unused_input="ignore")
    numbers = np.random.default_rng(seed)
    rows = [
        [numbers.random((LENGTH,) if b.ndim == 2 else ()) for b in batches] for _ in range(EXAMPLES)
    ]
    expected, values = Counter(), []
    for row in rows:
        call = Call(graph, row)
        values.append([call.force(v) for v in outputs])
        expected.update(call.ran)
    ran.clear()
    got = f(*(np.stack(column) for column in zip(*rows, strict=True)))
    if ran != expected:
        raise Wrong(f"ran too often: {ran - expected}; did not run: {expected - ran}")
    for one, column in zip(got, zip(*values, strict=True), strict=True):
        if not np.allclose(one, np.stack(column), rtol=1e-12, atol=1e-12):
            raise Wrong(f"{one}, expected {np.stack(column)}")


@pytest.mark.parametrize("mode", MODES)
def test_vmap_runs_for_each_example_what_it_needs_and_nothing_else(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + max(5, fuzz_graphs // 12)):
        graph = generate(random.Random(seed), pairs=False)
        try:
            run_as(f"seed {seed}, vmap, mode {mode}", partial(check, graph, mode, seed))
        except Wrong as wrong:
            pytest.fail(
                f"seed {seed}, mode {mode}: {wrong}\n"
                "from waves import *\nfrom test_vmapped_graphs import check\n"
                f"graph = {pprint.pformat(graph, width=120)}\ncheck(graph, {mode!r}, {seed})\n",
                pytrace=False,
            )
