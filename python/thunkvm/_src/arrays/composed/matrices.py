"""Functions of matrices: powers, exponentials, products of several, blocks, tensor equations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length, normal_axes
from thunkvm._src.arrays.composed.stacks import matrices, real_dtype, unit_like
from thunkvm._src.arrays.creation import zeros, zeros_like
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import ravel, reshape, transpose
from thunkvm._src.graph.values import as_variable


@public(numpy=("linalg.matrix_power",))
def matrix_power(a: Any, n: int) -> Variable:
    """Return a product of each matrix with itself, as ``numpy.linalg.matrix_power``.

    Parameters
    ----------
    a : Variable or array-like
        Square matrices.
    n : int
        How many factors; of a negative number those of the inverse.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If `n` is no integer.
    LinAlgError
        If the matrices are not square; in a call, if `n` is negative and a matrix is singular.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> tv.function([a], tv.matrix_power(a, 3))([[1.0, 1.0], [0.0, 1.0]])
    array([[1., 3.],
           [0., 1.]])
    """
    times = as_integer(n)
    if times is None:
        raise TypeError(f"[matrix_power] n is {n!r}, but it has to be an integer.")
    given: Variable = as_variable(a)
    a = matrices("matrix_power", given, square=True)
    if times >= 0:
        a = given  # products of integers are integers
    if times == 0:
        return zeros_like(a) + unit_like(a)
    base = ops.inv(a) if times < 0 else a
    times, out = abs(times), None
    while times:
        if times % 2:
            out = base if out is None else ops.matmul(out, base)
        times //= 2
        base = ops.matmul(base, base) if times else base
    assert out is not None
    return out


#: The coefficients of the diagonal Padé approximation of degree 13.
PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0,
    960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
#: The largest norm for which it is as good as float64 is.
REACH = 5.371920351148152


@public()
def expm(a: Any) -> Variable:
    """Return the exponential of each matrix, as ``scipy.linalg.expm``.

    Parameters
    ----------
    a : Variable or array-like
        Square matrices.

    Returns
    -------
    Variable

    Raises
    ------
    LinAlgError
        If the matrices are not square.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> tv.function([a], tv.expm(a))([[0.0, 1.0], [0.0, 0.0]])
    array([[1., 1.],
           [0., 1.]])

    By scaling, the Padé approximation of degree 13, and as many squarings as the norm asks for:
    N. J. Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J.
    Matrix Anal. Appl. 26, 2005. The gradient is that of these steps.
    """
    from thunkvm._src.control.loops import fori_loop  # above this room

    a = matrices("expm", a, square=True)
    size = ops.max(ops.sum(ops.abs(a), axis=-2), axis=-1, or_identity=True)
    squarings = ops.ceil(ops.log2(ops.maximum(size, REACH) / REACH))
    # Of what is not finite none, since infinity is no integer: the result is NaN.
    squarings = ops.where(ops.isfinite(size), squarings, 0.0)
    squarings = ops.stop_gradient(squarings)
    scale = astype(ops.exp2(-squarings), real_dtype(a))
    scaled = a * ops.expand_dims(scale, axis=(scale.ndim, scale.ndim + 1))
    unit, c = unit_like(a), PADE
    x2 = ops.matmul(scaled, scaled)
    x4 = ops.matmul(x2, x2)
    x6 = ops.matmul(x4, x2)
    odd = ops.matmul(x6, c[13] * x6 + c[11] * x4 + c[9] * x2)
    odd = ops.matmul(scaled, odd + c[7] * x6 + c[5] * x4 + c[3] * x2 + c[1] * unit)
    even = ops.matmul(x6, c[12] * x6 + c[10] * x4 + c[8] * x2)
    even = even + c[6] * x6 + c[4] * x4 + c[2] * x2 + c[0] * unit
    first = ops.solve(even - odd, even + odd)
    needed = ops.expand_dims(squarings, axis=(squarings.ndim, squarings.ndim + 1))

    def square(i: Variable, x: Variable) -> Variable:
        squared = ops.matmul(x, x)
        # In a stack each matrix is squared as often as it needs.
        return squared if a.ndim == 2 else ops.where(needed > i, squared, x)

    most = astype(ops.max(squarings, axis=None, or_identity=True), "int64")
    out: Variable = fori_loop(0, ops.maximum(most, 0), square, first)
    return out


@public()
def block_diag(*arrays: Any) -> Variable:
    """Return a matrix with matrices on its diagonal and zeros elsewhere.

    Parameters
    ----------
    *arrays : Variable or array-like
        Matrices; a vector is a row, and a number a matrix of one element.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If there are no arrays, or one has more than two axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.block_diag(x, 5.0))([[1.0, 2.0]])
    array([[1., 2., 0.],
           [0., 0., 5.]])
    """
    if not arrays:
        raise ValueError("[block_diag] there are no arrays; give at least one.")
    blocks = [as_variable(each) for each in arrays]
    for block in blocks:
        if block.ndim > 2:
            raise ValueError(f"[block_diag] {block} has more than two axes; give matrices.")
    blocks = [
        ops.expand_dims(block, axis=tuple(range(2 - block.ndim))) if block.ndim < 2 else block
        for block in blocks
    ]
    dtype = np.result_type(*(block.dtype for block in blocks)).name
    widths = [length(block, 1) for block in blocks]
    rows = []
    for i, block in enumerate(blocks):
        n = length(block, 0)
        before = [zeros((n, _total(widths[:i])), dtype)] if i else []
        behind = [zeros((n, _total(widths[i + 1 :])), dtype)] if i + 1 < len(blocks) else []
        rows.append(concatenate([*before, astype(block, dtype), *behind], axis=1))
    return concatenate(rows, axis=0)


def _total(lengths: list[Any]) -> Any:
    out = lengths[0]
    for each in lengths[1:]:
        out = out + each
    return out


#: For a length that is not known while the graph is built.
UNKNOWN = 1000


@public(numpy=("linalg.multi_dot",))
def multi_dot(arrays: Iterable[Any]) -> Variable:
    """Return the product of several matrices, in the order that costs least.

    Parameters
    ----------
    arrays : sequence of Variable or array-like
        Matrices; the first one may be a row and the last one a column, given as vectors.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If there are less than two arrays.
    LinAlgError
        If one that is neither the first nor the last is no matrix.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.multi_dot([[1.0, 1.0], x, x]))([[1.0, 2.0], [0.0, 1.0]])
    array([1., 5.])

    The order is that of T. H. Cormen et al., Introduction to Algorithms, section 14.2, where the
    lengths are known while the graph is built; a length that is not is taken for 1000.
    """
    parts = [as_variable(each) for each in arrays]
    if len(parts) < 2:
        raise ValueError(f"[multi_dot] there are {len(parts)} arrays; give at least two.")
    for number, each in enumerate(parts):
        if each.ndim != 2 and not (each.ndim == 1 and number in (0, len(parts) - 1)):
            raise np.linalg.LinAlgError(
                f"[multi_dot] array {number} is {each}; give matrices, and vectors only as the "
                "first and the last one."
            )
    shapes = [tuple(UNKNOWN if n is None else n for n in each.type.shape) for each in parts]
    rows = [shapes[0][0] if parts[0].ndim == 2 else 1, *(shape[0] for shape in shapes[1:])]
    columns = shapes[-1][1] if parts[-1].ndim == 2 else 1
    return _product(parts, _best_splits([*rows, columns]), 0, len(parts) - 1)


def _best_splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return for each range of factors behind which one the last product splits it."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for width in range(1, count):
        for i in range(count - width):
            j = i + width
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )
    return split


def _product(parts: list[Variable], split: dict[tuple[int, int], int], i: int, j: int) -> Variable:
    if i == j:
        return parts[i]
    k = split[i, j]
    return ops.matmul(_product(parts, split, i, k), _product(parts, split, k + 1, j))


@public(numpy=("linalg.tensorinv",))
def tensorinv(a: Any, ind: int = 2) -> Variable:
    """Return the inverse of a tensor under `tensordot`, as ``numpy.linalg.tensorinv``.

    Parameters
    ----------
    a : Variable or array-like
        The product of its first `ind` lengths equals that of the others.
    ind : int
        How many of the first axes become the last ones.

    Returns
    -------
    Variable
        Of shape ``a.shape[ind:] + a.shape[:ind]``.

    Raises
    ------
    ValueError
        If `ind` is not at least 1.
    LinAlgError
        In a call, if the products differ, or the matrix is singular.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.tensor3("a")
    >>> tv.function([a], tv.tensorinv(a, 1))([[[2.0, 0.0]], [[0.0, 4.0]]])
    array([[[0.5 , 0.  ],
            [0.  , 0.25]]])
    """
    a, count = as_variable(a), as_integer(ind)
    if count is None or count < 1:
        raise ValueError(f"[tensorinv] ind = {ind!r}, but it has to be an integer above 0.")
    shape = [length(a, axis) for axis in range(a.ndim)]
    front, back = shape[:count], shape[count:]
    square = reshape(a, (math.prod(front), math.prod(back)))
    return reshape(ops.inv(square), [*back, *front])


@public(numpy=("linalg.tensorsolve",))
def tensorsolve(a: Any, b: Any, axes: Sequence[int] | None = None) -> Variable:
    """Return the x for which ``tensordot(a, x, x.ndim) == b``, as ``numpy.linalg.tensorsolve``.

    Parameters
    ----------
    a : Variable or array-like
        Of shape ``b.shape + x.shape``; both products of lengths are equal.
    b : Variable or array-like
    axes : sequence of int, optional
        Axes of `a` that are put last first.

    Returns
    -------
    Variable

    Raises
    ------
    LinAlgError
        In a call, if the products of lengths differ, or the matrix is singular.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.tensor3("a"), tv.vector("b")
    >>> x = tv.tensorsolve(a, b)
    >>> tv.function([a, b], x)([[[2.0, 0.0]], [[0.0, 4.0]]], [2.0, 2.0])
    array([[1. , 0.5]])
    """
    a, b = as_variable(a), as_variable(b)
    if axes is not None:
        last = normal_axes("tensorsolve", axes, a.ndim, "axes")
        a = transpose(a, [axis for axis in range(a.ndim) if axis not in last] + last)
    shape = [length(a, axis) for axis in range(b.ndim, a.ndim)]
    n = math.prod(shape)
    return reshape(ops.solve(reshape(a, (-1, n)), ravel(b)), shape)


__all__ = [
    "block_diag",
    "expm",
    "matrix_power",
    "multi_dot",
    "tensorinv",
    "tensorsolve",
]
