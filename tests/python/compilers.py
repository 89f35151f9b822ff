"""A compiler that counts its runs, for tests that say what is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SOURCE = "int answer(void) { return 42; }\n"
SAY = """
import ctypes, sys
from thunkvm import _core
(module,) = _core._testing.compile_modules([{source!r}])
answer = ctypes.CFUNCTYPE(ctypes.c_int)(module.symbol("answer"))()
print(answer, module.path, flush=True)
"""


class Compiler:
    """A compiler that notes each run that makes a module, over a cache of its own.

    A run that makes a module does what the shell script `before` says first.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.cache = directory / "cache"
        self.notes = directory / "notes"
        self.path = directory / "cc"
        self.write()

    def write(self, before: str = "") -> None:
        self.path.write_text(
            f'#!/bin/sh\ncase "$*" in *"-dM -E"*) echo asked >> {self.notes};;\n'
            f'*) echo compiled >> {self.notes}; {before}\nesac\nexec gcc "$@"\n'
        )
        self.path.chmod(0o700)

    @property
    def compiled(self) -> int:
        return self._count("compiled")

    @property
    def asked(self) -> int:
        return self._count("asked")

    def _count(self, note: str) -> int:
        return self.notes.read_text().count(note) if self.notes.exists() else 0

    def start(self, source: str = SOURCE, *, code: str = SAY, **options: Any) -> Any:
        path = os.pathsep.join(p for p in sys.path if p)
        environment = {"THUNKVM_CC": str(self.path), "THUNKVM_CACHE": str(self.cache)}
        return subprocess.Popen(
            [sys.executable, "-c", code.format(source=source)],
            env={**os.environ, "PYTHONPATH": path, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def run(self, source: str = SOURCE, **options: Any) -> tuple[str, str]:
        """Load a module in a new process; return what it says, and the path it loaded from."""
        process = self.start(source, **options)
        out, err = process.communicate()
        assert process.returncode == 0, err
        number, path = out.split()
        assert err == "" or "Compiled modules are not kept" in err
        return number, path
