"""What random graphs with loops have to compute: a walk by need that knows no linker."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from loop_graphs import (
    Broken,
    Choice,
    Given,
    Graphs,
    Last,
    Loop,
    Node,
    Noted,
    Picked,
    Smooth,
    State,
    Tried,
    chain,
    mixed,
    parts,
    passes_on,
    picks,
)


class Step:
    """What is known in a step of a loop, or outside of all."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.values: dict[int, Any] = {}
        self.states: list[Any] = []


class Oracle:
    """Computes a graph by need, step by step: every step demands the next values of live states.

    Parameters
    ----------
    graph : Graphs
        What to compute.
    """

    def __init__(self, graph: Graphs) -> None:
        """Find the states that somebody may demand, from step to step."""
        self.graph = graph
        self.live: set[int] = set()
        self.used: dict[int, set[int]] = {}
        stack: list[Node] = list(graph.outputs)
        while stack:
            node = stack.pop()
            if node.number in self.live:
                continue
            self.live.add(node.number)
            if isinstance(node, State):
                stack += [node.around.nexts[node.position], node.around.firsts[node.position]]
            elif isinstance(node, Last):
                self.used.setdefault(node.loop.number, set()).add(node.position)
                stack += [node.loop.test, node.loop.states[node.position]]
            else:
                stack += parts(node)

        self.loops: dict[int, set[Loop]] = {}

    def changes_in(self, node: Node) -> set[Loop]:
        """Return the loops from step to step of which a live node may change."""
        if node.number not in self.loops:
            loop = node.loop if isinstance(node, Last) else None
            if isinstance(node, Given):
                found: set[Loop] = set()
            elif isinstance(node, State) and passes_on(node):
                found = self.changes_in(node.around.firsts[node.position])
            elif isinstance(node, State):
                found = {node.around}
            elif loop is not None:
                live = [d for d, s in enumerate(loop.states) if s.number in self.live]
                roots = [loop.test, *(v[d] for d in live for v in (loop.firsts, loop.nexts))]
                roots = [r for r in roots if not (isinstance(r, State) and r.around is loop)]
                found = set().union(*map(self.changes_in, roots)) - {loop}
            else:
                found = set().union(*map(self.changes_in, parts(node)))
            self.loops[node.number] = found
        return self.loops[node.number]

    def step_of(self, node: Node) -> Step:
        """Return where a node is computed: in the step of the innermost of those loops."""
        found = self.changes_in(node)
        if not found:
            return self.root
        return self.steps[max(found, key=lambda loop: len(list(chain(loop)))).number]

    def run(self, given: list[int]) -> tuple[list[int], Counter[Any]]:
        """Return the outputs, and what ran."""
        self.given = {n.number: v for n, v in zip(self.graph.inputs, given, strict=True)}
        self.ran: Counter[Any] = Counter()
        self.root = Step()
        self.steps: dict[int, Step] = {}
        return [self.value(node) for node in self.graph.outputs], self.ran

    def value(self, node: Node) -> int:
        """Return a value, computed once in the step of the innermost loop that it changes in."""
        if isinstance(node, Given):
            return self.given[node.number]
        if isinstance(node, State):
            return self.state(node.around, node.position)
        step = self.step_of(node)
        if node.number not in step.values:
            try:
                step.values[node.number] = self.computed(node, step)
            except Broken as error:
                step.values[node.number] = error
        found = step.values[node.number]
        if isinstance(found, Broken):
            raise found
        return found

    def state(self, loop: Loop, position: int) -> int:
        """Return a state's value in the step that runs; the first one only now."""
        if passes_on(loop.states[position]):
            return self.value(loop.firsts[position])
        held = self.steps[loop.number].states[position]
        return self.value(loop.firsts[position]) if held is None else held

    def computed(self, node: Node, step: Step) -> Any:
        """Return the value of a node that is demanded for the first time."""
        if isinstance(node, Noted):
            return self.noted(node, tuple(self.value(i) for i in node.inputs))
        if isinstance(node, Picked):
            for i in self.picks(self.value(node.inputs[0])):
                value = self.value(node.inputs[i])
            return value
        if isinstance(node, Choice):
            return self.value(node.arms[0 if self.is_even(self.value(node.selector)) else 1])
        if isinstance(node, Tried):
            try:
                return self.value(node.value)
            except Broken:
                return self.value(node.otherwise)
        # All last values that are used are computed together.
        whole = ("loop", node.loop.number)
        if whole not in step.values:
            try:
                step.values[whole] = self.whole(node.loop)  # type: ignore[index]
            except Broken as error:
                step.values[whole] = error  # type: ignore[index]
        found = step.values[whole]  # type: ignore[index]
        if isinstance(found, Broken):
            raise found
        return found[node.position]

    def noted(self, node: Noted, inputs: tuple[int, ...]) -> Any:
        """Return what a node makes of its inputs."""
        self.ran[node.number, *inputs] += 1
        value = mixed(node.number, inputs)
        if node.fails and value % 3 == 0:
            raise Broken(node.number)
        return value

    def picks(self, selector: Any) -> tuple[int, ...]:
        """Return which inputs a lazy Op demands."""
        return picks(selector)

    def is_even(self, value: Any) -> bool:
        """Return what a choice decides by."""
        return bool(value % 2 == 0)

    def goes_on(self, value: Any) -> bool:
        """Return what a loop goes on by."""
        return bool(value % 4 > 0)

    def whole(self, loop: Loop) -> dict[int, int]:
        """Run the steps of a loop; return the last values of the states that are used."""
        before = self.steps.get(loop.number)
        states: list[Any] = [None] * len(loop.states)
        count = 0
        try:
            while True:
                step = self.steps[loop.number] = Step()
                step.states = states
                if not (count < loop.most and self.goes_on(self.value(loop.test))):
                    used = sorted(self.used[loop.number])
                    return {d: self.state(loop, d) for d in used}
                states = [
                    self.value(loop.nexts[d])
                    if s.number in self.live and loop.nexts[d] is not s
                    else None
                    for d, s in enumerate(loop.states)
                ]
                count += 1
        finally:
            if before is None:
                self.steps.pop(loop.number, None)
            else:
                self.steps[loop.number] = before


class Slopes(Oracle):
    """Computes floats with their derivatives with respect to the inputs, forwards.

    A value is a pair: the float, and an array of its derivatives.
    """

    def slopes(self, given: list[float]) -> tuple[list[float], np.ndarray]:
        """Return the outputs, and the derivatives of their sum."""
        pairs = [(v, np.eye(len(given))[i]) for i, v in enumerate(given)]
        outputs, _ = self.run(pairs)  # type: ignore[arg-type]
        return [v for v, _ in outputs], sum(slope for _, slope in outputs)  # type: ignore[misc]

    def noted(self, node: Noted, inputs: tuple[Any, ...]) -> Any:
        """Return the sine of a weighted sum."""
        shift, *weights = Smooth.weights(node.number, len(inputs))
        total = shift + sum(w * v for w, (v, _) in zip(weights, inputs, strict=True))
        slope = sum(w * s for w, (_, s) in zip(weights, inputs, strict=True))
        return math.sin(total), math.cos(total) * slope

    def picks(self, selector: Any) -> tuple[int, ...]:
        """Return which of two is picked."""
        return (1,) if selector[0] > 0.3 else (2,)

    def is_even(self, value: Any) -> bool:
        """Return what a choice decides by."""
        return bool(value[0] > 0.1)

    def goes_on(self, value: Any) -> bool:
        """Return what a loop goes on by."""
        return bool(value[0] > -0.6)
