"""Functions that ask for signs and give them, those of zeros and infinities too."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.dtypes import computed_by
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable


@public()
def signbit(x: Any) -> Variable:
    """Return whether a number has a minus sign: -0.0 has one, 0.0 has none, nor has NaN here.

    Parameters
    ----------
    x : Variable or array-like
        Real numbers.

    Returns
    -------
    Variable
        Of bools.

    Raises
    ------
    TypeError
        If `x` is complex.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.signbit(x))([-0.0, 0.0, -2.0])
    array([ True, False,  True])
    """
    # The angle of (-1, x) is below 0 for -0.0 too, and needs no infinity, as 1 / x would.
    (number,) = computed_by(np.signbit, x)
    return ops.lt(ops.arctan2(number, -1.0), 0)


@public()
def copysign(x1: Any, x2: Any) -> Variable:
    """Return the magnitudes of `x1` with the signs of `x2`, as ``numpy.copysign``.

    Parameters
    ----------
    x1, x2 : Variable or array-like
        Real numbers; they broadcast. The sign of NaN is taken for plus.

    Returns
    -------
    Variable
        Of floats.

    Raises
    ------
    TypeError
        If one is complex.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.copysign(1.0, x))([-0.0, 3.0])
    array([-1.,  1.])
    """
    x1, x2 = computed_by(np.copysign, x1, x2)
    magnitude = ops.abs(x1)
    return ops.where(signbit(x2), -magnitude, magnitude)


@public()
def heaviside(x1: Any, x2: Any) -> Variable:
    """Return 0 where `x1` is negative, 1 where it is positive, and `x2` where it is 0.

    Parameters
    ----------
    x1, x2 : Variable or array-like
        Real numbers; they broadcast. NaN in `x1` stays NaN.

    Returns
    -------
    Variable
        Of floats.

    Raises
    ------
    TypeError
        If one is complex.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.heaviside(x, 0.5))([-1.0, 0.0, 2.0])
    array([0. , 0.5, 1. ])
    """
    x1, x2 = computed_by(np.heaviside, x1, x2)
    return ops.where(ops.eq(x1, 0), x2, (ops.sign(x1) + 1) / 2)


@public()
def isposinf(x: Any) -> Variable:
    """Return whether a real number is infinity.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.isposinf(x))([np.inf, -np.inf, 1.0])
    array([ True, False, False])
    """
    return ops.eq(_real("isposinf", x), float("inf"))


@public()
def isneginf(x: Any) -> Variable:
    """Return whether a real number is minus infinity.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.isneginf(x))([np.inf, -np.inf, 1.0])
    array([False,  True, False])
    """
    return ops.eq(_real("isneginf", x), -float("inf"))


def _real(what: str, given: Any) -> Variable:
    x: Variable = as_variable(given)
    if np.dtype(x.dtype).kind == "c":
        raise TypeError(f"[{what}] x is {x}, of complex numbers, whose infinities have no sign.")
    return x


__all__ = ["copysign", "heaviside", "isneginf", "isposinf", "signbit"]
