"""`DebugMode`: every Op and rewrite is checked while a function runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm._core import BuiltinOp, Function
from thunkvm._src.calls.mode import Mode
from thunkvm.checking.aliasing import put_back, snapshot
from thunkvm.checking.allowance import Allowance
from thunkvm.checking.contract import Checks, Finding, NodeContract
from thunkvm.checking.layouts import layouts_of
from thunkvm.checking.observer import ABSENT, NodeObserver, Relink, is_seen, name_of
from thunkvm.checking.rewriting import Rewriting, check_order, rewritings

if TYPE_CHECKING:
    from thunkvm._rows import LinkerName, OptimizerName
    from thunkvm._src.calls.linkers import Linker
    from thunkvm._src.calls.mode import WhenCompiled

#: How many layouts of nodes' inputs are remembered; what is new beyond them is checked each time.
REMEMBERED = 100_000
#: A call that takes less is timed again: seconds.
SHORT = 1e-4
#: Calls by which a function is timed: one where Ops of users' run, who may see that they do.
ONCE, OFTEN = (1,), (1, 4, 16, 16)
#: In so many of its runs a node is checked in any case.
FIRST = 10


class DebugObserver(NodeObserver):
    """Checks each node that runs; raises at the first thing that is wrong."""

    def __init__(self, checks: Checks, patience: int, at_most: float | None) -> None:
        super().__init__()
        self._checks = checks
        self._patience = patience
        self._allowance = None if at_most is None else Allowance(at_most)
        self._plain: Function | None = None
        self._contracts: dict[int, NodeContract] = {}
        self._tried: set[int] = set()
        self._seen: set[tuple[Any, ...]] = set()
        self._rewritings: list[Rewriting] = []
        self.first = FIRST
        self.before = self._before
        self.after = self._after
        self.started = self._started
        self.finished = self._finished

    def attach_to(self, function: Function, relink: Relink) -> None:
        """Check what can be checked before the first call."""
        super().attach_to(function, relink)
        check_order(relink, function.mode.rewrites, self._patience)
        if any(is_seen(node) for node in self.nodes):
            return  # what follows would run it again
        if self._allowance is not None:
            self._plain = relink(function.mode.rewrites)
        self._rewritings = rewritings(relink, function.mode.rewrites)

    def _started(self, arguments: list[Any], spent: float) -> tuple[list[Any], float]:
        if self._allowance is not None:
            self._allowance.add_skipped(spent)
        return arguments, perf_counter()

    def _finished(self, outputs: Any, started: tuple[list[Any], float]) -> int | None:
        """Check the rewrites; return how many calls only new thunks are told of."""
        arguments, begin = started
        for rewriting in self._rewritings:
            rewriting.check_call(arguments)
        if self._plain is None or self._allowance is None:
            return None
        plain = _seconds_of(self._plain, arguments, ONCE if self._has_users_ops() else OFTEN)
        return self._allowance.skipped_after(perf_counter() - begin, plain)

    def _has_users_ops(self) -> bool:
        return any(not isinstance(node.op, BuiltinOp) for node in self.nodes)

    def _contract(self, index: int) -> NodeContract:
        contract = self._contracts.get(index)
        if contract is None:
            contract = self._contracts[index] = NodeContract(self.nodes[index], self._checks)
        return contract

    def _form(self, index: int) -> str:
        form = self.form(index)
        return "emitted C" if form in ("emitted", "fused") else form

    def _is_new(self, index: int, inputs: list[Any]) -> bool:
        """Whether a node gets arrays that lie in memory as none did that it has got before."""
        layout = (
            index,
            *((v.shape, v.strides) if isinstance(v, np.ndarray) else None for v in inputs),
        )
        if layout in self._seen:
            return False
        if len(self._seen) < REMEMBERED:
            self._seen.add(layout)
        return True

    def _before(self, index: int, inputs: list[Any]) -> tuple[bool, list[Any]]:
        new, contract = self._is_new(index, inputs), self._contract(index)
        if self._form(index) != "perform" and contract.is_users and index not in self._tried:
            self._tried.add(index)
            self._raise_first(index, contract.crash(inputs))
        return new, snapshot(inputs) if new or contract.is_users else []

    def _after(
        self, index: int, inputs: list[Any], outputs: list[Any], begun: tuple[bool, list[Any]]
    ) -> None:
        (new, before), contract, form = begun, self._contract(index), self._form(index)
        if before:
            findings = list(contract.check_writes(inputs, before, form))
            if findings:
                put_back(inputs, before)
            self._raise_first(index, iter(findings))
        if any(value is ABSENT for value in outputs):
            return  # of a lazy node, which is not done yet
        self._raise_first(index, contract.check_outputs(inputs, outputs, form))
        if any(value is ABSENT for value in inputs):
            return
        if not new:
            self._raise_first(index, contract.check_again(inputs, outputs, form))
            return
        self._raise_first(index, contract.check_ways(inputs, outputs, form))
        self._raise_first(index, contract.check_shapes(inputs, outputs))

    def _raise_first(self, index: int, findings: Iterator[Finding]) -> None:
        for finding in findings:
            node = self.nodes[index]
            raise finding.error(f"{name_of(node)}: check of {finding.check}: {finding.text}")


def _seconds_of(function: Function, arguments: list[Any], rounds: tuple[int, ...]) -> float:
    """Return how long a call takes: the best of some rounds of calls, fewer where it is long."""
    best, spent = float("inf"), 0.0
    for calls in rounds:
        begin = perf_counter()
        for _ in range(calls):
            function(*arguments)
        seconds = perf_counter() - begin
        best, spent = min(best, seconds / calls), spent + seconds
        if spent > SHORT:
            break
    return best


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DebugMode(Mode):
    """A mode that checks each Op that runs, and each rewrite, and stops at the first lie.

    A node that nobody demands does not run and is not checked. One that runs is run again for each
    check. That is so whenever its inputs have new shapes, strides or dtypes, in any call; and once
    for each implementation in its first ten runs. From then on it does so in as many calls as
    `at_most` leaves time for. What is checked of it:

    - its ways to run agree: emitted C, kernel, the user's C, ``perform``; each on inputs of every
      layout (an Op of the user's) and with preallocated outputs of every layout;
    - it writes to no input that ``destroy_map`` does not name;
    - no output shares memory with another output, or an output of an earlier run; nor with an input
      that ``view_map`` does not name;
    - outputs are values of their Types: dtype, number of dimensions, declared lengths; and have the
      shapes that `infer_shape` says;
    - the user's C is tried in a child process first: a crash is an error with the node.

    For the function: what a rewrite replaces has the value of what it puts there, bit for bit, in
    calls that compute both; and linking again gives the same program. NaNs are allowed unless
    `check_isfinite` is set: `NanGuardMode` looks for them.

    Parameters
    ----------
    optimizer : {"fast_run", "fast_compile"}, optional
        As for `Mode`.
    stability_patience : int
        How often the graph is linked, to see whether its order changes.
    check_c_code, check_py_code : bool
        Whether C and kernels run, and whether ``perform`` does.
    check_isfinite : bool
        Whether outputs have to be finite.
    check_preallocated_output : str or sequence of str
        Which outputs are lent: ``"ALL"``, or some of ``initial``, ``previous``, ``c_contiguous``,
        ``f_contiguous``, ``strided``, ``negative`` and ``wrong_size`` with colons between them.
    require_matching_strides : bool
        Whether implementations have to give the same strides.
    at_most : float or None
        So many times what it takes unchecked a function may take, on average over many calls: in
        those between two that are checked only what is new is. A call that is checked runs the
        function once more, unchecked, to know how long that takes. More than 1; None: every call
        is checked, and nothing is timed.
    linker : str, optional
        What the function itself runs by; ``"c|py"`` (emitted C for each node) if left out, or
        ``"vm"`` without `check_c_code`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Double(tv.Op):
    ...     __props__ = ()
    ...     def make_node(self, x):
    ...         return tv.Apply(self, [x], [x.type()])
    ...     def perform(self, node, inputs, output_storage):
    ...         x, = inputs
    ...         x *= 2.0
    ...         output_storage[0][0] = x
    >>> x = tv.vector("x")
    >>> f = tv.function([x], Double()(x + 1.0), mode="DebugMode")
    >>> try:
    ...     f([1.0, 2.0])
    ... except tv.DebugModeError as error:
    ...     print(type(error).__name__, str(error).split(": ", 1)[1])
    BadDestroyMap check of undeclared writes: perform wrote to input 0, <x + 1.0: vector
    float64 (?,)>: element (0,) was 2.0 and is 4.0. Say destroy_map = {0: [0]} if output 0 is made
    in its memory, or work on a copy.
    """

    stability_patience: int = 3
    check_c_code: bool = True
    check_py_code: bool = True
    check_isfinite: bool = False
    check_preallocated_output: tuple[str, ...] = ()
    require_matching_strides: bool = False
    at_most: float | None = 20.0

    def __init__(
        self,
        optimizer: OptimizerName | None = "fast_run",
        stability_patience: int = 3,
        check_c_code: bool = True,
        check_py_code: bool = True,
        check_isfinite: bool = False,
        check_preallocated_output: str | Sequence[str] = "ALL",
        require_matching_strides: bool = False,
        linker: LinkerName | Linker | None = None,
        at_most: float | None = 20.0,
        gc: bool = True,
        compile: WhenCompiled | None = None,
        features: frozenset[str] | None = None,
    ) -> None:
        if not (check_c_code or check_py_code):
            raise ValueError("check_c_code and check_py_code are both False; check one of them.")
        if at_most is not None and not at_most > 1.0:
            raise ValueError(f"at_most is {at_most!r}; it has to be above 1, such as 20, or None.")
        layouts = layouts_of(check_preallocated_output)
        for name, value in (
            ("stability_patience", int(stability_patience)),
            ("check_c_code", bool(check_c_code)),
            ("check_py_code", bool(check_py_code)),
            ("check_isfinite", bool(check_isfinite)),
            ("check_preallocated_output", layouts),
            ("require_matching_strides", bool(require_matching_strides)),
            ("at_most", at_most),
        ):
            object.__setattr__(self, name, value)
        if linker is None:
            linker = "c|py" if check_c_code else "vm"
        self._set_fields(linker, optimizer, gc, compile, features)

    @property
    def name(self) -> str:
        """``"DebugMode"``."""
        return "DebugMode"

    def observer(self) -> DebugObserver:
        """Return the observer that checks the nodes."""
        checks = Checks(
            self.check_c_code,
            self.check_py_code,
            self.check_isfinite,
            self.check_preallocated_output,
            self.require_matching_strides,
        )
        return DebugObserver(checks, self.stability_patience, self.at_most)


__all__ = ["DebugMode"]
