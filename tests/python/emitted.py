"""What tests ask of emitted code."""

from __future__ import annotations

from typing import Any

import thunkvm as tv

C = tv.Mode("c")
KERNELS = tv.Mode("cvm", compile="never")


def forms(function: Any) -> list[tuple[str, str, str]]:
    """The Op, form and region of each node."""
    return [(row.op, row.form, row.code) for row in function.explain().nodes]


def loops(function: Any) -> set[str]:
    """The Ops of the nodes that are members of loops."""
    return {op for op, form, _ in forms(function) if form == "fused"}


def runs(function: Any) -> list[tuple[str, int]]:
    return [(row[0], row[-1]) for row in function.node_runs()]


def both(inputs: list[Any], outputs: Any, mode: tv.Mode | str = C) -> tuple[Any, Any]:
    """The function as emitted code, and on its kernels."""
    return tv.function(inputs, outputs, mode=mode), tv.function(inputs, outputs, mode=KERNELS)


def outlined(source: str, name: str = "function_0") -> str:
    """The C of one function of a module."""
    start = source.index(f"u32 {name}(")
    return source[start : source.index("\n}\n", start)]
