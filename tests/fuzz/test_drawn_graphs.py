"""Random graphs of draws from one generator: which run, in which order, with which numbers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN", tv.Mode("cvm", "fast_run", compile="now"), "DebugMode"]
N_SELECTORS, N_NODES, N_CALLS = 4, 12, 6

#: A node by its kind and its operands: ("draw",), ("add", i, j), ("ifelse", selector, i, j).
Node = tuple[Any, ...]


def graph(rng: random.Random) -> tuple[list[Node], list[int]]:
    """Return nodes, each of earlier ones, and which of them are outputs."""
    nodes: list[Node] = [("draw",)]
    for _ in range(N_NODES):
        i, j = (rng.randrange(len(nodes)) for _ in range(2))
        kind = rng.choice(["draw", "add", "ifelse", "ifelse"])
        nodes.append(
            {
                "draw": ("draw",),
                "add": ("add", i, j),
                "ifelse": ("ifelse", rng.randrange(N_SELECTORS), i, j),
            }[kind]
        )
    return nodes, [rng.randrange(len(nodes)) for _ in range(rng.randint(1, 3))]


def built(nodes: list[Node], generator: Any, selectors: list[Any]) -> list[Any]:
    made: list[Any] = []
    for kind, *operands in nodes:
        if kind == "draw":
            made.append(generator.random())
        elif kind == "add":
            made.append(made[operands[0]] + made[operands[1]])
        else:
            selector, i, j = operands
            made.append(tv.ifelse(selectors[selector], made[i], made[j]))
    return made


def demanded(nodes: list[Node], outputs: list[int], selectors: list[int]) -> set[int]:
    """Return the nodes that run: those that an output needs with these selectors."""
    needed, stack = set(), list(outputs)
    while stack:
        at = stack.pop()
        if at in needed:
            continue
        needed.add(at)
        kind, *operands = nodes[at]
        if kind == "add":
            stack += operands
        elif kind == "ifelse":
            selector, i, j = operands
            stack.append(i if selectors[selector] else j)
    return needed


def values(
    nodes: list[Node], needed: set[int], selectors: list[int], expected: np.random.Generator
) -> dict[int, float]:
    """Return the nodes' values, where draws that run are drawn in their order."""
    found: dict[int, float] = {}
    for at in sorted(needed):
        kind, *operands = nodes[at]
        if kind == "draw":
            found[at] = expected.random()
        elif kind == "add":
            found[at] = found[operands[0]] + found[operands[1]]
        else:
            selector, i, j = operands
            found[at] = found[i if selectors[selector] else j]
    return found


@pytest.mark.parametrize("mode", MODES, ids=[str(i) for i in range(len(MODES))])
def test_draws_that_are_demanded_are_drawn_in_their_order(
    mode: Any, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 4 + 1):
        rng = random.Random(seed)
        nodes, outputs = graph(rng)
        generator, expected = tv.random.Generator(seed), np.random.default_rng(seed)
        selectors = [tv.lscalar(f"s{i}") for i in range(N_SELECTORS)]
        made = built(nodes, generator, selectors)
        f = tv.function(selectors, [made[i] for i in outputs], mode=mode, on_unused_input="ignore")
        for call in range(N_CALLS):
            given = [rng.randint(0, 1) for _ in selectors]
            needed = demanded(nodes, outputs, given)
            want = values(nodes, needed, given, expected)
            assert f(*given) == [want[i] for i in outputs], (seed, call, nodes, outputs, given)
            assert generator.state == expected.bit_generator.state, (seed, call, nodes, outputs)


def test_draws_of_steps_are_drawn_in_their_order(fuzz_graphs: int, fuzz_seed: int) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 8 + 1):
        rng = random.Random(seed)
        nodes, outputs = graph(rng)
        generator, expected = tv.random.Generator(seed), np.random.default_rng(seed)

        def step(i: Any, total: Any, of: Any = (nodes, outputs, generator)) -> Any:
            nodes, outputs, generator = of
            bits = [(i >> k) % 2 for k in range(N_SELECTORS)]
            made = built(nodes, generator, bits)
            return total + sum((made[k] for k in outputs), 0.0)

        first, n = rng.randrange(16), rng.randint(0, 6)
        f = tv.function([], tv.fori_loop(first, first + n, step, 0.0))
        for call in range(2):
            total = 0.0
            for i in range(first, first + n):
                given = [(i >> k) % 2 for k in range(N_SELECTORS)]
                needed = demanded(nodes, outputs, given)
                want = values(nodes, needed, given, expected)
                total += sum((want[k] for k in outputs), 0.0)
            assert f() == pytest.approx(total, rel=1e-13), (seed, call, nodes, outputs, first, n)
            assert generator.state == expected.bit_generator.state, (seed, call, nodes, outputs)
