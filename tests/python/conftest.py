"""Ops and a compiler that count their runs, for tests that say what ran."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

sys.path.insert(0, str(Path(__file__).parent))  # for the modules that the tests share

from compilers import Compiler


class Counting(tv.Op):
    """A function of NumPy's, with a gradient, that remembers how often it ran."""

    def __init__(self, function: Any = np.square, derivative: Any = lambda x: 2.0 * x) -> None:
        self.function = function
        self.derivative = derivative
        self.runs = 0

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        self.runs += 1
        output_storage[0][0] = self.function(inputs[0])

    def grad(self, inputs: list[Any], output_gradients: list[Any]) -> list[Any]:
        return [output_gradients[0] * self.derivative(inputs[0])]

    def batch(self, node: tv.Apply, inputs: list[Any], batched: list[bool]) -> Any:
        return [self(inputs[0])]


@pytest.fixture
def counting() -> type[Counting]:
    """The class of an Op that counts its runs: ``op = counting(); y = op(x); ...; op.runs``."""
    return Counting


@pytest.fixture
def compiler(tmp_path: Path) -> Iterator[Compiler]:
    """A compiler that counts, set as that of this process too."""
    made = Compiler(tmp_path)
    with tv.config.change(cc=str(made.path), cache_dir=made.cache):
        yield made
