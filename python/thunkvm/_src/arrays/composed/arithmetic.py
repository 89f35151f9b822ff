"""Remainders, powers and logarithms that other functions make."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.dtypes import computed_by
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public


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


__all__ = ["float_power", "logaddexp2"]
