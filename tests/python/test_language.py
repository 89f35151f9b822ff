"""The English of README and of all of docs/: a sentence has at most 20 words."""

from __future__ import annotations

from pathlib import Path

import prose
import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    "README.md",
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md")),
]
MOST_WORDS = 20


def long_sentences(document: str) -> list[str]:
    """Return the sentences of a document that have more words than they may."""
    return [each for each in prose.sentences(document) if prose.words(each) > MOST_WORDS]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_sentence_has_at_most_20_words(document: str) -> None:
    assert long_sentences((ROOT / document).read_text()) == []


def test_a_long_sentence_is_found_in_paragraphs_lists_and_tables() -> None:
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
