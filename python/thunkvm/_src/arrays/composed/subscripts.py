"""The subscripts of `einsum`: both of NumPy's notations, as labels of axes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from thunkvm._core import Variable
from thunkvm._src.graph.values import as_variable

#: The label of an axis: a letter or a number; of one behind "...", its place from the right, and
#: "..." before it.
Label = Any


def parse_subscripts(args: Sequence[Any]) -> tuple[list[Variable], list[list[Label]], list[Label]]:
    """Return the operands of `einsum`, the labels of their axes, and those of the result.

    Parameters
    ----------
    args : sequence
        ``("ij,jk->ik", a, b)``, or ``(a, [0, 1], b, [1, 2], [0, 2])``.

    Returns
    -------
    tuple

    Raises
    ------
    TypeError, ValueError
        If they are not written so, or do not fit the operands.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.subscripts import parse_subscripts
    >>> _, labels, result = parse_subscripts(["ij,jk", tv.matrix(), tv.matrix()])
    >>> labels, result
    ([['i', 'j'], ['j', 'k']], ['i', 'k'])
    """
    if not args:
        raise TypeError('[einsum] it takes subscripts and operands: einsum("ij,jk->ik", a, b).')
    if isinstance(args[0], str):
        operands, terms, result = _parse_text(args[0], args[1:])
    else:
        operands, terms, result = _parse_lists(args)
    labels = [
        _label_axes(i, term, x) for i, (term, x) in enumerate(zip(terms, operands, strict=True))
    ]
    hidden = sorted({label for each in labels for label in each if _is_hidden(label)}, reverse=True)
    counts = Counter(label for each in labels for label in each if not _is_hidden(label))
    if result is None:
        return operands, labels, hidden + sorted(each for each in counts if counts[each] == 1)
    if hidden and "..." not in result:
        raise ValueError(
            "[einsum] the operands have axes behind '...', but the result has no '...'; write it "
            "after '->', or give these axes letters."
        )
    for label in result:
        if result.count(label) > 1:
            raise ValueError(f"[einsum] the result has {label!r} twice; each index is one axis.")
        if label != "..." and label not in counts:
            raise ValueError(f"[einsum] the result has {label!r}, which no operand has.")
    out = [each for label in result for each in (hidden if label == "..." else [label])]
    return operands, labels, out


def _is_hidden(label: Label) -> bool:
    return isinstance(label, tuple)


def _parse_text(
    text: str, given: Sequence[Any]
) -> tuple[list[Variable], list[list[Label]], list[Label] | None]:
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = [_letters(text, term) for term in left.split(",")]
    if len(terms) != len(given):
        raise ValueError(
            f"[einsum] the subscripts {text!r} are those of {len(terms)} operands, but there are "
            f"{len(given)}; write one term for each, with commas between them."
        )
    return [as_variable(x) for x in given], terms, _letters(text, right) if arrow else None


def _letters(text: str, term: str) -> list[Label]:
    out: list[Label] = []
    while term:
        label = "..." if term.startswith("...") else term[0]
        if label != "..." and not (label.isascii() and label.isalpha()):
            raise ValueError(
                f"[einsum] the subscripts {text!r} have {label!r}; they are made of letters, "
                "commas, '...' and one '->'."
            )
        out.append(label)
        term = term[len(label) :]
    return out


def _parse_lists(
    args: Sequence[Any],
) -> tuple[list[Variable], list[list[Label]], list[Label] | None]:
    pairs, rest = args[: len(args) // 2 * 2], args[len(args) // 2 * 2 :]
    terms = [_numbers(term) for term in pairs[1::2]]
    return [as_variable(x) for x in pairs[::2]], terms, _numbers(rest[0]) if rest else None


def _numbers(term: Any) -> list[Label]:
    if not isinstance(term, (list, tuple)) or not all(
        each is Ellipsis or (isinstance(each, int) and each >= 0) for each in term
    ):
        raise TypeError(
            f"[einsum] {term!r} are no subscripts; write a list of numbers and ... after each "
            'operand, or one text first: einsum("ij,jk->ik", a, b).'
        )
    return ["..." if each is Ellipsis else each for each in term]


def _label_axes(i: int, term: list[Label], x: Variable) -> list[Label]:
    """Return a label for each axis of an operand."""
    named = [label for label in term if label != "..."]
    dots = len(term) - len(named)
    hidden = x.ndim - len(named)
    if dots > 1:
        raise ValueError(f"[einsum] operand {i} has '...' {dots} times; write it once.")
    if hidden < 0 or (hidden and not dots):
        raise ValueError(
            f"[einsum] operand {i} is {x}, with {x.ndim} axes, but its subscripts are "
            f"{len(named)}; write one for each axis, or '...' for the others."
        )
    behind = [("...", place) for place in range(hidden, 0, -1)]
    return [each for label in term for each in (behind if label == "..." else [label])]


__all__ = ["Label", "parse_subscripts"]
