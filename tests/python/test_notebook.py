"""Notebooks, run by nbclient: graphs, functions, profiles and explanations are shown as HTML."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

CELLS = {
    "set-up": """
import thunkvm as tv
x, limit = tv.vector("x"), tv.scalar("limit")
total = tv.sum(x)
cost = tv.ifelse(total < limit, tv.exp(x).sum(), -total)
f = tv.function([x, limit], [cost, tv.grad(cost, x)], mode="vm", profile=True)
f([1.0, 2.0], 10.0);
""",
    "variable": "cost",
    "node": "cost.owner",
    "function": "f",
    "profile": "f.profile",
    "explanation": "f.explain()",
    "difference": "f.profile.diff(f.profile)",
    "setting": "tv.config.blas_threads",
    "error": """
try:
    f([1.0], "a")
except TypeError as error:
    print(error)
""",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The outputs of each cell, from a kernel of this interpreter."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source.strip()) for source in CELLS.values()]
    home = tmp_path_factory.mktemp("home")
    kernel = {"IPYTHONDIR": str(home), "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in kernel.items():
            patch.setenv(name, value)
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def html(outputs: dict[str, list[Any]], cell: str) -> str:
    (output,) = outputs[cell]
    return str(output.data["text/html"])


@pytest.mark.parametrize("cell", ["variable", "node", "function", "profile"])
def test_a_notebook_shows_a_picture(outputs: dict[str, list[Any]], cell: str) -> None:
    drawn = shutil.which("dot") is not None
    assert html(outputs, cell).count('src="data:image/svg+xml;base64,') == int(drawn)


@pytest.mark.parametrize("cell", ["profile", "explanation", "difference"])
def test_a_notebook_shows_tables(outputs: dict[str, list[Any]], cell: str) -> None:
    assert html(outputs, cell).count("<table>") == html(outputs, cell).count("</table>") > 0


@pytest.mark.parametrize("cell", ["profile", "explanation", "difference"])
def test_a_table_that_is_wider_than_the_notebook_scrolls(
    outputs: dict[str, list[Any]], cell: str
) -> None:
    shown = html(outputs, cell)
    assert shown.count("<table>") == shown.count('<div style="overflow-x: auto"><table>')


@pytest.mark.parametrize("cell", ["variable", "node", "function"])
def test_a_notebook_shows_the_tree_of_a_graph(outputs: dict[str, list[Any]], cell: str) -> None:
    assert "<summary>graph</summary><pre>" in html(outputs, cell)


def test_a_notebook_shows_each_thing_as_text_too(outputs: dict[str, list[Any]]) -> None:
    for cell in ("variable", "node", "function", "profile", "explanation"):
        (output,) = outputs[cell]
        assert str(output.data["text/plain"]).strip()


def test_a_notebook_gets_no_output_of_our_own(outputs: dict[str, list[Any]]) -> None:
    assert outputs["set-up"] == []
    (printed,) = outputs["error"]
    assert "limit" in printed.text
