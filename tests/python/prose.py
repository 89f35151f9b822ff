"""The sentences of documents in Markdown and of docstrings, and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What is no prose: blocks of code, comments, headings, rules of tables.
NO_PROSE = re.compile(r"^ *```.*?^ *```$|<!--.*?-->|^#.*?$|^\|[-:| ]+\|$", re.DOTALL | re.MULTILINE)
#: A formula or a piece of code, which is one word.
CODE = re.compile(r"``.+?``|`[^`]+`|\$[^$\n]+\$", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) +", re.MULTILINE)
#: The end of a sentence, or of a part of one that a reader takes by itself.
END = re.compile(r"(?<=[.!?:;])[*)\"]*\s+")
#: What is no prose in a docstring: tables, examples, blocks of code, underlines.
NO_PROSE_OF_DOCSTRINGS = re.compile(
    r"^( *)=+( +=+)+$.*^\1=+( +=+)+$|^ *>>> .*?(?=\n\s*\n|\Z)|^ *-{3,}$"
    r"|(::|^ *\.\. [\w-]+::[^\n]*)(\n+ {4,}[^\n]*)+",
    re.DOTALL | re.MULTILINE,
)
#: The heading of an entry, ``x : int``: what is indented follows.
HEADING = re.compile(r"^( *)(\S.*)\n(?=\1 {4}\S)", re.MULTILINE)


def docstring_prose(docstring: str) -> str:
    """Return the prose of a docstring as Markdown, entries apart from their headings."""
    return HEADING.sub(r"\1\2\n\n", NO_PROSE_OF_DOCSTRINGS.sub("\n\n", docstring))


def sentences(document: str) -> Iterator[str]:
    """Yield the sentences of a document, a word for each piece of code."""
    text = NO_PROSE.sub("\n\n", document)
    text = LINK.sub(r"\1", CODE.sub("CODE", text))
    for block in re.split(r"\n\s*\n|\|", ITEM.sub("\n\n", text)):
        yield from (found for found in END.split(" ".join(block.split())) if found)


def words(sentence: str) -> int:
    """Return how many words a sentence has: what has a letter or a digit."""
    return sum(any(map(str.isalnum, word)) for word in sentence.split())
