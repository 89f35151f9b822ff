"""What a profile says of operations, bytes and copies: of Ops that state them, in all modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.profile import FunctionRecord, NodeRow

NOW = tv.Mode("cvm", compile="now")
LINKED = ["vm", tv.Mode("cvm", compile="never"), NOW]
MODES = ["py", *LINKED]


def recorded(f: tv.Function, *calls: tuple[Any, ...]) -> FunctionRecord:
    """What is recorded of a function's calls."""
    with f.profile() as p:
        for values in calls:
            f(*values)
    return p.functions[0]


def row(record: FunctionRecord, op: str) -> NodeRow:
    (found,) = [node for node in record.nodes if node.op == op]
    return found


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_product_of_matrices_states_two_operations_a_term(mode: Any) -> None:
    a, b = tv.matrix("a"), tv.matrix("b")
    f = tv.function([a, b], tv.matmul(a, b), mode=mode)
    node = row(recorded(f, (np.ones((2, 3)), np.ones((3, 4)))), "matmul")
    assert node.flops == 2 * 2 * 3 * 4
    assert node.bytes_moved == 8 * (2 * 3 + 3 * 4 + 2 * 4)
    assert node.gflops == pytest.approx(48 / node.self_time / 1e9)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_runs_with_other_shapes_count_by_theirs(mode: Any) -> None:
    a = tv.matrix("a")
    f = tv.function([a], tv.inv(a), mode=mode)
    record = recorded(f, (np.eye(2),), (np.eye(3),), (np.eye(2),))
    assert row(record, "inv").flops == 2 * (2**3 + 3**3 + 2**3)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_numbers_need_no_shapes(mode: Any) -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.exp(x) * 2.0, mode=mode)
    record = recorded(f, (1.0,), (2.0,), (3.0,))
    assert [(row(record, op).flops, row(record, op).bytes_moved) for op in ("exp", "mul")] == [
        (3, 0),
        (3, 0),
    ]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_elements_and_reductions_count_one_an_element(mode: Any) -> None:
    x = tv.matrix("x")
    f = tv.function([x], tv.sum(tv.exp(x) * 2.0, axis=0), mode=mode)
    record = recorded(f, (np.ones((5, 7)),), (np.ones((2, 3)),))
    assert {node.op: node.flops for node in record.nodes if node.flops} == {
        "exp": 41,
        "mul": 41,
        "sum": 41,
    }


def test_what_the_nodes_of_a_loop_hand_to_each_other_is_not_moved() -> None:
    x, y = tv.matrix("x"), tv.vector("y")
    f = tv.function([x, y], tv.exp(x * y), mode=NOW)
    record = recorded(f, *[(np.ones((300, 70)), np.ones(70))] * 3)
    (group,) = record.groups
    assert group.bytes_moved == 3 * 8 * (300 * 70 + 70 + 300 * 70)
    assert group.flops == 3 * 2 * 300 * 70
    assert sum(node.bytes_moved for node in record.nodes) == pytest.approx(group.bytes_moved)


def test_a_small_loop_that_runs_again_moves_as_much_again() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) + x, mode=NOW)
    (group,) = recorded(f, *[([1.0, 2.0, 3.0],)] * 5).groups
    assert (group.bytes_moved, group.flops) == (5 * 8 * (3 + 3), 5 * 2 * 3)


def test_whole_numbers_are_no_floats() -> None:
    i = tv.vector("i", dtype="int64")
    f = tv.function([i], i + i, mode="vm")
    node = row(recorded(f, (np.arange(4),)), "add")
    assert (node.flops, node.bytes_moved) == (0, 3 * 4 * 8)
    assert node.gflops is None


