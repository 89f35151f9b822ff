"""Tapers: the window functions by which signals are multiplied before they are transformed."""

from __future__ import annotations

import math
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.lengths import integers_below, whole_number
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public


@public()
def bartlett(M: Any) -> Variable:  # noqa: N803
    """Return a triangle from 0 to 1 and back, as ``numpy.bartlett``.

    Parameters
    ----------
    M : int or 0-d integer Variable
        How many points it has.

    Returns
    -------
    Variable
        A vector of float64. One point is 1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> tv.function([n], tv.bartlett(n))(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    n, span = _distances("bartlett", M)
    return ops.where(ops.le(n, 0.0), n / span + 1.0, 1.0 - n / span)


@public()
def hanning(M: Any) -> Variable:  # noqa: N803
    """Return a raised cosine, 0 at both ends, as ``numpy.hanning``; parameters as of `bartlett`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.round(tv.hanning(5), 6))()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _cosines("hanning", M, (0.5, 0.5))


@public()
def hamming(M: Any) -> Variable:  # noqa: N803
    """Return a raised cosine, 0.08 at both ends, as ``numpy.hamming``; see `bartlett`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.round(tv.hamming(3), 6))()
    array([0.08, 1.  , 0.08])
    """
    return _cosines("hamming", M, (0.54, 0.46))


@public()
def blackman(M: Any) -> Variable:  # noqa: N803
    """Return a sum of two cosines, 0 at both ends, as ``numpy.blackman``; see `bartlett`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.abs(tv.round(tv.blackman(5), 6)))()
    array([0.  , 0.34, 1.  , 0.34, 0.  ])
    """
    return _cosines("blackman", M, (0.42, 0.5, 0.08))


@public()
def kaiser(M: Any, beta: Any) -> Variable:  # noqa: N803
    """Return a Kaiser window, as ``numpy.kaiser``.

    Parameters
    ----------
    M : int or 0-d integer Variable
        How many points it has.
    beta : Variable or number
        Its shape: 0 is a rectangle. The window has a derivative by it.

    Returns
    -------
    Variable
        A vector of float64. One point is 1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> b = tv.scalar("b")
    >>> tv.function([b], tv.round(tv.kaiser(3, b), 6))(2.0)
    array([0.438676, 1.      , 0.438676])
    """
    n, span = _distances("kaiser", M)
    beta = astype(beta, "float64")
    rest = 1.0 - ops.square(n / span)
    is_end = ops.le(rest, 0.0)  # where the root has no derivative, and is not multiplied by one
    root = ops.where(is_end, 0.0, ops.sqrt(ops.where(is_end, 1.0, rest)))
    return ops.i0(root * beta) / ops.i0(beta)


def _distances(what: str, M: Any) -> tuple[Variable, Variable]:  # noqa: N803
    """Return how far each of `M` points is from the middle, and how far the ends are.

    The distance is in halves of the step, as NumPy counts it.
    """
    m = whole_number(what, "M", M)
    count = max(m, 0) if isinstance(m, int) else ops.maximum(m, 0)
    n = integers_below(count) * 2 - (m - 1)
    span = ops.maximum(astype(m, "float64") - 1.0, 1.0)
    return astype(n, "float64"), span


def _cosines(what: str, M: Any, weights: tuple[float, ...]) -> Variable:  # noqa: N803
    n, span = _distances(what, M)
    terms = [ops.cos(n * (math.pi * k) / span) * w for k, w in enumerate(weights) if k]
    out: Variable = terms[0] + weights[0]
    for term in terms[1:]:
        out = out + term
    return out


__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]
