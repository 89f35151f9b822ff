"""Random webs of objects, Ops, Variables, nodes and functions: what nobody can reach is collected.

Each web notes, while it is made, what refers to what. Then all but a few of its things are let go,
and what lives after one collection has to be exactly what these few reach.
"""

from __future__ import annotations

import gc
import random
import weakref
from typing import Any

import pytest

import thunkvm as tv


class Box:
    """An object of a user's."""

    def __init__(self) -> None:
        self.held: list[Any] = []


class Blend(tv.Op):
    """An Op of any inputs, which holds whatever is put into `held`."""

    def __init__(self) -> None:
        self.held: list[Any] = []

    def make_node(self, *inputs: Any) -> tv.Apply:
        return tv.Apply(self, inputs, [tv.GenericType()(), tv.GenericType()()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        for slot in output_storage:
            slot[0] = None


class Kind(tv.Type):
    """A Type of a user's, which holds whatever is put into `held`."""

    def __init__(self) -> None:
        self.held: list[Any] = []

    def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
        return value


class Web:
    """Things by number, what each refers to, and who can be watched."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.things: list[Any] = []
        self.refers: list[set[int]] = []
        for _ in range(self.rng.randint(10, 60)):
            rng = self.rng
            make = rng.choice([self.box, self.op, self.leaf, self.node, self.node, self.function])
            make()
        for holder, thing in enumerate(self.things):
            if isinstance(thing, (Box, Blend, Kind)):
                for other in self.some(rng.randint(0, 3)):
                    thing.held.append(self.things[other])
                    self.refers[holder].add(other)

    def some(self, count: int) -> list[int]:
        return [self.rng.randrange(len(self.things)) for _ in range(count)]

    def add(self, thing: Any, refers: set[int]) -> int:
        self.things.append(thing)
        self.refers.append(refers)
        return len(self.things) - 1

    def of(self, kind: type, make: Any) -> int:
        """Return the number of a thing of this kind, which may be a new one."""
        found = [i for i, thing in enumerate(self.things) if isinstance(thing, kind)]
        return self.rng.choice(found) if found and self.rng.random() < 0.8 else make()

    def box(self) -> int:
        return self.add(Box(), set())

    def op(self) -> int:
        return self.add(Blend(), set())

    def kind(self) -> int:
        return self.add(Kind(), set())

    def leaf(self) -> int:
        way = self.rng.choice(["input", "constant", "shared", "typed", "typed shared"])
        if way == "input":
            return self.add(tv.generic(), set())
        if way.startswith("typed"):
            kind = self.of(Kind, self.kind)
            if way == "typed":
                return self.add(self.things[kind](), {kind})
            box = self.of(Box, self.box)
            made = tv._core.shared_variable(self.things[kind], self.things[box], None, True)
            return self.add(made, {kind, box})
        box = self.of(Box, self.box)
        value = self.things[box]
        if way == "constant":
            return self.add(tv.constant(value, type=tv.GenericType()), {box})
        return self.add(tv.shared(value, borrow=True), {box})

    def node(self) -> int:
        op = self.of(Blend, self.op)
        inputs = [self.of(tv.Variable, self.leaf) for _ in range(self.rng.randint(1, 3))]
        # A Variable, a node and an input that a later one has of them keep the same things alive.
        outputs = self.things[op](*(self.things[i] for i in inputs))
        self.add(outputs[0].owner, {op, *inputs})
        first = self.add(outputs[0], {op, *inputs})
        self.add(outputs[1], {op, *inputs})
        return first

    def function(self) -> int:
        roots = [self.of(tv.Variable, self.leaf) for _ in range(self.rng.randint(1, 2))]
        variables = [self.things[i] for i in roots]
        free = [v for v in tv._core.leaves(variables) if v.leaf == "input"]
        mode = self.rng.choice(["py", "vm", "cvm", "cvm_nogc"])
        made = tv.function(free, variables, mode=mode, on_unused_input="ignore")
        return self.add(made, set(roots))

    def reached(self, roots: list[int]) -> set[int]:
        seen, todo = set(roots), list(roots)
        while todo:
            new = self.refers[todo.pop()] - seen
            seen |= new
            todo.extend(new)
        return seen


def is_whole(thing: Any) -> bool:
    """Whether the collector left a thing as it was."""
    return bool(thing.name) if isinstance(thing, tv.Function) else hasattr(thing, "held")


@pytest.mark.parametrize("seed", range(200))
def test_what_nobody_reaches_is_collected_and_nothing_else(seed: int) -> None:
    gc.collect()
    web = Web(seed)
    kept = web.some(web.rng.randint(0, 2))
    expected = web.reached(kept)
    watched = {
        i: weakref.ref(thing)
        for i, thing in enumerate(web.things)
        if isinstance(thing, (Box, Blend, Kind, tv.Function))
    }
    held = [web.things[i] for i in kept]
    web.things.clear()
    gc.collect()
    alive = {i for i, reference in watched.items() if reference() is not None}
    assert alive == expected & watched.keys()
    assert all(is_whole(watched[i]()) for i in alive)
    del held
    gc.collect()
    assert [i for i, reference in watched.items() if reference() is not None] == []
