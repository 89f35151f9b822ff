"""Random lazy graphs as plain data: what the fuzz test builds, computes, shrinks and prints.

A `Spec` is a list of nodes; each has a kind, its inputs (numbers of values) and what else it needs.
Values are numbered in the order of their nodes' outputs; all are int64, scalars or vectors of
length 3.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from itertools import chain

SCALAR, VECTOR = 0, 1


@dataclass(frozen=True)
class Node:
    """One node.

    kind: "input", "shared", "mix" (a Python Op of several outputs; where
    it is to fail, one with a seed does so for some inputs only), "native" (a built-in Op),
    "small" (a number below 3), "vector", "item", "destroy" (a Python Op that overwrites its input),
    "write" (set_subtensor), "cond", "attempt" (its arms are the values and the others),
    "reentrant", "generator" (one with an odd seed goes on where computing an input failed),
    "state", "loop" (a while_loop goes on as long as its input modulo 4 is not 0, but takes no more
    steps than its seed; a fori_loop and a scan, of which the last values are read, take so many;
    its arms are what the states begin with, what they become, and the states).

    seed: what the kind makes of it. An input with an odd one is mutable. A cond takes its selector
    modulo this number, or as it is if that is 0; conds with the same selector and number share the
    remainder, decoded as each will.
    """

    kind: str
    ins: tuple[int, ...] = ()
    outs: int = 1
    rank: int = SCALAR
    seed: int = 0
    arms: tuple[tuple[int, ...], ...] = ()  # of a cond, attempt or loop: by arm, then by output
    decoding: str = ""


@dataclass(frozen=True)
class Spec:
    """Nodes, demanded outputs, and updates (shared variable, value, if computed only)."""

    nodes: tuple[Node, ...]
    outputs: tuple[int, ...]
    updates: tuple[tuple[int, int, bool], ...] = ()
    calls: tuple[int, ...] = (
        1,
        2,
        3,
        4,
    )  # a seed for each call: the inputs' values and the lazy Ops' scripts
    failing: tuple[int | None, ...] = field(
        default=(None, None, None, None)
    )  # the node that raises in each call

    def owners(self) -> list[tuple[int, int]]:
        """For each value, its node and the output's index."""
        return [(n, j) for n, node in enumerate(self.nodes) for j in range(node.outs)]

    def ranks(self) -> list[int]:
        """For each value, whether it is a vector."""
        found: list[int] = []
        for node in self.nodes:
            found += ranks_of(node, found)
        return found

    def loops(self) -> list[frozenset[int]]:
        """For each value, the states that it changes with: it is there in their steps alone."""
        found: list[frozenset[int]] = []
        for node in self.nodes:
            found += loops_of(node, found)
        return found


def ranks_of(node: Node, ranks: list[int]) -> list[int]:
    """The ranks of a node's outputs, from those of the values before."""
    return [ranks[v] for v in node.arms[-1]] if node.kind == "loop" else [node.rank] * node.outs


def loops_of(node: Node, loops: list[frozenset[int]]) -> list[frozenset[int]]:
    """The states that a node's outputs change with, from those of the values before."""
    if node.kind == "state":
        return [frozenset([len(loops)])]
    reads = [*node.ins, *(v for arm in node.arms for v in arm)]
    own = node.arms[-1] if node.kind == "loop" else ()
    return [frozenset[int]().union(*(loops[v] for v in reads)).difference(own)] * node.outs


@dataclass(frozen=True)
class OpenLoop:
    """A loop whose steps are being made: until there are `end` nodes."""

    firsts: tuple[int, ...]
    states: tuple[int, ...]
    end: int


