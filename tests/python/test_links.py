"""Names in code's letters are links to the site's reference, where it has an entry of that name."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("sphinx", reason="sphinx is not installed")
pytest.importorskip("myst_parser", reason="myst-parser is not installed")

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"
REFERENCE = """
.. py:module:: thunkvm

.. py:data:: config

.. py:function:: where(mask)

   Takes `mask`, as `sum` and `thunkvm.sum` do; not `x > 0`.

.. py:function:: sum(x, where)

   Adds up `x` `where` it is told. So does `tv.where`.

.. py:class:: Function

   .. py:method:: explain()

.. py:module:: thunkvm.optimize

.. py:function:: root(fun)

   Like `sum`; see `root`.
"""
PAGE = """
# `tv.sum` of a page

`tv.sum(x, where)`, `tv.config.mode = "vm"`, `tv.psi`, `x.sum()`, `f.explain()`, `f.map(n)`,
[`tv.where`](reference.rst).
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The texts of the page and of the reference, as HTML."""
    source = tmp_path_factory.mktemp("site")
    built = source / "built"
    (source / "reference.rst").write_text("Reference\n=========\n" + REFERENCE)
    (source / "index.md").write_text(PAGE + "\n```{toctree}\n:hidden:\n\nreference\n```\n")
    settings = ("extensions=myst_parser,links", "default_role=py:obj")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "--isolated"]
    command += [part for setting in settings for part in ("-D", setting)]
    ran = subprocess.run(
        [*command, str(source), str(built)],
        env=os.environ | {"PYTHONPATH": str(SITE)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    pages = {name: (built / f"{name}.html").read_text() for name in ("index", "reference")}
    return {name: page.partition('class="sphinxsidebar"')[0] for name, page in pages.items()}


def plain(html: str) -> str:
    """Return a text without its tags."""
    return unescape(re.sub("<[^>]+>", "", html))


def links(html: str) -> dict[str, str]:
    """Return the texts in code's letters that are links, and the entries that they lead to."""
    found = re.findall(r'<a [^>]*href="[^"]*#([^"]+)"[^>]*><code[^>]*>(.*?)</code></a>', html)
    return {plain(text): entry for entry, text in found}


def test_names_of_docstrings_are_links(site: dict[str, str]) -> None:
    found = links(site["reference"])
    assert {name: found[name] for name in ("sum", "thunkvm.sum", "tv.where")} == {
        "sum": "thunkvm.sum", "thunkvm.sum": "thunkvm.sum", "tv.where": "thunkvm.where",
    }  # fmt: skip


def test_names_of_parameters_and_of_the_entry_itself_are_no_links(site: dict[str, str]) -> None:
    own = {"mask", "x", "where", "root", "x > 0"}
    in_code = map(plain, re.findall("<code[^>]*>.*?</code>", site["reference"]))
    assert own <= {*in_code}
    assert own & links(site["reference"]).keys() == set()


def test_code_of_pages_that_begins_with_such_a_name_is_a_link(
    site: dict[str, str],
) -> None:
    assert links(site["index"]) == {
        "tv.sum(x, where)": "thunkvm.sum",
        'tv.config.mode = "vm"': "thunkvm.config",
        "f.explain()": "thunkvm.Function.explain",
    }


def test_the_index_of_sources_leaves_out_compiled_modules() -> None:
    spec = importlib.util.spec_from_file_location("links", SITE / "links.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sources = {"thunkvm._core": False, "thunkvm.nn": ("source", {}, {}, "")}
    module.leave_out_compiled_modules(
        SimpleNamespace(env=SimpleNamespace(_viewcode_modules=sources))
    )
    assert sources.keys() == {"thunkvm.nn"}
