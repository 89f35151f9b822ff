"""Code that may crash, tried in a child process first."""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import select
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from thunkvm import _core

#: How long a child may take, in seconds, until it is given up and nothing is said of it.
PATIENCE = 60.0

#: The beginning of the child's last line where it has an answer.
ANSWER = "\x01"
#: The child's exit code where something was written beside the memory of an array.
OVERRUN = 113

#: The signals that a crash ends a process by.
FATAL = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended.

    Attributes
    ----------
    how : str or None
        "was ended by SIGSEGV when it ran ...", or "wrote beside the memory of an array ..."; None
        if it came to its end.
    answer : Any
        What `work` returned, of what JSON has; None if it did not.
    """

    how: str | None = None
    answer: Any = None


def try_work(work: Callable[[Callable[[str], None]], Any]) -> Ending:
    """Run `work` in a child process; say how that ended.

    The memory of the arrays that NumPy makes there has margins, and begins with something else
    each time.

    Parameters
    ----------
    work : callable
        Called with a function that takes a text: what it is about to do. What it raises is no
        matter here. It returns what JSON can carry.

    Returns
    -------
    Ending
        An empty one where there is no ``fork``, or if it took longer than `PATIENCE`. (A child has
        none of the parent's threads, which some libraries wait for.)
    """
    if not hasattr(os, "fork"):
        return Ending()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: the child has none
        child = os.fork()
    if child == 0:
        _work_and_exit(work, reading, writing)
    os.close(writing)
    try:
        status, said = _await_child(child, reading)
    finally:
        os.close(reading)
    if status is None:
        return Ending()
    doing = f" {said}" if said and not said.startswith(ANSWER) else ""
    if status == 0:
        return Ending(answer=json.loads(said[len(ANSWER) :]) if said.startswith(ANSWER) else None)
    if os.waitstatus_to_exitcode(status) == OVERRUN:
        return Ending(f"wrote beside the memory of an array{doing}")
    if os.WIFSIGNALED(status):
        return Ending(f"was ended by {signal.Signals(os.WTERMSIG(status)).name}{doing}")
    return Ending(f"ended the process with status {os.waitstatus_to_exitcode(status)}{doing}")


def _work_and_exit(
    work: Callable[[Callable[[str], None]], Any], reading: int, writing: int
) -> None:
    """Do the work, and end the child without any of the parent's clean-up.

    What it raises, the parent will see too, when it does the same.
    """
    try:
        os.close(reading)
        faulthandler.disable()  # the parent tells of it
        for fatal in FATAL:  # what a sanitizer or a library had put there would hide how it ended
            signal.signal(fatal, signal.SIG_DFL)
        _one_thread_of_openmp()
        _core.guard_array_memory(OVERRUN)
        answer = work(lambda doing: _report_work(writing, doing))
        if answer is not None:
            _report_work(writing, ANSWER + json.dumps(answer))
    finally:
        os._exit(0)


def _report_work(writing: int, doing: str) -> None:
    os.write(writing, doing.encode() + b"\n")


def _one_thread_of_openmp() -> None:
    """Keep OpenMP from waiting for threads that were not forked along."""
    try:
        openmp = ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return  # nobody uses it
    openmp.omp_set_num_threads(1)


def _await_child(child: int, reading: int) -> tuple[int | None, str]:
    """Return the child's status (None: it took too long) and the last thing that it said."""
    said = b""
    deadline = time.monotonic() + PATIENCE
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([reading], [], [], left)[0]:
            break
        part = os.read(reading, 65536)
        if not part:  # it has ended
            return os.waitpid(child, 0)[1], _last_line(said)
        said += part
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None, _last_line(said)


def _last_line(said: bytes) -> str:
    lines = said.decode().splitlines()
    return lines[-1] if lines else ""
