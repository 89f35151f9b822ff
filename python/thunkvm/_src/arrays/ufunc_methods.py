"""The methods of NumPy's ufuncs on Variables: ``reduce``, ``reduceat``, ``accumulate``, ``outer``.

A method takes NumPy's arguments. A ufunc whose reduction or running form is an Op goes to that; any
other of two operands is applied step by step, as a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays import catalog, exposed
from thunkvm._src.arrays.axes import length, lengths, normal_axes
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.shapes import broadcast_to, moveaxis, reshape
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching import elsewhere

Function = Callable[..., Any]


def reduce(called: str, name: str, function: Function, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Return ``ufunc.reduce(x, axis=0, dtype=None, keepdims=False, initial=..., where=...)``.

    Parameters
    ----------
    called : str
        The method as it was called, for errors.
    name : str
        The ufunc.
    function : callable
        Our function of two operands.
    x : Variable or array-like
    *args, **kwargs
        As NumPy's method takes them. Over all axes only where ``axis=None`` is said.

    Raises
    ------
    TypeError
        For an argument that the reduction has no use for.
    """
    kwargs = _name_arguments(("axis", "dtype", "out", "keepdims", "initial", "where"), args, kwargs)
    x = as_variable(x)
    axis = kwargs.pop("axis", 0 if x.ndim else None)
    kwargs = {key: value for key, value in kwargs.items() if value is not None}
    ours = catalog.REDUCTIONS.get(name)
    found = None if ours is None else getattr(exposed, ours)
    if found is not None:
        _check_keywords(called, kwargs, tuple(signature(found).parameters)[1:])
        return found(x, axis, **kwargs)
    _check_keywords(called, kwargs, ("axis", "dtype", "keepdims", "initial"))
    axes = list(range(x.ndim)) if axis is None else normal_axes(called, axis, x.ndim)
    if len(axes) != 1:
        raise TypeError(f"[{called}] axis is {axis}; it goes along one axis, so name one.")
    rows = _fix_dtype(called, name, function, moveaxis(x, axes[0], 0), kwargs.get("dtype"))
    identity = getattr(np, name).identity if hasattr(np, name) else None
    if "initial" in kwargs:
        first, rest = _row(rows, kwargs["initial"]), rows
    else:
        first, rest = rows[0] if identity is None else _first_row(rows, identity), rows[1:]
    from thunkvm._src.control.folds import scan_carry  # loops are made of arrays

    out, _ = scan_carry(lambda carry, row: (function(carry, row), None), first, rest)
    return ops.expand_dims(out, axis=tuple(axes)) if kwargs.get("keepdims") else out


def accumulate(
    called: str, name: str, function: Function, x: Any, *args: Any, **kwargs: Any
) -> Variable:
    """Return ``ufunc.accumulate(x, axis=0, dtype=None)``: the results of the first k elements.

    Parameters as of `reduce`.

    Raises
    ------
    TypeError
        If a result is no operand, as that of a comparison.
    """
    kwargs = _name_arguments(("axis", "dtype", "out"), args, kwargs)
    _check_keywords(called, kwargs, ("axis", "dtype"))
    x = as_variable(x)
    if x.ndim == 0:
        raise TypeError(f"[{called}] {x} is 0-d; it goes along an axis, as of x[None].")
    (axis,) = normal_axes(called, kwargs.get("axis", 0), x.ndim)
    dtype = kwargs.get("dtype")
    if name in RUNNING:
        x = x if dtype is None else astype(x, dtype)
        out: Variable = RUNNING[name](x, axis=axis)
        return out
    rows = _fix_dtype(called, name, function, moveaxis(x, axis, 0), dtype)
    from thunkvm._src.control.folds import scan_carry  # loops are made of arrays

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        out = function(carry, row)
        return out, out

    _, later = scan_carry(step, _first_row(rows, 1), rows[1:])  # of none it is not read
    return moveaxis(concatenate([rows[:1], later]), 0, axis)


def outer(called: str, name: str, function: Function, a: Any, b: Any, **kwargs: Any) -> Variable:
    """Return ``ufunc.outer(a, b)``: each element of `a` with each of `b`."""
    _check_keywords(called, kwargs, ("dtype",))
    a, b = as_variable(a), as_variable(b)
    if b.ndim:
        a = ops.expand_dims(a, axis=tuple(range(a.ndim, a.ndim + b.ndim)))
    out: Variable = function(a, b)
    return astype(out, kwargs["dtype"]) if kwargs.get("dtype") is not None else out


