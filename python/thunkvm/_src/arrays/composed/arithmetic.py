"""Remainders, powers and logarithms that other functions make."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.dtypes import computed_by
from thunkvm._src.arrays.composed.signs import signbit
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public


@public()
def fmod(x1: Any, x2: Any) -> Variable:
    """Return the remainder with the sign of the dividend, as C's ``fmod``; `mod` has the divisor's.

    Parameters
    ----------
    x1, x2 : Variable or array-like
        Real numbers; they broadcast. The remainder of an integer by 0 is 0, that of a float NaN.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If one is complex.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.fmod(x, 3.0))([-7.0, 7.0])
    array([-1.,  1.])
    """
    x1, x2 = computed_by(np.fmod, x1, x2)
    if np.dtype(x1.dtype).kind in "iu":
        floor = ops.mod(x1, x2)
        # Of other signs the remainder lies one divisor further, and no number in between is larger.
        has_other_sign = ops.logical_and(ops.neq(floor, 0), ops.neq(ops.lt(x1, 0), ops.lt(x2, 0)))
        return ops.where(has_other_sign, floor - x2, floor)
    # Of numbers without signs both remainders are one, and exact.
    is_negative = signbit(x1)
    magnitude = ops.where(is_negative, ops.neg(x1), x1)
    remainder = ops.mod(magnitude, ops.where(ops.lt(x2, 0), ops.neg(x2), x2))
    return ops.where(is_negative, -remainder, remainder)


@public()
def float_power(x1: Any, x2: Any) -> Variable:
    """Return `x1` to the power `x2`, computed in float64 or complex128 at least.

    Parameters
    ----------
    x1, x2 : Variable or array-like
        They broadcast.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lvector("n")
    >>> tv.function([n], tv.float_power(n, -1))([1, 2])
    array([1. , 0.5])
    """
    return ops.pow(*computed_by(np.float_power, x1, x2))


@public()
def logaddexp2(x1: Any, x2: Any) -> Variable:
    """Return ``log2(2**x1 + 2**x2)``, without an overflow between.

    Parameters
    ----------
    x1, x2 : Variable or array-like
        Real numbers; they broadcast.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> round(float(tv.function([x], tv.logaddexp2(x, x))(2000.0)), 9)
    2001.0
    """
    x1, x2 = computed_by(np.logaddexp2, x1, x2)
    dtype, scale = x1.dtype, math.log(2.0)
    if dtype == "float16":  # of which the scale is a coarse number
        x1, x2 = astype(x1, "float32"), astype(x2, "float32")
    return astype(ops.logaddexp(x1 * scale, x2 * scale) / scale, dtype)


__all__ = ["float_power", "fmod", "logaddexp2"]
