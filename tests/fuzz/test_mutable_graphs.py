"""Random lazy graphs of mutable inputs: the same values, and nobody else's memory is written to."""

from __future__ import annotations

import random
from functools import partial

import pytest
from naming import run_as
from spec import generate
from test_random_graphs import Wrong, check, program, shrink

KERNELS = ("py", "vm", "cvm", "FAST_RUN", "py_nogc", "cvm_nogc")
#: Every graph is compiled first here, so that there are fewer of them.
EMITTED = ("cvm emitted", "c|py")
#: Among so many graphs there are some that write to an argument.
MANY = 300


@pytest.mark.parametrize("mode", KERNELS + EMITTED)
def test_random_graphs_write_to_mutable_arguments_alone(
    mode: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    written = 0
    for t in range(fuzz_graphs if mode in KERNELS else max(10, fuzz_graphs // 10)):
        spec = generate(random.Random(fuzz_seed + t), vectors=4)
        try:
            written += run_as(f"seed {fuzz_seed + t}, mode {mode}", partial(check, spec, mode))
        except Wrong as error:
            small = shrink(spec, mode)
            pytest.fail(
                f"seed {fuzz_seed + t}, mode {mode}: {error}\n{program(small, mode)}", pytrace=False
            )
    if mode == "py" or mode.endswith("nogc"):
        assert written == 0
    elif fuzz_graphs >= MANY:
        assert written > 0
