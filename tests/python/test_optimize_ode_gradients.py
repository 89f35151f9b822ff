"""Gradients through solutions of differential equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]
METHODS = ["RK23", "RK45", "DOPRI5", "Radau"]
TIGHT: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-10}


def logistic(t: Any, y: Any, rate: Any) -> Any:
    return rate * y * (1.0 - y)


def exact(t: float, y0: float, rate: float) -> float:
    return 1.0 / (1.0 + (1.0 / y0 - 1.0) * np.exp(-rate * t))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", MODES)
def test_gradient_of_the_end_is_that_of_the_equation(mode: str, method: str) -> None:
    t0, t1, y0, rate = (tv.scalar(name) for name in ("t0", "t1", "y0", "rate"))
    tolerance = 1e-6 if method == "RK23" else 1e-9
    found = tv.optimize.integrate(
        logistic, (t0, t1), y0, method, (rate,), rtol=tolerance, atol=tolerance
    )
    f = tv.function([t0, t1, y0, rate], tv.grad(found.y, [t0, t1, y0, rate]), mode=mode)
    by_t0, by_t1, by_y0, by_rate = f(0.5, 2.0, 0.1, 1.3)
    y, grown = exact(1.5, 0.1, 1.3), np.exp(1.3 * 1.5)
    near = {"rtol": 2e-4 if method == "RK23" else 1e-6}
    np.testing.assert_allclose(by_t1, 1.3 * y * (1.0 - y), **near)
    np.testing.assert_allclose(by_t0, -1.3 * y * (1.0 - y), **near)
    np.testing.assert_allclose(by_y0, grown / (1.0 + 0.1 * (grown - 1.0)) ** 2, **near)
    np.testing.assert_allclose(by_rate, 1.5 * y * (1.0 - y), **near)


def van_der_pol(t: Any, y: Any, mu: Any) -> Any:
    return [y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]]


def with_sensitivities(t: Any, y: Any, mu: Any) -> Any:
    """The equation, and those of the derivatives of its solution by mu and by y0."""
    place, speed = y[0], y[1]
    slope = van_der_pol(t, y, mu)
    rows = []
    for k in range(3):
        a, b = y[2 + 2 * k], y[3 + 2 * k]
        by_y = (-2.0 * mu * place * speed - 1.0) * a + mu * (1.0 - place**2) * b
        rows += [b, by_y + ((1.0 - place**2) * speed if k == 0 else 0.0)]
    return [*slope, *rows]


@pytest.mark.parametrize("method", ["DOPRI5", "Radau"])
def test_gradient_is_that_of_sensitivities_and_of_finite_differences(method: str) -> None:
    mu, y0 = tv.scalar("mu"), tv.vector("y0")
    found = tv.optimize.integrate(van_der_pol, (0.0, 3.0), y0, method, (mu,), **TIGHT)
    f = tv.function([mu, y0], [found.y, tv.jacobian(found.y, mu), tv.jacobian(found.y, y0)])
    at = (1.7, np.array([1.2, -0.4]))
    _, by_mu, by_y0 = f(*at)

    start = [*at[1], 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    both = tv.optimize.solve_ivp(
        with_sensitivities, (0.0, 3.0), start, "DOPRI5", args=(1.7,), **TIGHT
    ).y[:, -1]
    np.testing.assert_allclose(by_mu, both[2:4], rtol=1e-5)
    np.testing.assert_allclose(by_y0, np.transpose([both[4:6], both[6:8]]), rtol=1e-5, atol=1e-7)

    h = 1e-4
    up, down = f(1.7 + h, at[1])[0], f(1.7 - h, at[1])[0]
    np.testing.assert_allclose(by_mu, (up - down) / (2.0 * h), rtol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_gradient_of_the_solution_at_times_goes_back_through_dense_output(mode: str) -> None:
    rate, times = tv.scalar("rate"), tv.vector("times")
    found = tv.optimize.integrate(logistic, (0.0, 3.0), 0.1, "RK45", (rate,), **TIGHT)
    misfit = tv.sum((found.at(times) - 0.5) ** 2)
    f = tv.function([rate, times], [misfit, *tv.grad(misfit, [rate, times])], mode=mode)
    at = np.array([0.3, 1.1, 2.9])
    _, by_rate, by_times = f(1.3, at)
    y = exact(at, 0.1, 1.3)
    np.testing.assert_allclose(by_rate, np.sum(2 * (y - 0.5) * at * y * (1 - y)), rtol=1e-5)
    np.testing.assert_allclose(by_times, 2 * (y - 0.5) * 1.3 * y * (1 - y), rtol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_gradient_of_an_events_time_is_that_of_its_equation(mode: str) -> None:
    def ground(t: Any, y: Any, g: Any) -> Any:
        return y["height"]

    ground.terminal, ground.direction = True, -1  # type: ignore[attr-defined]
    g, v = tv.scalar("g"), tv.scalar("v")
    found = tv.optimize.integrate(
        lambda t, y, g: {"height": y["speed"], "speed": -g}, (0.0, 50.0),
        {"height": 1.0, "speed": v}, "DOPRI5", (g,), events=ground, **TIGHT,
    )  # fmt: skip
    out = [found.t, *tv.grad(found.t, [g, v]), tv.grad(found.y["speed"], g)]
    time, by_g, by_v, speed_by_g = tv.function([g, v], out, mode=mode)(10.0, 2.0)
    root = np.sqrt(4.0 + 20.0)
    np.testing.assert_allclose(time, (2.0 + root) / 10.0, rtol=1e-12)
    np.testing.assert_allclose(by_v, (1.0 + 2.0 / root) / 10.0, rtol=1e-9)
    np.testing.assert_allclose(by_g, 1.0 / (10.0 * root) - (2.0 + root) / 100.0, rtol=1e-9)
    np.testing.assert_allclose(speed_by_g, -1.0 / root, rtol=1e-9)


def test_gradients_of_all_times_of_an_event_are_those_of_its_equation() -> None:
    rate = tv.scalar("rate")
    found = tv.optimize.integrate(
        lambda t, y, w: [w * y[1], -w * y[0]], (0.0, 5.0), [1.0, 0.0], args=(rate,),
        events=lambda t, y, w: y[0], **TIGHT,
    )  # fmt: skip
    times = found.t_events[0]
    f = tv.function([rate], [times, tv.jacobian(times, rate)], mode="cvm")
    at, slopes = f(2.0)  # cos(2 t) is 0 at pi / 4, 3 pi / 4, 5 pi / 4
    np.testing.assert_allclose(at, np.pi * np.array([1.0, 3.0, 5.0]) / 4.0, rtol=1e-7)
    np.testing.assert_allclose(slopes, -at / 2.0, rtol=1e-5)


def test_gradient_with_checkpoints_is_the_same() -> None:
    rate, y0 = tv.scalar("rate"), tv.vector("y0")
    slopes = [
        tv.grad(
            tv.optimize.integrate(
                logistic, (0.0, 3.0), y0, args=(rate,), checkpoint=checkpoint, **TIGHT
            ).y.sum(),
            [rate, y0],
        )
        for checkpoint in (None, 5)
    ]
    plain, again = tv.function([rate, y0], slopes)(1.3, [0.1, 0.7])
    np.testing.assert_allclose(again[0], plain[0], rtol=1e-12)
    np.testing.assert_allclose(again[1], plain[1], rtol=1e-12)


def test_explicit_solution_has_second_derivatives() -> None:
    rate = tv.scalar("rate")
    end = tv.optimize.integrate(lambda t, y, k: -k * y, (0.0, 1.5), 2.0, args=(rate,), **TIGHT).y
    second = tv.grad(tv.grad(end, rate), rate)
    found = tv.function([rate], second)(0.7)
    np.testing.assert_allclose(found, 2.0 * 1.5**2 * np.exp(-1.5 * 0.7), rtol=1e-4)


@pytest.mark.parametrize("method", ["DOPRI5", "Radau"])
def test_solutions_of_many_parameters_are_a_map_with_its_gradient(method: str) -> None:
    rates = tv.vector("rates")

    def end(rate: Any) -> Any:
        return tv.optimize.integrate(logistic, (0.0, 2.0), 0.1, method, (rate,), **TIGHT).y

    mapped, batched = tv.map(end, rates), tv.vmap(end)(rates)
    out = [mapped, batched, tv.grad(tv.sum(mapped), rates)]
    f = tv.function([rates], out, mode="cvm")
    at = np.array([0.5, 1.3, 40.0])  # each takes its own number of steps
    y = exact(2.0, 0.1, at)
    found, same, slopes = f(at)
    np.testing.assert_allclose(found, y, rtol=1e-6)
    np.testing.assert_allclose(same, found, rtol=1e-9)
    np.testing.assert_allclose(slopes, 2.0 * y * (1.0 - y), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("method", ["DOPRI5", "Radau"])
def test_tangent_of_a_solution_is_that_of_the_equation(method: str) -> None:
    rate = tv.scalar("rate")
    y = tv.optimize.integrate(logistic, (0.0, 2.0), 0.1, method, (rate,), **TIGHT).y
    found = tv.function([rate], tv.jvp(y, rate, 10.0), mode="cvm")(1.3)
    y = exact(2.0, 0.1, 1.3)
    np.testing.assert_allclose(found, 10.0 * 2.0 * y * (1.0 - y), rtol=1e-6)


def test_implicit_solution_of_a_vector_has_second_derivatives() -> None:
    rate, y0 = tv.scalar("rate"), tv.vector("y0")
    found = tv.optimize.integrate(
        lambda t, y, k: -k * y, (0.0, 1.5), y0, "Radau", args=(rate,), **TIGHT
    )
    second = tv.grad(tv.grad(tv.sum(found.y), rate), rate)
    value = tv.function([rate, y0], second, mode="cvm")(0.7, [2.0])
    np.testing.assert_allclose(value, 2.0 * 1.5**2 * np.exp(-1.5 * 0.7), rtol=1e-4)


def test_gradient_runs_no_step_that_was_refused(counting: Any) -> None:
    slope_runs = counting(np.cos)
    slope = counting(np.sin, slope_runs)
    y0 = tv.vector("y0")
    found = tv.optimize.integrate(
        lambda t, y: -80.0 * slope(y), (0.0, 1.0), y0, "RK45", first_step=0.9
    )
    f = tv.function([y0], [tv.grad(found.y.sum(), y0), found.steps, found.ts])
    _, steps, times = f([0.8])
    accepted = times.size - 1
    assert steps > accepted
    again = slope.runs - (1 + 6 * steps)  # stages that the points of others need
    assert 0 < again <= 7 * accepted
    assert 0 < slope_runs.runs <= 7 * accepted


def test_parameters_are_fitted_by_the_gradient_of_a_solution() -> None:
    times = np.linspace(0.2, 3.0, 12)
    data = exact(times, 0.1, 1.3)

    def misfit(p: Any) -> Any:
        found = tv.optimize.integrate(logistic, (0.0, 3.0), p[1], "DOPRI5", (p[0],), **TIGHT)
        return tv.sum((found.at(times) - data) ** 2)

    p = tv.vector("p")
    f = tv.function([p], tv.grad(misfit(p), p))
    np.testing.assert_allclose(f([1.3, 0.1]), 0.0, atol=1e-6)
    below, above = f([1.2, 0.1]), f([1.4, 0.1])
    assert below[0] < 0.0 < above[0]
