"""Random graphs with loops.

A graph is described once, as nodes of the classes below, and read twice: `built` makes Variables of
it, `loop_oracle.Oracle` computes it. Every node is one application of an Op that notes its inputs,
so that what ran is a multiset of (node, inputs).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import thunkvm as tv
from thunkvm import _core


class Broken(ArithmeticError):
    """What a node that fails raises."""


def picks(selector: int) -> tuple[int, ...]:
    """Return which inputs a lazy Op demands after its first, the selector; the last one counts."""
    return ((1,), (2,), (1, 2))[selector % 3]


def mixed(number: int, inputs: tuple[int, ...]) -> int:
    """Return a number that all of the inputs, and which node it is, make a difference to."""
    value = (number * 2654435761 + 12345) % 2147483647
    for i in inputs:
        value = (value ^ i) * 1103515245 % 2147483647
        value ^= value >> 7
    return value


@dataclass(eq=False)
class Node:
    """A value of the graph: of a step of loop `around`, or of none."""

    number: int
    around: Loop | None


@dataclass(eq=False)
class Given(Node):
    """An input of the function."""


@dataclass(eq=False)
class State(Node):
    """A value that goes from step to step of the loop that it is in."""

    position: int = 0


@dataclass(eq=False)
class Noted(Node):
    """An application of the Op that notes."""

    inputs: list[Node] = field(default_factory=list)
    fails: bool = False


@dataclass(eq=False)
class Choice(Node):
    """One of two arms, by whether the selector is even."""

    selector: Node | None = None
    arms: tuple[Node, Node] | None = None


@dataclass(eq=False)
class Tried(Node):
    """A value, or another where computing it fails."""

    value: Node | None = None
    otherwise: Node | None = None


@dataclass(eq=False)
class Picked(Node):
    """What a lazy Op of the user's makes of its inputs, of which it demands some: see `picks`."""

    inputs: list[Node] = field(default_factory=list)


@dataclass(eq=False)
class Last(Node):
    """The last value of a state of a loop."""

    loop: Loop | None = None
    position: int = 0


@dataclass(eq=False)
class Loop:
    """States, what they begin with and become, and whether step `t` runs: t < most and a test."""

    number: int
    around: Loop | None
    most: int
    states: list[State] = field(default_factory=list)
    firsts: list[Node] = field(default_factory=list)
    nexts: list[Node] = field(default_factory=list)
    test: Node | None = None


def chain(loop: Loop | None) -> Iterator[Loop]:
    """Yield a loop and those around it."""
    while loop is not None:
        yield loop
        loop = loop.around


def innermost(nodes: list[Node]) -> Loop | None:
    """Return the innermost loop that any of the nodes changes in."""
    return max((n.around for n in nodes), key=lambda loop: len(list(chain(loop))), default=None)


