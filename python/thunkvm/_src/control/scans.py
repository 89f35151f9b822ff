"""Loops over sequences: `scan` as Theano and PyTensor have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thunkvm import _core, ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays.exposed import concatenate
from thunkvm._src.control.loops import trace_body
from thunkvm._src.control.stretches import Body, run_loop, stretch_length
from thunkvm._src.graph.draws import is_begun
from thunkvm._src.graph.structure import rebuild
from thunkvm._src.graph.values import as_variable


class until:  # noqa: N801 (as Theano and PyTensor spell it)
    """The step of a `scan` returns it beside its values to say when to end.

    Parameters
    ----------
    condition : Variable
        Asked behind the step, which counts: where it is true, no further step runs.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> powers = tv.scan(
    ...     lambda p: (p * 2, tv.until(p * 2 > 10)), outputs_info=[x], n_steps=100
    ... )
    >>> tv.function([x], powers)(1.0)
    array([ 2.,  4.,  8., 16.])
    """

    def __init__(self, condition: Any) -> None:
        """Keep the condition."""
        self.condition = as_variable(condition)


def scan(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    n_steps: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: None = None,
    name: str | None = None,
    profile: None = None,
    allow_gc: None = None,
    strict: bool = False,
    return_list: bool = False,
    return_updates: bool = False,
    checkpoint: Any = None,
) -> Any:
    """Return the values of `fn` at each step over sequences, and over what it computed before.

    PyTensor's `scan`. Only what is asked for of the result is computed and kept.

    Parameters
    ----------
    fn : callable
        Takes the elements of the sequences at this step, the values of earlier steps, and the
        non-sequences, in this order. It returns the values of this step: one, or a list or tuple of
        as many as `outputs_info` has items. Beside them it may return updates of shared variables
        (a dict, or pairs) and `until(condition)`.
    sequences : Variable, or list of Variables and dicts, optional
        What to go over, along its first axis. A dict ``{"input": x, "taps": [-1, 0]}`` gives the
        step several elements, relative to its own.
    outputs_info : list, optional
        For each value of a step: None, if no later step uses it; its value before the first
        step; or a dict ``{"initial": x, "taps": [-2, -1]}``, where ``x`` has as many elements
        along its first axis as the furthest tap asks for.
    non_sequences : Variable or list, optional
        Given to every step as they are. (What the step uses of the graph outside works, too.)
    n_steps : int or Variable, optional
        How many steps; as many as the shortest sequence has elements if it is left out.
    truncate_gradient : int
        Gradients go back over the last so many steps; -1: over all.
    go_backwards : bool
        Take the sequences from their ends.
    mode, profile, allow_gc : None
        The loop is part of the function that it is in, whose mode decides: anything else is an
        error.
    name : str, optional
        The loop's name in profiles and explanations.
    strict : bool
        Refuse a step that uses Variables that it was not given.
    return_list : bool
        Return a list also where a step has one value.
    return_updates : bool
        Return (values, updates); without it, a step that updates shared variables is an error.
    checkpoint : {None, "sqrt"} or int or Variable, optional
        After how many steps values are kept for gradients; see `while_loop`.

    Returns
    -------
    Variable or list of Variables
        Each value of all steps, stacked along a new first axis.

    Raises
    ------
    ValueError
        If there is neither a sequence nor `n_steps`, or taps do not fit.
    TypeError
        If a step returns another number of values than `outputs_info` has items.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, k = tv.vector("a"), tv.lscalar("k")
    >>> powers = tv.scan(lambda prior, a: prior * a, None, tv.ones_like(a), a, n_steps=k)
    >>> tv.function([a, k], powers[-1])([1.0, 2.0, 3.0], 3)
    array([ 1.,  8., 27.])
    """
    for option, value in (("mode", mode), ("profile", profile), ("allow_gc", allow_gc)):
        if value is not None:
            raise ValueError(
                f"[scan] {option}={value!r}: a loop is part of the function that it is in; give "
                f"{option} to tv.function, or leave it out."
            )
    request = _Request(
        fn,
        [_sequence(s, i) for i, s in enumerate(_as_list(sequences))],
        [_recurrence(r, i) for i, r in enumerate(_as_list(outputs_info))],
        [as_variable(v) for v in _as_list(non_sequences)],
        go_backwards,
        name or "scan",
        strict,
        checkpoint,
    )
    count = request.count_steps(n_steps)
    if truncate_gradient != -1:
        values, updates = _truncate_gradient(request, count, truncate_gradient)
    else:
        values, updates, _ = request.run_steps(np.int64(0), count, request.firsts())
    if updates and not return_updates:
        raise ValueError(
            "[scan] the step updates shared variables: with return_updates=True scan returns "
            "(values, updates), and tv.function(..., updates=updates) commits them."
        )
    out: Any = values if return_list or len(values) != 1 else values[0]
    out = out if values else None
    return (out, updates) if return_updates else out


@dataclass
class _Sequence:
    """A sequence, and which elements of it a step gets."""

    input: Variable
    taps: list[int]

    def elements(self, step: Variable, backwards: bool) -> list[Variable]:
        """Return the elements that a step gets."""
        first = min(self.taps)
        shifts = [tap - first for tap in self.taps]
        if not backwards:
            return [self.input[step + np.int64(s)] for s in shifts]
        return [self.input[-(step + np.int64(s + 1))] for s in shifts]

    def n_steps(self) -> Variable:
        """Return for how many steps there are elements."""
        return self.input.shape[0] - np.int64(max(self.taps) - min(self.taps))


@dataclass
class _Recurrence:
    """What steps get of a value of earlier ones: none, or those at taps."""

    initial: Variable | None
    taps: list[int]
    is_stretch: bool = False

    def firsts(self) -> list[Variable]:
        """Return the values before the first step, the latest first."""
        if self.initial is None:
            return []
        reach = -min(self.taps, default=0)
        if not self.is_stretch:
            return [self.initial]
        return [self.initial[reach - 1 - back] for back in range(reach)]


@dataclass
class _Request:
    """A scan as it was asked for."""

    fn: Callable[..., Any]
    sequences: list[_Sequence]
    recurrences: list[_Recurrence]
    non_sequences: list[Variable]
    backwards: bool
    name: str
    strict: bool
    checkpoint: Any

    def count_steps(self, n_steps: Any) -> Variable:
        """Return how many steps there are."""
        if n_steps is not None:
            wanted = as_variable(n_steps)
            if wanted.ndim or np.dtype(wanted.dtype).kind not in "iu":
                raise TypeError(f"[scan] n_steps has to be a 0-d integer; it is {n_steps!r}.")
            return ops.cast(wanted, dtype="int64")
        if not self.sequences:
            raise ValueError("[scan] give n_steps where there is no sequence to go over.")
        count, *others = [s.n_steps() for s in self.sequences]
        for other in others:
            count = ops.minimum(count, other)
        return count

    def firsts(self) -> list[list[Variable]]:
        """Return the values that the first step gets of each recurrent value, the latest first."""
        return [r.firsts() for r in self.recurrences]

    def run_steps(
        self, first: Any, last: Variable, firsts: list[list[Variable]]
    ) -> tuple[list[Variable], dict[Variable, Variable], list[list[Variable]]]:
        """Return the stacked values of these steps, updates, and what further steps would get."""
        probe, updated, stop = self.step(
            _core.input_variable(TensorType("int64", ()), "step"),
            [[_core.input_variable(v.type, v.name) for v in past] for past in firsts],
        )
        shared = list(updated)

        def step(state: Any) -> tuple[Any, Any]:
            at, _, held, _ = state
            values, updates, ends = self.step(at, held)
            pasts = held or [[]] * len(values)
            following = [
                [v, *past[:-1]] if past else [] for v, past in zip(values, pasts, strict=True)
            ]
            goes_on = [] if ends is None else [ops.logical_not(ends.condition)]
            return values, (
                at + np.int64(1), goes_on, following, [updates.get(t, t) for t in shared],
            )  # fmt: skip

        begins = [] if stop is None else [as_variable(np.True_)]
        held = firsts or [[] for _ in probe]
        state = (as_variable(first), begins, held, shared)
        traced = trace_body(self.name, step, state)
        n = len(traced.states)
        # What a step makes of a shared variable, the next one finds in it.
        states = rebuild(state, iter(traced.states).__next__)[-1]
        pairs = list(zip(shared, states, strict=True))
        inside = _core.substitute([*traced.nexts, *traced.test], pairs)
        at = traced.states[0]
        limit, test = (None, at < last) if stop is None else (at < last, traced.states[1])
        ended, stacked = run_loop(
            Body(self.name, traced.states, limit, test, inside[:n], inside[n:]),
            traced.firsts,
            stretch=stretch_length("scan", self.checkpoint, last - traced.firsts[0]),
        )
        *_, held, lasts = rebuild(state, iter(ended).__next__)
        return stacked, dict(zip(shared, lasts, strict=True)), held

    def step(
        self, at: Variable, held: list[list[Variable]]
    ) -> tuple[list[Variable], dict[Variable, Variable], until | None]:
        """Return the values, updates and end of a step that was given these values of earlier."""
        given = [e for s in self.sequences for e in s.elements(at, self.backwards)]
        for recurrence, past in zip(self.recurrences, held, strict=False):
            given += [past[-tap - 1] for tap in recurrence.taps]
        values, updates, stop = _part_results(self.fn(*given, *self.non_sequences))
        if self.recurrences and len(values) != len(self.recurrences):
            raise TypeError(
                f"[scan] the step returned {len(values)} values, but outputs_info has "
                f"{len(self.recurrences)} items: one for each value, None where no later step "
                "uses it."
            )
        if self.strict:
            self.check_strict([*values, *updates.values()], [*given, *self.non_sequences])
        return values, updates, stop

    def check_strict(self, roots: list[Variable], given: list[Variable]) -> None:
        """Refuse what the step was not given."""
        known = set(given)
        stack, seen = list(roots), set()
        while stack:
            variable = stack.pop()
            if variable in known or variable in seen or variable.leaf == "constant":
                continue
            seen.add(variable)
            if variable.owner is None:
                raise ValueError(
                    f"[scan] strict=True, and the step uses {variable}, which is not among the "
                    "non_sequences: add it."
                )
            stack += [] if is_begun(variable) else variable.owner.inputs


def _truncate_gradient(
    request: _Request, count: Variable, most: int
) -> tuple[list[Variable], dict[Variable, Variable]]:
    """Run the last steps by themselves, from values that have no gradient."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ValueError(f"[scan] truncate_gradient is {most!r}; it has to be -1, or at least 1.")
    turn = ops.maximum(count - np.int64(most), np.int64(0))
    before, updates, held = request.run_steps(np.int64(0), turn, request.firsts())
    if updates:
        raise NotImplementedError(
            "[scan] truncate_gradient of a step that updates shared variables: leave one of them "
            "out."
        )
    still = [[ops.stop_gradient(v) for v in past] for past in held]
    after, updates, _ = request.run_steps(turn, count, still)
    return [
        concatenate([ops.stop_gradient(a), b], axis=0) for a, b in zip(before, after, strict=True)
    ], updates


