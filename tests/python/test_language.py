"""The English of README, of all of docs/ and of docstrings: a sentence has at most 20 words."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import prose
import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    "README.md",
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md")),
]
MODULES = [str(path.relative_to(ROOT)) for path in ROOT.glob("python/thunkvm/**/*.py")]
MOST_WORDS = 20


def long_sentences(document: str) -> list[str]:
    """Return the sentences of a document that have more words than they may."""
    return [each for each in prose.sentences(document) if prose.words(each) > MOST_WORDS]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_sentence_has_at_most_20_words(document: str) -> None:
    assert long_sentences((ROOT / document).read_text()) == []


def docstrings(source: str) -> Iterator[str]:
    """Yield the docstrings of a module, its classes and its functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node) or ""


def test_a_sentence_of_a_docstring_has_at_most_20_words() -> None:
    found = {
        f"{module}: {sentence}"
        for module in MODULES
        for text in docstrings((ROOT / module).read_text())
        for sentence in long_sentences(prose.docstring_prose(text))
    }
    assert found == set()


def test_a_long_sentence_is_found_in_the_summary_and_the_entries_of_a_docstring() -> None:
    long = " ".join(["word"] * 21)
    for text in (
        f"{long}.",
        f"Parameters\n---\nx : int\n    {long}",
        f"Raises\n---\nE\n    {long}",
    ):
        assert [found.rstrip(".") for found in long_sentences(prose.docstring_prose(text))] == [
            long
        ]


def test_headings_tables_examples_and_code_are_no_prose_of_a_docstring() -> None:
    half = " ".join(["word"] * 15)
    for text in (
        f"x : {half}\n    {half}",
        f"=== ===\na   {half}\n    {half}\n=== ===",
        f"Examples\n---\n>>> {half}\n{half}",
        f"Write::\n\n    {half}\n    {half}",
    ):
        assert long_sentences(prose.docstring_prose(text)) == []


def test_a_long_sentence_is_found_in_paragraphs_paragraphs_lists_and_tables() -> None:
    long = " ".join(["word"] * 21)
    for text in (f"{long}.", f"- {long}", f"Short. {long}.", f"| cell | {long} |"):
        assert [found.rstrip(".") for found in long_sentences(text)] == [long]


def test_code_is_a_word_and_blocks_of_code_and_headings_are_no_prose() -> None:
    many = " ".join(["word"] * 25)
    assert long_sentences(f"Write `{many}` here.") == []
    assert long_sentences(f"```python\n{many}\n```\n\n# {many}\n\n<!-- {many} -->") == []
    assert long_sentences(f"See [ten words]({'x' * 40}).") == []


def test_a_part_behind_a_colon_or_a_semicolon_is_counted_by_itself() -> None:
    part = " ".join(["word"] * 12)
    assert long_sentences(f"{part}: {part}; {part}.") == []
    assert long_sentences(f"{part}, {part}.") == [f"{part}, {part}."]
