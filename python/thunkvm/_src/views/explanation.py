"""The reports of a function on itself: `Function.explain`, `node_runs`, `counts` and `dprint`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TextIO

from thunkvm import _core
from thunkvm._core import NodeRuns, Variable
from thunkvm._src.views.expression import WIDTH, cut_text, expression
from thunkvm._src.views.notebook import html_table
from thunkvm._src.views.regions import Regions
from thunkvm._src.views.text_table import table
from thunkvm._src.views.tree import DEPTH, Root, print_lines, tree_lines

if TYPE_CHECKING:
    from thunkvm.profile import Profile


@dataclass(frozen=True, slots=True)
class NodeExplanation:
    """How one node of a function runs.

    Attributes
    ----------
    node, op, origin : str
        The node's name, its Op, and the line of the user's code that made it.
    form : str
        ``"emitted"`` (an expression of emitted C), ``"fused"`` (a member of a fused nest), ``"c"``
        (a user's Op); ``"branch"``, ``"kernel"``, ``"perform"``, ``"lazy"`` or ``"thunk"``.
    region : str
        When it runs: ``"always"``, ``"only if x > 0.0"``; ``"if needed"``: just before the
        first node that reads it, where no one condition says whether any of them runs.
    code : str
        The emitted function, and the loop in it; ``"C block 0"`` for nodes of users' C that share a
        block; empty where the interpreter runs the node.
    why : str
        Why the node runs no better; empty where it cannot.
    runs : int
        How often it ran.
    c_version : tuple or None
        The ``c_code_cache_version`` of an Op that runs in C of the user's; None for others. Nothing
        depends on it: the compiled code is found by its source.
    c_source : str
        The file that has that C as it was compiled, where `tv.config.c_debug` kept it; else empty.
    """

    node: str
    op: str
    origin: str
    form: str
    region: str
    code: str
    why: str
    runs: int
    c_version: tuple[Any, ...] | None = None
    c_source: str = ""


HEADERS = ("node", "runs as", "in", "runs", "when", "why not better", "made at")
#: The columns of words.
LEFT = tuple(header for header in HEADERS if header != "runs")


@dataclass(frozen=True, slots=True)
class Explanation:
    """How each node of a function runs, where, and why not better.

    Attributes
    ----------
    compiled : str
        What became of the emitted code: ``"off"`` (the mode emits none), ``"waiting"``,
        ``"compiling"``, ``"ready"``, ``"failed"`` or ``"unneeded"`` (compiling it would gain
        nothing). Until it is ready, the interpreter runs all nodes as their kernels and performs,
        whatever is said of them here.
    why : str
        Why it is not compiled, or not yet; empty where it is.
    nodes : list of NodeExplanation
        In the program's order.
    rewrites : dict of str to int
        How many nodes fewer each rewrite of the mode left: what it merged, what it took out, and
        what nobody needed any more. They are not among the nodes.
    compiler : str
        Where the code could not be compiled because no compiler works here: what is to be done.
    """

    compiled: str
    why: str
    nodes: list[NodeExplanation]
    rewrites: dict[str, int]
    compiler: str = ""

    def _repr_html_(self) -> str:
        header = "<br>".join(map(escape, self.header()))
        return f"<p>{header}</p>{html_table(HEADERS, self.rows(), LEFT)}"

    def header(self) -> list[str]:
        """Return the lines about all nodes together."""
        reason = f": {self.compiler}" if self.compiler else self.why and f" ({self.why})"
        lines = [f"emitted code: {self.compiled}{reason}"]
        if self.rewrites:
            by = ", ".join(f"{name} {count}" for name, count in self.rewrites.items())
            lines.append(f"rewrites: {sum(self.rewrites.values())} nodes fewer ({by})")
        lines += [
            f"C of {op}: {path}"
            for op, path in dict.fromkeys((n.op, n.c_source) for n in self.nodes if n.c_source)
        ]
        return lines

    def rows(self) -> list[tuple[str, str, str, int, str, str, str]]:
        """Return the cells of each node, as HEADERS say."""
        return [
            (
                row.node,
                _form(row),
                row.code or "interpreter",
                row.runs,
                row.region,
                row.why,
                row.origin,
            )
            for row in self.nodes
        ]

    def __str__(self) -> str:
        """Return a table, a node a line."""
        return "\n".join([*self.header(), table(HEADERS, self.rows(), left=LEFT)])


def explain(function: _core.Function) -> Explanation:
    """Return how each node of a function runs.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.cos(x) * 2.0, mode="vm")
    >>> [(row.op, row.form) for row in f.explain().nodes]
    [('cos', 'perform'), ('mul', 'perform')]
    """
    notes = getattr(function, "_c_notes", {})
    compiler = _missing_compiler() if function.compiled == "failed" else ""
    nodes = []
    regions = Regions(function).words_of_nodes()
    forms = zip(node_runs(function), function._node_forms(), regions, strict=True)
    for i, (row, (form, code, why), region) in enumerate(forms):
        reason = "there is no C compiler" if why and compiler else why
        note = notes.get(i)
        if note is not None and note.block is not None:
            code = f"C block {note.block}"
        said = (row.node, row.op, row.origin, form, region, code, reason, row.runs)
        nodes.append(
            NodeExplanation(*said)
            if note is None
            else NodeExplanation(*said, c_version=note.version, c_source=note.source)
        )
    return Explanation(
        function.compiled, function.why_not_compiled, nodes, function.rewrites, compiler
    )


def _form(row: NodeExplanation) -> str:
    """Return a row's text about how a node runs: ``c, version 1.2``."""
    return f"{row.form}, version {'.'.join(map(str, row.c_version))}" if row.c_version else row.form


