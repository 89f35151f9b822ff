"""Loops over stretches of steps: a loop in a loop, of which less is kept.

The gradient of a loop reads the states of all its steps. A loop over stretches of k steps keeps the
states at their heads. Its gradient runs each stretch again: the tapes of n steps have n / k + k
states (A. Griewank, Achieving logarithmic growth of temporal and spatial complexity in reverse
automatic differentiation, 1992, with one level).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from thunkvm import _core, ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays.exposed import concatenate
from thunkvm._src.control.conditional import or_
from thunkvm._src.graph.values import as_variable

ONE = np.int64(1)


class Body(NamedTuple):
    """The graph of a loop's step; see `LoopBody` in ops/control/loop.h."""

    name: str
    states: list[Variable]
    limit: Variable | None
    test: Variable
    nexts: list[Variable]
    collected: list[Variable]


class Keeps(NamedTuple):
    """Which states a loop keeps: after every `interval` steps, 0: none.

    A loop in stretches counts the steps in its last state.
    """

    interval: int = 0
    in_stretches: bool = False
    each_stretch: bool = False  # what is kept is one state of each, not those of all its steps

    def to_number(self) -> int:
        """Return it as a number, which the loop's node has."""
        return self.interval * 4 + 2 * self.in_stretches + self.each_stretch

    @staticmethod
    def from_number(number: int) -> Keeps:
        """Return the settings of such a number.

        Examples
        --------
        >>> from thunkvm._src.control.stretches import Keeps
        >>> Keeps.from_number(Keeps(10, True, True).to_number())
        Keeps(interval=10, in_stretches=True, each_stretch=True)
        """
        return Keeps(number >> 2, bool(number & 2), bool(number & 1))


class Ran(NamedTuple):
    """The results of a loop: the last values of the states, and what it collected."""

    lasts: list[Variable]
    collected: list[Variable]


def run_loop(
    body: Body,
    firsts: list[Variable],
    interval: int = 0,
    implicit: bool = False,
    stretch: Variable | None = None,
) -> Ran:
    """Return the results of a loop, in stretches of so many steps where that is given.

    Parameters
    ----------
    body : Body
        What a step does.
    firsts : list of Variable
        The first value of each state.
    interval : int
        After how many steps what is collected is kept; 0 and 1: after each.
    implicit : bool
        Whether the gradient is that of a fixed point.
    stretch : Variable, optional
        How many steps a stretch has.
    """
    if stretch is not None:
        return _run_stretches(body, firsts, stretch, Keeps(interval, True))
    if interval > 1:
        length = as_variable(np.int64(interval))
        return _run_stretches(body, firsts, length, Keeps(interval, True, True))
    n = len(body.states)
    outputs = _core.loop(
        body.name, body.states, firsts, body.limit, body.test, body.nexts, body.collected,
        Keeps(interval).to_number(), implicit,
    )  # fmt: skip
    return Ran(outputs[:n], outputs[2 * n : -2])


def kept_history(found: Variable, steps: Variable, number: int) -> Variable:
    """Return the history of a state.

    Parameters
    ----------
    found : Variable
        What its loop collected of it.
    steps : Variable
        How many steps that took.
    number : int
        What its node says that it keeps.
    """
    keeps = Keeps.from_number(number)
    if keeps.each_stretch:  # the last stretch may be a part of one
        return found[: steps // np.int64(keeps.interval)]
    if keeps.in_stretches:
        found = _flat(found, steps)
    return found[keeps.interval - 1 :: keeps.interval] if keeps.interval > 1 else found


def stretch_length(name: str, checkpoint: Any, count: Variable | None) -> Variable | None:
    """Return how many steps a stretch has for the option `checkpoint`; None for none.

    Parameters
    ----------
    name : str
        What the loop is called.
    checkpoint : {None, "sqrt"} or int or Variable
        What the user gave.
    count : Variable, optional
        How many steps there are, at most.

    Raises
    ------
    ValueError
        If it is something else, or "sqrt" where nobody knows of how many.
    """
    if checkpoint is None:
        return None
    if isinstance(checkpoint, str) and checkpoint == "sqrt":
        if count is None:
            raise ValueError(
                f"[{name}] checkpoint='sqrt' is about the square root of the number of steps, "
                "which nobody knows here: give max_steps, or a number as checkpoint."
            )
        root = ops.ceil(ops.sqrt(ops.cast(count, dtype="float64")))
        return ops.maximum(ops.cast(root, dtype="int64"), ONE)
    is_number = isinstance(checkpoint, (int, np.integer)) and not isinstance(checkpoint, bool)
    if is_number and checkpoint >= 1:
        return as_variable(np.int64(checkpoint))
    kind = isinstance(checkpoint, Variable) and getattr(checkpoint.type, "dtype", None)
    if kind and np.dtype(kind).kind in "iu" and checkpoint.ndim == 0:
        return ops.maximum(ops.cast(checkpoint, dtype="int64"), ONE)
    raise ValueError(
        f"[{name}] checkpoint is {checkpoint!r}; it has to be None, 'sqrt', or after how many "
        "steps a state is kept for the gradient: an integer from 1."
    )


def _run_stretches(body: Body, firsts: list[Variable], length: Variable, keeps: Keeps) -> Ran:
    n, none = len(body.states), as_variable(np.int64(0))
    heads = [_core.input_variable(state.type, state.name) for state in body.states]
    count, total = (_core.input_variable(TensorType("int64", ()), "step") for _ in range(2))
    more = count < length
    stretch = _core.loop(
        body.name, [*body.states, count], [*heads, none],
        more if body.limit is None else ops.bitwise_and(more, body.limit),
        or_(ops.eq(count, none), body.test),  # that its first step runs was tested outside
        [*body.nexts, count + ONE], [] if keeps.each_stretch else body.collected,
    )  # fmt: skip
    nexts, rows, steps = stretch[:n], stretch[2 * (n + 1) : -2], stretch[-2]
    if keeps.each_stretch:
        collected = nexts[: len(body.collected)]
    else:
        collected = [_pad_rows(row, length) for row in rows]
    tested = [body.test] if body.limit is None else [body.test, body.limit]
    test, *limit = _core.substitute(tested, list(zip(body.states, heads, strict=True)))
    outputs = _core.loop(
        body.name, [*heads, total], [*firsts, none], limit[0] if limit else None, test,
        [*nexts, total + steps], collected, keeps.to_number(),
    )  # fmt: skip
    found = outputs[2 * (n + 1) : -2]
    if not keeps.each_stretch:
        found = [_flat(value, outputs[n]) for value in found]
    return Ran(outputs[:n], found)


def _pad_rows(rows: Variable, length: Variable) -> Variable:
    """Return the rows of a stretch with zeros behind them: the last stretch may be shorter."""
    missing = ops.reshape(length - rows.shape[0], np.array([1]), ndim=1)
    shape = concatenate([missing, rows.shape[1:]], axis=0)
    zero = as_variable(np.zeros((), rows.dtype))
    return concatenate([rows, ops.broadcast_to(zero, shape, ndim=rows.ndim)], axis=0)


def _flat(stretches: Variable, steps: Variable) -> Variable:
    """Return the rows of all stretches, one after the other."""
    rows = ops.reshape(stretches.shape[0] * stretches.shape[1], np.array([1]), ndim=1)
    shape = concatenate([rows, stretches.shape[2:]], axis=0)
    return ops.reshape(stretches, shape, ndim=stretches.ndim - 1)[:steps]


__all__ = ["Body", "Keeps", "Ran", "kept_history", "run_loop", "stretch_length"]
