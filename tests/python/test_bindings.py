"""The style of the bindings: what is written against CPython's C API, and what pybind11 binds."""

from __future__ import annotations

import re
from pathlib import Path

BINDINGS = Path(__file__).resolve().parents[2] / "python" / "bindings"
FILES = {
    str(path.relative_to(BINDINGS)): path.read_text()
    for path in sorted(BINDINGS.rglob("*"))
    if path.suffix in {".h", ".cpp", ".c"}
}

#: Files with tables of CPython's C API, for which pybind11 has no slots or costs too much; each
#: says why. All else that Python sees is bound by pybind11.
BY_HAND = {
    "arrays/ndarray.cpp",
    "call/function_object.cpp",
    "call/function_watch.cpp",
    "call/implementation.cpp",
    "call/link.cpp",
    "call/modes.cpp",
    "call/shared.cpp",
    "graph/apply.cpp",
    "graph/builtin_op.cpp",
    "graph/collection.cpp",
    "graph/drawing.cpp",
    "graph/expressions.cpp",
    "graph/infer_shape.cpp",
    "graph/keeper.cpp",
    "graph/op_function.cpp",
    "graph/type.cpp",
    "graph/user_kernel.cpp",
    "graph/variable.cpp",
    "python/python.cpp",
    "python/python.h",
    "thunks/attempt.cpp",
    "thunks/c_thunk.cpp",
}
C_API_TABLE = re.compile(r"PyMethodDef|PyGetSetDef|PyType_Spec|PyArg_Parse")

#: What includes pybind11, or a header that does: each .cpp costs the compiler some ten seconds.
PYBIND_HEADERS = {"python/pybind.h", "graph/casters.h"}
MOST_PYBIND_FILES = 12


def test_the_files_by_hand_are_those_that_are_listed() -> None:
    assert {name for name, text in FILES.items() if C_API_TABLE.search(text)} == BY_HAND


def test_few_files_include_pybind11() -> None:
    direct = {name for name, text in FILES.items() if "#include <pybind11/" in text}
    wanted = [f'#include "python/bindings/{name}"' for name in PYBIND_HEADERS]
    through = {name for name, text in FILES.items() if any(line in text for line in wanted)}
    assert direct == {"python/pybind.h"}
    assert {name for name in through if name.endswith(".h")} == PYBIND_HEADERS - direct
    assert len(through) <= MOST_PYBIND_FILES