def _missing_compiler() -> str:
    """Return why no compiler works here, and what to do; "" where one does."""
    try:
        _core.compiler_version()
    except _core.NoCompilerError as error:
        return str(error)
    return ""


def node_runs(function: _core.Function) -> list[NodeRuns]:
    """Return how often each node that may run did, in the program's order.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0, tv.exp(x), x), mode="vm")
    >>> _ = f(1.0), f(-1.0)
    >>> {row.op: row.runs for row in f.node_runs()}
    {'gt': 2, 'exp': 1, 'ifelse': 2}
    """
    return function._node_rows()


def counts(function: _core.Function) -> dict[str, int]:
    """Return how often the values under each name of `counted` were computed, in all calls.

    Returns
    -------
    dict of str to int
        By name; 0 for one that nobody demanded. Nodes that share a name
        are counted together. `reset_counters` begins anew.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> halved = tv.while_loop(lambda s: s > 1.0, lambda s: tv.counted(s / 2.0, "halving"), x)
    >>> f = tv.function([x], halved)
    >>> _ = f(8.0), f(0.5)
    >>> f.counts()
    {'halving': 3}
    """
    found: dict[str, int] = {}
    runs = function._node_counts()
    for number, name in counted_nodes(function):
        found[name] = found.get(name, 0) + runs[number]
    return dict(sorted(found.items()))


def counted_nodes(function: _core.Function) -> list[tuple[int, str]]:
    """Return the number of each node of `counted`, in the program's order, and its name."""
    owners = (first.owner for first in function._nodes)
    names = ((number, counted_name(node)) for number, node in enumerate(owners) if node is not None)
    return [(number, name) for number, name in names if name is not None]


def counted_name(node: _core.Apply) -> str | None:
    """Return the name that a node of `counted` gives its value; None for any other node."""
    name: str | None = None
    if getattr(node.op, "type", None) == "counted":
        name = node.op.attrs["name"]
    return name


def dprint(
    function: _core.Function,
    *,
    depth: int | None = DEPTH,
    file: TextIO | None = None,
    profile: Profile | None = None,
) -> None:
    """Print the graph that a function runs, after givens and rewrites, as `thunkvm.dprint` does.

    Nodes have the names that `explain` and the program's listing have for them; those that not
    every call runs say when they run.

    Parameters
    ----------
    depth : int, optional
        How far down; None for all of it.
    file : text file, optional
        Where to print; standard output if left out.
    profile : Profile, optional
        What was recorded of the function: nodes get their runs, time and region.

    Raises
    ------
    ValueError
        If `profile` has no function with the nodes of this one.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, n = tv.scalar("x"), tv.shared(0, "n")
    >>> tv.function([x], [tv.exp(x), tv.exp(x) * 2], updates={n: n + 1}, mode="FAST_RUN").dprint()
    output 0: exp.0 <scalar float64>
     |x [id A] <scalar float64>
    output 1: mul.1 <scalar float64>
     |exp.0 ...
     |2.0
    update of n: add.2 <scalar int64>
     |n [id B] <scalar int64>
     |1
    """
    print_lines(function_lines(function, depth, profile), file)


def function_lines(
    function: _core.Function, depth: int | None = DEPTH, profile: Profile | None = None
) -> Iterator[str]:
    """Return the lines of a function's `dprint`, one after the other."""
    names = {
        first.owner: row.node
        for first, row in zip(function._nodes, node_runs(function), strict=True)
    }

    def name_of(variable: Variable) -> str | None:
        node = variable.owner
        name = None if node is None else names.get(node)
        if node is None or name is None or _core.count_outputs(node) == 1:
            return name
        return f"{name}[{variable.index}]"

    if profile is not None:
        from thunkvm.profile.notes import node_notes

        notes = node_notes(list(names.values()), profile)
    else:
        regions = zip(names.values(), Regions(function).words_of_nodes(), strict=True)
        notes = {name: region for name, region in regions if region != "always"}

    def note_of(variable: Variable) -> str | None:
        return None if variable.owner is None else notes.get(names.get(variable.owner, ""))

    return tree_lines(function_roots(function), depth, name_of, note_of)


def function_roots(function: _core.Function) -> list[Root]:
    """Return the text of a function's outputs and updates.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.explanation import function_roots
    >>> x, n = tv.scalar("x"), tv.shared(0, "n")
    >>> [label for label, _ in function_roots(tv.function([x], x * 2, updates={n: n + 1}))]
    ['output 0: ', 'update of n: ']
    """
    alone = len(function.outputs) == 1 and not function.updates
    roots: list[Root] = [
        ("" if alone else f"output {number}: ", output)
        for number, output in enumerate(function.outputs)
    ]
    return roots + [
        (f"update of {target.name or 'a shared variable'}: ", value)
        for target, value in function.updates
    ]


def represent(function: _core.Function) -> str:
    """Return ``<function step(x, y) -> x + y, in mode cvm>``; the outputs cut to a line.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> tv.function([x], tv.exp(x) * 2, name="twice")
    <function twice(x) -> exp(x) * 2.0, in mode cvm>
    """
    inputs = ", ".join(v.name or _core.type_text(v) for v in function.inputs[:WIDTH])
    outputs = ", ".join(
        output.name or expression(output) for output in function.outputs[: WIDTH // 2]
    )
    name = "" if function.name == "function" else f" {function.name}"
    mode = "" if function.mode is None else f", in mode {function.mode.name}"
    return (
        f"<function{name}({cut_text(inputs, WIDTH)}) -> {cut_text(outputs, WIDTH) or None}{mode}>"
    )


__all__ = [
    "Explanation",
    "NodeExplanation",
    "NodeRuns",
    "counts",
    "dprint",
    "explain",
    "function_lines",
    "function_roots",
    "node_runs",
    "represent",
]  # fmt: skip
