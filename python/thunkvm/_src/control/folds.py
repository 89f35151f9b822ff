"""What is made of a scan: map, reduce and folds; and JAX's form of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.joining import stack
from thunkvm._src.control.loops import trace_body, with_attributes
from thunkvm._src.control.scans import scan
from thunkvm._src.control.stretches import Body, run_loop, stretch_length
from thunkvm._src.graph.structure import leaves, rebuild
from thunkvm._src.graph.values import as_variable


def map(
    fn: Callable[..., Any],
    sequences: Any,
    non_sequences: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: None = None,
    name: str | None = None,
    return_list: bool = False,
    return_updates: bool = False,
) -> Any:
    """Return the values of `fn` for every element of the sequences; see `scan`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.map(lambda e: tv.ifelse(e > 0, tv.sqrt(e), 0.0), x))([4.0, -1.0])
    array([2., 0.])
    """
    return scan(
        fn, sequences, None, non_sequences, None, truncate_gradient, go_backwards, mode,
        name or "map", return_list=return_list, return_updates=return_updates,
    )  # fmt: skip


def reduce(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    go_backwards: bool = False,
    mode: None = None,
    name: str | None = None,
    return_list: bool = False,
    return_updates: bool = False,
) -> Any:
    """Return the value of the last step over the sequences; no other is kept. See `scan`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> sum_of_squares = tv.reduce(lambda e, total: total + e * e, x, [0.0])
    >>> float(tv.function([x], sum_of_squares)([1.0, 2.0, 3.0]))
    14.0
    """
    result = scan(
        fn, sequences, outputs_info, non_sequences, None, -1, go_backwards, mode,
        name or "reduce", return_list=True, return_updates=True,
    )  # fmt: skip
    values, updates = result
    lasts = [value[-1] for value in values]
    out = lasts if return_list or len(lasts) != 1 else lasts[0]
    if updates and not return_updates:
        raise ValueError("[reduce] the step updates shared variables: ask for return_updates=True.")
    return (out, updates) if return_updates else out


def foldl(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    mode: None = None,
    name: str | None = None,
    return_list: bool = False,
    return_updates: bool = False,
) -> Any:
    """Return the value of the last step over the sequences, from the left; see `reduce`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> digits = tv.foldl(lambda digit, number: 10 * number + digit, x, [0.0])
    >>> float(tv.function([x], digits)([1.0, 2.0, 3.0]))
    123.0
    """
    return reduce(
        fn, sequences, outputs_info, non_sequences, False, mode, name or "foldl", return_list,
        return_updates,
    )  # fmt: skip


def foldr(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    mode: None = None,
    name: str | None = None,
    return_list: bool = False,
    return_updates: bool = False,
) -> Any:
    """Return the value of the last step over the sequences, from the right; see `reduce`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> digits = tv.foldr(lambda digit, number: 10 * number + digit, x, [0.0])
    >>> float(tv.function([x], digits)([1.0, 2.0, 3.0]))
    321.0
    """
    return reduce(
        fn, sequences, outputs_info, non_sequences, True, mode, name or "foldr", return_list,
        return_updates,
    )  # fmt: skip


def scan_carry(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: Any = None,
    reverse: bool = False,
    checkpoint: Any = None,
) -> tuple[Any, Any]:
    """Return (the last carry, all y) of ``carry, y = f(carry, x)`` over xs; JAX's `scan`.

    Parameters
    ----------
    f : callable
        From (carry, x) to (the next carry, y). Both may be structures; y may be None.
    init : structure of Variables, numbers and arrays
        The first carry.
    xs : structure of Variables, optional
        What to go over, along the first axis of each leaf. Without it f gets None.
    length : int or Variable, optional
        How many steps; needed where there are no xs, whose lengths it has to be.
    reverse : bool
        Go over xs, and write the y, from the end.
    checkpoint : {None, "sqrt"} or int or Variable, optional
        After how many steps a carry is kept for gradients; see `while_loop`.

    Returns
    -------
    carry : structure of `init`
        With the attribute ``steps``; see `while_loop`.
    ys : structure of y
        Each leaf with a new first axis.

    Raises
    ------
    ValueError
        In a call, if the leaves of xs have different lengths, or another one than `length`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> total, sums = tv.scan_carry(lambda s, e: (s + e, s + e), 0.0, x)
    >>> tv.function([x], [total, sums])([1.0, 2.0, 3.0])
    [np.float64(6.0), array([1., 3., 6.])]
    """
    over = [as_variable(v) for _, v in leaves(xs)] if xs is not None else []
    for variable in over:
        if not variable.ndim:
            raise TypeError(f"[scan_carry] {variable} of xs has no first axis to go over.")
    if not over and length is None:
        raise ValueError("[scan_carry] give a length where there are no xs.")
    count = _common_length(over, length)

    def step(state: Any) -> tuple[Any, Any]:
        at, carry = state
        position = count - np.int64(1) - at if reverse else at
        x = None if xs is None else rebuild(xs, iter([v[position] for v in over]).__next__)
        returned = f(carry, x)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise TypeError(
                f"[scan_carry] f returned {returned!r}; it has to return a pair (next carry, y)."
            )
        return returned[1], (at + np.int64(1), returned[0])

    traced = trace_body("scan_carry", step, (as_variable(np.int64(0)), init))
    y = traced.test
    collected = [] if y is None else [as_variable(v) for _, v in leaves(y)]
    more = traced.states[0] < count
    lasts, kept = run_loop(
        Body(traced.name, traced.states, None, more, traced.nexts, collected),
        traced.firsts,
        stretch=stretch_length("scan_carry", checkpoint, count),
    )
    carry = with_attributes(rebuild(traced.tree, iter(lasts).__next__)[1])
    if reverse:
        kept = [v[::-1] for v in kept]
    return carry, None if y is None else rebuild(y, iter(kept).__next__)


def _common_length(over: list[Variable], length: Any) -> Variable:
    """Return how many steps there are; in a call, a ValueError where lengths differ."""
    if length is not None:
        count = as_variable(np.int64(length) if isinstance(length, int) else length)
        over = [ops.broadcast_to(np.float64(0.0), stack([count]), ndim=1), *over]
    count = over[0].shape[0]
    for other in over[1:]:
        met = ops.matched_lengths(over[0], other, axes_a=[0], axes_b=[0])
        count = ops.minimum(count, met[0])
    return count


__all__ = ["foldl", "foldr", "map", "reduce", "scan_carry"]
