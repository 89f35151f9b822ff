"""The shapes that values of a user's functions have to have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.shapes import reshape


def with_shape(value: Variable, shape: Sequence[Any], what: str, rule: str) -> Variable:
    """Return a value of this shape: no axis of length 1 is repeated in what is computed of it.

    Lengths that both types know are compared while the graph is built, and the others in the call.

    Parameters
    ----------
    value : Variable
        The value of a user's function.
    shape : sequence of int and Variable
        The shape that it has to have; at most one length that is not known is held exactly, and of
        more of them their product.
    what : str
        What the value is, for the error.
    rule : str
        Which shape it has to have, in words.

    Raises
    ------
    ValueError
        If the numbers of axes or known lengths differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.required_shapes import with_shape
    >>> slope = tv.vector("slope")
    >>> f = tv.function([slope], with_shape(slope, (2,), "a slope", "the shape of y"))
    >>> f([1.0, 2.0])
    array([1., 2.])
    >>> f([1.0])
    Traceback (most recent call last):
        ...
    ValueError: [specify_shape] a slope (it has to have the shape of y) has shape (1,), but axis 0 \
has to have length 2
    ...
    """
    wanted = [length if isinstance(length, int) else None for length in shape]
    known = value.type.shape
    fits = len(known) == len(wanted) and all(
        has is None or must is None or has == must for has, must in zip(known, wanted, strict=True)
    )
    if not fits:
        raise ValueError(
            f"[optimize] {what} is {value}, of shape {_text(known)}: it has to have {rule}, "
            f"{_text(wanted)}."
        )
    if any(has is None and must is not None for has, must in zip(known, wanted, strict=True)):
        lengths = [-1 if must is None else must for must in wanted]
        value = ops.specify_shape(value, shape=lengths, what=f"{what} (it has to have {rule})")
    if None in wanted:
        value = reshape(value, tuple(shape))
    return value


def _text(lengths: Sequence[int | None]) -> str:
    """Return a shape as Python writes it, with a question mark for a length that is not known."""
    inside = ", ".join("?" if length is None else str(length) for length in lengths)
    return f"({inside},)" if len(lengths) == 1 else f"({inside})"


__all__ = ["with_shape"]