def generate(rng: random.Random, vectors: int = 0) -> Spec:
    """A random graph: shared conditionals, loops, opaque lazy nodes, destroying Ops, updates.

    `vectors` is how many inputs there are of these, half of them mutable, beside two scalars.
    """
    size = rng.choice((5, 8, 14, 14, 30, 30, 60))
    p_cond = rng.choice((0.2, 0.4, 0.6))
    p_lazy = rng.choice((0.0, 0.1, 0.3))
    p_loop = rng.choice((0.0, 0.0, 0.05, 0.1))
    span = rng.choice((3, 6, 15))
    nodes: list[Node] = []
    ranks: list[int] = []
    loops: list[frozenset[int]] = []
    selectors: list[int] = []
    running: list[OpenLoop] = []  # those of which the steps are being made

    def add(node: Node) -> None:
        nodes.append(node)
        ranks.extend(ranks_of(node, ranks))
        loops.extend(loops_of(node, loops))

    def is_there(v: int) -> bool:
        return not loops[v] or loops[v] <= {state for loop in running for state in loop.states}

    def pick(rank: int = SCALAR) -> int:
        for values in (range(max(0, len(ranks) - span), len(ranks)), range(len(ranks))):
            if fit := [v for v in values if ranks[v] == rank and is_there(v)]:
                return rng.choice(fit)
        raise LookupError(f"no value of rank {rank}")

    def begin_loop() -> None:
        there = [rank for v, rank in enumerate(ranks) if is_there(v)]
        kinds = [VECTOR if VECTOR in there and rng.random() < 0.2 else SCALAR for _ in range(4)]
        firsts = tuple(pick(rank) for rank in kinds[: rng.choice((1, 2, 3, 4))])
        states = tuple(range(len(ranks), len(ranks) + len(firsts)))
        for first in firsts:
            add(Node("state", rank=ranks[first]))
        running.append(OpenLoop(firsts, states, len(nodes) + rng.choice((2, 5, 10))))

    def end_loop() -> None:
        loop = running[-1]
        nexts = tuple(
            rng.choice([s for s in loop.states if ranks[s] == ranks[state]])
            if rng.random() < 0.2
            else pick(ranks[state])
            for state in loop.states
        )
        test, kind = pick(), rng.choice(("while", "while", "fori", "scan"))
        most = rng.choice((1, 2, 3, 4)) if kind == "scan" else rng.choice((0, 1, 2, 3, 4))
        running.pop()
        arms = (loop.firsts, nexts, loop.states)
        ins = (test,) if kind == "while" else ()
        add(Node("loop", ins, len(nexts), seed=most, arms=arms, decoding=kind))

    add(Node("input"))
    add(Node("input"))
    for _ in range(vectors):
        add(Node("input", rank=VECTOR, seed=rng.randrange(2)))
    for _ in range(rng.choice((0, 1, 2))):
        add(Node("shared", rank=rng.choice((SCALAR, SCALAR, VECTOR))))
    while len(nodes) < size or running:
        if running and len(nodes) >= min(running[-1].end, size):
            end_loop()
            continue
        if p_loop and len(running) < 3 and rng.random() < p_loop * (1 + len(running)):
            begin_loop()
            continue
        r = rng.random()
        has_vectors = any(rank == VECTOR and is_there(v) for v, rank in enumerate(ranks))
        if r < p_cond and rng.random() < 0.2:
            outs, rank = (
                rng.choice((1, 1, 2)),
                VECTOR if has_vectors and rng.random() < 0.25 else SCALAR,
            )
            arms = [[pick(rank) for _ in range(outs)] for _ in range(2)]
            add(Node("attempt", (), outs, rank, 0, tuple(map(tuple, arms))))
        elif r < p_cond:
            arms_n, outs = rng.choice((2, 2, 2, 3, 4)), rng.choice((1, 1, 2, 3))
            known = [v for v in selectors if is_there(v)]
            selector = rng.choice(known) if known and rng.random() < 0.5 else pick()
            selectors.append(selector)
            decoding = (
                "truth"
                if arms_n == 2 and rng.random() < 0.7
                else rng.choice(("index", "index_or_default"))
            )
            numbers = {
                "truth": (0, 0, 2, 2, 3),
                "index": range(2, arms_n + 1),
                "index_or_default": (0, 2, 3, arms_n + 1),
            }
            modulus = 2 if rng.random() < 0.4 else rng.choice(numbers[decoding])
            rank = VECTOR if has_vectors and rng.random() < 0.25 else SCALAR
            arms = [[pick(rank) for _ in range(outs)] for _ in range(arms_n)]
            if rank == SCALAR and rng.random() < 0.25:
                arms[rng.randrange(arms_n)] = [selector] * outs  # and / or
            add(Node("cond", (selector,), outs, rank, modulus, tuple(map(tuple, arms)), decoding))
        elif r < p_cond + p_lazy:
            ins = tuple(pick() for _ in range(rng.choice((1, 2, 3))))
            kind = rng.choice(("reentrant", "generator"))
            add(Node(kind, ins, rng.choice((1, 1, 2, 3)), SCALAR, rng.randrange(1 << 30)))
        elif r < p_cond + p_lazy + 0.12:
            kind = rng.choice(("vector", "item", "destroy", "write")) if has_vectors else "vector"
            if kind == "vector":
                add(Node("vector", (pick(),), 1, VECTOR))
            elif kind == "item":
                add(Node("item", (pick(VECTOR),), 1, SCALAR, rng.randrange(3)))
            elif kind == "destroy":
                ins = tuple(pick(VECTOR) for _ in range(rng.choice((1, 2))))
                add(Node("destroy", ins, 1, VECTOR))
            else:
                add(Node("write", (pick(VECTOR), pick()), 1, VECTOR, rng.randrange(3)))
        elif rng.random() < 0.2:
            add(Node("small", (pick(),)))
        elif rng.random() < 0.5:
            add(Node("native", (pick(), pick()), 1, SCALAR, rng.randrange(4)))
        else:
            add(
                Node(
                    "mix",
                    tuple(pick() for _ in range(rng.choice((1, 2, 2, 3)))),
                    rng.choice((1, 1, 1, 2)),
                    seed=rng.randrange(2),
                )
            )
    there = [v for v in range(len(ranks)) if is_there(v)]
    outputs = [there[-1]] + [rng.choice(there) for _ in range(rng.choice((0, 1, 2)))]
    updates = []
    owners = Spec(tuple(nodes), ()).owners()
    for v, (n, _) in enumerate(owners):
        if nodes[n].kind == "shared" and rng.random() < 0.7:
            value = pick(ranks[v])
            # Whether a state that nobody reads is computed with others is not promised.
            lazily = nodes[owners[value][0]].kind != "loop" and rng.random() < 0.4
            updates.append((v, value, lazily))
    calls = tuple(rng.randrange(1 << 30) for _ in range(4))
    ops = [
        n
        for n, node in enumerate(nodes)
        if node.kind in ("mix", "destroy", "reentrant", "generator")
    ]
    often = 0.6 if any(node.kind == "attempt" for node in nodes) else 0.2
    failing = tuple(rng.choice(ops) if ops and rng.random() < often else None for _ in calls)
    return Spec(tuple(nodes), tuple(outputs), tuple(updates), calls, failing)


