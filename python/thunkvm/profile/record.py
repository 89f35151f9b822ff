"""What was recorded of functions' calls, as plain values: `Profile` and the rows it is made of.

Times are seconds, sizes are bytes. A number that was not recorded is 0, or None where 0 would say
something else. Rows refer to each other by index into their `FunctionRecord`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas

    from thunkvm.profile.difference import ProfileDifference

Kind = Literal["count", "time", "trace", "memory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """What one node did.

    The self times of a function's nodes add up to the time that its nodes took. Where nodes are
    computed together, their group's time is divided among them.

    Attributes
    ----------
    index : int
        Its place among the function's nodes, which are in the program's order.
    op, op_class, name : str
        Its Op, the Op's class, and the name that `f.explain()` has for it.
    file : str
        The user's file that made it; empty where unknown.
    line : int
        The line in it, from 1; 0 where unknown.
    source : str
        What that line says.
    region : str
        Where it runs, in words: ``"always"``, ``"only if x > 0"``.
    region_path : tuple of (int, int)
        The same as the conditions and arms around it, outermost first.
    form : str
        What runs it: ``"emitted"``, ``"loop"``, ``"kernel"``, ``"perform"``, ``"lazy"``, ``"memo"``
        and what else `f.explain()` says.
    group : int or None
        The index of the group that it is computed in.
    inputs : tuple of int or str
        Indices of the nodes that it reads, and names of the inputs and constants.
    type : str
        The dtype and shape of what it computes.
    output : bool
        Whether the function returns it.
    entered, runs, suspended, failed : int
        How often it was begun, completed, stopped to wait for an input, and failed.
    self_time, total_time : float
        Seconds in it alone, and with what it demanded while it ran.
    min, p95, max : float or None
        Of the self time of one run.
    first : float or None
        The self time of the first run, which is in none of the above three.
    bytes_allocated, peak_bytes : int
        Bytes that it allocated in all runs, and the most that were live at once while it ran.
    copies : int
        How many copies it made for laziness's sake: of what an untaken arm still needs.
    flops, bytes_moved : float
        Floating-point operations, and bytes read and written, of all runs; 0 where the Op states
        none.
    first_demanded_by : int or None
        The node that demanded it first.
    """

    index: int
    op: str
    op_class: str = ""
    name: str = ""
    file: str = ""
    line: int = 0
    source: str = ""
    region: str = "always"
    region_path: tuple[tuple[int, int], ...] = ()
    form: str = ""
    group: int | None = None
    inputs: tuple[int | str, ...] = ()
    type: str = ""
    output: bool = False
    entered: int = 0
    runs: int = 0
    suspended: int = 0
    failed: int = 0
    self_time: float = 0.0
    total_time: float = 0.0
    min: float | None = None
    p95: float | None = None
    max: float | None = None
    first: float | None = None
    bytes_allocated: int = 0
    peak_bytes: int = 0
    copies: int = 0
    flops: float = 0.0
    bytes_moved: float = 0.0
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
class GroupRow:
    """What is computed together.

    Attributes
    ----------
    index : int
        Its place among the function's groups.
    nodes : tuple of int
        The nodes that it computes.
    runs : int
        How often it ran.
    self_time : float
        Seconds in it.
    kind : str
        ``"loop"``, ``"expression"`` or ``"call"``.
    """

    index: int
    nodes: tuple[int, ...] = ()
    runs: int = 0
    self_time: float = 0.0
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRow:
    """One arm of a condition.

    Attributes
    ----------
    name : str
        ``"then"``, ``"else"``, ``"case 2"``, ``"default"``.
    taken : int
        How often it was chosen.
    time : float
        Seconds in the nodes that run for it alone.
    nodes : tuple of int
        Those nodes, those of the conditions inside it too.
    """

    name: str
    taken: int = 0
    time: float = 0.0
    nodes: tuple[int, ...] = ()

    @property
    def mean(self) -> float | None:
        """Seconds each time it is taken; None where that is unknown: it never was."""
        if not self.nodes:
            return 0.0
        return self.time / self.taken if self.taken else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRow:
    """What one condition decided.

    Attributes
    ----------
    index : int
        Its place among the function's conditions.
    node : int
        The node that decides: an ``ifelse``, a ``switch``, a lazy Op.
    text : str
        What is asked, ``"x > 0"``.
    file : str
        The user's file that made it.
    line : int
        The line in it; 0 where unknown.
    evaluations : int
        How often it was decided.
    flips : int
        How often it was decided otherwise than the time before.
    arms : tuple of ArmRow
        What there is to choose from.
    saved : float or None
        Seconds that computing all arms each time would have taken beyond what was spent, an
        estimate by `estimated_saving`; None where an arm never ran, so that nobody knows.
    break_even : float or None
        Seconds that the untaken arms have to cost each time for deciding to be no slower than an
        eager ``where``; None where unknown.
    """

    index: int
    node: int
    text: str = ""
    file: str = ""
    line: int = 0
    evaluations: int = 0
    flips: int = 0
    arms: tuple[ArmRow, ...] = ()
    saved: float | None = None
    break_even: float | None = None

    @property
    def always(self) -> str | None:
        """The name of the arm that was taken each time; None where there is no such one."""
        taken = [arm.name for arm in self.arms if arm.taken]
        return taken[0] if len(taken) == 1 else None


def estimated_saving(arms: Iterable[ArmRow]) -> float | None:
    """Return the seconds that not running untaken arms saved, by what each costs when it runs.

    Examples
    --------
    >>> from thunkvm.profile.record import ArmRow, estimated_saving
    >>> cheap = ArmRow(name="then", taken=9, time=0.0, nodes=())
    >>> costly = ArmRow(name="else", taken=1, time=2.0, nodes=(3, 4))
    >>> estimated_saving([cheap, costly])
    18.0
    >>> print(estimated_saving([cheap, ArmRow(name="else", nodes=(3, 4))]))
    None
    """
    arms = tuple(arms)
    decided = sum(arm.taken for arm in arms)
    saved = 0.0
    for arm in arms:
        if arm.mean is None:
            return None
        saved += arm.mean * (decided - arm.taken)
    return saved


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One call of the function.

    Attributes
    ----------
    index : int
        Which call, from 0, in the order in which they ended.
    thread : int
        Which thread it was made on.
    start : float
        Seconds on the profile's clock.
    time : float
        Seconds that the call took.
    arms : tuple of (int, int)
        The conditions that were decided in it, and the arms they took, in that order.
    bytes : int
        Bytes allocated in it.
    """

    index: int
    thread: int = 0
    start: float = 0.0
    time: float = 0.0
    arms: tuple[tuple[int, int], ...] = ()
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheads:
    """Seconds that no node took.

    Attributes
    ----------
    arguments, results, lock : float
        Taking arguments in, giving results out, and waiting for Python's lock.
    link, rewrite, compile : float
        Making the function: linking, rewriting its graph, compiling its C.
    cache_hits : int
        How many modules came out of the cache instead of the compiler.
    changeover : float
        Going over to code that was compiled in the background.
    other : float
        The rest of the calls: entering and leaving the program, and its instructions.
    """

    arguments: float = 0.0
    results: float = 0.0
    lock: float = 0.0
    link: float = 0.0
    rewrite: float = 0.0
    compile: float = 0.0
    cache_hits: int = 0
    changeover: float = 0.0
    other: float = 0.0

    @property
    def in_calls(self) -> float:
        """Seconds of the calls; the rest was spent before them or beside them."""
        return self.arguments + self.results + self.lock + self.changeover + self.other


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One stretch of time in a trace.

    Attributes
    ----------
    thread : int
        Which thread it was on.
    start, duration : float
        Seconds, the start on the profile's clock.
    node, group : int or None
        What ran, where `kind` is ``"node"`` or ``"group"``.
    kind : str
        ``"node"``, ``"group"``, ``"call"``, or the name of a row of `Overheads`.
    call : int or None
        The call that it belongs to.
    """

    thread: int
    start: float
    duration: float
    node: int | None = None
    group: int | None = None
    kind: str = "node"
    call: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRecord:
    """What was recorded of one function.

    Attributes
    ----------
    name, mode : str
        What errors call the function, and how it was linked.
    n_calls : int
        How many calls were recorded.
    nodes, conditions, groups, calls, events : tuple
        Its rows; a row's index is its place. `calls` and `events` are recorded where asked for.
    overheads : Overheads
        The time that is no node's.
    dropped_events : int
        How many events found no place in the trace.
    """

    name: str
    mode: str = ""
    n_calls: int = 0
    nodes: tuple[NodeRow, ...] = ()
    conditions: tuple[ConditionRow, ...] = ()
    groups: tuple[GroupRow, ...] = ()
    calls: tuple[CallRow, ...] = ()
    overheads: Overheads = Overheads()
    events: tuple[Event, ...] = ()
    dropped_events: int = 0

    @property
    def node_time(self) -> float:
        """Seconds in nodes."""
        return sum(node.self_time for node in self.nodes)

    @property
    def time(self) -> float:
        """Seconds in calls: in nodes and around them."""
        return self.node_time + self.overheads.in_calls


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What was recorded of functions.

    Attributes
    ----------
    functions : tuple of FunctionRecord
        The functions that were called.
    kind : {"count", "time", "trace", "memory"}
        How much was recorded.
    clock_cost : float
        Seconds that one reading of the clock takes; it is subtracted from the times already.

    Examples
    --------
    >>> from thunkvm.profile import FunctionRecord, NodeRow, Profile
    >>> exp = NodeRow(index=0, op="exp", runs=2, self_time=0.5)
    >>> p = Profile(functions=(FunctionRecord(name="f", nodes=(exp,)),), kind="time")
    >>> p.merge(p).functions[0].nodes[0].runs
    4
    """

    functions: tuple[FunctionRecord, ...] = ()
    kind: Kind = "time"
    clock_cost: float = 0.0

    @property
    def calls(self) -> tuple[CallRow, ...]:
        """The calls of all functions, function by function."""
        return tuple(call for function in self.functions for call in function.calls)

    def __str__(self) -> str:
        """Return the tables as plain text; ``rich.print(p)`` prints them in colour."""
        from thunkvm.profile.sections import profile_sections
        from thunkvm.profile.text import plain

        return plain(profile_sections(self))

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """Yield the tables for rich."""
        from thunkvm.profile.sections import profile_sections
        from thunkvm.profile.text import rich_tables

        yield from rich_tables(profile_sections(self))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the profile to a file that `load` reads.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        from thunkvm.profile.storage import save

        save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Profile:
        """Read a profile that `save` wrote.

        Raises
        ------
        ProfileFileError
            If the file is no profile, is cut off, or is of a version that is not known here.
        """
        from thunkvm.profile.storage import load

        return load(path)

    def to_json(self) -> str:
        """Return the profile as JSON text, as `save` writes it."""
        from thunkvm.profile.storage import to_json

        return to_json(self)

    def to_pandas(self, rows: str = "nodes") -> pandas.DataFrame:
        """Return one of the tables as a pandas DataFrame.

        Parameters
        ----------
        rows : {"nodes", "arms", "calls", "groups", "overheads"}
            What has a row. That of a node has the columns ``node``, ``op``, ``line``, ``region``,
            ``runs``, ``self_time`` and the other fields of `NodeRow`, with ``mean``, ``gflops`` and
            ``gb_per_second``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from thunkvm.profile.frames import to_pandas

        return to_pandas(self, rows)

    def to_csv(self, path: str | PathLike[str] | None = None, rows: str = "nodes") -> str | None:
        """Write one of the tables as CSV; return the text if there is no path.

        Parameters
        ----------
        path : path, optional
            The file to write.
        rows : {"nodes", "arms", "calls", "groups", "overheads"}
            What has a row, as in `to_pandas`.

        Examples
        --------
        >>> from thunkvm.profile import FunctionRecord, Overheads, Profile
        >>> f = FunctionRecord(name="f", mode="vm", overheads=Overheads(arguments=0.5))
        >>> print(Profile(functions=(f,)).to_csv(rows="overheads")[:42])
        function,mode,row,value
        f,vm,arguments,0.5
        """
        from thunkvm.profile.frames import to_csv

        return to_csv(self, path, rows)

    def to_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Write the trace for Perfetto (ui.perfetto.dev) and chrome://tracing: a track a thread.

        Raises
        ------
        ValueError
            If the profile has no events: those of kind ``"trace"`` have them.
        """
        from thunkvm.profile.chrome_trace import write_chrome_trace

        write_chrome_trace(self, path)

    def to_speedscope(self, path: str | PathLike[str]) -> None:
        """Write a file for speedscope: sums a function, and in a trace a timeline a thread."""
        from thunkvm.profile.stacks import write_speedscope

        write_speedscope(self, path)

    def to_collapsed(self, path: str | PathLike[str]) -> None:
        """Write collapsed stacks (function; arms; node), which flame graphs are made from."""
        from thunkvm.profile.stacks import write_collapsed

        write_collapsed(self, path)

    def to_callgrind(self, path: str | PathLike[str]) -> None:
        """Write a file for KCachegrind and callgrind_annotate."""
        from thunkvm.profile.callgrind import write_callgrind

        write_callgrind(self, path)

    def to_dot(self, path: str | PathLike[str]) -> None:
        """Write the graphs in DOT: coloured by self time, an arm a box, never-run nodes dashed."""
        from thunkvm.profile.dot import write_dot

        write_dot(self, path)

    def to_svg(self, path: str | PathLike[str]) -> None:
        """Write the same drawn by Graphviz.

        Raises
        ------
        RuntimeError
            If Graphviz's ``dot`` is not installed.
        """
        from thunkvm.profile.dot import write_svg

        write_svg(self, path)

    def html(self, path: str | PathLike[str]) -> None:
        """Write one HTML page with all that is known: it opens from a file and asks no network.

        Tables that sort and search, the graph in boxes that fold, the branches with their shares,
        the timeline, and the lines of the user's files, which are copied into the page.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        from thunkvm.profile.html import write_page

        write_page(self, path)

    def _repr_html_(self) -> str:
        from thunkvm.profile.html import notebook_page

        return notebook_page(self)

    def merge(self, *others: Profile) -> Profile:
        """Return what this profile and others recorded together.

        Counts and times of the same function add up, functions that are not the same stand side
        by side. A function is the same if its name, mode and nodes are.

        Raises
        ------
        ValueError
            If a profile is of another kind.
        """
        from thunkvm.profile.merging import merge

        return merge(self, *others)

    def diff(self, after: Profile) -> ProfileDifference:
        """Return what became of each row from this profile to another.

        Parameters
        ----------
        after : Profile
            A second run, another mode, or another version of the functions.

        Examples
        --------
        >>> from thunkvm.profile import FunctionRecord, NodeRow, Profile
        >>> def run(seconds):
        ...     node = NodeRow(index=0, op="exp", file="a.py", line=3, runs=1, self_time=seconds)
        ...     return Profile(functions=(FunctionRecord(name="f", nodes=(node,)),))
        >>> run(0.5).diff(run(2.0)).functions[0].nodes[0].time_change
        1.5
        """
        from thunkvm.profile.difference import diff

        return diff(self, after)


__all__ = [
    "ArmRow", "CallRow", "ConditionRow", "Event", "FunctionRecord", "GroupRow", "Kind", "NodeRow",
    "Overheads", "Profile", "estimated_saving",
]  # fmt: skip
