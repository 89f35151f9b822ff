"""Gradients through branches: which backward passes run, and how large their graphs are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

MODES = ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN"]


def edges(outputs: list[tv.Variable]) -> int:
    """The number of nodes and of their inputs."""
    return sum(1 + len(node.inputs) for node in _core.topological_order(outputs))


def else_if_chain(n: int) -> list[tv.Variable]:
    """Gradients of an else-if chain of n clauses, each with a parameter of its own."""
    x, parameters = tv.scalar("x"), [tv.scalar() for _ in range(n)]
    cost = tv.exp(x)
    for i, parameter in reversed(list(enumerate(parameters))):
        cost = tv.ifelse(x > float(i), tv.sin(x * parameter), cost)
    return tv.grad(cost, [x, *parameters])


def shared_by_neighbours(n: int) -> list[tv.Variable]:
    """Gradients of an else-if chain in which each parameter is that of two clauses."""
    x, parameters = tv.scalar("x"), [tv.scalar() for _ in range(n + 1)]
    cost = tv.exp(x)
    for i in reversed(range(n)):
        values = tv.sin(parameters[i]) * tv.cos(parameters[i + 1])
        cost = tv.ifelse(x > float(i), x * values, cost)
    return tv.grad(cost, parameters)


def switch_of_parameters(n: int) -> list[tv.Variable]:
    """Gradients of a switch of n cases, each with a parameter of its own."""
    which, parameters = tv.scalar("which", dtype="int64"), [tv.scalar() for _ in range(n)]
    return tv.grad(tv.switch_case(which, [tv.sin(p) for p in parameters]), parameters)


def sum_of_branches(n: int) -> list[tv.Variable]:
    """The gradient of a sum of n conditionals on selectors of their own."""
    x, total = tv.scalar("x"), tv.scalar("y")
    for i in range(n):
        total = total + tv.ifelse(x > float(i), tv.sin(x), tv.constant(0.5))
    return tv.grad(total, [x])


@pytest.mark.parametrize(
    "build", [else_if_chain, shared_by_neighbours, switch_of_parameters, sum_of_branches]
)
def test_the_graph_of_a_gradient_grows_as_its_branches_do(build: Any) -> None:
    sizes = [edges(build(n)) for n in (50, 100, 200)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])


@pytest.mark.parametrize("mode", MODES)
def test_of_an_else_if_chain_one_clause_runs_backwards(mode: str, counting: Any) -> None:
    derivatives = [counting(np.cos) for _ in range(12)]
    ops = [counting(np.sin, derivative) for derivative in derivatives]
    x, parameters = tv.scalar("x"), [tv.scalar(f"p{i}") for i in range(12)]
    cost = x
    for i in reversed(range(12)):
        cost = tv.ifelse(x < i + 1.0, ops[i](parameters[i]), cost)
    f = tv.function([x, *parameters], tv.grad(cost, parameters), mode=mode)
    for taken in (0, 7, 11, 12):
        for op in (*ops, *derivatives):
            op.runs = 0
        expected = [float(i == taken) for i in range(12)]
        assert f(taken + 0.5, *[0.0] * 12) == expected
        assert [op.runs for op in derivatives] == expected
        assert [op.runs for op in ops] == [0] * 12  # a cosine does not need the sine


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [3, 20])
def test_of_a_switch_one_case_runs_backwards(mode: str, n: int, counting: Any) -> None:
    derivatives = [counting(np.cos) for _ in range(n)]
    which, parameters = tv.scalar("i", dtype="int64"), [tv.scalar(f"p{i}") for i in range(n)]
    cases = [counting(np.sin, d)(p) for d, p in zip(derivatives, parameters, strict=True)]
    cost = tv.switch_case(which, cases[:-1], default=cases[-1])
    f = tv.function([which, *parameters], tv.grad(cost, parameters), mode=mode)
    for index, taken in ((0, 0), (n - 2, n - 2), (n + 5, n - 1), (-1, n - 1)):
        for op in derivatives:
            op.runs = 0
        expected = [float(i == taken) for i in range(n)]
        assert f(index, *[0.0] * n) == expected
        assert [op.runs for op in derivatives] == expected


@pytest.mark.parametrize("mode", MODES)
def test_selectors_beyond_the_taken_clause_are_not_asked_for(mode: str, counting: Any) -> None:
    conditions = [counting(np.sign) for _ in range(4)]
    x, p, q = tv.scalar("x"), tv.vector("c"), tv.vector("p")
    cost = x
    for i in reversed(range(4)):
        cost = tv.ifelse(conditions[i](p[i]), q[i] * x, cost)
    f = tv.function([x, p, q], tv.grad(cost, q), mode=mode)
    assert f(3.0, [0.0, 1.0, 1.0, 1.0], [1.0] * 4).tolist() == [0.0, 3.0, 0.0, 0.0]
    assert [op.runs for op in conditions] == [1, 1, 0, 0]


class Pair(tv.Op):
    """The squares of two inputs. A lazy Op: who asks for the first gets it without the second."""

    def __init__(self, counting: Any) -> None:
        self.derivatives = [counting(lambda v: 2.0 * v) for _ in range(2)]
        self.passes: list[list[bool]] = []

    def make_node(self, a: tv.Variable, b: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [a, b], [a.type(), b.type()])

    def make_thunk(
        self, node: Any, computed: Any, out_computed: Any, registers: Any, out_registers: Any
    ) -> tv.Thunk:
        class Run(tv.Thunk):
            lazy = True

            def __call__(self) -> list[int] | None:
                for j in range(2):
                    if not computed[j][0]:
                        return [j]
                    out_registers[j][0] = np.square(registers[j][0])
                    out_computed[j][0] = 1
                return None

        return Run()

    def grad(self, inputs: list[Any], output_gradients: list[Any]) -> list[Any]:
        self.passes.append([g is not None for g in output_gradients])
        return [
            None if g is None else g * derivative(x)
            for x, g, derivative in zip(inputs, output_gradients, self.derivatives, strict=True)
        ]


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_one_output_of_a_lazy_op_leaves_the_other_alone(
    mode: str, counting: Any
) -> None:
    op, before = Pair(counting), counting()
    c, d, x, y = tv.scalar("c"), tv.scalar("d"), tv.vector("x"), tv.vector("y")
    first, second = op(x, before(y))
    cost = tv.ifelse(c, first.sum(), 1.0) + tv.ifelse(d, second.sum(), 1.0)
    f = tv.function([c, d, x, y], tv.grad(cost, [x, y]), mode=mode)

    def runs() -> list[int]:
        return [before.runs, *(derivative.runs for derivative in op.derivatives)]

    assert [g.tolist() for g in f(1.0, 0.0, [3.0], [2.0])] == [[6.0], [0.0]]
    assert runs() == [0, 1, 0]
    assert [g.tolist() for g in f(0.0, 1.0, [3.0], [2.0])] == [[0.0], [32.0]]
    assert runs() == [1, 1, 1]
    assert [g.tolist() for g in f(0.0, 0.0, [3.0], [2.0])] == [[0.0], [0.0]]
    assert runs() == [1, 1, 1]
    assert [g.tolist() for g in f(1.0, 1.0, [3.0], [2.0])] == [[6.0], [32.0]]
    assert runs() == [2, 2, 2]


def test_outputs_that_are_used_in_the_same_branches_have_one_backward_pass(counting: Any) -> None:
    def passes(build: Any) -> list[list[bool]]:
        op, i = Pair(counting), tv.scalar("i", dtype="int64")
        x, y = tv.vector("x"), tv.vector("y")
        tv.grad(build(i, *op(x, y)).sum(), [x, y], disconnected_inputs="ignore")
        return sorted(op.passes)

    none = tv.constant([0.0])
    assert passes(lambda i, a, b: a * b) == [[True, True]]
    assert passes(lambda i, a, b: a) == [[True, False]]
    assert passes(lambda i, a, b: tv.ifelse(i, a * b, none)) == [[True, True]]
    assert passes(lambda i, a, b: tv.ifelse(i, a * b, b * a)) == [[True, True]]
    assert passes(lambda i, a, b: a * tv.ifelse(i, b, 2.0 * b)) == [[True, True]]
    assert passes(lambda i, a, b: tv.switch_case(i, [a * b, b + a, none])) == [[True, True]]
    assert passes(lambda i, a, b: tv.ifelse(i, a, b)) == [[False, True], [True, False]]
    assert passes(lambda i, a, b: a + tv.ifelse(i, b, none)) == [[False, True], [True, False]]
