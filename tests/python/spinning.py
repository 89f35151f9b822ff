"""An Op that takes as long as one says, on a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import thunkvm as tv
from thunkvm import _core


@contextmanager
def standing_clock() -> Iterator[None]:
    """Let the time that profiles see stand still, but for what `Spin` takes."""
    _core._testing.stop_clock(True)
    try:
        yield
    finally:
        _core._testing.stop_clock(False)


class Spin(tv.Op):
    """Returns its input after so many seconds."""

    __props__ = ("seconds", "name")

    def __init__(self, seconds: float, name: str = "") -> None:
        self.seconds = seconds
        self.name = name

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        _core._testing.advance_clock(self.seconds)
        output_storage[0][0] = inputs[0]
