"""NumPy's own functions, for the Ops that stand for one and have nothing else here."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._src.arrays.perform.table import PERFORMS, performs_outputs

for _proto in _core.op_protos():
    if _proto["name"] not in PERFORMS and _proto["numpy"]:
        _path: Any = _proto["numpy"][0]
        performs_outputs(
            _proto["name"], reduce(getattr, _path.split("."), np), with_attributes=True
        )
