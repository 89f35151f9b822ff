"""Which way the conditions of calls went: to be kept, compared, and run again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

from thunkvm import _core
from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.profile.capture import location_of
from thunkvm.profile.conditions import Condition, ProgramRegions

FORMAT = "thunkvm decisions 1"


class DecisionsFileError(ValueError):
    """A file holds no decisions that can be read here."""


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
    """

    node: str
    text: str
    file: str
    line: int
    arms: tuple[str, ...]

    def value(self, arm: int | None) -> bool | int | None:
        """Return what an arm stands for: a truth value, or which of the cases."""
        if arm is None:
            return None
        return arm == 0 if self.arms == ("then", "else") else arm


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
    """

    call: int
    condition: Decided
    first: bool | int | None
    second: bool | int | None

    def __str__(self) -> str:
        """Return ``call 3: x > 0 (ifelse.1, at fit.py:12) was True, then False``."""
        where = f", at {self.condition.file}:{self.condition.line}" if self.condition.line else ""
        said = ["not asked" if v is None else str(v) for v in (self.first, self.second)]
        return (
            f"call {self.call}: {self.condition.text} ({self.condition.node}{where}) "
            f"was {said[0]} in the first and {said[1]} in the second"
        )


class Decisions:
    """Which way the conditions of each call went; what ``f.record()`` gives.

    Values are not kept, so it is small: a few bytes for each condition that was decided.

    Attributes
    ----------
    conditions : list of Decided
        The function's conditions.
    calls : list of tuple of (int, int)
        For each call, the conditions that were decided, and the arms they took, in that order.
    """

    def __init__(
        self, conditions: Sequence[Decided], calls: Sequence[tuple[tuple[int, int], ...]]
    ) -> None:
        self.conditions = list(conditions)
        self.calls = list(calls)

    def __len__(self) -> int:
        """Return how many calls there are."""
        return len(self.calls)

    def outcomes(self, call: int) -> dict[str, bool | int | None]:
        """Return what each condition was that one call asked, by its text.

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
            self.conditions[condition].text: self.conditions[condition].value(arm)
            for condition, arm in self.calls[call]
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
            pairs = [(k, k) for k in range(min(len(self), len(other)))]
        for mine, yours in pairs:
            found = self._divergence(other, mine, yours)
            if found is not None:
                return found
        return None

    def _divergence(self, other: Decisions, mine: int, yours: int) -> Divergence | None:
        taken = {_key(other.conditions[c]): arm for c, arm in other.calls[yours]}
        here = [(self.conditions[c], arm) for c, arm in self.calls[mine]]
        for condition, arm in here:
            if taken.get(_key(condition), arm) != arm:
                theirs = taken[_key(condition)]
                return Divergence(mine, condition, condition.value(arm), condition.value(theirs))
        asked = {_key(condition) for condition, _ in here}
        for condition, arm in here:
            if _key(condition) not in taken:
                return Divergence(mine, condition, condition.value(arm), None)
        for c, arm in other.calls[yours]:
            if _key(other.conditions[c]) not in asked:
                value = other.conditions[c].value(arm)
                return Divergence(mine, other.conditions[c], None, value)
        return None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the decisions to a file that `load` reads."""
        content = {
            "format": FORMAT,
            "conditions": [asdict(condition) for condition in self.conditions],
            "calls": self.calls,
        }
        Path(path).write_text(json.dumps(content, separators=(",", ":")))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Decisions:
        """Read decisions that `save` wrote.

        Raises
        ------
        DecisionsFileError
            If the file holds none.
        """
        try:
            content = json.loads(Path(path).read_text())
            if content["format"] != FORMAT:
                raise DecisionsFileError(
                    f"{path} is of the format {content['format']!r}; this version reads {FORMAT!r}."
                )
            conditions = [
                Decided(**{**row, "arms": tuple(row["arms"])}) for row in content["conditions"]
            ]
            calls = [tuple((int(c), int(arm)) for c, arm in call) for call in content["calls"]]
        except (KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise DecisionsFileError(
                f"{path} holds no decisions as Decisions.save writes them: {error}"
            ) from error
        return cls(conditions, calls)


def _key(condition: Decided) -> tuple[str, str, int]:
    return condition.text, condition.file, condition.line


class RecordBlock(Decisions):
    """Decisions that are kept of the calls of a ``with`` block."""

    def __init__(self, function: _core.Function) -> None:
        self._function = function
        super().__init__(decided(function), [])

    def __enter__(self) -> Decisions:
        """Keep the decisions of calls from now on."""
        self._recording = self._function._record()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Keep no further ones."""
        self._recording.stop()
        regions = ProgramRegions(self._function)
        for _, _, _, _, _, _, decisions, _ in self._recording.read()["calls"]:
            self.calls.append(tuple(dict.fromkeys(regions.decision(*d) for d in decisions)))


