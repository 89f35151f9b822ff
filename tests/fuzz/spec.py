"""Random lazy graphs as plain data: what the fuzz test builds, computes, shrinks and prints.

A `Spec` is a list of nodes; each has a kind, its inputs (numbers of values) and what else it needs.
Values are numbered in the order of their nodes' outputs; all are int64, scalars or vectors of
length 3.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

SCALAR, VECTOR = 0, 1


@dataclass(frozen=True)
class Node:
    """One node.

    kind: "input", "shared", "mix" (a Python Op of several outputs), "native" (a built-in Op),
    "small" (a number below 3), "vector", "item", "destroy" (a Python Op that overwrites its input),
    "write" (set_subtensor), "cond", "attempt" (its arms are the values and the others),
    "reentrant", "generator" (one with an odd seed goes on where computing an input failed).

    seed: what the kind makes of it. A cond takes its selector modulo this number, or as it is if
    that is 0; conds with the same selector and number share the remainder, decoded as each will.
    """

    kind: str
    ins: tuple[int, ...] = ()
    outs: int = 1
    rank: int = SCALAR
    seed: int = 0
    arms: tuple[tuple[int, ...], ...] = ()  # of a cond or attempt: by arm, then by output
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


def generate(rng: random.Random) -> Spec:
    """A random graph: shared conditionals, opaque lazy nodes, destroying Ops, updates."""
    size = rng.choice((5, 8, 14, 14, 30, 30, 60))
    p_cond = rng.choice((0.2, 0.4, 0.6))
    p_lazy = rng.choice((0.0, 0.1, 0.3))
    span = rng.choice((3, 6, 15))
    nodes: list[Node] = []
    ranks: list[int] = []
    selectors: list[int] = []

    def add(node: Node) -> None:
        nodes.append(node)
        ranks.extend([node.rank] * node.outs)

    def pick(rank: int = SCALAR) -> int:
        near = [v for v in range(max(0, len(ranks) - span), len(ranks)) if ranks[v] == rank]
        return rng.choice(near or [v for v in range(len(ranks)) if ranks[v] == rank])

    add(Node("input"))
    add(Node("input"))
    for _ in range(rng.choice((0, 1, 2))):
        add(Node("shared", rank=rng.choice((SCALAR, SCALAR, VECTOR))))
    while len(nodes) < size:
        r = rng.random()
        vectors = VECTOR in ranks
        if r < p_cond and rng.random() < 0.2:
            outs, rank = (
                rng.choice((1, 1, 2)),
                VECTOR if vectors and rng.random() < 0.25 else SCALAR,
            )
            arms = [[pick(rank) for _ in range(outs)] for _ in range(2)]
            add(Node("attempt", (), outs, rank, 0, tuple(map(tuple, arms))))
        elif r < p_cond:
            arms_n, outs = rng.choice((2, 2, 2, 3, 4)), rng.choice((1, 1, 2, 3))
            selector = rng.choice(selectors) if selectors and rng.random() < 0.5 else pick()
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
            rank = VECTOR if vectors and rng.random() < 0.25 else SCALAR
            arms = [[pick(rank) for _ in range(outs)] for _ in range(arms_n)]
            if rank == SCALAR and rng.random() < 0.25:
                arms[rng.randrange(arms_n)] = [selector] * outs  # and / or
            add(Node("cond", (selector,), outs, rank, modulus, tuple(map(tuple, arms)), decoding))
        elif r < p_cond + p_lazy:
            ins = tuple(pick() for _ in range(rng.choice((1, 2, 3))))
            kind = rng.choice(("reentrant", "generator"))
            add(Node(kind, ins, rng.choice((1, 1, 2, 3)), SCALAR, rng.randrange(1 << 30)))
        elif r < p_cond + p_lazy + 0.12:
            kind = rng.choice(("vector", "item", "destroy", "write")) if vectors else "vector"
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
                )
            )
    outputs = [len(ranks) - 1] + [rng.randrange(len(ranks)) for _ in range(rng.choice((0, 1, 2)))]
    updates = []
    owners = Spec(tuple(nodes), ()).owners()
    for v, (n, _) in enumerate(owners):
        if nodes[n].kind == "shared" and rng.random() < 0.7:
            updates.append((v, pick(ranks[v]), rng.random() < 0.4))
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
    return found


def _without(spec: Spec, gone: int) -> Spec | None:
    """The spec without one node: who used its values uses an earlier value of the same rank."""
    node = spec.nodes[gone]
    first = sum(other.outs for other in spec.nodes[:gone])
    ranks = [other.rank for other in spec.nodes for _ in range(other.outs)]
    replacement = next((v for v in range(first) if ranks[v] == node.rank), None)
    if replacement is None or any(
        first <= target < first + node.outs for target, _, _ in spec.updates
    ):
        return None

    def moved(v: int) -> int:
        return (
            replacement
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
