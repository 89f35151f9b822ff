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
    "call/implementation.cpp",
    "graph/apply.cpp",
    "graph/builtin_op.cpp",
    "graph/collection.cpp",
    "graph/expressions.cpp",
    "graph/keeper.cpp",
    "graph/op_function.cpp",
    "graph/type.cpp",
    "graph/variable.cpp",
    "python/python.cpp",
    "python/python.h",
    "thunks/c_thunk.cpp",
}
C_API_TABLE = re.compile(r"PyMethodDef|PyGetSetDef|PyType_Spec|PyArg_Parse")


def test_a_file_by_hand_says_why_in_its_first_lines() -> None:
    said = {name for name in BY_HAND if "by hand" in FILES[name][:300].lower()}
    assert said == BY_HAND


#: What includes pybind11, or a header that does: each .cpp costs the compiler some ten seconds.
PYBIND_HEADERS = {"python/pybind.h", "python/rows.h", "graph/casters.h"}
MOST_PYBIND_FILES = 13


def test_the_files_by_hand_are_those_that_are_listed() -> None:
    assert {name for name, text in FILES.items() if C_API_TABLE.search(text)} == BY_HAND


def test_few_files_include_pybind11() -> None:
    direct = {name for name, text in FILES.items() if "#include <pybind11/" in text}
    wanted = [f'#include "python/bindings/{name}"' for name in PYBIND_HEADERS]
    through = {name for name, text in FILES.items() if any(line in text for line in wanted)}
    assert direct == {"python/pybind.h"}
    assert {name for name in through if name.endswith(".h")} == PYBIND_HEADERS - direct
    assert sum(name.endswith(".cpp") for name in through) <= MOST_PYBIND_FILES


#: A format of what C takes from Python, or gives it.
FORMAT = re.compile(r'(?:PyArg_Parse\w*|\bparse)\([^"]*"([^":;]*)')
MOST_LETTERS = 6


def test_no_format_of_arguments_has_many_letters() -> None:
    formats = [(name, form) for name, text in FILES.items() for form in FORMAT.findall(text)]
    assert len(formats) > 5
    letters = {(name, form): sum(letter.isalpha() for letter in form) for name, form in formats}
    assert [where for where, n in letters.items() if n > MOST_LETTERS] == []