def smaller(spec: Spec) -> list[Spec]:
    """Specs with one thing less, for shrinking: an output, an update, a call, or a node."""
    found = []
    for i in range(len(spec.outputs)):
        if len(spec.outputs) > 1:
            found.append(replace(spec, outputs=spec.outputs[:i] + spec.outputs[i + 1 :]))
    for i in range(len(spec.updates)):
        found.append(replace(spec, updates=spec.updates[:i] + spec.updates[i + 1 :]))
    for i in range(len(spec.calls)):
        if len(spec.calls) > 1:
            found.append(
                replace(
                    spec,
                    calls=spec.calls[:i] + spec.calls[i + 1 :],
                    failing=spec.failing[:i] + spec.failing[i + 1 :],
                )
            )
    for n in range(len(spec.nodes) - 1, 1, -1):
        without = _without(spec, n)
        if without is not None:
            found.append(without)
        if spec.nodes[n].kind == "loop" and spec.nodes[n].outs > 1:
            found += [_without_state(spec, n, d) for d in range(spec.nodes[n].outs)]
    return found


def _without_state(spec: Spec, loop: int, position: int) -> Spec:
    """The spec without one state of a loop: who used its last value uses that of another."""
    node = spec.nodes[loop]
    first = sum(other.outs for other in spec.nodes[:loop])
    gone, others = first + position, [d for d in range(node.outs) if d != position]
    ranks, loops = spec.ranks(), spec.loops()
    fit = [first + d for d in others if ranks[first + d] == ranks[gone]]
    fit += [v for v in range(first) if ranks[v] == ranks[gone] and not loops[v]]
    instead = {gone: fit[0], node.arms[-1][position]: node.arms[0][position]}

    def moved(v: int) -> int:
        v = instead.get(v, v)
        return v - 1 if v > gone else v

    arms = tuple(tuple(arm[d] for d in others) for arm in node.arms)
    nodes = []
    for other in [
        *spec.nodes[:loop],
        replace(node, outs=len(others), arms=arms),
        *spec.nodes[loop + 1 :],
    ]:
        arms = tuple(tuple(map(moved, arm)) for arm in other.arms)
        nodes.append(replace(other, ins=tuple(map(moved, other.ins)), arms=arms))
    updates = tuple((moved(target), moved(value), lazily) for target, value, lazily in spec.updates)
    outputs = tuple(map(moved, spec.outputs))
    return replace(spec, nodes=tuple(nodes), outputs=outputs, updates=updates)


def _without(spec: Spec, gone: int) -> Spec | None:
    """The spec without one node: who used its values uses an earlier value of the same rank."""
    node = spec.nodes[gone]
    first = sum(other.outs for other in spec.nodes[:gone])
    ranks, loops = spec.ranks(), spec.loops()
    wanted = ranks[first : first + node.outs]
    fit = [v for v in range(first) if not loops[v]]
    replacements = [next((v for v in fit if ranks[v] == rank), None) for rank in wanted]
    is_read = any(first in (*other.ins, *chain(*other.arms)) for other in spec.nodes)
    if (
        (node.kind == "state" and is_read)
        or None in replacements
        or any(first <= target < first + node.outs for target, _, _ in spec.updates)
    ):
        return None

    def moved(v: int) -> int:
        return (
            replacements[v - first]
            if first <= v < first + node.outs
            else v - node.outs
            if v >= first + node.outs
            else v
        )

    nodes = tuple(
        replace(
            other,
            ins=tuple(map(moved, other.ins)),
            arms=tuple(tuple(map(moved, arm)) for arm in other.arms),
        )
        for n, other in enumerate(spec.nodes)
        if n != gone
    )
    failing = tuple(
        None if n is None or n == gone else n - 1 if n > gone else n for n in spec.failing
    )
    updates = tuple((moved(target), moved(value), lazily) for target, value, lazily in spec.updates)
    return replace(
        spec, nodes=nodes, outputs=tuple(map(moved, spec.outputs)), updates=updates, failing=failing
    )
