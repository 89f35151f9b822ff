"""What a lazy graph must do, by naive memoised recursion.

Shares no code with thunkvm: plain Python on ints and lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field

from behaviour import arm_of, fails, goes_on, mixed, native_ops, runs_for_each_output, script
from spec import Node, Spec
from unrolled import Step, Unrolled, Where


class Failure(Exception):
    """The node that was to fail in this call was reached."""


@dataclass
class Result:
    """What one call does.

    What ran of a value that failed depends on the order of what is independent: `ran` has what the
    call's results need, `may_run` what was demanded besides, by values that failed.
    """

    ran: Counter  # what is recorded by Python Ops, and ("native", kind) for built-in ones
    may_run: Counter
    may_have: dict[int, object]  # the values that may be computed
    values: dict[int, object]
    outputs: list[object]
    shared: dict[int, object]
    failed: bool


Unit = tuple[object, ...]
Remainder = tuple[int, int, Where]  # of a selector by a modulus, in these steps
Decision = tuple[Remainder, str, int]  # and how it is decoded, among how many arms
Demands = set[int | Remainder]
Arms = tuple[int, ...]  # a value for each


@dataclass
class State:
    """What a call has computed so far."""

    values: dict[int, object]
    ran: dict[Unit, Counter] = field(default_factory=dict)  # what each unit is recorded as
    at: Counter = field(default_factory=Counter)  # how far the script of an opaque node has run
    got: dict[int, list[object]] = field(default_factory=dict)  # what an opaque node was given
    failed: set[int] = field(default_factory=set)  # opaque nodes
    fell_back: dict[tuple[int, Arms], bool] = field(default_factory=dict)  # whether an attempt did

    def copy(self) -> State:
        got = {n: list(values) for n, values in self.got.items()}
        values, ran, fell_back = dict(self.values), dict(self.ran), dict(self.fell_back)
        return State(values, ran, self.at.copy(), got, set(self.failed), fell_back)


class Evaluation:
    """Pull semantics: a value is computed when it is asked for, once.

    What all arms demand is demanded whatever the selector says: it may run before a selector that
    fails. Arms are those of all conditionals on that selector which the outputs demand, or which
    one input of an opaque node or one attempted value demands. What only some arms demand, or what
    cannot run without the decision, does not run.
    """

    def __init__(
        self, spec: Spec, call: int, inputs: dict[int, object], failing: int | None
    ) -> None:
        self.spec, self.call, self.failing = spec, call, failing
        self.graph = Unrolled(spec)
        self.owners, self.nodes = self.graph.owners, self.graph.nodes
        self.first, self.outputs, self.number = (
            self.graph.first,
            self.graph.outputs,
            self.graph.number,
        )
        self.inputs, self.state = inputs, State(dict(inputs))
        self.may_run: dict[Unit, Counter] = {}
        self.may_have: dict[int, object] = {}
        self.supposed: dict[Decision, int] = {}  # arms that selectors which fail might pick
        self.undecided: dict[Decision, set[Arms]] = {}  # those of selectors that failed
        self.demanded: Demands = set()  # so far; what of it is not computed has failed
        self.answers: dict[object, Demands] = {}  # of `demanded_where`
        self.above_of: dict[int, Demands] = {}
        self.decisions_of: dict[int, set[Decision]] = {}

    def above(self, v: int) -> Demands:
        """All that a value may ever demand, but for opaque nodes and later steps of loops."""
        if v not in self.above_of:
            n, _ = self.owners[v]
            node, reads = self.nodes[n], self.graph.reads(n)
            is_opaque = node.kind in ("reentrant", "generator")
            found = set().union(*(self.above(u) for u in reads if not is_opaque))
            found.update([v] if runs_for_each_output(node) else self.graph.live_outputs(n))
            if node.kind == "cond":
                found.add(self.selector(n))
            elif node.kind == "loop" and node.ins:
                found.add(tested(self.graph.step(n, 0)))
            self.above_of[v] = found
        return self.above_of[v]

    def selector(self, n: int) -> Remainder:
        """What a conditional decides by."""
        selector, where = self.graph.decided_by(n)
        return selector, self.nodes[n].seed, where

    def decision(self, n: int) -> Decision:
        """What says which arm of a conditional counts."""
        return self.selector(n), self.nodes[n].decoding, len(self.nodes[n].arms)

    def decisions(self, v: int) -> set[Decision]:
        """All that may ever be decided for a value, but for whether loops go on."""
        if v not in self.decisions_of:
            n, _ = self.owners[v]
            self.decisions_of[v] = set().union(*map(self.decisions, self.graph.reads(n)))
            if self.nodes[n].kind == "cond":
                self.decisions_of[v].add(self.decision(n))
        return self.decisions_of[v]

    def record(self, unit: Unit, what: Counter) -> None:
        assert unit not in self.state.ran
        self.state.ran[unit] = what

    def fail(self, n: int, inputs: Sequence[int] = ()) -> None:
        if self.number(n) == self.failing and fails(self.nodes[n], inputs):
            raise Failure

    def force(self, v: int) -> object:
        if v not in self.demanded:
            self.demanded.add(v)
            self.compute(v)
        elif v not in self.state.values:
            raise Failure  # again
        return self.state.values[v]

    def compute(self, v: int) -> None:
        """Compute a value and all that it demands; one that is there demands the same again."""
        n, j = self.owners[v]
        node = self.nodes[n]
        if node.kind == "cond":
            arms = tuple(arm[j] for arm in node.arms)
            self.state.values[v] = self.force(arms[self.arm(n, arms)])
        elif node.kind == "attempt":
            tried, otherwise = node.arms
            attempt = self.number(n), tried
            if attempt not in self.state.fell_back:
                self.state.fell_back[attempt] = self.caught(tried)
            fell_back = self.state.fell_back[attempt]
            self.state.values[v] = self.force(otherwise[j] if fell_back else tried[node.seed])
        elif node.kind in ("reentrant", "generator"):
            if v not in self.state.values:
                self.run_script(n, v)
        elif node.kind == "loop":
            self.run_loop(n, node.seed)
        elif node.kind not in ("input", "shared"):
            self.run_eager(n, node, v in self.state.values)

    def force_all(self, values: Iterable[int]) -> list[object]:
        """Compute independent values: where one fails, others may have been computed before it."""
        failure, got = None, []
        for v in values:
            try:
                got.append(self.force(v))
            except Failure as error:
                failure = failure or error
        if failure:
            raise failure
        return got

    def arm(self, n: int, arms: Arms) -> int:
        if self.decision(n) in self.supposed:
            return self.supposed[self.decision(n)]
        try:
            number = self.remainder(*self.selector(n))
        except Failure:
            self.undecided.setdefault(self.decision(n), set()).add(arms)
            raise
        return arm_of(self.nodes[n].decoding, number, len(arms))

    def remainder(self, selector: int, modulus: int, where: Where) -> int:
        """What conditionals decide by: where there is a modulus, a node that the spec has not."""
        self.demanded.add((selector, modulus, where))
        number = self.force(selector)
        if modulus:
            number %= modulus
            unit = ("remainder", selector, modulus, where)
            if unit not in self.state.ran:
                self.record(unit, Counter({("native", "mod"): 1}))
        return number

    def caught(self, values: Iterable[int]) -> bool:
        """Whether computing one of these fails, in turn: then nothing of it counts."""
        before = self.state.copy()
        try:
            for v in values:
                self.force_for_lazy(v)
        except Failure:
            self.may_run |= self.state.ran
            self.may_have |= self.state.values
            self.state = before
            return True
        return False

    def force_for_lazy(self, v: int) -> object:
        """Compute what an opaque node asks for, or what is attempted."""
        outside = self.undecided, self.demanded
        self.undecided, self.demanded = {}, set()
        try:
            return self.force(v)
        except Failure:
            self.run_ahead()
            raise
        finally:
            self.undecided, self.demanded = outside

    def run_ahead(self) -> None:
        """Compute what is demanded whatever the selectors that failed would have said."""
        known = None
        while known != self.undecided:  # what is computed may need other arms of them
            known = {what: set(arms) for what, arms in self.undecided.items()}
            for what, arms in known.items():
                by_arm = [frozenset(chosen) for chosen in zip(*arms, strict=True)]
                above = (set().union(*map(self.above, chosen)) for chosen in by_arm)
                common = set.intersection(*above) - self.demanded
                for arm, chosen in enumerate(by_arm):
                    if common:
                        common &= self.demanded_where(what, arm, chosen)
                for v in sorted(common, key=str):
                    with suppress(Failure):
                        self.remainder(*v) if isinstance(v, tuple) else self.force(v)

    def demanded_where(self, what: Decision, arm: int, values: frozenset[int]) -> Demands:
        """What these values demand if a selector that failed picks this arm."""
        matters = set().union(*map(self.decisions, values))
        known = self.supposed | {what: arm}
        supposed = {d: a for d, a in known.items() if d in matters or d[1] == GOES_ON}
        key = frozenset(supposed.items()), values
        if key not in self.answers:
            there = copy(self)
            there.state, there.may_run, there.may_have = State(dict(self.inputs)), {}, {}
            there.supposed, there.undecided, there.demanded = supposed, {}, set()
            with suppress(Failure):
                there.force_all(values)
            there.run_ahead()
            self.answers[key] = there.demanded
        return self.answers[key]

    def run_script(self, n: int, v: int) -> None:
        node = self.nodes[n]
        if n in self.state.failed:
            raise Failure
        try:
            while v not in self.state.values or self.next_is_output(n):
                self.fail(n)
                what, which = self.script(n)[self.state.at[n]]
                self.state.at[n] += 1
                if what == "ask":
                    for i in which:
                        value = self.asked(node, node.ins[i])  # which may go back to a state
                        self.state.got.setdefault(n, []).append(value)
                    continue
                for k in which:
                    got = self.state.got.get(n, ())
                    self.state.values[self.first[n] + k] = mixed(self.number(n), k, *got)
                ran = Counter({("lazy", self.number(n), tuple(which)): 1})
                self.record(("lazy", n, tuple(which)), ran)
        except Failure:
            self.state.failed.add(n)
            raise

    def run_loop(self, n: int, most: int) -> None:
        """Run steps, of which each demands the next values of all states that somebody reads.

        What the loop only passes on is demanded whichever step is the last, or fails.
        """
        self.demanded.update(self.outputs(n))
        number = 0
        try:
            while self.goes_on(step := self.graph.step(n, number), most - number):
                self.force_all(step.nexts)
                number += 1
        except Failure:
            with suppress(Failure):
                self.force_all(self.graph.passed_on(n))
            raise
        last = self.force_all(step.states.values())
        for j, value in zip(step.states, last, strict=True):
            self.state.values[self.first[n] + j] = value

    def goes_on(self, step: Step, left: int) -> bool:
        """Whether a step runs: if its test fails, what both ways demand is demanded."""
        if left == 0 or step.test is None:
            return left > 0
        what = tested(step), GOES_ON, 2
        if what in self.supposed:
            return bool(self.supposed[what])
        try:
            return self.remainder(*what[0]) > 0
        except Failure:
            behind, again = list(step.states.values()), step.nexts or [step.test[0]]
            for i in range(max(len(behind), len(again))):
                arms = behind[i % len(behind)], again[i % len(again)]
                self.undecided.setdefault(what, set()).add(arms)
            raise

    def script(self, n: int) -> list[tuple[str, list[int]]]:
        return script(self.nodes[n], self.call, self.state.got.get(n, ()))

    def next_is_output(self, n: int) -> bool:
        at, steps = self.state.at[n], self.script(n)
        return at < len(steps) and steps[at][0] == "out"

    def asked(self, node: Node, v: int) -> object:
        if goes_on(node) and self.caught((v,)):
            return -1
        return self.force_for_lazy(v)

    def run_eager(self, n: int, node: Node, is_computed: bool) -> None:
        self.demanded.update(self.outputs(n))
        got = self.force_all(node.ins)
        if is_computed:
            return
        first, values = self.first[n], self.state.values
        if node.kind in ("mix", "destroy"):
            self.fail(n, got)
            self.record(("op", n), Counter({("op", self.number(n)): 1}))
        else:
            self.record(("op", n), native_ops(node))
        if node.kind == "mix":
            for k in range(node.outs):
                values[first + k] = mixed(self.number(n), k, *got)
        elif node.kind == "native":
            a, b = got
            values[first] = (a ^ b, a & b, max(a, b), a | b)[node.seed]
        elif node.kind == "small":
            values[first] = got[0] % 3
        elif node.kind == "vector":
            values[first] = [got[0], got[0] ^ 1, got[0] ^ 2]
        elif node.kind == "item":
            values[first] = got[0][node.seed]
        elif node.kind == "destroy":
            values[first] = [x + 1 for x in got[0]]
            for other in got[1:]:
                values[first] = [x ^ y for x, y in zip(values[first], other, strict=True)]
        else:
            values[first] = [got[1] if i == node.seed else x for i, x in enumerate(got[0])]


#: What the test of a loop is taken modulo, and how it is decoded.
TEST, GOES_ON = 4, "goes on"


def tested(step: Step) -> Remainder:
    """What a loop goes on by."""
    selector, where = step.test
    return selector, TEST, where


def evaluate(spec: Spec, call: int, inputs: dict[int, object], failing: int | None) -> Result:
    """What a call does in which node `failing` raises."""
    evaluation = Evaluation(spec, call, inputs, failing)
    shared: dict[int, object] = {}
    outputs: list[object] = []
    failed = False
    try:
        eager = {target: value for target, value, lazily in spec.updates if not lazily}
        got = evaluation.force_all([*spec.outputs, *eager.values()])
        outputs, updated = got[: len(spec.outputs)], got[len(spec.outputs) :]
        shared = dict(zip(eager, updated, strict=True))
    except Failure:
        outputs, shared, failed = [], {}, True
        evaluation.run_ahead()
    state = evaluation.state
    for target, value, lazily in spec.updates:
        if lazily and value in state.values and not failed:
            shared[target] = state.values[value]
    ran = sum(state.ran.values(), Counter())
    may_run = sum((evaluation.may_run | state.ran).values(), Counter())
    may_have = evaluation.may_have | state.values
    return Result(ran, may_run, may_have, state.values, outputs, shared, failed)
