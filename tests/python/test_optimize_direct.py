"""Solvers beside the quasi-Newton ones: Nelder and Mead's, Adam, FISTA, Anderson's, and `root`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.optimize.solver import begun

MODES = ["py", "vm", "cvm", "FAST_COMPILE", "FAST_RUN"]


def rosenbrock(x: Any) -> Any:
    return tv.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rippled(x: Any) -> Any:
    """Return a bowl with ripples, in which points are drawn together."""
    return tv.sum(x**2 + 9.0 * (1.0 - tv.cos(8.0 * x)))


def steep(x: Any) -> Any:
    return tv.sum((x - 1.0) ** 2 * tv.constant([1.0, 30.0]))


def misfit(x: Any, a: Any, b: Any, weight: Any) -> Any:
    return 0.5 * tv.sum((a @ x - b) ** 2)


def prox(x: Any, t: Any, a: Any, b: Any, weight: Any) -> Any:
    return tv.optimize.soft_threshold(x, t * weight)


def penalty(x: Any, a: Any, b: Any, weight: Any) -> Any:
    return weight * tv.sum(tv.abs(x))


def lasso() -> tuple[Any, Any, float]:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(30, 12))
    return a, a[:, :3] @ np.array([3.0, -2.0, 1.5]) + 0.1 * rng.normal(size=30), 2.0


@pytest.mark.parametrize("mode", MODES)
def test_nelder_mead_runs_fun_as_often_as_scipys_in_all_modes(mode: str) -> None:
    # SciPy 1.17: minimize(rosen, [-1.2, 1.0], method="Nelder-Mead").nfev == 159
    result = tv.optimize.minimize(rosenbrock, [-1.2, 1.0], method="Nelder-Mead", mode=mode)
    assert (result.success, result.nfev) == (True, 159)
    np.testing.assert_allclose(result.x, [1.0, 1.0], atol=1e-4)


def test_nelder_mead_adapts_to_many_dimensions() -> None:
    # SciPy 1.17 needs 1433.
    result = tv.optimize.minimize(
        rosenbrock, np.full(10, 1.2), method="Nelder-Mead", mode="FAST_COMPILE",
        options={"adaptive": True, "maxiter": 10000},
    )  # fmt: skip
    assert result.success
    assert result.nfev <= 1.2 * 1433
    np.testing.assert_allclose(result.x, np.ones(10), atol=1e-3)


@pytest.mark.parametrize("mode", ["vm", "cvm"])
def test_nelder_mead_runs_fun_only_for_the_points_that_a_branch_needs(mode: str) -> None:
    solver = tv.optimize.Solver(rippled, tv.optimize.nelder_mead(), mode=mode)
    with begun(solver, [10.0, 20.0, 30.0], (), None) as call:
        states = list(call.steps())
        following, numbers = call.program.next_state.function, call.numbers
    following.reset_counters()
    seen = set()
    for before, after in pairwise(states):
        leaves = [before.x, before.fun, before.simplex, before.values, before.nit, before.status]
        ran = following.counts()["nfev"]
        following(*leaves, *numbers)
        ran = following.counts()["nfev"] - ran
        kept = sum(any(np.array_equal(row, old) for old in before.simplex) for row in after.simplex)
        worst = before.simplex[-1]
        middle = before.simplex[:-1].mean(axis=0)
        reflected = 2.0 * middle - worst
        if kept == 1:  # all but the best were drawn together: n, a reflection and a contraction
            wanted = {3 + 2}
        elif any(np.allclose(row, reflected, rtol=1e-12, atol=0) for row in after.simplex):
            wanted = {1, 2}  # with an expansion that was no better
        else:
            wanted = {2}
        assert ran in wanted
        seen.add(ran)
    assert seen == {1, 2, 5}


def test_nelder_mead_stays_within_bounds() -> None:
    seen = []
    result = tv.optimize.minimize(
        steep, [0.2, 3.0], method="Nelder-Mead", bounds=[(0.0, 0.5), (0.0, None)],
        callback=lambda state: seen.append(state.simplex),
    )  # fmt: skip
    np.testing.assert_allclose(result.x, [0.5, 1.0], atol=1e-3)
    assert all(np.all((points >= 0.0) & (points[:, 0] <= 0.5)[:, None]) for points in seen)


@pytest.mark.parametrize("mode", MODES)
def test_adam_is_alike_in_all_modes(mode: str) -> None:
    options = {"rate": 0.1, "patience": 50, "gtol": 1e-3}
    result = tv.optimize.minimize(steep, [0.0, 3.0], method="adam", options=options, mode=mode)
    assert result.success
    np.testing.assert_allclose(result.x, [1.0, 1.0], atol=1e-3)
    assert result.nfev == result.njev == result.nit + 1


def test_adam_takes_the_steps_of_its_paper() -> None:
    method = tv.optimize.adam(rate=0.1, maxiter=5)
    states = list(tv.optimize.Solver(steep, method, mode="vm").steps([0.0, 3.0]))
    x, m, v = np.array([0.0, 3.0]), np.zeros(2), np.zeros(2)
    for t in range(1, 6):
        g = 2.0 * (x - 1.0) * [1.0, 30.0]
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        x = x - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        np.testing.assert_allclose(states[t].x, x, rtol=1e-13)


def test_adam_clips_only_gradients_that_are_too_long() -> None:
    def runs(clip: float) -> dict[str, int]:
        method = tv.optimize.adam(rate=0.1, maxiter=20, clip=clip)
        solver = tv.optimize.Solver(steep, method, mode="vm")
        last = list(solver.steps([0.0, 3.0]))[-1]
        jac = solver.run([0.0, 3.0]).state.jac
        np.testing.assert_array_equal(last.jac, jac)
        return {"mean": float(np.linalg.norm(last.mean))}  # type: ignore[dict-item]

    assert runs(1e-3)["mean"] < 1e-3
    assert runs(np.inf)["mean"] > 1e-3


def test_adam_lowers_its_rate_where_the_value_stays() -> None:
    method = tv.optimize.adam(rate=0.5, patience=3, shrink=0.5, maxiter=200, least_rate=1e-3)
    states = list(tv.optimize.Solver(steep, method, mode="vm").steps([0.0, 3.0]))
    rates = [float(state.rate) for state in states]
    assert all(b in (a, a / 2.0) for a, b in pairwise(rates))
    assert rates[-1] < 1e-3
    assert int(states[-1].status) == tv.optimize.status.STALLED


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("restart", [True, False])
def test_fista_solves_the_lasso_in_all_modes(mode: str, restart: bool) -> None:
    a, b, weight = lasso()
    result = tv.optimize.minimize(
        misfit, np.zeros(12), args=(a, b, weight), method="fista", mode=mode,
        options={"prox": prox, "penalty": penalty, "restart": restart, "xtol": 1e-8},
    )  # fmt: skip
    assert result.success
    slope = a.T @ (a @ result.x - b)
    on = result.x != 0.0
    # The conditions of the least point: -slope is the weight where x is not 0, and else less.
    np.testing.assert_allclose(slope[on], -weight * np.sign(result.x[on]), atol=1e-5)
    assert np.all(np.abs(slope[~on]) <= weight)
    assert 3 <= on.sum() < 12
    wanted = 0.5 * np.sum((a @ result.x - b) ** 2) + weight * np.abs(result.x).sum()
    np.testing.assert_allclose(result.fun, wanted, rtol=1e-12)


def test_fista_runs_the_gradient_only_where_a_trial_was_low_enough() -> None:
    a, b, weight = lasso()
    solver = tv.optimize.Solver(misfit, tv.optimize.fista(prox=prox), mode="vm")
    rates = [float(state.rate) for state in solver.steps(np.zeros(12), (a, b, weight))]
    refused = sum(after < before for before, after in pairwise(rates))
    result = solver.run(np.zeros(12), (a, b, weight))
    assert refused > 0
    assert result.njev == 1 + result.nit - refused


def test_fista_needs_fewer_steps_with_restarts() -> None:
    def steps(restart: bool) -> int:
        result = tv.optimize.minimize(
            lambda x: tv.sum(tv.constant([1.0, 100.0, 900.0]) * x**2), np.ones(3), method="fista",
            mode="FAST_COMPILE", options={"restart": restart, "xtol": 1e-8},
        )  # fmt: skip
        return int(result.nit)

    assert steps(True) < 0.7 * steps(False)


def test_fista_projects_a_nest() -> None:
    def fun(x: Any) -> Any:
        return tv.sum((x["a"] - 3.0) ** 2) + (x["b"] + 1.0) ** 2

    def box(x: Any, t: Any) -> Any:
        return {"a": tv.optimize.project(x["a"], 0.0, 1.0), "b": x["b"]}

    start = {"a": np.zeros(2), "b": 0.0}
    result = tv.optimize.minimize(fun, start, method="fista", options={"prox": box})
    np.testing.assert_allclose(result.x["a"], [1.0, 1.0])
    np.testing.assert_allclose(result.x["b"], -1.0, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["hybr", "anderson"])
def test_root_solves_equations_in_all_modes(method: str, mode: str) -> None:
    matrix = np.array([[0.5, 0.2], [0.1, 0.3]])

    def fun(x: Any, b: Any) -> Any:
        return b - x - matrix @ tv.tanh(x)

    result = tv.optimize.root(
        fun, [0.0, 0.0], args=(np.array([1.0, 2.0]),), method=method, mode=mode
    )
    assert result.success
    x = result.x
    np.testing.assert_allclose(x + matrix @ np.tanh(x), [1.0, 2.0], atol=1e-9)


def test_root_tells_a_least_sum_of_squares_from_a_root() -> None:
    result = tv.optimize.root(lambda x: x**2 + 1.0, [0.5])
    assert not result.success
    assert result.message.endswith("this is no root.") or result.status != 0


def test_anderson_needs_fewer_steps_than_plain_iteration() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=(20, 20))
    matrix = 0.95 * a / np.abs(np.linalg.eigvals(a)).max()
    b = rng.normal(size=20)
    result = tv.optimize.root(
        lambda x: matrix @ x + b - x, np.zeros(20), method="anderson", options={"memory": 10}
    )
    np.testing.assert_allclose(result.x, np.linalg.solve(np.eye(20) - matrix, b), rtol=1e-6)
    assert result.nfev == result.nit + 1
    assert result.nit < 60  # 0.95 ** 60 is only 0.05


def test_anderson_has_the_gradient_of_its_equation() -> None:
    p = tv.vector("p")
    x = tv.optimize.anderson(lambda x: p * tv.cos(x), np.zeros(2))
    f = tv.function([p], [x, tv.jacobian(x, p)])
    at, jacobian = f([1.0, 0.5])
    wanted = np.diag(np.cos(at) / (1.0 + np.array([1.0, 0.5]) * np.sin(at)))
    np.testing.assert_allclose(jacobian, wanted, rtol=1e-8)


def test_a_state_of_each_method_goes_on() -> None:
    for method in ("Nelder-Mead", "adam", "fista"):
        options = {"maxiter": 7}
        half = tv.optimize.minimize(
            rosenbrock, [-1.2, 1.0], method=method, options=options, mode="FAST_COMPILE"
        )
        options = {"maxiter": 20}
        rest = tv.optimize.minimize(
            rosenbrock, state=half.state, method=method, options=options, mode="FAST_COMPILE"
        )
        whole = tv.optimize.minimize(
            rosenbrock, [-1.2, 1.0], method=method, options=options, mode="FAST_COMPILE"
        )
        assert rest.nit == whole.nit == 20
        np.testing.assert_array_equal(rest.x, whole.x)
