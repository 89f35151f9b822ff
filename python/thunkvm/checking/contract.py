"""What an Op promises of a node, checked with the values of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from sys import getrefcount
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Apply, Implementation, TensorType
from thunkvm.checking.aliasing import (
    aliased_outputs,
    copies,
    share,
    snapshot,
    undeclared_views,
    written,
)
from thunkvm.checking.comparison import disagreement
from thunkvm.checking.errors import (
    BadDestroyMap,
    BadInferShape,
    BadThunkOutput,
    BadViewMap,
    Crash,
    DebugModeError,
    InvalidValueError,
)
from thunkvm.checking.inferred import check_shapes
from thunkvm.checking.layouts import GAPLESS, LAYOUTS, Lent, input_layouts, lent
from thunkvm.checking.observer import text_of


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong that a check found.

    Attributes
    ----------
    check : str
        Which check, in a word or two.
    error : type
        What `DebugMode` raises for it.
    text : str
        What is wrong, the values, and what to do.
    """

    check: str
    error: type[DebugModeError]
    text: str


@dataclass(frozen=True, slots=True)
class Checks:
    """Which checks there are: the options of `DebugMode`, which says what they mean."""

    c_code: bool = True
    py_code: bool = True
    isfinite: bool = False
    layouts: tuple[str, ...] = LAYOUTS
    matching_strides: bool = False


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
        from thunkvm._src.calls.function import perform_of
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
        for i, change in written(inputs, before):
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
            run = _Run(self, way, outputs, form, doing)
            yield from run.alone(inputs)
            if run.failed or (way.form == "perform" and not self.is_users):
                continue
            for layout in self.checks.layouts:
                if layout in GAPLESS or way.form != "kernel":
                    yield from run.lent(layout, inputs)
            if way.form == "kernel":
                yield from run.dying(inputs)
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
                yield from _Run(self, way, outputs, form, None).alone(inputs)
            elif way.form == "perform":
                found = disagreement(self.node, inputs, outputs, way.run(inputs), way.run)
                if found is not None:
                    yield _other(self.node, way.form, "on the same inputs", form, found)

    def crash(self, inputs: list[Any]) -> Iterator[Finding]:
        """Try the user's C in a child process, with all that the other checks do."""
        from thunkvm.checking.child import crash_of

        ways = [way for way in self.ways if self.is_users and way.form in ("c", "kernel")]
        if not ways:
            return

        def work(doing: Callable[[str], None]) -> None:
            for way in ways:
                doing("when it ran for the first time")
                outputs = way.run(copies(inputs))
                for _ in self.check_ways(inputs, outputs, way.form, doing):
                    pass

        how = crash_of(work)
        if how is not None:
            yield Finding(
                "no crash",
                Crash,
                f"the C code, tried in a child process, {how}. tv.config.c_debug = True builds it "
                "for a debugger.",
            )


#: What `getrefcount` says of an item of a list that nobody else has.
OWN_REFERENCES = getrefcount([object()][0]) + 1


