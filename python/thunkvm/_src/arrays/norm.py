"""The norm of a vector or of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis, normal_axes
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.reductions import min as least
from thunkvm._src.arrays.reductions import sum as total
from thunkvm._src.arrays.shapes import moveaxis
from thunkvm._src.graph.values import as_variable


@public(method=True, numpy=("linalg.norm",))
def norm(
    x: Any, ord: float | str | None = None, axis: Axis = None, *, keepdims: bool = False
) -> Variable:
    """Return a norm of a vector or of a matrix, as ``numpy.linalg.norm``.

    Parameters
    ----------
    x : Variable or array-like
    ord : number, "fro", "nuc" or None
        Of a vector 1, 2, inf, -inf, 0 (the number of non-zeros) or any other power; of a matrix
        those of `matrix_norm`. None is the square root of the sum of squares.
    axis : int, sequence of int or None
        The axes to reduce; None for all. With an `ord` it has to be one axis, or the two of a
        matrix's rows and columns.
    keepdims : bool
        Keep the reduced axes, with length 1.

    Returns
    -------
    Variable
        Its gradient at 0 is 0, one of its slopes there, but for an `ord` below 1.

    Raises
    ------
    ValueError
        If `ord` is given for more than two axes, or there is no such norm.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.norm(x))([3.0, 4.0]))
    5.0
    """
    x = as_variable(x)
    axes = range(x.ndim) if axis is None else normal_axes("norm", axis, x.ndim)
    if keepdims:
        out = norm(x, ord, axis)
        return ops.expand_dims(out, axis=tuple(sorted(axes))) if axes else out
    if np.dtype(x.dtype).kind in "biu":
        x = astype(x, "float64")  # the lowest integer has no magnitude
    size = ops.abs(x)
    if ord == "fro" and len(axes) != 2:
        raise ValueError(
            f"[norm] ord='fro' is a norm of matrices, but there are {len(axes)} axes; leave it out."
        )
    if ord is None or ord == "fro" or (ord == 2 and len(axes) == 1):
        squares = total(ops.square(size), axis)
        return _flat_at_zero(squares, ops.sqrt(squares))
    if len(axes) == 2 and ord in ("nuc", 1, -1, 2, -2, float("inf"), float("-inf")):
        from thunkvm._src.arrays.composed.norms import matrix_norm  # which is made of this one

        return matrix_norm(moveaxis(x, list(axes), [-2, -1]), ord=ord)
    if len(axes) != 1:
        raise ValueError(
            f"[norm] ord={ord!r} is a norm of vectors, but x has {x.ndim} dimensions; "
            "say along which axis, or leave ord out for the Frobenius norm."
        )
    if not isinstance(ord, (int, float, np.integer, np.floating)):
        raise ValueError(f"[norm] there is no norm ord={ord!r}; give a number, 'fro' or None.")
    if ord == float("inf"):
        largest = ops.max(size, axis=axis, or_identity=True)
        return ops.where(largest < 0, 0.0, largest)  # of nothing
    if ord == float("-inf"):
        return least(size, axis)
    if ord == 0:
        return total(astype(ops.neq(size, 0), size.dtype), axis)
    if ord == 1:
        return total(size, axis)
    powers = total(size ** float(ord), axis)
    return _flat_at_zero(powers, powers ** (1.0 / float(ord)))


def _flat_at_zero(x: Variable, root: Variable) -> Variable:
    """Return a root of `x` that has the gradient of `x` itself where that is 0."""
    return ops.where(ops.eq(x, 0.0), x, root)