def _as_list(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _sequence(given: Any, number: int) -> _Sequence:
    taps = [0]
    if isinstance(given, dict):
        taps = [int(t) for t in _as_list(given.get("taps", 0))]
        if "input" not in given:
            raise ValueError(f"[scan] sequence {number} is a dict without 'input'.")
        given = given["input"]
    variable = as_variable(given)
    if not isinstance(variable.type, TensorType) or not variable.ndim:
        raise TypeError(
            f"[scan] sequence {number}, {variable}, has no first axis to go over: what every step "
            "gets as it is belongs to non_sequences."
        )
    return _Sequence(variable, taps)


def _recurrence(given: Any, number: int) -> _Recurrence:
    if given is None:
        return _Recurrence(None, [])
    if not isinstance(given, dict):
        return _Recurrence(as_variable(given), [-1])
    initial = given.get("initial")
    taps = given.get("taps", [-1] if initial is not None else None)
    if taps is None:
        return _Recurrence(None, [])
    taps = [int(t) for t in _as_list(taps)]
    if initial is None:
        raise ValueError(f"[scan] outputs_info[{number}] has taps, but no 'initial'.")
    if not taps or max(taps) >= 0:
        raise ValueError(
            f"[scan] outputs_info[{number}] has the taps {taps}: a step gets values of earlier "
            "steps, so they have to be negative."
        )
    variable = as_variable(initial)
    is_stretch = taps != [-1]
    if is_stretch and not variable.ndim:
        raise ValueError(
            f"[scan] outputs_info[{number}] has the taps {taps}, so 'initial' has to have "
            f"{-min(taps)} elements along its first axis; it is {variable}, 0-d."
        )
    return _Recurrence(variable, taps, is_stretch)


def _part_results(returned: Any) -> tuple[list[Variable], dict[Variable, Variable], until | None]:
    """Return the values, updates and end that a step returned."""
    updates: dict[Variable, Variable] = {}
    stop = None
    parts = list(returned) if isinstance(returned, (list, tuple)) else [returned]
    if isinstance(returned, dict):
        parts = [[], returned]
    if parts and isinstance(parts[-1], until):
        stop = parts.pop()
    if parts and _is_updates(parts[-1]):
        last = parts.pop()
        pairs = last.items() if isinstance(last, dict) else last
        updates = {target: as_variable(value) for target, value in pairs}
    if len(parts) == 1 and isinstance(parts[0], (list, tuple)):
        parts = list(parts[0])
    if any(part is None for part in parts):
        raise TypeError("[scan] the step returned None: it has to return its values.")
    return [as_variable(part) for part in parts], updates, stop


def _is_updates(part: Any) -> bool:
    if isinstance(part, dict):
        return True
    return (
        isinstance(part, (list, tuple))
        and len(part) > 0
        and all(
            isinstance(p, tuple) and len(p) == 2 and getattr(p[0], "leaf", None) == "shared"
            for p in part
        )
    )


__all__ = ["scan", "until"]
