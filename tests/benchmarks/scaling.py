"""What grows with a program: its cost per item stays what it is at n, 2n and 4n items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from timing import once

import thunkvm as tv

Row = tuple[str, float]

SIZES = (2_500, 5_000, 10_000)
LINKED = tv.Mode("cvm", compile="never")


def scalars(n: int, name: str) -> list[tv.Variable]:
    """Variables with names of their own."""
    return [tv.scalar(f"{name}{i}") for i in range(n)]


def conditionals(n: int) -> Callable[[], object]:
    """Link conditionals on one selector, each a branch of its own in the graph."""
    c, x = tv.scalar("c"), tv.scalar("x")
    picked = [tv.ifelse(c, tv.sin(x + float(i)), tv.cos(x + float(i))) for i in range(n)]
    return lambda: tv.function([c, x], picked, mode=LINKED)


def nested(n: int) -> Callable[[], object]:
    """Link a chain of conditionals on one selector, each in need of the one before."""
    c, x = tv.scalar("c"), tv.scalar("x")
    y = x
    for _ in range(n):
        y = tv.ifelse(c, tv.sin(y), tv.cos(y)) + 1.0
    return lambda: tv.function([c, x], y, mode=LINKED)


def inputs(n: int) -> Callable[[], object]:
    """Link a function of many inputs."""
    variables = scalars(n, "x")
    total = tv.stack(variables).sum()
    return lambda: tv.function(variables, total, mode=LINKED)


def keywords(n: int) -> Callable[[], object]:
    """Call a function of many inputs by their names."""
    variables = scalars(n, "x")
    f = tv.function(variables, tv.stack(variables).sum(), mode=LINKED)
    arguments: dict[str, Any] = {f"x{i}": 1.0 for i in range(n)}
    return lambda: f(**arguments)


def givens(n: int) -> Callable[[], object]:
    """Link with many variables replaced."""
    old, new = scalars(n, "x"), scalars(n, "y")
    total = tv.stack(old).sum()
    replaced = {before: 2.0 * after for before, after in zip(old, new, strict=True)}
    return lambda: tv.function(new, total, givens=replaced, mode=LINKED)


def updates(n: int) -> Callable[[], object]:
    """Link with many shared variables updated."""
    shared = [tv.shared(0.0, f"s{i}") for i in range(n)]
    return lambda: tv.function([], updates={s: s + 1.0 for s in shared}, mode=LINKED)


def else_if_chain(n: int) -> tuple[list[tv.Variable], tv.Variable]:
    """Clauses with a parameter of their own, and the value of the one that is taken."""
    x, *parameters = variables = [tv.scalar("x"), *scalars(n, "p")]
    value = tv.exp(x)
    for i in reversed(range(n)):
        value = tv.ifelse(x > float(i), tv.sin(x * parameters[i]), value)
    return variables, value


def clause_gradients(n: int) -> Callable[[], object]:
    """Differentiate an else-if chain."""
    variables, value = else_if_chain(n)
    return lambda: tv.grad(value, variables)


def clause_links(n: int) -> Callable[[], object]:
    """Link the gradients of an else-if chain."""
    variables, value = else_if_chain(n)
    gradients = tv.grad(value, variables)
    return lambda: tv.function(variables, gradients, mode=LINKED)


PROGRAMS: dict[str, Callable[[int], Callable[[], object]]] = {
    "link, conditionals": conditionals,
    "link, nested conditionals": nested,
    "link, inputs": inputs,
    "link, givens": givens,
    "link, updates": updates,
    "call, arguments by name": keywords,
    "grad, else-if clauses": clause_gradients,
    "link, gradients of clauses": clause_links,
}


def scaling() -> Iterator[Row]:
    """Per item: a row that grows from n to 4n is not linear."""
    for what, build in PROGRAMS.items():
        for n in SIZES:
            yield f"scaling: {what}, n = {n:,}", once(build(n)) / n
