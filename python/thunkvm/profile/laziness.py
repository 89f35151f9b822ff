"""The effects of laziness in a function: its savings and its costs."""

from __future__ import annotations

from dataclasses import dataclass

from thunkvm.profile.condition_rows import ConditionRow
from thunkvm.profile.rows import FunctionRecord, NodeRow


@dataclass(frozen=True, slots=True)
class LazyReport:
    """The effects of laziness in a function."""

    never_ran: tuple[NodeRow, ...]
    unused: tuple[NodeRow, ...]  #: they ran though no node that reads them ever did
    demanded: tuple[tuple[NodeRow, NodeRow], ...]  #: nodes, and which node demanded each first
    one_way: tuple[ConditionRow, ...]  #: they took the same arm each time
    copies: tuple[NodeRow, ...]  #: they copied what only nodes still may need that may not run
    memo: tuple[NodeRow, ...]  #: in memo bodies; they ran 0 times, or as often as there were calls
    saved: float  #: seconds that untaken arms would have taken, in conditions where that is known
    unknown: tuple[ConditionRow, ...]  #: with an arm that never ran, so that nobody knows its time


def lazy_report(function: FunctionRecord) -> LazyReport:
    """Return the effects of laziness in a function."""
    nodes = function.nodes
    readers: dict[int, int] = {}  # runs of all that read a node
    for node in nodes:
        for read in node.inputs:
            if isinstance(read, int):
                readers[read] = readers.get(read, 0) + node.runs
    whole = (0, function.n_calls)
    return LazyReport(
        never_ran=tuple(node for node in nodes if node.never_ran),
        unused=tuple(
            node for node in nodes if node.runs and not node.output and readers.get(node.index) == 0
        ),
        demanded=tuple(
            (node, nodes[node.first_demanded_by])
            for node in nodes
            if node.first_demanded_by is not None
        ),
        one_way=tuple(c for c in function.conditions if c.evaluations > 1 and c.always is not None),
        copies=tuple(node for node in nodes if node.lazy_copies),
        memo=tuple(node for node in nodes if node.memoised and node.runs in whole),
        saved=sum(c.saved for c in function.conditions if c.saved is not None),
        unknown=tuple(c for c in function.conditions if c.evaluations and c.saved is None),
    )
