"""Scans: PyTensor's meaning, written anew; and JAX's form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "FAST_COMPILE", "c", "cvm_nogc"]
x = tv.scalar("x")
n = tv.lscalar("n")
v = tv.vector("v")
W = tv.matrix("W")


@pytest.mark.parametrize("mode", MODES)
def test_scan_stacks_the_values_of_its_steps(mode: str) -> None:
    powers = tv.scan(lambda prior, a: prior * a, None, tv.ones_like(v), v, n_steps=n)
    f = tv.function([v, n], powers, mode=mode)
    assert f([1.0, 2.0, 3.0], 2).tolist() == [[1.0, 2.0, 3.0], [1.0, 4.0, 9.0]]


def test_scan_runs_as_often_as_the_shortest_sequence_has_elements() -> None:
    parts = tv.scan(lambda c, k, base: c * base**k, [v, tv.arange(1000)], None, x)
    f = tv.function([v, x], [parts, parts.sum()])
    terms, total = f([1.0, 0.0, 2.0], 3.0)
    assert (terms.tolist(), total) == ([1.0, 0.0, 18.0], 19.0)


def test_scan_gives_a_step_elements_at_taps_of_a_sequence() -> None:
    steps = tv.scan(lambda before, now: now - before, {"input": v, "taps": [-1, 0]})
    assert tv.function([v], steps)([1.0, 4.0, 9.0, 16.0]).tolist() == [3.0, 5.0, 7.0]


def test_scan_gives_a_step_values_at_taps_of_steps_before() -> None:
    initial = {"initial": np.array([0, 1]), "taps": [-2, -1]}
    numbers = tv.scan(lambda a, b: a + b, outputs_info=[initial], n_steps=n)
    assert tv.function([n], numbers)(7).tolist() == [1, 2, 3, 5, 8, 13, 21]


def test_scan_gives_a_step_a_value_of_three_steps_before() -> None:
    initial = {"initial": np.array([1, 10, 100]), "taps": [-3]}
    numbers = tv.scan(lambda a: a + 1, outputs_info=[initial], n_steps=n)
    assert tv.function([n], numbers)(7).tolist() == [2, 11, 101, 3, 12, 102, 4]


def test_scan_has_values_that_no_later_step_uses_beside_others() -> None:
    total, square = tv.scan(lambda e, s: (s + e, e * e), v, [0.0, None])
    totals, squares = tv.function([v], [total, square])([1.0, 2.0, 3.0])
    assert (totals.tolist(), squares.tolist()) == ([1.0, 3.0, 6.0], [1.0, 4.0, 9.0])


def test_scan_goes_backwards_over_its_sequences() -> None:
    digits = tv.scan(lambda e, s: 10 * s + e, v, 0.0, go_backwards=True)
    assert tv.function([v], digits)([1.0, 2.0, 3.0]).tolist() == [3.0, 32.0, 321.0]


def test_scan_ends_after_the_step_that_says_so() -> None:
    def doubled(p: Any, most: Any) -> Any:
        return p * 2, tv.until(p * 2 > most)

    powers = tv.scan(doubled, outputs_info=1.0, non_sequences=x, n_steps=1024)
    assert tv.function([x], powers)(10.0).tolist() == [2.0, 4.0, 8.0, 16.0]


def test_scan_returns_updates_of_shared_variables_if_they_are_asked_for() -> None:
    state = tv.shared(1.0)
    values, updates = tv.scan(
        lambda: (state * 1.0, {state: state * 2}), n_steps=n, return_updates=True
    )
    f = tv.function([n], values, updates=updates)
    assert f(4).tolist() == [1.0, 2.0, 4.0, 8.0]
    assert state.get_value() == 16.0


def test_scan_refuses_updates_that_nobody_asked_for() -> None:
    state = tv.shared(1.0)
    with pytest.raises(ValueError, match="return_updates=True"):
        tv.scan(lambda: {state: state * 2}, n_steps=n)


def test_scan_of_one_value_is_a_variable_or_a_list_as_asked() -> None:
    assert isinstance(tv.scan(lambda e: e, v), tv.Variable)
    assert len(tv.scan(lambda e: e, v, return_list=True)) == 1


@pytest.mark.parametrize("mode", MODES)
def test_scan_is_differentiable_by_its_sequences_and_first_values(mode: str) -> None:
    last = tv.scan(lambda e, p: p * e, v, x)[-1]
    f = tv.function([v, x], [tv.grad(last, v), tv.grad(last, x)], mode=mode)
    of_v, of_x = f([2.0, 3.0, 4.0], 5.0)
    assert (of_v.tolist(), of_x) == ([60.0, 40.0, 30.0], 24.0)


def test_scan_with_truncate_gradient_goes_back_over_the_last_steps_alone() -> None:
    last = tv.scan(lambda e, p: p * e, v, 1.0, truncate_gradient=2)[-1]
    f = tv.function([v], [last, tv.grad(last, v)])
    value, gradient = f([2.0, 3.0, 4.0])
    assert (value, gradient.tolist()) == (24.0, [0.0, 8.0, 6.0])


def test_scan_of_a_recurrent_network_has_the_values_and_gradient_of_a_python_loop() -> None:
    def step(e: Any, h: Any, weights: Any) -> Any:
        return tv.tanh(e + h @ weights)

    h = tv.scan(step, W, [tv.zeros(3)], W)
    f = tv.function([W], [h[-1], tv.grad(h[-1].sum(), W)])
    unrolled = tv.zeros(3)
    for i in range(3):
        unrolled = step(W[i], unrolled, W)
    g = tv.function([W], [unrolled, tv.grad(unrolled.sum(), W)])
    given = np.linspace(-1, 1, 9).reshape(3, 3)
    for got, expected in zip(f(given), g(given), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_scan_needs_a_sequence_or_a_number_of_steps() -> None:
    with pytest.raises(ValueError, match="give n_steps"):
        tv.scan(lambda p: p, outputs_info=1.0)


def test_scan_refuses_a_number_without_a_first_axis_as_a_sequence() -> None:
    with pytest.raises(TypeError, match="has no first axis"):
        tv.scan(lambda e: e, x)


def test_scan_refuses_taps_into_the_future() -> None:
    with pytest.raises(ValueError, match="have to be negative"):
        tv.scan(lambda p: p, outputs_info={"initial": v, "taps": [0]}, n_steps=3)


def test_scan_refuses_another_number_of_values_than_it_was_told() -> None:
    with pytest.raises(TypeError, match="returned 2 values, but outputs_info has 1"):
        tv.scan(lambda p: (p, p), outputs_info=[x], n_steps=3)


def test_scan_refuses_what_is_decided_by_the_function() -> None:
    with pytest.raises(ValueError, match="mode='c'"):
        tv.scan(lambda e: e, v, mode="c")  # type: ignore[arg-type]


def test_scan_that_is_strict_refuses_what_its_step_was_not_given() -> None:
    with pytest.raises(ValueError, match="not among the non_sequences"):
        tv.scan(lambda e: e * x, v, strict=True)


def test_map_runs_a_while_loop_for_each_element() -> None:
    def collatz(start: Any) -> Any:
        return tv.while_loop(
            lambda s: s > 1, lambda s: tv.ifelse(tv.eq(s % 2, 0), s // 2, 3 * s + 1), start
        ).steps

    starts = tv.lvector("starts")
    assert tv.function([starts], tv.map(collatz, starts))([1, 6, 7, 27]).tolist() == [
        0, 8, 16, 111,
    ]  # fmt: skip


def test_reduce_foldl_and_foldr_return_the_value_of_the_last_step() -> None:
    def digit(e: Any, s: Any) -> Any:
        return 10 * s + e

    outputs = [f(digit, v, 0.0) for f in (tv.reduce, tv.foldl, tv.foldr)]
    assert tv.function([v], outputs)([1.0, 2.0, 3.0]) == [123.0, 123.0, 321.0]


def test_scan_carry_returns_the_last_carry_and_all_values() -> None:
    carry, ys = tv.scan_carry(lambda s, e: (s + e, {"before": s}), 0.0, v)
    total, before, steps = tv.function([v], [carry, ys["before"], carry.steps])([1.0, 2.0, 3.0])
    assert (total, before.tolist(), steps) == (6.0, [0.0, 1.0, 3.0], 3)


def test_scan_carry_in_reverse_writes_its_values_from_the_end() -> None:
    _, ys = tv.scan_carry(lambda s, e: (s + e, s + e), 0.0, v, reverse=True)
    assert tv.function([v], ys)([1.0, 2.0, 3.0]).tolist() == [6.0, 5.0, 3.0]


def test_scan_carry_refuses_a_step_that_returns_no_pair() -> None:
    with pytest.raises(TypeError, match="a pair"):
        tv.scan_carry(lambda s, e: s, 0.0, v)


@pytest.mark.parametrize("mode", ["py", "vm", "FAST_RUN"])
def test_scan_carry_refuses_sequences_of_different_lengths(mode: str) -> None:
    a, b, n = tv.vector("a"), tv.vector("b"), tv.lscalar("n")
    total, _ = tv.scan_carry(lambda c, x: (c + x[0] * x[1], c), 0.0, (a, b))
    f = tv.function([a, b], total, mode=mode)
    assert f([1.0, 2.0], [3.0, 4.0]) == 11.0
    for other in ([3.0], [3.0, 4.0, 5.0]):
        with pytest.raises(ValueError, match="2"):
            f([1.0, 2.0], other)
    total, _ = tv.scan_carry(lambda c, x: (c + x, c), 0.0, a, length=n)
    g = tv.function([a, n], total, mode=mode)
    assert g([1.0, 2.0], 2) == 3.0
    for length in (1, 3):
        with pytest.raises(ValueError, match="2"):
            g([1.0, 2.0], length)


def test_scan_carry_refuses_declared_lengths_that_differ() -> None:
    a, b = tv.tensor("a", shape=(3,)), tv.tensor("b", shape=(4,))
    with pytest.raises(ValueError, match="3"):
        tv.scan_carry(lambda c, x: (c + x[0] * x[1], c), 0.0, (a, b))
