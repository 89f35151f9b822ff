"""Sums, products, quotients, powers, signs and roundings in NumPy."""

from __future__ import annotations

import numpy as np

from thunkvm.perform.table import performs_binary, performs_unary

performs_binary("add", np.add)
performs_binary("sub", np.subtract)
performs_binary("mul", np.multiply)
performs_binary("true_div", np.true_divide)
performs_binary("floor_div", np.floor_divide)
performs_binary("mod", np.remainder)
performs_binary("pow", np.power)
performs_unary("neg", np.negative)
performs_unary("abs", np.absolute)
performs_unary("sign", np.sign)
performs_unary("reciprocal", np.reciprocal)
performs_unary("square", np.square)
performs_unary("floor", np.floor)
performs_unary("ceil", np.ceil)
performs_unary("trunc", np.trunc)
performs_unary("round", np.rint)
