"""Indexing of Variables, and new arrays with one part replaced or added to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import index as as_int
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

# The item of an index that stands for the next input, an array.
ARRAY = "[]"


def getitem(x: Variable, key: Any) -> Variable:
    """Return a part of a Variable, with NumPy's rules: ``x[0]``, ``x[1:, ..., i]``, ``x[x > 0]``.

    Parameters
    ----------
    x : Variable
        What to index.
    key : int, slice, Ellipsis, None, array of integers or bools, 0-d Variable, or a tuple of them
        The index. Integers, the ends of slices and arrays may be Variables.

    Returns
    -------
    Variable
        A view of `x`, or a copy of what it picks if the key has an array in it.

    Raises
    ------
    IndexError
        If there are more indices than axes, or a mask has another shape than its array;
        when the function runs, if an index is out of bounds.
    TypeError
        If the key has something that is no index, such as an array of floats.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, i = tv.vector("x"), tv.lscalar("i")
    >>> f = tv.function([x, i], [x[i], x[::-1], x[[0, 0]], x[x > 1]])
    >>> f([1.0, 2.0], -1)
    [np.float64(2.0), array([2., 1.]), array([1., 1.]), array([2.])]
    """
    items = list(key) if isinstance(key, tuple) else [key]
    index: list[str] = []
    inputs: list[Variable] = []
    for item in items:
        array = _index_array(item)
        if array is not None:
            inputs.append(array)
            index.append(ARRAY)
        elif item is None:
            index.append("newaxis")
        elif item is Ellipsis:
            index.append("...")
        elif isinstance(item, slice):
            index.append(_slice(item, inputs))
        else:
            index.append(_number(item, inputs))
    if ARRAY not in index:
        return ops.subtensor(x, *inputs, index=index)
    if index == [ARRAY] and inputs[0].dtype != "bool" and x.ndim > 0:
        return ops.take(x, inputs[0], axis=0)
    return ops.advanced_subtensor(x, *inputs, index=index)


def _slice(item: slice, inputs: list[Variable]) -> str:
    start, stop, step = (
        "" if part is None else _number(part, inputs, _clip_number)
        for part in (item.start, item.stop, item.step)
    )
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def _clip_number(number: int) -> int:
    """Return the nearest number that is long enough for any array, as slices of Python's do."""
    return min(max(number, -sys.maxsize), sys.maxsize)


def _within_reach(number: int) -> int:
    if not -sys.maxsize <= number <= sys.maxsize:
        raise IndexError(
            f"index {number} is out of bounds: an axis has at most {sys.maxsize} elements."
        )
    return number


def _number(
    item: Any, inputs: list[Variable], bounded: Callable[[int], int] = _within_reach
) -> str:
    """Write an integer down, or put it among the inputs and write ``?``."""
    if isinstance(item, Variable):
        if item.ndim != 0 or not item.dtype.startswith(("int", "uint")):
            raise TypeError(f"{item} is no index; an index is an integer, 0-d or an array.")
        inputs.append(item)
        return "?"
    try:
        number = as_int(item)
    except TypeError:
        raise TypeError(
            f"{item!r}, a {type(item).__name__}, is no index; an index is made of integers, "
            "slices, None, ... and arrays of integers or bools."
        ) from None
    return str(bounded(number))


def _index_array(item: Any) -> Variable | None:
    """Return the Variable of an array of integers or of a mask; None for what is neither."""
    if isinstance(item, Variable):
        array = item
    elif isinstance(item, (bool, np.bool_)):
        array = as_variable(np.asarray(item))
    elif isinstance(item, (list, tuple, range)):
        for number in item:
            if isinstance(number, int):
                _within_reach(number)
        array = as_variable(list(item) if isinstance(item, range) else item)
        if array.owner is None and 0 in array.type.shape:  # no integer says what it is
            array = as_variable(np.zeros(array.type.shape, "int64"))
    elif isinstance(item, np.ndarray):
        array = as_variable(item)
    else:
        return None
    return array if array.ndim > 0 or array.dtype == "bool" else None


@public(method=True)
def take(x: Any, indices: Any, axis: int | None = None) -> Variable:
    """Return the elements at integer indices, as ``numpy.take``.

    Parameters
    ----------
    x : Variable or array-like
    indices : Variable or array-like of int
        Negative ones count from the end.
    axis : int, optional
        The axis along which they are taken; of the flattened tensor if left out.

    Returns
    -------
    Variable
        `x` with that axis replaced by those of `indices`.

    Raises
    ------
    IndexError
        In a call, if an index is out of range.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], x.take([2, 0]))([1.0, 2.0, 3.0])
    array([3., 1.])
    """
    return ops.take(x, indices, axis=axis)


@public()
def set_subtensor(part: Variable, value: Any) -> Variable:
    """Return the array that was indexed, with the part replaced by `value`.

    Parameters
    ----------
    part : Variable
        What indexing made: ``x[...]``. Where a position comes twice, the later value stays.
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
    x, inputs, index = _index_parts(part, "set")
    put = ops.advanced_set_subtensor if ARRAY in index else ops.set_subtensor
    return put(x, value, *inputs, index=index)


@public()
def inc_subtensor(part: Variable, value: Any) -> Variable:
    """Return the array that was indexed, with `value` added to the part.

    Parameters as of `set_subtensor`. Positions that come twice are added to twice.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.inc_subtensor(x[0], 10.0))([1.0, 2.0])
    array([11.,  2.])
    """
    x, inputs, index = _index_parts(part, "inc")
    add = ops.advanced_inc_subtensor if ARRAY in index else ops.inc_subtensor
    return add(x, value, *inputs, index=index)


def _index_parts(part: Variable, what: str) -> tuple[Variable, list[Variable], list[str]]:
    """Return the indexed Variable, the inputs of the index, and its items."""
    node = part.owner if isinstance(part, Variable) else None
    name = node.op.name if node is not None else None
    if node is not None and name in ("subtensor", "advanced_subtensor"):
        return node.inputs[0], list(node.inputs[1:]), list(node.op.attrs["index"])
    if node is not None and name == "take" and node.op.attrs["leading"] == 0:
        x, positions = node.inputs
        axis = node.op.attrs["axis"] % x.ndim
        return x, [positions], [":"] * axis + [ARRAY]
    raise TypeError(
        f"only what indexing made can be changed, as in x[1:].{what}(v); {part} was not made so."
    )
