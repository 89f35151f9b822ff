"""The type stubs say what is there."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core
from thunkvm._src import stubs
from thunkvm._src.core_stubs import ADDED

PACKAGE = Path(stubs.__file__).resolve().parents[1]
#: The class in the core of a class in the stub that has a part of its members.
OWNERS = {stub: owner for owner, stub in ADDED.items()}


pytest.importorskip("pybind11_stubgen")


@pytest.mark.parametrize(("path", "text"), stubs.stubs().items())
def test_a_stub_is_what_the_registry_gives(path: Path, text: str) -> None:
    assert path.read_text() == text, "run python -m thunkvm._src.stubs"


def test_the_stub_of_the_core_names_what_the_core_has() -> None:
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    for item in tree.body:
        if isinstance(item, ast.FunctionDef):
            assert callable(getattr(_core, item.name)), item.name
        if isinstance(item, ast.ClassDef):
            for member in item.body:
                if isinstance(member, ast.FunctionDef):
                    owner = getattr(_core, OWNERS.get(item.name, item.name))
                    assert hasattr(owner, member.name), member.name


def bound() -> dict[str, str]:
    """Name what pybind11 binds, with its signature as `inspect` reads it."""
    classes = {name: each for name, each in vars(_core).items() if isinstance(each, type)}
    scopes = {"": vars(_core)} | {f"{name}.": vars(each) for name, each in classes.items()}
    found = {}
    for prefix, members in scopes.items():
        for name, each in members.items():
            function = getattr(each, "__func__", each)
            if "pybind11" in repr(function) and getattr(function, "__text_signature__", None):
                found[prefix + name] = name + function.__text_signature__
    return found


def parameters(function: ast.FunctionDef) -> list[tuple[str, str, str]]:
    """List (kind, name, default) of each parameter."""
    args = function.args
    given = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(given) - len(args.defaults)) + list(args.defaults)
    rows = [("", a.arg, d) for a, d in zip(given, defaults, strict=True)]
    rows += [("*", a.arg, None) for a in (args.vararg,) if a]
    rows += [("key", a.arg, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    rows += [("**", a.arg, None) for a in (args.kwarg,) if a]
    return [(kind, name, ast.unparse(d) if d else "") for kind, name, d in rows]


def test_the_stub_of_the_core_has_the_signatures_that_pybind11_binds() -> None:
    stub: dict[str, list[tuple[str, str, str]]] = {}
    for item in ast.parse((PACKAGE / "_core.pyi").read_text()).body:
        owner = OWNERS.get(item.name, item.name) if isinstance(item, ast.ClassDef) else ""
        prefix = f"{owner}." if owner else ""
        for member in item.body if isinstance(item, ast.ClassDef) else [item]:
            if isinstance(member, ast.FunctionDef):
                stub[prefix + member.name] = parameters(member)
    found = bound()
    assert len(found) > 50
    for name, line in found.items():
        (definition,) = ast.parse(f"def {line}: ...").body
        assert isinstance(definition, ast.FunctionDef)
        assert stub.get(name) == parameters(definition), name


def test_the_stub_of_the_core_has_every_method_of_a_variable() -> None:
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    (variable,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Variable"]
    exposed = ast.parse((PACKAGE / "_src" / "arrays" / "exposed.pyi").read_text())
    (methods,) = [n for n in exposed.body if isinstance(n, ast.ClassDef) and n.name == "Methods"]
    members = [*variable.body, *methods.body]
    declared = {member.name for member in members if isinstance(member, ast.FunctionDef)}
    public = {name for name in vars(tv.Variable) if not name.startswith("_")}
    attributes = {n.target.id for n in variable.body if isinstance(n, ast.AnnAssign)}
    assert public <= declared | attributes


def test_the_version_is_the_same_everywhere() -> None:
    root = Path(__file__).resolve().parents[2]
    assert f'version = "{tv.__version__}"' in (root / "pyproject.toml").read_text()
    assert f"version: '{tv.__version__}'" in (root / "meson.build").read_text()


def test_the_stub_of_the_core_has_what_numpys_stubs_ask_of_their_arguments() -> None:
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    (variable,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Variable"]
    declared = {member.name for member in variable.body if isinstance(member, ast.FunctionDef)}
    assert {"__array__", "__array_function__", "__array_ufunc__"} <= declared
    x, y = tv.matrix("x"), tv.matrix("y")
    made: list[Any] = [np.exp(x), np.maximum(x, y), np.sum(x), np.mean(x, axis=0), np.dot(x, y)]
    made += [np.where(x > 0, x, y), np.concatenate([x, y]), np.clip(x, 0, 1), np.transpose(x)]
    assert all(isinstance(z, tv.Variable) for z in made)
