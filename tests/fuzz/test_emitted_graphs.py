"""Random graphs of built-in Ops: emitted code gives the kernels' bits, and NumPy's values."""

from __future__ import annotations

import shutil

import pytest
from comparing import KERNELS, alike, bits, errors
from programs import Program

import thunkvm as tv
from thunkvm import _core


def test_emitted_code_gives_the_bits_of_the_kernels(fuzz_graphs: int, fuzz_seed: int) -> None:
    modes = [
        tv.Mode("cvm", compile="now"),
        tv.Mode("c"),
        tv.Mode("c", gc=False),
        tv.Mode("c").excluding("fusion"),
        tv.Mode("c|py"),
        tv.Mode("cvm", "fast_run", compile="now"),
    ]
    for seed in range(fuzz_seed, fuzz_seed + max(10, fuzz_graphs // 6)):
        program = Program(seed)
        program.generate()
        inputs = [program.names[name] for name in program.inputs]
        outputs = [program.names[name] for name in program.outputs]
        mode = modes[seed % len(modes)]
        kernels = tv.function(inputs, outputs, mode=KERNELS, on_unused_input="ignore")
        emitted = tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        performs = tv.function(inputs, outputs, mode="py", on_unused_input="ignore")
        for call in range(seed, seed + 3):
            arguments = program.arguments(call)
            given = [bits(argument) for argument in arguments]
            what = f"{mode}\n{program.text(call)}"
            expected = program.results(kernels, arguments)
            with tv.config.change(threads=1 + seed % 2, threads_from=0):
                got = program.results(emitted, arguments)
                # What a loop keeps of a call holds for other arrays that lie alike, as it held.
                again = program.results(emitted, program.arguments(call))
            assert alike(again, got), what
            numpy = program.results(performs, arguments)
            assert [bits(argument) for argument in arguments] == given, what
            program.compare(call, mode, expected, got, numpy)
        assert _core._testing.registers_empty(emitted) or not mode.gc, program.text(seed)


def test_emitted_code_runs_the_nodes_that_kernels_run(fuzz_graphs: int, fuzz_seed: int) -> None:
    for seed in range(fuzz_seed + 10_000, fuzz_seed + 10_000 + max(5, fuzz_graphs // 20)):
        program = Program(seed)
        program.generate()
        inputs = [program.names[name] for name in program.inputs]
        outputs = [program.names[name] for name in program.outputs]
        kernels = tv.function(inputs, outputs, mode=KERNELS, on_unused_input="ignore")
        emitted = tv.function(inputs, outputs, mode="c", on_unused_input="ignore")
        attempts = any("attempt" in line for line in program.lines)
        for call in range(4):
            arguments = program.arguments(call)
            failed = isinstance(program.results(kernels, arguments), str)
            if failed or (attempts and errors(inputs, outputs, arguments)):
                break  # what else has run by then is not promised
            program.results(emitted, program.arguments(call))
            if call % 2 == 1:
                for f in (kernels, emitted):
                    program.results(f, program.arguments(call))
            runs = [[(row[0], row[-1]) for row in f.node_runs()] for f in (kernels, emitted)]
            assert runs[0] == runs[1], program.text(call)


@pytest.mark.parametrize("compiler", ["clang"])
def test_another_compiler_gives_the_same_bits(compiler: str, fuzz_seed: int) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    for seed in range(fuzz_seed, fuzz_seed + 5):
        program = Program(seed)
        program.generate()
        inputs = [program.names[name] for name in program.inputs]
        outputs = [program.names[name] for name in program.outputs]
        kernels = tv.function(inputs, outputs, mode=KERNELS, on_unused_input="ignore")
        with tv.config.change(cc=compiler):
            emitted = tv.function(inputs, outputs, mode="c", on_unused_input="ignore")
        for call in range(3):
            arguments = program.arguments(call)
            expected = program.results(kernels, arguments)
            got = program.results(emitted, arguments)
            assert isinstance(expected, str) == isinstance(got, str)
            if not isinstance(got, str):
                assert [bits(v) for v in got] == [bits(v) for v in expected], program.text(call)
