"""Programs of small graphs as text, and their emitted C, against files in tests/golden.

Run with THUNKVM_GOLDEN=write to make the files anew, and read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import thunkvm as tv

GOLDEN = Path(__file__).parents[1] / "golden"


def check_golden(name: str, inputs: list[tv.Variable], outputs: list[tv.Variable]) -> None:
    """Hold the program of a function in mode vm against a file."""
    text = tv.function(inputs, outputs, mode="vm").disassemble()
    path = GOLDEN / name
    if os.environ.get("THUNKVM_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text(), f"{path} differs; run with THUNKVM_GOLDEN=write and look"


class FirstPositive(tv.Op):
    """Its first input if that is positive, else its second: opaque to the linker."""

    def make_node(self, x: tv.Variable, y: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x, y], [x.type()])

    def demand(self, node: tv.Apply) -> Iterator[Any]:
        """Demand the second input only where it is needed."""
        first = yield 0
        return first if first > 0 else (yield 1)


def test_branches_on_one_selector_are_joined_up_to_where_one_is_touched() -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    first, second = tv.ifelse(c, x * 2.0, x + 1.0), tv.ifelse(c, x * 3.0, x / 2.0)
    between = first - second
    check_golden("joined_branches.txt", [c, x], [tv.ifelse(c, between * x, between)])


def test_what_an_arm_computed_for_an_earlier_branch_is_there_for_a_later_one() -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    shared = x * x
    first = tv.ifelse(c, shared, x)
    between = first + 1.0
    check_golden("value_across_branches.txt", [c, x], [tv.ifelse(c, shared * between, between)])


def test_a_value_that_is_demanded_under_two_selectors_is_a_body_that_runs_once() -> None:
    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    uncertain = (x * x) * x
    outputs = [tv.ifelse(c, uncertain, x), tv.ifelse(d, uncertain + x, x)]
    check_golden("memo_body.txt", [c, d, x], outputs)


def test_a_conditional_in_an_arm_of_its_own_selector_is_a_move() -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    inner = tv.ifelse(c, x * 2.0, x * 3.0)
    check_golden("decided_conditional.txt", [c, x], [tv.ifelse(c, inner + 1.0, x)])


def test_each_arm_of_a_switch_lets_go_at_its_entry_of_what_it_does_not_use() -> None:
    i, x = tv.scalar("i", dtype="int64"), tv.scalar("x")
    a, b = x + 1.0, x * x
    product, some = a * b, x - 1.0
    arms = [a + product, b * some, some]
    picked = tv.switch_case(i, arms, default=x)
    check_golden("switch_with_default.txt", [i, x], [product, picked])


def test_a_selector_dies_in_its_last_branch() -> None:
    x = tv.scalar("x")
    check_golden("dying_selector.txt", [x], [tv.ifelse(x > 0.0, x * 2.0, x)])


def test_an_opaque_node_has_a_body_for_each_input_and_lives_to_its_last_demand() -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    shared = x * x
    picked = FirstPositive()(shared - 1.0, shared + 1.0)
    outputs = [tv.ifelse(c, picked, x), tv.ifelse(x, picked + x, x)]
    check_golden("opaque_node.txt", [c, x], outputs)


def test_an_input_that_an_op_reads_twice_does_not_die_into_its_output() -> None:
    x = tv.vector("x")
    y = x + 1.0
    check_golden("input_read_twice.txt", [x], [y * y])


def check_golden_c(
    name: str, inputs: list[tv.Variable], outputs: list[tv.Variable], mode: str = "c"
) -> None:
    """Hold what a function in mode c is in C, without the prelude, against a file."""
    source = tv.function(inputs, outputs, mode=mode).c_source()
    last_of_prelude = source.index("#define TV_RETIRE")
    text = source[source.index("\n", last_of_prelude) :].strip("\n") + "\n"
    text = re.sub(r", test_golden_programs\.py:\d+ in \w+", "", text)
    path = GOLDEN / name
    if os.environ.get("THUNKVM_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text(), f"{path} differs; run with THUNKVM_GOLDEN=write and look"


def test_nested_conditionals_of_numbers_are_nested_ifs_in_c() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    inner = tv.ifelse(y > 1.0, tv.exp(y) - x, x / y)
    check_golden_c("nested_ifelse.c", [x, y], [tv.ifelse(x > y, inner * 2.0, x - y)])


def test_conditionals_on_one_selector_are_one_if_in_c() -> None:
    c, x, y = tv.scalar("c"), tv.scalar("x"), tv.scalar("y")
    a, b = tv.ifelse(c, x, y), tv.ifelse(c, y * 2.0, x * 3.0)
    check_golden_c("one_selector.c", [c, x, y], [a, b])


def test_a_value_that_two_arms_share_is_a_function_of_its_own_in_c() -> None:
    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    shared = tv.sin(x) * x
    outputs = [tv.ifelse(c > 0.0, shared + 1.0, x), tv.ifelse(d > 0.0, shared - 1.0, x)]
    check_golden_c("shared_by_arms.c", [c, d, x], outputs)


def test_a_value_that_an_arm_computed_for_an_earlier_if_is_there_for_a_later_one_in_c() -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    shared = x * x
    between = tv.ifelse(c, shared, x) + 1.0
    outputs = [tv.ifelse(c, shared * between, between)]
    check_golden_c("value_across_ifs.c", [c, x], outputs)


def test_a_switch_is_a_switch_in_c() -> None:
    i, x = tv.scalar("i", dtype="int64"), tv.scalar("x")
    arms = [x + 1.0, x * 2.0, x - 3.0]
    check_golden_c("switch_case.c", [i, x], [tv.switch_case(i, arms, default=x)])


def test_loops_of_the_arms_are_called_in_the_arms_in_c() -> None:
    a, b = tv.scalar("a"), tv.scalar("b")
    x, y = tv.vector("x"), tv.vector("y")
    picked = tv.ifelse(a < b, tv.mean(tv.exp(x)), tv.mean(tv.exp(y)))
    check_golden_c("two_means.c", [a, b, x, y], [picked])


def test_a_loop_of_several_outputs_and_reductions_in_c() -> None:
    x, y, a = tv.matrix("x"), tv.matrix("y"), tv.scalar("a")
    scaled = tv.sqrt(x * x + y) * a
    check_golden_c(
        "outputs_and_reductions.c", [x, y, a], [scaled, scaled.sum(axis=1), scaled.max()]
    )


def test_an_elementwise_conditional_in_an_arm_in_c() -> None:
    c, x = tv.scalar("c", dtype="int8"), tv.vector("x", dtype="int8")
    clipped = tv.where(x > 100, x - 100, x)
    picked = tv.ifelse(c, tv.ifelse(c > 1, clipped * 2, clipped), x)
    check_golden_c("nested_arrays.c", [c, x], [picked])
