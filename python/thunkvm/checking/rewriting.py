"""The values of a function before its rewrites, against those after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Function, Variable
from thunkvm._src.calls.mode import ROUNDING
from thunkvm.checking.errors import BadRewrite, StochasticOrder
from thunkvm.checking.observer import Relink, text_of


def check_order(relink: Relink, rewrites: Sequence[str], patience: int) -> None:
    """Link the same graph several times.

    Raises
    ------
    StochasticOrder
        If the programs differ: what runs, or in which order, would change from run to run.
    """
    if patience < 2:
        return
    first = relink(rewrites).disassemble().splitlines()
    for _ in range(patience - 1):
        other = relink(rewrites).disassemble().splitlines()
        if other == first:
            continue
        lines = [(a, b) for a, b in zip(first, other, strict=False) if a != b]
        shown = f" The first line that differs: {lines[0][0]!r} and {lines[0][1]!r}." * bool(lines)
        raise StochasticOrder(
            "linking the same graph twice gave two programs: __eq__ or __hash__ of an Op, a Type "
            "or a property, or what make_thunk returns, changes from one time to the "
            f"next.{shown}"
        )


class _NotedValue:
    """A shared variable for a value that a function computes in some calls."""

    #: The holder's value before the call.
    NOTHING = object()

    def __init__(self, value: Variable) -> None:
        self.value = value
        self.holder = _core.shared_variable(_core.GenericType(), self.NOTHING, None, True)

    def take_value(self) -> Any:
        """Return the value of the last call; NOTHING if it was not computed."""
        value = _core.get_value(self.holder, True)
        _core.set_value(self.holder, self.NOTHING, True)
        return value


def rewritings(relink: Relink, rewrites: Sequence[str]) -> list[Rewriting]:
    """Return the rewrites to hold against the graph as it was: first all that keep each bit."""
    found = []
    exact = [name for name in rewrites if name not in ROUNDING]
    for rounds, names in (False, exact), (True, list(rewrites)):
        outputs, replaced = _core.rewritten(relink.outputs, names)
        changed = any(a is not b for a, b in zip(outputs, relink.outputs, strict=True))
        if changed and (not rounds or any(name in ROUNDING for name, _, _ in replaced)):
            found.append(Rewriting(relink, outputs, replaced, rounds=rounds))
    return found


class Rewriting:
    """Holds each value that a rewrite replaced against what has replaced it.

    Most rewrites keep values bit for bit, so nothing may differ at all; `rounds`: by these values
    may change by rounding. Both graphs run lazily, by kernels, on the call's own arguments; what a
    call computes in both of them is compared.
    """

    def __init__(
        self,
        relink: Relink,
        outputs: Sequence[Variable],
        replaced: Sequence[tuple[str, Variable, Variable]],
        *,
        rounds: bool,
    ) -> None:
        self._rounds = rounds
        self._outputs = list(relink.outputs)
        self._names = [name for name, _, _ in replaced]
        self._old = [_NotedValue(before) for _, before, _ in replaced]
        self._new = [_NotedValue(after) for _, _, after in replaced]
        self._before = _link_graph(relink, self._outputs, self._old)
        self._after = _link_graph(relink, outputs, self._new)

    def check_call(self, arguments: list[Any]) -> None:
        """Run both.

        Raises
        ------
        BadRewrite
            If a value differs. It names the rewrite that is the first to change one.
        """
        try:
            before = self._before(*arguments)
        except Exception:  # of what the rewrites may have left out
            return
        after = self._after(*arguments)
        for name, old, new, difference in self._differing_values():
            raise BadRewrite(
                f"the rewrite {name!r} put {_show_variable(new)} for {_show_variable(old)}, "
                f"whose value is another one: {difference}. mode.excluding({name!r}) leaves it out."
            )
        for output, a, b in zip(self._outputs, before, after, strict=True):
            if difference := _difference(a, b, rounds=self._rounds):
                raise BadRewrite(
                    f"rewriting changed the value of {_show_variable(output)}, which the function "
                    f"computes, though nothing that was replaced: {difference}. optimizer=None "
                    "leaves all rewrites out."
                )

    def _differing_values(self) -> Iterator[tuple[str, Variable, Variable, str]]:
        values = [
            (old.take_value(), new.take_value())
            for old, new in zip(self._old, self._new, strict=True)
        ]
        for name, old, new, (a, b) in zip(self._names, self._old, self._new, values, strict=True):
            if a is _NotedValue.NOTHING or b is _NotedValue.NOTHING:
                continue
            if difference := _difference(a, b, rounds=self._rounds):
                yield name, old.value, new.value, difference


def _room_of(values: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Return how far rounding may put values apart: of their sizes, and of the largest one's.

    Half of the digits: as many may be lost to a matrix before a solution has none that is right.
    """
    finite = np.abs(values[np.isfinite(values)])
    digits = float(np.sqrt(np.finfo(values.dtype).eps)) if values.dtype.kind in "fc" else 0.0
    return digits, digits * float(finite.max(initial=0.0))


def _link_graph(relink: Relink, outputs: Sequence[Variable], noted: list[_NotedValue]) -> Function:
    return relink((), outputs, [(each.holder, each.value) for each in noted])


def _show_variable(variable: Variable) -> str:
    origin = variable.owner.origin if variable.owner is not None else ""
    return text_of(variable) + (f" (made at {origin})" if origin else "")


def _difference(a: Any, b: Any, *, rounds: bool) -> str:
    """Say how two values differ; empty where they do not, or by rounding alone if that may be."""
    if not isinstance(a, (np.ndarray, np.generic)):
        return ""
    old, new = np.asarray(a), np.asarray(b)
    if (old.dtype, old.shape) != (new.dtype, new.shape):
        return f"{old.dtype} {old.shape} became {new.dtype} {new.shape}"
    if np.array_equal(old, new, equal_nan=old.dtype.kind in "fc"):
        return ""
    if rounds and np.allclose(old, new, *_room_of(old), equal_nan=True):
        return ""
    where = tuple(int(i) for i in np.argwhere((old != new) & ~((old != old) & (new != new)))[0])
    element = f"element {where}: " if where else ""
    return f"{element}{old[where]!r} became {new[where]!r}"
