"""Events of solutions: when they are, which of them count, and which end the solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]


def event(
    value: Callable[..., Any], terminal: bool | int = False, direction: float = 0.0
) -> Callable[..., Any]:
    """A function with SciPy's attributes of an event."""

    def found(t: Any, y: Any, *args: Any) -> Any:
        return value(t, y, *args)

    found.terminal, found.direction = terminal, direction  # type: ignore[attr-defined]
    return found


def falling(t: Any, y: Any) -> Any:
    return [y[1], -9.81]


def turning(t: Any, y: Any) -> Any:
    return [y[1], -y[0]]


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOPRI5", "Radau"])
@pytest.mark.parametrize("mode", MODES)
def test_ball_ends_at_the_ground_and_turns_before(mode: str, method: str) -> None:
    ground = event(lambda t, y: y[0], terminal=True, direction=-1.0)
    apex = event(lambda t, y: y[1])
    found = tv.optimize.solve_ivp(
        falling, (0.0, 100.0), [1.0, 2.0], method, events=[ground, apex], mode=mode
    )
    at_ground = (2.0 + np.sqrt(4.0 + 2.0 * 9.81)) / 9.81
    assert (found.status, found.success) == (1, True)
    assert found.message == "A termination event occurred."
    np.testing.assert_allclose(found.t_events[0], [at_ground], rtol=1e-12)
    np.testing.assert_allclose(found.t_events[1], [2.0 / 9.81], rtol=1e-12)
    np.testing.assert_allclose(found.y_events[0], [[0.0, -np.sqrt(4.0 + 2.0 * 9.81)]], atol=1e-12)
    np.testing.assert_allclose(found.y_events[1], [[1.0 + 2.0 / 9.81, 0.0]], atol=1e-12)
    assert found.t[-1] == found.t_events[0][0]
    np.testing.assert_array_equal(found.y[:, -1], found.y_events[0][0])


def test_events_are_those_of_both_directions_or_of_one() -> None:
    events = [event(lambda t, y: y[0], direction=sign) for sign in (0.0, 1.0, -1.0)]
    found = tv.optimize.solve_ivp(
        turning, (0.0, 20.0), [1.0, 0.0], events=events, rtol=1e-9, atol=1e-9
    )
    zeros = np.pi * (np.arange(6) + 0.5)
    np.testing.assert_allclose(found.t_events[0], zeros, rtol=1e-7)
    np.testing.assert_allclose(found.t_events[1], zeros[1::2], rtol=1e-7)
    np.testing.assert_allclose(found.t_events[2], zeros[0::2], rtol=1e-7)


def test_events_of_a_time_that_runs_backward_are_found() -> None:
    found = tv.optimize.solve_ivp(
        turning, (0.0, -10.0), [1.0, 0.0], events=lambda t, y: y[0], rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(found.t_events[0], -np.pi * np.array([0.5, 1.5, 2.5]), rtol=1e-7)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_event_may_end_the_solution_at_its_number(number: int) -> None:
    ends = event(lambda t, y: y[0], terminal=number)
    found = tv.optimize.solve_ivp(
        turning, (0.0, 20.0), [1.0, 0.0], events=ends, rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(found.t_events[0], np.pi * (np.arange(number) + 0.5), rtol=1e-7)
    np.testing.assert_allclose(found.t[-1], np.pi * (number - 0.5), rtol=1e-7)


def test_first_of_two_ends_in_a_step_counts_and_what_is_behind_it_does_not() -> None:
    late = event(lambda t, y: t - 0.6, terminal=True)
    early = event(lambda t, y: t - 0.5, terminal=True)
    behind = event(lambda t, y: t - 0.7)
    before = event(lambda t, y: t - 0.4)
    found = tv.optimize.solve_ivp(
        turning, (0.0, 1.0), [1.0, 0.0], events=[late, early, behind, before], first_step=1.0,
        atol=1.0, rtol=1.0,
    )  # fmt: skip
    assert [each.tolist() for each in found.t_events] == [[], [0.5], [], [0.4]]
    assert found.t.tolist() == [0.0, 0.5]


def test_times_behind_the_end_are_left_out() -> None:
    ends = event(lambda t, y: t - 0.55, terminal=True)
    found = tv.optimize.solve_ivp(
        turning, (0.0, 1.0), [1.0, 0.0], t_eval=np.linspace(0.0, 1.0, 11), events=ends
    )
    np.testing.assert_allclose(found.t, np.linspace(0.0, 0.5, 6))
    assert found.y.shape == (2, 6)


def test_event_is_looked_for_only_in_a_step_that_crosses_zero(counting: Any) -> None:
    watch = counting(lambda x: x)
    y0 = tv.vector("y0")
    found = tv.optimize.integrate(
        turning, (0.0, 3.0), y0, "RK45", events=lambda t, y: watch(y[0]) - 10.0, rtol=1e-6
    )
    f = tv.function([y0], [found.ts, found.t_events[0]])
    times, crossings = f([1.0, 0.0])
    assert (crossings.size, watch.runs) == (0, times.size)  # at t0, and behind each step
    watch.runs = 0
    crossings = f([12.0, 0.0])[1]
    assert crossings.size == 1
    assert times.size < watch.runs < times.size + 20  # once more, in one step


def test_events_that_nobody_asks_for_do_not_run(counting: Any) -> None:
    watch = counting(lambda x: x)
    y0 = tv.vector("y0")
    found = tv.optimize.integrate(turning, (0.0, 3.0), y0, events=lambda t, y: watch(y[0]))
    tv.function([y0], found.y)([1.0, 0.0])
    assert watch.runs == 0


def test_arguments_are_those_of_events_too() -> None:
    level = event(lambda t, y, h: y[0] - h, terminal=True)
    for h in (0.5, 0.25):
        found = tv.optimize.solve_ivp(
            lambda t, y, h: -y, (0.0, 9.0), [1.0], events=level, args=(h,), rtol=1e-9, atol=1e-9
        )
        np.testing.assert_allclose(found.t[-1], -np.log(h), rtol=1e-7)


def test_values_of_events_may_be_arrays_of_one_element() -> None:
    found = tv.optimize.solve_ivp(
        turning, (0.0, 3.0), [1.0, 0.0], events=lambda t, y: y[:1], rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(found.t_events[0], [np.pi / 2.0], rtol=1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_bouncing_ball_is_a_loop_of_solutions(mode: str) -> None:
    kept, n = tv.scalar("kept"), tv.scalar("n", dtype="int64")
    ground = event(lambda t, y: y["height"], terminal=True, direction=-1.0)

    def flight(i: Any, s: Any) -> Any:
        found = tv.optimize.integrate(
            lambda t, y: {"height": y["speed"], "speed": -10.0}, (s[0], s[0] + 100.0),
            {"height": 0.0, "speed": s[1]}, events=ground,
        )  # fmt: skip
        return found.t, -kept * found.y["speed"]

    last = tv.fori_loop(0, n, flight, (0.0, 5.0))
    f = tv.function([kept, n], last, mode=mode)
    # Each flight takes 2 v / g, and keeps the half of the speed.
    time, speed = f(0.5, 4)
    np.testing.assert_allclose(time, 1.0 + 0.5 + 0.25 + 0.125, rtol=1e-9)
    np.testing.assert_allclose(speed, 5.0 / 16.0, rtol=1e-9)
