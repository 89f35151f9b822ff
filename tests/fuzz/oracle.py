"""What a lazy graph must do, by naive memoised recursion.

Shares no code with thunkvm: plain Python on ints and lists.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from spec import SCALAR, Node, Spec


class Failure(Exception):
    """The node that was to fail in this call was reached."""


def mixed(*numbers: int) -> int:
    """A number below 2^24 that depends on all the numbers and their order."""
    return hash(tuple(int(n) for n in numbers)) & 0xFFFFFF


def script(node: Node, call: int) -> list[tuple[str, list[int]]]:
    """What an opaque lazy node does in a call: ("ask", inputs) and ("out", outputs), in order."""
    rng = random.Random(node.seed * 7919 + call)
    asks, outs = list(range(len(node.ins))), list(range(node.outs))
    rng.shuffle(asks)
    rng.shuffle(outs)
    asks = asks[: rng.randrange(len(asks) + 1)]
    steps: list[tuple[str, list[int]]] = []
    if node.kind == "generator":  # asks in batches, and then has all outputs
        while asks:
            steps.append(
                ("ask", [asks.pop() for _ in range(min(len(asks), rng.choice((1, 1, 2))))])
            )
        return [*steps, ("out", list(range(node.outs)))]
    while outs:
        if asks and rng.random() < 0.6:
            steps.append(
                ("ask", [asks.pop() for _ in range(min(len(asks), rng.choice((1, 1, 2))))])
            )
        else:
            steps.append(
                ("out", [outs.pop() for _ in range(min(len(outs), rng.choice((1, 1, 2))))])
            )
    return steps


def native_ops(node: Node) -> Counter:
    """The built-in Ops that a node stands for, by name."""
    if node.kind == "native":
        return Counter({("native", ("bitwise_xor", "bitwise_and", "maximum", "add")[node.seed]): 1})
    names = {
        "small": {"mod": 1},
        "vector": {"add": 2, "stack": 1},
        "item": {"subtensor": 1},
        "write": {"set_subtensor": 1},
    }
    return Counter({("native", name): n for name, n in names[node.kind].items()})


def arm_of(decoding: str, number: int, arms: int) -> int:
    """Which arm the selector's value picks."""
    if decoding == "truth":
        return int(number != 0)
    return number if number < arms else arms - 1


def initial(node: Node, seed: int) -> int | list[int]:
    """The value of an input or of a shared variable."""
    rng = random.Random(seed)
    return (
        rng.randrange(1 << 20)
        if node.rank == SCALAR
        else [rng.randrange(1 << 20) for _ in range(3)]
    )


@dataclass
class Result:
    """What one call does.

    Where a failure was caught, what ran for the value that failed depends on the order of what is
    independent: `ran` has what the call's results need, `may_run` what that value demands.
    """

    ran: Counter  # what is recorded by Python Ops, and ("native", kind) for built-in ones
    may_run: Counter
    values: dict[int, object]
    outputs: list[object]
    shared: dict[int, object]
    failed: bool


Unit = tuple[object, ...]


@dataclass
class State:
    """What a call has computed so far."""

    values: dict[int, object]
    ran: dict[Unit, Counter] = field(default_factory=dict)  # what each unit is recorded as
    at: Counter = field(default_factory=Counter)  # how far the script of an opaque node has run
    got: dict[int, list[object]] = field(default_factory=dict)  # what an opaque node was given
    failed: set[int] = field(default_factory=set)  # opaque nodes

    def copy(self) -> State:
        got = {n: list(values) for n, values in self.got.items()}
        return State(dict(self.values), dict(self.ran), self.at.copy(), got, set(self.failed))


