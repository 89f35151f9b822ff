"""Truth values and bits in NumPy."""

from __future__ import annotations

import numpy as np

from thunkvm._src.arrays.perform.table import performs_binary, performs_unary

performs_binary("logical_and", np.logical_and)
performs_binary("logical_or", np.logical_or)
performs_binary("logical_xor", np.logical_xor)
performs_unary("logical_not", np.logical_not)
performs_binary("bitwise_and", np.bitwise_and)
performs_binary("bitwise_or", np.bitwise_or)
performs_binary("bitwise_xor", np.bitwise_xor)
performs_unary("invert", np.invert)
performs_binary("left_shift", np.left_shift)
performs_binary("right_shift", np.right_shift)
