"""When nodes run, as `explain` says it in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import thunkvm as tv


def regions(inputs: list[tv.Variable], outputs: Any, mode: str = "vm") -> dict[str, str]:
    """Return by Op when its nodes run; of several nodes of one Op the last."""
    nodes = tv.function(inputs, outputs, mode=mode).explain().nodes
    return {row.op: row.region for row in nodes}


def test_what_every_call_runs_always_runs() -> None:
    x = tv.scalar("x")
    assert regions([x], tv.exp(x)) == {"exp": "always"}


def test_an_arm_is_named_by_what_decides_it() -> None:
    x = tv.scalar("x")
    assert regions([x], tv.ifelse(x > 0, tv.exp(x), tv.sin(x))) == {
        "gt": "always",
        "ifelse": "always",
        "exp": "only if x > 0.0",
        "sin": "only if not x > 0.0",
    }


def test_a_selector_that_has_a_name_is_called_by_it() -> None:
    x = tv.scalar("x")
    better = x > 0
    better.name = "better"
    assert regions([x], tv.ifelse(better, tv.exp(x), x))["exp"] == "only if better"


def test_arms_within_arms_are_named_from_the_outside() -> None:
    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    inner = tv.ifelse(d, x, tv.exp(x))
    assert regions([c, d, x], tv.ifelse(c, inner, x))["exp"] == "only if c and not d"


def test_the_arms_of_a_switch_are_named_by_their_numbers() -> None:
    i, x = tv.scalar("i", dtype="int64"), tv.scalar("x")
    found = regions([i, x], tv.switch_case(i, [tv.exp(x), tv.sin(x)], default=tv.cos(x)))
    assert found["exp"] == "only if i == 0"
    assert found["sin"] == "only if i == 1"
    assert found["cos"] == "only if not 0 <= i < 2"


def test_what_two_selectors_may_demand_runs_if_needed() -> None:
    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    memo = tv.exp(x)
    outputs = [tv.ifelse(c, memo, x), tv.ifelse(d, memo, x)]
    assert regions([c, d, x], outputs)["exp"] == "if needed"


def test_a_body_within_an_arm_has_the_condition_of_the_arm() -> None:
    a, c, d, x = tv.scalar("a"), tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    memo = tv.exp(x)
    inner = tv.ifelse(c, memo, x) + tv.ifelse(d, memo, x)
    assert regions([a, c, d, x], tv.ifelse(a, inner, x))["exp"] == "if needed and a"


def test_the_input_of_a_lazy_op_runs_where_that_asks_for_it() -> None:
    class First(tv.Op):
        def make_node(self, x: tv.Variable, y: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x, y], [x.type()])

        def demand(self, node: tv.Apply) -> Iterator[Any]:
            return (yield 0)

    x = tv.scalar("x")
    first = First()(tv.exp(x), tv.sin(x))
    first.name = "first"
    found = regions([x], first)
    assert found["sin"] == "only if input 1 of first is asked for"


def test_of_deep_nesting_the_innermost_conditions_are_told() -> None:
    selectors = [tv.scalar(f"c{i}") for i in range(12)]
    x = tv.scalar("x")
    value = tv.exp(x)
    for c in reversed(selectors):
        value = tv.ifelse(c, value, x)
    words = " and ".join(f"c{i}" for i in range(5, 12))
    assert regions([*selectors, x], value)["exp"] == f"only if ... and {words}"


def test_dprint_says_of_what_not_every_call_runs_when_it_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    x = tv.scalar("x")
    tv.function([x], tv.ifelse(x > 0, tv.exp(x), x), mode="vm").dprint()
    assert capsys.readouterr().out.splitlines() == [
        "ifelse.2 <scalar float64>",
        " |if: gt.0 <scalar bool>",
        " | |x [id A] <scalar float64>",
        " | |0.0",
        " |then: exp.1 <scalar float64>  [only if x > 0.0]",
        " | |x [id A]",
        " |else: x [id A]",
    ]


def test_mode_py_decides_nothing_ahead() -> None:
    x = tv.scalar("x")
    assert regions([x], tv.ifelse(x > 0, tv.exp(x), x), mode="py")["exp"] == "if needed"


def test_emitted_code_has_the_regions_of_its_program() -> None:
    x = tv.scalar("x")
    nodes = tv.function([x], tv.ifelse(x > 0, tv.exp(x), x), mode="c").explain().nodes
    assert [(row.op, row.region, row.code) for row in nodes if row.op == "exp"] == [
        ("exp", "only if x > 0.0", "function 0")
    ]


class First(tv.Op):
    """A lazy Op that demands its first input alone."""

    def make_node(self, x: tv.Variable, y: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x, y], [x.type()])

    def demand(self, node: tv.Apply) -> Iterator[Any]:
        return (yield 0)


def every_kind_of_region() -> tuple[list[tv.Variable], list[tv.Variable]]:
    """Arms in arms, a body for two conditions, an attempt, a lazy Op's inputs, a switch, a loop."""
    a, b, x = tv.scalar("a"), tv.scalar("b"), tv.scalar("x")
    i, v = tv.scalar("i", dtype="int64"), tv.vector("v")
    either = tv.exp(x * 3.0)
    outputs = [
        tv.ifelse(a > 0, tv.ifelse(b > 0, tv.cos(x), either), tv.sin(x) * 2.0),
        tv.ifelse(b > 1, either, x),
        tv.attempt(tv.log(x), tv.tanh(x)),
        First()(tv.sqrt(x), tv.cosh(x)),
        tv.switch_case(i, [tv.sinh(x), tv.tan(x)], default=tv.expm1(x)),
        tv.ifelse(a > 2, (tv.exp(v) * v).sum(), tv.log1p(v).max()),
    ]
    return [a, b, x, i, v], outputs


MODES = ["py", "vm", tv.Mode("cvm", compile="never"), tv.Mode("cvm", compile="now")]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_explain_dprint_and_the_profile_name_nodes_and_regions_alike(
    mode: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    f = tv.function(*every_kind_of_region(), mode=mode)
    with f.profile() as p:
        f(1.0, 2.0, 0.5, 1, [1.0, 2.0])
        f(3.0, -2.0, 0.5, 7, [1.0, 2.0])
    explained = {row.node: row.region for row in f.explain().nodes}
    assert {node.name: node.region for node in p.functions[0].nodes} == explained
    assert len(set(explained.values())) > (1 if mode == "py" else 12)

    f.dprint(depth=None, profile=p)
    notes = re.findall(r"(\w+\.\d+)(?:\[\d+\])? <[^>]*>  \[(.*)\]$", capsys.readouterr().out, re.M)
    assert notes
    for name, note in notes:
        assert note.endswith(f", {explained[name]}")
    assert {name for name, _ in notes} == set(explained)

    f.dprint(depth=None)
    plain = re.findall(
        r"(\w+\.\d+)(?:\[\d+\])? <[^>]*>(?:  \[(.*)\])?$", capsys.readouterr().out, re.M
    )
    assert {name: note or "always" for name, note in plain} == explained
    assert {node["node"]: node["region"] for node in p.to_pandas().to_dict("records")} == explained
