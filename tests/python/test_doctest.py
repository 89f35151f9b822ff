"""The examples of the docstrings, of the Ops and of the README run, and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import thunkvm as tv

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [
    "thunkvm",
    *(
        module.name
        for module in pkgutil.walk_packages(tv.__path__, "thunkvm.")
        if not module.name.endswith("__main__") and module.name != "thunkvm._core"
    ),
]


def run(examples: str, name: str) -> int:
    """Run doctest examples with `tv` and `np` at hand; return how many there were."""
    test = doctest.DocTestParser().get_doctest(examples, {"tv": tv, "np": np}, name, name, 0)
    printed: list[str] = []
    failed, attempted = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
    assert failed == 0, "".join(printed)
    return attempted


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        run(test.docstring, test.name)


@pytest.mark.parametrize("name", tv.ops.__all__)
def test_examples_of_an_op(name: str) -> None:
    run(getattr(tv.ops, name).__doc__ or "", name)


@pytest.mark.parametrize("name", ["set", "inc", "get_value", "set_value"])
def test_examples_of_a_method(name: str) -> None:
    assert run(getattr(tv.Variable, name).__doc__ or "", name) > 0


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/checking.md",
        "docs/coming-from-theano.md",
        "docs/derivatives.md",
        "docs/layers.md",
        "docs/linking.md",
        "docs/pickles.md",
        "docs/graph_files.md",
        "docs/vmap.md",
        "docs/index.md",
        "docs/threads.md",
        "docs/start/explain.md",
        "docs/start/laziness.md",
        "docs/start/modes.md",
        "docs/start/ten-minutes.md",
        "docs/emission.md",
        "docs/errors.md",
        "docs/least-squares.md",
        "docs/loops.md",
        "docs/nests.md",
        "docs/ops-in-c.md",
        "docs/ops-in-plain-c.md",
        "docs/ops-shape-and-slopes.md",
        "docs/optimize.md",
        "docs/ode.md",
        "docs/profiling.md",
        "docs/random.md",
        "docs/programs/collatz.md",
        "docs/programs/fixed-point.md",
        "docs/programs/hamilton-filter.md",
        "docs/programs/integrator.md",
        "docs/programs/kalman-filter.md",
        "docs/programs/line-search.md",
        "docs/programs/newton.md",
        "docs/programs/power-iteration.md",
        "docs/programs/recurrent-network.md",
        "docs/registering-ops.md",
        "docs/rewrites.md",
        "docs/sampling.md",
        "docs/settings.md",
        "docs/tutorials/coming-from.md",
        "docs/tutorials/comparing-modes.md",
        "docs/tutorials/costly-branch.md",
        "docs/tutorials/line-search.md",
        "docs/tutorials/own-ops.md",
        "docs/writing-ops.md",
    ],
)
def test_examples_of_the_documentation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir((ROOT / name).parent)  # for the files beside a page
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    assert run("\n".join(blocks), name) > 0


def test_index_of_the_programs_names_each_page_once() -> None:
    programs = ROOT / "docs/programs"
    linked = re.findall(r"\]\(([a-z-]+\.md)\)", (programs / "README.md").read_text())
    pages = {path.name for path in programs.glob("*.md")} - {"README.md"}
    assert sorted(linked) == sorted(pages)


def public() -> list[str]:
    return sorted(name for name in tv.__all__ if callable(getattr(tv, name)))


@pytest.mark.parametrize("name", public())
def test_every_public_name_is_documented(name: str) -> None:
    assert (getattr(tv, name).__doc__ or "").strip()
