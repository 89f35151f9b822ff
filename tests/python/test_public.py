"""The functions of Ops: each is named where it is defined; all else is made of that."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core
from thunkvm._src import methods, stubs, variable
from thunkvm._src.arrays import exposed, numpy_protocol, public
from thunkvm._src.arrays.composed import incomplete

stubs.import_families()

PACKAGE = Path(tv.__file__).parent
OPS = {name for name, _, _ in _core.exposed_ops()}


def named(path: Path) -> Iterator[str]:
    """What a file imports, and what stands in its strings and alone in brackets of lists."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        if isinstance(node, (ast.List, ast.Tuple, ast.Dict, ast.Set)):
            items = [*node.keys, *node.values] if isinstance(node, ast.Dict) else node.elts
            yield from (
                item.value
                for item in items
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            )


@pytest.mark.parametrize("path", ["__init__.py", "_core.pyi", "_src/arrays/numpy_protocol.py"])
def test_no_list_names_a_public_function(path: str) -> None:
    # A module of ours, and a function and a method of NumPy's that are not ours.
    allowed = {"cond", "fft", "outer"}
    assert set(named(PACKAGE / path)) & {*public.FUNCTIONS, *OPS} <= allowed


def test_the_methods_that_are_listed_are_those_that_are_not_registered() -> None:
    assert set(variable.OWN_METHODS) == set(methods.METHODS)
    listed = set(named(PACKAGE / "_src" / "variable.py")) & {*public.FUNCTIONS, *OPS}
    assert listed <= set(methods.METHODS)
    assert not set(methods.METHODS) & set(exposed.METHODS)


def test_each_function_is_defined_once_and_registered_there() -> None:
    defined: dict[str, int] = {}
    for path in (PACKAGE / "_src" / "arrays").rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(d, ast.Call) and ast.unparse(d.func) == "public"
                for d in node.decorator_list
            ):
                defined[node.name] = defined.get(node.name, 0) + 1
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("public()("):
                name = ast.unparse(node.targets[0])
                defined[name] = defined.get(name, 0) + 1
    assert defined == dict.fromkeys(public.FUNCTIONS, 1)


def test_the_package_has_what_the_prototypes_expose_and_what_is_registered() -> None:
    registered = {name for name, found in public.FUNCTIONS.items() if found.of_package}
    assert set(exposed.__all__) == OPS | registered
    # Of one name the function with more options goes first.
    assert OPS & registered == {"solve", "solve_triangular", *incomplete.OF_OPS}
    assert set(exposed.__all__) <= set(tv.__all__)
    for name in registered:
        assert inspect.unwrap(getattr(tv, name)) is public.FUNCTIONS[name].function


def test_a_variable_has_the_methods_that_are_registered() -> None:
    registered = {name for name, found in public.FUNCTIONS.items() if found.is_method}
    registered |= {name for name, _, is_method in _core.exposed_ops() if is_method}
    assert registered == set(exposed.METHODS)
    assert {*exposed.METHODS, *methods.METHODS} <= {*vars(tv.Variable)}
    for name in registered:
        assert getattr(tv.Variable, name).__doc__ == getattr(tv, name).__doc__


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (np.sum, "sum"),
        (np.amax, "max"),
        (np.around, "round"),
        (np.cumsum, "cumsum"),
        (np.linalg.norm, "norm"),
        (np.linalg.inv, "inv"),
        (np.linalg.solve, "solve"),
    ],
)
def test_numpys_function_becomes_ours(theirs: object, ours: str) -> None:
    assert numpy_protocol.own_function(theirs) is getattr(tv, ours)


def test_every_function_of_numpys_that_is_named_exists() -> None:
    paths = [path for found in public.FUNCTIONS.values() for path in found.numpy]
    paths += [path for proto in _core.op_protos() for path in proto["numpy"]]
    assert {"amax", "linalg.norm", "fabs", "degrees", "linalg.det"} <= set(paths)
    for path in paths:
        found: object = np
        for name in path.split("."):
            found = getattr(found, name)
        assert callable(found)


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="There is a public function 'sum' already"):

        @public.public()
        def sum() -> None: ...
