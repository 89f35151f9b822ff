"""The runs of one implementation of a node, held against what another one gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from sys import getrefcount
from typing import Any, Protocol

import numpy as np

from thunkvm._core import Apply, Implementation
from thunkvm.checking.aliasing import copies, share, snapshot
from thunkvm.checking.comparison import disagreement
from thunkvm.checking.errors import BadThunkOutput, DebugModeError
from thunkvm.checking.layouts import LAYOUTS, Lent, input_layouts, lent
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


class Contract(Protocol):
    """The node as a run needs it: see `thunkvm.checking.contract.NodeContract`."""

    node: Apply
    checks: Checks

    def check_writes(self, inputs: list[Any], before: list[Any], way: str) -> Iterator[Finding]:
        """Find inputs that a run wrote to without saying so."""

    def check_outputs(self, inputs: list[Any], outputs: list[Any], way: str) -> Iterator[Finding]:
        """Find outputs that are no values of their Types, or share memory without saying so."""


#: What `getrefcount` says of an item of a list that nobody else has.
OWN_REFERENCES = getrefcount([object()][0]) + 1


class Run:
    """The runs of one implementation, held against what another one gave."""

    def __init__(
        self,
        contract: Contract,
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
        """Run it on copies of the inputs."""
        same = self._way.form == self._form
        check = "the same twice" if same else f"{self._form} and {self._way.form} agree"
        yield from self._compare_runs(check, copies(inputs), None, "on the same inputs")

    def lent(self, layout: str, inputs: list[Any]) -> Iterator[Finding]:
        """Run it with outputs that lie in this layout."""
        guarded = self._way.form != "kernel"  # which gets what owns its memory
        memory = lent(layout, self._contract.node, self._expected, guarded)
        if memory is not None:
            how = f"with preallocated outputs ({layout})"
            yield from self._compare_runs("preallocated outputs", copies(inputs), memory, how)

    def run_dying(self, inputs: list[Any]) -> Iterator[Finding]:
        """Run it on inputs whose memory it may take over."""
        how = "where it may take over the memory of its inputs"
        yield from self._compare_runs("dying inputs", copies(inputs), None, how, dying=True)

    def laid_out(self, inputs: list[Any]) -> Iterator[Finding]:
        """Run it on inputs of every layout."""
        for name, values in input_layouts(inputs):
            how = f"with inputs {name}"
            yield from self._compare_runs("inputs of every layout", values, None, how)

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
                yield self._make_finding(
                    "outputs stay",
                    how,
                    f"its second run wrote to output {j} of the first, whose memory it keeps. "
                    "Make the output anew in each run",
                )

    def _compare_runs(
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
            if way.form == "perform" and isinstance(error, NotImplementedError):
                return  # it says that there is none for this node
            text = f"it raised {type(error).__name__}: {error}; {self._form} computed a result"
            yield self._make_finding(check, how, text)
            return
        if not dying:
            yield from contract.check_writes(inputs, before, f"{way.form} {how}")
        if way.form == "c" and memory is None:
            yield from self._references(inputs, held, results, how)
        if memory is not None and (j := memory.overrun()) is not None:
            yield self._make_finding(
                check,
                how,
                f"it wrote beside the memory of output {j}: look at its shape and strides",
            )
        yield from contract.check_outputs(inputs, results, f"{way.form} {how}")

        def rerun(values: list[Any]) -> list[Any]:
            return way.run(values)

        found = disagreement(
            contract.node, _restore_inputs(inputs, before), self._expected, results, rerun
        )
        if found is not None:
            yield other_value(contract.node, way.form, how, self._form, found, check)
        elif contract.checks.matching_strides and memory is None and not dying:
            yield from self._strides(results, check, how)

    def _references(
        self, inputs: list[Any], held: list[int], results: list[Any], how: str
    ) -> Iterator[Finding]:
        """Find arrays that the C holds on to, or let go of too often."""
        for i in range(len(inputs)):  # no name of ours may hold them
            kept = getrefcount(inputs[i]) - held[i]
            # np.True_ is one object, whoever returns it.
            if kept == 0 or any(inputs[i] is r or share(inputs[i], r) for r in results):
                continue
            if any(getattr(r, "base", None) is inputs[i] for r in results):
                continue  # a view without elements, which share no memory
            what = "kept" if kept > 0 else "dropped"
            advice = "Py_DECREF what you Py_INCREF" if kept > 0 else "its references are not yours"
            text = f"it {what} {abs(kept)} references to input {i}: {advice}"
            yield self._make_finding("references", how, text)
        for j in range(len(results)):
            if any(results[j] is value for value in inputs):
                continue  # which `view_map` allows, or another check finds
            if isinstance(results[j], np.ndarray) and getrefcount(results[j]) > OWN_REFERENCES:
                text = f"it kept a reference to output {j}, whose memory is never let go"
                yield self._make_finding("references", how, text)

    def _strides(self, results: list[Any], check: str, how: str) -> Iterator[Finding]:
        for j, (value, other) in enumerate(zip(results, self._expected, strict=True)):
            if isinstance(value, np.ndarray) and value.strides != getattr(other, "strides", None):
                text = (
                    f"output {j} has strides {value.strides}, that of {self._form} {other.strides}"
                )
                yield self._make_finding(check, how, text)

    def _make_finding(self, check: str, how: str, text: str) -> Finding:
        return Finding(check, BadThunkOutput, f"{self._way.form}, {how}: {text}.")


def other_value(
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


def _restore_inputs(inputs: list[Any], before: list[Any]) -> list[Any]:
    return [value if copy is None else copy for value, copy in zip(inputs, before, strict=True)]


def _writable(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.flags.writeable and value.size > 0
