"""The programs of the gallery run, check their results, and say in plain English what they do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import prose
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "docs/gallery").glob("*.py"))
MOST_LINES = 90
MOST_WORDS = 20
#: The letters of a description, which stands below a picture in the gallery.
WIDEST_DESCRIPTION = 95


def story(program: str) -> str:
    """Return the prose of a program as Markdown: its docstring, and its blocks of comments."""
    docstring = re.match(r'"""\n.*\n=+\n(.*?)"""', program, re.DOTALL)
    assert docstring, "a program begins with a title and a story"
    blocks = re.findall(r"^# %%\n((?:#.*\n)+)", program, re.MULTILINE)
    texts = ["\n".join(line[1:].strip() for line in block.splitlines()) for block in blocks]
    return "\n\n".join([docstring[1], *texts])


def test_the_gallery_has_at_least_15_programs() -> None:
    assert len(PROGRAMS) >= 15


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_runs_and_checks_its_result(path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    environment = os.environ | {"MPLBACKEND": "Agg"}
    command = [sys.executable, "-W", "error", str(path)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_short_and_has_an_assertion_and_a_picture(path: Path) -> None:
    program = path.read_text()
    assert len(program.splitlines()) <= MOST_LINES
    assert re.search(r"^ *(?:assert|np\.testing\.assert_\w+\() ?", program, re.MULTILINE)
    assert program.count("plt.show()") == 1


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_begins_with_a_description_of_one_line(path: Path) -> None:
    found = re.match(r'"""\n.*\n=+\n\n(.+)\n\n\w', path.read_text())
    assert found, "a title, then a line, then the story"
    assert len(found[1]) <= WIDEST_DESCRIPTION
    assert len(list(prose.sentences(found[1]))) == 1


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_picture_has_a_caption_below_it(path: Path) -> None:
    # What a block prints stands between its picture and the caption, so the picture has its own.
    _, *blocks = re.split("^# %%\n", path.read_text(), flags=re.MULTILINE)
    picture, caption = blocks[-2:]
    assert "plt.show()\n" in picture
    assert "print(" not in picture
    assert re.fullmatch("(# .+\n)+", caption)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_says_what_branches_did(path: Path) -> None:
    assert re.search(r"\.counts\(\)|nfev|\.profile\(", path.read_text())


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_sentences_of_a_story_have_at_most_20_words(path: Path) -> None:
    sentences = prose.sentences(story(path.read_text()))
    assert [each for each in sentences if prose.words(each) > MOST_WORDS] == []
