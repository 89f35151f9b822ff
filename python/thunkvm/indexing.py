"""Indexing of Variables, and new arrays with one part replaced or added to."""

from __future__ import annotations

from operator import index as as_int
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm.elementwise import astype
from thunkvm.shapes import reshape
from thunkvm.values import as_variable


def getitem(x: Variable, key: Any) -> Variable:
    """Return a part of a Variable, with NumPy's rules: ``x[0]``, ``x[1:, ..., i]``, ``x[[2, 0]]``.

    Parameters
    ----------
    x : Variable
        What to index.
    key : int, slice, Ellipsis, None, integer array, 0-d integer Variable, or a tuple of them
        The index. Integers and the ends of slices may be Variables.

    Returns
    -------
    Variable
        A view of `x`, unless the key has an integer array in it.

    Raises
    ------
    IndexError
        If there are more indices than axes; when the function runs, if one is out of bounds.
    TypeError
        If the key has something that is no index, such as a boolean array.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, i = tv.vector("x"), tv.lscalar("i")
    >>> f = tv.function([x, i], [x[i], x[::-1], x[[0, 0]]])
    >>> f([1.0, 2.0], -1)
    [np.float64(2.0), array([2., 1.]), array([1., 1.])]
    """
    items = list(key) if isinstance(key, tuple) else [key]
    arrays = [_index_array(item) for item in items]
    if all(array is None for array in arrays):
        return _basic(x, items)
    return _advanced(x, items, arrays)


def _basic(x: Variable, items: list[Any]) -> Variable:
    text: list[str] = []
    dynamic: list[Variable] = []
    for item in items:
        if item is None:
            text.append("newaxis")
        elif item is Ellipsis:
            text.append("...")
        elif isinstance(item, slice):
            text.append(_slice(item, dynamic))
        else:
            text.append(_number(item, dynamic))
    return ops.subtensor(x, *dynamic, index=text)


def _slice(item: slice, dynamic: list[Variable]) -> str:
    start, stop, step = (
        "" if part is None else _number(part, dynamic)
        for part in (item.start, item.stop, item.step)
    )
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def _number(item: Any, dynamic: list[Variable]) -> str:
    """Write an integer down, or put it among the inputs and write ``?``."""
    if isinstance(item, Variable):
        if item.ndim != 0 or not item.dtype.startswith(("int", "uint")):
            raise TypeError(f"{item} is no index; an index is an integer, 0-d or an array.")
        dynamic.append(item)
        return "?"
    if isinstance(item, (bool, np.bool_)):
        raise TypeError(f"{item} is no index; to choose by a condition use ifelse or where.")
    try:
        return str(as_int(item))
    except TypeError:
        raise TypeError(
            f"{item!r}, a {type(item).__name__}, is no index; an index is made of integers, "
            "slices, None, ... and integer arrays."
        ) from None


def _index_array(item: Any) -> Variable | None:
    """Return an integer array's Variable, or None for what basic indexing takes."""
    if isinstance(item, Variable):
        array = item
    elif isinstance(item, (list, np.ndarray)) and np.ndim(item) > 0:
        # An empty list has no integer in it that says what it is.
        array = as_variable(np.asarray(item, dtype=None if np.size(item) else "int64"))
    else:
        return None
    if array.dtype == "bool":
        raise TypeError(
            f"{array} is a mask: how much it selects is only known when the function "
            "runs. Use where(mask, x, other), or an Op of your own."
        )
    return None if array.ndim == 0 else array


