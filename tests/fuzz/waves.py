"""Random differentiable lazy graphs: what their derivatives are, and what computing them runs.

The oracle shares no code with thunkvm. It differentiates the straight-line program that a call's
branches leave over, by the chain rule, and computes of it what is asked for.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

SCALAR, VECTOR = 0, 1
LENGTH = 3


@dataclass(frozen=True)
class Wave:
    """``scale * sin(weights . inputs + phase)``, elementwise: its derivatives are waves too."""

    scale: float
    weights: tuple[float, ...]
    phase: float

    def __call__(self, *inputs: np.ndarray) -> np.ndarray:
        total = sum(w * x for w, x in zip(self.weights, inputs, strict=True))
        return self.scale * np.sin(total + self.phase)

    def derivative(self, i: int) -> Wave | None:
        """By input `i`; None where that does not count."""
        if self.weights[i] == 0.0:
            return None
        return replace(self, scale=self.scale * self.weights[i], phase=self.phase + np.pi / 2)


@dataclass(frozen=True)
class Node:
    """One node.

    kind: "input"; "wave" (a Python Op, its value summed to a scalar if `reduced`); "pair" (a lazy
    Op of two outputs, each a wave of its own input, of which the second needs both); "which" (a
    Python Op that makes a number below `arms_n` of a scalar); "cond".
    """

    kind: str
    ins: tuple[int, ...] = ()
    rank: int = SCALAR
    waves: tuple[Wave, ...] = ()
    reduced: bool = False
    arms: tuple[tuple[int, ...], ...] = ()  # of a cond: by arm, then by output
    arms_n: int = 0

    @property
    def outs(self) -> int:
        return len(self.arms[0]) if self.kind == "cond" else max(1, len(self.waves))


@dataclass(frozen=True)
class Graph:
    """Nodes; the values of all are numbered through."""

    nodes: tuple[Node, ...]

    def owners(self) -> list[tuple[int, int]]:
        """For each value, its node and the output's index."""
        return [(n, j) for n, node in enumerate(self.nodes) for j in range(node.outs)]

    def ranks(self) -> list[int]:
        return [node.rank for node in self.nodes for _ in range(node.outs)]


def generate(rng: random.Random, pairs: bool) -> Graph:
    """A random graph whose first values are two vectors and a scalar."""
    nodes = [Node("input", rank=VECTOR), Node("input", rank=VECTOR), Node("input")]
    ranks, numbers = [VECTOR, VECTOR, SCALAR], [False] * 3
    p_cond, span = rng.choice((0.2, 0.4, 0.6)), rng.choice((4, 8, 20))
    selectors: list[tuple[int, int]] = []  # (value, number of arms)

    def add(node: Node) -> int:
        nodes.append(node)
        ranks.extend([node.rank] * node.outs)
        numbers.extend([node.kind == "which"] * node.outs)
        return len(ranks) - 1

    def pick(rank: int) -> int:
        fit = [v for v, r in enumerate(ranks) if r == rank and not numbers[v]]
        return rng.choice([v for v in fit if v >= len(ranks) - span] or fit)

    def wave(n: int) -> Wave:
        weights = tuple(rng.choice((-1.0, -0.5, 0.0, 0.5, 1.0, 1.0)) for _ in range(n))
        return Wave(rng.choice((-1.0, 1.0, 1.5)), weights, rng.random())

    for _ in range(rng.choice((4, 8, 8, 16, 30))):
        if rng.random() < p_cond:
            if selectors and rng.random() < 0.6:
                selector, arms_n = rng.choice(selectors)
            else:
                arms_n = rng.choice((2, 2, 2, 3, 4, 10))
                selector = add(Node("which", (pick(SCALAR),), arms_n=arms_n))
                selectors.append((selector, arms_n))
            rank, outs = rng.choice((SCALAR, VECTOR)), rng.choice((1, 1, 1, 2))
            arms = tuple(tuple(pick(rank) for _ in range(outs)) for _ in range(arms_n))
            add(Node("cond", (selector,), rank, arms=arms, arms_n=arms_n))
        elif pairs and rng.random() < 0.15:
            ins = (pick(VECTOR), pick(VECTOR))
            add(Node("pair", ins, VECTOR, (wave(1), wave(1))))
        else:
            ins = tuple(pick(rng.choice((SCALAR, VECTOR))) for _ in range(rng.choice((1, 1, 2, 3))))
            rank = max(ranks[v] for v in ins)
            reduced = rank == VECTOR and rng.random() < 0.3
            add(Node("wave", ins, SCALAR if reduced else rank, (wave(len(ins)),), reduced))
    return Graph(tuple(nodes))


@dataclass
class Term:
    """A value of the straight-line program, computed when it is asked for, once.

    operands: terms, or numbers of the graph's values. kind: "given", "wave", "product" (of the
    elements, then fitted to `rank`) or "sum".
    """

    kind: str
    rank: int
    operands: list[Term | int] = field(default_factory=list)
    key: tuple[int, ...] = ()
    wave: Wave | None = None
    value: np.ndarray | None = None


def fitted(value: np.ndarray, rank: int) -> np.ndarray:
    """Summed to a scalar where one is wanted."""
    return np.sum(value) if rank == SCALAR else value


