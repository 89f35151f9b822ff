"""A compiler that waits for word before it makes a module, and processes that use it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
            f'#!/bin/sh\ncase "$*" in *"-dM -E"*) exec gcc "$@";; esac\n'
            f"echo compiled >> {self.notes}\n"
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

    def needs_no_word(self) -> None:
        (self.path.parent / "first").mkdir()

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
