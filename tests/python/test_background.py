"""Emitted code that is being compiled in the background: what else may happen meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import thunkvm as tv

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles with gcc")
forks_and_goes_on = pytest.mark.skipif(
    "/libtsan." in Path("/proc/self/maps").read_text(),
    reason="the thread sanitizer ends a forked child that begins threads",
)

PREAMBLE = """
import atexit, os, signal, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads, from Python 3.12 on
def last():
    print(*last_words(), flush=True)
last_words = lambda: ()
atexit.register(last)  # before the package's own, so it comes after that
import thunkvm as tv
x = tv.scalar("x")
f = tv.function([x], tv.exp(x) * 2.0, mode="cvm")
"""


class Compiler:
    """A compiler that waits for word the first time that it is to make a module.

    Then it writes its process's number into the pipe `begun`, and goes on when `goes_on` is
    written to.
    """

    def __init__(self, directory: Path) -> None:
        self.path, self.begun, self.goes_on = (directory / n for n in ("cc", "begun", "goes_on"))
        self.notes = directory / "notes"
        self.cache = directory / "cache"
        os.mkfifo(self.begun)
        os.mkfifo(self.goes_on)
        self.path.write_text(
            f'#!/bin/sh\ncase "$*" in *-dM*) exec gcc "$@";; esac\necho compiled >> {self.notes}\n'
            f"if mkdir {directory}/first 2> /dev/null; then echo $$ > {self.begun}; "
            f'cat {self.goes_on}; fi\nexec gcc "$@"\n'
        )
        self.path.chmod(0o700)

    @property
    def compiled(self) -> int:
        return self.notes.read_text().count("compiled") if self.notes.exists() else 0

    def wait_until_it_compiles(self) -> int:
        return int(self.begun.read_text())

    def let_it_go_on(self) -> None:
        self.goes_on.write_text("")

    def start(self, code: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + code.format(begun=str(self.begun))],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
                "THUNKVM_CC": str(self.path),
                "THUNKVM_CACHE": str(self.cache),
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, code: str, **environment: str) -> str:
        """What a process prints that runs `code` with a function `f`, and that ends well."""
        process = self.start(code, **environment)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        return out


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
