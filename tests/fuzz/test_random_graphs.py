"""Random lazy graphs in every mode: what is demanded runs, once, and gives the oracle's values."""

from __future__ import annotations

import gc
import pprint
import random
from collections import Counter
from functools import partial

import numpy as np
import pytest
from build import Built, Injected
from given import arguments, shared_values
from naming import run_as
from oracle import Result, evaluate
from placement import Placement
from spec import Spec, generate, smaller
from updates import adopt_updates

import thunkvm as tv
from thunkvm import _core

REWRITING = ("FAST_RUN", "FAST_COMPILE")
KERNELS = ("py", "vm", "cvm", "py_nogc", "vm_nogc", "cvm_nogc", *REWRITING)
#: Every graph is compiled first here, so that there are fewer of them.
EMITTED = ("cvm emitted", "cvm_nogc emitted", "c|py", "c&py")


class Wrong(AssertionError):
    """The graph did something that the oracle does not."""


def rewritten_differences(ran: Counter, want: Result) -> dict[object, tuple[int, int]]:
    """Where a call of a rewritten graph ran too much or too little: (how often, how often wanted).

    Equal nodes of built-in Ops are one there: it runs if one of them is wanted.
    """

    def is_wrong(what: tuple[object, ...]) -> bool:
        least = want.ran[what] if what[0] != "native" else min(want.ran[what], 1)
        return not least <= ran[what] <= want.may_run[what]

    return {what: (ran[what], want.ran[what]) for what in ran | want.ran if is_wrong(what)}


def check(spec: Spec, mode: str) -> int:
    """Run all calls of a spec in one mode against the oracle.

    Returns
    -------
    int
        How many mutable arguments they wrote to.

    Raises
    ------
    Wrong
        At the first difference.
    """
    shared = shared_values(spec)
    try:
        built = Built(spec, mode, shared, repeated=mode in REWRITING)
    except RuntimeError as error:  # the verifier refuses the program
        raise Wrong(f"linking failed: {error}") from error
    written = 0
    for call, failing in zip(spec.calls, spec.failing, strict=True):
        placement = Placement(spec, arguments(spec, call), call)
        known = shared | placement.values
        want = evaluate(spec, call, known, failing)
        try:
            got = built.call(placement.arguments, call, failing)
            failed = False
        except Injected:
            got, failed = [], True
        except Exception as error:
            raise Wrong(f"the call raised {type(error).__name__}: {error}") from error
        ran = built.journal.ran + built.native_runs()
        if failed != want.failed:
            raise Wrong(f"the call failed: {failed}, expected: {want.failed}")
        if failed:
            if extra := ran - want.may_run:
                raise Wrong(f"ran in a failing call, though no outcome demands it: {dict(extra)}")
        elif mode in REWRITING:
            if differences := rewritten_differences(ran, want):
                raise Wrong(f"ran differently: {differences}")
        elif ran - want.may_run or want.ran - ran:
            raise Wrong(
                f"ran too often: {dict(ran - want.may_run)}, too seldom: {dict(want.ran - ran)}"
            )
        if [np.asarray(x).tolist() for x in got] != want.outputs:
            raise Wrong(f"outputs {got}, expected {want.outputs}")
        try:
            adopt_updates(spec, built, shared, want)
            written += placement.written(got, keeps="nogc" in mode or mode in ("py", "c&py"))
        except AssertionError as error:
            raise Wrong(str(error)) from error
        if not _core._testing.registers_empty(built.function):
            raise Wrong("a register holds a value after the call")
    return written


def shrink(spec: Spec, mode: str) -> Spec:
    """The smallest spec that is found by taking things away and still fails."""
    shrunk = True
    while shrunk:
        shrunk = False
        for candidate in smaller(spec):
            try:
                check(candidate, mode)
            except Wrong:
                spec, shrunk = candidate, True
                break
    return spec


def program(spec: Spec, mode: str) -> str:
    """A program to paste that reproduces a failure (run it in tests/fuzz)."""
    return (
        "from spec import *\nfrom test_random_graphs import check\n"
        f"spec = {pprint.pformat(spec, width=120)}\ncheck(spec, {mode!r})\n"
    )


@pytest.mark.parametrize("mode", KERNELS + EMITTED)
def test_random_graphs_run_exactly_what_is_demanded(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    gc.collect()
    for t in range(fuzz_graphs if mode in KERNELS else max(5, fuzz_graphs // 10)):
        spec = generate(random.Random(fuzz_seed + t))
        try:
            run_as(f"seed {fuzz_seed + t}, mode {mode}", partial(check, spec, mode))
        except Wrong:
            small = shrink(spec, mode)
            try:
                check(small, mode)
            except Wrong as last:
                wrong = last
            pytest.fail(
                f"seed {fuzz_seed + t}, mode {mode}: {wrong}\n{program(small, mode)}", pytrace=False
            )


@pytest.mark.parametrize("mode", KERNELS + EMITTED)
def test_random_graphs_leak_no_buffer(mode: str, fuzz_seed: int) -> None:
    def run() -> None:
        for t in range(20):
            check(generate(random.Random(fuzz_seed + t)), mode)

    run()
    gc.collect()
    before = tv.memory()["live_buffers"]
    run()
    gc.collect()
    assert tv.memory()["live_buffers"] == before
