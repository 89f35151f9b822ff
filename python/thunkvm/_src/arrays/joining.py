"""Functions that join arrays, with NumPy's signatures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import expand_dims, ravel, reshape
from thunkvm._src.graph.values import as_variable


@public()
def concatenate(arrays: Iterable[Any], axis: int | None = 0) -> Variable:
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : iterable of Variable or array-like
        Arrays with equal lengths in all other axes.
    axis : int or None
        The axis to join along; None joins the flattened arrays.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If there are none, or lengths differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.concatenate([x, [0.0]]))([1.0])
    array([1., 0.])
    """
    parts = _parts("concatenate", arrays, axis)
    if axis is None:
        return ops.concatenate(*(ravel(part) for part in parts), axis=0)
    return ops.concatenate(*parts, axis=axis)


@public()
def stack(arrays: Iterable[Any], axis: int = 0) -> Variable:
    """Join arrays of one shape along a new axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> tv.function([x, y], tv.stack([x, y]))(1.0, 2.0)
    array([1., 2.])
    """
    parts = _parts("stack", arrays, axis)
    return ops.stack(*parts, axis=axis)


@public()
def hstack(arrays: Iterable[Any]) -> Variable:
    """Join vectors end to end, and other arrays along their second axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.hstack([x, x]))([1.0])
    array([1., 1.])
    """
    parts = [part if part.ndim else expand_dims(part, 0) for part in _parts("hstack", arrays)]
    _check_axes("hstack", parts)
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1)


@public()
def vstack(arrays: Iterable[Any]) -> Variable:
    """Stack vectors as rows, and join other arrays along their first axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.vstack([x, x]))([1.0])
    array([[1.],
           [1.]])
    """
    parts = [reshape(p, (1, -1)) if p.ndim < 2 else p for p in _parts("vstack", arrays)]
    _check_axes("vstack", parts)
    return concatenate(parts, 0)


def _parts(what: str, arrays: Iterable[Any], axis: Any = 0) -> list[Variable]:
    lone = isinstance(arrays, Variable) and not (arrays.ndim and arrays.type.shape[0] is not None)
    if lone or isinstance(axis, Variable):
        raise TypeError(
            f"[{what}] it takes the arrays as one list, but got {arrays}"
            + (f" and the axis {axis}" if isinstance(axis, Variable) else "")
            + f"; write tv.{what}([x, y])."
        )
    parts = [as_variable(array) for array in arrays]
    if not parts:
        raise ValueError(f"[{what}] there are no arrays; give at least one.")
    return parts


def _check_axes(what: str, parts: list[Variable]) -> None:
    for i, part in enumerate(parts):
        if part.ndim != parts[0].ndim:
            raise ValueError(
                f"[{what}] all arrays must have the same number of axes, but array 0 is "
                f"{parts[0]} and array {i} is {part}."
            )
