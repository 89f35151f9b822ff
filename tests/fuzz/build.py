"""A `Spec` as a thunkvm graph, with Ops that record what ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from behaviour import fails, goes_on, mixed, script
from spec import SCALAR, VECTOR, Node, Spec

import thunkvm as tv


class Injected(Exception):
    """The failure that a call asks for."""


class Journal:
    """What ran in the current call, and which call it is."""

    def __init__(self) -> None:
        self.ran: Counter = Counter()
        self.call = 0
        self.failing: int | None = None
        self.number = 0

    def start(self, call: int, failing: int | None) -> None:
        self.ran = Counter()
        self.call, self.failing = call, failing
        self.number += 1

    def enter(self, n: int, node: Node, inputs: Sequence[int] = ()) -> None:
        if n == self.failing and fails(node, inputs):
            raise Injected(f"node {n}")


class Recorded(tv.Op):
    """Base of the Ops: node `n` of the spec."""

    def __init__(self, journal: Journal, n: int, node: Node) -> None:
        self.journal, self.n, self.node = journal, n, node

    def make_node(self, *inputs: tv.Variable) -> tv.Apply:
        kind = tv.scalar if self.node.rank == SCALAR else tv.vector
        return tv.Apply(self, list(inputs), [kind(dtype="int64") for _ in range(self.node.outs)])


class Mix(Recorded):
    """Several outputs, each a hash of all inputs."""

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        self.journal.enter(self.n, self.node, inputs)
        self.journal.ran["op", self.n] += 1
        for k in range(self.node.outs):
            output_storage[k][0] = np.int64(mixed(self.n, k, *inputs))


class Destroy(Recorded):
    """Adds one in place, and then xors the second input onto it, if there is one."""

    destroy_map = {0: [0]}

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        self.journal.enter(self.n, self.node)
        self.journal.ran["op", self.n] += 1
        inputs[0] += 1
        for other in inputs[1:]:
            inputs[0] ^= other
        output_storage[0][0] = inputs[0]


class Generator(Recorded):
    """An opaque lazy node, as a generator."""

    def demand(self, node: Any) -> Iterator[Any]:
        self.journal.enter(self.n, self.node)
        values: list[int] = []
        at = 0
        while at < len(steps := script(self.node, self.journal.call, values)):
            what, which = steps[at]
            at += 1
            if what == "ask":
                for i in which:
                    try:
                        values.append((yield i))
                    except Injected:
                        if not goes_on(self.node):
                            raise
                        values.append(-1)
        outs = tuple(range(self.node.outs))
        self.journal.ran["lazy", self.n, outs] += 1
        results = tuple(np.int64(mixed(self.n, k, *values)) for k in outs)
        return results if len(results) > 1 else results[0]


class Reentrant(Recorded):
    """An opaque lazy node by the protocol of 2010: computes some outputs, asks for more."""

    def make_thunk(self, node, input_computed, output_computed, input_registers, output_registers):
        op = self

        class Run(tv.Thunk):
            lazy = True

            def __call__(self) -> list[int] | None:
                op.journal.enter(op.n, op.node)
                first = [input_registers[0][0]] if input_computed[0][0] else []
                steps = script(op.node, op.journal.call, first)
                for at, (what, which) in enumerate(steps):
                    if what == "ask":
                        missing = [i for i in which if not input_computed[i][0]]
                        if missing:
                            return missing
                    elif not output_computed[which[0]][0]:
                        asked = [i for step, batch in steps[:at] if step == "ask" for i in batch]
                        values = [input_registers[i][0] for i in asked]
                        for k in which:
                            output_registers[k][0] = np.int64(mixed(op.n, k, *values))
                            output_computed[k][0] = 1
                        op.journal.ran["lazy", op.n, tuple(which)] += 1
                return None

        return Run()


def looped(node: Node, goes_on: list, firsts: list, nexts: list, states: list) -> list[tv.Variable]:
    """What a loop's states become."""
    following: list[tv.Variable] = []

    def step(now: Sequence[tv.Variable]) -> list[tv.Variable]:
        return tv._core.substitute([*goes_on, *nexts], list(zip(states, now, strict=True)))

    def test(now: list[tv.Variable]) -> tv.Variable:
        """Whether a step runs; what the states become is found with that, in the same nodes."""
        found, *following[:] = step(now)
        return found

    if node.decoding == "fori":
        return list(tv.fori_loop(0, node.seed, lambda _, now: step(now), firsts))
    if node.decoding == "scan":
        found = tv.scan(lambda *now: step(now), outputs_info=firsts, n_steps=node.seed)
        return [y[-1] for y in (found if len(firsts) > 1 else [found])]
    return list(tv.while_loop(test, lambda _: list(following), firsts, max_steps=node.seed))


class Repeated:
    """The values so far, each made anew for every use: as many equal nodes as uses."""

    def __init__(self, values: list[tv.Variable], again: Callable[[int], tv.Variable]) -> None:
        self.values, self.again = values, again

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, v: int) -> tv.Variable:
        return self.again(v)


