"""What the package has of the Ops as they are: their prototypes say which, and under which names.

Examples
--------
>>> from thunkvm._src.arrays import exposed
>>> exposed.subtract is exposed.sub
True
>>> "cumsum" in exposed.METHODS
True
"""

from __future__ import annotations

from thunkvm import _core

__all__ = []

#: The Ops that Variables have as methods.
METHODS: list[str] = []

for _name, _op, _is_method in _core.exposed_ops():
    globals()[_name] = _core.op(_op)
    __all__.append(_name)
    if _is_method:
        METHODS.append(_name)
