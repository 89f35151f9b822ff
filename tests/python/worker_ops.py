"""Ops that tests send to other processes, which import them from here."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import thunkvm as tv


class Identity(tv.Op):
    """Return the input."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0]


class NotesWhereItIsRead(Identity):
    """Write a line with the process to a file for each time that a pickle of it is read."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        with self.path.open("a") as file:
            file.write(f"{os.getpid()}\n")


class KillsTheFirst(Identity):
    """Kill the first process that runs it."""

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        try:
            self.path.touch(exist_ok=False)
        except FileExistsError:
            super().perform(node, inputs, output_storage)
        else:
            os.kill(os.getpid(), signal.SIGKILL)
