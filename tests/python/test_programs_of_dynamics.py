"""Dynamics as loops: an integrator that chooses its steps, and a map with an end of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "FAST_RUN"]


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
def test_an_integrator_takes_the_steps_that_its_errors_allow(mode: str) -> None:
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
def test_the_gradient_of_an_integration_goes_through_the_steps_that_were_accepted(
    mode: str,
) -> None:
    rate, y0, end = tv.scalar("rate"), tv.scalar("y0"), tv.scalar("end")
    run = integrator(rate, y0, end, 1e-6)
    f = tv.function([rate, y0, end], tv.grad(run["y"], y0), mode=mode)
    up, down = (
        integrated(lambda y: 3.0 * y * (1.0 - y), at, 4.0, 1e-6)
        for at in (0.01 + 1e-8, 0.01 - 1e-8)
    )
    assert up[1:] == down[1:]  # they decide alike, so the program between them is smooth
    np.testing.assert_allclose(f(3.0, 0.01, 4.0), (up[0] - down[0]) / 2e-8, rtol=1e-6)


def steps_to_one(k: int) -> int:
    n = 0
    while k > 1:
        k, n = (k // 2 if k % 2 == 0 else 3 * k + 1), n + 1
    return n


@pytest.mark.parametrize("mode", MODES)
def test_a_map_of_a_loop_lets_each_element_take_its_own_steps(mode: str) -> None:
    starts = tv.lvector("starts")

    def collatz(start: Any) -> Any:
        down = lambda k: tv.ifelse(tv.eq(k % 2, 0), k // 2, 3 * k + 1)  # noqa: E731
        return tv.while_loop(lambda k: k > 1, down, start).steps

    f = tv.function([starts], tv.map(collatz, starts), mode=mode)
    values = [1, 2, 3, 6, 7, 27, 97]
    assert f(values).tolist() == [steps_to_one(k) for k in values]
    divided = sum(row[4] for row in f._node_rows() if row[1] == "floor_div")
    multiplied = sum(row[4] for row in f._node_rows() if row[1] == "mul")
    assert divided + multiplied == sum(map(steps_to_one, values))  # one arm a step
    assert f(np.zeros(0, "int64")).tolist() == []
