"""Bounds of x: a least and a greatest value of each element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


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
    for low, high in bounds:
        lower.append(-np.inf if low is None else low)
        upper.append(np.inf if high is None else high)
    return lower, upper


__all__ = ["Bounds", "bounds_of"]