class Call:
    """One call of a graph: its values, its derivatives, and what computing them ran."""

    def __init__(self, graph: Graph, inputs: list[np.ndarray], known: Call | None = None) -> None:
        self.graph, self.owners, self.ranks = graph, graph.owners(), graph.ranks()
        self.values: dict[int, np.ndarray] = dict(enumerate(inputs))
        self.ran: set[tuple[int, ...]] = set()  # (node, output), and the inputs it is derived by
        self.pairs: Counter = Counter()  # how many outputs of a lazy pair are computed
        self.known = known or Call(graph, inputs, self)  # computes what nobody asked for
        self.terms: list[Term] = []
        self.branches: list[int] = []  # the selectors that lengths and backward passes went by

    def may_run(self) -> set[tuple[int, ...]]:
        """What ran, and what says by which ways backward passes go, and how long vectors are.

        That is asked for unless all arms of a conditional lead there, or are as long.
        """
        for selector in self.branches:
            self.force(selector)
        return self.ran

    def ask_length(self, v: int) -> None:
        """Note the selectors that say which input a vector is as long as."""
        n, j = self.owners[v]
        node = self.graph.nodes[n]
        if node.kind == "cond":
            self.branches.append(node.ins[0])
            self.ask_length(node.arms[int(self.known.force(node.ins[0]))][j])
        elif node.kind == "pair":
            self.ask_length(node.ins[j])
        elif node.kind != "input":
            self.ask_length(next(i for i in node.ins if self.ranks[i] == VECTOR))

    def force(self, v: int) -> np.ndarray:
        if v in self.values:
            return self.values[v]
        n, j = self.owners[v]
        node = self.graph.nodes[n]
        if node.kind == "cond":
            self.values[v] = self.force(node.arms[int(self.force(node.ins[0]))][j])
        elif node.kind == "pair":
            while self.pairs[n] <= j:
                k = self.pairs[n]
                self.values[v - j + k] = node.waves[k](self.force(node.ins[k]))
                self.ran.add((n, k))
                self.pairs[n] += 1
        else:
            got = [self.force(i) for i in node.ins]
            self.ran.add((n, j))
            if node.kind == "which":
                self.values[v] = np.int64(chosen(got[0], node.arms_n))
            else:
                value = node.waves[j](*got)
                self.values[v] = np.sum(value) if node.reduced else value
        return self.values[v]

    def compute(self, term: Term | int) -> np.ndarray:
        if isinstance(term, int):
            return self.force(term)
        if term.value is None:
            got = [self.compute(operand) for operand in term.operands]
            if term.kind == "wave":
                self.ran.add(term.key)
                term.value = term.wave(*got)
            else:
                whole = got[0] * got[1] if term.kind == "product" else sum(got)
                term.value = fitted(whole, term.rank)
        return term.value

    def term(self, *args: object, **kwargs: object) -> Term:
        self.terms.append(Term(*args, **kwargs))
        return self.terms[-1]

    def leads(self, wrt: Collection[int]) -> list[bool]:
        """Which values depend on one of `wrt` in some call, differentiably."""
        found = [v in wrt for v in range(len(self.owners))]
        for v, (n, j) in enumerate(self.owners):
            node = self.graph.nodes[n]
            if node.kind == "cond":
                found[v] = any(found[arm[j]] for arm in node.arms)
            elif node.waves:
                ins = (node.ins[j],) if node.kind == "pair" else node.ins
                by = zip(ins, node.waves[j].weights, strict=True)
                found[v] = any(found[i] and weight != 0.0 for i, weight in by)
        return found

    def pull_back(
        self, of: Term | int, seed: np.ndarray, wrt: Collection[int]
    ) -> dict[int, Term | None]:
        """The gradients by inputs; None where nothing that was taken depends on one."""
        leads = self.leads(wrt)
        made = list(self.terms)
        given = self.term("given", np.ndim(seed), value=seed)
        parts: dict[object, list[Term]] = defaultdict(list)  # by value, or by a term's id

        def add(to: Term | int, part: Term) -> None:
            parts[to if isinstance(to, int) else id(to)].append(part)

        def summed(of: object, rank: int) -> Term:
            return parts[of][0] if len(parts[of]) == 1 else self.term("sum", rank, parts[of])

        def through_wave(wave: Wave, key: tuple, ins: list, rank: int, incoming: Term) -> None:
            for i, v in enumerate(ins):
                if (derivative := wave.derivative(i)) is not None and leads[v]:
                    slope = self.term("wave", rank, ins, (*key, i), derivative)
                    add(v, self.term("product", self.ranks[v], [incoming, slope]))

        add(of, given)
        for term in reversed(made):
            if id(term) not in parts:
                continue
            incoming = summed(id(term), term.rank)
            if term.kind == "wave":
                through_wave(term.wave, term.key, term.operands, term.rank, incoming)
            elif term.kind == "sum":
                for operand in term.operands:
                    add(operand, incoming)
            elif term.kind == "product":
                for this, other in (term.operands, term.operands[::-1]):
                    add(this, self.term("product", this.rank, [incoming, other]))
        for v in reversed(range(len(self.owners))):
            n, j = self.owners[v]
            node = self.graph.nodes[n]
            if v not in parts or not leads[v] or node.kind == "input":
                continue
            incoming = summed(v, self.ranks[v])
            if node.kind == "cond":
                self.branches.append(node.ins[0])
                add(node.arms[int(self.known.force(node.ins[0]))][j], incoming)
            elif node.kind == "pair":
                through_wave(node.waves[j], (n, j), [node.ins[j]], VECTOR, incoming)
            else:
                rank = max(self.ranks[i] for i in node.ins)
                through_wave(node.waves[0], (n, 0), list(node.ins), rank, incoming)
        return {w: summed(w, self.ranks[w]) if w in parts else None for w in wrt}


def chosen(x: np.ndarray, n: int) -> int:
    """A number below `n` that depends on where `x` is."""
    return int(abs(x) * 1000.0) % n
