"""Reductions over axes, with NumPy's signatures."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis, normal_axes
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import moveaxis
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
    x: Any, axis: Axis = None, *, dtype: npt.DTypeLike | None = None, keepdims: bool = False
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

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If `x` has no such axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.sum(x, axis=0))([[1.0, 2.0], [3.0, 4.0]])
    array([4., 6.])
    """
    return _reduce("sum", x, axis, keepdims, dtype)


@public(method=True, reduces="multiply")
def prod(
    x: Any, axis: Axis = None, *, dtype: npt.DTypeLike | None = None, keepdims: bool = False
) -> Variable:
    """Return the product of the elements over axes; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.prod(x))([2.0, 3.0]))
    6.0
    """
    return _reduce("prod", x, axis, keepdims, dtype)


@public(method=True, numpy=("amax",), reduces="maximum")
def max(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Return the largest element over axes; NaN where there is one. Parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.max(x, axis=1))([[1.0, 2.0], [4.0, 3.0]])
    array([2., 4.])
    """
    return _reduce("max", x, axis, keepdims)


@public(method=True, numpy=("amin",), reduces="minimum")
def min(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Return the smallest element over axes; NaN where there is one. Parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.min(x))([2.0, 1.0]))
    1.0
    """
    return _reduce("min", x, axis, keepdims)


@public(method=True)
def mean(
    x: Any, axis: Axis = None, *, dtype: npt.DTypeLike | None = None, keepdims: bool = False
) -> Variable:
    """Return the arithmetic mean over axes; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.mean(x))([1.0, 2.0]))
    1.5
    """
    return _reduce("mean", x, axis, keepdims, dtype)


@public(method=True)
def var(x: Any, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Variable:
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
    return _reduce("var", x, axis, keepdims, ddof=ddof)


@public(method=True)
def std(x: Any, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Variable:
    """Return the standard deviation over axes; parameters as of `var`.

    Its gradient is NaN where all elements are equal: it is a root, of 0 there. Differentiate `var`,
    or ``sqrt(var(x) + 1e-12)``, where that is met.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.std(x))([1.0, 3.0]))
    1.0
    """
    return _reduce("std", x, axis, keepdims, ddof=ddof)


@public(method=True, reduces="logical_or")
def any(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Return whether any element over axes is true; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> bool(tv.function([x], tv.any(x > 1))([0.0, 2.0]))
    True
    """
    return _reduce("any", x, axis, keepdims)


@public(method=True, reduces="logical_and")
def all(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Return whether all elements over axes are true; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> bool(tv.function([x], tv.all(x > 1))([0.0, 2.0]))
    False
    """
    return _reduce("all", x, axis, keepdims)


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
        Its gradient is NaN where the norm is a root and 0: it has no derivative there. Add a small
        number under the root, ``sqrt(sum(x * x) + 1e-12)``, where that is met.

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
        return ops.sqrt(sum(ops.square(size), axis))
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
        return min(size, axis)
    if ord == 0:
        return sum(astype(ops.neq(size, 0), size.dtype), axis)
    if ord == 1:
        return sum(size, axis)
    return sum(size ** builtins.float(ord), axis) ** (1.0 / builtins.float(ord))
