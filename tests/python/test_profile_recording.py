"""What is recorded of calls: how often nodes ran, how long they took, which arms were taken."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from spinning import Spin, standing_clock

import thunkvm as tv
from thunkvm.profile import FunctionRecord, NodeRow

MODES = ["py", "vm", tv.Mode("cvm", compile="never"), tv.Mode("cvm", compile="now")]


@pytest.fixture(autouse=True)
def still() -> Iterator[None]:
    with standing_clock():
        yield


def row(record: FunctionRecord, name: str) -> NodeRow:
    """The node whose Op has this name, or is a Spin that is called so."""
    (found,) = [node for node in record.nodes if node.op == name or name in node.name]
    return found


def branching(mode: Any, **options: Any) -> Any:
    """A function that takes 3 ms where x > 0, else 1 ms, and 10 ms before that."""
    x = tv.scalar("x")
    better = Spin(0.010)(x) > 0
    out = tv.ifelse(better, Spin(0.003)(x), Spin(0.001)(x))
    return tv.function([x], out, mode=mode, name="search", **options)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_nodes_time_is_what_it_took(mode: Any) -> None:
    f = branching(mode, profile=True)
    for x in (1.0, 1.0, -1.0):
        f(x)
    (record,) = f.profile.functions
    spins = [n for n in record.nodes if n.op_class == "Spin"]
    assert sorted((n.runs, round(n.self_time, 9)) for n in spins) == [
        (1, 0.001),
        (2, 0.006),
        (3, 0.030),
    ]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_the_rows_add_up_to_the_calls(mode: Any) -> None:
    f = branching(mode, profile=True)
    for x in (1.0, -1.0, 1.0):
        f(x)
    (record,) = f.profile.functions
    assert record.n_calls == 3
    assert record.time == pytest.approx(0.037)
    assert sum(call.time for call in record.calls) == pytest.approx(record.time)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_condition_says_how_often_and_how_long_each_arm_ran(mode: Any) -> None:
    f = branching(mode, profile=True)
    for x in (1.0, 1.0, -1.0, 1.0):
        f(x)
    ((condition,),) = [record.conditions for record in f.profile.functions]
    assert condition.evaluations == 4
    assert condition.flips == 2
    assert [(arm.name, arm.taken) for arm in condition.arms] == [("then", 3), ("else", 1)]
    assert [arm.time for arm in condition.arms] == pytest.approx([0.009, 0.001])


def test_the_arms_that_were_not_taken_are_what_was_saved() -> None:
    f = branching("vm", profile=True)
    for x in (1.0, 1.0, -1.0):
        f(x)
    ((condition,),) = [record.conditions for record in f.profile.functions]
    assert condition.saved == pytest.approx(2 * 0.001 + 1 * 0.003)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_break_even_is_what_is_not_taken_each_time(mode: Any) -> None:
    f = branching(mode, profile=True)
    for x in (1.0, 1.0, -1.0, 1.0):
        f(x)
    ((condition,),) = [record.conditions for record in f.profile.functions]
    # An eager where takes 3 + 1 ms each time, the condition 3 ms in 3 of 4 and 1 ms in one.
    assert condition.break_even == pytest.approx(0.25 * 0.003 + 0.75 * 0.001)


def test_nobody_knows_what_an_arm_saves_that_never_ran() -> None:
    f = branching("vm", profile=True)
    f(1.0)
    ((condition,),) = [record.conditions for record in f.profile.functions]
    assert condition.saved is None
    assert condition.break_even is None
    assert condition.always == "then"


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_block_records_its_calls_alone(mode: Any) -> None:
    f = branching(mode)
    f(1.0)
    with f.profile() as p:
        f(1.0)
        f(-1.0)
    f(-1.0)
    (record,) = p.functions
    assert record.n_calls == 2
    assert record.time == pytest.approx(0.024)
    assert {run.node: run.runs for run in f.node_runs()}["gt.1"] == 4


def test_a_block_within_a_block_records_for_both() -> None:
    f = branching("vm")
    with f.profile() as outer:
        f(1.0)
        with f.profile("count") as inner:
            f(-1.0)
        f(1.0)
    assert [arm.taken for arm in outer.functions[0].conditions[0].arms] == [2, 1]
    assert [arm.taken for arm in inner.functions[0].conditions[0].arms] == [0, 1]


def test_blocks_that_overlap_record_what_they_saw() -> None:
    f = branching("vm")
    first, second = f.profile("count"), f.profile("count")
    first.start()
    f(1.0)
    second.start()
    f(1.0)
    first.stop()
    f(-1.0)
    second.stop()
    assert [arm.taken for arm in first.functions[0].conditions[0].arms] == [2, 0]
    assert [arm.taken for arm in second.functions[0].conditions[0].arms] == [1, 1]


def test_a_block_over_all_functions_has_those_that_were_called() -> None:
    x = tv.scalar("x")
    f, g, _ = (tv.function([x], Spin(0.001)(x), mode="vm", name=name) for name in "fgh")
    with tv.profile() as p:
        f(1.0)
        g(1.0)
        g(1.0)
    g(1.0)
    assert {r.name: (r.n_calls, round(r.time, 9)) for r in p.functions} == {
        "f": (1, 0.001),
        "g": (2, 0.002),
    }


def test_a_profile_is_read_while_another_thread_calls_a_new_function() -> None:
    x = tv.scalar("x")
    f, g = tv.function([x], x + 1, name="f"), tv.function([x], x + 2, name="g")
    with tv.profile() as p:
        f(1.0)
        (function, recording), *_ = p._sources

        class Counted:
            compiled = False

            def count(self) -> int:
                p.add(g)  # as that thread would
                return recording.count()

            def __getattr__(self, name: str) -> Any:
                return getattr(recording, name)

        p._sources[0] = (function, Counted())  # type: ignore[assignment]
        assert [record.name for record in p.functions] == ["f"]
        g(1.0)
        p._sources[0] = (function, recording)
        assert [record.name for record in p.functions] == ["f", "g"]


def test_an_arms_time_has_what_it_demanded_from_elsewhere() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    shared = Spin(0.005)(x)
    # Needed where x > 0 or y > 0: certain in no arm, so it runs at its first need.
    outs = [tv.ifelse(x > 0, shared + 1, x), tv.ifelse(y > 0, shared + 2, y)]
    f = tv.function([x, y], outs, mode="vm", profile=True)
    f(-1.0, 1.0)
    (record,) = f.profile.functions
    times = {c.text: [round(arm.time, 9) for arm in c.arms] for c in record.conditions}
    assert times == {"x > 0.0": [0.0, 0.0], "y > 0.0": [0.005, 0.0]}
    spin = next(node for node in record.nodes if node.op_class == "Spin")
    assert (spin.memoised, spin.region) == (True, "if needed")
    assert not any(node.memoised for node in record.nodes if node is not spin)
    assert record.nodes[spin.first_demanded_by].inputs == (spin.index, "2.0")


class Second(tv.Op):
    """Demands its inputs one by one, and returns the last."""

    def make_node(self, *inputs: Any) -> tv.Apply:
        return tv.Apply(self, inputs, [inputs[-1].type()])

    def demand(self, node: tv.Apply) -> Generator[int, Any, Any]:
        value = None
        for i in range(len(node.inputs)):
            value = yield i
        return value


def test_a_lazy_thunk_is_suspended_and_its_inputs_are_below_it() -> None:
    x = tv.scalar("x")
    f = tv.function([x], Second()(Spin(0.002)(x), Spin(0.004)(x)), mode="vm", profile=True)
    f(1.0)
    (record,) = f.profile.functions
    lazy = next(node for node in record.nodes if node.op_class == "Second")
    assert (lazy.entered, lazy.runs, lazy.suspended) == (3, 1, 2)
    assert (lazy.self_time, lazy.total_time) == pytest.approx((0.0, 0.006))


class Fails(tv.Op):
    """Fails for what is negative."""

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        if inputs[0] < 0:
            raise ValueError("negative")
        output_storage[0][0] = inputs[0]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_node_that_fails_has_begun_and_not_run(mode: Any) -> None:
    x = tv.scalar("x")
    f = tv.function([x], Spin(0.001)(Fails()(x)), mode=mode, profile=True)
    f(1.0)
    with pytest.raises(ValueError, match="negative"):
        f(-1.0)
    (record,) = f.profile.functions
    fails, spin = record.nodes
    assert (fails.entered, fails.runs, fails.failed) == (2, 1, 1)
    assert (spin.entered, spin.runs, spin.failed) == (1, 1, 0)
    assert record.n_calls == 2


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_call_that_raised_says_so(mode: Any) -> None:
    x = tv.scalar("x")
    f = tv.function([x], Fails()(x), mode=mode, profile="trace")
    f(1.0)
    with pytest.raises(ValueError, match="negative"):
        f(-1.0)
    f(2.0)
    (record,) = f.profile.functions
    assert [call.failed for call in record.calls] == [False, True, False]


def test_the_first_run_is_told_apart() -> None:
    x = tv.scalar("x")
    op = Spin(0.008)
    f = tv.function([x], op(x), mode="vm", profile=True)
    f(1.0)
    for op.seconds in (0.001, 0.002, 0.003):
        f(1.0)
    ((spin,),) = [record.nodes for record in f.profile.functions]
    assert (spin.first, spin.min, spin.max) == (0.008, 0.001, 0.003)
    assert spin.self_time == pytest.approx(0.014)


def test_calls_are_rows_with_the_arms_they_took() -> None:
    f = branching("vm", profile=True)
    for x in (1.0, -1.0, 1.0):
        f(x)
    assert [(call.index, call.arms, round(call.time, 9)) for call in f.profile.calls] == [
        (0, ((0, 0),), 0.013),
        (1, ((0, 1),), 0.011),
        (2, ((0, 0),), 0.013),
    ]


def test_threads_record_each_for_itself() -> None:
    f = branching("vm", profile="count")

    def work() -> None:
        for x in (1.0, -1.0) * 50:
            f(x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (record,) = f.profile.functions
    assert record.n_calls == len(record.calls) == 400
    assert [arm.taken for arm in record.conditions[0].arms] == [200, 200]


def test_a_thread_is_not_taken_for_one_that_ended_before_it() -> None:
    f = branching("vm", profile="count")
    for _ in range(3):
        thread = threading.Thread(target=f, args=(1.0,))
        thread.start()
        thread.join()
    (record,) = f.profile.functions
    assert [call.thread for call in record.calls] == [0, 1, 2]


def test_regions_are_named_by_their_conditions() -> None:
    x = tv.scalar("x")
    inner = tv.ifelse(x < 1, tv.exp(x), tv.cos(x))
    f = tv.function([x], tv.ifelse(x > 0, inner, tv.sin(x)), mode="vm", profile="count")
    f(2.0)
    (record,) = f.profile.functions
    regions = {node.op: node.region for node in record.nodes}
    assert regions["gt"] == "always"
    assert regions["sin"] == "only if not x > 0.0"
    assert regions["exp"] == "only if x > 0.0 and x < 1.0"
    assert regions["cos"] == "only if x > 0.0 and not x < 1.0"


def test_the_class_of_a_built_in_op_is_its_family() -> None:
    x = tv.vector("x")
    f = tv.function([x], Spin(0.001)(tv.sum(tv.exp(x) * 2.0)), mode="vm", profile=True)
    f([1.0])
    (record,) = f.profile.functions
    assert {node.op: node.op_class for node in record.nodes} == {
        "exp": "exponential",
        "mul": "arithmetic",
        "sum": "reduction",
        "Spin": "Spin",
    }


def test_a_profiled_function_goes_when_nobody_has_it_any_more() -> None:
    gc.disable()
    try:
        f = branching("vm", profile=True)
        f(1.0)
        assert f.profile.functions[0].n_calls == 1
        gone = weakref.ref(f)
        del f
        assert gone() is None
    finally:
        gc.enable()


def test_a_profile_outlives_its_function() -> None:
    f = branching("vm", profile=True)
    f(1.0)
    profile = f.profile
    assert profile is f.profile
    del f
    assert profile.functions[0].n_calls == 1


def test_what_is_no_kind_is_refused() -> None:
    x = tv.scalar("x")
    with pytest.raises(ValueError, match=r"profile is 'times'.*Did you mean 'time'"):
        tv.function([x], x, profile="times")


def test_runs_and_arms_are_counted_without_a_profile() -> None:
    f = branching("vm")
    f(1.0)
    f(1.0)
    (record,) = f.profile.functions
    assert [node.runs for node in record.nodes if node.op == "gt"] == [2]
    assert [arm.taken for arm in record.conditions[0].arms] == [2, 0]
