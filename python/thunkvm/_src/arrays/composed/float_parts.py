"""The parts of which floats are made: fractions, exponents, neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.ufunc_ops import NumPyUfunc
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

#: By dtype, an exponent e so that 2**e and 2**-e are normal, and three of them reach everything.
REACH = {"float16": 14, "float32": 120, "float64": 1000}


def _floats(what: str, x: Any) -> Variable:
    """Return `x` in the dtype of floats in which NumPy's ufunc of one operand computes it."""
    x = as_variable(x)
    ufunc = getattr(np, what)
    try:
        dtype = ufunc.resolve_dtypes((np.dtype(x.dtype), *[None] * ufunc.nout))[0]
    except TypeError:
        raise TypeError(f"[{what}] is not defined for {x.dtype}, as in NumPy.") from None
    return astype(x, dtype)


@public()
def modf(x: Any) -> tuple[Variable, Variable]:
    """Return the fractional and the whole part, both with the sign of `x`, as ``numpy.modf``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], list(tv.modf(x)))([2.5, -0.25])
    [array([ 0.5 , -0.25]), array([ 2., -0.])]
    """
    x = _floats("modf", x)
    whole = ops.trunc(x)
    is_infinite = ops.isinf(x)
    fraction = x - ops.where(is_infinite, astype(0.0, x.dtype), whole)
    fraction = ops.where(is_infinite, astype(0.0, x.dtype), fraction)
    return ops.copysign(fraction, ops.stop_gradient(x)), whole


@public()
def ldexp(x1: Any, x2: Any) -> Variable:
    """Return ``x1 * 2**x2``, rounded once, as ``numpy.ldexp``.

    Parameters
    ----------
    x1 : Variable or array-like
    x2 : Variable or array-like of int

    Raises
    ------
    TypeError
        If `x2` is not made of integers.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, n = tv.vector("x"), tv.lvector("n")
    >>> tv.function([x, n], tv.ldexp(x, n))([1.5, 3.0], [4, -1])
    array([24. ,  1.5])
    """
    x, n = as_variable(x1), as_variable(x2)
    if np.dtype(n.dtype).kind not in "iub" or n.dtype == "uint64":
        raise TypeError(
            f"[ldexp] x2 is {n}, of {n.dtype}; exponents are integers that int64 holds: cast them."
        )
    # A small integer has a float of as few bits, but for int32 and longer ones.
    x = astype(x, np.ldexp.resolve_dtypes((np.dtype(x.dtype), np.dtype("int32"), None))[0])
    reach = REACH[x.dtype]
    n = astype(n, "int64")
    most = ops.clip(n, -reach, reach)
    more = ops.clip(n - most, -reach, reach)
    last = ops.clip(n - most - more, -reach, reach)
    out: Variable = x
    for step in (last, more, most):  # the largest last: only that one may round
        out = out * ops.exp2(astype(step, x.dtype))
    return out


@public()
def frexp(x: Any) -> tuple[Variable, Variable]:
    """Return ``m`` and ``e`` with ``x = m * 2**e``, as ``numpy.frexp``.

    Returns
    -------
    tuple of Variable
        Floats from 0.5 to 1, or their negatives, and int32. Of 0, infinities and NaN they are the
        number itself and 0. The gradient is that of the first, ``2**-e``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], list(tv.frexp(x)))([8.0, -0.75])
    [array([ 0.5 , -0.75]), array([4, 0], dtype=int32)]
    """
    x = _floats("frexp", x)
    is_plain = ops.logical_and(ops.isfinite(x), ops.neq(x, 0.0))
    plain = ops.where(is_plain, x, astype(1.0, x.dtype))
    size = ops.abs(ops.stop_gradient(plain))
    e = astype(ops.floor(ops.log2(size)), "int64") + 1
    e = e + ops.cast(ops.ge(ldexp(size, -e), 1.0), dtype="int64")  # a logarithm that was rounded
    e = e - ops.cast(ops.lt(ldexp(size, -e), 0.5), dtype="int64")
    exponent = ops.where(is_plain, e, 0)
    return ops.where(is_plain, ldexp(plain, -e), x), astype(exponent, "int32")


@public()
def nextafter(x1: Any, x2: Any) -> Variable:
    """Return the float next to `x1` on the way to `x2`, as ``numpy.nextafter``.

    Its derivative by `x1` is 1, by `x2` 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], tv.nextafter(x, 2.0) - x)(1.0)) == 2.0**-52
    True
    """
    out: Variable = NumPyUfunc("nextafter")(x1, x2)
    return out


@public()
def spacing(x: Any) -> Variable:
    """Return the distance to the next float, with the sign of `x`, as ``numpy.spacing``.

    Its gradient is 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> float(tv.function([x], tv.spacing(x))(1.0)) == 2.0**-52
    True
    """
    out: Variable = NumPyUfunc("spacing")(x)
    return out


@public()
def bitwise_count(x: Any) -> Variable:
    """Return how many bits of the magnitude of an integer are 1, as ``numpy.bitwise_count``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.lvector("x")
    >>> tv.function([x], tv.bitwise_count(x))([5, -8])
    array([2, 1], dtype=uint8)
    """
    out: Variable = NumPyUfunc("bitwise_count")(x)
    return out


__all__ = ["bitwise_count", "frexp", "ldexp", "modf", "nextafter", "spacing"]
