"""What a lazy graph must do, by naive memoised recursion.

Shares no code with thunkvm: plain Python on ints and lists.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

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
    """What one call does."""

    ran: Counter  # what is recorded by Python Ops, and ("native", kind) for built-in ones
    values: dict[int, object]
    outputs: list[object]
    shared: dict[int, object]
    failed: bool


def evaluate(spec: Spec, call: int, inputs: dict[int, object], failing: int | None) -> Result:
    """Pull semantics: a value is computed when it is asked for, once."""
    owners = spec.owners()
    first = {owners[v][0]: v for v in range(len(owners) - 1, -1, -1)}
    values: dict[int, object] = dict(inputs)
    ran: Counter = Counter()
    at: Counter = Counter()  # how far the script of an opaque node has run
    reduced: set[tuple[int, int]] = set()

    def fail(n: int) -> None:
        if n == failing:
            raise Failure

    def force(v: int) -> object:
        if v in values:
            return values[v]
        n, j = owners[v]
        node = spec.nodes[n]
        if node.kind == "cond":
            selector, modulus = node.ins[0], node.seed
            number = force(selector)
            if modulus:
                number %= modulus
                if (selector, modulus) not in reduced:
                    reduced.add((selector, modulus))
                    ran["native", "mod"] += 1
            values[v] = force(node.arms[arm_of(node.decoding, number, len(node.arms))][j])
        elif node.kind in ("reentrant", "generator"):
            steps = script(node, call)
            while v not in values or (at[n] < len(steps) and steps[at[n]][0] == "out"):
                fail(n)
                what, which = steps[at[n]]
                at[n] += 1
                if what == "ask":
                    for i in which:
                        force(node.ins[i])
                    continue
                asked = [i for step, batch in steps[: at[n]] if step == "ask" for i in batch]
                for k in which:
                    values[first[n] + k] = mixed(n, k, *(values[node.ins[i]] for i in asked))
                ran["lazy", n, tuple(which)] += 1
        else:
            got = [force(i) for i in node.ins]
            if node.kind in ("mix", "destroy"):
                fail(n)
                ran["op", n] += 1
            else:
                ran.update(native_ops(node))
            if node.kind == "mix":
                for k in range(node.outs):
                    values[first[n] + k] = mixed(n, k, *got)
            elif node.kind == "native":
                a, b = got
                values[v] = (a ^ b, a & b, max(a, b), a + b)[node.seed]
            elif node.kind == "small":
                values[v] = got[0] % 3
            elif node.kind == "vector":
                values[v] = [got[0], got[0] + 1, got[0] + 2]
            elif node.kind == "item":
                values[v] = got[0][node.seed]
            elif node.kind == "destroy":
                values[v] = [x + 1 for x in got[0]]
                for other in got[1:]:
                    values[v] = [x ^ y for x, y in zip(values[v], other, strict=True)]
            else:
                values[v] = [got[1] if i == node.seed else x for i, x in enumerate(got[0])]
        return values[v]

    shared: dict[int, object] = {}
    try:
        outputs = [force(v) for v in spec.outputs]
        for target, value, lazily in spec.updates:
            if not lazily:
                shared[target] = force(value)
    except Failure:
        return Result(ran, values, [], {}, True)
    for target, value, lazily in spec.updates:
        if lazily and value in values:
            shared[target] = values[value]
    return Result(ran, values, outputs, shared, False)
