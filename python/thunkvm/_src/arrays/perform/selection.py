"""Picking elements in NumPy: extrema, conditions and limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import performs_binary, performs_ternary, performs_unary

performs_binary("maximum", np.maximum)
performs_binary("minimum", np.minimum)


def _where(condition: Any, x: Any, y: Any) -> Any:
    return np.where(condition, x, y)[()]


def _clip(x: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(x, low), high)


def _itself(x: Any) -> Any:
    return x


performs_ternary("where", _where)
performs_ternary("clip", _clip)
performs_unary("counted", _itself)
performs_unary("stop_gradient", _itself)
