"""`tv.counted`: a value under a name, and how often it was computed."""

from __future__ import annotations

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_COMPILE", "FAST_RUN", "DebugMode"]


@pytest.mark.parametrize("mode", MODES)
def test_counts_say_how_often_the_branch_was_taken(mode: str) -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0, tv.counted(tv.exp(x), "cost"), x), mode=mode)
    for value in (1.0, -1.0, 2.0):
        f(value)
    assert f.counts() == {"cost": 2}


def test_counts_are_those_of_emitted_code_too() -> None:
    x = tv.scalar("x")
    steps = tv.while_loop(lambda s: s < 100.0, lambda s: tv.counted(s * 2.0, "step"), x)
    f = tv.function([x], steps, mode="FAST_RUN")
    f.compile()
    assert (f(1.0), f.counts()) == (128.0, {"step": 7})


@pytest.mark.parametrize("mode", MODES)
def test_counted_passes_arrays_and_numbers_as_they_are(mode: str) -> None:
    x, v, n = tv.scalar("x"), tv.vector("v"), tv.scalar("n", dtype="int32")
    f = tv.function([x, v, n], [tv.counted(each, "all") for each in (x, v[::-1], n)], mode=mode)
    got = f(1.5, np.array([1.0, 2.0]), 3)
    assert [np.asarray(each).tolist() for each in got] == [1.5, [2.0, 1.0], 3]
    assert got[2].dtype == np.int32
    assert f.counts() == {"all": 3}


def test_counted_survives_rewrites_of_what_it_is_of() -> None:
    f = tv.function([], tv.counted(tv.constant(2.0) + 1.0, "constant") * 1.0, mode="FAST_RUN")
    assert (f(), f.counts()) == (3.0, {"constant": 1})


def test_counted_passes_the_gradient_without_being_computed() -> None:
    v = tv.vector("v")
    f = tv.function([v], tv.grad(tv.counted((v**2).sum(), "cost"), v))
    np.testing.assert_array_equal(f([1.0, 2.0]), [2.0, 4.0])
    assert f.counts() == {}


def test_counted_in_a_jacobian_is_one_batch() -> None:
    v = tv.vector("v")
    f = tv.function([v], tv.jacobian(tv.counted(v**2, "squares") * 2.0, v))
    np.testing.assert_array_equal(f([1.0, 2.0]), [[4.0, 0.0], [0.0, 8.0]])


def test_counts_of_what_nobody_demanded_are_zero() -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0, tv.counted(x, "taken"), tv.counted(-x, "other")))
    f(1.0)
    assert f.counts() == {"taken": 1, "other": 0}


def test_counts_begin_anew_with_reset_counters() -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.counted(x + 1.0, "sum"))
    f(1.0)
    f.reset_counters()
    assert f.counts() == {"sum": 0}
    f(1.0)
    assert f.counts() == {"sum": 1}


def test_counted_asks_for_a_name() -> None:
    with pytest.raises(
        ValueError, match=r"\[counted\] attribute 'name' = '', but it has to have letters"
    ):
        tv.counted(tv.scalar("x"), "")


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "FAST_RUN"])
def test_counted_is_a_column_of_the_profile(mode: str) -> None:
    x = tv.scalar("x")
    first, second = tv.counted(tv.exp(x), "cost"), tv.counted(tv.log(x), "cost")
    f = tv.function([x], tv.ifelse(x > 0, first + second, tv.counted(-x, "cheap")), mode=mode)
    f.compile()
    with f.profile("time") as p:
        for value in (1.0, 2.0, -3.0):
            f(value)
    (record,) = p.functions
    assert sorted((node.counted, node.runs) for node in record.nodes if node.counted) == [
        ("cheap", 1), ("cost", 2), ("cost", 2),
    ]  # fmt: skip
    assert record.counts == f.counts() == {"cheap": 1, "cost": 4}


def test_counted_in_emitted_loops_is_counted_by_step_in_the_profile() -> None:
    x = tv.scalar("x")
    steps = tv.while_loop(lambda s: s < 100.0, lambda s: tv.counted(s * 2.0, "step"), x)
    f = tv.function([x], steps, mode="FAST_RUN", profile="count")
    f.compile()
    f(1.0), f(3.0)
    assert f.profile.functions[0].counts == {"step": 13}
    assert (f.profile.merge(f.profile)).functions[0].counts == {"step": 26}


def test_counted_has_a_table_in_the_text_of_a_profile() -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0, tv.counted(tv.exp(x), "cost"), x), mode="vm")
    with f.profile("count") as p:
        f(1.0), f(-1.0)
    lines = str(p).splitlines()
    assert lines[lines.index("counted") + 4].split()[:3] == ["cost", "1", "0.5"]
