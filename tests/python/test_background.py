"""Emitted code that is being compiled in the background: what else may happen meanwhile."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from waiting_compiler import Compiler

import thunkvm as tv

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles with gcc")

forks_and_goes_on = pytest.mark.skipif(
    "/libtsan." in Path("/proc/self/maps").read_text(),
    reason="the thread sanitizer ends a forked child that begins threads",
)


@pytest.fixture
def compiler(tmp_path: Path) -> Iterator[Compiler]:
    """A compiler that waits for word, set as that of this process."""
    made = Compiler(tmp_path)
    with tv.config.change(cc=str(made.path), cache_dir=made.cache):
        yield made


def twice_exp() -> Any:
    """A function whose second call begins to compile it."""
    x = tv.scalar("x")
    return tv.function([x], tv.exp(x) * 2.0, mode="cvm")


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_calls_run_on_kernels_until_the_code_is_there(compiler: Compiler) -> None:
    f = twice_exp()
    assert [f(0.0), f(0.0)] == [2.0, 2.0]
    compiler.wait_until_it_compiles()
    assert f(0.0) == 2.0
    compiler.let_it_go_on()
    assert f.compile() == "ready"
    assert f(0.0) == 2.0
    assert compiler.compiled == 1


def test_a_function_may_go_while_it_is_compiled(compiler: Compiler) -> None:
    f = twice_exp()
    f(0.0), f(0.0)
    process = compiler.wait_until_it_compiles()
    del f
    assert not is_running(process)
    assert list((compiler.cache / "work").iterdir()) == []


def test_a_function_may_go_on_a_thread_that_did_not_make_it(compiler: Compiler) -> None:
    functions = [twice_exp()]
    functions[0](0.0), functions[0](0.0)
    process = compiler.wait_until_it_compiles()
    thread = threading.Thread(target=functions.clear)
    thread.start()
    thread.join()
    assert not is_running(process)


def test_threads_that_want_it_compiled_at_once_compile_it_once(compiler: Compiler) -> None:
    f = twice_exp()
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(f.compile)
        compiler.wait_until_it_compiles()
        others = [pool.submit(f.compile) for _ in range(2)]
        assert [pool.submit(f, 0.0).result() for _ in range(3)] == [2.0] * 3
        compiler.let_it_go_on()
        assert [first.result(), *(other.result() for other in others)] == ["ready"] * 3
    assert compiler.compiled == 1
    assert f(0.0) == 2.0


def in_a_child(work: Callable[[], bool]) -> bool:
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@forks_and_goes_on
def test_a_child_that_is_forked_meanwhile_compiles_for_itself(compiler: Compiler) -> None:
    with tv.config.change(cache_size=0):  # nothing but what the process itself knows
        f = twice_exp()
        f(0.0), f(0.0)
        compiler.wait_until_it_compiles()
        assert in_a_child(lambda: f.compile() == "ready" and f(0.0) == 2.0)
        assert in_a_child(lambda: f(0.0) == 2.0 and f.compile() == "ready" and f(0.0) == 2.0)
        compiler.let_it_go_on()
        assert f.compile() == "ready"
    assert compiler.compiled == 3


@forks_and_goes_on
def test_a_child_that_is_forked_meanwhile_can_let_the_function_go(compiler: Compiler) -> None:
    functions = [twice_exp()]
    functions[0](0.0), functions[0](0.0)
    compiler.wait_until_it_compiles()

    def let_go() -> bool:
        functions.clear()
        with tv.config.change(cache_size=0):  # a thread that may get the name of the lost one
            other = twice_exp()
            other(0.0), other(0.0)
            return bool(other.compile() == "ready")

    assert in_a_child(let_go)
    compiler.let_it_go_on()
    assert functions[0].compile() == "ready"


@pytest.fixture
def one_processor() -> Iterator[None]:
    """Let this thread, and those that it begins, use one processor alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


def of_sum(function: Any, terms: int) -> Any:
    """A function of its own for each `function` and number of terms."""
    x = tv.scalar("x")
    y = function(x)
    for term in range(1, terms):
        y = y + float(term)
    return tv.function([x], y * 2.0, mode="cvm")


