"""Operands in the dtypes in which NumPy's functions compute."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.graph.values import as_variable


def computed_by(ufunc: np.ufunc, *operands: Any) -> list[Variable]:
    """Return operands in the dtypes in which a ufunc of NumPy's computes them.

    Parameters
    ----------
    ufunc : numpy.ufunc
        With one result.
    *operands : Variable or array-like
        Python's numbers do not raise the dtype of the others.

    Raises
    ------
    TypeError
        If NumPy does not define it for these dtypes.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.composed.dtypes import computed_by
    >>> [x.dtype for x in computed_by(np.copysign, tv.tensor("x", "int8"), 2.5)]
    ['float64', 'float64']
    >>> [x.dtype for x in computed_by(np.copysign, tv.tensor("x", "float32"), 2.5)]
    ['float32', 'float32']
    """
    variables = [as_variable(each) for each in operands]
    weak = [type(each) in (int, float, complex) for each in operands]
    kinds = [
        type(each) if is_weak and not all(weak) else np.dtype(x.dtype)
        for each, is_weak, x in zip(operands, weak, variables, strict=True)
    ]
    try:
        dtypes = ufunc.resolve_dtypes((*kinds, None))
    except TypeError:
        given = " and ".join(x.dtype for x in variables)
        raise TypeError(f"[{ufunc.__name__}] is not defined for {given}, as in NumPy.") from None
    return [astype(each, dtype) for each, dtype in zip(operands, dtypes[:-1], strict=True)]


__all__ = ["computed_by"]
