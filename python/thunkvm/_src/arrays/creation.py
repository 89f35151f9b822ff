"""Functions that make arrays, with NumPy's signatures."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import Shape, shape_vector
from thunkvm._src.graph.types import dtype_name
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


@public()
def full(shape: Shape, fill_value: Any, dtype: npt.DTypeLike | None = None) -> Variable:
    """Make an array with every element equal to `fill_value`.

    Parameters
    ----------
    shape : int, Variable, or sequence of them
        The lengths.
    fill_value : number or 0-d Variable
        The value.
    dtype : dtype, optional
        The element type; that of `fill_value` if left out.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> tv.function([n], tv.full((n, 2), 7.0))(1)
    array([[7., 7.]])
    """
    return _fill_array("full", shape, fill_value, dtype)


def _fill_array(what: str, shape: Shape, value: Any, dtype: npt.DTypeLike | None) -> Variable:
    vector, ndim = shape_vector(shape, what)
    name = None if dtype is None else dtype_name(dtype)
    return ops.full(vector, value, ndim=ndim, dtype=name)


@public()
def zeros(shape: Shape, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make an array of zeros; see `full`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.zeros(2))()
    array([0., 0.])
    """
    return _fill_array("zeros", shape, 0, dtype)


@public()
def ones(shape: Shape, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make an array of ones; see `full`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.ones((1, 2)))()
    array([[1., 1.]])
    """
    return _fill_array("ones", shape, 1, dtype)


@public()
def full_like(x: Any, fill_value: Any, dtype: npt.DTypeLike | None = None) -> Variable:
    """Make an array of the shape and (unless given) the dtype of `x`, filled with one value.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.full_like(x, 7))([1.0, 2.0])
    array([7., 7.])
    """
    x = as_variable(x)
    name = x.dtype if dtype is None else dtype_name(dtype)
    return ops.full(ops.shape(x), fill_value, ndim=x.ndim, dtype=name)


@public()
def zeros_like(x: Any, dtype: npt.DTypeLike | None = None) -> Variable:
    """Make zeros of the shape and (unless given) the dtype of `x`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.zeros_like(x))([1.0, 2.0])
    array([0., 0.])
    """
    return full_like(x, 0, dtype)


@public()
def ones_like(x: Any, dtype: npt.DTypeLike | None = None) -> Variable:
    """Make ones of the shape and (unless given) the dtype of `x`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.ones_like(x))([1.0, 2.0])
    array([1., 1.])
    """
    return full_like(x, 1, dtype)


@public()
def arange(
    start: Any, stop: Any = None, step: Any = 1, *, dtype: npt.DTypeLike | None = None
) -> Variable:
    """Make the vector start, start + step, ... up to but without `stop`.

    Parameters
    ----------
    start : number or 0-d Variable
        The first value; the end, from 0, if `stop` is left out.
    stop, step : number or 0-d Variable, optional
        The end (not included) and the distance of the values.
    dtype : dtype, optional
        The element type; that of the arguments combined with int64 if left out, as in NumPy.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> tv.function([n], tv.arange(1, n, 2))(6)
    array([1, 3, 5])
    """
    if stop is None:
        start, stop = 0, start
    return ops.arange(start, stop, step, dtype=None if dtype is None else dtype_name(dtype))


@public()
def linspace(start: Any, stop: Any, num: Any = 50) -> Variable:
    """Make `num` values at equal distances from `start` to `stop`, both included.

    Parameters
    ----------
    start, stop : number, Variable or array-like
        The first and the last value. Arrays, which broadcast, have a row of results for each value.
    num : int or 0-d integer Variable
        How many values.

    Returns
    -------
    Variable
        A vector, or an array with a new first axis. It has the float or complex dtype of the ends,
        float64 for integers.

    Raises
    ------
    ValueError
        If `num` is a negative number.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.linspace(0.0, 1.0, 5))()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if not isinstance(num, Variable):
        num = index(num)
        if num < 0:
            raise ValueError(f"[linspace] num = {num}; there cannot be fewer than 0 values.")
    ends = ops.add(start, stop) * 1.0
    dtype = ends.dtype
    start, stop, count = astype(start, dtype), astype(stop, dtype), astype(num, "int64")
    steps = ops.maximum(count - 1, 1)
    steps_before = ops.arange(0, count, 1, dtype="int64")
    if ends.ndim:  # those of the ends lie behind the new axis
        steps_before = ops.expand_dims(steps_before, axis=tuple(range(1, ends.ndim + 1)))
    value = start + astype(steps_before, dtype) * ((stop - start) / astype(steps, dtype))
    # The last value is `stop` itself, whatever rounding does to the sum.
    is_last = ops.logical_and(ops.eq(steps_before, steps), ops.gt(steps_before, 0))
    return ops.where(is_last, stop, value)


@public()
def eye(n: Any, m: Any = None, k: int = 0, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make an n by m matrix with ones on the k-th diagonal and zeros elsewhere.

    Parameters
    ----------
    n, m : int or 0-d integer Variable
        The lengths; a square matrix if `m` is left out.
    k : int
        Which diagonal: above the main one if positive, below it if negative.
    dtype : dtype
        The element type.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.eye(2))()
    array([[1., 0.],
           [0., 1.]])
    """
    rows = astype(n, "int64")
    cols = rows if m is None else astype(m, "int64")
    return ops.eye(rows, cols, k=k, dtype=dtype_name(dtype))


@public()
def identity(n: Any, dtype: npt.DTypeLike = "float64") -> Variable:
    """Make the n by n identity matrix.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.identity(3).ndim
    2
    """
    return eye(n, dtype=dtype)
