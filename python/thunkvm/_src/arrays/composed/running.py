"""Running sums and products along an axis, with NumPy's names of the array API."""

from __future__ import annotations

from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length, normal_axes
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to
from thunkvm._src.graph.values import as_variable


@public()
def cumulative_sum(x: Any, axis: int | None = None, *, include_initial: bool = False) -> Variable:
    """Return running sums along an axis, as ``numpy.cumulative_sum``.

    Parameters
    ----------
    x : Variable or array-like
    axis : int, optional
        It may be left out of a vector.
    include_initial : bool
        Begin with the sum of no elements.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If there are several axes and none is named.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.cumulative_sum(x, include_initial=True))([1.0, 2.0])
    array([0., 1., 3.])
    """
    return _cumulative("cumulative_sum", ops.cumsum, x, axis, include_initial, 0)


@public()
def cumulative_prod(x: Any, axis: int | None = None, *, include_initial: bool = False) -> Variable:
    """Return running products along an axis; parameters as of `cumulative_sum`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.cumulative_prod(x, include_initial=True))([3.0, 2.0])
    array([1., 3., 6.])
    """
    return _cumulative("cumulative_prod", ops.cumprod, x, axis, include_initial, 1)


def _cumulative(
    what: str, running: Any, x: Any, axis: int | None, include_initial: bool, first: int
) -> Variable:
    x = as_variable(x)
    if x.ndim == 0 or (axis is None and x.ndim > 1):
        raise ValueError(f"[{what}] x has {x.ndim} axes, and axis = {axis}; name one of its axes.")
    (axis,) = normal_axes(what, 0 if axis is None else axis, x.ndim)
    out: Variable = running(x, axis=axis)
    if not include_initial:
        return out
    sizes = [1 if i == axis else length(x, i) for i in range(x.ndim)]
    return concatenate([broadcast_to(ops.cast(first, dtype=out.dtype), sizes), out], axis)


__all__ = ["cumulative_prod", "cumulative_sum"]
