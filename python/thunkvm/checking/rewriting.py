"""What a function computes before its rewrites, against what it computes after each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm._core import Function
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


class Rewriting:
    """Holds what a function computes after its rewrites against what it did before them.

    Every rewrite keeps values bit for bit, so nothing may differ at all. Both graphs run lazily, by
    kernels, on the call's own arguments.
    """

    def __init__(self, relink: Relink, rewrites: Sequence[str]) -> None:
        self._relink = relink
        self._rewrites = tuple(rewrites)
        self._before = self._linked(())
        self._after = self._linked(self._rewrites)

    def _linked(self, rewrites: Sequence[str]) -> Function:
        return self._relink(rewrites)

    def check(self, arguments: list[Any]) -> None:
        """Run both.

        Raises
        ------
        BadRewrite
            If a value differs. It names the first rewrite after which it does.
        """
        try:
            before = self._before(*arguments)
        except Exception:  # of what the rewrites may have left out
            return
        if (found := _differing(before, self._after(*arguments))) is None:
            return
        name = self._rewrites[-1]
        for n in range(1, len(self._rewrites)):
            values = self._linked(self._rewrites[:n])(*arguments)
            if (earlier := _differing(before, values)) is not None:
                found, name = earlier, self._rewrites[n - 1]
                break
        index, text = found
        output = self._before.outputs[index]
        raise BadRewrite(
            f"the rewrite {name!r} changed the value of {_what(self._before, index)}, "
            f"{text_of(output)}: {text}. mode.excluding({name!r}) leaves it out."
        )


def _what(function: Function, index: int) -> str:
    return f"value {index} of {len(function.outputs)} that the function computes"


def _differing(before: list[Any], after: list[Any]) -> tuple[int, str] | None:
    for index, (a, b) in enumerate(zip(before, after, strict=True)):
        if not isinstance(a, (np.ndarray, np.generic)):
            continue
        old, new = np.asarray(a), np.asarray(b)
        if (old.dtype, old.shape) != (new.dtype, new.shape):
            return index, f"{old.dtype} {old.shape} became {new.dtype} {new.shape}"
        if not np.array_equal(old, new, equal_nan=old.dtype.kind in "fc"):
            where = tuple(
                int(i) for i in np.argwhere((old != new) & ~((old != old) & (new != new)))[0]
            )
            element = f"element {where}: " if where else ""
            return index, f"{element}{old[where]!r} became {new[where]!r}"
    return None
