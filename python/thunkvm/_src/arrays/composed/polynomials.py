"""Powers of numbers side by side, and polynomials of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length, lengths
from thunkvm._src.arrays.composed.flipping import flip
from thunkvm._src.arrays.composed.lengths import Number, whole_number
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to
from thunkvm._src.graph.values import as_variable


@public()
def vander(x: Any, N: Any = None, increasing: bool = False) -> Variable:  # noqa: N803
    """Make the matrix whose columns are powers of a vector, as ``numpy.vander``.

    Parameters
    ----------
    x : Variable or array-like
        A vector.
    N : int or 0-d integer Variable, optional
        The number of columns; the length of `x` if left out.
    increasing : bool
        Whether the powers rise from 0 on, or fall to 0.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If `x` is no vector, or `N` is a negative number.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.vander(x, 3))([2.0, 3.0])
    array([[4., 2., 1.],
           [9., 3., 1.]])
    """
    x = as_variable(x)
    if x.ndim != 1:
        raise ValueError(f"[vander] x is {x}, which has {x.ndim} axes; give a vector.")
    count = length(x, 0) if N is None else whole_number("vander", "N", N, 0)
    x = astype(x, np.promote_types(x.dtype, np.int64))
    powers = _powers(x, count)
    return powers if increasing else flip(powers, 1)


def _powers(x: Variable, count: Number) -> Variable:
    """Return the powers 0, 1, ... of each element along a new last axis."""
    one = broadcast_to(astype(1, x.dtype), [*lengths(x), 1])
    more = broadcast_to(ops.expand_dims(x, axis=(-1,)), [*lengths(x), count])
    return ops.cumprod(ops.concatenate(one, more, axis=-1), axis=-1)[..., :count]


@public()
def polyval(p: Any, x: Any) -> Variable:
    """Return the values of a polynomial, as ``numpy.polyval``.

    Parameters
    ----------
    p : Variable or array-like
        A vector of the coefficients, that of the highest power first.
    x : Variable or array-like
        Where it is evaluated.

    Returns
    -------
    Variable
        It has the shape of `x`.

    Raises
    ------
    ValueError
        If `p` is no vector.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.polyval([1.0, 0.0, -1.0], x))([2.0, 3.0])
    array([3., 8.])
    """
    p, x = as_variable(p), as_variable(x)
    if p.ndim != 1:
        raise ValueError(f"[polyval] p is {p}, which has {p.ndim} axes; give a vector.")
    count, dtype = length(p, 0), np.result_type(p.dtype, x.dtype)
    if not isinstance(count, int):
        return astype(ops.sum(_powers(astype(x, dtype), count) * p[::-1], axis=-1), dtype)
    value = broadcast_to(astype(0, dtype), lengths(x))
    for i in range(count):  # by Horner's rule, as NumPy
        value = value * x + p[i]
    return value


__all__ = ["polyval", "vander"]