class Stated(tv.Op):
    """States what it does."""

    def make_node(self, x: Any, y: Any) -> tv.Apply:
        x, y = tv.as_variable(x), tv.as_variable(y)
        return tv.Apply(self, [x, y], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] + 0

    def flops(self, inputs: list[Any], outputs: list[Any]) -> int:
        return 10 * inputs[0][0] + len(outputs[0]) + len(inputs[1])

    def bytes_moved(self, node: tv.Apply, inputs: list[Any], outputs: list[Any]) -> int:
        return 100 * inputs[0][0]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_users_op_is_given_the_shapes_of_its_runs(mode: Any) -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], Stated()(x, y), mode=mode)
    node = row(recorded(f, ([1.0, 2.0], 0.0), ([1.0], 0.0)), "Stated")
    assert (node.flops, node.bytes_moved) == (10 * 3 + 2, 300)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_what_a_users_op_makes_of_inputs_of_one_shape_may_have_several(mode: Any) -> None:
    class Zeros(Stated):
        def perform(self, node: tv.Apply, inputs: list[Any], storage: list[list[Any]]) -> None:
            storage[0][0] = np.zeros(int(inputs[1]))

        def flops(self, inputs: list[Any], outputs: list[Any]) -> int:
            return int(outputs[0][0])

    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], Zeros()(x, y), mode=mode)
    record = recorded(f, ([1.0], 2.0), ([1.0], 5.0), ([1.0], 5.0), ([1.0], 1.0))
    assert row(record, "Zeros").flops == 2 + 5 + 5 + 1


def test_what_a_users_statement_raises_names_its_node() -> None:
    class Wrong(Stated):
        def flops(self, inputs: list[Any], outputs: list[Any]) -> int:
            raise ArithmeticError("I do not know")

    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], Wrong()(x, y), mode="vm")
    with f.profile() as p:
        f([1.0], 2.0)
    with pytest.raises(ArithmeticError, match="do not know") as raised:
        str(p)
    assert (
        "raised by Wrong.flops for the node made at test_profile_work.py"
        in raised.value.__notes__[0]
    )


def test_an_op_that_states_nothing_is_unknown() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x[::-1]), mode="vm")
    record = recorded(f, ([1.0, 2.0],))
    assert row(record, "subtensor").gflops is None
    with f.profile() as p:
        f([1.0])
    by_node = str(p).split("by node")[1].split("by source line")[0]
    assert "<GFLOP/s>" in by_node
    assert "unknown" in next(line for line in by_node.splitlines() if "subtensor.0" in line)


def test_a_profile_that_counts_asks_for_no_shapes() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x), mode="vm")
    with f.profile("count") as p:
        f([1.0])
    assert row(p.functions[0], "exp").flops == 0


class Overwrites(tv.Op):
    """Adds one in place."""

    destroy_map = {0: [0]}

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        inputs[0] += 1
        output_storage[0][0] = inputs[0]


def copies(f: tv.Function, *values: Any, kind: Any = "count") -> tuple[int, int]:
    """How many copies Overwrites made in two calls, and how many for laziness's sake."""
    with f.profile(kind) as p:
        for _ in range(2):
            f(*values)
    node = row(p.functions[0], "Overwrites")
    return node.copies, node.lazy_copies


@pytest.mark.parametrize("mode", LINKED, ids=str)
def test_a_value_that_nobody_else_reads_is_not_copied(mode: Any) -> None:
    x = tv.vector("x")
    f = tv.function([x], Overwrites()(tv.exp(x)), mode=mode)
    assert copies(f, [1.0]) == (0, 0)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_copy_for_an_arm_that_may_not_run_is_for_laziness(mode: Any) -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    shared = tv.exp(x)
    f = tv.function([c, x], tv.ifelse(c > Overwrites()(shared)[0], shared, x), mode=mode)
    assert copies(f, 0.0, [1.0]) == (2, 2)


@pytest.mark.parametrize("mode", LINKED, ids=str)
def test_a_copy_for_what_runs_anyway_is_not(mode: Any) -> None:
    x = tv.vector("x")
    shared = tv.exp(x)
    f = tv.function([x], Stated()(shared, Overwrites()(shared)[0]), mode=mode)
    assert copies(f, [1.0]) == (2, 0)


def test_a_copy_of_the_callers_value_is_not() -> None:
    x = tv.vector("x")
    f = tv.function([x], Overwrites()(x), mode="vm")
    assert copies(f, np.ones(2)) == (2, 0)


def test_the_lazy_report_names_who_copied() -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    shared = tv.exp(x)
    f = tv.function([c, x], tv.ifelse(c > Overwrites()(shared)[0], shared, x), mode="vm")
    with f.profile("time") as p:
        f(0.0, [1.0])
    assert "copies for laziness's sake: Overwrites.1 (1)" in str(p)