def _advanced(x: Variable, items: list[Any], arrays: list[Variable | None]) -> Variable:
    """Apply integer arrays after the basic items, at the axes where they stand."""
    places = [place for place, array in enumerate(arrays) if array is not None]
    integers = [
        place
        for place, item in enumerate(items)
        if arrays[place] is None and item is not None and item is not Ellipsis
        and not isinstance(item, slice)
    ]  # fmt: skip
    # NumPy counts integers as arrays: all of them have to stand together, or axes change places.
    together = sorted([*places, *integers])
    if together != list(range(together[0], together[-1] + 1)):
        raise TypeError(
            f"the integer arrays and integers of an index of {x} have to stand side by side; "
            "index in two steps, as in x[0][:, i]."
        )
    around = zip(items, arrays, strict=True)
    basic = _basic(x, [item if array is None else slice(None) for item, array in around])
    axis = _axis_of(items, places[0], integers, x.ndim)
    found = [array for array in arrays if array is not None]
    if len(found) == 1:
        return ops.take(basic, found[0], axis=axis)
    # Several arrays pick single elements: merge their axes, and take from the merged one.
    lengths = [basic.shape[axis + k] for k in range(len(found))]
    flat: Variable = as_variable(0)
    for array, length in zip(found, lengths, strict=True):
        # Taking from 0, 1, ... checks the bounds and counts negative indices from the end.
        positions = ops.arange(0, length, 1, dtype="int64")
        flat = flat * length + ops.take(positions, array, axis=0)
    before = [basic.shape[k] for k in range(axis)]
    after = [basic.shape[k] for k in range(axis + len(found), basic.ndim)]
    merged = lengths[0]
    for length in lengths[1:]:
        merged = merged * length
    return ops.take(reshape(basic, [*before, merged, *after]), flat, axis=axis)


def _axis_of(items: list[Any], place: int, integers: list[int], ndim: int) -> int:
    """Return the axis, after basic indexing, of the item at `place`."""
    axis = 0
    for before, item in enumerate(items[:place]):
        if item is Ellipsis:
            consumed = sum(1 for other in items if other is not None and other is not Ellipsis)
            axis += ndim - consumed
        elif before not in integers:
            axis += 1
    return axis


def set_subtensor(part: Variable, value: Any) -> Variable:
    """Return the array that was indexed, with the part replaced by `value`.

    Parameters
    ----------
    part : Variable
        What indexing made: ``x[...]``.
    value : Variable or array-like
        What to put there; broadcast to the shape of the part.

    Returns
    -------
    Variable
        A new array of the shape and dtype of ``x``, which stays as it is.

    Raises
    ------
    TypeError
        If `part` was not made by indexing.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.set_subtensor(x[1:], 0.0))([1.0, 2.0, 3.0])
    array([1., 0., 0.])
    """
    x, dynamic, index = _indexed(part, "set")
    return ops.set_subtensor(x, value, *dynamic, index=index)


def inc_subtensor(part: Variable, value: Any) -> Variable:
    """Return the array that was indexed, with `value` added to the part.

    Parameters
    ----------
    part : Variable
        What indexing made: ``x[...]``, also with one integer array. Positions that come twice are
        added to twice.
    value : Variable or array-like
        What to add there; broadcast to the shape of the part.

    Returns
    -------
    Variable
        A new array of the shape and dtype of ``x``, which stays as it is.

    Raises
    ------
    TypeError
        If `part` was not made by indexing.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.inc_subtensor(x[0], 10.0))([1.0, 2.0])
    array([11.,  2.])
    """
    node = part.owner if isinstance(part, Variable) else None
    if node is not None and node.op.name == "take":
        x, positions = node.inputs
        return ops.add_at(x, positions, _fill(part, value, x.dtype), axis=node.op.attrs["axis"])
    x, dynamic, index = _indexed(part, "inc")
    return ops.inc_subtensor(x, value, *dynamic, index=index)


def _fill(part: Variable, value: Any, dtype: str) -> Variable:
    """Return the value, cast and broadcast to the shape of the part."""
    return ops.broadcast_to(astype(value, dtype), ops.shape(part), ndim=part.ndim)


def _indexed(part: Variable, what: str) -> tuple[Variable, list[Variable], list[str]]:
    node = part.owner if isinstance(part, Variable) else None
    if node is None or node.op.name != "subtensor":
        raise TypeError(
            "only what indexing by integers and slices made can be changed, as in "
            f"x[1:].{what}(v); {part} was not made so."
        )
    return node.inputs[0], list(node.inputs[1:]), list(node.op.attrs["index"])
