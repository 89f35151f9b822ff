"""Arrays made of others side by side: columns, layers, what is appended, nested lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.dimensions import atleast_3d, atleast_nd
from thunkvm._src.arrays.joining import concatenate, stack
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel
from thunkvm._src.graph.values import as_variable


@public()
def dstack(arrays: Iterable[Any]) -> Variable:
    """Join arrays along their third axis; vectors and matrices get one first.

    Parameters
    ----------
    arrays : iterable of Variable or array-like

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If they are no list.
    ValueError
        If there are none, or other lengths differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.dstack([x, x]))([1.0, 2.0])
    array([[[1., 1.],
            [2., 2.]]])
    """
    return concatenate([atleast_3d(each) for each in _list_arrays("dstack", arrays)], 2)


@public()
def column_stack(arrays: Iterable[Any]) -> Variable:
    """Join vectors as the columns of a matrix, and matrices side by side.

    Parameters and errors as of `dstack`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.column_stack([x, x]))([1.0, 2.0])
    array([[1., 1.],
           [2., 2.]])
    """
    columns = []
    for each in _list_arrays("column_stack", arrays):
        x: Variable = as_variable(each)
        columns.append(ops.expand_dims(ravel(x), axis=1) if x.ndim < 2 else x)
    return concatenate(columns, 1)


def _list_arrays(what: str, arrays: Any) -> list[Any]:
    if isinstance(arrays, Variable) and not (arrays.ndim and arrays.type.shape[0] is not None):
        raise TypeError(
            f"[{what}] it takes the arrays as one list, but got {arrays}; write tv.{what}([x, y])."
        )
    listed = list(arrays)
    if not listed:
        raise ValueError(f"[{what}] there are no arrays; give at least one.")
    return listed


@public()
def block(arrays: Any) -> Variable:
    """Join nested lists of arrays: the innermost along the last axis, as ``numpy.block``.

    Parameters
    ----------
    arrays : nested list of Variable or array-like
        All arrays lie in as many lists.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If there is a tuple in it: tuples are no lists here.
    ValueError
        If a list is empty, or the lists are of different depths.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.block([[x, 0 * x], [0 * x, x]]))([[1.0]])
    array([[1., 0.],
           [0., 1.]])
    """
    depth, most_axes = _depth(arrays)
    ndim = max(depth, most_axes)
    return _join_arrays(arrays, depth, ndim)


def _depth(arrays: Any) -> tuple[int, int]:
    """Return in how many lists the arrays lie, and the most axes that one of them has."""
    if isinstance(arrays, tuple):
        raise TypeError(f"[block] there is the tuple {arrays!r}; write lists.")
    if not isinstance(arrays, list):
        return 0, as_variable(arrays).ndim
    if not arrays:
        raise ValueError("[block] there is an empty list; give at least one array in each.")
    found = [_depth(each) for each in arrays]
    if len({depth for depth, _ in found}) > 1:
        raise ValueError(
            f"[block] arrays lie in {sorted({depth + 1 for depth, _ in found})} lists; put all of "
            "them into as many."
        )
    return found[0][0] + 1, max(ndim for _, ndim in found)


def _join_arrays(arrays: Any, depth: int, ndim: int) -> Variable:
    if depth == 0:
        array: Variable = atleast_nd(arrays, n=ndim)
        return array
    parts = [_join_arrays(each, depth - 1, ndim) for each in arrays]
    return ops.concatenate(*parts, axis=ndim - depth)


@public()
def append(arr: Any, values: Any, axis: int | None = None) -> Variable:
    """Return an array with values behind its own, as ``numpy.append``.

    Parameters
    ----------
    arr : Variable or array-like
    values : Variable or array-like
        With the axes of `arr`, unless `axis` is None.
    axis : int, optional
        The axis along which they are joined; both are flattened if it is left out.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If other lengths differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.append(x, 3.0))([1.0, 2.0])
    array([1., 2., 3.])
    """
    return concatenate([arr, values], axis)


@public()
def stacklists(tensors: Any) -> Variable:
    """Stack nested lists of Variables into one array, an axis for each level, as Theano does.

    Parameters
    ----------
    tensors : Variable, number, or nested list of them

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If a list is empty, or the shapes differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.scalar("a"), tv.scalar("b")
    >>> tv.function([a, b], tv.stacklists([[a, b], [b, 0.0]]))(1.0, 2.0)
    array([[1., 2.],
           [2., 0.]])
    """
    if not isinstance(tensors, (list, tuple)):
        return as_variable(tensors)
    if not tensors:
        raise ValueError("[stacklists] a list is empty; give at least one Variable in each.")
    return stack([stacklists(each) for each in tensors])


__all__ = ["append", "block", "column_stack", "dstack", "stacklists"]
