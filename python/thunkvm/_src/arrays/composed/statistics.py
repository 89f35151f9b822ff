"""Averages with weights, spreads, covariances and correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays import reductions
from thunkvm._src.arrays.axes import Axis, length, lengths, normal_axes
from thunkvm._src.arrays.composed.lengths import inexact
from thunkvm._src.arrays.elementwise import astype, clip
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to, transpose
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


@public(method=True)
def ptp(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Return the largest element less the smallest one; parameters as of `sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.ptp(x))([1.0, 4.0, 2.0]))
    3.0
    """
    x = as_variable(x)
    return ops.sub(
        reductions.max(x, axis, keepdims=keepdims), reductions.min(x, axis, keepdims=keepdims)
    )


@public()
def average(
    a: Any,
    axis: Axis = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Return the mean of the elements, weighted if there are weights, as ``numpy.average``.

    Parameters
    ----------
    a : Variable or array-like
    axis : int, sequence of int or None
        The axes to average over; None for all.
    weights : Variable or array-like, optional
        With the axes of `a`, or with those averaged over alone. If they add up to 0, so that NumPy
        raises, the average is NaN or infinite.
    returned : bool
        Return the sum of the weights too.
    keepdims : bool
        Keep the axes that are averaged over, with length 1.

    Returns
    -------
    Variable or pair of Variable

    Raises
    ------
    ValueError
        If the axes of the weights are neither those of `a` nor those averaged over.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.average(x, weights=[1.0, 3.0]))([0.0, 4.0]))
    3.0
    """
    x: Variable = as_variable(a)
    axes = list(range(x.ndim)) if axis is None else normal_axes("average", axis, x.ndim)
    if weights is None:
        mean = reductions.mean(x, axes, keepdims=keepdims)
        count = ops.size(x) // ops.maximum(ops.size(mean), 1)
        return (mean, broadcast_to(astype(count, mean.dtype), lengths(mean))) if returned else mean
    shares = _shares(as_variable(weights), x, axes)
    dtype = np.result_type(inexact(x).dtype, shares.dtype)
    total = reductions.sum(shares, axes, dtype=dtype, keepdims=keepdims)
    mean = reductions.sum(astype(x, dtype) * shares, axes, keepdims=keepdims) / total
    return (mean, total) if returned else mean


def _shares(weights: Variable, x: Variable, axes: list[int]) -> Variable:
    """Return weights with the shape of `x`."""
    if weights.ndim not in (x.ndim, len(axes)):
        raise ValueError(
            f"[average] weights is {weights}, with {weights.ndim} axes, but a has {x.ndim}, and "
            f"{len(axes)} are averaged over; give as many as either."
        )
    if weights.ndim < x.ndim:
        weights = transpose(weights, sorted(range(len(axes)), key=lambda i: axes[i]))
        weights = ops.expand_dims(weights, axis=[i for i in range(x.ndim) if i not in axes])
    return broadcast_to(weights, lengths(x))


@public()
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: npt.DTypeLike | None = None,
) -> Variable:
    """Estimate the covariances of variables, as ``numpy.cov``.

    Parameters
    ----------
    m : Variable or array-like
        A matrix whose rows are the variables and whose columns the observations; or a vector of
        observations of one variable.
    y : Variable or array-like, optional
        More variables, in the form of `m`.
    rowvar : bool
        False if the columns are the variables.
    bias : bool
        Divide by the number of observations n instead of n - 1.
    ddof : int, optional
        Divide by n - `ddof` instead, whatever `bias` says.
    fweights, aweights : Variable or array-like, optional
        Vectors: how often each observation was made, and how much it weighs.
    dtype : dtype, optional
        float64 or complex128 at least, if left out.

    Returns
    -------
    Variable
        A matrix, or a 0-d array if there is known to be one variable.

    Raises
    ------
    ValueError
        If there are more than two axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.cov(x))([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    given = [_as_observations("cov", name, x) for name, x in (("m", m), ("y", y)) if x is not None]
    dtype = np.result_type(*(x.dtype for x in given), np.float64) if dtype is None else dtype
    x = concatenate([_rows(astype(each, dtype), rowvar) for each in given], 0)
    weights = _weights(fweights, aweights)
    freedom = (0 if bias else 1) if ddof is None else ddof
    mean, divisor = _mean_and_divisor(x, weights, aweights, freedom)
    apart = x - mean
    weighed = apart if weights is None else apart * weights
    products = ops.matmul(apart, ops.conj(transpose(weighed)))
    return ops.squeeze(products / astype(divisor, x.real.dtype), axis=_ones(products))


def _as_observations(what: str, name: str, given: Any) -> Variable:
    x: Variable = as_variable(given)
    if x.ndim > 2:
        raise ValueError(f"[{what}] {name} is {x}, which has {x.ndim} axes; give a matrix.")
    return x


def _rows(x: Variable, rowvar: bool) -> Variable:
    """Return a matrix whose rows are the variables."""
    if x.ndim < 2:
        return ops.expand_dims(x, axis=range(2 - x.ndim))
    return x if rowvar else transpose(x)


def _weights(fweights: Any, aweights: Any) -> Variable | None:
    given = [astype(each, "float64") for each in (fweights, aweights) if each is not None]
    if not given:
        return None
    return given[0] if len(given) == 1 else given[0] * given[1]


def _mean_and_divisor(
    x: Variable, weights: Variable | None, aweights: Any, freedom: int
) -> tuple[Variable, Variable]:
    if weights is None:
        mean = reductions.mean(x, 1, keepdims=True)
        divisor = as_variable(length(x, 1)) - freedom
    else:
        total = ops.sum(weights)
        mean = ops.true_div(reductions.sum(x * weights, 1, keepdims=True), total)
        squares = total if aweights is None else ops.sum(weights * aweights)
        divisor = total - freedom * squares / total if aweights is not None else total - freedom
    return mean, ops.maximum(divisor, 0)


def _ones(x: Variable) -> tuple[int, ...]:
    return tuple(axis for axis in range(x.ndim) if x.type.shape[axis] == 1)


@public()
def corrcoef(
    x: Any, y: Any = None, rowvar: bool = True, *, dtype: npt.DTypeLike | None = None
) -> Variable:
    """Return the correlations of variables, as ``numpy.corrcoef``; parameters as of `cov`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.corrcoef(x))([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviations = ops.sqrt(ops.diagonal(c).real)
    ratio = c / ops.expand_dims(deviations, axis=(1,)) / deviations
    if np.dtype(ratio.dtype).kind != "c":
        return clip(ratio, -1.0, 1.0)
    return astype(clip(ratio.real, -1.0, 1.0) + 1j * clip(ratio.imag, -1.0, 1.0), ratio.dtype)


__all__ = ["average", "corrcoef", "cov", "ptp"]
