"""NumPy's own functions, for the Ops that stand for one and have nothing else here."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._src.arrays.perform.table import PERFORMS, performs_outputs

for _proto in _core.op_protos():
    _name: str = _proto["name"]
    _path: str = next(iter(_proto["numpy"]), _name)
    _function: Any = np
    for _part in _path.split("."):
        _function = getattr(_function, _part, None)
    if _name not in PERFORMS and _function is not None:
        performs_outputs(_name, _function, with_attributes=True)
