"""The questions to lazy values in NumPy and Python: whether they are there."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import performs_unary


def _is_missing(x: Any) -> Any:
    if x is None:
        return np.True_
    if isinstance(x, np.inexact):
        return np.isnan(x)
    return np.False_


performs_unary("is_missing", _is_missing)
