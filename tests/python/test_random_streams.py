"""Draws of shared generators: which run, in which order, and where the stream is then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "c|py", "c&py", "FAST_RUN", "FAST_COMPILE", "DebugMode"]


@pytest.fixture
def rng() -> Any:
    return tv.random.Generator(42)


@pytest.fixture
def expected() -> np.random.Generator:
    return np.random.default_rng(42)


@pytest.mark.parametrize("mode", MODES)
def test_a_draw_continues_the_stream_in_each_call(rng: Any, expected: Any, mode: str) -> None:
    f = tv.function([], rng.normal(size=(3,)), mode=mode)
    for _ in range(3):
        np.testing.assert_array_equal(f(), expected.normal(size=3))
    assert rng.state == expected.bit_generator.state


@pytest.mark.parametrize("mode", MODES)
def test_two_draws_are_drawn_in_their_written_order(rng: Any, expected: Any, mode: str) -> None:
    first, second = rng.normal(size=3), rng.random(2)
    f = tv.function([], [second, first], mode=mode)
    for _ in range(2):
        b, a = f()
        np.testing.assert_array_equal(a, expected.normal(size=3))
        np.testing.assert_array_equal(b, expected.random(2))


def test_a_draw_that_the_function_has_not_leaves_the_stream(rng: Any, expected: Any) -> None:
    _, second = rng.normal(size=3), rng.random(2)
    np.testing.assert_array_equal(tv.function([], second)(), expected.random(2))


def test_two_functions_share_a_stream(rng: Any, expected: Any) -> None:
    x = rng.random()
    f, g = tv.function([], x), tv.function([], 2 * x)
    assert [f(), g(), f()] == [expected.random(), 2 * expected.random(), expected.random()]


@pytest.mark.parametrize("mode", MODES)
def test_a_draw_in_an_untaken_arm_leaves_the_stream(rng: Any, expected: Any, mode: str) -> None:
    c = tv.lscalar("c")
    f = tv.function([c], tv.ifelse(c > 0, rng.normal(), 0.0), mode=mode)
    assert [f(0), f(1), f(0), f(1)] == [0.0, expected.normal(), 0.0, expected.normal()]


@pytest.mark.parametrize("mode", MODES)
def test_a_draw_behind_arms_continues_the_one_that_was_taken(
    rng: Any, expected: Any, mode: str
) -> None:
    c = tv.lscalar("c")
    x, y, z = rng.normal(), rng.exponential(), rng.random()
    f = tv.function([c], [tv.ifelse(c > 0, x, y), z], mode=mode)
    for taken in (0, 1, 1, 0):
        a, b = f(taken)
        assert a == (expected.normal() if taken else expected.exponential())
        assert b == expected.random()


def test_arms_within_arms_are_drawn_where_all_are_taken(rng: Any, expected: Any) -> None:
    i, j = tv.lscalar("i"), tv.lscalar("j")
    inner = tv.switch_case(j, [rng.normal(), rng.exponential(), 0.0])
    f = tv.function([i, j], [tv.ifelse(i > 0, inner, 0.0), rng.random()])
    for a, b in ((1, 0), (0, 1), (1, 2), (1, 1)):
        value, behind = f(a, b)
        taken = [expected.normal, expected.exponential, lambda: 0.0][b] if a else lambda: 0.0
        assert value == taken()
        assert behind == expected.random()


def test_a_draw_that_decides_comes_before_the_arm_that_was_written_first(
    rng: Any, expected: Any
) -> None:
    x, u = rng.normal(), rng.random()
    f = tv.function([], [tv.ifelse(u < 0.5, x, 0.0), u])
    for _ in range(8):
        a, b = f()
        assert b == expected.random()
        assert a == (expected.normal() if b < 0.5 else 0.0)


def test_a_draw_of_which_only_the_length_is_asked_does_not_run(rng: Any) -> None:
    before = rng.state
    assert tv.function([], rng.normal(size=5).shape[0])() == 5
    assert rng.state == before


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_draws_in_each_step(rng: Any, expected: Any, mode: str) -> None:
    n = tv.lscalar("n")
    walk = tv.fori_loop(0, n, lambda i, x: x + rng.normal() * rng.random(), rng.normal())
    f = tv.function([n], [walk, rng.random()], mode=mode)
    for steps in (3, 0, 4):
        x = expected.normal()
        for _ in range(steps):
            x += expected.normal() * expected.random()
        assert f(steps) == [x, expected.random()]


@pytest.mark.parametrize("mode", ["vm", "cvm", "FAST_RUN", "DebugMode"])
def test_a_step_draws_in_the_arm_that_it_takes(rng: Any, expected: Any, mode: str) -> None:
    n = tv.lscalar("n")

    def step(i: Any, x: Any) -> Any:
        return x + tv.ifelse(i % 2 == 0, rng.normal(), 0.0) * rng.random()

    f = tv.function([n], tv.fori_loop(0, n, step, 0.0), mode=mode)
    for steps in (3, 4):
        x = 0.0
        for i in range(steps):
            x += (expected.normal() if i % 2 == 0 else 0.0) * expected.random()
        assert f(steps) == x


def test_loops_within_loops_draw_in_their_order(rng: Any, expected: Any) -> None:
    def outer(i: Any, x: Any) -> Any:
        return tv.fori_loop(0, 2, lambda j, y: y + rng.normal(), x) * rng.random()

    f = tv.function([], tv.fori_loop(0, 3, outer, 0.0))
    x = 0.0
    for _ in range(3):
        for _ in range(2):
            x += expected.normal()
        x *= expected.random()
    assert f() == x


def test_scan_and_map_draw_in_each_step(rng: Any, expected: Any) -> None:
    walk = tv.scan(lambda p: p + rng.normal(), outputs_info=[0.0], n_steps=4)
    noisy = tv.map(lambda x: x + rng.random(), tv.zeros(3))
    f = tv.function([], [walk, noisy])
    for _ in range(2):
        a, b = f()
        np.testing.assert_allclose(a, np.cumsum(expected.normal(size=4)), rtol=1e-13)
        np.testing.assert_array_equal(b, expected.random(3))


def test_a_while_loop_may_end_by_a_draw_of_its_body(rng: Any, expected: Any) -> None:
    first = rng.random()
    count, _ = tv.while_loop(lambda s: s[1] < 0.75, lambda s: (s[0] + 1, rng.random()), (0, first))
    f = tv.function([], count)
    for _ in range(5):
        n = 0
        while expected.random() < 0.75:
            n += 1
        assert f() == n


def test_a_condition_that_draws_is_refused(rng: Any) -> None:
    with pytest.raises(NotImplementedError, match="Draw in the body"):
        tv.while_loop(lambda n: rng.random() < 0.75, lambda n: n + 1, 0)


def test_a_captured_draw_is_drawn_once(rng: Any, expected: Any) -> None:
    x = rng.normal()
    f = tv.function([], tv.fori_loop(0, 3, lambda i, s: s + x, 0.0))
    x_expected = expected.normal()
    assert f() == x_expected + x_expected + x_expected
    assert rng.state == expected.bit_generator.state


def test_a_stream_is_a_state_of_a_loop() -> None:
    def step(s: Any) -> Any:
        stream = tv.random.Stream(s["state"])
        return {"x": s["x"] + stream.normal(), "state": stream.state}

    last = tv.while_loop(lambda s: s["x"] < 3.0, step, {"x": 0.0, "state": tv.random.key(5)})
    expected, x = np.random.default_rng(5), 0.0
    while x < 3.0:
        x += expected.normal()
    assert tv.function([], last["x"])() == x


def test_equal_states_draw_equal_numbers_and_others_differ() -> None:
    key = tv.random.key(3)
    state, x = tv.random.normal(key, size=2)
    _, again = tv.random.normal(key, size=2)
    _, other = tv.random.normal(state, size=2)
    a, b, c = tv.function([], [x, again, other])()
    np.testing.assert_array_equal(a, b)
    assert not (a == c).any()


def test_an_update_of_ones_own_takes_the_place_of_the_stream(rng: Any) -> None:
    state = rng.state_variable
    f = tv.function([], rng.random(), updates={state: state})
    assert f() == f()


def test_a_given_state_is_drawn_from_and_not_kept(rng: Any) -> None:
    before, state = rng.state, tv.tensor(dtype="uint64", shape=(6,), name="state")
    f = tv.function([state], rng.random(), givens={rng.state_variable: state})
    words = tv.function([], tv.random.key(9))()
    assert f(words) == f(words) == np.random.default_rng(9).random()
    assert rng.state == before


def test_a_failed_call_leaves_the_stream(rng: Any) -> None:
    before, i = rng.state, tv.lscalar("i")
    f = tv.function([i], rng.normal(size=3)[i])
    with pytest.raises(IndexError):
        f(3)
    assert rng.state == before


def test_the_gradient_reuses_the_draw(rng: Any, expected: Any) -> None:
    m = tv.scalar("m")
    x = rng.normal(m, 2.0, size=4)
    value, slope = tv.function([m], [x, tv.grad((x**2).sum(), m)])(1.0)
    np.testing.assert_array_equal(value, expected.normal(1.0, 2.0, 4))
    np.testing.assert_allclose(slope, 2 * value.sum(), rtol=1e-14)


def test_a_gradient_through_draws_of_a_loop_reuses_them(rng: Any, expected: Any) -> None:
    s = tv.scalar("s")
    x = tv.fori_loop(0, 3, lambda i, x: x * s + rng.normal(), 1.0)
    value, slope = tv.function([s], [x, tv.grad(x, s)])(0.5)
    a, b, c = expected.normal(size=3)
    np.testing.assert_allclose(value, ((0.5 + a) * 0.5 + b) * 0.5 + c, rtol=1e-14)
    np.testing.assert_allclose(slope, 3 * 0.25 + 2 * 0.5 * a + b, rtol=1e-14)


def test_children_are_numpys(rng: Any, expected: Any) -> None:
    for child, other in zip(rng.spawn(3), expected.spawn(3), strict=True):
        assert child.state == other.bit_generator.state


def test_split_states_draw_different_numbers_in_a_batch() -> None:
    states = tv.random.split(tv.random.key(1), 100)
    drawn = tv.vmap(lambda state: tv.random.normal(state)[1])(states)
    assert len(set(tv.function([], drawn)())) == 100


def test_a_batch_of_states_draws_as_each_alone() -> None:
    keys = np.stack([tv.function([], tv.random.key(seed))() for seed in range(3)])
    states, shapes = tv.tensor(dtype="uint64", shape=(None, 6)), tv.vector("shapes")
    drawn = tv.vmap(lambda s, a: tv.random.gamma(s, a, 2.0, size=4)[1])(states, shapes)
    found = tv.function([states, shapes], drawn, mode="c&py")(keys, [0.5, 1.0, 3.0])
    for seed, shape in enumerate([0.5, 1.0, 3.0]):
        np.testing.assert_array_equal(found[seed], np.random.default_rng(seed).gamma(shape, 2.0, 4))


def test_a_state_can_be_saved_and_restored(rng: Any, expected: Any) -> None:
    f = tv.function([], rng.integers(0, 5, dtype="int32"))
    f()
    rng.state = expected.bit_generator.state
    assert f() == expected.integers(0, 5, dtype="int32")
    assert rng.to_numpy().random() == expected.random()
