"""The promises of an Op for a node, checked with the values of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Apply, Implementation, TensorType
from thunkvm.checking.aliasing import (
    aliased_outputs,
    changed_arrays,
    copies,
    undeclared_views,
)
from thunkvm.checking.comparison import disagreement
from thunkvm.checking.errors import (
    BadDestroyMap,
    BadInferShape,
    BadViewMap,
    Crash,
    InvalidValueError,
)
from thunkvm.checking.inferred import check_shapes
from thunkvm.checking.layouts import GAPLESS
from thunkvm.checking.observer import is_seen, text_of
from thunkvm.checking.runs import Checks, Finding, Run, other_value


class NodeContract:
    """The checks of one node.

    None of them runs another node: an implementation is run alone, on copies of the inputs that the
    node had.
    """

    def __init__(self, node: Apply, checks: Checks) -> None:
        self.node = node
        self.checks = checks
        self.is_users = not isinstance(node.op, _core.BuiltinOp)

    @cached_property
    def ways(self) -> list[Implementation]:
        """The ways in which the node may run; none of a lazy one's or a conditional's."""
        from thunkvm._src.calls.code_of_nodes import perform_of
        from thunkvm.c.compiling import CNodes

        if is_seen(self.node):
            return []
        compiled = CNodes if self.checks.c_code else None
        every = _core.implementations(self.node, perform_of, compiled)
        skipped = {"c", "kernel"} if not self.checks.c_code else set()
        skipped |= set() if self.checks.py_code else {"perform"}
        return [way for way in every if way.form not in skipped]

    def check_writes(self, inputs: list[Any], before: list[Any], way: str) -> Iterator[Finding]:
        """Find inputs that a run wrote to without saying so."""
        destroyed = {i for inputs in _map_of(self.node, "destroy_map").values() for i in inputs}
        for i, change in changed_arrays(inputs, before):
            if i not in destroyed:
                yield Finding(
                    "undeclared writes",
                    BadDestroyMap,
                    f"{way} wrote to input {i}, {text_of(self.node.inputs[i])}: {change}. Say "
                    f"destroy_map = {{0: [{i}]}} if output 0 is made in its memory, or work on a "
                    "copy.",
                )

    def check_outputs(self, inputs: list[Any], outputs: list[Any], way: str) -> Iterator[Finding]:
        """Find outputs that are no values of their Types, or share memory without saying so."""
        yield from self._invalid(outputs, way)
        if not self.is_users:  # whose memory the machine looks after
            return
        for j, i in undeclared_views(self.node, inputs, outputs):
            yield Finding(
                "undeclared views",
                BadViewMap,
                f"output {j} of {way} shares memory with input {i}, "
                f"{text_of(self.node.inputs[i])}. Say view_map = {{{j}: [{i}]}}, or return a copy.",
            )
        for j, k in aliased_outputs(self.node, outputs):
            yield Finding(
                "outputs apart",
                BadViewMap,
                f"outputs {j} and {k} of {way} share memory: whoever writes to one changes the "
                "other. Return a copy in one of them.",
            )

    def _invalid(self, outputs: list[Any], way: str) -> Iterator[Finding]:
        for j, value in enumerate(outputs):
            type_ = self.node.outputs[j].type
            wrong = _misfit(type_, value)
            if not wrong and self.checks.isfinite and not _finite(value):
                wrong = "it has a NaN or an infinity, which check_isfinite=True does not allow"
            if wrong:
                yield Finding(
                    "valid outputs",
                    InvalidValueError,
                    f"output {j} of {way} is no value of its Type, {type_}: {wrong}.",
                )

    def check_ways(
        self,
        inputs: list[Any],
        outputs: list[Any],
        form: str,
        doing: Callable[[str], None] | None = None,
    ) -> Iterator[Finding]:
        """Run each implementation, on copies of the inputs and in memory of every layout.

        Parameters
        ----------
        inputs, outputs : list
            Those of a run, which nothing here writes to.
        form : str
            What that run was: "kernel", "c", "perform" or "emitted C".
        doing : callable, optional
            Told of each run before it begins.
        """
        for way in self.ways:
            run = Run(self, way, outputs, form, doing)
            yield from run.alone(inputs)
            if run.failed or (way.form == "perform" and not self.is_users):
                continue
            for layout in self.checks.layouts:
                if layout in GAPLESS or way.form != "kernel":
                    yield from run.lent(layout, inputs)
            if way.form == "kernel":
                yield from run.run_dying(inputs)
            if self.is_users:
                yield from run.laid_out(inputs)
                yield from run.kept_memory(inputs)

    def check_shapes(self, inputs: list[Any], outputs: list[Any]) -> Iterator[Finding]:
        """Hold the shapes that a user's Op infers against those of its outputs."""
        if is_seen(self.node) or not self.is_users:
            return
        try:
            check_shapes(self.node, inputs, outputs)
        except Exception as error:  # what is wrong, or of the user's code: told as a finding
            yield Finding("infer_shape", BadInferShape, f"{type(error).__name__}: {error}")

    def check_again(self, inputs: list[Any], outputs: list[Any], form: str) -> Iterator[Finding]:
        """Run the other implementations once; of a built-in Op's, its `perform` alone.

        For inputs that lie in memory as earlier ones did, with which `check_ways` found nothing.
        """
        for way in self.ways:
            if way.form == form:
                continue
            if self.is_users:
                yield from Run(self, way, outputs, form, None).alone(inputs)
            elif way.form == "perform":
                found = disagreement(self.node, inputs, outputs, way.run(inputs), way.run)
                if found is not None:
                    yield other_value(self.node, way.form, "on the same inputs", form, found)

    def crash(self, inputs: list[Any]) -> Iterator[Finding]:
        """Try the user's C in a child process, with all that the other checks do."""
        from thunkvm.checking import errors
        from thunkvm.checking.child import try_work

        ways = [way for way in self.ways if self.is_users and way.form in ("c", "kernel")]
        if not ways:
            return

        def work(doing: Callable[[str], None]) -> list[str] | None:
            for way in ways:
                doing("when it ran for the first time")
                outputs = way.run(copies(inputs))
                for found in self.check_ways(inputs, outputs, way.form, doing):
                    return [found.check, found.error.__name__, found.text]
            return None

        ending = try_work(work)
        if ending.how is not None:
            yield Finding(
                "no crash",
                Crash,
                f"the C code, tried in a child process, {ending.how}. tv.config.c_debug = True "
                "builds it for a debugger.",
            )
        elif ending.answer is not None:  # which may not be so here, where memory is as it is
            check, error, text = ending.answer
            yield Finding(check, getattr(errors, error), text)


def _map_of(node: Apply, name: str) -> dict[int, list[int]]:
    return getattr(node.op, name, None) or {}


def _misfit(type_: Any, value: Any) -> str:
    """Say why a value is none of a Type; empty if it is one."""
    if not isinstance(type_, TensorType):
        return ""  # the machine has asked its filter
    array = np.asarray(value)
    if array.dtype != type_.dtype:
        return f"its dtype is {array.dtype}"
    if array.ndim != type_.ndim:
        return f"it has {array.ndim} dimensions"
    for axis, (length, wanted) in enumerate(zip(array.shape, type_.shape, strict=True)):
        if wanted is not None and length != wanted:
            return f"its length along axis {axis} is {length}, where {wanted} is declared"
    return ""


def _finite(value: Any) -> bool:
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "fc":
        return True
    return bool(np.isfinite(value).all())


__all__ = ["Checks", "Finding", "NodeContract"]