class Evaluation:
    """Pull semantics: a value is computed when it is asked for, once."""

    def __init__(self, spec: Spec, call: int, inputs: dict[int, object]) -> None:
        self.spec, self.call = spec, call
        self.owners = spec.owners()
        self.first = {self.owners[v][0]: v for v in range(len(self.owners) - 1, -1, -1)}
        self.state = State(dict(inputs))
        self.may_run: dict[Unit, Counter] = {}
        self.failing: int | None = None

    def record(self, unit: Unit, what: Counter) -> None:
        assert unit not in self.state.ran
        self.state.ran[unit] = what

    def fail(self, n: int) -> None:
        if n == self.failing:
            raise Failure

    def force(self, v: int) -> object:
        if v not in self.state.values:
            n, j = self.owners[v]
            node = self.spec.nodes[n]
            if node.kind == "cond":
                self.state.values[v] = self.force(node.arms[self.arm(node)][j])
            elif node.kind == "attempt":
                chosen = node.arms[self.caught(node.arms[0])][j]
                try:
                    self.state.values[v] = self.force(chosen)
                except Failure:  # of the otherwise
                    self.run_without_failure([chosen])
                    raise
            elif node.kind in ("reentrant", "generator"):
                self.run_script(n, v)
            else:
                self.run_eager(n, node)
        return self.state.values[v]

    def force_all(self, values: Iterable[int]) -> list[object]:
        """Compute independent values: where one fails, others may have been computed before it."""
        failure, got = None, []
        for v in values:
            try:
                got.append(self.force(v))
            except Failure as error:
                failure = failure or error
        if failure:
            raise failure
        return got

    def arm(self, node: Node) -> int:
        selector, modulus = node.ins[0], node.seed
        number = self.force(selector)
        if modulus:
            number %= modulus
            unit = ("remainder", selector, modulus)
            if unit not in self.state.ran:
                self.record(unit, Counter({("native", "mod"): 1}))
        return arm_of(node.decoding, number, len(node.arms))

    def caught(self, values: tuple[int, ...]) -> bool:
        """Whether computing one of these fails: then nothing of it counts."""
        before = self.state.copy()
        try:
            self.force_all(values)
        except Failure:
            self.may_run |= self.state.ran
            self.state = before
            self.run_without_failure(values)
            return True
        return False

    def run_without_failure(self, values: Iterable[int]) -> None:
        """Note what values demand that failed: part of it may have been computed before."""
        failing, before = self.failing, self.state
        self.failing, self.state = None, before.copy()
        self.state.failed.clear()
        self.force_all(values)
        self.may_run |= self.state.ran
        self.failing, self.state = failing, before

    def run_script(self, n: int, v: int) -> None:
        node = self.spec.nodes[n]
        if n in self.state.failed:
            raise Failure
        try:
            steps = script(node, self.call)
            while v not in self.state.values or self.next_is_output(n, steps):
                self.fail(n)
                what, which = steps[self.state.at[n]]
                self.state.at[n] += 1
                if what == "ask":
                    for i in which:
                        value = self.asked(node, node.ins[i])  # which may go back to a state
                        self.state.got.setdefault(n, []).append(value)
                    continue
                for k in which:
                    got = self.state.got.get(n, ())
                    self.state.values[self.first[n] + k] = mixed(n, k, *got)
                self.record(("lazy", n, tuple(which)), Counter({("lazy", n, tuple(which)): 1}))
        except Failure:
            self.state.failed.add(n)
            raise

    def next_is_output(self, n: int, steps: list[tuple[str, list[int]]]) -> bool:
        at = self.state.at[n]
        return at < len(steps) and steps[at][0] == "out"

    def asked(self, node: Node, v: int) -> object:
        if goes_on(node) and self.caught((v,)):
            return -1
        return self.force(v)

    def run_eager(self, n: int, node: Node) -> None:
        got = self.force_all(node.ins)
        first, values = self.first[n], self.state.values
        if node.kind in ("mix", "destroy"):
            self.fail(n)
            self.record(("op", n), Counter({("op", n): 1}))
        else:
            self.record(("op", n), native_ops(node))
        if node.kind == "mix":
            for k in range(node.outs):
                values[first + k] = mixed(n, k, *got)
        elif node.kind == "native":
            a, b = got
            values[first] = (a ^ b, a & b, max(a, b), a + b)[node.seed]
        elif node.kind == "small":
            values[first] = got[0] % 3
        elif node.kind == "vector":
            values[first] = [got[0], got[0] + 1, got[0] + 2]
        elif node.kind == "item":
            values[first] = got[0][node.seed]
        elif node.kind == "destroy":
            values[first] = [x + 1 for x in got[0]]
            for other in got[1:]:
                values[first] = [x ^ y for x, y in zip(values[first], other, strict=True)]
        else:
            values[first] = [got[1] if i == node.seed else x for i, x in enumerate(got[0])]


def goes_on(node: Node) -> bool:
    """Whether an opaque node goes on where computing an input failed."""
    return node.kind == "generator" and node.seed % 2 == 1


def evaluate(spec: Spec, call: int, inputs: dict[int, object], failing: int | None) -> Result:
    """What a call does in which node `failing` raises."""
    evaluation = Evaluation(spec, call, inputs)
    evaluation.failing = failing
    shared: dict[int, object] = {}
    outputs: list[object] = []
    failed = False
    try:
        eager = {target: value for target, value, lazily in spec.updates if not lazily}
        got = evaluation.force_all([*spec.outputs, *eager.values()])
        outputs, updated = got[: len(spec.outputs)], got[len(spec.outputs) :]
        shared = dict(zip(eager, updated, strict=True))
    except Failure:
        outputs, shared, failed = [], {}, True
    state = evaluation.state
    for target, value, lazily in spec.updates:
        if lazily and value in state.values and not failed:
            shared[target] = state.values[value]
    ran = sum(state.ran.values(), Counter())
    may_run = sum((evaluation.may_run | state.ran).values(), Counter())
    return Result(ran, may_run, state.values, outputs, shared, failed)
