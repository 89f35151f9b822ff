"""Which way the conditions of calls went: to be kept and compared; replaying.py runs them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat, zip_longest
from os import PathLike

from thunkvm import _core
from thunkvm._src.saving import save_text
from thunkvm.profile.file_format import Format
from thunkvm.profile.references import decision_faults

#: The arms of a condition that is true or false, and of a loop's test, as they are written.
TRUTH = tuple(_core.arm_names(_core.Decoding.truth, 2)[::-1])
LOOP = tuple(_core.loop_arm_names()[::-1])
(DEFAULT,) = _core.arm_names(_core.Decoding.index_or_default, 1)
#: How many calls are shown of a record that is printed.
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Decided:
    """A condition that was decided.

    Attributes
    ----------
    node, text : str
        The node that it is for, ``"ifelse.3"``, and what is asked, ``"x > 0"``.
    file : str
        Where the node was made.
    line : int
        The line in it; 0 where unknown.
    arms : tuple of str
        What there was to choose from.
    position : int
        Which of the conditions with this text that the line made, in the order of their nodes: a
        line in a Python loop makes several.
    """

    node: str
    text: str
    file: str
    line: int
    arms: tuple[str, ...]
    position: int = 0

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Its key, which is the same in another mode of the function."""
        return self.text, self.file, self.line, self.position

    def value(self, arm: int | None) -> bool | int | str | None:
        """Return the value of an arm: a truth value, which of the cases, or ``"default"``."""
        if arm is None:
            return None
        if self.arms in (TRUTH, LOOP):
            return arm == 0
        return DEFAULT if self.arms[arm] == DEFAULT else arm


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first condition that went another way.

    Attributes
    ----------
    call : int
        In which call.
    condition : Decided
        The condition.
    first, second : bool, int or None
        What it was in each of the two; None where it was not asked.
    time : int or None
        The how manieth time, from 0, that a condition in a loop was asked in the call; None for one
        that is in no loop.
    """

    call: int
    condition: Decided
    first: bool | int | str | None
    second: bool | int | str | None
    time: int | None = None

    def __str__(self) -> str:
        """Return ``call 3: x > 0 (ifelse.1, at fit.py:12) was True, then False``."""
        where = f", at {self.condition.file}:{self.condition.line}" if self.condition.line else ""
        where += "" if self.time is None else f", time {self.time}"
        said = ["not asked" if v is None else str(v) for v in (self.first, self.second)]
        return (
            f"call {self.call}: {self.condition.text} ({self.condition.node}{where}) "
            f"was {said[0]} in the first and {said[1]} in the second"
        )


@dataclass(frozen=True, slots=True)
class Turns:
    """The values of a condition in a loop in a call.

    Attributes
    ----------
    condition : int
        The condition.
    runs : tuple of (int, int)
        The arms that it took, each with how often one after the other.
    """

    condition: int
    runs: tuple[tuple[int, int], ...]


class Decisions:
    """Which way the conditions of each call went; what ``f.record()`` gives.

    Values are not kept, so it is small: a few bytes for each condition that was decided. In loops
    it keeps some for each time that one went another way than before.

    Attributes
    ----------
    conditions : list of Decided
        The function's conditions.
    calls : list of tuple of (int, int)
        For each call that was kept, the conditions that were decided, and the arms they took, in
        that order.
    first : int
        The number of the first of them, counted from the first call that was made: of very many
        calls the latest are kept, at least 65,536. With loops it is the latest 4 million turns of
        conditions.
    in_loops : list of tuple of Turns
        For each call that was kept, what the conditions in loops were.
    """

    def __init__(
        self,
        conditions: Sequence[Decided],
        calls: Sequence[tuple[tuple[int, int], ...]],
        first: int = 0,
        in_loops: Sequence[tuple[Turns, ...]] = (),
    ) -> None:
        self.conditions = list(conditions)
        self.calls = list(calls)
        self.first = first
        self.in_loops = list(in_loops) or [()] * len(self.calls)

    def __len__(self) -> int:
        """Return how many calls were made."""
        return self.first + len(self.calls)

    def __str__(self) -> str:
        """Return how many calls there were, and what each asked; of many the latest."""
        said = "1 call" if len(self) == 1 else f"{len(self):,} calls"
        lines = [said + (f", of which the latest {len(self.calls):,} are kept" * bool(self.first))]
        shown = range(max(self.first, len(self) - SHOWN), len(self))
        if shown.start > self.first:
            lines.append("  ...")
        for call in shown:
            asked = [f"{text}: {value}" for text, value in self.outcomes(call).items()]
            lines.append(f"  call {call}: " + (", ".join(asked) or "nothing was asked"))
        return "\n".join(lines)

    def _runs_of_call(self, call: int) -> tuple[tuple[int, int], ...]:
        """Return the decisions of one call."""
        if not 0 <= call < len(self):
            raise IndexError(
                f"there is no call {call}: {len(self)} calls were recorded, numbered from 0."
            )
        if call < self.first:
            raise IndexError(
                f"call {call} was dropped: of {len(self)} calls the latest {len(self.calls)} are "
                f"kept, from call {self.first} on. Record fewer calls."
            )
        return self.calls[call - self.first]

    @cached_property
    def _names(self) -> list[str]:
        """The name of each condition: its text, with its node where several have that text."""
        times = Counter(condition.text for condition in self.conditions)
        return [
            condition.text if times[condition.text] == 1 else f"{condition.text} ({condition.node})"
            for condition in self.conditions
        ]

    def outcomes(self, call: int) -> dict[str, bool | int | str | None]:
        """Return the value of each condition that one call asked, by its text.

        Where several conditions have one text, as those of a loop may, the node is named too:
        ``"x > 0.0 (ifelse.3)"``.

        Raises
        ------
        IndexError
            If there is no such call, or it was dropped.

        Examples
        --------
        >>> import thunkvm as tv
        >>> x = tv.scalar("x")
        >>> f = tv.function([x], tv.ifelse(x > 0, tv.ifelse(x < 1, x, 1.0), 0.0), mode="vm")
        >>> with f.record() as r:
        ...     _ = f(0.5), f(-2.0)
        >>> r.outcomes(0), r.outcomes(1)
        ({'x > 0.0': True, 'x < 1.0': True}, {'x > 0.0': False})
        """
        return {
            self._names[condition]: self.conditions[condition].value(arm)
            for condition, arm in self._runs_of_call(call)
        }

    def turns(self, call: int) -> dict[str, list[tuple[bool | int | str | None, int]]]:
        """Return what each condition in a loop was in one call, and how often one after the other.

        Raises
        ------
        IndexError
            If there is no such call, or it was dropped.

        Examples
        --------
        >>> import thunkvm as tv
        >>> n = tv.lscalar("n")
        >>> loop = tv.fori_loop(0, n, lambda i, s: tv.ifelse(i < 2, s + 1, s * 2), 0)
        >>> f = tv.function([n], loop, mode="vm")
        >>> with f.record() as r:
        ...     _ = f(5)
        >>> r.turns(0)["state[0] < 2"]
        [(True, 2), (False, 3)]
        """
        self._runs_of_call(call)
        return {
            self._names[turns.condition]: [
                (self.conditions[turns.condition].value(arm), times) for arm, times in turns.runs
            ]
            for turns in self.in_loops[call - self.first]
        }

    def divergence(
        self, other: Decisions, call: int | None = None, other_call: int | None = None
    ) -> Divergence | None:
        """Return the first condition that went another way in another record; None: none did.

        Parameters
        ----------
        other : Decisions
            Those of the same function, of another mode of it, or these.
        call, other_call : int, optional
            One call in each; if left out, all calls are compared one by one.

        Examples
        --------
        >>> import thunkvm as tv
        >>> x = tv.scalar("x")
        >>> f = tv.function([x], tv.ifelse(x > 0, x, 0.0), mode="vm")
        >>> with f.record() as r:
        ...     _ = f(0.5), f(-2.0)
        >>> found = r.divergence(r, call=0, other_call=1)
        >>> found.condition.text, found.first, found.second
        ('x > 0.0', True, False)
        """
        if call is not None:
            pairs = [(call, call if other_call is None else other_call)]
        else:
            start = max(self.first, other.first)
            pairs = [(k, k) for k in range(start, min(len(self), len(other)))]
        for mine, yours in pairs:
            found = self._divergence(other, mine, yours)
            if found is not None:
                return found
        return None

    def _divergence(self, other: Decisions, mine: int, yours: int) -> Divergence | None:
        there = other._runs_of_call(yours)
        taken = {other.conditions[c].key: arm for c, arm in there}
        here = [(self.conditions[c], arm) for c, arm in self._runs_of_call(mine)]
        for condition, arm in here:
            if taken.get(condition.key, arm) != arm:
                theirs = taken[condition.key]
                return Divergence(mine, condition, condition.value(arm), condition.value(theirs))
        asked = {condition.key for condition, _ in here}
        for condition, arm in here:
            if condition.key not in taken:
                return Divergence(mine, condition, condition.value(arm), None)
        for c, arm in there:
            if other.conditions[c].key not in asked:
                value = other.conditions[c].value(arm)
                return Divergence(mine, other.conditions[c], None, value)
        return self._divergence_in_loops(other, mine, yours)

    def _divergence_in_loops(self, other: Decisions, mine: int, yours: int) -> Divergence | None:
        there = {
            other.conditions[turns.condition].key: turns.runs
            for turns in other.in_loops[yours - other.first]
        }
        for turns in self.in_loops[mine - self.first]:
            condition = self.conditions[turns.condition]
            pairs = zip_longest(_each_arm(turns.runs), _each_arm(there.get(condition.key, ())))
            for time, (arm, theirs) in enumerate(pairs):
                if arm != theirs:
                    values = condition.value(arm), condition.value(theirs)
                    return Divergence(mine, condition, *values, time)
        return None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the decisions to a file that `load` reads."""
        saved = SavedDecisions(
            tuple(self.conditions), tuple(self.calls), self.first, tuple(self.in_loops)
        )
        save_text(path, FORMAT.text(saved))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Decisions:
        """Read decisions that `save` wrote.

        Raises
        ------
        ProfileFileError
            If the file holds none, is cut off or damaged.
        """
        saved = FORMAT.load(path)
        return cls(saved.conditions, saved.calls, saved.first, saved.in_loops)


@dataclass(frozen=True, slots=True)
class SavedDecisions:
    """The contents of a file of decisions: see `Decisions`."""

    conditions: tuple[Decided, ...]
    calls: tuple[tuple[tuple[int, int], ...], ...]
    first: int
    in_loops: tuple[tuple[Turns, ...], ...] = ()


def _faults(decisions: SavedDecisions) -> Iterator[str]:
    n_arms = [len(condition.arms) for condition in decisions.conditions]
    yield from decision_faults(n_arms, enumerate(decisions.calls))
    if len(decisions.in_loops) not in (0, len(decisions.calls)):
        yield f"in_loops has {len(decisions.in_loops)} calls, and calls {len(decisions.calls)}"
    for number, of_call in enumerate(decisions.in_loops):
        pairs = tuple((turns.condition, arm) for turns in of_call for arm, _ in turns.runs)
        yield from decision_faults(n_arms, [(number, pairs)])


def _each_arm(runs: Iterable[tuple[int, int]]) -> Iterator[int]:
    for arm, times in runs:
        yield from repeat(arm, times)


FORMAT = Format(
    what="record of decisions",
    writer="Decisions.save",
    head={"format": "thunkvm decisions 2"},
    rows=SavedDecisions,
    faults=_faults,
)
