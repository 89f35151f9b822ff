"""Functions that change the shape of an array, with NumPy's signatures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from thunkvm import _core, ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays.axes import normal_axes
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

Shape: TypeAlias = int | Variable | Sequence[int | Variable]


def shape_vector(shape: Any, what: str) -> tuple[Variable, int]:
    """Return a shape as an int64 vector, and how many lengths it has.

    Parameters
    ----------
    shape : int, 0-d Variable, sequence of those, or int64 vector Variable of known length
    what : str
        The name of the function that was called, for errors.

    Raises
    ------
    TypeError
        If it is a vector whose length is not known when the graph is built.
    """
    if isinstance(shape, Variable) and not isinstance(shape.type, TensorType):
        raise TypeError(
            f"[{what}] the shape is {shape}, an object; lengths are integers or Variables of an "
            "integer dtype."
        )
    if isinstance(shape, Variable) and shape.ndim == 1:
        length = shape.type.shape[0]
        if length is None:
            raise TypeError(
                f"[{what}] the shape {shape} is a vector of unknown length, so the number of "
                "dimensions of the result is not known; give a tuple of lengths instead."
            )
        return shape, length
    lengths = list(shape) if isinstance(shape, (list, tuple, np.ndarray)) else [shape]
    for length in lengths:
        if not isinstance(length, (Variable, int, np.integer)):
            raise TypeError(
                f"[{what}] the shape has {length!r}, a {type(length).__name__}; lengths are "
                "integers or Variables of an integer dtype."
            )
        if not isinstance(length, Variable) and not -sys.maxsize <= length <= sys.maxsize:
            raise ValueError(
                f"[{what}] the shape has a length of {int(length).bit_length()} bits; an array has "
                f"at most {sys.maxsize} elements."
            )
    if not any(isinstance(length, Variable) for length in lengths):
        return _core.constant(lengths, "int64"), len(lengths)
    parts = [ops.cast(as_variable(length), dtype="int64") for length in lengths]
    return ops.stack(*parts, axis=0), len(parts)


@public()
def shape(x: Any) -> Variable:
    """Return the shape as an int64 vector; ``shape(x)[0]`` is one length.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.shape(x))([[1.0, 2.0, 3.0]])
    array([1, 3])
    """
    x = as_variable(x)
    generic = sys.modules.get("thunkvm.c.generic_ops")
    if generic is not None and not isinstance(x.type, TensorType) and generic.shape_op.is_for(x):
        return generic.shape_op(x)  # type: ignore[no-any-return]
    return ops.shape(x)


@public()
def size(x: Any) -> Variable:
    """Return the number of elements.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> int(tv.function([x], tv.size(x))([[1.0, 2.0, 3.0]]))
    3
    """
    return ops.size(x)


@public()
def reshape(x: Any, shape: Shape) -> Variable:
    """Give the elements, in C order, another shape.

    Parameters
    ----------
    x : Variable or array-like
    shape : int, Variable, or sequence of them
        The lengths of the result; one of them may be -1, and is found from the others.

    Returns
    -------
    Variable
        A view of `x` where its strides allow.

    Raises
    ------
    ValueError
        When called, if the number of elements differs.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.reshape(x, (2, -1)))([1.0, 2.0, 3.0, 4.0])
    array([[1., 2.],
           [3., 4.]])
    """
    vector, ndim = shape_vector(shape, "reshape")
    return ops.reshape(x, vector, ndim=ndim)


@public(method=True)
def ravel(x: Any) -> Variable:
    """Return the elements in C order as a vector; a view where the strides allow.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.ravel(x))([[1.0], [2.0]])
    array([1., 2.])
    """
    return reshape(x, -1)


@public()
def transpose(x: Any, axes: Sequence[int] | None = None) -> Variable:
    """Permute the axes.

    Parameters
    ----------
    x : Variable or array-like
    axes : sequence of int, optional
        Axis i of the result is axis ``axes[i]`` of `x`; in reverse order if left out.

    Returns
    -------
    Variable
        A view of `x`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.transpose(x))([[1.0, 2.0]])
    array([[1.],
           [2.]])
    """
    return ops.transpose(x, axes=None if axes is None else tuple(axes))


@public(method=True)
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Variable:
    """Return a diagonal of each matrix, as ``numpy.diagonal``; its axis is the last one.

    Parameters
    ----------
    x : Variable or array-like
        With at least two axes.
    offset : int
        Which diagonal: above the main one, or below it where negative.
    axis1, axis2 : int
        The axes of the rows and of the columns.

    Returns
    -------
    Variable
        A view of `x`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], x.diagonal(1))([[1.0, 2.0], [3.0, 4.0]])
    array([2.])
    """
    return ops.diagonal(x, offset=offset, axis1=axis1, axis2=axis2)


@public(method=True)
def swapaxes(x: Any, axis1: int, axis2: int) -> Variable:
    """Exchange two axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.swapaxes(tv.tensor(shape=(1, 2, 3)), 0, 2).type.shape
    (3, 2, 1)
    """
    x = as_variable(x)
    axes = list(range(x.ndim))
    (one,) = normal_axes("swapaxes", (axis1,), x.ndim, "axis1")
    (other,) = normal_axes("swapaxes", (axis2,), x.ndim, "axis2")
    axes[one], axes[other] = axes[other], axes[one]
    return transpose(x, axes)


@public()
def moveaxis(x: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Variable:
    """Move axes to other positions; the others keep their order.

    Parameters
    ----------
    x : Variable or array-like
    source : int or sequence of int
        Which axes move.
    destination : int or sequence of int
        Their positions in the result.

    Returns
    -------
    Variable
        A view of `x`.

    Raises
    ------
    ValueError
        If there is no such axis, one is named twice, or there are not as many positions as axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.moveaxis(tv.tensor(shape=(1, 2, 3)), 0, -1).type.shape
    (2, 3, 1)
    >>> tv.moveaxis(tv.tensor(shape=(1, 2, 3)), (0, 1), (1, 2)).type.shape
    (3, 1, 2)
    """
    x = as_variable(x)
    moved = normal_axes("moveaxis", source, x.ndim, "source")
    positions = normal_axes("moveaxis", destination, x.ndim, "destination")
    if len(moved) != len(positions):
        raise ValueError(
            f"[moveaxis] {len(moved)} axes cannot go to {len(positions)} positions; source and "
            "destination have to name as many."
        )
    axes = [axis for axis in range(x.ndim) if axis not in moved]
    for position, axis in sorted(zip(positions, moved, strict=True)):
        axes.insert(position, axis)
    return transpose(x, axes)


@public()
def expand_dims(x: Any, axis: int | Sequence[int]) -> Variable:
    """Insert axes of length 1 at these positions of the result.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.expand_dims(tv.vector("x"), 0).type.shape
    (1, None)
    """
    return ops.expand_dims(x, axis=axis)


@public(method=True)
def squeeze(x: Any, axis: int | Sequence[int] | None = None) -> Variable:
    """Drop axes of length 1.

    Parameters
    ----------
    x : Variable or array-like
    axis : int or sequence of int, optional
        The axes to drop; those that are known to have length 1 if left out.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If an axis has another length.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.squeeze(tv.row("x")).type.shape
    (None,)
    """
    x = as_variable(x)
    if axis is None:
        axis = [i for i in range(x.ndim) if x.type.shape[i] == 1]
    return ops.squeeze(x, axis=axis)


@public()
def broadcast_to(x: Any, shape: Shape) -> Variable:
    """Repeat along axes of length 1 and new leading axes, without copying.

    Parameters
    ----------
    x : Variable or array-like
    shape : int, Variable, or sequence of them
        The lengths of the result.

    Returns
    -------
    Variable
        A view of `x` with strides of 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.broadcast_to(x, (2, 2)))([1.0, 2.0])
    array([[1., 2.],
           [1., 2.]])
    """
    vector, ndim = shape_vector(shape, "broadcast_to")
    return ops.broadcast_to(x, vector, ndim=ndim)


@public()
def specify_shape(x: Any, shape: Sequence[int | None], what: str = "the array") -> Variable:
    """Say which lengths an array has; they are checked when it is computed.

    Parameters
    ----------
    x : Variable or array-like
    shape : sequence of int or None
        A length for each axis, None where any will do.
    what : str
        What the error calls it.

    Returns
    -------
    Variable
        `x` itself, whose type knows the lengths.

    Raises
    ------
    ValueError
        If `x` is known to have other lengths, or another number of axes; when the function runs,
        if it has.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.specify_shape(tv.vector("x"), (3,))
    >>> x.type.shape
    (3,)
    """
    lengths = [-1 if length is None else length for length in shape]
    return ops.specify_shape(x, shape=lengths, what=what)
