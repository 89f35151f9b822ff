"""NumPy's functions and ufuncs on Variables: which function of ours each one becomes.

``np.sqrt(x)``, ``np.sum(x, axis=0)`` and ``np.concatenate([x, y])`` make Variables, through
``__array_ufunc__`` (NEP 13) and ``__array_function__`` (NEP 18).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.arrays import exposed, public
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching import elsewhere

OP_OF_ONES_OWN = "build it from functions that have one, or write an Op with a perform: see tv.Op"


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
        found = counterparts().get(name)
        allowed: tuple[str, ...] = ()
    elif method == "reduce":
        found = {each.reduces: each.function for each in public.FUNCTIONS.values()}.get(name)
        allowed = ("axis", "dtype", "keepdims")
    else:
        found, allowed = None, ()
    called = f"np.{name}" if getattr(np, name, None) is ufunc else name
    called = called if method == "__call__" else f"{called}.{method}"
    if found is None:
        told = elsewhere.advice(name) if method == "__call__" else ""
        raise TypeError(f"{called} has no counterpart for Variables; {told or OP_OF_ONES_OWN}.")
    # Unless it is told otherwise reduce goes over the first axis; only `axis=None` means all.
    axis = kwargs.pop("axis", 0 if as_variable(inputs[0]).ndim else None) if allowed else None
    kwargs = {key: value for key, value in kwargs.items() if value is not None}
    if axis is not None:
        kwargs["axis"] = axis
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
        told = elsewhere.counterpart(func.__name__)
        told = told or OP_OF_ONES_OWN
        raise TypeError(f"{module}.{func.__name__} has no counterpart for Variables; {told}.")
    return found(*args, **kwargs)


@cache
def counterparts() -> dict[str, Callable[..., Any]]:
    """Return our function for each of NumPy's names that stands for one: ``"linalg.inv"``.

    Names that NumPy does not have, those of other libraries' ufuncs, are among them.
    """
    package = vars(sys.modules["thunkvm"])  # whose functions teach
    apart = {name for name, function in public.FUNCTIONS.items() if not function.of_numpy}
    ours = {name: package[name] for name in exposed.__all__ if name not in apart}
    for name, function in public.FUNCTIONS.items():
        for path in function.numpy:
            ours[path] = package[name] if function.of_package else function.function
    for proto in _core.op_protos():
        ours |= {path: package[proto["name"]] for path in proto["numpy"]}
    return ours


@cache
def functions() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return our function for each function of NumPy that has one; ufuncs go by their names."""
    out: dict[Callable[..., Any], Callable[..., Any]] = {
        np.copy: as_variable,
        np.ndim: lambda x: x.ndim,
    }
    for path, function in counterparts().items():
        theirs: Any = np
        for name in path.split("."):
            theirs = getattr(theirs, name, None)
        if theirs is not None and not isinstance(theirs, np.ufunc):
            out[theirs] = function
    return out
