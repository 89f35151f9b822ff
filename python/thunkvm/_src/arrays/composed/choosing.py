"""Elements chosen among those of several arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import lengths
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import stack
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to, expand_dims, moveaxis
from thunkvm._src.graph.values import as_variable


@public()
def switch(cond: Any, ift: Any, iff: Any) -> Variable:
    """Return the elements of `ift` where a condition is true, and those of `iff` elsewhere.

    This is `where` under the name that Theano and PyTensor have for it. Both are computed;
    `ifelse` computes one of two.

    Parameters
    ----------
    cond, ift, iff : Variable or array-like
        They broadcast.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.switch(x > 0, x, 0.0))([-1.0, 2.0])
    array([0., 2.])
    """
    return ops.where(cond, ift, iff)


@public()
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Variable:
    """Return elements of the first choice whose condition is true, as ``numpy.select``.

    Parameters
    ----------
    condlist : sequence of Variable or array-like of bool
    choicelist : sequence of Variable or array-like
        One for each condition. All of them are computed; `cond` computes one alone.
    default : Variable or array-like
        The elements where no condition is true.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If a condition is not of bools.
    ValueError
        If there are no conditions, or not as many as choices.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.select([x < 0, x > 1], [0.0, 1.0], x))([-1.0, 0.5, 2.0])
    array([0. , 0.5, 1. ])
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ValueError(
            f"[select] there are {len(condlist)} conditions and {len(choicelist)} choices; give as "
            "many of each, at least one."
        )
    out = default
    for i in reversed(range(len(condlist))):
        out = ops.where(_condition("select", i, condlist[i]), choicelist[i], out)
    return out  # type: ignore[no-any-return]


def _condition(what: str, i: int, given: Any) -> Variable:
    condition: Variable = as_variable(given)
    if condition.dtype != "bool":
        raise TypeError(
            f"[{what}] condition {i} is {condition}, of {condition.dtype}; give bools, such as "
            "x > 0."
        )
    return condition


@public()
def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Variable:
    """Compute a function that is given by pieces, as ``numpy.piecewise``.

    Parameters
    ----------
    x : Variable or array-like
    condlist : sequence of Variable or array-like of bool, or one of them
        Where each piece holds; the last one that is true counts.
    funclist : sequence of callable or number
        A piece for each condition, and perhaps one more for the elements where none is true, which
        are 0 else. A callable gets all of `x`, as its graph is built before values are known.
    *args, **kw
        Further arguments of the callables.

    Returns
    -------
    Variable
        It has the dtype of `x`.

    Raises
    ------
    TypeError
        If a condition is not of bools.
    ValueError
        If there are neither as many pieces as conditions, nor one more.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> y = tv.piecewise(x, [x < 0, x >= 0], [lambda x: -x, lambda x: 2 * x])
    >>> tv.function([x], y)([-1.0, 3.0])
    array([1., 6.])
    """
    x = as_variable(x)
    lone = not isinstance(condlist, (list, tuple)) and as_variable(condlist).ndim <= x.ndim
    conditions = [condlist] if lone else list(condlist)
    pieces = [_piece(each, x, args, kw) for each in funclist]
    if len(pieces) - len(conditions) not in (0, 1):
        raise ValueError(
            f"[piecewise] there are {len(conditions)} conditions and {len(pieces)} pieces; give as "
            "many pieces, or one more for where no condition is true."
        )
    rest = pieces[-1] if len(pieces) > len(conditions) else 0
    out = broadcast_to(astype(rest, x.dtype), lengths(x))
    for i, condition in enumerate(conditions):
        out = ops.where(_condition("piecewise", i, condition), astype(pieces[i], x.dtype), out)
    return out


def _piece(piece: Any, x: Variable, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    return piece(x, *args, **kw) if callable(piece) else piece


@public(method=True)
def choose(a: Any, choices: Any, mode: str = "raise") -> Variable:
    """Return for each element the one of the choice with that number, as ``numpy.choose``.

    Parameters
    ----------
    a : Variable or array-like of int
        The numbers of the choices.
    choices : sequence of Variable or array-like, or array
        They broadcast with each other and with `a`. The first axis of an array counts them.
    mode : {"raise", "wrap", "clip"}
        For numbers of no choice: an error of the call, the remainder, or the nearest number.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If `a` is not of integers.
    ValueError
        If there is no such mode, or there are no choices.
    IndexError
        In a call, if there is no choice of a number.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, x = tv.lvector("a"), tv.vector("x")
    >>> tv.function([a, x], tv.choose(a, [x, -x]))([0, 1], [1.0, 2.0])
    array([ 1., -2.])
    """
    numbers: Variable = as_variable(a)
    if numbers.dtype != "bool" and "int" not in numbers.dtype:
        raise TypeError(f"[choose] a is {numbers}, of {numbers.dtype}; give integers.")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"[choose] mode = {mode!r}, but it has to be 'raise', 'wrap' or 'clip'.")
    laid = _side_by_side(choices)
    count = ops.length(laid, axis=laid.ndim - 1)
    index = expand_dims(_bound_numbers(astype(numbers, "int64"), count, mode), -1)
    return ops.take_along(laid, index)[..., 0]


def _side_by_side(choices: Any) -> Variable:
    """Return the choices along a last axis."""
    if isinstance(choices, (Variable, np.ndarray)):
        array: Variable = as_variable(choices)
        if array.ndim == 0:
            raise ValueError(f"[choose] choices is {array}; give a list of arrays.")
        return moveaxis(array, 0, -1)
    listed = [as_variable(each) for each in choices]
    if not listed:
        raise ValueError("[choose] there are no choices; give at least one.")
    return stack(broadcast_arrays(*listed), axis=-1)


@public()
def broadcast_arrays(*args: Any) -> tuple[Variable, ...]:
    """Broadcast arrays against each other, as ``numpy.broadcast_arrays``.

    Parameters
    ----------
    *args : Variable or array-like

    Returns
    -------
    tuple of Variable
        Views of them, all of one shape.

    Raises
    ------
    ValueError
        If they do not broadcast; in a call, if their lengths are not known before.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.vector("x"), tv.scalar("y")
    >>> tv.function([x, y], list(tv.broadcast_arrays(x, y)))([1.0, 2.0], 3.0)
    [array([1., 2.]), array([3., 3.])]
    """
    arrays = [as_variable(each) for each in args]
    if not arrays:
        return ()
    shape = ops.broadcast_shape(*arrays)
    ndim = max(x.ndim for x in arrays)
    return tuple(ops.broadcast_to(x, shape, ndim=ndim) for x in arrays)


def _bound_numbers(numbers: Variable, count: Any, mode: str) -> Variable:
    if mode == "wrap":
        return ops.mod(numbers, count)
    if mode == "clip":
        return ops.clip(numbers, 0, count - 1)
    # A negative number is no choice from the end, but an error.
    return ops.where(ops.lt(numbers, 0), count, numbers)


__all__ = ["broadcast_arrays", "choose", "piecewise", "select", "switch"]
