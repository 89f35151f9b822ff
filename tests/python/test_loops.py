"""Loops: while_loop and fori_loop, in every mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

MODES = [
    "py",
    "vm",
    "FAST_COMPILE",
    "cvm",
    "FAST_RUN",
    "c",
    "c|py",
    "c&py",
    "cvm_nogc",
    "DebugMode",
]
x = tv.scalar("x")
n = tv.lscalar("n")
v = tv.vector("v")


def halved(mode: str) -> Any:
    """Return a function: x, halved until it is below 1, and how often."""
    last = tv.while_loop(lambda s: s >= 1.0, lambda s: s / 2, x)
    return tv.function([x], [last, last.steps], mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_while_loop_runs_as_long_as_its_condition_is_true(mode: str) -> None:
    assert halved(mode)(10.0) == [0.625, 4]


@pytest.mark.parametrize("mode", MODES)
def test_while_loop_whose_condition_is_false_at_first_gives_what_it_was_given(mode: str) -> None:
    assert halved(mode)(0.5) == [0.5, 0]


@pytest.mark.parametrize("mode", ["py", "vm", "FAST_COMPILE", "cvm", "c|py", "cvm_nogc"])
def test_while_loop_runs_one_arm_of_an_ifelse_in_each_step(mode: str) -> None:
    k, log = n, []

    class Noted(tv.Op):
        __props__ = ("name",)

        def __init__(self, name: str) -> None:
            self.name = name

        def make_node(self, s: Any) -> tv.Apply:
            return tv.Apply(self, [s], [s.type()])

        def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
            log.append(self.name)
            outputs[0][0] = np.int64(inputs[0] + 1)

    even, odd = Noted("even"), Noted("odd")
    last = tv.fori_loop(0, k, lambda i, s: tv.ifelse(tv.eq(i % 2, 0), even(s), odd(s)), 10)
    f = tv.function([k], last, mode=mode)
    log.clear()
    assert f(4) == 14
    assert log == ["even", "odd", "even", "odd"]


def test_while_loop_computes_what_does_not_change_once_and_only_if_a_step_needs_it() -> None:
    log = []

    class Slow(tv.PureOp):
        __props__ = ()

        def make_node(self, s: Any) -> tv.Apply:
            return tv.Apply(self, [s], [s.type()])

        def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
            log.append(float(inputs[0]))
            outputs[0][0] = np.float64(inputs[0] * 2)

    slow = Slow()(x)
    last = tv.fori_loop(0, n, lambda i, s: tv.ifelse(i >= 2, s + slow, s + 1.0), 0.0)
    f = tv.function([n, x], last)
    assert (f(2, 3.0), log) == (2.0, [])
    assert (f(5, 3.0), log) == (20.0, [3.0])


def test_while_loop_does_not_demand_a_first_value_that_no_step_reads() -> None:
    log = []

    class First(tv.Op):
        __props__ = ()

        def make_node(self, s: Any) -> tv.Apply:
            return tv.Apply(self, [s], [s.type()])

        def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
            log.append("first")
            outputs[0][0] = np.float64(7.0)

    count, value = tv.while_loop(
        lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 2), (0, First()(x))
    )
    f = tv.function([n, x], count, on_unused_input="ignore")
    assert (f(3, 1.0), log) == (3, [])
    g = tv.function([n, x], [count, value])
    assert (g(3, 1.0), log) == ([3, 56.0], ["first"])


def test_while_loop_ends_after_max_steps_and_says_so() -> None:
    last = tv.while_loop(lambda s: s > 1.0, lambda s: s / 2, x, max_steps=3)
    f = tv.function([x], [last, last.steps, last.finished])
    assert f(100.0) == [12.5, 3, False]
    assert f(2.0) == [1.0, 1, True]


@pytest.mark.parametrize(
    ("history", "expected"), [("all", [4.0, 2.0, 1.0, 0.5]), (2, [2.0, 0.5]), (3, [1.0])]
)
def test_while_loop_keeps_the_states_after_its_steps(history: Any, expected: list[float]) -> None:
    last = tv.while_loop(lambda s: s >= 1.0, lambda s: s / 2, x, history=history)
    assert tv.function([x], last.history)(8.0).tolist() == expected


def test_while_loop_takes_a_structure_and_returns_one_like_it() -> None:
    @dataclass
    class Point:
        at: Any
        trail: Any

    last = tv.while_loop(
        lambda p: p.at < 10,
        lambda p: Point(p.at * 2, {"sum": p.trail["sum"] + p.at, "all": [p.at]}),
        Point(x, {"sum": 0, "all": [0.0]}),
    )
    assert isinstance(last, Point)
    f = tv.function([x], [last.at, last.trail["sum"], last.trail["all"][0], last.steps])
    assert f(3.0) == [12.0, 9.0, 6.0, 2]


def test_while_loop_changes_places_of_states_all_at_once() -> None:
    state = tv.fori_loop(0, n, lambda i, s: (s[1], s[2], s[0]), (1.0, 2.0, 3.0))
    f = tv.function([n], list(state))
    assert [f(k) for k in (0, 1, 2, 3)] == [[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 2, 3]]


@pytest.mark.parametrize("mode", MODES)
def test_while_loop_has_arrays_that_grow_from_step_to_step(mode: str) -> None:
    grown = tv.fori_loop(0, n, lambda i, s: tv.concatenate([s, s[-1:] * 2]), v)
    f = tv.function([n, v], grown, mode=mode)
    assert f(3, [1.0]).tolist() == [1.0, 2.0, 4.0, 8.0]
    assert f(0, [1.0, 5.0]).tolist() == [1.0, 5.0]


@pytest.mark.parametrize("mode", MODES)
def test_while_loop_stands_in_a_step_of_another(mode: str) -> None:
    def outer(i: Any, total: Any) -> Any:
        return total + tv.fori_loop(0, i, lambda j, inner: inner + j * i, 0)

    f = tv.function([n], tv.fori_loop(0, n, outer, 0), mode=mode)
    assert f(5) == sum(j * i for i in range(5) for j in range(i))


def test_while_loop_in_an_arm_that_is_not_taken_does_not_start() -> None:
    endless = tv.while_loop(lambda s: s >= 0, lambda s: s, x)
    f = tv.function([x], tv.ifelse(x > 100, endless, -x))
    assert f(3.0) == -3.0


@pytest.mark.parametrize("mode", ["py", "FAST_COMPILE", "cvm"])
def test_while_loop_goes_on_where_a_step_is_attempted_and_fails(mode: str) -> None:
    total = tv.fori_loop(0, n, lambda i, s: s + tv.attempt(v[i], 100.0), 0.0)
    f = tv.function([n, v], total, mode=mode)
    assert f(4, [1.0, 2.0]) == 203.0
    assert _core._testing.registers_empty(f)


def test_while_loop_that_fails_is_over_and_the_function_is_as_before() -> None:
    class Fails(tv.Op):
        __props__ = ()

        def make_node(self, s: Any) -> tv.Apply:
            return tv.Apply(self, [s], [s.type()])

        def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
            if inputs[0] == 3:
                raise KeyError("three")
            outputs[0][0] = np.int64(inputs[0] + 1)

    fails = Fails()
    f = tv.function([n], tv.while_loop(lambda s: s < 5, fails, n))
    with pytest.raises(KeyError, match="three"):
        f(0)
    assert f(4) == 5
    assert _core._testing.registers_empty(f)


def test_while_loop_promotes_a_state_that_a_step_makes_wider() -> None:
    count, total = tv.fori_loop(0, n, lambda i, s: (s[0] + 1, s[1] + 0.5), (0, 0))
    assert (count.dtype, total.dtype) == ("int64", "float64")
    assert tv.function([n], [count, total])(3) == [3, 1.5]


def test_while_loop_refuses_a_number_of_dimensions_that_changes() -> None:
    with pytest.raises(TypeError, match=r"state\['a'\]\[0\] changes its type.*dimensions"):
        tv.while_loop(lambda s: x > 0, lambda s: {"a": [tv.stack([s["a"][0]] * 2)]}, {"a": [x]})


def test_while_loop_refuses_another_structure() -> None:
    with pytest.raises(TypeError, match=r"state has 2 values, but the next state has 1"):
        tv.while_loop(lambda s: s[0] > 0, lambda s: (s[0],), (x, x))


def test_while_loop_refuses_a_body_that_returns_nothing() -> None:
    with pytest.raises(TypeError, match="the body returned None"):
        tv.while_loop(lambda s: s > 0, lambda s: None, x)


def test_while_loop_refuses_a_condition_of_many_values() -> None:
    with pytest.raises(TypeError, match=r"reduce it with \.all\(\) or \.any\(\)"):
        tv.while_loop(lambda s: s > 0, lambda s: s - 1, v)


def test_while_loop_refuses_an_interval_below_one() -> None:
    with pytest.raises(ValueError, match="history is 0"):
        tv.while_loop(lambda s: s > 0, lambda s: s - 1, x, history=0)


def test_fori_loop_refuses_bounds_that_are_no_integers() -> None:
    with pytest.raises(TypeError, match="upper has to be a 0-d integer"):
        tv.fori_loop(0, 2.5, lambda i, s: s, x)


class Moved(NamedTuple):
    at: Any
    by: Any


@pytest.mark.parametrize("first", [Moved(x, 0.0), (x, 0.0), [x, 0.0]])
def test_last_state_of_a_loop_is_a_structure_as_the_first_one(first: Any) -> None:
    last = tv.while_loop(lambda s: s[0] < 8.0, lambda s: with_values(s, [s[0] * 2, s[0]]), first)
    f = tv.function([x], [tv.ifelse(x > 0.0, last, first), last.steps])
    assert f(3.0) == [with_values(first, [12.0, 6.0]), 2]


def with_values(like: Any, values: list[Any]) -> Any:
    return like._make(values) if isinstance(like, Moved) else type(like)(values)


def test_variable_that_no_loop_made_has_no_steps() -> None:
    with pytest.raises(AttributeError, match="has no steps"):
        x.steps  # noqa: B018


def test_while_loop_of_python_says_what_to_write() -> None:
    with pytest.raises(TypeError, match=r"tv\.while_loop"):
        while x > 0:
            pass


def test_ops_of_loops_are_equal_only_if_they_are_the_same() -> None:
    one, other = (tv.fori_loop(0, n, lambda i, s, by=by: s + by, x) for by in (1.0, 2.0))
    assert one.owner.op == one.owner.op
    assert one.owner.op != other.owner.op


def test_explain_says_of_a_node_in_which_steps_it_runs() -> None:
    last = tv.fori_loop(0, n, lambda i, s: tv.ifelse(s > 1.0, s * 0.5, tv.exp(s)), x)
    regions = {row.op: row.region for row in tv.function([x, n], last).explain().nodes}
    assert regions["gt"] == "each step of fori_loop.6"
    assert regions["exp"] == "each step of fori_loop.6, only if not state[1] > 1.0"


def test_record_keeps_the_conditions_outside_of_loops() -> None:
    last = tv.fori_loop(0, n, lambda i, s: tv.ifelse(s > 1.0, s * 0.5, s + 1.0), x)
    f = tv.function([x, n], tv.ifelse(x > 0, last, -x), mode="vm")
    with f.record() as r:
        f(1.0, 3)
    assert str(r).splitlines()[1].strip() == "call 0: x > 0.0: True"
    assert f.replay(r, force={"x > 0.0": False})(1.0, 3) == -1.0


@pytest.mark.parametrize("mode", MODES)
def test_a_state_that_shares_an_ifelse_with_one_in_use_is_not_computed_for_it(mode: Any) -> None:
    def body(state: Any) -> Any:
        first, second = state
        return tv.ifelse(second > 2.0, (tv.exp(first), second + 1.0), (first, second + 2.0))

    _, second = tv.while_loop(lambda state: state[1] < 6.0, body, (x, x))
    f = tv.function([x], second, mode=mode)
    assert f(1.0) == 6.0
    assert not [row for row in f._node_rows() if row[1] == "exp"]


@pytest.mark.parametrize("mode", MODES)
def test_outputs_of_one_ifelse_may_change_in_different_loops(mode: Any) -> None:
    def body(s: Any) -> Any:
        _, outside = tv.ifelse(x > 0.0, (s, x), (s, x + 1.0))
        return outside * outside

    last = tv.while_loop(lambda s: x > -9.0, body, x, max_steps=3)
    assert tv.function([x], last, mode=mode)(3.0) == 9.0


@pytest.mark.parametrize("mode", MODES)
def test_a_step_asks_an_ifelse_for_the_length_of_one_axis_alone(mode: Any) -> None:
    m = tv.matrix("m")

    def body(_: Any, s: Any) -> Any:
        return s + tv.ifelse(x > 0.0, s @ s, s.T).shape[0]  # 2

    f = tv.function([x, m], tv.fori_loop(0, 2, body, m), mode=mode)
    for chosen in (1.0, -1.0):
        np.testing.assert_array_equal(f(chosen, [[1.0, 2.0], [3.0, 4.0]]), [[5.0, 6.0], [7.0, 8.0]])


def test_fori_loop_takes_no_memory_for_a_step_that_leaves_the_shape() -> None:
    roots = tv.fori_loop(0, n, lambda _, s: tv.sqrt(s * 0.9 + 0.1), v)
    f = tv.function([v, n], roots, mode=tv.Mode("cvm", compile="now"))
    with f.profile("memory") as p:
        np.testing.assert_allclose(f(np.ones(1000), 100), np.ones(1000))
    allocated = {row.op: row.bytes_allocated for row in p.functions[0].nodes}
    assert allocated["sqrt"] == 8000
