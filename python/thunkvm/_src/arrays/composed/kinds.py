"""Whether elements are real, complex numbers in order, and places of what is no number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import axis_tuple, lengths
from thunkvm._src.arrays.composed.distinct import nonzero
from thunkvm._src.arrays.composed.grids import indices
from thunkvm._src.arrays.composed.lengths import one_axis
from thunkvm._src.arrays.creation import ones
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.reductions import argmax, argmin
from thunkvm._src.arrays.shapes import expand_dims, moveaxis, reshape
from thunkvm._src.graph.values import as_variable


@public()
def isreal(x: Any) -> Variable:
    """Return whether the imaginary part of each element is 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x", dtype="complex128")
    >>> tv.function([x], tv.isreal(x))([1.0, 1j])
    array([ True, False])
    """
    return ops.eq(ops.imag(as_variable(x)), 0)


@public()
def iscomplex(x: Any) -> Variable:
    """Return whether the imaginary part of each element is not 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x", dtype="complex128")
    >>> tv.function([x], tv.iscomplex(x))([1.0, 1j])
    array([False,  True])
    """
    return ops.neq(ops.imag(as_variable(x)), 0)


@public()
def isrealobj(x: Any) -> bool:
    """Return whether the dtype is not complex: a bool, which is known of a graph.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.isrealobj(tv.vector("x"))
    True
    """
    return not iscomplexobj(x)


@public()
def iscomplexobj(x: Any) -> bool:
    """Return whether the dtype is complex: a bool, which is known of a graph.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.iscomplexobj(tv.vector("x"))
    False
    """
    return np.dtype(as_variable(x).dtype).kind == "c"


@public()
def sort_complex(a: Any) -> Variable:
    """Return the elements in ascending order along the last axis, as complex numbers.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.sort_complex(x))([2.0, 1.0])
    array([1.+0.j, 2.+0.j])
    """
    out = ops.sort(as_variable(a))
    if np.dtype(out.dtype).kind == "c":
        return out
    return astype(
        out, "complex64" if out.dtype in ("int8", "int16", "uint8", "uint16") else "complex128"
    )


@public()
def nanargmax(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Variable:
    """Return the index of the first largest element that is a number; parameters as of `argmax`.

    Raises
    ------
    ValueError
        In a call, if there is no number.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> int(tv.function([x], tv.nanargmax(x))([np.nan, 1.0, 3.0]))
    2
    """
    return _extreme_position("nanargmax", argmax, x, -np.inf, axis, keepdims)


@public()
def nanargmin(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Variable:
    """Return the index of the first smallest element that is a number; see `nanargmax`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> int(tv.function([x], tv.nanargmin(x))([np.nan, 3.0, 1.0]))
    2
    """
    return _extreme_position("nanargmin", argmin, x, np.inf, axis, keepdims)


def _extreme_position(
    what: str, of: Callable[..., Variable], x: Any, other: float, axis: int | None, keepdims: bool
) -> Variable:
    x = as_variable(x)
    if np.dtype(x.dtype).kind not in "fc":
        return of(x, axis, keepdims=keepdims)
    is_missing = ops.isnan(x)
    place = of(ops.where(is_missing, ops.cast(other, dtype=x.dtype), x), axis, keepdims=keepdims)
    from thunkvm._src.control.assertions import CheckAndRaise  # which is made of arrays

    is_there = ops.logical_not(ops.all(is_missing, axis=axis))
    return CheckAndRaise(ValueError, f"[{what}] there is no number: all are NaN")(place, is_there)


@public()
def mask_indices(n: Any, mask_func: Callable[..., Any], k: Any = 0) -> tuple[Variable, ...]:
    """Return where a function of an n x n matrix leaves ones, as ``numpy.mask_indices``.

    Parameters
    ----------
    n : int or 0-d integer Variable
    mask_func : callable
        Takes a matrix of ones and `k`, as `triu` does.
    k : int

    Returns
    -------
    tuple of two Variables
        Rows and columns.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], list(tv.mask_indices(2, tv.triu)))()
    [array([0, 0, 1]), array([0, 1, 1])]
    """
    return nonzero(mask_func(ones((n, n), "int64"), k))


@public()
def fromfunction(
    function: Callable[..., Any], shape: Sequence[Any], *, dtype: Any = "float64", **kwargs: Any
) -> Any:
    """Return a function's value at the coordinates of a grid, as ``numpy.fromfunction``.

    Parameters
    ----------
    function : callable
        Takes an array of coordinates for each axis, all of the shape of the grid.
    shape : sequence of int or 0-d integer Variable
    dtype : dtype
        That of the coordinates.
    **kwargs
        Further arguments of the function.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.fromfunction(lambda i, j: i * 10 + j, (2, 3)))()
    array([[ 0.,  1.,  2.],
           [10., 11., 12.]])
    """
    grid = indices(shape, dtype=dtype)
    return function(*(grid[i] for i in range(len(shape))), **kwargs)


@public()
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Variable:
    """Apply a function of an array and an axis, one axis after the other.

    Parameters
    ----------
    func : callable
        Takes an array and an axis, as `sum` does, and keeps the axis or not.
    a : Variable or array-like
    axes : int or sequence of int

    Returns
    -------
    Variable
        With as many axes as `a`.

    Raises
    ------
    ValueError
        If a result has another number of axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.apply_over_axes(tv.sum, x, [0, 1]))([[1.0, 2.0], [3.0, 4.0]])
    array([[10.]])
    """
    out = as_variable(a)
    ndim = out.ndim
    for axis in axis_tuple("apply_over_axes", axes, "axes"):
        found = as_variable(func(out, axis))
        out = found if found.ndim == ndim else expand_dims(found, axis % ndim)
        if out.ndim != ndim:
            raise ValueError(
                f"[apply_over_axes] func made {found} of {ndim} axes; it keeps them, or drops one."
            )
    return out


@public()
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Variable:
    """Apply a function to each vector along an axis, as ``numpy.apply_along_axis``.

    Parameters
    ----------
    func1d : callable
        Takes a vector, and returns a Variable of any number of axes. It is called once, to make
        the step of a loop.
    axis : int
    arr : Variable or array-like
        With at least one axis.
    *args, **kwargs
        Further arguments of the function.

    Returns
    -------
    Variable
        The axes of `arr`, with those of a result in place of `axis`.

    Raises
    ------
    ValueError
        If there is no such axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> y = tv.apply_along_axis(lambda v: v[0] - v[-1], 1, x)
    >>> tv.function([x], y)([[1.0, 2.0], [3.0, 7.0]])
    array([-1., -4.])
    """
    arr = as_variable(arr)
    axis = one_axis("apply_along_axis", axis, arr.ndim)
    rows = moveaxis(arr, axis, -1)
    *others, n = lengths(rows)
    count: Any = 1
    for each in others:
        count = count * each
    from thunkvm._src.control.folds import map  # loops are made of arrays

    found = map(lambda row: func1d(row, *args, **kwargs), reshape(rows, [count, n]))
    out = reshape(found, [*others, *lengths(found)[1:]])
    made = range(len(others), out.ndim)
    return moveaxis(out, list(made), [axis + i for i in range(len(made))]) if made else out


__all__ = [
    "apply_along_axis", "apply_over_axes", "fromfunction", "iscomplex", "iscomplexobj", "isreal",
    "isrealobj", "mask_indices", "nanargmax", "nanargmin", "sort_complex",
]  # fmt: skip