#: Those that have no name of their own.
MODES = {
    "cvm emitted": tv.Mode("cvm", compile="now"),
    "cvm_nogc emitted": tv.Mode("cvm", gc=False, compile="now"),
}


class Built:
    """The function of a spec in one mode.

    With `repeated`, a node of a built-in Op is made anew for every use, so that the graph is what
    it would be without, once equal nodes are merged.
    """

    def __init__(
        self, spec: Spec, mode: str, initial_shared: dict[int, Any], repeated: bool = False
    ) -> None:
        self.journal = Journal()
        self.inputs: list[tv.In] = []
        self.shared: dict[int, tv.Variable] = {}
        values: list[tv.Variable] = []
        selectors: dict[tuple[int, int], tv.Variable] = {}
        owners = spec.owners()
        awaited = {owners[value][0] for _, value, lazily in spec.updates if lazily}

        def again(v: int) -> tv.Variable:
            n, j = owners[v]
            if spec.nodes[n].kind not in REPEATED or n in awaited:
                return values[v]
            return self._outputs(spec, n, spec.nodes[n], values, selectors, initial_shared)[j]

        seen = Repeated(values, again) if repeated else values
        for n, node in enumerate(spec.nodes):
            values += self._outputs(spec, n, node, seen, selectors, initial_shared)
        updates = [
            (self.shared[target], tv.Update(values[value], if_computed=lazily))
            for target, value, lazily in spec.updates
        ]
        self.function = tv.function(
            self.inputs,
            [values[v] for v in spec.outputs],
            updates=updates,
            mode=MODES.get(mode, mode),
            on_unused_input="ignore",
        )

    def _outputs(self, spec, n, node, values, selectors, initial_shared):
        ins = [values[v] for v in node.ins]
        if node.kind == "input":
            x = (tv.scalar if node.rank == SCALAR else tv.vector)(f"x{n}", dtype="int64")
            self.inputs.append(tv.In(x, mutable=node.seed % 2 == 1))
            return [x]
        if node.kind == "state":
            return [(tv.scalar if node.rank == SCALAR else tv.vector)(f"s{n}", dtype="int64")]
        if node.kind == "shared":
            v = len(values)
            initial = np.asarray(initial_shared[v], dtype="int64")
            self.shared[v] = tv.shared(
                initial if node.rank == VECTOR else initial[()], name=f"s{n}"
            )
            return [self.shared[v]]
        if node.kind in ("cond", "loop") and node.ins:
            key = (node.ins[0], 4 if node.kind == "loop" else node.seed)
            if key not in selectors:
                selectors[key] = ins[0] % np.int64(key[1]) if key[1] else ins[0]
        if node.kind == "loop":
            goes_on = [selectors[key] > 0] if node.ins else []
            return looped(node, goes_on, *([values[v] for v in arm] for arm in node.arms))
        if node.kind == "cond":
            arms = [[values[v] for v in arm] for arm in node.arms]
            if node.outs == 1:
                arms = [arm[0] for arm in arms]
            if node.decoding == "truth":
                got = tv.ifelse(selectors[key], arms[1], arms[0])
            elif node.decoding == "index":
                got = tv.switch_case(selectors[key], arms)
            else:
                got = tv.switch_case(selectors[key], arms[:-1], default=arms[-1])
            return list(got) if node.outs > 1 else [got]
        if node.kind == "attempt":
            got = tv.attempt(*([values[v] for v in arm] for arm in node.arms), on=Injected)
            return list(got)
        if node.kind == "native":
            op = (tv.bitwise_xor, tv.bitwise_and, tv.maximum, tv.bitwise_or)[node.seed]
            return [op(*ins)]
        if node.kind == "small":
            return [ins[0] % np.int64(3)]
        if node.kind == "vector":
            return [tv.stack([ins[0], ins[0] ^ 1, ins[0] ^ 2])]
        if node.kind == "item":
            return [ins[0][node.seed]]
        if node.kind == "write":
            return [ins[0][node.seed].set(ins[1])]
        op = {"mix": Mix, "destroy": Destroy, "generator": Generator, "reentrant": Reentrant}[
            node.kind
        ]
        outputs = op(self.journal, n, node)(*ins)
        return outputs if isinstance(outputs, list) else [outputs]

    def call(self, arguments: list[int], call: int, failing: int | None) -> list[Any]:
        self.journal.start(call, failing)
        self.function.reset_counters()
        return self.function(*arguments)

    def native_runs(self) -> Counter:
        """How often each built-in Op ran since the call began."""
        ran: Counter = Counter()
        for run in self.function.node_runs():
            _, op, form, _, times = run
            if form in ("kernel", "perform") and times and op in NATIVE:
                ran["native", op] += times
        return ran


REPEATED = {"native", "small", "vector", "item", "write", "cond"}
NATIVE = {
    "bitwise_xor",
    "bitwise_and",
    "maximum",
    "bitwise_or",
    "stack",
    "subtensor",
    "set_subtensor",
    "mod",
}
