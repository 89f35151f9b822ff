"""Random branching graphs: derivatives run what the taken branches need, and nothing else."""

from __future__ import annotations

import pprint
import random
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from naming import run_as
from waves import LENGTH, SCALAR, VECTOR, Call, Graph, Node, Term, Wave, chosen, generate

import thunkvm as tv

KERNELS = ("py", "vm", "cvm", "cvm_nogc", "FAST_RUN")
#: Every graph is compiled first here, so that there are fewer of them.
MODES = {"emitted": tv.Mode("cvm", compile="now")}
WRT = (0, 2)  # a vector and a scalar
ALONG = [np.array([0.5, -1.0, 2.0]), np.float64(0.25)]


class WaveOp(tv.Op):
    """A wave, or the sum of its elements; its derivatives are such Ops too."""

    def __init__(self, ran: Counter, key: tuple[int, ...], wave: Wave, reduced: bool) -> None:
        self.ran, self.key, self.wave, self.reduced = ran, key, wave, reduced

    def make_node(self, *inputs: tv.Variable) -> tv.Apply:
        vectors = [x for x in inputs if x.ndim == 1]
        out = vectors[0].type() if vectors and not self.reduced else tv.scalar()
        return tv.Apply(self, list(inputs), [out])

    def infer_shape(self, node: Any, input_shapes: list[Any]) -> list[Any]:
        return [() if self.reduced else next(filter(None, input_shapes), ())]

    def perform(self, node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        self.ran[self.key] += 1
        value = self.wave(*inputs)
        output_storage[0][0] = np.sum(value) if self.reduced else value

    def grad(self, inputs: list[Any], output_gradients: list[Any]) -> list[Any]:
        return [self.by(i, inputs, output_gradients[0]) for i in range(len(inputs))]

    def by(self, i: int, inputs: list[Any], incoming: Any) -> Any:
        """The gradient with respect to one input."""
        derivative = self.wave.derivative(i)
        if derivative is None:
            return None
        slope = WaveOp(self.ran, (*self.key, i), derivative, False)(*inputs)
        product = incoming * slope
        return product.sum() if inputs[i].ndim == 0 else product


class PairOp(tv.Op):
    """Two waves, each of its own input: a lazy Op, which asks for the second input last."""

    def __init__(self, ran: Counter, n: int, waves: tuple[Wave, ...]) -> None:
        self.ran = ran
        self.halves = [WaveOp(ran, (n, j), wave, False) for j, wave in enumerate(waves)]

    def make_node(self, *inputs: tv.Variable) -> tv.Apply:
        return tv.Apply(self, list(inputs), [x.type() for x in inputs])

    def infer_shape(self, node: Any, input_shapes: list[Any]) -> list[Any]:
        return input_shapes

    def make_thunk(
        self, node: Any, computed: Any, out_computed: Any, registers: Any, out_registers: Any
    ) -> tv.Thunk:
        halves, ran = self.halves, self.ran

        class Run(tv.Thunk):
            lazy = True

            def __call__(self) -> list[int] | None:
                for j, half in enumerate(halves):
                    if not computed[j][0]:
                        return [j]
                    if not out_computed[j][0]:
                        ran[half.key] += 1
                        out_registers[j][0] = half.wave(registers[j][0])
                        out_computed[j][0] = 1
                return None

        return Run()

    def grad(self, inputs: list[Any], output_gradients: list[Any]) -> list[Any]:
        return [
            None if g is None else half.by(0, [x], g)
            for half, x, g in zip(self.halves, inputs, output_gradients, strict=True)
        ]


class WhichOp(tv.Op):
    """The arm that a number chooses."""

    def __init__(self, ran: Counter, n: int, node: Node) -> None:
        self.ran, self.key, self.arms_n = ran, (n, 0), node.arms_n

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [tv.scalar(dtype="int64")])

    def perform(self, node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        self.ran[self.key] += 1
        output_storage[0][0] = np.int64(chosen(inputs[0], self.arms_n))

    def grad(self, inputs: list[Any], output_gradients: list[Any]) -> list[Any]:
        return [None]


def build(graph: Graph, length: int | None, ran: Counter) -> list[tv.Variable]:
    """The values of a graph, vectors of a length that is known or not."""
    values: list[tv.Variable] = []
    for n, node in enumerate(graph.nodes):
        ins = [values[v] for v in node.ins]
        if node.kind == "input":
            shape = (length,) if node.rank == VECTOR else ()
            values.append(tv.tensor(f"x{n}", shape=shape))
        elif node.kind == "wave":
            values.append(WaveOp(ran, (n, 0), node.waves[0], node.reduced)(*ins))
        elif node.kind == "pair":
            values += PairOp(ran, n, node.waves)(*ins)
        elif node.kind == "which":
            values.append(WhichOp(ran, n, node)(*ins))
        else:
            arms = [[values[v] for v in arm] for arm in node.arms]
            if len(arms) == 2 and n % 2:
                values += tv.ifelse(ins[0], arms[1], arms[0])
            elif n % 3:
                values += tv.switch_case(ins[0], arms)
            else:
                values += tv.switch_case(ins[0], arms[:-1], default=arms[-1])
    return values


class Wrong(AssertionError):
    """A derivative did something that the oracle does not."""


def gradient(values: list[tv.Variable], of: int) -> list[tv.Variable]:
    return tv.grad(values[of], [values[w] for w in WRT], "ignore")


def expected_gradient(call: Call, of: int) -> list[Any]:
    found = call.pull_back(of, np.float64(1.0), WRT)
    return [computed(call, found[w], w) for w in WRT]


def jacobian(values: list[tv.Variable], of: int) -> list[tv.Variable]:
    return [tv.jacobian(values[of], values[WRT[0]], "ignore")]


def forward_jacobian(values: list[tv.Variable], of: int) -> list[tv.Variable]:
    return [tv.jacobian(values[of], values[WRT[0]], "ignore", mode="forward")]


def expected_jacobian(call: Call, of: int) -> list[Any]:
    """Each element has a row. How many there are, is known of an input and of who picks it."""
    if call.ranks[of] == SCALAR:
        return [row_of(call, of, np.float64(1.0))]
    call.ask_length(of)
    return [np.stack([row_of(call, of, one) for one in np.eye(LENGTH)])]


def hessian(values: list[tv.Variable], of: int) -> list[tv.Variable]:
    x = values[WRT[0]]
    return [tv.jacobian(tv.grad(values[of], x, "ignore"), x, "ignore")]


def forward_hessian(values: list[tv.Variable], of: int) -> list[tv.Variable]:
    return [tv.hessian(values[of], values[WRT[0]], "ignore")]


def expected_hessian(call: Call, of: int) -> list[Any]:
    first = call.pull_back(of, np.float64(1.0), WRT[:1])[WRT[0]]
    if first is None:
        return [np.zeros((LENGTH, LENGTH))]
    return [np.stack([row_of(call, first, one) for one in np.eye(LENGTH)])]


def tangent(values: list[tv.Variable], of: int) -> list[tv.Variable]:
    return [tv.jvp(values[of], [values[w] for w in WRT], ALONG, "ignore")]


def expected_tangent(call: Call, of: int) -> list[Any]:
    """It runs what the gradient runs, and nothing else: the slopes of the taken branches."""
    gradients = expected_gradient(call, of)
    return [sum(np.sum(g * v) for g, v in zip(gradients, ALONG, strict=True))]


def row_of(call: Call, of: Any, one: np.ndarray) -> np.ndarray:
    return computed(call, call.pull_back(of, one, WRT[:1])[WRT[0]], WRT[0])


def computed(call: Call, term: Term | None, wrt: int) -> np.ndarray:
    return np.zeros_like(call.values[wrt]) if term is None else call.compute(term)


#: What is built, what is expected, the length of vectors, and how many backward passes there are,
#: each with slopes of its own. Where no length is known, zeros and rows ask for that of an input.
DERIVATIVES = {
    "grad": (gradient, expected_gradient, None, 1),
    "tangent": (tangent, expected_tangent, None, 1),
    "tangent of known length": (tangent, expected_tangent, LENGTH, 1),
    "jacobian": (jacobian, expected_jacobian, None, 1),
    "forward jacobian": (forward_jacobian, expected_jacobian, LENGTH, 1),
    "hessian": (hessian, expected_hessian, None, 2),
    "hessian of known length": (hessian, expected_hessian, LENGTH, 2),
    "hessian by tangents": (forward_hessian, expected_hessian, LENGTH, 2),
}


def check(graph: Graph, of: int, what: str, mode: str, seed: int) -> None:
    """Hold calls of one derivative against the oracle.

    Raises
    ------
    Wrong
        At the first difference.
    """
    make, expect, length, passes = DERIVATIVES[what]
    ran: Counter = Counter()
    values = build(graph, length, ran)
    inputs = values[:3]
    f = tv.function(inputs, make(values, of), mode=MODES.get(mode, mode), on_unused_input="ignore")
    for number in range(4):
        random = np.random.default_rng([seed, number])
        arguments = [random.random(LENGTH), random.random(LENGTH), np.float64(random.random())]
        call = Call(graph, arguments)
        expected = expect(call, of)
        needed = set(call.ran)
        ran.clear()
        got = f(*arguments)
        if less := needed - set(ran):
            raise Wrong(f"did not run: {less}")
        if more := set(ran) - call.may_run():
            raise Wrong(f"ran, though nothing demands it: {more}")
        if again := {key for key, times in ran.items() if times > (passes if len(key) > 2 else 1)}:
            raise Wrong(f"ran too often: {again}")
        for one, other in zip(got, expected, strict=True):
            if not np.allclose(one, other, rtol=1e-9, atol=1e-9):
                raise Wrong(f"{one}, expected {other}")


def smallest(graph: Graph, what: str, mode: str, seed: int) -> int:
    """The first value whose derivative is wrong."""
    for of in differentiable(graph, what):
        try:
            check(graph, of, what, mode, seed)
        except Wrong:
            return of
    raise AssertionError("no value is wrong a second time")


def differentiable(graph: Graph, what: str) -> list[int]:
    """The values whose derivative may be asked for: of a vector, only the rows."""
    owners, ranks = graph.owners(), graph.ranks()
    return [
        v
        for v, (n, _) in enumerate(owners)
        if graph.nodes[n].kind not in ("input", "which")
        and (ranks[v] == SCALAR or what.endswith("jacobian"))
    ]


@pytest.mark.parametrize("what", DERIVATIVES)
@pytest.mark.parametrize("mode", [*KERNELS, *MODES])
def test_derivatives_run_what_the_taken_branches_need_and_nothing_else(
    mode: str, what: str, fuzz_graphs: int, fuzz_seed: int
) -> None:
    graphs = max(5, fuzz_graphs // (3 if mode in KERNELS else 20))
    for seed in range(fuzz_seed, fuzz_seed + graphs):
        graph = generate(random.Random(seed), pairs=DERIVATIVES[what][2] is None)
        candidates = differentiable(graph, what)
        if not candidates:
            continue
        try:
            run_as(
                f"seed {seed}, {what}, mode {mode}",
                partial(check, graph, candidates[-1], what, mode, seed),
            )
        except Wrong as wrong:
            of = smallest(graph, what, mode, seed)
            pytest.fail(
                f"seed {seed}, {what}, mode {mode}: {wrong}\n"
                "from waves import *\nfrom test_gradient_graphs import check\n"
                f"graph = {pprint.pformat(graph, width=120)}\n"
                f"check(graph, {of}, {what!r}, {mode!r}, {seed})\n",
                pytrace=False,
            )
