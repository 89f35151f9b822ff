"""The names of the reference have examples; those that have none yet are listed, and it falls."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import thunkvm as tv

ROOMS = {
    "": tv, "fft.": tv.fft, "nn.": tv.nn, "optimize.": tv.optimize, "random.": tv.random,
    "testing.": tv.testing,
}  # fmt: skip

#: Names without an example. Take out a name when it gets one, and put none in.
WITHOUT_EXAMPLE = {
    "Apply", "CompileError", "DisagreementError", "ExternalCOp", "Function", "GenericType",
    "NoCompilerError", "TensorType", "Type", "Variable", "memory", "optimize.Number",
    "reset_peak_memory", "testing", "testing.OpError", "testing.OpReport", "testing.Row",
}  # fmt: skip


def without_example() -> Iterator[str]:
    """Yield the public names whose documentation has no example."""
    for prefix, room in ROOMS.items():
        for name in room.__all__:
            value = getattr(room, name)
            if not name.startswith("__") and ">>>" not in (inspect.getdoc(value) or ""):
                yield prefix + name


def test_every_public_name_has_an_example_but_those_that_are_listed() -> None:
    assert set(without_example()) == WITHOUT_EXAMPLE
