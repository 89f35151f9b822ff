"""Fallbacks: values that are computed where computing others raises an exception."""

from __future__ import annotations

from typing import Any, overload

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.control.conditional import Value
from thunkvm._src.graph.exception_names import names_of
from thunkvm._src.graph.structure import matched_leaves, rebuild, with_paths
from thunkvm._src.graph.values import as_variables_alike


@overload
def attempt(
    value: Variable,
    otherwise: Value,
    on: type[Exception] | tuple[type[Exception], ...] = ...,
) -> Variable: ...
@overload
def attempt(
    value: Any,
    otherwise: Any,
    on: type[Exception] | tuple[type[Exception], ...] = ...,
) -> Any: ...
def attempt(
    value: Any,
    otherwise: Any,
    on: type[Exception] | tuple[type[Exception], ...] = Exception,
) -> Any:
    """Return `value`, or where computing it raises one of `on`, `otherwise`.

    `otherwise` is computed only then. What ran before the exception is not run again, and what
    raised it has failed for the whole call: if `otherwise` needs it too, the same exception is
    raised again. So it is for all else in the call that needs it. An exception that is not one of
    `on` passes. Gradients are those of the one that counted.

    Parameters
    ----------
    value, otherwise : Variable, number, array-like, or nested lists, tuples and dicts of them
        The two results, alike as in `ifelse`. A nested `value` is one attempt: all of it is
        computed as soon as any result is. `otherwise` is the result where any of it fails.
    on : class of exceptions, or a tuple of them
        Subclasses of Exception: Ctrl-C and exit end every call. Where several nodes of `value`
        would raise, it is not said which of them does.

    Returns
    -------
    Variable, or the structure of `value` with a Variable for each leaf

    Raises
    ------
    TypeError
        If `on` is anything else, or `value` and `otherwise` do not fit together; see `ifelse`.

    Notes
    -----
    A value that is wrong but raises nothing, such as the NaN of ``sqrt(-1.0)``, is a value: use
    `coalesce`, or a `cond` on `isnan`. A mode with rewrites may find that a value needs less than
    was written (a shape without the array itself); what it does not need cannot fail.

    Examples
    --------
    The factor of a matrix that may be indefinite, or that of a better one:

    >>> import numpy as np
    >>> import thunkvm as tv
    >>> a = tv.matrix("a")
    >>> safe = tv.attempt(tv.cholesky(a), tv.cholesky(a + 2.0 * np.eye(2)),
    ...                   on=np.linalg.LinAlgError)
    >>> f = tv.function([a], safe)
    >>> f([[1.0, 0.0], [0.0, 4.0]])
    array([[1., 0.],
           [0., 2.]])
    >>> f([[-1.0, 0.0], [0.0, 2.0]])
    array([[1., 0.],
           [0., 2.]])
    """
    names = ("value", "otherwise")
    matched = list(matched_leaves(names, value, otherwise))
    if not matched:
        return rebuild(value, iter(()).__next__)
    paths, *trees = zip(*matched, strict=True)
    values, others = zip(*map(as_variables_alike, zip(*trees, strict=True)), strict=True)
    try:
        names_on = names_of(on if isinstance(on, tuple) else (on,))
        outputs = _core.attempt(values, others, names_on)
    except TypeError as error:
        raise TypeError(with_paths(str(error), list(names), list(paths))) from None
    return rebuild(value, iter(outputs).__next__)


__all__ = ["attempt"]
