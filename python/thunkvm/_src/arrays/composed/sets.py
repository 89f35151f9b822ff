"""Vectors as sets: what is in both, in one alone, and whether an element is there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.distinct import flatnonzero, unique
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel
from thunkvm._src.graph.values import as_variable


@public()
def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Variable:
    """Return whether each element is among others, as ``numpy.isin``.

    Parameters
    ----------
    element : Variable or array-like
    test_elements : Variable or array-like
        The others; they are flattened.
    assume_unique, kind
        NumPy's, which make no difference: the others are sorted, and each element is looked up.
    invert : bool
        Return whether it is not among them.

    Returns
    -------
    Variable
        Bools in the shape of `element`. NaN is not among any.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.isin(x, [1.0, 3.0]))([3.0, 2.0])
    array([ True, False])
    """
    element, others = _unify_dtypes(element, test_elements)
    others = ops.sort(ravel(others))
    # One more, so that there is one to look at behind the largest, and of none at all.
    padded = concatenate([others, astype(np.zeros(1), others.dtype)])
    place = ops.searchsorted(others, element)
    is_there = ops.logical_and(
        ops.lt(place, ops.size(others)), ops.eq(ops.take(padded, place, axis=0), element)
    )
    return ops.logical_not(is_there) if invert else is_there


@public()
def union1d(ar1: Any, ar2: Any) -> Variable:
    """Return the elements that are in one of two arrays, in ascending order.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.union1d(x, [2.0, 3.0]))([3.0, 1.0])
    array([1., 2., 3.])
    """
    first, second = _unify_dtypes(ar1, ar2)
    out: Variable = unique(concatenate([ravel(first), ravel(second)]))
    return out


@public()
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the elements that are in both of two arrays, in ascending order.

    Parameters
    ----------
    ar1, ar2 : Variable or array-like
        They are flattened.
    assume_unique : bool
        NumPy's; makes no difference where the elements of each differ.
    return_indices : bool
        Whether to return the first position in each of them too.

    Returns
    -------
    Variable, or tuple of three Variables

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.intersect1d(x, [3.0, 2.0, 1.0]))([3.0, 1.0, 7.0])
    array([1., 3.])
    """
    first, second = _unify_dtypes(ar1, ar2)
    if not return_indices:
        found = unique(first)
        return found[isin(found, second)]
    found, at_first = unique(first, return_index=True)
    others, at_second = unique(second, return_index=True)
    is_both, is_found = isin(found, others), isin(others, found)
    return found[is_both], at_first[is_both], at_second[is_found]


@public()
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Variable:
    """Return the elements of an array that are not in another, in ascending order.

    With `assume_unique` they stay in the order in which they are.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.setdiff1d(x, [3.0, 2.0]))([3.0, 1.0])
    array([1.])
    """
    first = as_variable(ar1)
    found: Variable = ravel(first) if assume_unique else unique(first)
    return found[isin(found, ar2, invert=True)]


@public()
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Variable:
    """Return the elements that are in one of two arrays alone, in ascending order.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.setxor1d(x, [3.0, 2.0]))([3.0, 1.0])
    array([1., 2.])
    """
    first, second = _unify_dtypes(ar1, ar2)
    one, other = (ravel(x) if assume_unique else unique(x) for x in (first, second))
    both, counts = unique(concatenate([one, other]), return_counts=True, equal_nan=False)
    out: Variable = ops.take(both, flatnonzero(ops.eq(counts, 1)), axis=0)
    return out


def _unify_dtypes(first: Any, second: Any) -> tuple[Variable, Variable]:
    """Return both in one dtype."""
    x, y = as_variable(first), as_variable(second)
    dtype = np.result_type(x.dtype, y.dtype)
    return astype(x, dtype), astype(y, dtype)


class UniqueAllResult(NamedTuple):
    """The results of `unique_all`."""

    values: Variable
    indices: Variable
    inverse_indices: Variable
    counts: Variable


class UniqueCountsResult(NamedTuple):
    """The results of `unique_counts`."""

    values: Variable
    counts: Variable


class UniqueInverseResult(NamedTuple):
    """The results of `unique_inverse`."""

    values: Variable
    inverse_indices: Variable


@public()
def unique_all(x: Any) -> UniqueAllResult:
    """Return all that `unique` knows; each NaN is an element of its own.

    Returns
    -------
    namedtuple of Variable
        ``values``, ``indices``, ``inverse_indices`` and ``counts``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.unique_all(x).indices)([3.0, 1.0, 3.0])
    array([1, 0])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


@public()
def unique_counts(x: Any) -> UniqueCountsResult:
    """Return the elements that differ and how often each is there; see `unique_all`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.unique_counts(x).counts)([3.0, 1.0, 3.0])
    array([1, 2])
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@public()
def unique_inverse(x: Any) -> UniqueInverseResult:
    """Return the elements that differ and which of them each element is; see `unique_all`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.unique_inverse(x).inverse_indices)([3.0, 1.0, 3.0])
    array([1, 0, 1])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@public()
def unique_values(x: Any) -> Variable:
    """Return the elements that differ, in ascending order; see `unique_all`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.unique_values(x))([3.0, 1.0, 3.0])
    array([1., 3.])
    """
    out: Variable = unique(x, equal_nan=False)
    return out


__all__ = [
    "UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult", "intersect1d", "isin",
    "setdiff1d", "setxor1d", "union1d", "unique_all", "unique_counts", "unique_inverse",
    "unique_values",
]  # fmt: skip
