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

PACKAGE = Path(stubs.__file__).resolve().parents[1]


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
                    assert hasattr(getattr(_core, item.name), member.name), member.name


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
