"""Emitted C under the compiler's warnings and sanitizers: nothing undefined, whatever the values.

Undefined behaviour traps, which needs nothing of the process. The address sanitizer does need it: a
process of its own runs all of this again with it, unless the suite itself is built for it
(``./dev test --sanitize=address``). Each function is called in a child, so that a trap fails one
test, and with the C to look at.
"""

from __future__ import annotations

import ctypes
import faulthandler
import itertools
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import bits, errors, results
from programs import EDGES, Program

import thunkvm as tv
from thunkvm import _core

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles with gcc")

WITH_ASAN = "/libasan." in Path("/proc/self/maps").read_text()
COMMAND = (
    "gcc -Wall -Wextra -Werror -fsanitize=undefined,float-cast-overflow "
    "-fsanitize-undefined-trap-on-error" + (" -fsanitize=address" if WITH_ASAN else "")
)
MODES = [
    tv.Mode("c"),
    tv.Mode("c", gc=False),
    tv.Mode("c").excluding("fusion"),
    tv.Mode("c|py"),
]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
LENGTHS = [0, 1, 15, 16, 17, 511, 512, 513, 1024, 1031]  # around vectors and blocks
UNARY = ["negative", "abs", "square", "sign", "floor", "invert", "logical_not", "exp"]
BINARY = ["add", "subtract", "multiply", "divide", "floor_divide", "mod", "power", "maximum"]
BINARY += ["minimum", "less", "equal", "logical_and", "bitwise_and", "bitwise_xor"]


@pytest.fixture(autouse=True)
def checking_compiler() -> Iterator[None]:
    """Compile with warnings as errors, and with sanitizers."""
    with tv.config.change(cc=COMMAND):
        yield


def end_of(work: Callable[[], None]) -> int:
    """How a child ends that does `work`: 0, 1 after an exception, or minus a signal's number.

    A thread that is in the sanitizer's allocator when the child is made keeps its lock there, for
    good: a child that hangs is made once more.
    """
    end = end_of_child(work)
    return end if end != -signal.SIGALRM else end_of_child(work)


def end_of_child(work: Callable[[], None]) -> int:
    """The same of one child, which an alarm ends where it hangs."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def quietly(work: Callable[[], object]) -> Callable[[], None]:
    """What a child is to fail at, without what is said of that."""

    def silent() -> None:
        faulthandler.disable()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        work()

    return silent


def check(inputs: list[Any], outputs: list[Any], calls: list[list[Any]], mode: tv.Mode) -> None:
    """Compile, and compare with the kernels for the arguments of each call."""
    options: dict[str, Any] = {"on_unused_input": "ignore"}
    kernels = tv.function(inputs, outputs, mode=tv.Mode("cvm", compile="never"), **options)
    emitted = tv.function(inputs, outputs, mode=mode, **options)

    def compare() -> None:
        for arguments in calls:
            expected, got = results(kernels, arguments), results(emitted, arguments)
            if isinstance(expected, str) or isinstance(got, str):
                assert got == expected or got in errors(inputs, outputs, arguments), got
                continue
            for e, g in zip(expected, got, strict=True):
                assert bits(g) == bits(e), f"{g}\n{e}"

    end = end_of(compare)
    assert end == 0, f"{mode}: the child ended with {end} running\n{emitted.c_source()}"


def edges(dtype: str) -> list[Any]:
    """Values where arithmetic goes wrong."""
    if dtype in EDGES:
        return EDGES[dtype]
    info = np.iinfo(dtype)
    return [v for v in (0, 1, -1, 5, info.min, info.max) if info.min <= v <= info.max]


@pytest.mark.skipif(WITH_ASAN, reason="runs with the address sanitizer")
def test_all_of_this_passes_with_the_address_sanitizer(fuzz_seed: int) -> None:
    libraries = [
        subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    if not all(Path(library).is_absolute() for library in libraries):
        pytest.skip("gcc has no address sanitizer")
    environment = {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    options = ["-q", "--capture=sys", "-p", "no:cacheprovider", f"--fuzz-seed={fuzz_seed}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, __file__],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 skipped" in done.stdout  # this one alone


def test_undefined_behaviour_is_noticed() -> None:
    (module,) = _core._testing.compile_modules(["int answer(int x) { return x + 1; }"])
    successor = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(module.symbol("answer"))
    assert successor(41) == 42

    assert end_of(quietly(lambda: successor(2**31 - 1))) == -signal.SIGILL


@pytest.mark.skipif(not WITH_ASAN, reason="is run by the test of all of this")
def test_reading_beyond_an_array_is_noticed() -> None:
    (module,) = _core._testing.compile_modules(
        ["double answer(double *x, long n) { return x[n]; }"]
    )
    read = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_long)(
        module.symbol("answer")
    )
    values = np.ones(3000)
    assert read(values.ctypes.data, 2999) == 1.0
    assert end_of(quietly(lambda: read(values.ctypes.data, 3000))) == 1


def test_a_warning_is_an_error() -> None:
    with pytest.raises(tv.CompileError, match="unused variable"):
        _core._testing.compile_modules(["int answer(void) { int forgotten; return 42; }"])


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs(seed: int, fuzz_seed: int) -> None:
    program = Program(fuzz_seed + 20_000 + seed)
    program.generate()
    inputs = [program.names[name] for name in program.inputs]
    outputs = [program.names[name] for name in program.outputs]
    calls = [program.arguments(call) for call in range(6)]
    check(inputs, outputs, calls, MODES[seed % len(MODES)])


def applied(name: str, *inputs: Any) -> list[Any]:
    """The Op's result, in a list; an empty one where it is not for these dtypes."""
    try:
        return [getattr(tv, name)(*inputs)]
    except TypeError:
        return []


