"""What the package says of itself to who installs it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


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
