"""The package's functions of Ops: as the prototypes expose them, and with NumPy's signatures.

A function's module is imported when somebody asks for the function; `catalog` has its name.

Examples
--------
>>> from thunkvm._src.arrays import exposed
>>> exposed.subtract is exposed.sub
True
>>> "cumsum" in exposed.METHODS, "reshape" in exposed.__all__
(True, True)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from thunkvm import _core
from thunkvm._src.arrays import catalog

#: By name, the Op that a prototype exposes.
OPS: dict[str, str] = {name: op for name, op, _ in _core.exposed_ops()}
METHODS_OF_OPS = [name for name, _, is_method in _core.exposed_ops() if is_method]
#: The functions that Variables have as methods too.
METHODS = [*METHODS_OF_OPS, *catalog.METHODS]

__all__ = sorted({*OPS, *catalog.HOMES} - set(catalog.NUMPYS_ALONE))


def __getattr__(name: str) -> Any:
    """Import a function; of one name the function with more options goes first."""
    if name in catalog.HOMES:
        found = getattr(import_module(catalog.HOMES[name]), name)
    elif name in OPS:
        found = globals()[name] = _core.op(OPS[name])
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
