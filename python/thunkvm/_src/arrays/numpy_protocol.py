"""NumPy's functions and ufuncs on Variables: which function of ours each one becomes.

``np.sqrt(x)``, ``np.sum(x, axis=0)`` and ``np.concatenate([x, y])`` make Variables, through
``__array_ufunc__`` (NEP 13) and ``__array_function__`` (NEP 18).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.arrays import catalog, exposed, ufunc_methods
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching import elsewhere

OP_OF_ONES_OWN = "build it from functions that have one, or write an Op with a perform: see tv.Op"


def array_ufunc(self: Variable, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Apply the Op that a NumPy ufunc stands for.

    Raises
    ------
    TypeError
        If there is no such Op, or an argument of the ufunc is for arrays alone, such as ``out``.
    """
    name = ufunc.__name__
    found = counterpart(name)
    called = f"np.{name}" if getattr(np, name, None) is ufunc else name
    if method != "__call__":
        called = f"{called}.{method}"
        if told := ufunc_methods.explain_refusal(called, name, method):
            raise TypeError(told)
    if found is None:
        told = elsewhere.advice(name) or OP_OF_ONES_OWN
        raise TypeError(f"{called} has no counterpart for Variables; {told}.")
    if method != "__call__":
        return ufunc_methods.METHODS[method](called, name, found, *inputs, **kwargs)
    kwargs = {key: value for key, value in kwargs.items() if value is not None}
    if kwargs:
        told = elsewhere.keyword_advice(next(iter(kwargs)), ())
        raise TypeError(
            f"{called} on a Variable takes no {next(iter(kwargs))}=; {told or 'leave it out'}."
        )
    return found(*inputs)


def array_function(
    self: Variable, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
) -> Any:
    """Call the function of ours that a NumPy function stands for.

    Raises
    ------
    TypeError
        If there is none.
    """
    found = own_function(func)
    if found is None:
        module = getattr(func, "__module__", "numpy").replace("numpy", "np", 1)
        told = elsewhere.counterpart(func.__name__)
        told = told or OP_OF_ONES_OWN
        raise TypeError(f"{module}.{func.__name__} has no counterpart for Variables; {told}.")
    return found(*args, **kwargs)


def own_function(theirs: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return our function for a function of NumPy's; None if there is none."""
    if theirs is np.copy:
        return as_variable
    if theirs is np.ndim:
        return operator.attrgetter("ndim")
    path = functions().get(theirs)
    return None if path is None else counterpart(path)


def counterpart(path: str) -> Callable[..., Any] | None:
    """Return our function for one of NumPy's names: ``"linalg.inv"``; None if there is none.

    Names that NumPy does not have, those of other libraries' ufuncs, are among them.
    """
    name = counterparts().get(path)
    if name is None:
        return None
    home = exposed if name in catalog.NUMPYS_ALONE else import_module("thunkvm")  # which teaches
    found: Callable[..., Any] = getattr(home, name)
    return found


@cache
def counterparts() -> dict[str, str]:
    """Return the name of our function for each of NumPy's names that stands for one."""
    apart = set(catalog.OTHER_THAN_NUMPYS)
    ours = {name: name for name in exposed.__all__ if name not in apart} | catalog.NUMPYS
    for proto in _core.op_protos():
        ours |= dict.fromkeys(proto["numpy"], proto["name"])
    return ours


@cache
def functions() -> dict[Callable[..., Any], str]:
    """Return the path of each function of NumPy's that has a counterpart.

    Ufuncs go by their names.
    """
    out: dict[Callable[..., Any], str] = {}
    for path in counterparts():
        theirs: Any = np
        for name in path.split("."):
            theirs = getattr(theirs, name, None)
        if theirs is not None and not isinstance(theirs, np.ufunc):
            out[theirs] = path
    return out
