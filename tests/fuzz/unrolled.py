"""A random graph whose loops are unrolled, step by step, while it is computed.

A step adds nodes to the graph: copies of what changes in it, whose inputs are values of the step
before, or of none. What does not change is not copied. So a graph with loops is one without.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from spec import Node, Spec

Steps = dict[int, int]  # by loop, the number of its node: which step
Where = tuple[int, frozenset[tuple[int, int]]]

#: Which of a loop's arms are what its states begin with, what they become, and the states.
FIRSTS, NEXTS, STATES = range(3)


@dataclass
class Step:
    """What a step of a loop asks, what it makes of the states that somebody reads, and these."""

    test: tuple[int, Where] | None  # None: it runs as often as it is told
    nexts: list[int]
    states: dict[int, int]  # by position, of those that are read behind the loop


def parted(node: Node) -> list[Node]:
    """The outputs of a conditional, or of an attempt, each by itself.

    What is attempted is the same for all; `seed` says which of it is the output.
    """
    if node.kind == "attempt":
        tried, otherwise = node.arms
        return [replace(node, outs=1, seed=j, arms=(tried, (v,))) for j, v in enumerate(otherwise)]
    if node.kind != "cond":
        return [node]
    arms = zip(*node.arms, strict=True)
    return [replace(node, outs=1, arms=tuple((v,) for v in by_arm)) for by_arm in arms]


class Loops:
    """What changes in the loops of a spec, and what of it somebody may demand.

    Each output of a conditional or an attempt is a node of its own; values have the numbers that
    they had.
    """

    def __init__(self, given: Spec) -> None:
        nodes = [(n, alone) for n, node in enumerate(given.nodes) for alone in parted(node)]
        self.numbers = [n for n, _ in nodes]  # what they are in the spec
        spec = replace(given, nodes=tuple(node for _, node in nodes))
        self.spec, self.owners = spec, spec.owners()
        self.first = [0] * len(spec.nodes)
        for v, (n, j) in enumerate(self.owners):
            self.first[n] = v - j
        self.loop_of = {
            v: (n, d)
            for n, node in enumerate(spec.nodes)
            if node.kind == "loop"
            for d, v in enumerate(node.arms[STATES])
        }
        self.lasts: set[int] = set()  # states of scans of which somebody reads the last row
        self.read = set(self.reached())
        self.live = self.read | self.lasts
        self.changing: dict[int, set[int]] = {}
        self.around: dict[int, set[int]] = {}

    def reached(self) -> Iterator[int]:
        """What somebody may demand, from step to step."""
        seen: set[int] = set()
        demanded = (value for _, value, lazily in self.spec.updates if not lazily)
        stack = [*self.spec.outputs, *demanded]
        while stack:
            v = stack.pop()
            if v in seen:
                continue
            seen.add(v)
            yield v
            n, j = self.owners[v]
            node = self.spec.nodes[n]
            if v in self.loop_of:
                loop, d = self.loop_of[v]
                stack += (arm[d] for arm in self.spec.nodes[loop].arms[:STATES])
            elif node.kind == "loop" and node.decoding == "scan":
                # What the last step makes of a state, whatever it begins with.
                self.lasts.add(node.arms[STATES][j])
                stack.append(node.arms[NEXTS][j])
            elif node.kind == "loop":
                stack += [*node.ins, node.arms[STATES][j]]
            else:
                stack += [*node.ins, *chain(*node.arms)]

    def positions(self, loop: int) -> list[int]:
        """The states of a loop that somebody reads and that change."""
        _, nexts, states = self.spec.nodes[loop].arms
        return [d for d, s in enumerate(states) if s in self.live and nexts[d] != s]

    def loops_where(self, n: int) -> set[int]:
        """The loops from step to step of which a node of the spec may change."""
        if n not in self.changing:
            node = self.spec.nodes[n]
            state = self.loop_of.get(self.first[n]) if node.kind == "state" else None
            if node.kind == "state" and state is None:
                found = {n}  # its loop is gone
            elif state is not None:
                loop, d = state
                firsts, nexts, states = self.spec.nodes[loop].arms
                passes_on = nexts[d] == states[d]
                found = self.loops_where(self.owners[firsts[d]][0]) if passes_on else {loop}
            else:
                reads = [*node.ins, *chain(*node.arms)]
                if node.kind == "loop":
                    states = node.arms[STATES]
                    firsts = [
                        v for v, s in zip(node.arms[FIRSTS], states, strict=True) if s in self.read
                    ]
                    nexts = [
                        v for v, s in zip(node.arms[NEXTS], states, strict=True) if s in self.live
                    ]
                    reads = [*node.ins, *firsts, *nexts]
                found = set().union(*(self.loops_where(self.owners[v][0]) for v in reads)) - {n}
            self.changing[n] = found
        return self.changing[n]

    def loops_around(self, n: int) -> set[int]:
        """These, and those in a step of which they run."""
        if n not in self.around:
            found = self.loops_where(n)
            around = (self.loops_around(loop) for loop in found if loop != n)
            self.around[n] = found.union(*around)
        return self.around[n]


#: By spec: a call is not the only one of its graph.
loops_in = lru_cache(maxsize=4)(Loops)


class Unrolled:
    """The nodes of a spec, and those of the steps that have been asked for.

    A state is no node here: it stands for what it became in the step before, or begins with.
    """

    def __init__(self, spec: Spec) -> None:
        self.loops = loops_in(spec)
        self.spec = spec = self.loops.spec
        self.originals = self.loops.owners
        self.owners, self.first = list(self.loops.owners), list(self.loops.first)
        self.nodes = list(spec.nodes)
        self.origins = list(range(len(self.nodes)))  # what each is a copy of
        self.steps_of: list[Steps] = [{} for _ in self.nodes]
        self.copies: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        for n, node in enumerate(spec.nodes if self.loops.loop_of else ()):
            if node.kind not in ("loop", "state") and not self.loops.loops_around(n):
                self.nodes[n] = self.resolved(node, {})

    def at(self, v: int, steps: Steps) -> int:
        """The number of a value of the spec in these steps."""
        n, j = self.originals[v]
        node = self.spec.nodes[n]
        if v in self.loops.loop_of:
            loop, d = self.loops.loop_of[v]
            firsts, nexts, _ = self.spec.nodes[loop].arms
            if nexts[d] == v or steps[loop] == 0:
                return self.at(firsts[d], steps)
            return self.at(nexts[d], {**steps, loop: steps[loop] - 1})
        here = {loop: steps[loop] for loop in self.loops.loops_around(n)}
        if not here:
            return v
        key = n, frozenset(here.items())
        if key not in self.copies:
            made = node if node.kind == "loop" else self.resolved(node, here)
            self.copies[key] = copy = len(self.nodes)
            self.nodes.append(made)
            self.origins.append(n)
            self.steps_of.append(here)
            self.first.append(len(self.owners))
            self.owners += [(copy, k) for k in range(node.outs)]
        return self.first[self.copies[key]] + j

    def resolved(self, node: Node, steps: Steps) -> Node:
        ins = tuple(self.at(v, steps) for v in node.ins)
        return replace(
            node, ins=ins, arms=tuple(tuple(self.at(v, steps) for v in arm) for arm in node.arms)
        )

    def decided_by(self, n: int) -> tuple[int, Where]:
        """The selector of a conditional: its value, and the steps in which it is asked."""
        return self.in_steps(self.spec.nodes[self.origins[n]].ins[0], self.steps_of[n])

    def in_steps(self, v: int, steps: Steps) -> tuple[int, Where]:
        """A value of the spec in these steps; which it is, and those of them that it changes in."""
        around = self.loops.loops_around(self.originals[v][0])
        return self.at(v, steps), (v, frozenset((loop, steps[loop]) for loop in around))

    def number(self, n: int) -> int:
        """Which node of the spec a node is, or is a copy of."""
        return self.loops.numbers[self.origins[n]]

    def outputs(self, n: int) -> range:
        return range(self.first[n], self.first[n] + self.nodes[n].outs)

    def live_outputs(self, n: int) -> list[int]:
        """Those that somebody may demand."""
        origin = self.origins[n]
        moved = self.first[n] - self.first[origin]
        return [v + moved for v in self.outputs(origin) if v in self.loops.live]

    def reads(self, n: int) -> list[int]:
        """What a node is computed from; of a loop, what its first step is."""
        node = self.nodes[n]
        if node.kind != "loop":
            return [*node.ins, *chain(*node.arms)]
        step = self.step(n, 0)
        return [*(step.test or ())[:1], *step.nexts, *step.states.values()]

    def passed_on(self, n: int) -> list[int]:
        """What the states of a loop that do not change are, of those that are read behind it."""
        _, nexts, states = self.nodes[n].arms
        step = self.step(n, 0)
        return [v for j, v in step.states.items() if nexts[j] == states[j]]

    def step(self, n: int, number: int) -> Step:
        """A step of a loop, of which the ones before have run."""
        loop, node = self.origins[n], self.nodes[n]
        steps = {**self.steps_of[n], loop: number}
        _, nexts, states = node.arms
        used = [v - self.first[n] for v in self.live_outputs(n)]
        if number == 0:  # nobody asks what a scan begins with, to read its last row
            used = [j for j in used if states[j] in self.loops.read]
        return Step(
            self.in_steps(node.ins[0], steps) if node.ins else None,
            [self.at(nexts[d], steps) for d in self.loops.positions(loop)],
            {j: self.at(states[j], steps) for j in used},
        )
