"""The records of calls in other processes, for the profiles of the function that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from thunkvm import _core
from thunkvm.profile.capture import counted_record
from thunkvm.profile.condition_rows import ConditionRow
from thunkvm.profile.live import recorders
from thunkvm.profile.recorded import pick_fields
from thunkvm.profile.rows import FunctionRecord, NodeRow

Row = TypeVar("Row", NodeRow, ConditionRow)


class Elsewhere:
    """The profiles that calls of a function in other processes belong to.

    Parameters
    ----------
    function : Function
        The function here. Profiles that record it now are meant.
    """

    def __init__(self, function: _core.Function) -> None:
        self._profiles = recorders(function)
        self._here = counted_record(function) if self._profiles else None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of these profiles."""
        return tuple(dict.fromkeys(profile.kind for profile in self._profiles))

    def take_in(self, records: Mapping[str, FunctionRecord]) -> None:
        """Add records of calls, by kind, to the profiles of that kind."""
        for profile in self._profiles:
            if profile.kind in records:
                assert self._here is not None
                profile.take_in(move_lines(self._here, records[profile.kind]))


def move_lines(here: FunctionRecord, record: FunctionRecord) -> FunctionRecord:
    """Return the record of a pickled function, at the lines of the function that it is a copy of.

    Pickles hold no lines. A record whose nodes are others (rewritten otherwise, elsewhere) is
    returned as it is.
    """
    if _ops(here) != _ops(record) or len(here.conditions) != len(record.conditions):
        return record
    return replace(
        record,
        name=here.name,
        nodes=_replace_fields(record.nodes, here.nodes, "name", "file", "line", "source", "region"),
        conditions=_replace_fields(record.conditions, here.conditions, "text", "file", "line"),
    )


def _ops(record: FunctionRecord) -> list[str]:
    return [node.op for node in record.nodes]


def _replace_fields(rows: tuple[Row, ...], others: tuple[Row, ...], *names: str) -> tuple[Row, ...]:
    """Return rows with some fields of others."""
    pairs = zip(rows, others, strict=True)
    return tuple(replace(row, **pick_fields(other, *names)) for row, other in pairs)


__all__ = ["Elsewhere", "move_lines"]
