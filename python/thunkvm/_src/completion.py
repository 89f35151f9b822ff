"""The names that tab completion offers: those that mean something for the object.

A name that is left out is there all the same; the one that asks for it gets its value, or a message
that says of which Variables it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thunkvm import _core
from thunkvm._core import Variable

#: Of a Variable: what only the package itself asks for.
OF_THE_PACKAGE = frozenset({"leaf", "weak"})
OF_SHARED = frozenset({"get_value", "set_value"})
OF_CONSTANTS = frozenset({"value"})
OF_LOOPS = frozenset({"finished", "history", "steps"})
#: Theano's names for what NumPy's already say.
OF_OTHERS = frozenset({"broadcastable"})


def public(names: Iterable[str]) -> list[str]:
    """Return the names without those that begin with one underscore.

    Examples
    --------
    >>> from thunkvm._src.completion import public
    >>> public(["exp", "_own", "__class__"])
    ['__class__', 'exp']
    """
    return sorted(name for name in names if not name.startswith("_") or name.startswith("__"))


def names(self: Any) -> list[str]:
    """Return the public names of an object: its `__dir__`."""
    return public(object.__dir__(self))


def names_of_variable(self: Variable) -> list[str]:
    """Return the names that mean something for this Variable: its `__dir__`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> "get_value" in dir(tv.shared(1.0)), "get_value" in dir(tv.scalar("x"))
    (True, False)
    """
    hidden = OF_THE_PACKAGE | OF_OTHERS
    if self.leaf != "shared":
        hidden |= OF_SHARED
    if self.leaf != "constant":
        hidden |= OF_CONSTANTS
    if self.owner is None or _core.loop_body(self) is None:
        hidden |= OF_LOOPS
    return [name for name in names(self) if name not in hidden]


__all__ = ["names", "names_of_variable", "public"]