@pytest.mark.parametrize("ndim", [0, 1])
@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float32", "float64"])
def test_arithmetic_at_the_edges(dtype: str, ndim: int) -> None:
    make = tv.vector if ndim else tv.scalar
    a, b = make("a", dtype=dtype), make("b", dtype=dtype)
    outputs = [out for name in UNARY for out in applied(name, a)]
    outputs += [out for name in BINARY for out in applied(name, a, b)]
    pairs = np.array(list(itertools.product(edges(dtype), repeat=2)), dtype=dtype).T
    calls = [pairs.copy()] if ndim else pairs.T
    check([a, b], outputs, [list(call) for call in calls], tv.Mode("c"))


@pytest.mark.parametrize("ndim", [0, 1])
def test_casts_at_the_edges(ndim: int) -> None:
    make = tv.vector if ndim else tv.scalar
    dtypes = [*INTEGERS, "bool", "float32", "float64"]
    inputs = [make(f"x{k}", dtype=dtype) for k, dtype in enumerate(dtypes)]
    outputs = [tv.cast(x, dtype=to) for x in inputs for to in dtypes]
    # All edges of a dtype, again and again: one array of them, or a number in each of ten calls.
    columns = [np.resize(np.array(edges(dtype), dtype), 10) for dtype in dtypes]
    calls = [columns] if ndim else [[column[k] for column in columns] for k in range(10)]
    check(inputs, outputs, calls, tv.Mode("c"))


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_arrays_of_every_length_and_layout(mode: tv.Mode) -> None:
    x, y, m = tv.vector("x"), tv.vector("y", dtype="float32"), tv.matrix("m", dtype="int8")
    i = tv.vector("i", dtype="int8")
    outputs = [
        tv.exp(x * 2.0) + y,
        (x * y).sum(),
        (m * i).sum(axis=-1),
        m + i,
        (x - x.max()).mean(),
    ]
    calls: list[list[Any]] = []
    for n in LENGTHS:
        values = np.linspace(-1.0, 1.0, 2 * n)
        rows = np.arange(3 * n).astype("int8").reshape(3, n)
        few = values[:n].astype("int8")
        calls.append([values[:n].copy(), values[:n].astype("float32"), rows, few])
        calls.append([values[::2], values[::-2].astype("float32"), np.asfortranarray(rows), few])
    check([x, y, m, i], outputs, calls, mode)


def test_more_elements_than_can_be_counted() -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    column, row = np.broadcast_to(0.0, (2**32, 1)), np.broadcast_to(0.0, (1, 2**32 + 1))
    check([x, y], [(x + y).sum()], [[column, row]], tv.Mode("c"))  # refused, as the kernels do
