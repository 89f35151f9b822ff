"""A function's time divided: among its nodes, their Ops, the Ops' classes, and source lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from thunkvm.profile.condition_rows import ConditionRow
from thunkvm.profile.rows import FunctionRecord, NodeRow

#: The forms that run in Python. All else is native code.
PYTHON_FORMS = ("perform", "lazy", "thunk")


@dataclass(frozen=True, slots=True)
class Share:
    """The time of a group of nodes."""

    name: str  #: what they have in common
    nodes: tuple[NodeRow, ...]
    time: float  #: seconds of self time
    part: float  #: the share of the time of all nodes, from 0 to 1
    sum: float  #: this share and all greater ones

    @property
    def runs(self) -> int:
        """How often they ran, all together."""
        return sum(node.runs for node in self.nodes)

    @property
    def count(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    @property
    def time_per_run(self) -> float:
        """Seconds a run; 0 where none ran."""
        return self.time / self.runs if self.runs else 0.0

    @property
    def type(self) -> str:
        """``"C"`` for native code, ``"Py"`` for Python, ``"C, Py"`` for both, as Theano has it."""
        return ", ".join(sorted({language(node) for node in self.nodes}))


def language(node: NodeRow) -> str:
    """Return ``"Py"`` where a node runs in Python, else ``"C"``.

    Examples
    --------
    >>> from thunkvm.profile import NodeRow
    >>> from thunkvm.profile.shares import language
    >>> language(NodeRow(index=0, op="exp", form="perform"))
    'Py'
    """
    is_attempt = node.form == "lazy" and node.op_class == "control"  # the lazy thunk that is native
    return "Py" if node.form in PYTHON_FORMS and not is_attempt else "C"


def by_node(function: FunctionRecord) -> list[Share]:
    """Return each node's share, the greatest first."""
    return _shares(function.nodes, lambda node: (node.index, node.name or node.op))


def by_op(function: FunctionRecord) -> list[Share]:
    """Return each Op's share."""
    return _shares(function.nodes, lambda node: (node.op, node.op))


def by_class(function: FunctionRecord) -> list[Share]:
    """Return the share of each class of Ops; an Op whose class is unknown is one of its own."""
    return _shares(function.nodes, lambda node: (node.op_class or node.op,) * 2)


def by_line(function: FunctionRecord) -> list[Share]:
    """Return the share of each line of the user's source; nodes of unknown lines have one."""
    return _shares(function.nodes, lambda node: ((node.file, node.line), line_of(node)))


def line_of(node: NodeRow) -> str:
    """Return the line that made a node, its file without the folders; ``"?"`` where unknown.

    Examples
    --------
    >>> from thunkvm.profile import NodeRow
    >>> from thunkvm.profile.shares import line_of
    >>> line_of(NodeRow(index=0, op="exp", file="/home/me/fit.py", line=12))
    'fit.py:12'
    """
    return location(node.file, node.line) or "?"


def location(file: str, line: int) -> str:
    """Return ``fit.py:12`` of a file and a line in it; empty where the file is unknown."""
    return f"{Path(file).name}:{line}" if file else ""


def place_of(condition: ConditionRow) -> str:
    """Return `` (fit.py:12)``, what is written behind a condition; empty where unknown."""
    return f" ({location(condition.file, condition.line)})" if condition.file else ""


def _shares(nodes: Iterable[NodeRow], key: Callable[[NodeRow], tuple[object, str]]) -> list[Share]:
    nodes = tuple(nodes)
    groups: dict[object, tuple[str, list[NodeRow]]] = {}
    for node in nodes:
        same, name = key(node)
        groups.setdefault(same, (name, []))[1].append(node)
    whole = sum(node.self_time for node in nodes)
    found = [(name, of, sum(node.self_time for node in of)) for name, of in groups.values()]
    found.sort(key=lambda item: -item[2])
    shares, before = [], 0.0
    for name, of, time in found:
        part = time / whole if whole else 0.0
        before += part
        shares.append(Share(name, tuple(of), time, part, before))
    return shares
