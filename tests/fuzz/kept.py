"""Graphs that were written down and read back: they are what the first ones were."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from build import Injected

import thunkvm as tv

#: What Ops of `in_files` are made of, by number.
MADE_OF: list[tuple[Any, ...]] = []


def in_files(kind: type[tv.Op]) -> Callable[..., tv.Op]:
    """Return what makes Ops of a class whose arguments no file can hold: files have a number."""

    class Numbered(kind):  # type: ignore[misc,valid-type]
        __props__ = ("number",)

        def __init__(self, number: int) -> None:
            super().__init__(*MADE_OF[number])
            self.number = number

    tv.register_op(f"fuzz.{kind.__name__}")(Numbered)

    def make(*arguments: Any) -> tv.Op:
        MADE_OF.append(arguments)
        return Numbered(len(MADE_OF) - 1)

    return make


def outcome(f: Any, given: Sequence[Any]) -> tuple[str, list[int]]:
    """What a call gives or raises, and how often each node of the program ran."""
    f.reset_counters()
    try:
        value = repr(f(*given))
    except (ArithmeticError, IndexError, ValueError, Injected) as error:
        value = repr(error)
    return value, [row.runs for row in f.node_runs()]


def check_is_kept(
    first: Any,
    second: Any,
    calls: Iterable[Sequence[Any]],
    what: object,
    start: Callable[[int], Any] = lambda call: None,
) -> None:
    """Compare schedules, programs, and of each call the values and the nodes that ran.

    `start` is called before each call, of both functions.
    """
    assert list(map(repr, second._schedule())) == list(map(repr, first._schedule())), what
    assert second.disassemble() == first.disassemble(), what
    for number, given in enumerate(calls):
        start(number)
        expected = outcome(first, given)
        start(number)
        assert outcome(second, given) == expected, (what, given)
