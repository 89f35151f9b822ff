"""What conditions are called: by the name that the source gives them, or else by what they ask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import thunkvm as tv

x = tv.vector("x")


def names(selector: tv.Variable, *others: tv.Variable, mode: str = "vm") -> list[str]:
    """Return the conditions of a function that asks these, one after the other."""
    value = x
    for number, each in enumerate((selector, *others)):
        value = tv.ifelse(each, value, x * number)
    f = tv.function([x], value, mode=mode)
    return sorted(condition.text for condition in f.profile.functions[0].conditions)


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "FAST_RUN"])
def test_a_condition_has_the_name_that_its_line_gives_it(mode: str) -> None:
    good = x[0] > 0
    assert names(good, mode=mode) == ["good"]


def test_a_condition_of_several_nodes_has_the_name_of_all() -> None:
    good = tv.and_(x[0] > 0, x[1] > 0)
    assert names(good) == ["good", "x[0] > 0.0"]


def test_a_condition_inside_of_another_has_no_part_in_its_name() -> None:
    good = tv.or_(tv.and_(x[0] > 0, x[1] > 0), x[2] > 0)
    inner = "and_(x[0] > 0.0, x[1] > 0.0)"
    assert names(good) == [inner, "good", "x[0] > 0.0"]


def test_a_constant_on_the_left_does_not_hide_a_name() -> None:
    good = 0 < x[0]  # noqa: SIM300 (Python asks x[0] > 0)
    assert names(good) == ["good"]


def test_a_condition_of_a_statement_of_several_lines_has_its_name() -> None:
    good = (  # the node is made by the second line
        x[0]
        + 1.0
        > 0
    )  # fmt: skip
    assert names(good) == ["good"]


@pytest.mark.parametrize(
    "make",
    [lambda v: v > 0, lambda v: v != 1, lambda v: ~(v > 0), lambda v: (v > 0) & (v < 1), tv.isnan],
)
def test_a_condition_without_a_statement_is_called_by_what_it_asks(
    make: Callable[[tv.Variable], tv.Variable],
) -> None:
    (name,) = names(make(x[0]))
    assert name in ("x[0] > 0.0", "x[0] != 1.0", "~(x[0] > 0.0)", "(x[0] > 0.0) & (x[0] < 1.0)",
                    "isnan(x[0])")  # fmt: skip


def test_the_value_of_a_conditional_does_not_name_its_condition() -> None:
    value = tv.ifelse(x[0] > 0, x, -x)
    f = tv.function([x], value, mode="vm")
    assert [condition.text for condition in f.profile.functions[0].conditions] == ["x[0] > 0.0"]


def test_a_name_of_the_variable_goes_before_that_of_the_source() -> None:
    good = x[0] > 0
    good.name = "fine"
    assert names(good) == ["fine"]


def test_conditions_of_one_line_of_a_loop_are_called_by_what_they_ask() -> None:
    found = []
    for number in range(2):
        good = x[number] > 0
        found.append(good)
    assert names(*found) == ["x[0] > 0.0", "x[1] > 0.0"]


def test_texts_that_differ_far_behind_are_cut_around_the_difference() -> None:
    total = x[0]
    for number in range(30):
        total = total + x[number]
    assert names(*(total > bound for bound in (2.0, 3.0))) == [
        "x[0] + x[0] + x[...] + x[29] > 2.0",
        "x[0] + x[0] + x[...] + x[29] > 3.0",
    ]


def test_a_region_has_its_conditions_name() -> None:
    good = x[0] > 0
    f = tv.function([x], tv.ifelse(good, tv.exp(x), x), mode="vm")
    assert [row.region for row in f.explain().nodes if row.op == "exp"] == ["only if good"]


@pytest.mark.parametrize("called", ["good", "x[0] > 0.0"])
def test_a_condition_is_forced_by_its_name_and_by_what_it_asks(called: str) -> None:
    good = x[0] > 0
    f = tv.function([x], tv.ifelse(good, x, -x), mode="vm")
    for condition in (called, good):
        np.testing.assert_array_equal(f.replay(force={condition: False})([1.0]), [-1.0])


def test_a_source_that_does_not_parse_names_nothing(tmp_path: Path) -> None:
    program = tmp_path / "cell.py"
    program.write_text("import thunkvm as tv\nx = tv.scalar('x')\ngood = x > 0\n")
    good = run_path(str(program))["good"]
    program.write_text("import thunkvm as tv\nx = tv.scalar('x')\ngood = x > 0 (\n")
    f = tv.function(good.owner.inputs[:1], tv.ifelse(good, 1.0, 2.0), mode="vm")
    assert f.profile.functions[0].conditions[0].text == "x > 0.0"
