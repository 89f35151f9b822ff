"""Ops that hold what was built of them, and whether they are collected."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN"]


class Double(tv.Op):
    """Twice its input, by `perform`."""

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 2.0


class DoubleByThunk(Double):
    """Twice its input, by `make_thunk`."""

    def make_thunk(self, node: Any, *lists: Any) -> Any:
        op, (_, output_computed, inputs, outputs) = self, lists

        def thunk() -> None:
            assert op is self
            outputs[0][0] = inputs[0][0] * 2.0
            output_computed[0][0] = 1

        return thunk


class DoubleByDemand(Double):
    """Twice its input, by `demand`."""

    def demand(self, node: Any) -> Any:
        return (yield 0) * 2.0


OPS = [Double, DoubleByThunk, DoubleByDemand]


def is_collected(make: Callable[[], Any]) -> bool:
    """Whether the object that `make` returns goes away once nobody holds it."""
    made = weakref.ref(make())
    gc.collect()
    return made() is None


class Model:
    """An object of a user's, which holds whatever is assigned to it."""

    big: Any


def array_type(model: Any) -> Any:
    class Arrays(tv.Type):
        def __init__(self) -> None:
            self.model = model

        def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
            return value

    return Arrays()


def an_op(model: Any) -> Any:
    op = Double()
    op.model = model  # type: ignore[attr-defined]
    return op(tv.vector("x"))


class Pass(tv.Op):
    """Its input as it is, of any Type."""

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0]
