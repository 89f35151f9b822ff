"""The names in the tables for those who come from other libraries are names of the package."""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path

import pytest

import thunkvm as tv

PAGE = (Path(__file__).resolve().parents[2] / "docs/tutorials/coming-from.md").read_text()


def names(page: str) -> list[str]:
    """Return the names of the package in the second column of the tables of a page."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \|", page, re.MULTILINE)
    found = {name for _, ours in rows for name in re.findall(r"`tv\.([\w.]+)`", ours)}
    return sorted(found)


@pytest.mark.parametrize("name", names(PAGE))
def test_a_name_in_a_table_is_a_name_of_the_package(name: str) -> None:
    *path, last = name.split(".")
    assert last in reduce(getattr, path, tv).__all__


def test_every_row_of_a_table_has_a_name_of_the_package_or_a_word_for_it() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|", PAGE, re.MULTILINE)
    without = [theirs for theirs, ours in rows if "`tv." not in ours and ours != "here"]
    assert without == ["a pytree"]


def test_the_tables_are_those_of_three_libraries() -> None:
    assert re.findall(r"^\| (\w+) \| here \|", PAGE, re.MULTILINE) == ["PyTensor", "JAX", "CasADi"]
    assert len(names(PAGE)) > 60
