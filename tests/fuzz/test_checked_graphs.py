"""Random lazy graphs in the modes that check: nothing runs that the oracle does not demand."""

from __future__ import annotations

import pprint
import random
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest
from build import MODES, Built, Injected
from given import arguments, shared_values
from naming import run_as
from oracle import evaluate
from spec import Spec, generate
from updates import adopt_updates

import thunkvm as tv
from thunkvm import _core

#: Emitted C is compiled for each graph, so that there are fewer of them.
CHECKING = {
    "DebugMode over performs": tv.DebugMode(None, linker="vm"),
    "DebugMode over kernels": tv.DebugMode(None, linker="cvm"),
    "DebugMode": tv.DebugMode(None),
    "DebugMode with rewrites": tv.DebugMode(linker="cvm"),
    "NanGuardMode": tv.NanGuardMode(),
    "MonitorMode": tv.MonitorMode(lambda *_: None, lambda *_: None),
}
MODES.update(CHECKING)


def check(spec: Spec, mode: str) -> None:
    """Hold what ran, what failed and what came out against the oracle."""
    shared = shared_values(spec)
    built = Built(spec, mode, shared)
    for call, failing in zip(spec.calls, spec.failing, strict=True):
        given = arguments(spec, call)
        known = shared | given
        want = evaluate(spec, call, known, failing)
        got: list[Any] | None = None
        with suppress(Injected):
            got = built.call(list(given.values()), call, failing)
        assert (got is None) == want.failed
        ran = set(built.journal.ran + built.native_runs())
        adopt_updates(spec, built, shared, want)
        if got is None:
            assert ran <= set(want.may_run)
            continue
        assert ran <= set(want.may_run), f"ran unasked: {ran - set(want.may_run)}"
        if "rewrites" not in mode:  # which merge nodes of one name
            assert set(+Counter(want.ran)) <= ran
        assert [np.asarray(x).tolist() for x in got] == want.outputs
        assert _core._testing.registers_empty(built.function)


@pytest.mark.parametrize("mode", CHECKING)
def test_random_graphs_run_what_is_demanded_and_pass_every_check(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for t in range(fuzz_graphs // (10 if mode == "DebugMode" else 2) or 3):
        spec = generate(random.Random(fuzz_seed + t))
        try:
            run_as(f"seed {fuzz_seed + t}, mode {mode}", partial(check, spec, mode))
        except AssertionError as error:
            pytest.fail(
                f"seed {fuzz_seed + t}, mode {mode}: {error}\n"
                "from spec import *\nfrom test_checked_graphs import check\n"
                f"spec = {pprint.pformat(spec, width=120)}\ncheck(spec, {mode!r})\n",
                pytrace=False,
            )
