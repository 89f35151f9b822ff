"""Explicit solvers of differential equations: their order, control, dense output and what runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]

#: Of E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.0.
MOON = 0.012277471
ARENSTORF = [0.994, 0.0, 0.0, -2.00158510637908252240537862224]
PERIOD = 17.0652165601579625588917206249


def arenstorf(t: Any, y: Any) -> Any:
    """A satellite between the earth and the moon, whose orbit is closed."""
    x, z, u, v = y[0], y[1], y[2], y[3]
    earth = ((x + MOON) ** 2 + z**2) ** 1.5
    moon = ((x - (1.0 - MOON)) ** 2 + z**2) ** 1.5
    return [
        u,
        v,
        x + 2.0 * v - (1.0 - MOON) * (x + MOON) / earth - MOON * (x - (1.0 - MOON)) / moon,
        z - 2.0 * u - (1.0 - MOON) * z / earth - MOON * z / moon,
    ]


def turning(t: Any, y: Any) -> Any:
    return [y[1], -y[0]]


def growing(t: Any, y: Any) -> Any:
    return y * tv.cos(t)


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOPRI5", "DOP853", "Radau"])
@pytest.mark.parametrize("mode", MODES)
def test_solve_ivp_reaches_the_end_in_every_mode(mode: str, method: str) -> None:
    found = tv.optimize.solve_ivp(
        turning, (0.0, 3.0), [1.0, 0.0], method, rtol=1e-6, atol=1e-8, mode=mode
    )
    np.testing.assert_allclose(found.y[:, -1], [np.cos(3.0), -np.sin(3.0)], atol=1e-5)
    assert (found.t[0], found.t[-1], found.status) == (0.0, 3.0, 0)
    assert found.y.shape == (2, found.t.size)


@pytest.mark.parametrize(
    ("method", "order", "fewest"),
    [("RK23", 3, 16), ("RK45", 5, 16), ("DOP853", 8, 3), ("Radau", 5, 16)],
)
def test_methods_have_their_order_of_convergence(method: str, order: int, fewest: int) -> None:
    errors = []
    for steps in (fewest, 2 * fewest):
        size = 2.0 / steps
        found = tv.optimize.solve_ivp(
            growing, (0.0, 2.0), [1.0], method, first_step=size, max_step=size, rtol=1e-2,
            atol=1e-10 if method == "Radau" else 1e-2, max_steps=steps + 2,
        )  # fmt: skip
        assert found.t.size in (steps + 1, steps + 2)
        errors.append(abs(found.y[0, -1] - np.exp(np.sin(2.0))))
    assert np.log2(errors[0] / errors[1]) > order - 0.35


@pytest.mark.parametrize("method", ["RK45", "DOPRI5", "DOP853"])
def test_arenstorf_orbit_closes(method: str) -> None:
    found = tv.optimize.solve_ivp(
        arenstorf, (0.0, PERIOD), ARENSTORF, method, rtol=1e-11, atol=1e-11
    )
    assert found.success
    np.testing.assert_allclose(found.y[:2, -1], ARENSTORF[:2], atol=1e-5)


def test_arenstorf_orbit_has_few_steps_at_a_usual_tolerance() -> None:
    found = tv.optimize.solve_ivp(
        arenstorf, (0.0, PERIOD), ARENSTORF, "DOPRI5", rtol=1e-7, atol=1e-7
    )
    # dopri5 of Hairer and Wanner takes 238 steps, of which 216 are accepted (rtol 1e-7).
    assert 150 < found.t.size - 1 < 260
    assert found.nfev < 1700
    np.testing.assert_allclose(found.y[:2, -1], ARENSTORF[:2], atol=5e-2)


def test_refused_steps_cost_their_stages_and_nothing_else(counting: Any) -> None:
    watch = counting(lambda x: x)

    def watched(t: Any, y: Any) -> Any:
        return watch(y[0]) + 10.0

    k, y0 = tv.scalar("k"), tv.vector("y0")
    found = tv.optimize.integrate(
        lambda t, y: -k * (y - tv.cos(t)), (0.0, 1.0), y0, "RK45", events=watched, first_step=0.9
    )
    f = tv.function([k, y0], [found.steps, found.ts, found.t_events[0]])
    steps, times, crossings = f(50.0, [2.0])
    accepted = times.size - 1
    assert steps > accepted  # the first step is much too large
    assert f.counts()["nfev"] == 1 + 6 * steps  # the slope at the start, and six stages of each
    assert watch.runs == 1 + accepted  # the event is asked for after accepted steps alone
    assert crossings.size == 0


@pytest.mark.parametrize(
    ("method", "tolerance", "scipys"),
    [("RK23", 1e-5, 311), ("RK45", 1e-6, 206), ("DOP853", 1e-9, 242), ("DOP853", 1e-11, 422)],
)
def test_steps_cost_the_evaluations_of_scipys(method: str, tolerance: float, scipys: int) -> None:
    found = tv.optimize.solve_ivp(
        turning, (0.0, 9.0), [1.0, 0.0], method, rtol=tolerance, atol=tolerance
    )
    assert abs(found.nfev - scipys) <= 0.02 * scipys  # of SciPy 1.17.1


def test_first_step_that_is_given_costs_no_evaluation() -> None:
    chosen = tv.optimize.solve_ivp(turning, (0.0, 1.0), [1.0, 0.0])
    given = tv.optimize.solve_ivp(turning, (0.0, 1.0), [1.0, 0.0], first_step=0.1)
    assert chosen.nfev % 6 == 2
    assert given.nfev % 6 == 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("method", "most"), [("RK23", 2e-5), ("RK45", 2e-6), ("DOP853", 2e-6), ("Radau", 2e-5)]
)
def test_dense_output_is_as_good_as_the_steps(mode: str, method: str, most: float) -> None:
    found = tv.optimize.solve_ivp(
        turning, (0.0, 10.0), [1.0, 0.0], method, dense_output=True, rtol=1e-7, atol=1e-7, mode=mode
    )
    times = np.linspace(0.0, 10.0, 301)
    np.testing.assert_allclose(found.sol(times), [np.cos(times), -np.sin(times)], atol=most)
    np.testing.assert_allclose(found.sol(found.t), found.y, atol=1e-12)


def test_solution_at_times_is_the_dense_one() -> None:
    times = [0.0, 0.25, 1.0, 4.0]
    options = {"rtol": 1e-6, "atol": 1e-8}
    dense = tv.optimize.solve_ivp(turning, (0.0, 4.0), [1.0, 0.0], dense_output=True, **options)
    found = tv.optimize.solve_ivp(turning, (0.0, 4.0), [1.0, 0.0], t_eval=times, **options)
    np.testing.assert_array_equal(found.t, times)
    np.testing.assert_allclose(found.y, dense.sol(times), rtol=1e-14)


def test_stages_for_dense_output_alone_run_where_it_is_asked_for() -> None:
    y0, times = tv.vector("y0"), tv.vector("times")
    found = tv.optimize.integrate(turning, (0.0, 9.0), y0, "DOP853", rtol=1e-9, atol=1e-9)
    plain = tv.function([y0], [found.y, found.steps, found.ts])
    _, tried, ts = plain([1.0, 0.0])
    assert plain.counts()["nfev"] == 2 + 12 * tried
    dense = tv.function([y0, times], found.at(times))
    at = np.linspace(0.0, 9.0, 50)
    np.testing.assert_allclose(dense([1.0, 0.0], at)[:, 0], np.cos(at), atol=1e-7)
    assert dense.counts()["nfev"] == 2 + 12 * tried + 3 * (ts.size - 1)


def test_order_8_takes_fewer_slopes_at_small_tolerances() -> None:
    eighth, fifth = (
        tv.optimize.solve_ivp(turning, (0.0, 9.0), [1.0, 0.0], name, rtol=1e-11, atol=1e-11)
        for name in ("DOP853", "RK45")
    )
    assert eighth.nfev < fifth.nfev / 3


def test_solution_at_times_costs_no_evaluation() -> None:
    alone = tv.optimize.solve_ivp(turning, (0.0, 4.0), [1.0, 0.0])
    times = tv.optimize.solve_ivp(turning, (0.0, 4.0), [1.0, 0.0], t_eval=np.linspace(0, 4, 1000))
    assert times.nfev == alone.nfev


def test_solution_is_not_a_number_where_it_has_not_come_to() -> None:
    t1, times = tv.scalar("t1"), tv.vector("times")
    found = tv.optimize.integrate(turning, (1.0, t1), [3.0, 4.0], max_steps=3, first_step=0.25)
    f = tv.function([t1, times], [found.t, found.at(times)[:, 0], found.status])
    end, y, status = f(9.0, [0.5, 1.0, 1.125, 8.0])
    assert (status, np.isnan(y).tolist()) == (2, [True, False, False, True])
    assert 1.25 < end < 8.0
    assert y[1] == 3.0
    end, y, status = f(1.0, [0.5, 1.0, 1.125])  # no step runs
    np.testing.assert_array_equal(y, [np.nan, 3.0, np.nan])
    assert (end, status) == (1.0, 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
def test_the_solution_at_its_beginning_is_y0_where_the_first_steps_are_refused(
    method: str, mode: str
) -> None:
    path = tv.optimize.integrate(
        lambda t, y: -50.0 * y, (0.0, 1.0), 3.0, method, first_step=0.9, rtol=1e-8, atol=1e-8
    )
    y, steps, ts = tv.function([], [path.at([0.0, 1e-9]), path.steps, path.ts], mode=mode)()
    assert steps > ts.size - 1
    np.testing.assert_allclose(y, [3.0, 3.0], rtol=1e-6)
    ended = tv.optimize.integrate(
        lambda t, y: -50.0 * y, (0.0, 1.0), 3.0, method, first_step=0.9, rtol=1e-8, max_steps=1
    )
    np.testing.assert_array_equal(tv.function([], ended.at([0.0, 1.0]), mode=mode)(), [3.0, np.nan])


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOPRI5", "Radau"])
def test_time_may_run_backward(method: str) -> None:
    found = tv.optimize.solve_ivp(
        turning, (2.0, -1.0), [1.0, 0.0], method, t_eval=[1.0, 0.0, -1.0], rtol=1e-7, atol=1e-9
    )
    np.testing.assert_allclose(found.y[0], np.cos([1.0, 2.0, 3.0]), atol=1e-5)


def test_complex_values_are_integrated() -> None:
    found = tv.optimize.solve_ivp(lambda t, y: 1j * y, (0.0, 2.0), [1.0 + 0.0j], rtol=1e-8)
    np.testing.assert_allclose(found.y[0, -1], np.exp(2.0j), rtol=1e-5)


def test_nests_are_integrated_in_their_structure() -> None:
    def slope(t: Any, y: Any) -> Any:
        return {"place": y["speed"], "speed": -y["place"]}

    start = {"place": np.eye(2), "speed": np.zeros((2, 2))}
    found = tv.optimize.solve_ivp(slope, (0.0, 1.0), start, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.y["place"][..., -1], np.cos(1.0) * np.eye(2), atol=1e-6)
    assert found.y["speed"].shape == (2, 2, found.t.size)


def test_integration_over_no_time_runs_nothing() -> None:
    found = tv.optimize.solve_ivp(turning, (1.0, 1.0), [3.0, 4.0])
    assert (found.status, found.nfev, found.t.tolist()) == (0, 0, [1.0])
    np.testing.assert_array_equal(found.y, [[3.0], [4.0]])


def test_steps_are_at_most_as_large_as_is_said() -> None:
    found = tv.optimize.solve_ivp(turning, (0.0, 1.0), [1.0, 0.0], max_step=0.125)
    assert np.diff(found.t).max() <= 0.125 + 1e-15


def test_absolute_tolerance_may_be_a_vector() -> None:
    loose = tv.optimize.solve_ivp(turning, (0.0, 9.0), [1.0, 0.0], atol=[1.0, 1.0])
    tight = tv.optimize.solve_ivp(turning, (0.0, 9.0), [1.0, 0.0], atol=[1e-9, 1e-9], rtol=1e-9)
    assert tight.t.size > 5 * loose.t.size


def test_solution_that_goes_to_infinity_ends_with_a_status() -> None:
    found = tv.optimize.solve_ivp(lambda t, y: y * y, (0.0, 2.0), [1.0])
    assert (found.status, found.success) == (-1, False)
    assert "step size" in found.message
    np.testing.assert_allclose(found.t[-1], 1.0, atol=1e-3)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
def test_slope_that_is_not_a_number_ends_with_a_status(method: str) -> None:
    def slope(t: Any, y: Any) -> Any:
        return tv.where(t < 0.5, -y, np.nan)

    found = tv.optimize.solve_ivp(slope, (0.0, 1.0), [1.0], method)
    assert found.status == -1
    assert 0.3 < found.t[-1] <= 0.5


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
def test_slope_that_is_never_a_number_ends_with_a_status(method: str) -> None:
    found = tv.optimize.solve_ivp(lambda t, y: y * np.nan, (0.0, 1.0), [1.0], method)
    assert (found.status, found.t.tolist()) == (-1, [0.0])


def test_number_of_steps_may_be_limited() -> None:
    found = tv.optimize.solve_ivp(turning, (0.0, 100.0), [1.0, 0.0], max_steps=10)
    assert (found.status, found.success) == (2, False)
    assert found.t.size <= 11


def test_another_call_with_other_numbers_builds_nothing() -> None:
    built = []

    def slope(t: Any, y: Any, k: Any) -> Any:
        built.append(1)
        return -k * y

    first = tv.optimize.solve_ivp(slope, (0.0, 1.0), [1.0], args=(1.0,), rtol=1e-8)
    number = len(built)
    second = tv.optimize.solve_ivp(slope, (0.0, 2.0), [3.0], args=(2.0,), rtol=1e-6)
    assert len(built) == number
    np.testing.assert_allclose(first.y[0, -1], np.exp(-1.0), rtol=1e-4)
    np.testing.assert_allclose(second.y[0, -1], 3.0 * np.exp(-4.0), rtol=1e-3)


def test_arguments_have_the_places_of_scipys() -> None:
    def slope(t: Any, y: Any, k: Any) -> Any:
        return -k * y

    places = tv.optimize.solve_ivp(
        slope, (0.0, 1.0), [1.0], "RK45", [0.5, 1.0], True, None, True, (2.0,)
    )
    np.testing.assert_allclose(places.y[0], np.exp([-1.0, -2.0]), rtol=1e-2)
    np.testing.assert_allclose(places.sol(0.5), places.y[:, 0], rtol=1e-12)


def test_calls_on_threads_have_their_own_counts() -> None:
    def slope(t: Any, y: Any, k: Any) -> Any:
        return -k * y

    def solve(k: float) -> Any:
        return tv.optimize.solve_ivp(slope, (0.0, 3.0), [1.0], args=(k,), rtol=1e-6, atol=1e-9)

    rates = [0.5, 2.0, 8.0] * 8
    alone = [solve(k).nfev for k in rates]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(solve, rates))
    assert [found.nfev for found in together] == alone
    ends = [found.y[0, -1] for found in together]
    np.testing.assert_allclose(ends, np.exp(-3.0 * np.array(rates)), atol=1e-5)


class Refusing(tv.Op):
    """The identity below 0.5, and an error above."""

    def make_node(self, x: Any) -> Any:
        return tv.Apply(self, [tv.as_variable(x)], [tv.scalar("y")])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        if inputs[0] > 0.5:
            raise ArithmeticError("no such time")
        outputs[0][0] = np.asarray(inputs[0])


def refusing(t: Any, y: Any) -> Any:
    return -y + 0.0 * Refusing()(t)


def test_function_that_raises_ends_with_a_status_and_what_was_solved_before() -> None:
    found = tv.optimize.solve_ivp(refusing, (0.0, 1.0), [1.0], max_step=0.1)
    assert (found.status, found.success) == (-2, False)
    assert "no such time" in found.message
    assert 0.3 < found.t[-1] <= 0.5
    np.testing.assert_allclose(found.y[0, -1], np.exp(-found.t[-1]), rtol=1e-4)


def test_function_that_raises_raises_if_that_is_asked_for() -> None:
    with pytest.raises(ArithmeticError, match="no such time"):
        tv.optimize.solve_ivp(refusing, (0.0, 1.0), [1.0], max_step=0.1, raises=True)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([0.0, 2.0], "outside of t_span"),
        ([0.5, 0.25], "not in the order"),
        ([[0.5]], "2 dimensions"),
    ],
)
def test_times_that_do_not_fit_are_refused(times: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tv.optimize.solve_ivp(turning, (0.0, 1.0), [1.0, 0.0], t_eval=times)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"first_step": 0.0}, "first_step is 0.0"),
        ({"first_step": 2.0}, "at most the length of t_span"),
        ({"max_step": -1.0}, "max_step is -1.0"),
    ],
)
def test_sizes_of_steps_that_do_not_fit_are_refused(sizes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tv.optimize.solve_ivp(turning, (0.0, 1.0), [1.0, 0.0], **sizes)


@pytest.mark.parametrize("method", ["DOP853", "Radau"])
def test_relative_tolerance_may_be_nothing(method: str) -> None:
    found = tv.optimize.solve_ivp(turning, (0.0, 1.0), [1.0, 0.0], method, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(found.y[0, -1], np.cos(1.0), atol=1e-7)
    exact = tv.optimize.solve_ivp(
        turning, (0.0, 0.01), [1.0, 0.0], method, rtol=0.0, atol=0.0, max_steps=500
    )
    assert np.isfinite(exact.y).all()


def test_method_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[integrate\] method is 'rk45'.*RK45"):
        tv.optimize.solve_ivp(turning, (0.0, 1.0), [1.0, 0.0], "rk45")


def test_implicit_method_refuses_complex_values() -> None:
    with pytest.raises(TypeError, match="Radau is for real solutions"):
        tv.optimize.solve_ivp(turning, (0.0, 1.0), [1.0j, 0.0], "Radau")
