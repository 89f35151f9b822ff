"""Reductions over axes, with NumPy's signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.partial_reductions import (
    count_of,
    highest,
    join_initial,
    lowest,
    mask_elements,
    mask_of,
)
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


def _reduce(
    name: str, x: Any, axis: Axis, keepdims: bool, dtype: npt.DTypeLike | None = None, **attrs: Any
) -> Variable:
    x = as_variable(x)
    if dtype is not None:
        x = astype(x, dtype)
    out = getattr(ops, name)(x, axis=axis, keepdims=bool(keepdims), **attrs)
    return out if dtype is None else astype(out, dtype)


@public(method=True, reduces="add")
def sum(
    x: Any,
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Variable:
    """Return the sum of the elements over axes.

    Parameters
    ----------
    x : Variable or array-like
    axis : int, sequence of int or None
        The axes to sum over; None for all.
    dtype : dtype, optional
        The dtype to sum in; NumPy's choice if left out (int64 for small integers).
    keepdims : bool
        Keep the axes that are summed over, with length 1.
    initial : Variable or number, optional
        What the sum begins with.
    where : Variable or array-like of bool, optional
        The elements that count, broadcast to the shape of `x`; all of them if left out. The
        gradient of the others is 0, whatever they are.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If `x` has no such axis, or `initial` is no number.
    TypeError
        If `where` is not made of bools.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.sum(x, axis=0))([[1.0, 2.0], [3.0, 4.0]])
    array([4., 6.])
    """
    x = as_variable(x)
    part = mask_elements(x, mask_of("sum", x, where), 0)
    return join_initial("sum", _reduce("sum", part, axis, keepdims, dtype), initial, ops.add)


@public(method=True, reduces="multiply")
def prod(
    x: Any,
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Variable:
    """Return the product of the elements over axes; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.prod(x))([2.0, 3.0]))
    6.0
    """
    x = as_variable(x)
    part = mask_elements(x, mask_of("prod", x, where), 1)
    return join_initial("prod", _reduce("prod", part, axis, keepdims, dtype), initial, ops.mul)


@public(method=True, numpy=("amax",), reduces="maximum")
def max(
    x: Any, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Variable:
    """Return the largest element over axes; NaN where there is one. Parameters as of `sum`.

    `initial` is the least value that it returns, of no elements too; ``where=`` needs one.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.max(x, axis=1))([[1.0, 2.0], [4.0, 3.0]])
    array([2., 4.])
    """
    x = as_variable(x)
    return _extremum("max", x, axis, keepdims, initial, where, lowest(x.dtype))


@public(method=True, numpy=("amin",), reduces="minimum")
def min(
    x: Any, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Variable:
    """Return the smallest element over axes; NaN where there is one. Parameters as of `sum`.

    `initial` is the largest value that it returns, of no elements too; ``where=`` needs one.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.min(x))([2.0, 1.0]))
    1.0
    """
    x = as_variable(x)
    return _extremum("min", x, axis, keepdims, initial, where, highest(x.dtype))


def _extremum(
    name: str, x: Variable, axis: Axis, keepdims: bool, initial: Any, where: Any, end: Any
) -> Variable:
    mask = mask_of(name, x, where)
    if initial is None and mask is None:
        return _reduce(name, x, axis, keepdims)
    if initial is None:
        raise ValueError(
            f"[{name}] where= leaves nothing where no element is taken; give initial= too, the "
            f"{name} of nothing."
        )
    out = _reduce(name, mask_elements(x, mask, end), axis, keepdims, or_identity=True)
    return join_initial(name, out, initial, ops.maximum if name == "max" else ops.minimum)


@public(method=True)
def mean(
    x: Any,
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> Variable:
    """Return the arithmetic mean over axes; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.mean(x))([1.0, 2.0]))
    1.5
    """
    x = as_variable(x)
    mask = mask_of("mean", x, where)
    if mask is None:
        return _reduce("mean", x, axis, keepdims, dtype)
    result = np.dtype(dtype or x.dtype)
    result = np.dtype("float64") if result.kind in "biu" else result
    wide = astype(x, "float32" if result == "float16" else result)
    total = ops.sum(mask_elements(wide, mask, 0), axis=axis, keepdims=keepdims)
    return astype(total / count_of(mask, axis, keepdims, _real(total)), result)


def _real(x: Variable) -> str:
    """Return the dtype of the real part."""
    return {"complex64": "float32", "complex128": "float64"}.get(x.dtype, x.dtype)


@public(method=True)
def var(
    x: Any, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False, where: Any = None
) -> Variable:
    """Return the variance over axes: the mean of the squared distances from the mean.

    Parameters
    ----------
    x : Variable or array-like
    axis : int, sequence of int or None
        The axes to reduce; None for all.
    ddof : number
        The divisor is the number of elements minus this.
    keepdims : bool
        Keep the reduced axes, with length 1.
    where : Variable or array-like of bool, optional
        The elements that count, as of `sum`.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.var(x, ddof=1))([1.0, 3.0]))
    2.0
    """
    x = as_variable(x)
    mask = mask_of("var", x, where)
    if mask is None:
        return _reduce("var", x, axis, keepdims, ddof=ddof)
    kind = np.dtype(x.dtype).kind
    wide = astype(x, "float32" if x.dtype == "float16" else x.dtype if kind in "fc" else "float64")
    distance = mask_elements(wide - mean(wide, axis, keepdims=True, where=mask), mask, 0)
    squares = ops.square(ops.real(distance))
    if kind == "c":
        squares = squares + ops.square(ops.imag(distance))
    count = count_of(mask, axis, keepdims, squares.dtype)
    out = ops.sum(squares, axis=axis, keepdims=keepdims) / ops.maximum(count - ddof, 0.0)
    return astype(out, "float16") if x.dtype == "float16" else out


@public(method=True)
def std(
    x: Any, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False, where: Any = None
) -> Variable:
    """Return the standard deviation over axes; parameters as of `var`.

    Its gradient is 0 where all elements are equal, as each of them is the mean.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.std(x))([1.0, 3.0]))
    1.0
    """
    if where is not None:
        variance = var(x, axis, ddof=ddof, keepdims=keepdims, where=where)
        is_zero = ops.eq(variance, 0.0)
        return ops.where(is_zero, 0.0, ops.sqrt(ops.where(is_zero, 1.0, variance)))
    return _reduce("std", x, axis, keepdims, ddof=ddof)


@public(method=True, reduces="logical_or")
def any(x: Any, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Variable:
    """Return whether any element over axes is true; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> bool(tv.function([x], tv.any(x > 1))([0.0, 2.0]))
    True
    """
    x = as_variable(x)
    return _reduce("any", mask_elements(x, mask_of("any", x, where), 0), axis, keepdims)


@public(method=True, reduces="logical_and")
def all(x: Any, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Variable:
    """Return whether all elements over axes are true; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> bool(tv.function([x], tv.all(x > 1))([0.0, 2.0]))
    False
    """
    x = as_variable(x)
    return _reduce("all", mask_elements(x, mask_of("all", x, where), 1), axis, keepdims)


@public(method=True)
def argmax(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Variable:
    """Return the index of the first largest element along an axis, or of the flattened array.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> int(tv.function([x], tv.argmax(x))([0.0, 2.0, 2.0]))
    1
    """
    return ops.argmax(x, axis=axis, keepdims=keepdims)


@public(method=True)
def argmin(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Variable:
    """Return the index of the first smallest element along an axis, or of the flattened array.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> int(tv.function([x], tv.argmin(x))([3.0, 2.0]))
    1
    """
    return ops.argmin(x, axis=axis, keepdims=keepdims)