def reduceat(
    called: str, name: str, function: Function, x: Any, indices: Any, *args: Any, **kwargs: Any
) -> Variable:
    """Return ``ufunc.reduceat(x, indices, axis=0, dtype=None)``: reductions of slices.

    Slice i is ``x[indices[i]:indices[i + 1]]``, the last one goes to the end. Where it would be
    empty, it is the element ``x[indices[i]]``. Other parameters as of `reduce`.

    Raises
    ------
    IndexError
        If an index is not in ``[0, n)``; when it is called.
    TypeError
        If the indices are no vector of integers, or a result is no operand.
    """
    kwargs = _name_arguments(("axis", "dtype", "out"), args, kwargs)
    _check_keywords(called, kwargs, ("axis", "dtype"))
    x, starts = as_variable(x), as_variable(indices)
    if starts.ndim != 1 or np.dtype(starts.dtype).kind not in "iu":
        raise TypeError(
            f"[{called}] indices is {starts}; give a vector of integers, where slices begin."
        )
    if x.ndim == 0:
        raise TypeError(f"[{called}] {x} is 0-d; it goes along an axis, as of x[None].")
    (axis,) = normal_axes(called, kwargs.get("axis", 0), x.ndim)
    rows = moveaxis(x, axis, 0)
    # Loops are made of arrays.
    from thunkvm._src.control.assertions import CheckAndRaise
    from thunkvm._src.control.folds import map as each_of

    n = astype(ops.length(rows, axis=0), "int64")
    within = CheckAndRaise(
        IndexError, f"[{called}] an index is out of bounds: each has to be in [0, n) for n rows."
    )
    starts = within(astype(starts, "int64"), starts >= 0, starts < n)
    ends = ops.maximum(concatenate([starts, ops.expand_dims(n, axis=(0,))])[1:], starts + 1)
    parts = each_of(
        lambda start, end: reduce(called, name, function, rows[start:end], 0, kwargs.get("dtype")),
        [starts, ends],
    )
    # No steps do not know how long a row is.
    shape = [length(starts, 0), *lengths(rows, range(1, rows.ndim))]
    return moveaxis(reshape(parts, shape), 0, axis)


def explain_refusal(called: str, name: str, method: str) -> str:
    """Return why a method is not there, and what to write instead."""
    if method == "at":
        change = {"add": "x[i].inc(v)", "subtract": "x[i].inc(-v)"}.get(name)
        told = change or f"x[i].set(np.{name}(x[i], v)), where no position comes twice"
        return f"{called} changes its operand, and a Variable never changes; write {told}."
    return ""


#: The Ops that are a ufunc's running form.
RUNNING: dict[str, Function] = {"add": ops.cumsum, "multiply": ops.cumprod}
METHODS: dict[str, Function] = {
    "reduce": reduce,
    "reduceat": reduceat,
    "accumulate": accumulate,
    "outer": outer,
}


def _name_arguments(
    names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    return {**dict(zip(names, args, strict=False)), **kwargs}


def _check_keywords(called: str, kwargs: dict[str, Any], allowed: tuple[str, ...]) -> None:
    if kwargs.get("out", True) is None or kwargs.get("out") == (None,):
        kwargs.pop("out")
    if unknown := [key for key in kwargs if key not in allowed]:
        told = elsewhere.keyword_advice(unknown[0], allowed)
        raise TypeError(f"{called} on a Variable takes no {unknown[0]}=; {told or 'leave it out'}.")


def _fix_dtype(called: str, name: str, function: Function, rows: Variable, dtype: Any) -> Variable:
    """Return rows in a dtype of which a result is an operand again."""
    if dtype is not None:
        rows = astype(rows, dtype)
    dtype = function(rows, rows).dtype
    if dtype == "bool" != rows.dtype and not name.startswith("logical_"):
        raise TypeError(f"[{called}] has results of {dtype}, which are no operands: {rows.dtype}.")
    return astype(rows, dtype)


def _first_row(rows: Variable, other: Any) -> Variable:
    """Return the first of the rows, or a row of another value where there are none."""
    known = length(rows, 0)
    if isinstance(known, int) and known:
        return rows[0]
    return concatenate([rows[:1], ops.expand_dims(_row(rows, other), axis=(0,))])[0]


def _row(rows: Variable, value: Any) -> Variable:
    return broadcast_to(astype(value, rows.dtype), lengths(rows, range(1, rows.ndim)))


__all__ = ["METHODS", "accumulate", "explain_refusal", "outer", "reduce", "reduceat"]
