"""A variable where one of another type is wanted: cast if that loses nothing, else an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import _core, ops
from thunkvm._core import TensorType, Type, Variable
from thunkvm._src.graph.values import as_variable

WEAK = (bool, int, float, complex)


def fitted(value: Any, wanted: Type, what: str) -> Variable:
    """Return `value`, cast to the dtype of `wanted` where needed.

    Parameters
    ----------
    value : Variable or value
        What is there; any object where `wanted` holds objects. Python numbers take the wanted
        dtype as in NumPy's arithmetic: a float is a float32 where that is wanted.
    wanted : Type
        The type that it has to have.
    what : str
        What the value is for, to begin the error message with.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If a cast would lose something, or the numbers of dimensions or known lengths differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.graph.fitting import fitted
    >>> fitted(tv.iscalar("n"), tv.scalar().type, "the update of x").dtype
    'float64'
    """
    if (
        type(value) in WEAK
        and isinstance(wanted, TensorType)
        and wanted.ndim == 0
        and np.result_type(np.dtype(wanted.dtype), value) == wanted.dtype
    ):
        return _core.constant(value, wanted.dtype)
    if not isinstance(wanted, TensorType) and not isinstance(value, Variable):
        return _core.constant(value, None, wanted)
    variable = as_variable(value)
    given = variable.type
    if not isinstance(wanted, TensorType) or not isinstance(given, TensorType):
        if given != wanted:
            raise TypeError(f"{what} is {variable}, but has to be a {wanted}.")
        return variable
    if given.ndim != wanted.ndim:
        raise TypeError(
            f"{what} is {variable}, with {given.ndim} dimensions where {wanted.ndim} are wanted; "
            "reshape or reduce it."
        )
    for axis, (has, must) in enumerate(zip(given.shape, wanted.shape, strict=True)):
        if has is not None and must is not None and has != must:
            raise TypeError(
                f"{what} is {variable}, whose axis {axis} has length {has} where {must} is wanted."
            )
    if given.dtype == wanted.dtype:
        return variable
    if not (np.can_cast(given.dtype, wanted.dtype, "safe") or _is_exact(variable, wanted.dtype)):
        raise TypeError(
            f"{what} is {variable}: casting {given.dtype} to {wanted.dtype} may lose precision; "
            f"say so with .astype({wanted.dtype!r})."
        )
    return ops.cast(variable, dtype=wanted.dtype)


def _is_exact(value: Variable, dtype: str) -> bool:
    """Return whether a constant number is the same in another dtype."""
    if value.leaf != "constant" or value.ndim != 0:
        return False
    known = np.asarray(value.value)
    if known.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        return False
    with np.errstate(all="ignore"):
        return bool(np.array_equal(known.astype(dtype).astype(known.dtype), known, equal_nan=True))
