"""NumPy's own functions, for the Ops that stand for one and have nothing else here."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._src.arrays.perform.table import PERFORMS, performs_outputs


def _numpy_attribute(path: str) -> Any:
    """Return NumPy's object at a path; None if there is none."""
    found: Any = np
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


for _proto in _core.op_protos():
    _name: str = _proto["name"]
    _function = _numpy_attribute(next(iter(_proto["numpy"]), _name))
    if _name not in PERFORMS and _function is not None:
        performs_outputs(_name, _function, with_attributes=True)
