"""The difference of two profiles: two runs, two modes, or two versions of a function."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from thunkvm.profile.branch_changes import ConditionChange, condition_changes
from thunkvm.profile.keys import NodeKey, node_keys
from thunkvm.profile.record import Profile
from thunkvm.profile.rows import FunctionRecord, NodeRow


@dataclass(frozen=True, slots=True)
class NodeChange:
    """The change of one node.

    Attributes
    ----------
    key : NodeKey
        Its Op, line, and which of those it is.
    before, after : NodeRow or None
        Its rows; None where a profile has no such node.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.exp(x), mode="vm")
    >>> with tv.profile("count") as before:
    ...     _ = f([1.0])
    >>> with tv.profile("count") as after:
    ...     _ = f([1.0]), f([2.0])
    >>> change = before.diff(after).functions[0].nodes[0]
    >>> change.before.runs, change.after.runs
    (1, 2)
    """

    key: NodeKey
    before: NodeRow | None
    after: NodeRow | None

    @property
    def time_change(self) -> float:
        """Seconds of self time more."""
        before = 0.0 if self.before is None else self.before.self_time
        return (0.0 if self.after is None else self.after.self_time) - before

    @property
    def runs_change(self) -> int:
        """Runs more."""
        before = 0 if self.before is None else self.before.runs
        return (0 if self.after is None else self.after.runs) - before


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """The change of one function.

    Attributes
    ----------
    before, after : FunctionRecord or None
        Its records; None where a profile has no such function.
    nodes : tuple of NodeChange
        Its nodes, those whose time changed most first.
    conditions : tuple of ConditionChange
        Its conditions, those whose arms' shares changed most first.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.exp(x), mode="vm")
    >>> with tv.profile("count") as before:
    ...     _ = f([1.0])
    >>> with tv.profile("count") as after:
    ...     _ = f([1.0]), f([2.0])
    >>> change = before.diff(after).functions[0]
    >>> change.before.n_calls, change.after.n_calls
    (1, 2)
    """

    before: FunctionRecord | None
    after: FunctionRecord | None
    nodes: tuple[NodeChange, ...]
    conditions: tuple[ConditionChange, ...] = ()

    @property
    def name(self) -> str:
        """The function's name, or both names where they differ."""
        names = [record.name for record in (self.before, self.after) if record is not None]
        return " -> ".join(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class ProfileDifference:
    """The changes from one profile to another.

    Attributes
    ----------
    before, after : Profile
        The profiles.
    functions : tuple of FunctionChange
        The functions of both, matched by name; two profiles of one function each are matched
        whatever the names are.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.exp(x), mode="vm")
    >>> with tv.profile("count") as before:
    ...     _ = f([1.0])
    >>> with tv.profile("count") as after:
    ...     _ = f([1.0]), f([2.0])
    >>> difference = before.diff(after)
    >>> len(difference.functions), difference.before is before
    (1, True)
    """

    before: Profile
    after: Profile
    functions: tuple[FunctionChange, ...]

    def __str__(self) -> str:
        """Return the tables as plain text."""
        from thunkvm.profile.difference_sections import difference_sections
        from thunkvm.profile.text import plain

        return plain(difference_sections(self))

    def _repr_html_(self) -> str:
        from thunkvm.profile.difference_sections import difference_sections
        from thunkvm.profile.text import html_sections

        return html_sections(difference_sections(self))

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """Yield the tables for rich."""
        from thunkvm.profile.difference_sections import difference_sections
        from thunkvm.profile.text import rich_tables

        yield from rich_tables(difference_sections(self), options.max_width)


def diff(before: Profile, after: Profile) -> ProfileDifference:
    """Return the change of each row; see `Profile.diff`."""
    pairs: list[tuple[FunctionRecord | None, FunctionRecord | None]] = []
    if len(before.functions) == len(after.functions) == 1:
        pairs.append((before.functions[0], after.functions[0]))
    else:
        left = list(after.functions)
        for function in before.functions:
            same = next((other for other in left if other.name == function.name), None)
            if same is not None:
                left.remove(same)
            pairs.append((function, same))
        pairs += [(None, function) for function in left]
    functions = tuple(
        FunctionChange(a, b, _node_changes(a, b), condition_changes(a, b)) for a, b in pairs
    )
    return ProfileDifference(before, after, functions)


def _node_changes(
    before: FunctionRecord | None, after: FunctionRecord | None
) -> tuple[NodeChange, ...]:
    old = {} if before is None else dict(zip(node_keys(before.nodes), before.nodes, strict=True))
    new = {} if after is None else dict(zip(node_keys(after.nodes), after.nodes, strict=True))
    changes = [NodeChange(key, old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]
    return tuple(sorted(changes, key=lambda change: -abs(change.time_change)))
