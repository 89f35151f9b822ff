"""Functions that ask for signs and give them, those of zeros and infinities too."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable


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


__all__ = [
    "isneginf",
    "isposinf",
]
