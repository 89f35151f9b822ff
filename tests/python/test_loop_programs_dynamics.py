"""Dynamics as loops: an integrator that chooses its steps, and a map with an end of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from loop_programs import MODES, central, runs

import thunkvm as tv


def heun(f: Any, y: Any, h: Any) -> tuple[Any, Any]:
    """A step of Heun's method, and how far it is from Euler's."""
    slope = f(y)
    there = f(y + h * slope)
    return y + 0.5 * h * (slope + there), abs(0.5 * h * (there - slope))


def integrated(f: Any, y: float, end: float, tolerance: float) -> tuple[float, int, int]:
    """In plain Python: the end, how many steps were accepted, and how many refused."""
    t, h, accepted, refused = 0.0, 0.1, 0, 0
    while t < end:
        h = min(h, end - t)
        after, error = heun(f, y, h)
        factor = min(5.0, max(0.2, 0.9 * (tolerance / error) ** 0.5)) if error else 5.0
        if error <= tolerance:
            t, y, accepted = t + h, after, accepted + 1
        else:
            refused += 1
        h *= factor
    return y, accepted, refused


def integrator(rate: Any, y0: Any, end: Any, tolerance: float) -> Any:
    def step(s: Any) -> Any:
        h = tv.minimum(s["h"], end - s["t"])
        after, error = heun(lambda y: rate * y * (1.0 - y), s["y"], h)
        good = error <= tolerance
        factor = tv.ifelse(error > 0.0, tv.clip(0.9 * (tolerance / error) ** 0.5, 0.2, 5.0), 5.0)
        t, y, accepted = tv.ifelse(
            good, (s["t"] + h, after, s["accepted"] + 1), (s["t"], s["y"], s["accepted"])
        )
        return {"t": t, "y": y, "h": h * factor, "accepted": accepted}

    first = {"t": 0.0, "y": y0, "h": 0.1, "accepted": 0}
    return tv.while_loop(lambda s: s["t"] < end, step, first, max_steps=10_000)


@pytest.mark.parametrize("mode", MODES)
def test_integrator_takes_the_steps_that_its_errors_allow(mode: str) -> None:
    rate, y0, end = tv.scalar("rate"), tv.scalar("y0"), tv.scalar("end")
    run = integrator(rate, y0, end, 1e-6)
    f = tv.function([rate, y0, end], [run["y"], run["accepted"], run.steps], mode=mode)
    y, accepted, steps = f(3.0, 0.01, 4.0)
    expected = integrated(lambda y: 3.0 * y * (1.0 - y), 0.01, 4.0, 1e-6)
    np.testing.assert_allclose(y, expected[0], rtol=1e-12)
    assert (accepted, steps - accepted) == expected[1:]
    exact = 1.0 / (1.0 + (1.0 / 0.01 - 1.0) * np.exp(-3.0 * 4.0))
    np.testing.assert_allclose(y, exact, rtol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_integrator_has_the_gradient_of_the_steps_that_it_took(mode: str) -> None:
    rate, y0, end = tv.scalar("rate"), tv.scalar("y0"), tv.scalar("end")
    run = integrator(rate, y0, end, 1e-6)
    f = tv.function([rate, y0, end], tv.grad(run["y"], [rate, y0]), mode=mode)
    by_rate, by_y0 = f(3.0, 0.01, 1.5)

    def ends(rate: float, y0: float) -> tuple[float, int, int]:
        return integrated(lambda y: rate * y * (1.0 - y), y0, 1.5, 1e-6)

    for rates in ((3.0, 0.01 + 1e-8), (3.0, 0.01 - 1e-8), (3.0 + 1e-6, 0.01), (3.0 - 1e-6, 0.01)):
        assert ends(*rates)[1:] == ends(3.0, 0.01)[1:]  # decided alike: smooth in between
    np.testing.assert_allclose(by_rate, central(lambda r: ends(r, 0.01)[0], 3.0), rtol=1e-6)
    np.testing.assert_allclose(by_y0, central(lambda y: ends(3.0, y)[0], 0.01, 1e-8), rtol=1e-6)
    grown = np.exp(3.0 * 1.5)
    exact = grown / (1.0 + 0.01 * (grown - 1.0)) ** 2  # of the differential equation
    np.testing.assert_allclose(by_y0, exact, rtol=1e-3)


def seen(f: Any, watch: Any, y: float, end: float, tolerance: float) -> tuple[float, int, int]:
    """In plain Python: the sum of `watch` over the accepted steps, and numbers of both kinds."""
    t, h, total, accepted, refused = 0.0, 0.5, 0.0, 0, 0
    while t < end:
        h = min(h, end - t)
        after, error = heun(f, y, h)
        if error <= tolerance:
            total += h * watch(after)
            t, y, accepted, h = t + h, after, accepted + 1, 2.0 * h
        else:
            refused, h = refused + 1, 0.5 * h
    return total, accepted, refused


def observed(watch: Any, y0: Any, end: Any, tolerance: float) -> Any:
    """An integrator whose steps double and halve, and that adds up what it observes."""

    def step(s: Any) -> Any:
        h = tv.minimum(s["h"], end - s["t"])
        after, error = heun(lambda y: 3.0 * y * (1.0 - y), s["y"], h)
        return tv.ifelse(
            error <= tolerance,
            {
                "t": s["t"] + h,
                "y": after,
                "h": 2.0 * h,
                "total": s["total"] + h * watch(after),
                "accepted": s["accepted"] + 1,
            },
            {**s, "h": 0.5 * h},
        )

    first = {"t": 0.0, "y": y0, "h": 0.5, "total": 0.0, "accepted": 0}
    return tv.while_loop(lambda s: s["t"] < end, step, first, max_steps=10_000)


@pytest.mark.parametrize("mode", MODES)
def test_integrator_observes_and_differentiates_only_in_steps_that_are_accepted(
    mode: str, counting: Any
) -> None:
    slope = counting(np.exp)
    watch = counting(np.exp, slope)
    y0, end = tv.scalar("y0"), tv.scalar("end")
    run = observed(watch, y0, end, 1e-4)
    f = tv.function([y0, end], [run["total"], run["accepted"], run.steps], mode=mode)
    total, accepted, steps = f(0.01, 4.0)
    plain = lambda y: seen(lambda y: 3.0 * y * (1.0 - y), np.exp, y, 4.0, 1e-4)  # noqa: E731
    np.testing.assert_allclose(total, plain(0.01)[0], rtol=1e-12)
    assert (accepted, steps - accepted) == plain(0.01)[1:]
    assert watch.runs == accepted < steps
    gradient = tv.function([y0, end], tv.grad(run["total"], y0), mode=mode)
    assert plain(0.01 + 1e-8)[1:] == plain(0.01 - 1e-8)[1:]
    expected = central(lambda y: plain(float(y))[0], 0.01, 1e-8)
    np.testing.assert_allclose(gradient(0.01, 4.0), expected, rtol=1e-5)
    assert slope.runs == accepted


@pytest.mark.parametrize("mode", MODES)
def test_integrator_observes_nothing_that_is_not_asked_for(mode: str, counting: Any) -> None:
    watch = counting(np.exp)
    y0, end = tv.scalar("y0"), tv.scalar("end")
    run = observed(watch, y0, end, 1e-4)
    f = tv.function([y0, end], run["y"], mode=mode)
    assert 0.99 < f(0.01, 4.0) < 1.0
    assert watch.runs == 0


def steps_to_one(k: int) -> int:
    n = 0
    while k > 1:
        k, n = (k // 2 if k % 2 == 0 else 3 * k + 1), n + 1
    return n


def odd_steps(k: int) -> int:
    n = 0
    while k > 1:
        k, n = (k // 2, n) if k % 2 == 0 else (3 * k + 1, n + 1)
    return n


@pytest.mark.parametrize("mode", MODES)
def test_collatz_of_an_array_takes_the_steps_of_each_element_and_one_arm_in_each(mode: str) -> None:
    starts = tv.lvector("starts")

    def collatz(start: Any) -> Any:
        down = lambda k: tv.ifelse(tv.eq(k % 2, 0), k // 2, 3 * k + 1)  # noqa: E731
        return tv.while_loop(lambda k: k > 1, down, start).steps

    f = tv.function([starts], tv.map(collatz, starts), mode=mode)
    values = [1, 2, 3, 6, 7, 27, 97]
    assert f(values).tolist() == [steps_to_one(k) for k in values]
    assert runs(f, "floor_div") + runs(f, "mul") == sum(map(steps_to_one, values))  # one arm each
    assert runs(f, "mul") == sum(map(odd_steps, values))
    assert f(np.zeros(0, "int64")).tolist() == []


@pytest.mark.parametrize("mode", MODES)
def test_map_of_a_loop_has_the_gradient_of_the_steps_of_each_element(mode: str) -> None:
    starts = tv.vector("starts")

    def shrunk(start: Any) -> Any:
        down = lambda y: tv.ifelse(y > 10.0, 0.1 * y, y - 1.0)  # noqa: E731
        return tv.while_loop(lambda y: y > 1.0, down, start)

    last = tv.map(shrunk, starts)
    f = tv.function([starts], [last, tv.grad(tv.sum(last), starts)], mode=mode)
    ends, slopes = f([0.5, 3.5, 42.0, 950.0])
    np.testing.assert_allclose(ends, [0.5, 0.5, 0.2, 0.5], rtol=1e-12)
    np.testing.assert_allclose(slopes, [1.0, 1.0, 0.1, 0.01], rtol=1e-12)
