"""Each public name of each room has an example in its documentation, which runs."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import thunkvm as tv

ROOMS = {
    "tv": tv, "tv.fft": tv.fft, "tv.linking": tv.linking, "tv.nn": tv.nn, "tv.ops": tv.ops,
    "tv.optimize": tv.optimize, "tv.profile": tv.profile, "tv.random": tv.random,
    "tv.testing": tv.testing,
}  # fmt: skip
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def documentation(room: ModuleType, name: str) -> str:
    """Return the docstring of a value; of an alias of a type, the comment in front of it."""
    value = getattr(room, name)
    if getattr(value, "__module__", None) != "typing":
        return inspect.getdoc(value) or ""
    sources = "".join(path.read_text() for path in Path(room.__file__ or "").parent.glob("*.py"))
    found = re.search(rf"((?:^#:.*\n)+){name} = ", sources, re.MULTILINE)
    return re.sub("^#: ?", "", found[1], flags=re.MULTILINE) if found else ""


def documented() -> Iterator[tuple[str, str]]:
    """Yield each public name with its documentation."""
    for prefix, room in ROOMS.items():
        for name in room.__all__:
            if not name.startswith("__"):
                yield f"{prefix}.{name}", documentation(room, name)


def is_run_elsewhere(value: object) -> bool:
    """Return whether `test_doctest` runs a value's examples: of a function or class of a module."""
    own = getattr(value, "__module__", None) not in ("thunkvm", "thunkvm._core", "typing")
    return own and (inspect.isfunction(value) or inspect.isclass(value))


DOCUMENTED = dict(documented())
#: The names whose examples no other test runs: bound, imported under another name, or made values.
RUN_HERE = [
    f"{prefix}.{name}"
    for prefix, room in ROOMS.items()
    for name in room.__all__
    if prefix != "tv.ops" and f"{prefix}.{name}" in DOCUMENTED
    if not is_run_elsewhere(getattr(room, name))
]


def test_every_public_name_has_an_example() -> None:
    assert [name for name, text in DOCUMENTED.items() if ">>> " not in text] == []


@pytest.mark.parametrize("name", RUN_HERE)
def test_the_example_of_a_name_runs(name: str) -> None:
    globs = {"tv": tv, "np": np}
    test = doctest.DocTestParser().get_doctest(DOCUMENTED[name], globs, name, name, 0)
    printed: list[str] = []
    failed, attempted = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
    assert attempted > 0
    assert failed == 0, "".join(printed)
