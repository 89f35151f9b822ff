"""What the package says of itself to who installs it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DOCUMENTS = [f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_is_the_long_description() -> None:
    assert PROJECT["readme"] == "README.md"
    assert (ROOT / PROJECT["readme"]).read_text().startswith(f"# {PROJECT['name']}\n")


def test_the_classifiers_are_the_pythons_that_it_runs_on() -> None:
    lowest, end = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"]).groups()
    pythons = [f"Programming Language :: Python :: 3.{n}" for n in range(int(lowest), int(end))]
    assert [c for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)] == pythons


def test_keywords_and_classifiers_are_in_order_and_come_once() -> None:
    for names in (PROJECT["keywords"], PROJECT["classifiers"]):
        assert names == sorted(set(names))


def test_what_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text())
    assert "CHANGELOG.md" in links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readme_is_a_page_with_a_picture() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 150
    assert "](docs/images/graph.svg)" in text


def test_an_index_shows_authors_and_a_licence() -> None:
    assert PROJECT["authors"]
    assert set(PROJECT["license"].split(" AND ")) == {"BSD-3-Clause", "MIT"}
    assert any(ROOT.glob(pattern) for pattern in PROJECT["license-files"])


def test_the_readme_names_the_packages_that_an_installation_from_source_needs() -> None:
    install = re.search(r"wanted=\((lib[^)]*)\)", (ROOT / "dev").read_text())
    assert install is not None
    of_tests = {"doctest-dev"}
    wanted = {*install[1].split()} - of_tests
    for page in ("README.md", "docs/start/install.md"):
        assert [name for name in wanted if name not in (ROOT / page).read_text()] == []


def missing_paths(document: Path) -> list[str]:
    """Return the paths of the repository that a document names in backticks and that are not."""
    folders = "|".join(path.name for path in ROOT.iterdir() if path.is_dir())
    named = re.findall(rf"`((?:{folders})/[\w./*-]*)", document.read_text())
    return [path for path in named if not any(ROOT.glob(path))]


@pytest.mark.parametrize("document", ["README.md", *DOCUMENTS])
def test_the_paths_that_a_document_names_are_there(document: str) -> None:
    assert missing_paths(ROOT / document) == []


def test_a_path_that_is_gone_is_found(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("`vm/frame.h`, `vm/gone.h:3`, `ops/*/gone.h`, `python/*/_core.pyi`")
    assert missing_paths(document) == ["vm/gone.h", "ops/*/gone.h"]
