"""Classes of exceptions by name, as the Op `attempt` has them among its attributes."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Mapping
from weakref import WeakValueDictionary

#: Classes that no module has under their name, by the name that they have here.
_LOCAL: WeakValueDictionary[str, type[Exception]] = WeakValueDictionary()


def names_of(classes: Iterable[type[Exception]]) -> list[str]:
    """Return the names of classes: "ValueError", "numpy.linalg.LinAlgError".

    A class that stands in a function has a name that nobody else knows.

    Raises
    ------
    TypeError
        If one of them is no subclass of Exception.
    """
    return [_name_of(each) for each in classes]


def _name_of(caught: type[Exception]) -> str:
    if not isinstance(caught, type) or not issubclass(caught, Exception):
        raise TypeError(
            f"[attempt] on has {caught!r}, which is no subclass of Exception; Ctrl-C and exit end "
            "every call, and are not for a fallback to catch."
        )
    module, name = caught.__module__, caught.__qualname__
    path = name if module == "builtins" else f"{module}.{name}"
    if _find_exception(path) is caught:
        return path
    local = f"{path} at {id(caught):#x}"
    _LOCAL[local] = caught
    return local


def remember(classes: Mapping[str, type[Exception]]) -> None:
    """Know classes by their names, as far as no module has them under these."""
    for name, each in classes.items():
        if _find_exception(name) is not each:
            _LOCAL[name] = each


def classes_of(names: Iterable[str]) -> tuple[type[Exception], ...]:
    """Return the classes of these names, of what the program has imported: it imports nothing.

    Raises
    ------
    ValueError
        If one of them is no exception.
    """
    return tuple(_class_of(name) for name in names)


def _class_of(name: str) -> type[Exception]:
    found = _LOCAL.get(name) or _find_exception(name)
    if found is None:
        raise ValueError(
            f"it catches {name}, which is no exception of what this program has imported; import "
            "its module first"
        )
    return found


def _find_exception(path: str) -> type[Exception] | None:
    found = getattr(builtins, path, None)
    module, _, attributes = path.rpartition(".")
    while found is None and module:
        found = sys.modules.get(module)
        for attribute in attributes.split(".") if found is not None else ():
            found = vars(found).get(attribute) if isinstance(found, (type, type(sys))) else None
        if found is None:
            module, _, last = module.rpartition(".")
            attributes = f"{last}.{attributes}"
    return found if isinstance(found, type) and issubclass(found, Exception) else None


__all__ = ["classes_of", "names_of", "remember"]