class _Run:
    """The runs of one implementation, held against what another one gave."""

    def __init__(
        self,
        contract: NodeContract,
        way: Implementation,
        outputs: list[Any],
        form: str,
        doing: Callable[[str], None] | None,
    ) -> None:
        self._contract = contract
        self._way = way
        self._expected = outputs
        self._form = form
        self._doing = doing
        self.failed = False

    def alone(self, inputs: list[Any]) -> Iterator[Finding]:
        same = self._way.form == self._form
        check = "the same twice" if same else f"{self._form} and {self._way.form} agree"
        yield from self._compared(check, copies(inputs), None, "on the same inputs")

    def lent(self, layout: str, inputs: list[Any]) -> Iterator[Finding]:
        guarded = self._way.form != "kernel"  # which gets what owns its memory
        memory = lent(layout, self._contract.node, self._expected, guarded)
        if memory is not None:
            how = f"with preallocated outputs ({layout})"
            yield from self._compared("preallocated outputs", copies(inputs), memory, how)

    def dying(self, inputs: list[Any]) -> Iterator[Finding]:
        how = "where it may take over the memory of its inputs"
        yield from self._compared("dying inputs", copies(inputs), None, how, dying=True)

    def laid_out(self, inputs: list[Any]) -> Iterator[Finding]:
        for name, values in input_layouts(inputs):
            how = f"with inputs {name}"
            yield from self._compared("inputs of every layout", values, None, how)

    def kept_memory(self, inputs: list[Any]) -> Iterator[Finding]:
        """Find an implementation that writes to what it gave in an earlier run."""
        first, how = self._way.run(copies(inputs)), "when it ran twice"
        saved = [np.array(value) if _writable(value) else None for value in first]
        for value, copy in zip(first, saved, strict=True):
            if copy is not None:
                value.fill(0)
        second = self._way.run(copies(inputs))
        for j, (value, copy) in enumerate(zip(first, saved, strict=True)):
            if copy is None:
                continue
            rewritten = share(value, second[j]) and bool(value.any())
            np.copyto(value, copy)
            if rewritten:
                yield self._finding(
                    "outputs stay",
                    how,
                    f"its second run wrote to output {j} of the first, whose memory it keeps. "
                    "Make the output anew in each run",
                )

    def _compared(
        self,
        check: str,
        inputs: list[Any],
        memory: Lent | None,
        how: str,
        dying: bool = False,
    ) -> Iterator[Finding]:
        contract, way = self._contract, self._way
        before = snapshot(inputs)
        held = [getrefcount(inputs[i]) for i in range(len(inputs))]
        if self._doing is not None:
            self._doing(f"when {way.form} ran {how}")
        try:
            results = way.run(inputs, None if memory is None else memory.arrays, dying)
        except Exception as error:  # of the user's code: told as a finding
            self.failed = True
            text = f"it raised {type(error).__name__}: {error}; {self._form} computed a result"
            yield self._finding(check, how, text)
            return
        if not dying:
            yield from contract.check_writes(inputs, before, f"{way.form} {how}")
        if way.form == "c" and memory is None:
            yield from self._references(inputs, held, results, how)
        if memory is not None and (j := memory.overrun()) is not None:
            yield self._finding(
                check,
                how,
                f"it wrote beside the memory of output {j}: look at its shape and strides",
            )
        yield from contract.check_outputs(inputs, results, f"{way.form} {how}")

        def rerun(values: list[Any]) -> list[Any]:
            return way.run(values)

        found = disagreement(
            contract.node, _as_before(inputs, before), self._expected, results, rerun
        )
        if found is not None:
            yield _other(contract.node, way.form, how, self._form, found, check)
        elif contract.checks.matching_strides and memory is None and not dying:
            yield from self._strides(results, check, how)

    def _references(
        self, inputs: list[Any], held: list[int], results: list[Any], how: str
    ) -> Iterator[Finding]:
        """Find arrays that the C holds on to, or let go of too often."""
        for i in range(len(inputs)):  # no name of ours may hold them
            kept = getrefcount(inputs[i]) - held[i]
            if kept == 0 or any(share(inputs[i], result) for result in results):
                continue
            what = "kept" if kept > 0 else "dropped"
            advice = "Py_DECREF what you Py_INCREF" if kept > 0 else "its references are not yours"
            text = f"it {what} {abs(kept)} references to input {i}: {advice}"
            yield self._finding("references", how, text)
        for j in range(len(results)):
            if any(results[j] is value for value in inputs):
                continue  # which `view_map` allows, or another check finds
            if isinstance(results[j], np.ndarray) and getrefcount(results[j]) > OWN_REFERENCES:
                text = f"it kept a reference to output {j}, whose memory is never let go"
                yield self._finding("references", how, text)

    def _strides(self, results: list[Any], check: str, how: str) -> Iterator[Finding]:
        for j, (value, other) in enumerate(zip(results, self._expected, strict=True)):
            if isinstance(value, np.ndarray) and value.strides != getattr(other, "strides", None):
                text = (
                    f"output {j} has strides {value.strides}, that of {self._form} {other.strides}"
                )
                yield self._finding(check, how, text)

    def _finding(self, check: str, how: str, text: str) -> Finding:
        return Finding(check, BadThunkOutput, f"{self._way.form}, {how}: {text}.")


def _other(
    node: Apply, way: str, how: str, form: str, found: tuple[int, str], check: str = ""
) -> Finding:
    """Return that an implementation gives something else than what ran."""
    j, difference = found
    name = text_of(node.outputs[j])
    return Finding(
        check or f"{form} and {way} agree",
        BadThunkOutput,
        f"{way}, {how}: output {j}, {name}, is not what {form} gave (first): {difference}.",
    )


def is_seen(node: Apply) -> bool:
    """Whether what a node does shows outside, as what `print_` prints: nobody runs it again."""
    return bool(getattr(node.op, "is_seen", False))


def _as_before(inputs: list[Any], before: list[Any]) -> list[Any]:
    return [value if copy is None else copy for value, copy in zip(inputs, before, strict=True)]


def _writable(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.flags.writeable and value.size > 0


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
