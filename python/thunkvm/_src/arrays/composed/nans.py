"""Functions that leave NaN out, and `nan_to_num`, which replaces it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays import reductions
from thunkvm._src.arrays.axes import Axis
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.partial_reductions import mask_of
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


@public()
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Variable:
    """Replace NaN and infinities by numbers, as ``numpy.nan_to_num``.

    Parameters
    ----------
    x : Variable or array-like
    copy : bool
        Without meaning here: a Variable never changes.
    nan, posinf, neginf : number or Variable
        What stands for NaN, infinity and minus infinity: 0, and the largest and the smallest number
        of the dtype, if left out.

    Returns
    -------
    Variable
        It has the dtype of `x`. Integers are `x` itself.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.nan_to_num(x, posinf=9.0))([1.0, np.nan, np.inf])
    array([1., 0., 9.])
    """
    variable: Variable = as_variable(x)
    kind = np.dtype(variable.dtype).kind
    if kind in "biu":
        return variable
    if kind == "c":
        parts = [_finite(part, nan, posinf, neginf) for part in (variable.real, variable.imag)]
        return astype(parts[0] + 1j * parts[1], variable.dtype)
    return _finite(variable, nan, posinf, neginf)


def _finite(x: Variable, nan: Any, posinf: Any, neginf: Any) -> Variable:
    numbers = np.finfo(x.dtype)
    most = float(numbers.max) if posinf is None else astype(posinf, x.dtype)
    least = float(numbers.min) if neginf is None else astype(neginf, x.dtype)
    out = ops.where(ops.isnan(x), astype(nan, x.dtype), x)
    out = ops.where(ops.eq(x, float("inf")), most, out)
    return ops.where(ops.eq(x, -float("inf")), least, out)


def _replace_nans(x: Any, value: Any) -> tuple[Variable, Variable | None]:
    """Return `x` with a value for NaN, and where NaN is; None for dtypes that have none."""
    variable: Variable = as_variable(x)
    if np.dtype(variable.dtype).kind in "biu":
        return variable, None
    is_nan = ops.isnan(variable)
    return ops.where(is_nan, value, variable), is_nan


def _mask_numbers(what: str, x: Any, where: Any) -> tuple[Variable, Variable | None]:
    """Return `x`, and the mask of the elements that are taken; None where all are."""
    variable: Variable = as_variable(x)
    mask = mask_of(what, variable, where)
    if np.dtype(variable.dtype).kind in "biu":
        return variable, mask
    is_number = ops.logical_not(ops.isnan(variable))
    return variable, is_number if mask is None else ops.logical_and(is_number, mask)


@public()
def nansum(
    x: Any,
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Variable:
    """Return the sum of the elements that are not NaN; parameters as of `sum`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nansum(x))([1.0, np.nan, 2.0]))
    3.0
    """
    x, mask = _mask_numbers("nansum", x, where)
    return reductions.sum(x, axis, dtype=dtype, keepdims=keepdims, initial=initial, where=mask)


@public()
def nanprod(
    x: Any,
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Variable:
    """Return the product of the elements that are not NaN; parameters as of `sum`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanprod(x))([3.0, np.nan, 2.0]))
    6.0
    """
    x, mask = _mask_numbers("nanprod", x, where)
    return reductions.prod(x, axis, dtype=dtype, keepdims=keepdims, initial=initial, where=mask)


@public()
def nancumsum(x: Any, axis: int | None = None) -> Variable:
    """Return running sums in which NaN counts as 0; see `cumsum`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.nancumsum(x))([1.0, np.nan, 2.0])
    array([1., 1., 3.])
    """
    return ops.cumsum(_replace_nans(x, 0)[0], axis=axis)


@public()
def nancumprod(x: Any, axis: int | None = None) -> Variable:
    """Return running products in which NaN counts as 1; see `cumprod`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.nancumprod(x))([3.0, np.nan, 2.0])
    array([3., 3., 6.])
    """
    return ops.cumprod(_replace_nans(x, 1)[0], axis=axis)


@public()
def nanmax(
    x: Any, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Variable:
    """Return the largest element that is not NaN; parameters as of `max`.

    It is NaN if there is none, but `initial` where that is given.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanmax(x))([1.0, np.nan, 2.0]))
    2.0
    """
    if initial is None and where is None:
        return _extreme("max", x, -float("inf"), axis, keepdims)
    x, mask = _mask_numbers("nanmax", x, where)
    return reductions.max(x, axis, keepdims=keepdims, initial=initial, where=mask)


@public()
def nanmin(
    x: Any, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Variable:
    """Return the smallest element that is not NaN; parameters as of `min`.

    It is NaN if there is none, but `initial` where that is given.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanmin(x))([1.0, np.nan, 2.0]))
    1.0
    """
    if initial is None and where is None:
        return _extreme("min", x, float("inf"), axis, keepdims)
    x, mask = _mask_numbers("nanmin", x, where)
    return reductions.min(x, axis, keepdims=keepdims, initial=initial, where=mask)


def _extreme(name: str, x: Any, value: float, axis: Axis, keepdims: bool) -> Variable:
    variable: Variable = as_variable(x)
    worst = complex(value, value) if np.dtype(variable.dtype).kind == "c" else value
    numbers, is_nan = _replace_nans(variable, worst)
    found: Variable = getattr(ops, name)(numbers, axis=axis, keepdims=bool(keepdims))
    if is_nan is None:
        return found
    has_none = ops.all(is_nan, axis=axis, keepdims=bool(keepdims))
    return ops.where(has_none, float("nan"), found)


@public()
def nanmean(
    x: Any,
    axis: Axis = None,
    *,
    dtype: npt.DTypeLike | None = None,
    keepdims: bool = False,
    where: Any = None,
) -> Variable:
    """Return the mean of the elements that are not NaN; NaN if there is none.

    Parameters as of `mean`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanmean(x))([1.0, np.nan, 2.0]))
    1.5
    """
    x, mask = _mask_numbers("nanmean", x, where)
    return reductions.mean(x, axis, dtype=dtype, keepdims=keepdims, where=mask)


@public()
def nanvar(
    x: Any, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False, where: Any = None
) -> Variable:
    """Return the variance of the elements that are not NaN.

    Parameters as of `var`. It is NaN where there are no more numbers than `ddof`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanvar(x))([1.0, np.nan, 3.0]))
    1.0
    """
    return _spread("nanvar", reductions.var, x, axis, ddof, keepdims, where)


@public()
def nanstd(
    x: Any, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False, where: Any = None
) -> Variable:
    """Return the standard deviation of the elements that are not NaN; see `nanvar`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> float(tv.function([x], tv.nanstd(x))([1.0, np.nan, 3.0]))
    1.0
    """
    return _spread("nanstd", reductions.std, x, axis, ddof, keepdims, where)


def _spread(
    what: str,
    spread: Callable[..., Variable],
    x: Any,
    axis: Axis,
    ddof: float,
    keepdims: bool,
    where: Any,
) -> Variable:
    x, mask = _mask_numbers(what, x, where)
    found = spread(x, axis, ddof=ddof, keepdims=keepdims, where=mask)
    if np.dtype(x.dtype).kind in "biu":
        return found
    count = ops.sum(mask, axis=axis, keepdims=bool(keepdims))
    return ops.where(ops.gt(count, ddof), found, float("nan"))


__all__ = [
    "nan_to_num", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin", "nanprod",
    "nanstd", "nansum", "nanvar",
]  # fmt: skip