class Graphs:
    """Random graphs.

    Parameters
    ----------
    seed : int
        Which one.
    fails : float
        How likely a node fails, where attempts are made.
    """

    def __init__(self, seed: int, fails: float = 0.0) -> None:
        """Make one graph."""
        self.random = random.Random(seed)
        self.fails = fails
        self.numbers = 0
        self.inputs = [Given(self.next(), None) for _ in range(2)]
        values = self.body(None, list(self.inputs), self.random.choice((3, 6, 10)), depth=0)
        self.outputs = self.random.choices(values[-8:], k=self.random.choice((1, 2, 3)))

    def next(self) -> int:
        """Return a number that no node has."""
        self.numbers += 1
        return self.numbers

    def pick(self, values: list[Node]) -> Node:
        """Return a value, rather one of the latest."""
        if self.random.random() < 0.6:
            return self.random.choice(values[-4:])
        return self.random.choice(values)

    def body(self, loop: Loop | None, values: list[Node], size: int, depth: int) -> list[Node]:
        """Return the values, and `size` more."""
        values = list(values)
        for _ in range(size):
            draw = self.random.random()
            if draw < 0.22 and depth < 3:
                values += self.loop(loop, values, depth)
                continue
            if draw < 0.29:
                ins = [self.pick(values) for _ in range(3)]
                values.append(Picked(self.next(), innermost(ins), inputs=ins))
            elif draw < 0.45:
                ins = [self.pick(values) for _ in range(3)]
                values.append(
                    Choice(self.next(), innermost(ins), selector=ins[0], arms=(ins[1], ins[2]))
                )
            elif draw < 0.6 and self.fails:
                ins = [self.pick(values) for _ in range(2)]
                values.append(Tried(self.next(), innermost(ins), value=ins[0], otherwise=ins[1]))
            else:
                ins = [self.pick(values) for _ in range(self.random.choice((1, 1, 2)))]
                fails = self.random.random() < self.fails
                values.append(Noted(self.next(), innermost(ins), inputs=ins, fails=fails))
        return values

    def loop(self, around: Loop | None, values: list[Node], depth: int) -> list[Node]:
        """Return the last values of a new loop's states."""
        loop = Loop(self.next(), around, most=self.random.choice((0, 1, 2, 3, 4)))
        n_states = self.random.choice((1, 2, 3, 4))
        loop.firsts = [self.pick(values) for _ in range(n_states)]
        loop.states = [State(self.next(), loop, position=i) for i in range(n_states)]
        inside = self.body(
            loop, [*values, *loop.states], self.random.choice((2, 4, 7)), depth=depth + 1
        )
        loop.nexts = [
            self.random.choice(loop.states) if self.random.random() < 0.2 else self.pick(inside)
            for _ in range(n_states)
        ]
        loop.test = self.pick(inside)
        free = [n for n in (*loop.firsts, *loop.nexts, loop.test) if n.around is not loop]
        home = innermost([*free, *inside_of(loop)])
        return [Last(self.next(), home, loop=loop, position=i) for i in range(n_states)]


def inside_of(loop: Loop) -> list[Node]:
    """Return what a loop depends on and does not change in its steps."""
    found: list[Node] = []
    seen: set[int] = set()
    stack: list[Node] = [*loop.nexts, loop.test]  # type: ignore[list-item]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if loop not in chain(node.around):
            found.append(node)
            continue
        stack += parts(node)
    return found


def parts(node: Node) -> list[Node]:
    """Return what a node may be computed from."""
    if isinstance(node, (Noted, Picked)):
        return node.inputs
    if isinstance(node, Choice):
        return [node.selector, *node.arms]  # type: ignore[list-item,misc]
    if isinstance(node, Tried):
        return [node.value, node.otherwise]  # type: ignore[list-item]
    if isinstance(node, Last):
        loop = node.loop
        return [*loop.firsts, *loop.nexts, loop.test]  # type: ignore[union-attr,list-item]
    return []


def passes_on(state: State) -> bool:
    """Return whether a state does not change."""
    return state.around.nexts[state.position] is state  # type: ignore[union-attr]


class Note(tv.Op):
    """The Op that notes what it ran on."""

    __props__ = ("number", "fails")

    def __init__(self, number: int, fails: bool, ran: list[Any]) -> None:
        """Remember where to note."""
        self.number = number
        self.fails = fails
        self.ran = ran

    def make_node(self, *inputs: Any) -> tv.Apply:
        """Take numbers, give one."""
        return tv.Apply(self, list(inputs), [tv.lscalar()])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        """Note, and mix."""
        key = (self.number, *map(int, inputs))
        self.ran.append(key)
        value = mixed(self.number, tuple(map(int, inputs)))
        if self.fails and value % 3 == 0:
            raise Broken(self.number)
        outputs[0][0] = np.int64(value)


