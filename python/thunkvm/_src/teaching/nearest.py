"""The name that a misspelt one was probably meant to be, for error messages."""

from __future__ import annotations

from collections.abc import Iterable

#: One letter in so many may be wrong, and no more than two.
LETTERS = 3
#: Words that begin with as many letters of each other are forms of one word: "merging", "merge".
STEM = 4


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the nearest of `names`, or ``""`` if none is near.

    A near name begins with the same letter. It differs in one letter or two (left out, added,
    changed, exchanged), or in its ending. Upper and lower case are the same.

    Examples
    --------
    >>> from thunkvm._src.teaching.nearest import did_you_mean
    >>> did_you_mean("cwm", ["py", "vm", "cvm"])
    " Did you mean 'cvm'?"
    >>> did_you_mean("pi", ["print_", "py"]), did_you_mean("cov", ["exp", "conj"])
    ('', '')
    """
    asked = name.lower()
    near = [
        (distance, sorted(other.lower()) != sorted(asked), other)
        for other in names
        if (distance := _distance(asked, other.lower())) <= min(len(asked) // LETTERS, 2)
    ]
    return f" Did you mean {min(near)[-1]!r}?" if near else ""


def _distance(asked: str, known: str) -> int:
    """Return how many letters are wrong; more than two where these are different words."""
    if known[:1] != asked[:1]:
        return 3
    stem = min(known, asked, key=len)[:-1]
    if len(stem) >= STEM and known.startswith(stem) and asked.startswith(stem):
        return 1 if abs(len(known) - len(asked)) < 2 else 2
    return 3 if abs(len(known) - len(asked)) > 2 else _edits(asked, known)


def _edits(one: str, other: str) -> int:
    """Return how many letters to leave out, add, change or exchange with the next one."""
    before, last = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        row = [i]
        for j, second in enumerate(other, start=1):
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != second))
            exchanged = i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == second
            row.append(min(least, before[j - 2] + 1) if exchanged else least)
        before, last = last, row
    return last[-1]
