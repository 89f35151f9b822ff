"""The functions that users of NumPy and PyTensor look for: each is there, or is told."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.teaching import elsewhere

LISTS = tomllib.loads((Path(__file__).parent / "names_of_others.toml").read_text())
NAMES = {library: table["names"].split() for library, table in LISTS.items()}
#: So many have the same name here, as a function or as a method.
LEAST = {"numpy": 297, "numpy.linalg": 31, "numpy.fft": 18, "pytensor.tensor": 345}


def is_ours(library: str, name: str) -> bool:
    if library == "numpy.fft":
        return name in tv.fft.__all__
    return name in tv.__all__ or hasattr(tv.Variable, name)


@pytest.mark.parametrize("library", NAMES)
def test_as_many_functions_have_the_same_name_as_had_it(library: str) -> None:
    assert sum(is_ours(library, name) for name in NAMES[library]) >= LEAST[library]


def test_the_documentation_says_how_many_functions_have_the_same_name() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/start/ten-minutes.md").read_text()
    said = re.search(
        r"NumPy's (\d+) functions\s+(\d+) have .+ PyTensor's (\d+) functions of tensors (\d+)", page
    )
    assert said
    counted = []
    for library in ("numpy", "pytensor.tensor"):
        names = NAMES[library]
        counted += [len(names), sum(is_ours(library, name) for name in names)]
    assert [int(number) for number in said.groups()] == counted


@pytest.mark.parametrize("library", NAMES)
def test_a_name_that_is_not_ours_has_an_answer(library: str) -> None:
    silent = [n for n in NAMES[library] if not is_ours(library, n) and not elsewhere.advice(n)]
    assert silent == []


def test_the_lists_have_the_functions_of_the_numpy_that_is_installed() -> None:
    listed = set(NAMES["numpy"])
    there = {n for n in np.__all__ if callable(getattr(np, n))}
    functions = {n for n in there if not isinstance(getattr(np, n), type)}
    assert len(functions & listed) > 380
