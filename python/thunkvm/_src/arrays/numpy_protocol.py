"""NumPy's functions and ufuncs on Variables: which function of ours each one becomes.

``np.sqrt(x)``, ``np.sum(x, axis=0)`` and ``np.concatenate([x, y])`` make Variables, through
``__array_ufunc__`` (NEP 13) and ``__array_function__`` (NEP 18).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.arrays import creation, elementwise, exposed, linalg, reductions, shapes
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching import elsewhere

OP_OF_ONES_OWN = "build it from functions that have one, or write an Op with a perform: see tv.Op"

# NumPy's functions whose names are those of other functions of ours.
OTHERS = ("cond",)

# Ufuncs whose names the registry does not have, not as other names of Ops either.
UFUNCS: dict[str, str] = {"degrees": "rad2deg", "radians": "deg2rad"}

# Ufuncs that are functions of the package, not of the registry.
COMPOSED: dict[str, Callable[..., Any]] = {
    "divmod": elementwise.divmod,
    "fabs": elementwise.fabs,
    "positive": elementwise.positive,
    "rint": elementwise.rint,
}

# What `np.add.reduce(x)` and the like are.
REDUCTIONS: dict[str, Callable[..., Any]] = {
    "add": reductions.sum,
    "logical_and": reductions.all,
    "logical_or": reductions.any,
    "maximum": reductions.max,
    "minimum": reductions.min,
    "multiply": reductions.prod,
}


def array_ufunc(self: Variable, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Apply the Op that a NumPy ufunc stands for.

    Raises
    ------
    TypeError
        If there is no such Op, or for an argument of the ufunc that a Variable has no use for,
        such as ``out``.
    """
    name = ufunc.__name__
    if method == "__call__":
        found = COMPOSED.get(name) or getattr(exposed, UFUNCS.get(name, name), None)
        allowed: tuple[str, ...] = ()
    elif method == "reduce":
        found, allowed = REDUCTIONS.get(name), ("axis", "dtype", "keepdims")
    else:
        found, allowed = None, ()
    called = f"np.{name}" if getattr(np, name, None) is ufunc else name
    called = called if method == "__call__" else f"{called}.{method}"
    if found is None:
        told = elsewhere.advice(name) if method == "__call__" else ""
        raise TypeError(f"{called} has no counterpart for Variables; {told or OP_OF_ONES_OWN}.")
    kwargs = {key: value for key, value in kwargs.items() if value is not None}
    if unknown := [key for key in kwargs if key not in allowed]:
        told = elsewhere.keyword_advice(unknown[0], allowed)
        raise TypeError(f"{called} on a Variable takes no {unknown[0]}=; {told or 'leave it out'}.")
    return found(*inputs, **kwargs)


def array_function(
    self: Variable, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
) -> Any:
    """Call the function of ours that a NumPy function stands for.

    Raises
    ------
    TypeError
        If there is none.
    """
    found = functions().get(func)
    if found is None:
        module = getattr(func, "__module__", "numpy").replace("numpy", "np", 1)
        told = func.__name__ not in OTHERS and elsewhere.counterpart(func.__name__)
        told = told or OP_OF_ONES_OWN
        raise TypeError(f"{module}.{func.__name__} has no counterpart for Variables; {told}.")
    return found(*args, **kwargs)


@cache
def functions() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return our function for each NumPy function that has one."""
    out: dict[Callable[..., Any], Callable[..., Any]] = {}
    for module in (reductions, shapes, creation, linalg):
        for name in dir(module):
            theirs = getattr(np, name, None)
            if theirs is not None and not name.startswith("_"):
                out[theirs] = getattr(module, name)
    for name in exposed.__all__:
        theirs = getattr(np, name, None)
        if theirs is not None and not isinstance(theirs, np.ufunc):  # which array_ufunc gets
            out[theirs] = getattr(exposed, name)
    for name in ("solve", "cholesky", "inv", "det"):
        out[getattr(np.linalg, name)] = getattr(exposed, name)
    out[np.linalg.norm] = reductions.norm
    out[np.amax], out[np.amin] = reductions.max, reductions.min
    out[np.clip] = elementwise.clip
    out[np.round] = out[np.around] = elementwise.round
    out[np.copy] = as_variable
    out[np.ndim] = lambda x: x.ndim
    return out