def test_no_more_compilers_run_at_once_than_processors(
    compiler: Compiler, one_processor: None, tmp_path: Path
) -> None:
    notes = tmp_path / "runs"
    compiler.path.write_text(
        f'#!/bin/sh\ncase "$*" in *"-dM -E"*) exec gcc "$@";; esac\n'
        f'echo begin >> {notes}; gcc "$@"; status=$?; echo end >> {notes}; exit $status\n'
    )
    functions = [of_sum(tv.exp, terms) for terms in range(1, 7)]
    for f in functions:
        f(0.0), f(0.0)
    assert [f.compile() for f in functions] == ["ready"] * 6
    assert notes.read_text().split() == ["begin", "end"] * 6


def test_the_function_that_is_called_most_is_compiled_first(
    compiler: Compiler, one_processor: None, tmp_path: Path
) -> None:
    order = tmp_path / "order"
    compiler.path.write_text(
        compiler.path.read_text().replace(
            'exec gcc "$@"\n',
            'source=$(cat); printf "%s" "$source" | grep -o "sinh(\\|cosh(" | tail -n 1'
            f" >> {order}\n"
            'printf "%s\\n" "$source" | gcc "$@"\n',
        )
    )
    f, seldom, often = twice_exp(), of_sum(tv.sinh, 2), of_sum(tv.cosh, 2)
    f(0.0), f(0.0)
    compiler.wait_until_it_compiles()
    for function, calls in ((seldom, 2), (often, 2), (often, 5)):
        for _ in range(calls):
            function(0.0)
    compiler.let_it_go_on()
    assert f.compile() == "ready"
    while "compiling" in (seldom.compiled, often.compiled):
        seldom(0.0), often(0.0), often(0.0)
    assert order.read_text().split() == ["cosh(", "sinh("]


def test_a_function_that_is_gone_leaves_the_queue(compiler: Compiler, one_processor: None) -> None:
    f, gone = twice_exp(), of_sum(tv.sinh, 2)
    f(0.0), f(0.0)
    compiler.wait_until_it_compiles()
    gone(0.0), gone(0.0)
    assert gone.compiled == "compiling"
    del gone
    compiler.let_it_go_on()
    assert f.compile() == "ready"
    assert compiler.compiled == 1


def test_a_function_that_waits_for_its_turn_can_be_read_called_and_compiled(
    compiler: Compiler, one_processor: None
) -> None:
    f, waiting = twice_exp(), of_sum(tv.sinh, 2)
    f(0.0), f(0.0)
    compiler.wait_until_it_compiles()
    assert [waiting(0.0) for _ in range(4)] == [2.0] * 4
    assert waiting.compiled == "compiling"
    compiler.let_it_go_on()
    assert "sinh" in waiting.c_source()
    assert {row.form for row in waiting.explain().nodes} == {"emitted"}
    assert waiting.compile() == "ready"
    assert waiting(0.0) == 2.0


def test_a_signal_ends_the_wait_for_ones_turn(compiler: Compiler) -> None:
    process = compiler.start(
        "os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})\n"
        "f(0.0), f(0.0)\ng = tv.function([x], tv.sinh(x) * 2.0, mode='c')\n"
    )
    running = compiler.wait_until_it_compiles()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert re.search(r"KeyboardInterrupt\n$", err), err
    assert not is_running(running)


def test_a_function_that_calls_kernels_alone_is_not_compiled(compiler: Compiler) -> None:
    a = tv.matrix("a")
    f = tv.function([a], a @ a @ a, mode="cvm")
    while f.compiled in ("waiting", "compiling"):
        f([[2.0]])
    assert (f.compiled, compiler.compiled) == ("unneeded", 0)
    explanation = f.explain()
    assert explanation.why == "it calls kernels alone, which the interpreter does as well"
    assert str(explanation).startswith(f"emitted code: unneeded ({explanation.why})\n")
    assert [(row.form, row.why) for row in explanation.nodes] == [("kernel", explanation.why)] * 2
    compiler.needs_no_word()
    assert f.compile() == "ready"
    assert f.explain().why == ""
    assert f([[2.0]]) == [[8.0]]


