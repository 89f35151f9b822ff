"""The states of generators that are shared: which draw begins where another one ends.

A draw from a generator reads `random_stream`, the generator's state with the number of the draw. A
function, or a step of a loop, knows all draws that it has. It puts them one behind the other, in
the order of their numbers. The state behind the draw before takes the place of `random_stream`. A
draw in an arm of a conditional is passed over where the arm is not taken:

    behind = ifelse(condition, the state behind the draw, the state before it)

The condition is one that the conditional asks anyway, so that nothing is demanded but what was.
Where such a condition depends on another draw, that one comes first.

What cannot be known beforehand counts as demanded: the inputs of an Op of the user's that is
lazy, of `attempt`, and of loops. A single draw needs none of this: its state is kept if it ran.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from thunkvm import _core, ops
from thunkvm._core import Apply, TensorType, Variable

#: An arm: the number of the selector, the decoding, how many arms there are, which one.
Arm = tuple[int, str, int, int]
#: The arms within each other under which something is demanded; () always.
Path = tuple[Arm, ...]
#: Of more paths than this, a draw counts as demanded.
_PATHS = 64

_numbers = count(1)
_ALWAYS: frozenset[Path] = frozenset({()})


def next_number() -> int:
    """Return a number for a draw: all draws that are made later have greater ones."""
    return next(_numbers)


def begun(state: Variable) -> Variable:
    """Return the state of a generator for its next draw.

    Parameters
    ----------
    state : Variable
        The shared variable of the generator.
    """
    return ops.random_stream(state, number=next_number())


def is_begun(variable: Variable) -> bool:
    """Return whether a Variable is the state of a shared generator for a draw."""
    return variable.owner is not None and _name(variable.owner) == "random_stream"


@dataclass(slots=True)
class Drawn:
    """One draw: its number, the state that it begins with, and the one behind it."""

    number: int
    begin: Variable
    end: Variable | None = None
    is_read: bool = False
    paths: frozenset[Path] = _ALWAYS
    #: The draws whose numbers have to be there before.
    needs: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Chain:
    """All draws of one generator in a graph, one behind the other.

    Attributes
    ----------
    source : Variable
        The state of the generator.
    end : Variable
        The state behind all draws.
    if_computed : bool
        Take it if it was computed, and demand nothing for it.
    """

    source: Variable
    end: Variable
    if_computed: bool


class Selectors:
    """Numbers for selectors: Variables are compared as symbols."""

    def __init__(self) -> None:
        """Begin without any."""
        self.variables: list[Variable] = []
        self._numbers: dict[Variable, int] = {}

    def number(self, selector: Variable) -> int:
        """Return the number of a selector."""
        if selector not in self._numbers:
            self._numbers[selector] = len(self.variables)
            self.variables.append(selector)
        return self._numbers[selector]


def chain_draws(
    roots: list[Variable],
    demanded: Iterable[Variable],
    since: int = 0,
    sources: Any = None,
) -> tuple[list[Variable], list[Chain]]:
    """Return roots with the draws of each generator one behind the other.

    Parameters
    ----------
    roots : list of Variable
        What is computed.
    demanded : iterable of Variable
        Those of them that are computed for certain.
    since : int
        The number of the first draw that counts; those before are left as they are.
    sources : callable, optional
        From the state of a generator to what stands for it here; itself if left out.

    Returns
    -------
    (list of Variable, list of Chain)

    Raises
    ------
    NotImplementedError
        If something else than a draw reads the state of one, as a batch of draws does.
    """
    if not any(_may_be_state(leaf) for leaf in _core.leaves(roots)):
        return roots, []  # without a look at each node
    nodes = _core.topological_order(roots)
    groups = _groups(nodes, since)
    if not groups:
        return roots, []
    selectors = Selectors()
    by_begin = {drawn.begin: drawn for group in groups.values() for drawn in group}
    _find_ends(nodes, by_begin)
    if sources is not None or any(len(group) > 1 for group in groups.values()):
        _find_paths(nodes, list(demanded), by_begin, selectors)
    pairs: list[tuple[Variable, Variable]] = []
    chains = []
    for source, group in groups.items():
        state = source if sources is None else sources(source)
        if sources is None and len(group) == 1:
            pairs.append((group[0].begin, state))
            chains.append(Chain(source, _end_state(group[0]), True))
            continue
        for drawn in _order_draws(group):
            pairs.append((drawn.begin, state))
            state = _behind(drawn.paths, _end_state(drawn), state, selectors)
        chains.append(Chain(source, state, False))
    changed = _substitute_states([*roots, *(chain.end for chain in chains)], pairs)
    for chain, end in zip(chains, changed[len(roots) :], strict=True):
        chain.end = end
    return changed[: len(roots)], chains


def _may_be_state(leaf: Variable) -> bool:
    return isinstance(leaf.type, TensorType) and leaf.dtype == "uint64"


def _name(node: Apply) -> str:
    return getattr(node.op, "name", "")  # an Op of the user's need not have one


def _substitute_states(
    roots: list[Variable], pairs: list[tuple[Variable, Variable]]
) -> list[Variable]:
    """Replace one state after the other: each stands in the states behind it."""
    n = len(roots)
    begins = [begin for begin, _ in pairs]
    values = [*roots, *(state for _, state in pairs)]
    for i, begin in enumerate(begins):
        values = _core.substitute(values, [(begin, values[n + i])])
    return values[:n]


def _groups(nodes: list[Apply], since: int) -> dict[Variable, list[Drawn]]:
    """Return the draws by their generators."""
    groups: dict[Variable, list[Drawn]] = {}
    for node in nodes:
        if _name(node) == "random_stream" and node.op.attrs["number"] >= since:
            drawn = Drawn(node.op.attrs["number"], node.outputs[0])
            groups.setdefault(node.inputs[0], []).append(drawn)
    return groups


def _find_ends(nodes: list[Apply], by_begin: dict[Variable, Drawn]) -> None:
    """Find the states behind the draws, and which draws have to come before which."""
    reads: dict[Variable, frozenset[int]] = {}
    for node in nodes:
        draws: set[int] = set()
        for i, value in enumerate(node.inputs):
            drawn = by_begin.get(value)
            if drawn is not None:
                drawn.end = _end_at(node, i) if drawn.end is None else drawn.end
                drawn.is_read = True
            if value.owner is not None:
                draws |= reads[value]
        for drawn in (by_begin.get(value) for value in node.inputs):
            if drawn is not None:
                drawn.needs |= draws - {drawn.number}
        for output in node.outputs:
            own = by_begin.get(output)
            reads[output] = frozenset(draws if own is None else {own.number})


def _end_at(node: Apply, i: int) -> Variable | None:
    if _name(node).startswith("random_") and i == 0 and node.outputs[0].ndim == 1:
        return node.outputs[0]
    body = _core.loop_body(node.outputs[0])
    if body is not None and i < len(body[0]):
        return node.outputs[i]
    return None


def _end_state(drawn: Drawn) -> Variable:
    if not drawn.is_read:
        return drawn.begin
    if drawn.end is None:
        raise NotImplementedError(
            "[random] a draw from a shared generator cannot be batched with its parameters: every "
            "example would begin with the same state. Draw standard numbers, and compute with the "
            "parameters; or give each example a state of its own (tv.random.split)."
        )
    return drawn.end


def _find_paths(
    nodes: list[Apply],
    demanded: list[Variable],
    by_begin: dict[Variable, Drawn],
    selectors: Selectors,
) -> None:
    """Find the arms under which each draw is demanded, and the draws that their selectors need."""
    holds: dict[Variable, frozenset[int]] = {}
    for node in nodes:
        draws = frozenset().union(*(holds.get(value, frozenset()) for value in node.inputs))
        for output in node.outputs:
            own = by_begin.get(output)
            holds[output] = draws if own is None else frozenset({own.number})
    paths: dict[Variable, set[Path]] = {root: {()} for root in demanded}
    for node in reversed(nodes):
        if not holds[node.outputs[0]] or getattr(node.op, "is_of_lengths", False):
            continue
        for j, output in enumerate(node.outputs):
            here = _join_paths(paths.get(output, set()))
            drawn = by_begin.get(output)
            if drawn is not None:
                drawn.paths = here
                for path in here:
                    for number, *_ in path:
                        needed = holds.get(selectors.variables[number], frozenset())
                        drawn.needs |= needed - {drawn.number}
                continue
            for value, path_set in _demands(node, j, here, selectors):
                if holds.get(value):
                    paths.setdefault(value, set()).update(path_set)


def _demands(
    node: Apply, j: int, here: frozenset[Path], selectors: Selectors
) -> Iterable[tuple[Variable, frozenset[Path]]]:
    """Yield the values that output `j` of a node demands where it is demanded itself."""
    inputs = node.inputs
    attrs = getattr(node.op, "attrs", None) or {}
    if "decoding" not in attrs:
        yield from ((value, here) for value in inputs)
        return
    n_arms, n_outputs = attrs["n_arms"], attrs["n_outputs"]
    yield inputs[0], here
    for arm in range(n_arms):
        taken: Arm = (selectors.number(inputs[0]), attrs["decoding"], n_arms, arm)
        within = (_enter_arm(path, taken) for path in here)
        yield (
            inputs[1 + arm * n_outputs + j],
            frozenset(path for path in within if path is not None),
        )


def _enter_arm(path: Path, arm: Arm) -> Path | None:
    """Return the path into an arm; None if the path has decided for another one already."""
    for decided in path:
        if decided[:3] == arm[:3]:
            return path if decided[3] == arm[3] else None
    return (*path, arm)


def _join_paths(paths: set[Path]) -> frozenset[Path]:
    """Return paths that say the same, fewer: all arms of a selector are no condition."""
    found = set(paths)
    while True:
        found = {p for p in found if not any(p[:k] in found for k in range(len(p)))}
        arms: dict[tuple[Any, ...], set[int]] = {}
        for path in found:
            if path:
                arms.setdefault((path[:-1], *path[-1][:3]), set()).add(path[-1][3])
        whole = [key[0] for key, taken in arms.items() if len(taken) == key[3]]
        if not whole:
            return frozenset(found) if len(found) <= _PATHS else _ALWAYS
        found.update(whole)


def _order_draws(group: list[Drawn]) -> list[Drawn]:
    """Return draws by their numbers, each behind those that it needs."""
    left = {drawn.number: drawn for drawn in group}
    order = []
    while left:
        ready = [n for n, drawn in left.items() if not drawn.needs & left.keys()]
        if not ready:  # each needs another one, in different arms: no condition can be asked first
            for drawn in left.values():
                drawn.paths = _ALWAYS
            ready = list(left)
        order.append(left.pop(min(ready)))
    return order


def _behind(
    paths: frozenset[Path], end: Variable, before: Variable, selectors: Selectors
) -> Variable:
    """Return the state behind a draw that is demanded under some paths."""
    if () in paths:
        return end
    if not paths:
        return before
    selector, decoding, n_arms, _ = min(paths)[0]
    first = (selector, decoding, n_arms)
    arms = [
        _behind(
            frozenset(
                p[1:] if p[0][:3] == first else p
                for p in paths
                if p[0][:3] != first or p[0][3] == arm
            ),
            end,
            before,
            selectors,
        )
        for arm in range(n_arms)
    ]
    if all(arm is arms[0] for arm in arms):
        return arms[0]
    return _core.conditional(
        selectors.variables[selector], _core.Decoding[decoding], [[arm] for arm in arms]
    )[0]


__all__ = ["Chain", "begun", "chain_draws", "is_begun", "next_number"]
