"""Solvers of differential equations, a step at a time."""

from __future__ import annotations

import pickle
from itertools import islice
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


def turning(t: Any, y: Any) -> Any:
    return [y[1], -y[0]]


@pytest.mark.parametrize("method", ["RK45", "DOPRI5", "Radau"])
def test_steps_are_those_of_the_loop(method: str) -> None:
    states = list(tv.optimize.ode_steps(turning, (0.0, 5.0), [1.0, 0.0], method))
    found = tv.optimize.solve_ivp(turning, (0.0, 5.0), [1.0, 0.0], method)
    accepted = [states[0], *(state for state in states if state.accepted)]
    np.testing.assert_allclose([state.t for state in accepted], found.t, rtol=1e-12)
    np.testing.assert_allclose([state.y for state in accepted], found.y.T, rtol=1e-9, atol=1e-12)
    assert [int(state.status) for state in states[-2:]] == [2, 0]


@pytest.mark.parametrize("method", ["DOPRI5", "Radau"])
def test_steps_go_on_from_a_state_that_was_saved(method: str) -> None:
    whole = list(tv.optimize.ode_steps(turning, (0.0, 5.0), [1.0, 0.0], method))
    begun = list(islice(tv.optimize.ode_steps(turning, (0.0, 5.0), [1.0, 0.0], method), 6))
    saved = pickle.loads(pickle.dumps(begun[-1]))
    rest = list(tv.optimize.ode_steps(turning, (0.0, 5.0), [1.0, 0.0], method, state=saved))
    assert len(begun) + len(rest) == len(whole)
    np.testing.assert_array_equal(rest[-1].y, whole[-1].y)


def test_steps_go_on_to_a_later_end() -> None:
    states = list(tv.optimize.ode_steps(turning, (0.0, 1.0), [1.0, 0.0], rtol=1e-8, atol=1e-10))
    rest = list(
        tv.optimize.ode_steps(
            turning, (0.0, 3.0), [1.0, 0.0], rtol=1e-8, atol=1e-10, state=states[-1]
        )
    )
    np.testing.assert_allclose(rest[-1].y, [np.cos(3.0), -np.sin(3.0)], atol=1e-6)


def test_steps_end_at_an_event() -> None:
    def zero(t: Any, y: Any) -> Any:
        return y[0]

    zero.terminal = True  # type: ignore[attr-defined]
    *_, last = tv.optimize.ode_steps(
        turning, (0.0, 5.0), [1.0, 0.0], events=zero, rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(last.t, np.pi / 2.0, rtol=1e-7)
    assert (int(last.status), bool(last.crossings[0].fired)) == (1, True)


def test_state_that_has_come_to_the_end_has_no_more_steps() -> None:
    *_, last = tv.optimize.ode_steps(turning, (0.0, 1.0), [1.0, 0.0])
    assert list(tv.optimize.ode_steps(turning, (0.0, 1.0), [1.0, 0.0], state=last)) == []