def test_a_large_function_is_compiled_after_more_calls(compiler: Compiler) -> None:
    x = y = tv.scalar("x")
    for _ in range(2_000):
        y = tv.cos(y)
    f = tv.function([x], y, mode="cvm")
    for _ in range(4):
        f(0.0)
        assert f.compiled == "waiting"
        assert f.explain().why == "it is compiled from call 5 on"
    f(0.0)
    assert f.compiled == "compiling"
    assert f.explain().why == ""


def test_a_shortage_of_the_system_is_no_fault_of_the_compiler(
    compiler: Compiler, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    enough = tmp_path / "enough"
    compiler.path.write_text(
        f'#!/bin/sh\ncase "$*" in *"-dM -E"*) exec gcc "$@";; esac\n'
        f"echo compiled >> {compiler.notes}\n"
        f"[ -e {enough} ] || {{ echo 'cc1: Cannot allocate memory' >&2; exit 1; }}\n"
        'exec gcc "$@"\n'
    )
    f = twice_exp()
    f(0.0), f(0.0)
    with pytest.raises(tv.CompileError, match="the system lacked something that the C compiler"):
        f.compile()
    (message,) = (r.getMessage() for r in caplog.records if r.levelno > logging.INFO)
    assert message.endswith("cc1: Cannot allocate memory. It is tried again later.")
    assert f.compiled == "waiting"
    assert f.explain().why == "it is compiled from call 4 on"
    enough.touch()
    f(0.0), f(0.0)
    assert f.compiled == "compiling"
    assert f.compile() == "ready"


def test_code_from_a_file_whose_name_is_no_text_is_compiled(compiler: Compiler) -> None:
    made: dict[str, Any] = {"tv": tv}
    source = 'x = tv.scalar("x")\nf = tv.function([x], tv.exp(x) * 2.0, mode="cvm")\n'
    exec(compile(source, "we\udcffird.py", "exec"), made)
    compiler.needs_no_word()
    assert [made["f"](0.0) for _ in range(4)] == [2.0] * 4
    assert made["f"].compile() == "ready"
    assert "/* mul.1, we\\udcffird.py:2 */" in made["f"].c_source()
    assert {row.origin for row in made["f"].explain().nodes} == {"we\\udcffird.py:2"}


MEANWHILE = """
f(0.0), f(0.0)
process = int(open({begun!r}).read())
"""


def test_a_process_that_ends_stops_the_compiler(compiler: Compiler) -> None:
    process = int(compiler.run(MEANWHILE + "last_words = lambda: (process, f(0.0))").split()[0])
    assert not is_running(process)
    assert list((compiler.cache / "work").iterdir()) == []


def test_a_process_that_ends_compiles_nothing_more(compiler: Compiler) -> None:
    assert compiler.run("last_words = lambda: (f(0.0), f(0.0), f(0.0))") == "2.0 2.0 2.0\n"
    assert compiler.compiled == 0


@forks_and_goes_on
def test_a_child_that_is_forked_meanwhile_may_end_as_usual(compiler: Compiler) -> None:
    out = compiler.run(
        MEANWHILE + "child = os.fork()\n"
        "last_words = lambda: (f(0.0),) if child == 0 else os.waitpid(child, 0)[1:]\n",
        ASAN_OPTIONS="detect_leaks=0",  # what the lost thread held seems to be leaked
    )
    assert sorted(out.splitlines()) == ["0", "2.0"]


def test_a_signal_ends_the_wait_for_it(compiler: Compiler) -> None:
    process = compiler.start("f(0.0), f(0.0)\nf.compile()\n")
    running = compiler.wait_until_it_compiles()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert re.search(r"KeyboardInterrupt\n$", err), err
    assert not is_running(running)


def test_a_process_may_end_while_a_thread_computes(compiler: Compiler) -> None:
    code = """
import numpy as np
m = tv.vector("m")
g = tv.function([m], tv.exp(tv.sin(m)).sum(), mode="cvm")
values = np.zeros(1 << 16)
g(values)
begun = threading.Event()
def work():
    begun.set()
    while True:
        g(values)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
"""
    compiler.run(code)
