"""How the nodes of a linked function run: in NumPy, and in the C of users."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thunkvm import _core
from thunkvm._core import Function, Variable
from thunkvm._src.calls.mode import Mode


@dataclass(frozen=True)
class Relinker:
    """Links a function again, without an observer: see `thunkvm.checking.observer.Relink`."""

    inputs: list[Variable]
    #: The values that the function computes: its outputs, then the values of its updates.
    outputs: list[Variable]

    def __call__(
        self,
        rewrites: Sequence[str] = (),
        outputs: Sequence[Variable] | None = None,
        conditional: Sequence[tuple[Variable, Variable]] = (),
    ) -> Function:
        """Make a function of the outputs, or of others from the same inputs."""
        return _core.link(
            _core.Graph(self.inputs, self.outputs if outputs is None else outputs, (), conditional),
            Mode(compile="never", features=frozenset(rewrites)),
            _core.Interface(performs=perform_of, c_code=CCode()),
        )


def perform_of(node: _core.Apply) -> Any:
    """Return the NumPy implementation of a built-in Op's node, or None."""
    from thunkvm._src.arrays.perform import PERFORMS

    maker = PERFORMS.get(node.op.name)
    return None if maker is None else maker(node)


class CCode:
    """Makes what compiles the C of nodes of users' Ops, where there are any."""

    def __init__(self) -> None:
        self.nodes: Any = None

    def __call__(self) -> Any:
        from thunkvm.c.compiling import CNodes

        self.nodes = CNodes()
        return self.nodes

    def check_compiler(self, roots: list[Variable], error: NotImplementedError) -> None:
        """Raise another error where a mode has nothing to run for want of a compiler."""
        from thunkvm.c.compiling import check_compiler

        check_compiler(roots, error)

    def annotate(self, function: _core.Function) -> None:
        """Give a function that was linked what is said of its nodes, by their index."""
        notes: dict[int, Any] = {}
        if self.nodes is not None:
            notes = {
                i: note
                for i, output in enumerate(function._nodes)
                if (note := self.nodes.notes.get(hash(output.owner))) is not None
            }
        if kernels := sys.modules.get("thunkvm.c.kernel_source"):
            notes |= kernels.notes_of(function)
        if notes:
            function._c_notes = notes


__all__ = ["CCode", "Relinker", "perform_of"]
