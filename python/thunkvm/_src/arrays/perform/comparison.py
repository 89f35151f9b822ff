"""Comparisons, and tests for NaN and infinity, in NumPy."""

from __future__ import annotations

import numpy as np

from thunkvm._src.arrays.perform.table import performs_binary, performs_unary

performs_binary("eq", np.equal)
performs_binary("neq", np.not_equal)
performs_binary("lt", np.less)
performs_binary("le", np.less_equal)
performs_binary("gt", np.greater)
performs_binary("ge", np.greater_equal)
performs_unary("isnan", np.isnan)
performs_unary("isinf", np.isinf)
performs_unary("isfinite", np.isfinite)
