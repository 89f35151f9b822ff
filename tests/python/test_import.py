"""Importing the package imports what every program needs; the rest comes when it is asked for."""

from __future__ import annotations

import ast
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import thunkvm as tv
from thunkvm._src import later
from thunkvm._src.graph import kinds

#: Modules that a program pays for only if it uses what needs them.
NOT_AT_IMPORT = [
    "difflib", "hashlib", "html", "json", "logging", "pathlib", "rich", "scipy", "threading",
    "thunkvm._src.arrays.composed", "thunkvm._src.arrays.numpy_protocol",
    "thunkvm._src.arrays.perform",
    "thunkvm._src.calls.signature",
    "thunkvm._src.control.prints", "thunkvm._src.derivatives.verification",
    "thunkvm._src.graph.callsite", "thunkvm._src.graph.functions_as_ops", "thunkvm._src.stubs",
    "thunkvm._src.refusals", "thunkvm._src.teaching.elsewhere", "thunkvm._src.views",
    "thunkvm.c", "thunkvm.checking", "thunkvm.demo", "thunkvm.fft", "thunkvm.nn",
    "thunkvm.profile", "thunkvm.testing",
]  # fmt: skip

#: The package's modules and others' that every program pays for: each costs about a millisecond.
MOST_MODULES = 18
MOST_OTHERS = 6

#: The modules whose lists of names are the package's.
ALL_OF_A_MODULE = {
    "thunkvm._src.arrays.exposed", "thunkvm._src.graph.plurals", "thunkvm._src.graph.types",
}  # fmt: skip


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, **environment},
    )


def imported_by(program: str) -> set[str]:
    """Return what a program imports beyond NumPy."""
    first = "import sys, numpy\nbefore = set(sys.modules)\n"
    last = "\nprint(*sorted(set(sys.modules) - before))"
    return set(run(first + program + last).stdout.splitlines()[-1].split())


def test_the_package_has_rooms_for_users_and_one_of_its_own() -> None:
    # IPython offers the files of a package after `from thunkvm import`.
    rooms = {entry.name for entry in pkgutil.iter_modules(tv.__path__)}
    assert rooms - {"__main__", "_core", "_src"} == {
        "c", "checking", "demo", "fft", "linking", "nn", "ops", "optimize", "profile", "random",
        "testing",
    }  # fmt: skip


def test_importing_the_package_imports_only_what_every_program_needs() -> None:
    imported = imported_by("import thunkvm")
    own = {name for name in imported if name.startswith("thunkvm")}
    assert imported & set(NOT_AT_IMPORT) == set()
    assert "thunkvm._core" in own
    assert len(own) <= MOST_MODULES, sorted(own)
    assert len(imported - own) <= MOST_OTHERS, sorted(imported - own)


def test_a_composed_function_needs_its_own_module_and_those_that_it_calls() -> None:
    imported = imported_by("import thunkvm as tv; tv.sign; tv.polyval")
    composed = "thunkvm._src.arrays.composed"
    assert f"{composed}.polynomials" in imported
    assert len({name for name in imported if name.startswith(composed)}) < 8


def test_a_function_of_arrays_needs_no_more_than_its_performs() -> None:
    program = (
        "import thunkvm as tv; x = tv.vector('x'); tv.function([x], tv.exp(x), mode='vm')([0])"
    )
    assert imported_by(program) & set(NOT_AT_IMPORT) == {"thunkvm._src.arrays.perform"}


def test_what_is_imported_later_is_what_type_checkers_read() -> None:
    tree = ast.parse(Path(tv.__file__).read_text())
    (block,) = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    declared = {
        statement.module or "": tuple(alias.name for alias in statement.names)
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
    }
    assert declared.pop("thunkvm") == later.MODULES
    assert {name for name, names in declared.items() if names == ("*",)} == ALL_OF_A_MODULE
    for module, names in declared.items():
        names = tuple(import_module(module).__all__) if names == ("*",) else names
        assert sorted(names) == sorted(later.NAMES[module]), module
    assert declared.keys() == later.NAMES.keys()


@pytest.mark.parametrize("name", later.HOMES)
def test_a_name_that_is_imported_later_is_as_public_as_others(name: str) -> None:
    assert name in tv.__all__
    assert (name in dir(tv)) != (name in kinds.WITH_LETTERS)
    assert getattr(tv, name) is getattr(import_module(later.HOMES[name]), name)


def test_no_module_hides_a_name_that_is_imported_later() -> None:
    folder = Path(tv.__file__).resolve().parent
    modules = {path.stem for path in folder.iterdir()}
    assert modules & set(later.HOMES) == {"profile"}


def test_the_module_of_profiles_is_what_is_called() -> None:
    imported = import_module("thunkvm.profile")
    assert tv.profile is imported
    with tv.profile("count") as p:
        pass
    assert isinstance(p, imported.Profile)


def test_every_name_comes_with_a_star() -> None:
    program = "import thunkvm\nfrom thunkvm import *\nassert set(thunkvm.__all__) <= set(globals())"
    assert run(program).stderr == ""


def test_functions_that_are_imported_later_teach() -> None:
    with pytest.raises(TypeError, match="it takes fun, pt"):
        tv.verify_grad(nonsense=1)


def test_a_method_that_is_imported_later_is_the_classs_own() -> None:
    x = tv.scalar("x")
    f = tv.function([x], x + 1)
    assert tv.Function.explain.__doc__.startswith("Return how each node")
    assert f.explain.__func__ is vars(tv.Function)["explain"]
    assert x.type.c_element_type() == "npy_float64"


def test_a_misspelt_name_is_told_of_names_that_are_imported_later() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'verify_grad'"):
        _ = tv.verify_grd


def test_warnings_are_seen_though_nobody_imported_logging() -> None:
    program = "import thunkvm as tv; x = tv.vector('x'); tv.function([x], tv.exp(x))([0.0])"
    assert "is ignored" in run(program, THUNKVM_VECTORS="sse").stderr


def test_messages_reach_who_imports_logging_after_the_package() -> None:
    program = """
import thunkvm as tv, logging
logging.basicConfig(level=logging.DEBUG, format="%(message)s")
tv.function([], tv.exp(1.0), mode="vm")
"""
    assert run(program).stderr.startswith("linked ")
