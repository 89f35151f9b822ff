"""Polynomials through points: `polyfit`."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length
from thunkvm._src.arrays.composed.least_squares import lstsq
from thunkvm._src.arrays.composed.polynomials import vander
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable


@public()
def polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: Any = None,
    full: bool = False,
    w: Any = None,
    cov: bool | str = False,
) -> Any:
    """Return the polynomial with the least squares of distances from points, as ``numpy.polyfit``.

    Parameters
    ----------
    x : Variable or array-like
        A vector of places.
    y : Variable or array-like
        The values there: a vector, or a matrix of which each column is fitted.
    deg : int
        The degree.
    rcond : float, optional
        Singular values below this share of the largest are left out; ``len(x)`` times the dtype's
        resolution if left out.
    full : bool
        Whether to return the residuals, the rank, the singular values and `rcond` too.
    w : Variable or array-like, optional
        A vector of weights of the distances.
    cov : bool or "unscaled"
        Whether to return the covariance of the coefficients too, scaled by the residuals or not.

    Returns
    -------
    Variable, or tuple of Variable
        The coefficients, that of the highest power first. They have gradients by the points and
        the weights. A rank that is too low is no warning.

    Raises
    ------
    ValueError
        If the degree is negative, or `x`, `y` or `w` have other axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> y = tv.vector("y")
    >>> tv.function([y], tv.round(tv.polyfit([0.0, 1.0, 2.0], y, 1), 9))([1.0, 3.0, 5.0])
    array([2., 1.])
    """
    x, y = _floats(x), _floats(y)
    degree = as_integer(deg)
    if degree is None or degree < 0:
        raise ValueError(f"[polyfit] deg is {deg!r}; give a degree, 0 or more.")
    if x.ndim != 1 or y.ndim not in (1, 2):
        raise ValueError(
            f"[polyfit] x has {x.ndim} axes and y {y.ndim}; give a vector, and a vector or a "
            "matrix."
        )
    left, right = vander(x, degree + 1), y
    if w is not None:
        weights = _floats(w)
        if weights.ndim != 1:
            raise ValueError(f"[polyfit] w has {weights.ndim} axes; give a vector.")
        left = left * weights[:, None]
        right = right * (weights[:, None] if y.ndim == 2 else weights)
    if rcond is None:
        rcond = ops.cast(length(x, 0), dtype=x.dtype) * float(np.finfo(x.dtype).eps)
    scale = ops.sqrt(ops.sum(ops.square(left), axis=0))
    scaled = left / scale
    c, residuals, rank, singular = lstsq(scaled, right, rcond)
    c = c / (scale[:, None] if c.ndim == 2 else scale)
    if full:
        return c, residuals, rank, singular, as_variable(rcond)
    if not cov:
        return c
    base = ops.inv(ops.matmul(scaled.T, scaled)) / (scale[:, None] * scale)
    if cov != "unscaled":
        spare = ops.cast(length(x, 0) - (degree + 1), dtype=x.dtype)
        distance = right - ops.matmul(left, c)
        base = _scale_base(base, ops.sum(ops.square(distance), axis=0) / spare)
    elif c.ndim == 2:
        base = base[..., None]
    return c, base


def _scale_base(base: Variable, factor: Variable) -> Variable:
    out: Variable = base[..., None] * factor if factor.ndim else base * factor
    return out


def _floats(x: Any) -> Variable:
    """Return `x` in the dtype in which NumPy fits: float64, or complex numbers."""
    x = as_variable(x)
    return astype(x, np.result_type(x.dtype, "float64"))


__all__ = ["polyfit"]
