"""The rows that profiles are made of: the records of functions' calls, as plain values.

Times are seconds, sizes are bytes. A number that was not recorded is 0, or None where 0 would say
something else. Rows refer to each other by index into their `FunctionRecord`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from thunkvm.profile.condition_rows import ConditionRow, RegionRow
from thunkvm.profile.loop_rows import LoopRow
from thunkvm.profile.recorded import CallTimesFields, SiteRowFields, StretchFields, merged_field

Kind = Literal["count", "time", "trace", "memory"]
#: Seconds below which nothing was measured: no clock tells them from none.
SHORTEST = 1e-15


class Rates:
    """How fast what a row counts was done."""

    __slots__ = ()

    self_time: float
    flops: float
    bytes_moved: float

    @property
    def gflops(self) -> float | None:
        """10^9 floating-point operations a second; None where no Op states any."""
        return self._rate(self.flops)

    @property
    def gb_per_second(self) -> float | None:
        """10^9 bytes read and written a second; None where no Op states any."""
        return self._rate(self.bytes_moved)

    def _rate(self, amount: float) -> float | None:
        if not amount or self.self_time < SHORTEST:
            return None
        return amount / self.self_time / 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow(SiteRowFields, Rates):
    """The work of one node: its counts and times (`SiteRowFields`), and what it is.

    The self times of a function's nodes add up to the time that its nodes took. Where nodes are
    computed together, their group's time is divided among them.

    Attributes
    ----------
    index : int
        Its index among the function's nodes, which are in the program's order.
    op, op_class, name : str
        Its Op, the Op's class (of a built-in one its family, such as ``"reduction"``), and its name
        in `f.explain()`.
    file : str
        The user's file that made it; empty where unknown.
    line : int
        The line in it, from 1; 0 where unknown.
    source : str
        What that line says.
    region : str
        Where it runs, in words: ``"always"``, ``"only if x > 0"``.
    region_index : int or None
        The innermost arm that it runs in, as an index among the function's regions; None outside of
        all arms.
    memoised : bool
        Whether it is in a memo body, which runs just before the first node that reads its value:
        what is read under several conditions, none of which has to hold; in the mode ``py`` all.
    form : str
        What runs it: ``"emitted"``, ``"fused"``, ``"kernel"``, ``"perform"``, ``"lazy"``
        and what else `f.explain()` says.
    group : int or None
        The index of the group that it is computed in.
    inputs : tuple of int or str
        Indices of the nodes that it reads, and names of the inputs and constants.
    type : str
        The dtype and shape of what it computes.
    output : bool
        Whether the function returns it.
    counted : str
        The name that `tv.counted` gives its value; empty without.
    entered : int
        How often it was begun.
    total_time : float
        Seconds in it, and in what it demanded while it ran.
    first_demanded_by : int or None
        The node that demanded it first.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), -x), mode="vm")
    >>> with tv.profile("count") as p:
    ...     _ = f([1.0]), f([2.0]), f([-1.0])
    >>> [(row.op, row.runs, row.region) for row in p.functions[0].nodes if row.op == "exp"]
    [('exp', 2, 'only if sum(x) > 0.0')]
    """

    index: int
    op: str
    op_class: str = ""
    name: str = ""
    file: str = ""
    line: int = 0
    source: str = ""
    region: str = "always"
    region_index: int | None = None
    memoised: bool = False
    form: str = ""
    group: int | None = None
    inputs: tuple[int | str, ...] = ()
    type: str = ""
    output: bool = False
    counted: str = ""
    entered: int = merged_field(0)
    total_time: float = merged_field(0.0)
    first_demanded_by: int | None = None

    @property
    def mean(self) -> float:
        """Seconds of self time a run; 0 where it never completed."""
        return self.self_time / self.runs if self.runs else 0.0

    @property
    def never_ran(self) -> bool:
        """Whether nothing ever demanded it."""
        return self.runs == 0 and self.entered == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow(Rates):
    """A group of nodes that are computed together.

    Attributes
    ----------
    index : int
        Its index among the function's groups.
    nodes : tuple of int
        The nodes that it computes.
    runs : int
        How often it ran.
    self_time : float
        Seconds in it.
    kind : str
        ``"fused"``, ``"expression"`` or ``"call"``.
    flops, bytes_moved : float
        Floating-point operations, and bytes read and written, of all runs; what the nodes of a nest
        hand to each other is not among them.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.exp(x) * 2.0 + 1.0, mode="c")
    >>> with tv.profile("time") as p:
    ...     _ = f([1.0])
    >>> record = p.functions[0]
    >>> [[record.nodes[i].op for i in group.nodes] for group in record.groups]
    [['exp', 'mul', 'add']]
    """

    index: int
    nodes: tuple[int, ...] = ()
    runs: int = merged_field(0)
    self_time: float = merged_field(0.0)
    kind: str = ""
    flops: float = merged_field(0.0)
    bytes_moved: float = merged_field(0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow(CallTimesFields):
    """One call of the function, with its time (`CallTimesFields`).

    Attributes
    ----------
    index : int
        Which call, from 0, in the order in which they ended.
    thread : int
        Which thread it was made on.
    arms : tuple of (int, int)
        The conditions that were decided in it, and the arms they took, in that order.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), -x), mode="vm")
    >>> with tv.profile("time") as p:
    ...     _ = f([1.0]), f([2.0]), f([-1.0])
    >>> [(row.index, row.failed, row.time > 0.0) for row in p.functions[0].calls]
    [(0, False, True), (1, False, True), (2, False, True)]
    """

    index: int
    thread: int = 0
    arms: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheads:
    """Seconds that no node took.

    Attributes
    ----------
    arguments, results, lock : float
        Taking arguments in, giving results out, and waiting for Python's lock.
    link, rewrite, compile : float
        Making the function: linking, rewriting its graph, waiting for the compilation of its C and
        of its Ops' C.
    compile_background : float
        Compiling its C while calls went on, which nobody waited for.
    cache_hits : int
        How many modules came out of the cache instead of the compiler.
    changeover : float
        In calls: asking for code that is compiled in the background, and going over to it.
    other : float
        The rest of the calls: entering and leaving the program, and its instructions.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), -x), mode="vm")
    >>> with tv.profile("time") as p:
    ...     _ = f([1.0]), f([2.0]), f([-1.0])
    >>> overheads = p.functions[0].overheads
    >>> overheads.arguments > 0.0, overheads.results > 0.0, overheads.cache_hits
    (True, True, 0)
    """

    arguments: float = merged_field(0.0)
    results: float = merged_field(0.0)
    lock: float = merged_field(0.0)
    link: float = merged_field(0.0)
    rewrite: float = merged_field(0.0)
    compile: float = merged_field(0.0)
    compile_background: float = merged_field(0.0)
    cache_hits: int = merged_field(0)
    changeover: float = merged_field(0.0)
    other: float = merged_field(0.0)

    @property
    def in_calls(self) -> float:
        """Seconds of the calls; the rest was spent before them or beside them."""
        return self.arguments + self.results + self.lock + self.changeover + self.other


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(StretchFields):
    """One stretch of time in a trace (`StretchFields`).

    Attributes
    ----------
    thread : int
        Which thread it was on.
    node, group : int or None
        What ran, where `kind` is ``"node"`` or ``"group"``.
    kind : str
        ``"node"``, ``"group"``, ``"call"``, ``"step"`` (of the loop that `node` is), or the name
        of a row of `Overheads`.
    call : int or None
        The call that it belongs to.
    step : int or None
        Which step it is; of a run of many steps some are recorded.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), -x), mode="vm")
    >>> with tv.profile("trace") as p:
    ...     _ = f([1.0]), f([2.0]), f([-1.0])
    >>> record = p.functions[0]
    >>> sorted({record.nodes[event.node].op for event in record.events if event.node is not None})
    ['exp', 'gt', 'neg', 'sum']
    """

    thread: int
    node: int | None = None
    group: int | None = None
    kind: str = "node"
    call: int | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRecord:
    """The record of one function.

    Attributes
    ----------
    name, mode : str
        What errors call the function, and how it was linked.
    n_calls : int
        How many calls were recorded.
    nodes, conditions, regions, loops, groups, calls, events : tuple
        Its rows; a row's index is its position. `calls` and `events` are recorded where asked for.
        A call's index counts from the first call that was made: of very many the latest are kept.
    overheads : Overheads
        The time that is no node's.
    dropped_events : int
        How many events found no room in the trace.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), -x), mode="vm")
    >>> with tv.profile("count") as p:
    ...     _ = f([1.0]), f([2.0]), f([-1.0])
    >>> record = p.functions[0]
    >>> record.mode, record.n_calls, len(record.conditions)
    ('vm', 3, 1)
    """

    name: str
    mode: str = ""
    n_calls: int = merged_field(0)
    nodes: tuple[NodeRow, ...] = ()
    conditions: tuple[ConditionRow, ...] = ()
    regions: tuple[RegionRow, ...] = ()
    loops: tuple[LoopRow, ...] = ()
    groups: tuple[GroupRow, ...] = ()
    calls: tuple[CallRow, ...] = ()
    overheads: Overheads = Overheads()
    events: tuple[Event, ...] = ()
    dropped_events: int = merged_field(0)

    @property
    def counts(self) -> dict[str, int]:
        """How often the values of each name of `tv.counted` were computed, as `f.counts()`."""
        found: dict[str, int] = {}
        for node in self.nodes:
            if node.counted:
                found[node.counted] = found.get(node.counted, 0) + node.runs
        return dict(sorted(found.items()))

    @property
    def node_time(self) -> float:
        """Seconds in nodes."""
        return sum(node.self_time for node in self.nodes)

    @property
    def time(self) -> float:
        """Seconds in calls: in nodes and around them."""
        return self.node_time + self.overheads.in_calls
