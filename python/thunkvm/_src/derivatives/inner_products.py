"""Inner products of tensors and of numbers, by which derivatives are transposed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.shapes import ravel
from thunkvm._src.derivatives.scalar_gradients import is_number


def inner(a: Variable, b: Variable) -> Variable:
    """Return the real part of ``sum(conj(a) * b)`` of two arrays of the same shape.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.derivatives.inner_products import inner
    >>> x = tv.matrix("x")
    >>> float(tv.function([x], inner(x, x))([[1.0, 2.0]]))
    5.0
    """
    a, b = tensor(a), tensor(b)
    if np.dtype(a.dtype).kind == "c" or np.dtype(b.dtype).kind == "c":
        return ops.sum(ops.real(ops.conj(a) * b))
    return ops.dot(ravel(a), ravel(b)) if a.ndim else a * b


def total(lefts: Sequence[Variable], rights: Sequence[Variable]) -> Variable:
    """Return the sum of the inner products of pairs.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.derivatives.inner_products import total
    >>> x, y = tv.vector("x"), tv.scalar("y")
    >>> float(tv.function([x, y], total([x, y], [x, y]))([1.0, 2.0], 3.0))
    14.0
    """
    return reduce(add, [inner(a, b) for a, b in zip(lefts, rights, strict=True)])


def tensor(variable: Variable) -> Variable:
    """Return a number as a 0-d tensor, and a tensor as it is.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.derivatives.inner_products import tensor
    >>> tensor(tv.ScalarType("float64")("s")).type
    TensorType(float64, shape=())
    """
    if not is_number(variable):
        return variable
    from thunkvm.c.scalar_ops import tensor_from_scalar

    made: Variable = tensor_from_scalar(variable)
    return made


__all__ = ["inner", "tensor", "total"]
