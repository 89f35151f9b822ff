"""Proximal maps: the point that is best between near to x and cheap in a penalty."""

from __future__ import annotations

from typing import Any

import thunkvm as tv


def soft_threshold(x: Any, t: Any) -> tv.Variable:
    """Return x, each element nearer to 0 by t, or 0: the proximal map of ``t * sum(abs(x))``.

    Parameters
    ----------
    x : Variable
        Of any shape.
    t : Variable or number
        How much nearer; it has to fit the shape of x.

    Returns
    -------
    Variable
        Of the shape of x.

    References
    ----------
    N. Parikh and S. Boyd, Proximal algorithms, 2014, section 6.5.2.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.optimize.soft_threshold(x, 1.0))([3.0, -0.5, -2.0])
    array([ 2., -0., -1.])
    """
    x = tv.as_variable(x)
    return tv.sign(x) * tv.maximum(tv.abs(x) - t, 0.0)


def project(x: Any, lower: Any, upper: Any) -> tv.Variable:
    """Return the nearest point between bounds: the proximal map of a penalty that is inf outside.

    Parameters
    ----------
    x, lower, upper : Variable, array or number
        Of shapes that fit together.

    Returns
    -------
    Variable
        Of the shape of x.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.optimize.project(x, 0.0, 1.0))([3.0, -0.5, 0.25])
    array([1.  , 0.  , 0.25])
    """
    return tv.minimum(tv.maximum(x, lower), upper)


__all__ = ["project", "soft_threshold"]
