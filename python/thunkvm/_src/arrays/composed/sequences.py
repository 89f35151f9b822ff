"""Numbers at equal ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.composed.lengths import along, integers_below, whole_number
from thunkvm._src.arrays.creation import linspace
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


@public()
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: npt.DTypeLike | None = None,
) -> Variable:
    """Make `num` numbers at equal ratios from ``base**start`` to ``base**stop``.

    Parameters
    ----------
    start, stop : number, Variable or array-like
        The exponents of the first and of the last number; arrays as in `linspace`.
    num : int or 0-d integer Variable
        How many numbers.
    endpoint : bool
        False leaves the last one out.
    base : number or 0-d Variable
    dtype : dtype, optional
        The element type; the one of the power if left out.

    Returns
    -------
    Variable
        A vector, or an array with a new first axis.

    Raises
    ------
    ValueError
        If `num` is a negative number.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.logspace(0, 2, 3))()
    array([  1.,  10., 100.])
    """
    power: Variable = base ** _evenly("logspace", start, stop, num, endpoint)
    return power if dtype is None else astype(power, dtype)


def _evenly(what: str, start: Any, stop: Any, num: Any, endpoint: bool) -> Variable:
    count = whole_number(what, "num", num, 0)
    return linspace(start, stop, count) if endpoint else linspace(start, stop, count + 1)[:-1]


@public()
def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: npt.DTypeLike | None = None,
) -> Variable:
    """Make `num` numbers at equal ratios from `start` to `stop`, as ``numpy.geomspace``.

    Parameters
    ----------
    start, stop : number, Variable or array-like
        Neither is 0, and real ones have one sign; else there is NaN among the numbers.
    num, endpoint, dtype
        As of `logspace`.

    Returns
    -------
    Variable
        As of `linspace`, of floats or complex numbers, unless `dtype` says otherwise.

    Raises
    ------
    ValueError
        If `num` is a negative number, or an end is the number 0.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.geomspace(1, 8, 4))()
    array([1., 2., 4., 8.])
    """
    for name, end in (("start", start), ("stop", stop)):
        if not isinstance(end, Variable) and np.any(np.equal(end, 0)):
            raise ValueError(f"[geomspace] {name} = {end!r}, which no ratio reaches; give another.")
    common = (ops.add(start, stop) * 1.0).dtype
    first, last = astype(as_variable(start), common), astype(as_variable(stop), common)
    sign = ops.sign(first)
    from_1, to = first / sign, last / sign
    powers = 10.0 ** _evenly("geomspace", ops.log10(from_1), ops.log10(to), num, endpoint)
    # The ends are what was given, whatever rounding does to logarithms and powers.
    place = along(integers_below(ops.length(powers, axis=0)), 0, powers.ndim)
    end = ops.sub(as_variable(num), 1) if endpoint else -1
    powers = ops.where(ops.eq(place, end), to, powers)
    out = ops.where(ops.eq(place, 0), from_1, powers) * sign
    return astype(out, common if dtype is None else dtype)


__all__ = ["geomspace", "logspace"]
