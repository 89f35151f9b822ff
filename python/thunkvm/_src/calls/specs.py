"""The specification of an input, an output or an update beside its Variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thunkvm._core import Variable
from thunkvm._src.calls.unchangeable import unchangeable


class _Required:
    """The default of an input that has none."""

    def __repr__(self) -> str:
        return "required"

    def __reduce__(self) -> str:
        return "REQUIRED"


REQUIRED: Any = _Required()


@unchangeable
@dataclass(frozen=True, slots=True, eq=False)
class In:
    """An input of a function, with more to say about it than a bare Variable has.

    Parameters
    ----------
    variable : Variable
        The variable that the argument stands for.
    name : str, optional
        Its keyword; the variable's name if left out.
    value : optional
        The value that is used when a call gives none.
    strict : bool
        Take only values of exactly the variable's type, and convert nothing.
    allow_downcast : bool, optional
        Convert values to the variable's dtype even if they lose precision. The function's
        `allow_downcast` holds if left out.
    borrow : bool
        Keep `value` itself, not a copy: what is written to it later changes the default.
    mutable : bool
        Calls may write to the memory of the argument, as `thunkvm.linking.Input` says.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> f = tv.function([x, tv.In(y, value=10.0)], x + y)
    >>> float(f(1.0)), float(f(1.0, y=2.0))
    (11.0, 3.0)
    """

    variable: Variable
    name: str | None = None
    value: Any = REQUIRED
    strict: bool = False
    allow_downcast: bool | None = None
    borrow: bool = False
    mutable: bool = False


@unchangeable
@dataclass(frozen=True, slots=True, eq=False)
class Out:
    """An output of a function, with more to say about it than a bare Variable has.

    Parameters
    ----------
    variable : Variable or value
        What to compute.
    borrow : bool
        Return the memory that the function has, without copying; it may be an argument's or
        another output's. What the caller writes to it changes these, and later calls may write to
        it. A constant, a default that the function keeps (`In.value`) and a shared variable give
        read-only arrays of their memory.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> argument = np.ones(2)
    >>> tv.function([x], tv.Out(x, borrow=True))(argument) is argument
    True
    """

    variable: Any
    borrow: bool = False


@unchangeable
@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """The new value of a shared variable, with more to say about it than a bare expression has.

    Parameters
    ----------
    value : Variable or value
        The new value.
    if_computed : bool
        Commit the value if something else in the call demanded it, and demand nothing for it.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, calls = tv.scalar("x"), tv.shared(0)
    >>> new = calls + 1
    >>> y = tv.ifelse(x > 0, new, calls)
    >>> f = tv.function([x], y, updates={calls: tv.Update(new, if_computed=True)})
    >>> int(f(-1.0)), int(f(1.0)), int(f(-1.0))
    (0, 1, 1)
    """

    value: Any
    if_computed: bool = False


__all__ = ["REQUIRED", "In", "Out", "Update"]
