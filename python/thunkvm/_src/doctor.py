"""The command ``python -m thunkvm doctor``: the machine's parts that the package uses.

Each part is a row: what was found, and what to do where it is missing or does not work.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm import _core
from thunkvm._src.calls import blas
from thunkvm._src.calls.mode import LINKERS, RUN_WITHOUT_C
from thunkvm._src.views.text_table import show_bytes

#: The programs that the package looks for where no setting names one.
COMPILERS = {"cc": ("gcc", "clang", "cc"), "cxx": ("g++", "clang++", "c++")}
LANGUAGES = {"cc": "C", "cxx": "C++"}
GET_COMPILER = "On Debian and Ubuntu: apt install g++. On Fedora: dnf install gcc-c++."
SET_CACHE = "Set THUNKVM_CACHE to a directory of yours, or unset it."
#: The vector units with kernels of their own, widest first, and the flags of each.
VECTOR_UNITS = {"avx512": ("avx512f",), "avx2": ("avx2", "fma")}
#: What OpenBLAS takes a processor for that it does not know, and what fits each vector unit better.
UNKNOWN_TO_BLAS = "Prescott"
CORES_OF_BLAS = {"avx512": "SkylakeX", "avx2": "Haswell"}


class Finding(NamedTuple):
    """A part of the machine."""

    part: str
    found: str
    #: What to do; empty where nothing is missing.
    advice: str = ""


def versions() -> Iterator[Finding]:
    """Name the versions that a report of a bug needs."""
    python = f"Python {platform.python_version()} ({sys.executable})"
    yield Finding("versions", f"thunkvm {tv.__version__}, {python}, NumPy {np.__version__}")
    yield Finding("package", str(Path(tv.__file__).parent))


def compilers() -> Iterator[Finding]:
    """Ask the compilers of C and C++ for their versions."""
    for setting, language in LANGUAGES.items():
        try:
            version = _core.compiler_version(setting == "cxx")
        except tv.NoCompilerError as error:
            wanted = "Ops in C need it" if setting == "cxx" else "emitted C needs it"
            yield Finding(f"{language} compiler", f"none; {wanted}", f"{error} {GET_COMPILER}")
        else:
            given = getattr(tv.config, setting)
            command = given or next(filter(None, map(shutil.which, COMPILERS[setting])), "")
            yield Finding(f"{language} compiler", f"{version} ({command})")


def file_at(address: int) -> str:
    """Return the file that the process has mapped at an address, or "" where that is not known."""
    maps = Path("/proc/self/maps")
    for line in maps.read_text().splitlines() if maps.exists() else []:
        begin, _, end = line.partition(" ")[0].partition("-")
        if int(begin, 16) <= address < int(end, 16):
            return line.split(maxsplit=5)[5]
    return ""


def libraries() -> Iterator[Finding]:
    """Name the OpenBLAS that products of matrices run on, and its threads."""
    if not blas.is_openblas():
        yield Finding("BLAS", "not OpenBLAS: tv.config.blas_threads cannot be set")
        return
    address = ctypes.cast(blas.core().openblas_get_config, ctypes.c_void_p).value
    told = f"{blas.describe()} ({file_at(address or 0)}), {blas.threads()} threads"
    advice = ""
    units = vector_units(processor_rows())
    if units and UNKNOWN_TO_BLAS in blas.describe().split():
        advice = (
            f"it takes this processor for a {UNKNOWN_TO_BLAS} of 2004, and runs its slowest "
            f"kernels. Set OPENBLAS_CORETYPE={CORES_OF_BLAS[units[0]]} before Python starts, or "
            "install a newer OpenBLAS."
        )
    yield Finding("BLAS", f"{told} (tv.config.blas_threads, OPENBLAS_NUM_THREADS)", advice)


def cache() -> Iterator[Finding]:
    """Look into the directory of compiled modules."""
    folder = tv.config.cache_dir
    if not folder or not tv.config.cache_size:
        yield Finding("cache", "none: each process compiles its C again", SET_CACHE)
        return
    there = next(path for path in (Path(folder), *Path(folder).parents) if path.exists())
    try:
        sizes = [size for _, _, size, _ in _core.cache_list()] if there == Path(folder) else []
    except RuntimeError as error:  # the directory is refused; its message says why
        yield Finding("cache", f"{folder} cannot be used", f"{error} {SET_CACHE}")
        return
    if not os.access(there, os.W_OK):
        yield Finding("cache", f"{folder} cannot be written to", SET_CACHE)
        return
    used = f"{len(sizes)} modules, {show_bytes(sum(sizes))} of {show_bytes(tv.config.cache_size)}"
    yield Finding("cache", f"{folder} ({used})")


def processor_rows() -> dict[str, str]:
    """Return what the system says of the first processor; nothing where it does not."""
    rows: dict[str, str] = {}
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else []:
        key, _, value = line.partition(":")
        rows.setdefault(key.strip(), value.strip())
    return rows


def vector_units(rows: dict[str, str]) -> list[str]:
    """Return the vector units of a processor, widest first."""
    flags = set(rows.get("flags", "").split())
    return [unit for unit, needed in VECTOR_UNITS.items() if flags.issuperset(needed)]


def processor() -> Iterator[Finding]:
    """Name the processor, and the vector unit that kernels use."""
    rows = processor_rows()
    units = vector_units(rows)
    allowed = os.environ.get("THUNKVM_VECTORS", "")
    unit = allowed if allowed in (*units, "none") else next(iter(units), "none")
    name = rows.get("model name") or platform.processor() or platform.machine()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("processor", f"{name}, {cores} cores, vector unit {unit} (THUNKVM_VECTORS)")


def modes() -> Iterator[Finding]:
    """Run a small function in each mode."""
    x = tv.vector("x")
    for linker in LINKERS:
        mode = tv.Mode(linker, compile="never") if linker in RUN_WITHOUT_C else linker
        try:
            right = tv.function([x], tv.exp(x).sum(), mode=mode)([0.0, 0.0]) == 2.0
        except tv.NoCompilerError:
            yield Finding(f"mode {linker}", "needs a compiler")
        except Exception as error:  # whatever it is, it is the finding
            first = str(error).partition("\n")[0]
            yield Finding(f"mode {linker}", f"fails: {first}", f"Use another mode than {linker!r}.")
        else:
            advice = "" if right else "Report this with the rows above."
            yield Finding(f"mode {linker}", "works" if right else "computes exp wrongly", advice)


def findings() -> Iterator[Finding]:
    """Look at each part in turn.

    Examples
    --------
    >>> from thunkvm._src.doctor import findings
    >>> [row.found for row in findings() if row.part == "mode vm"]
    ['works']
    """
    for part in (versions, compilers, libraries, cache, processor, modes):
        yield from part()


def main() -> int:
    """Print the findings, then the advice; return 0 if nothing is missing."""
    advice = []
    for row in findings():
        print(f"{row.part:<13} {row.found}", flush=True)
        if row.advice:
            advice.append(f"  {row.part}: {row.advice}")
    print("\nWhat to do:" if advice else "\nNothing is missing.", *advice, sep="\n")
    return 1 if advice else 0
