"""What the nodes of a random graph do, each by itself: the oracle and the built Ops share this."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from spec import Node


def mixed(*numbers: int) -> int:
    """A number below 2^24 that depends on all the numbers and their order."""
    return hash(tuple(int(n) for n in numbers)) & 0xFFFFFF


def script(node: Node, call: int, got: Sequence[int] = ()) -> list[tuple[str, list[int]]]:
    """What an opaque lazy node does in a call: ("ask", inputs) and ("out", outputs), in order.

    A third of them ask for the first input and go by it; what they do then is in the script once
    that is `got`.
    """
    rng = random.Random(node.seed * 7919 + call)
    asks, outs = list(range(len(node.ins))), list(range(node.outs))
    if node.seed % 3 == 0:
        first = [("ask", [asks.pop(0)])]
        if not got:
            return first
        rng.seed(mixed(node.seed, call, got[0]))
        return first + rest(node, rng, asks, outs)
    return rest(node, rng, asks, outs)


def rest(
    node: Node, rng: random.Random, asks: list[int], outs: list[int]
) -> list[tuple[str, list[int]]]:
    """A script that asks for some of these inputs and has all of these outputs."""
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
        return Counter(
            {("native", ("bitwise_xor", "bitwise_and", "maximum", "bitwise_or")[node.seed]): 1}
        )
    names = {
        "small": {"mod": 1},
        "vector": {"bitwise_xor": 2, "stack": 1},
        "item": {"subtensor": 1},
        "write": {"set_subtensor": 1},
    }
    return Counter({("native", name): n for name, n in names[node.kind].items()})


def arm_of(decoding: str, number: int, arms: int) -> int:
    """Which arm the selector's value picks."""
    if decoding == "truth":
        return int(number != 0)
    return number if number < arms else arms - 1


def runs_for_each_output(node: Node) -> bool:
    """Whether each output is a demand of its own."""
    return node.kind in ("cond", "attempt", "reentrant", "generator")


def fails(node: Node, inputs: Sequence[int]) -> bool:
    """Whether a node that is to fail does, for these inputs."""
    return node.kind != "mix" or not node.seed or mixed(*inputs) % 2 == 1


def goes_on(node: Node) -> bool:
    """Whether an opaque node goes on where computing an input failed."""
    return node.kind == "generator" and node.seed % 2 == 1
