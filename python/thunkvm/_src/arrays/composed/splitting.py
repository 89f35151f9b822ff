"""Arrays cut into parts along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length, with_axes
from thunkvm._src.arrays.composed.lengths import (
    Number,
    integers_below,
    one_axis,
    part,
    whole_number,
)
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import reshape
from thunkvm._src.graph.values import as_variable

#: How many parts, or the places where they begin.
Places = int | Sequence[int | Variable]


@public()
def split(x: Any, indices_or_sections: Places, axis: int = 0) -> list[Variable]:
    """Cut an array into parts, as ``numpy.split``.

    Parameters
    ----------
    x : Variable or array-like
    indices_or_sections : int, or sequence of int or 0-d integer Variable
        How many parts of one length, or the places where all parts but the first begin.
    axis : int

    Returns
    -------
    list of Variable
        Views of `x`.

    Raises
    ------
    TypeError
        If the number of parts is not known while the graph is built.
    ValueError
        If the axis cannot be cut into so many parts of one length; in a call, if its length is not
        known before.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.split(x, 2))([1.0, 2.0, 3.0, 4.0])
    [array([1., 2.]), array([3., 4.])]
    """
    x = as_variable(x)
    axis = one_axis("split", axis, x.ndim)
    count = _count_parts("split", indices_or_sections)
    if count is None:
        return _cut_parts("split", x, indices_or_sections, axis)
    n = length(x, axis)
    if isinstance(n, int) and n % count:
        raise ValueError(
            f"[split] axis {axis} has {n} elements, which are not {count} parts of one length; "
            "write tv.array_split for parts that differ by one."
        )
    # Rows of places count the parts: a length that is no multiple fails there.
    size = n // count if isinstance(n, int) else length(reshape(integers_below(n), (count, -1)), 1)
    return [part(x, axis, slice(i * size, (i + 1) * size)) for i in range(count)]


@public()
def array_split(x: Any, indices_or_sections: Places, axis: int = 0) -> list[Variable]:
    """Cut an array into parts that differ in length by one at most, the longer ones first.

    Parameters and results as of `split`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.array_split(x, 2))([1.0, 2.0, 3.0])
    [array([1., 2.]), array([3.])]
    """
    x = as_variable(x)
    axis = one_axis("array_split", axis, x.ndim)
    count = _count_parts("array_split", indices_or_sections)
    if count is None:
        return _cut_parts("array_split", x, indices_or_sections, axis)
    n = length(x, axis)
    # Part i begins behind i parts, of which the first n % count have one element more.
    size, longer = n // count, n % count
    if isinstance(size, int) and isinstance(longer, int):
        begins: list[Number] = [i * size + min(i, longer) for i in range(count + 1)]
    else:
        begins = [*(i * size + ops.minimum(i, longer) for i in range(count)), n]
    return [part(x, axis, slice(begins[i], begins[i + 1])) for i in range(count)]


def _count_parts(what: str, given: Any) -> int | None:
    """Return the number of parts, or None if places are given."""
    if isinstance(given, Variable):
        raise TypeError(
            f"[{what}] indices_or_sections is {given}; the number of parts has to be known while "
            "the graph is built: give an integer, or a list of places, which may be Variables."
        )
    count = as_integer(given)
    if count is not None and count < 1:
        raise ValueError(f"[{what}] indices_or_sections = {count}; give at least 1 part.")
    if count is None and not isinstance(given, (Sequence, np.ndarray)):
        raise TypeError(
            f"[{what}] indices_or_sections is {given!r}, a {type(given).__name__}; give the number "
            "of parts, or a list of the places where they begin."
        )
    return count


def _cut_parts(what: str, x: Variable, places: Any, axis: int) -> list[Variable]:
    inner = [whole_number(what, "indices_or_sections", place) for place in places]
    begins, ends = [0, *inner], [*inner, None]
    return [part(x, axis, slice(b, e)) for b, e in zip(begins, ends, strict=True)]


@public()
def hsplit(x: Any, indices_or_sections: Places) -> list[Variable]:
    """Cut a vector, or the columns of an array: `split` along its second axis, if there is one.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.hsplit(x, 2))([[1.0, 2.0]])
    [array([[1.]]), array([[2.]])]
    """
    x = with_axes("hsplit", x, 1)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


@public()
def vsplit(x: Any, indices_or_sections: Places) -> list[Variable]:
    """Cut the rows of an array: `split` along the first of two axes or more.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.vsplit(x, 2))([[1.0], [2.0]])
    [array([[1.]]), array([[2.]])]
    """
    return split(with_axes("vsplit", x, 2), indices_or_sections, 0)


@public()
def dsplit(x: Any, indices_or_sections: Places) -> list[Variable]:
    """Cut an array along its third axis; see `split`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.tensor3("x")
    >>> tv.function([x], tv.dsplit(x, 2))([[[1.0, 2.0]]])
    [array([[[1.]]]), array([[[2.]]])]
    """
    return split(with_axes("dsplit", x, 3), indices_or_sections, 2)


__all__ = ["array_split", "dsplit", "hsplit", "split", "vsplit"]
