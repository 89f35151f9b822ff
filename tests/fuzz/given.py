"""What the calls of a spec are given: random values, by numbers of values."""

from __future__ import annotations

import random

from spec import SCALAR, Node, Spec


def initial(node: Node, seed: int) -> int | list[int]:
    """The value of an input or of a shared variable."""
    rng = random.Random(seed)
    return (
        rng.randrange(1 << 20)
        if node.rank == SCALAR
        else [rng.randrange(1 << 20) for _ in range(3)]
    )


def shared_values(spec: Spec) -> dict[int, object]:
    """What the shared variables hold before the first call."""
    nodes = {v: spec.nodes[n] for v, (n, _) in enumerate(spec.owners())}
    return {v: initial(node, v) for v, node in nodes.items() if node.kind == "shared"}


def arguments(spec: Spec, call: int) -> dict[int, object]:
    """What the inputs are given in a call."""
    nodes = {v: spec.nodes[n] for v, (n, _) in enumerate(spec.owners())}
    return {v: initial(node, call + v) for v, node in nodes.items() if node.kind == "input"}