def record(function: _core.Function) -> RecordBlock:
    """Return a block that keeps which way the conditions of each call in it went.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0, x, -x), mode="vm")
    >>> with f.record() as r:
    ...     _ = f(1.0), f(-3.0)
    >>> [r.outcomes(call) for call in range(len(r))]
    [{'x > 0.0': True}, {'x > 0.0': False}]
    """
    return RecordBlock(function)


def decided(function: _core.Function) -> list[Decided]:
    """Return the conditions of a function."""
    return [_decided(function, condition) for condition in ProgramRegions(function).conditions]


def _decided(function: _core.Function, condition: Condition) -> Decided:
    name = function._node_rows()[condition.node][0]
    owner = function._nodes[condition.node].owner
    assert owner is not None
    arms = tuple(condition.arm_name(arm) for arm in range(condition.n_arms))
    return Decided(name, condition.text, *location_of(owner), arms)


class Replay:
    """A function whose conditions go as they did, or as they are told to.

    The interpreter runs it: emitted code decides by values alone.
    """

    def __init__(self, function: _core.Function, arms: Mapping[int, int]) -> None:
        regions = ProgramRegions(function)
        self._recording = function._record(apart=True)
        self._recording.force(
            [
                (branch, regions.conditions[condition].arm(arm))
                for condition, arm in arms.items()
                for branch in regions.conditions[condition].branches
            ]
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns when its conditions go that way."""
        return self._recording(*args, **kwargs)


def replay(
    function: _core.Function,
    decisions: Decisions | None = None,
    call: int = 0,
    force: Mapping[Any, Any] | None = None,
) -> Replay:
    """Return the function, with its conditions going as they did in a recorded call.

    Conditions that the recorded call did not ask are decided by their values.

    Parameters
    ----------
    decisions : Decisions, optional
        What ``f.record()`` gave, or `Decisions.load`. None: only what is forced is decided so.
    call : int
        Which of its calls.
    force : dict, optional
        Conditions that go another way: each by its text (``"x > 0"``), its index among the
        function's conditions or the Variable that is asked; with the arm: True or False, the index
        of a case, or the arm's name.

    Returns
    -------
    Replay
        To be called like the function.

    Raises
    ------
    ValueError
        If the decisions are another function's, or a condition or an arm is not there.
    IndexError
        If there is no such call.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0, x * 2, -x), mode="vm")
    >>> with f.record() as r:
    ...     _ = f(1.0), f(-3.0)
    >>> f.replay(r, call=1)(5.0)
    np.float64(-5.0)
    >>> f.replay(r, call=1, force={"x > 0.0": True})(5.0)
    np.float64(10.0)
    """
    conditions = decided(function)
    arms: dict[int, int] = {}
    if decisions is not None:
        if [_key(c) for c in decisions.conditions] != [_key(c) for c in conditions]:
            raise ValueError(
                "the decisions are another function's: its conditions are not those of "
                f"{function._shown}; replay what f.record() of this function kept."
            )
        if not 0 <= call < len(decisions):
            raise IndexError(
                f"there is no call {call}: {len(decisions)} calls were recorded, from 0 on."
            )
        arms.update(decisions.calls[call])
    for what, value in (force or {}).items():
        for index in _find(conditions, what):
            arms[index] = _arm(conditions[index], value)
    return Replay(function, arms)


def _find(conditions: Sequence[Decided], what: Any) -> list[int]:
    """Return the conditions that somebody means."""
    if isinstance(what, int) and 0 <= what < len(conditions):
        return [what]
    text = what
    if isinstance(what, _core.Variable):
        from thunkvm._src.views.expression import expression

        text = what.name or expression(what)
    found = [
        i for i, condition in enumerate(conditions) if text in (condition.text, condition.node)
    ]
    if not found:
        known = [condition.text for condition in conditions]
        raise ValueError(
            f"the function has no condition {text!r}; it has "
            + (", ".join(map(repr, known)) or "none")
            + "."
            + did_you_mean(str(text), known)
        )
    return found


def _arm(condition: Decided, value: Any) -> int:
    if value in condition.arms:
        return condition.arms.index(value)
    if condition.arms == ("then", "else") and value in (True, False):
        return 0 if value else 1
    if isinstance(value, int) and 0 <= value < len(condition.arms):
        return value
    raise ValueError(
        f"{condition.text} has no arm {value!r}; it has {', '.join(map(repr, condition.arms))}"
        + (", also called True and False." if condition.arms == ("then", "else") else ".")
    )


__all__ = ["Decided", "Decisions", "DecisionsFileError", "Divergence", "Replay", "record", "replay"]
