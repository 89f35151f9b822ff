"""Sums, products, quotients, powers, signs and roundings in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import performs_binary, performs_unary

performs_binary("add", np.add)
performs_binary("sub", np.subtract)
performs_binary("mul", np.multiply)
performs_binary("true_div", np.true_divide)
performs_binary("floor_div", np.floor_divide)
performs_binary("mod", np.remainder)
performs_unary("neg", np.negative)
performs_unary("abs", np.absolute)
performs_unary("sign", np.sign)
performs_unary("reciprocal", np.reciprocal)
performs_unary("square", np.square)
performs_unary("floor", np.floor)
performs_unary("ceil", np.ceil)
performs_unary("trunc", np.trunc)
performs_unary("round", np.rint)


def _power(x: Any, y: Any) -> Any:
    """Return x**y as C's ``pow`` has it.

    `numpy.power` takes the square root where one exponent of 0.5 is broadcast. So ``(-inf)**0.5``
    is NaN there, and infinite in an array of exponents. What an Op computes depends on the values
    alone, so each element gets an exponent of its own.
    """
    if y.dtype.kind != "f":
        return np.power(x, y)
    shape = np.broadcast_shapes(x.shape, y.shape)
    return np.power(x, np.full(shape or 1, y)).reshape(shape)


performs_binary("pow", _power)
