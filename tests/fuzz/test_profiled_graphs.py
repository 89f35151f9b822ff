"""Random lazy graphs while they are profiled: the same runs, fails and comes out."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from build import Built, Injected
from given import arguments, shared_values
from oracle import evaluate
from spec import Spec, generate
from updates import adopt_updates

from thunkvm import _core

#: How many of the graphs each mode gets: emitted C is compiled for each.
SHARES = {"py": 1, "vm": 1, "cvm": 1, "cvm_nogc": 1, "cvm emitted": 10}


def check(spec: Spec, mode: str, kind: str) -> None:
    """Hold what ran and what came out in a profiled block against the oracle."""
    shared = shared_values(spec)
    built = Built(spec, mode, shared)
    entered: Counter[str] = Counter()
    with built.function.profile(kind) as p:
        for call, failing in zip(spec.calls, spec.failing, strict=True):
            given = arguments(spec, call)
            known = shared | given
            want = evaluate(spec, call, known, failing)
            got: list[Any] | None = None
            with suppress(Injected):
                got = built.call(list(given.values()), call, failing)
            entered.update({row.node: row.runs for row in built.function.node_runs()})
            assert (got is None) == want.failed
            ran = set(built.journal.ran + built.native_runs())
            adopt_updates(spec, built, shared, want)
            if got is None:
                assert ran <= set(want.may_run)
                continue
            assert set(+Counter(want.ran)) <= ran <= set(want.may_run)
            assert [np.asarray(x).tolist() for x in got] == want.outputs
            assert _core._testing.registers_empty(built.function)
    (record,) = p.functions
    assert {node.name: node.entered for node in record.nodes} == dict(entered)
    assert record.n_calls == len(record.calls) == len(spec.calls)
    for condition in record.conditions:
        assert condition.evaluations == sum(arm.taken for arm in condition.arms)


@pytest.mark.parametrize("mode", SHARES)
def test_profiled_graphs_run_what_is_demanded(mode: str, fuzz_graphs: int, fuzz_seed: int) -> None:
    for t in range(fuzz_graphs // (2 * SHARES[mode]) or 3):
        kind = ("count", "time", "trace", "memory")[t % 4]
        check(generate(random.Random(fuzz_seed + t)), mode, kind)
