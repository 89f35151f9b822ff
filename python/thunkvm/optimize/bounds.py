"""Bounds of x: a least and a greatest value of each element."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value of each element of x.

    Parameters
    ----------
    lb, ub : number, array or nest like x0
        The bounds; -inf and inf for none.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.optimize.Bounds(0.0, [1.0, 2.0])
    Bounds(lb=0.0, ub=[1.0, 2.0])
    """

    lb: Any = -np.inf
    ub: Any = np.inf


def bounds_of(bounds: Any) -> tuple[Any, Any] | None:
    """Return the lower and the upper bounds: of a `Bounds`, SciPy's too, or of pairs.

    Examples
    --------
    >>> from thunkvm.optimize.bounds import bounds_of
    >>> bounds_of([(0.0, 1.0), (None, 2.0)])
    ([0.0, -inf], [1.0, 2.0])
    """
    if bounds is None:
        return None
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return bounds.lb, bounds.ub
    lower, upper = [], []
    for index, pair in enumerate(bounds if isinstance(bounds, Iterable) else [bounds]):
        if np.shape(pair) != (2,):
            raise ValueError(
                f"[optimize] bounds[{index}] is {pair!r}: it has to be a pair (least, greatest) of "
                "one element of x, such as (0.0, None). tv.optimize.Bounds(lower, upper) takes "
                "numbers and arrays for all elements."
            )
        low, high = pair
        lower.append(-np.inf if low is None else low)
        upper.append(np.inf if high is None else high)
    return lower, upper


def check_order(lower: npt.NDArray[Any], upper: npt.NDArray[Any]) -> None:
    """Raise where a lower bound is not at most the upper one.

    Raises
    ------
    ValueError
        With the element of x whose bounds are wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from thunkvm.optimize.bounds import check_order
    >>> check_order(np.array([0.0, -1.0]), np.array([0.0, np.inf]))
    """
    wrong = np.flatnonzero(~(lower <= upper))
    if wrong.size:
        index = wrong[0]
        raise ValueError(
            f"[optimize] the lower bound of element {index} of x is {lower[index]}, and the upper "
            f"one {upper[index]}: the lower one may not be greater, and neither may be NaN."
        )


__all__ = ["Bounds", "bounds_of", "check_order"]
