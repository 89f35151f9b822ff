"""Sums of products by subscripts: `einsum`, down to products of matrices."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.subscripts import Label, parse_subscripts
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.equal_shapes import with_equal_axes
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.reductions import sum as total
from thunkvm._src.arrays.shapes import broadcast_to, diagonal, reshape, squeeze, transpose

if TYPE_CHECKING:
    import numpy.typing as npt


@public()
def einsum(*args: Any, dtype: npt.DTypeLike | None = None, optimize: Any = "greedy") -> Variable:
    """Return sums of products whose axes are named by subscripts, as ``numpy.einsum``.

    Parameters
    ----------
    *args
        Subscripts and operands, ``einsum("ij,jk->ik", a, b)``, or operands and lists of numbers,
        ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. An index that the result has not is summed over.
        Without ``->`` the result has the indices that are there once, sorted. One that an operand
        has twice is a diagonal; ``...`` are further axes, which broadcast.
    dtype : dtype, optional
        The dtype to compute in; that of all operands together if left out.
    optimize : bool or str
        How the order of the products is chosen where all lengths are known: what
        ``numpy.einsum_path`` takes. Where some are not, they go from left to right.

    Returns
    -------
    Variable
        It is made of products of matrices wherever an index is summed over.

    Raises
    ------
    ValueError
        If the subscripts do not fit the operands, or lengths of an index differ and none is 1; if
        lengths are not known yet, when called.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.matrix("a"), tv.matrix("b")
    >>> f = tv.function([a, b], [tv.einsum("ij,jk", a, b), tv.einsum("ij,ji->", a, b)])
    >>> f([[1.0, 2.0]], [[3.0], [4.0]])
    [array([[11.]]), np.float64(11.0)]
    """
    operands, labels, result = parse_subscripts(args)
    common = np.result_type(*(x.dtype for x in operands)) if dtype is None else np.dtype(dtype)
    terms = [
        _Term(astype(x, common), each, i)
        for i, (x, each) in enumerate(zip(operands, labels, strict=True))
    ]
    terms = [_without_repeats(term) for term in terms]
    lengths = _broadcast(terms)
    for positions in _path(terms, result, lengths, optimize):
        chosen = [terms[i] for i in positions]
        terms = [term for i, term in enumerate(terms) if i not in positions]
        product = chosen[0]
        for k, other in enumerate(chosen[1:], 2):
            later = {label for term in [*terms, *chosen[k:]] for label in term.labels}
            product = _product(product, other, later | set(result), lengths)
        terms.append(product)
    out = _sum_labels(terms[0], set(result))
    return transpose(out.x, [out.labels.index(label) for label in result]) if result else out.x


class _Term:
    """An operand, or a product of some."""

    def __init__(self, x: Variable, labels: list[Label], number: int = -1) -> None:
        self.x = x
        self.labels = labels
        self.number = number

    def known_length(self, label: Label) -> int | None:
        """Return the length of an axis, if the Type has it."""
        length: int | None = self.x.type.shape[self.labels.index(label)]
        return length


def _without_repeats(term: _Term) -> _Term:
    """Return a term with the diagonals of what has an index twice."""
    x, labels = term.x, list(term.labels)
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            what = f"[einsum] operand {term.number}, which has the index {label!r} twice,"
            x = diagonal(with_equal_axes(x, first, second, what), 0, first, second)
            labels = [each for i, each in enumerate(labels) if i not in (first, second)] + [label]
    return _Term(x, labels, term.number)


def _broadcast(terms: list[_Term]) -> dict[Label, Any]:
    """Give all terms the same length of each index; return these, as integers where known."""
    lengths: dict[Label, Any] = {}
    for label in dict.fromkeys(label for term in terms for label in term.labels):
        having = [term for term in terms if label in term.labels]
        known = {term.known_length(label): term.number for term in having}
        long = [n for n in known if n is not None and n != 1]
        if len(long) > 1:
            raise ValueError(
                f"[einsum] the index {_text(label)} has length {long[0]} in operand "
                f"{known[long[0]]}, but {long[1]} in operand {known[long[1]]}; lengths of an index "
                "are the same, or 1."
            )
        if len(known) > 1:  # what has length 1 counts for all
            for term in [each for each in having if each.known_length(label) == 1]:
                term.x = squeeze(term.x, term.labels.index(label))
                term.labels = [each for each in term.labels if each != label]
            having = [term for term in having if label in term.labels]
        unknown = [term for term in having if term.known_length(label) is None]
        if not unknown:
            lengths[label] = having[0].known_length(label)
            continue
        of_unknown = [ops.length(term.x, axis=term.labels.index(label)) for term in unknown]
        lengths[label] = long[0] if long else of_unknown[0]
        if len(having) > 1:
            if not long:
                lengths[label] = ops.broadcast_length(*of_unknown)
            for term in unknown:
                shape = [
                    lengths[label] if each == label else length(term.x, axis)
                    for axis, each in enumerate(term.labels)
                ]
                term.x = broadcast_to(term.x, shape)
    return lengths


def _text(label: Label) -> str:
    return "of '...'" if isinstance(label, tuple) else repr(label)


def _path(
    terms: list[_Term], result: list[Label], lengths: dict[Label, Any], optimize: Any
) -> list[Sequence[int]]:
    """Return which terms are multiplied, one product after the other; a product goes last."""
    if len(terms) == 1:
        return []
    names = dict(zip(lengths, string.ascii_letters, strict=False))
    is_known = all(isinstance(length, int) for length in lengths.values())
    if len(terms) == 2 or not is_known or len(names) < len(lengths) or optimize is False:
        return [tuple(range(len(terms)))]
    text = ",".join("".join(names[label] for label in term.labels) for term in terms)
    text += "->" + "".join(names[label] for label in result)
    shapes = [np.broadcast_to(0.0, [lengths[label] for label in term.labels]) for term in terms]
    path: list[Sequence[int]] = np.einsum_path(text, *shapes, optimize=optimize)[0][1:]
    return path


def _product(a: _Term, b: _Term, later: set[Label], lengths: dict[Label, Any]) -> _Term:
    """Return the product of two terms, summed over what is not used later."""
    a, b = _sum_labels(a, later | set(b.labels)), _sum_labels(b, later | set(a.labels))
    both = [label for label in a.labels if label in b.labels]
    batch = [label for label in both if label in later]
    met = [label for label in both if label not in later]
    left = [label for label in a.labels if label not in both]
    right = [label for label in b.labels if label not in both]
    if not met or not (left or right or not batch):  # elementwise, which is fused with the sum
        of_a = [lengths[label] for label in batch + left]
        x = _order_labels(a, batch + left + met)
        y = _order_labels(b, batch + right + met)
        if right:
            x = reshape(x, [*of_a, *[1] * len(right)])
        if left:
            of_b = [lengths[label] for label in right]
            y = reshape(y, [*of_a[: len(batch)], *[1] * len(left), *of_b])
        return _sum_labels(_Term(x * y, batch + left + right + met), later)
    sizes = [math.prod([lengths[label] for label in group]) for group in (left, met, right)]
    outer = [lengths[label] for label in batch]
    x = reshape(_order_labels(a, batch + left + met), [*outer, sizes[0], sizes[1]])
    y = reshape(_order_labels(b, batch + met + right), [*outer, sizes[1], sizes[2]])
    shape = [lengths[label] for label in batch + left + right]
    return _Term(reshape(ops.matmul(x, y), shape), batch + left + right)


def _order_labels(term: _Term, labels: list[Label]) -> Variable:
    order = [term.labels.index(label) for label in labels]
    return term.x if order == list(range(len(order))) else transpose(term.x, order)


def _sum_labels(term: _Term, kept: set[Label]) -> _Term:
    """Return a term summed over the indices that are not kept."""
    axes = [axis for axis, label in enumerate(term.labels) if label not in kept]
    if not axes:
        return term
    labels = [label for label in term.labels if label in kept]
    if term.x.dtype == "bool":
        return _Term(ops.any(term.x, axis=axes), labels)
    return _Term(total(term.x, axes, dtype=term.x.dtype), labels)


__all__ = ["einsum"]
