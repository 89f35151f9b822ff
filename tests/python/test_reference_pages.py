"""The site's reference has a page of each public module, and on it each of its names."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import thunkvm as tv
from thunkvm._src import later

SOURCE = Path(__file__).resolve().parents[2] / "docs" / "site" / "reference.py"


def load_reference() -> ModuleType:
    """Return the module that writes the reference."""
    spec = importlib.util.spec_from_file_location("reference", SOURCE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = load_reference().pages()


def entries(text: str) -> list[str]:
    """Return the names that a page documents."""
    lines = (line.split("::", 1) for line in text.splitlines() if line.startswith(".. auto"))
    return [found.strip() for directive, found in lines if directive != ".. automodule"]


@pytest.mark.parametrize("name", [*later.MODULES, "profile"])
def test_a_page_documents_the_names_of_a_public_module(name: str) -> None:
    module = getattr(tv, name)
    names = [each for each in module.__all__ if not inspect.ismodule(getattr(module, each))]
    assert entries(PAGES[f"tv-{name}"]) == [f"thunkvm.{name}.{each}" for each in names]


def test_the_pages_of_families_document_each_name_of_the_package_once() -> None:
    names = [name for name in tv.__all__ if not inspect.ismodule(getattr(tv, name))]
    documented = [
        name for page, text in PAGES.items() if not page.startswith("tv-") for name in entries(text)
    ]
    assert sorted(documented) == sorted(
        f"thunkvm.{name}" for name in names if not name.startswith("__")
    )


def test_the_index_lists_each_page() -> None:
    listed = {line.strip() for line in PAGES["index"].splitlines() if line.startswith("   ")}
    assert listed - {":maxdepth: 1", ""} == PAGES.keys() - {"index"}