class Pick(tv.Op):
    """The lazy Op, as a generator."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> tv.Apply:
        """Take a selector and two values."""
        return tv.Apply(self, list(inputs), [inputs[1].type()])

    def demand(self, node: Any) -> Any:
        """Demand the selector, and what it picks."""
        selector = yield 0
        for i in picks(int(selector)):
            value = yield i
        return value


class Smooth:
    """Graphs of floats, whose values have derivatives with respect to the inputs."""

    def __init__(self) -> None:
        """Make inputs of floats."""
        self.scalar = tv.scalar

    @staticmethod
    def weights(number: int, n: int) -> list[float]:
        """Return what a node multiplies its inputs by, and what it adds to them."""
        draw = random.Random(number)
        return [draw.uniform(-1.2, 1.2) for _ in range(n + 1)]

    def noted(self, node: Noted, inputs: list[tv.Variable]) -> tv.Variable:
        """Return the sine of a weighted sum."""
        shift, *weights = self.weights(node.number, len(inputs))
        total = tv.constant(shift)
        for weight, x in zip(weights, inputs, strict=True):
            total = total + weight * x
        return tv.sin(total)

    def is_even(self, value: tv.Variable) -> tv.Variable:
        """Return what a choice decides by."""
        return value > 0.1

    def goes_on(self, value: tv.Variable) -> tv.Variable:
        """Return what a loop goes on by."""
        return value > -0.6

    def picked(self, inputs: list[tv.Variable]) -> tv.Variable:
        """Return one of two."""
        return tv.ifelse(inputs[0] > 0.3, inputs[1], inputs[2])


class Whole:
    """Graphs of integers, whose nodes note what they run on; `ran` None: of built-in Ops."""

    def __init__(self, ran: list[Any] | None) -> None:
        """Remember where to note."""
        self.ran = ran
        self.scalar = tv.lscalar

    def noted(self, node: Noted, inputs: list[tv.Variable]) -> tv.Variable:
        """Return what mixes the inputs."""
        if self.ran is None:
            return mixed_in_graph(node.number, inputs)
        return Note(node.number, node.fails, self.ran)(*inputs)

    def is_even(self, value: tv.Variable) -> tv.Variable:
        """Return what a choice decides by."""
        return tv.eq(value % 2, 0)

    def goes_on(self, value: tv.Variable) -> tv.Variable:
        """Return what a loop goes on by."""
        return (value % 4) > 0

    def picked(self, inputs: list[tv.Variable]) -> tv.Variable:
        """Return what the lazy Op does."""
        if self.ran is not None:
            return Pick()(*inputs)
        selector, first, second = inputs
        return tv.ifelse(tv.eq(selector % 3, 0), first, second)


def mixed_in_graph(number: int, inputs: list[tv.Variable]) -> tv.Variable:
    """Return what `mixed` does, of built-in Ops."""
    value = tv.constant(np.int64((number * 2654435761 + 12345) % 2147483647))
    for i in inputs:
        value = (value ^ i) * np.int64(1103515245) % np.int64(2147483647)
        value = value ^ (value >> np.int64(7))
    return value


def built(graph: Graphs, kind: Whole | Smooth) -> tuple[list[tv.Variable], list[tv.Variable]]:
    """Return the inputs and outputs of the graph."""
    made: dict[int, tv.Variable] = {}
    loops: dict[int, list[tv.Variable]] = {}

    def of(node: Node) -> tv.Variable:
        if node.number not in made:
            made[node.number] = fresh(node)
        return made[node.number]

    def fresh(node: Node) -> tv.Variable:
        if isinstance(node, (Given, State)):
            return kind.scalar(f"v{node.number}")
        if isinstance(node, Noted):
            return kind.noted(node, [of(i) for i in node.inputs])
        if isinstance(node, Picked):
            return kind.picked([of(i) for i in node.inputs])
        if isinstance(node, Choice):
            first, second = node.arms  # type: ignore[misc]
            return tv.ifelse(kind.is_even(of(node.selector)), of(first), of(second))
        if isinstance(node, Tried):
            return tv.attempt(of(node.value), of(node.otherwise), on=Broken)
        loop = node.loop
        if loop.number not in loops:
            count = tv.lscalar("count")
            states = [count, *map(of, loop.states)]
            limit, test = count < loop.most, kind.goes_on(of(loop.test))
            nexts = [count + np.int64(1), *map(of, loop.nexts)]
            firsts = [tv.constant(np.int64(0)), *map(of, loop.firsts)]
            loops[loop.number] = _core.loop("while_loop", states, firsts, limit, test, nexts, [])
        return loops[loop.number][1 + node.position]

    outputs = [of(node) for node in graph.outputs]
    return [of(node) for node in graph.inputs], outputs
