"""Activations of layers, and the soft maximum that they share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis, normal_axes
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.reductions import sum as total
from thunkvm._src.graph.values import as_variable

#: The constants of `selu`, for which means stay 0 and variances 1 from layer to layer.
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


def as_float(x: Any) -> Variable:
    """Return a Variable of floats: integers and bools become float64.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.activations import as_float
    >>> as_float(3).dtype, as_float(tv.vector("x", dtype="float32")).dtype
    ('float64', 'float32')
    """
    made: Variable = as_variable(x)
    return ops.cast(made, dtype="float64") if np.dtype(made.dtype).kind in "biu" else made


@public()
def logsumexp(x: Any, axis: Axis = None, *, keepdims: bool = False, b: Any = None) -> Variable:
    """Return ``log(sum(b * exp(x)))`` over axes, without overflow.

    Parameters
    ----------
    x : Variable or array-like
    axis : int, sequence of int or None
        The axes to sum over; None for all.
    keepdims : bool
        Keep the axes that are summed over, with length 1.
    b : Variable or array-like, optional
        Weights, broadcast to `x`. An element of weight 0 does not count, however large it is. If
        a sum is negative, its logarithm is NaN.

    Returns
    -------
    Variable
        Of no elements it is -inf. Its gradient is `softmax`; where the largest element is
        infinite, it is that of the largest element.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.logsumexp(x))([1000.0, 1000.0])).__round__(6)
    1000.693147
    >>> float(tv.function([x], tv.logsumexp(x, b=[3.0, -1.0]))([0.0, 0.0])).__round__(6)
    0.693147
    """
    x = as_float(x)
    if b is not None:
        b = as_float(b)
    counted = x if b is None else ops.where(ops.eq(b, 0.0), -math.inf, x)
    ndim = counted.ndim
    if axis is not None and ndim:
        axis = normal_axes("logsumexp", axis, ndim)
    largest = ops.max(counted, axis=axis, keepdims=True, or_identity=True)
    is_infinite = ops.isinf(largest)
    shift = ops.stop_gradient(ops.where(is_infinite, 0.0, largest))
    distance = ops.where(is_infinite, 0.0, x) - shift
    if b is None:
        terms = ops.exp(distance)
    else:  # what does not count may be larger than the largest
        terms = b * ops.exp(ops.minimum(distance, math.log(np.finfo(x.dtype).max)))
    sums = total(terms, axis, keepdims=True)
    out = ops.where(is_infinite, largest, ops.log(ops.where(is_infinite, 1.0, sums)) + shift)
    if keepdims:
        return out
    axes = tuple(range(ndim)) if axis is None else axis
    return ops.squeeze(out, axis=axes) if ndim else out


@public()
def softmax(x: Any, axis: Axis = None) -> Variable:
    """Return ``exp(x) / sum(exp(x))`` over axes, without overflow.

    Parameters
    ----------
    x : Variable or array-like
    axis : int, sequence of int or None
        The axes to sum over; None for all, as in PyTensor and SciPy.

    Returns
    -------
    Variable
        Of the shape of `x`. Where all elements are -inf, it is NaN, as SciPy's.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.softmax(x))([1000.0, 1000.0])
    array([0.5, 0.5])
    """
    terms = ops.exp(_below_largest("softmax", x, axis))
    return terms / total(terms, axis, keepdims=True)


@public()
def log_softmax(x: Any, axis: Axis = None) -> Variable:
    """Return ``log(softmax(x))``, also where `softmax` is 0; parameters as of `softmax`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.log_softmax(x))([0.0, 1000.0])
    array([-1000.,     0.])
    """
    distance = _below_largest("log_softmax", x, axis)
    out: Variable = distance - ops.log(total(ops.exp(distance), axis, keepdims=True))
    return out


def _below_largest(name: str, x: Any, axis: Axis) -> Variable:
    """Return how far each element is below the largest one."""
    x = as_float(x)
    if axis is not None and x.ndim:
        axis = normal_axes(name, axis, x.ndim)
    largest = ops.max(x, axis=axis, keepdims=True, or_identity=True)
    return ops.sub(x, ops.stop_gradient(largest))


@public()
def relu(x: Any, alpha: Any = 0) -> Variable:
    """Return `x` where it is positive, else ``alpha * x``.

    Its derivative at 0 is `alpha`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.relu(x))([-1.0, 2.0])
    array([0., 2.])
    """
    x = as_variable(x)
    is_flat = isinstance(alpha, (int, float)) and alpha == 0
    return ops.where(ops.le(x, 0), 0 if is_flat else ops.mul(alpha, x), x)


@public()
def elu(x: Any, alpha: Any = 1.0) -> Variable:
    """Return `x` where it is positive, else ``alpha * (exp(x) - 1)``.

    Its derivative at 0 is `alpha`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.elu(x))([0.0, 2.0])
    array([0., 2.])
    """
    x = as_float(x)
    is_positive = ops.gt(x, 0.0)
    return ops.where(is_positive, x, ops.mul(alpha, ops.expm1(ops.where(is_positive, 0.0, x))))


@public()
def selu(x: Any) -> Variable:
    """Return the scaled `elu` that keeps means 0 and variances 1 (Klambauer and others, 2017).

    Its derivative at 0 is that from below.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.selu(x))([0.0, 1.0])
    array([0.        , 1.05070099])
    """
    return elu(x, SELU_ALPHA) * SELU_SCALE


@public()
def gelu(x: Any, approximate: bool = False) -> Variable:
    """Return `x` times the chance that a standard normal number is below it.

    Parameters
    ----------
    x : Variable or array-like
    approximate : bool
        Whether to take tanh in place of the error function, as some networks are trained.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.gelu(x))([0.0, 1.0])
    array([0.        , 0.84134475])
    """
    x = as_float(x)
    if not approximate:
        return _bent(x, ops.isinf(x), lambda z: z * ops.erfc(z * -math.sqrt(0.5)) * 0.5)
    # So far out tanh is 1 or -1, and z**3 may overflow.
    return _bent(
        x,
        ops.gt(ops.abs(x), 20.0),
        lambda z: z * (ops.tanh((z + z * z * z * 0.044715) * math.sqrt(2 / math.pi)) + 1.0) * 0.5,
    )


@public()
def silu(x: Any) -> Variable:
    """Return ``x * sigmoid(x)``; `swish` is this function too.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.silu(x))([0.0, 1.0])
    array([0.        , 0.73105858])
    """
    x = as_float(x)
    return _bent(x, ops.isinf(x), lambda z: z * ops.sigmoid(z))


@public()
def swish(x: Any) -> Variable:
    """Return ``x * sigmoid(x)``, as `silu`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.swish(x))([0.0, 1.0])
    array([0.        , 0.73105858])
    """
    return silu(x)


def _bent(x: Variable, is_far: Variable, function: Any) -> Variable:
    """Return a function that is `relu` far out, where its own terms are no numbers."""
    return ops.where(is_far, relu(x), function(ops.where(is_far, 0.0, x)))


@public()
def hard_sigmoid(x: Any) -> Variable:
    """Return ``0.2 * x + 0.5``, limited to 0 and 1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.hard_sigmoid(x))([-4.0, 0.0, 4.0])
    array([0. , 0.5, 1. ])
    """
    return ops.clip(as_float(x) * 0.2 + 0.5, 0.0, 1.0)


__all__ = [
    "as_float", "elu", "gelu", "hard_sigmoid", "log_softmax", "logsumexp", "relu", "selu", "silu",
    "softmax", "swish",
]  # fmt: skip
