"""The evaluations of the minimisers, step by step: what the algorithm must do, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from python_ops import op

import thunkvm as tv
from thunkvm.optimize.solver import begun

MODES = ["py", "vm", "cvm", "FAST_RUN"]
START = [-1.2, 1.0]


def rosenbrock(x: Any) -> Any:
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2


def counted_steps(method: Any, x0: Any = START, fun: Any = rosenbrock, **given: Any) -> Iterator:
    """Yield the state after each step, and what it counted."""
    solver = tv.optimize.Solver(fun, method, **given)
    with begun(solver, x0, (), None) as call:
        for state in call.steps():
            yield state, call.program.take_counts()


METHODS = [
    tv.optimize.gradient_descent(maxiter=50),
    tv.optimize.nonlinear_cg(),
    tv.optimize.bfgs(),
    tv.optimize.lbfgs(),
    tv.optimize.lbfgsb(),
    tv.optimize.newton_cg(),
    tv.optimize.trust_region(),
    tv.optimize.trust_region(subproblem="dogleg"),
]


def name_of(method: Any) -> str:
    return f"{type(method).__name__}-{getattr(method, 'subproblem', '')}".rstrip("-")


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_counts_of_a_result_are_those_of_its_steps(method: Any) -> None:
    result = tv.optimize.minimize(rosenbrock, START, method=method)
    total: dict[str, int] = {}
    for _, counts in counted_steps(method):
        total = {name: total.get(name, 0) + count for name, count in counts.items()}
    assert total == {name: result[name] for name in total}
    assert result.njev <= result.nfev


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_start_is_one_value_and_one_gradient(method: Any) -> None:
    _, counts = next(counted_steps(method))
    assert {name: count for name, count in counts.items() if count} == {"nfev": 1, "njev": 1}


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_start_at_a_solution_takes_no_step(method: Any) -> None:
    result = tv.optimize.minimize(rosenbrock, [1.0, 1.0], method=method)
    assert (result.nit, result.nfev, result.njev, result.get("nhev", 0)) == (0, 1, 1, 0)
    assert result.success


@pytest.mark.parametrize("mode", MODES)
def test_gradient_descent_has_a_gradient_behind_each_accepted_trial(mode: str) -> None:
    steps = counted_steps(tv.optimize.gradient_descent(maxiter=40), mode=mode)
    last, _ = next(steps)
    accepted = []
    for state, counts in steps:
        accepted.append(bool(state.fun < last.fun))
        assert counts["nfev"] == 1
        assert counts["njev"] == accepted[-1]
        last = state
    assert 0 < sum(accepted) < len(accepted) == 40


class Noted(tv.Op):
    """Its input; notes that it ran in `log`. So does its gradient, under another name."""

    def __init__(self, log: list[tuple[str, Any]], name: str) -> None:
        self.log = log
        self.name = name

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        self.log.append((self.name, inputs[0].copy()))
        output_storage[0][0] = inputs[0] * 1.0

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        return [Noted(self.log, "gradient")(output_gradients[0])]


@pytest.mark.parametrize("mode", ["py", "cvm", "FAST_RUN"])
@pytest.mark.parametrize("kind", [tv.optimize.bfgs, tv.optimize.lbfgs, tv.optimize.nonlinear_cg])
def test_line_search_has_a_gradient_where_the_value_is_low_enough(kind: Any, mode: str) -> None:
    log: list[tuple[str, Any]] = []
    noted = Noted(log, "value")
    method = kind(maxiter=15)
    steps = counted_steps(method, fun=lambda x: rosenbrock(noted(x)), mode=mode)
    before, _ = next(steps)
    failed = 0
    for state, counts in steps:
        del log[:2]  # what the state before computed
        values = [x for name, x in log if name == "value"]
        assert counts["nfev"] == len(values)
        assert counts["njev"] == len(log) - len(values)
        best = before.fun
        for (name, x), (after, _) in zip(log, [*log[1:], ("value", None)], strict=True):
            if name == "gradient":
                continue
            slope = np.sum((x - before.x) * before.jac)
            low = rosenbrock(x) <= before.fun + method.c1 * slope and rosenbrock(x) < best
            assert (after == "gradient") == low
            best = min(best, rosenbrock(x)) if low else best
            failed += not low
        before, log[:] = state, [("value", None), ("gradient", None)]
    assert failed > 0


@pytest.mark.parametrize("mode", MODES)
def test_dogleg_has_a_hessian_only_behind_a_step_that_was_taken(mode: str) -> None:
    steps = counted_steps(tv.optimize.trust_region(subproblem="dogleg"), mode=mode)
    before, _ = next(steps)
    moved, taken = True, []
    for state, counts in steps:
        assert counts["nhev"] == moved
        moved = not np.array_equal(state.x, before.x)
        assert (counts["nfev"], counts["njev"]) == (1, moved)
        taken.append(moved)
        before = state
    assert 0 < sum(taken) < len(taken)


def test_newton_cg_has_a_product_for_each_iteration_of_conjugate_gradients() -> None:
    # A Hessian of two eigenvalues, and of the identity: conjugate gradients take two and one.
    scale = tv.constant([1.0, 1.0, 9.0, 9.0])
    for weights, expected in ((scale, 2), (tv.constant(np.ones(4)), 1)):
        result = tv.optimize.minimize(
            lambda x, weights=weights: 0.5 * tv.sum(weights * (x - 1.0) ** 2),
            [0.0, 0.2, 0.4, 0.7],
            method="Newton-CG",
            options={"gtol": 1e-3, "xtol": 0.0},
        )
        assert result.nhev <= expected * result.nit
        assert result.success


def test_hessian_that_has_no_cholesky_factor_is_replaced_by_conjugate_gradients() -> None:
    # At the start the Hessian is indefinite.
    def fun(x: Any) -> tv.Variable:
        return tv.sum(x**4) / 4.0 - tv.sum(x**2) / 2.0 + x[0] * x[1] / 4.0

    start = [0.1, -0.2]
    result = tv.optimize.minimize(fun, start, method="dogleg", options={"gtol": 1e-8})
    assert result.success
    np.testing.assert_allclose(np.abs(result.x), np.full(2, np.sqrt(1.25)), atol=1e-6)


def runs(solver: Any, call: Any, name: str) -> int:
    rows = call.program.next_state.function.node_runs()
    return sum(row.runs for row in rows if row.op == name)


def test_lbfgsb_puts_bounds_in_order_only_where_the_path_meets_one() -> None:
    bounds = (np.full(2, -5.0), np.full(2, 5.0))
    far = tv.optimize.Solver(rosenbrock, tv.optimize.lbfgsb(), bounds=bounds)
    with begun(far, START, (), None) as call:
        states = list(call.steps())
        # The first step, along the gradient of 200, meets a bound; the others stay inside.
        assert runs(far, call, "argsort") == 1
        assert len(states) > 20

    near = tv.optimize.Solver(
        rosenbrock, tv.optimize.lbfgsb(), bounds=(np.full(2, -5.0), np.full(2, 0.5))
    )
    with begun(near, START, (), None) as call:
        states = list(call.steps())
        assert runs(near, call, "argsort") > 1
        np.testing.assert_allclose(states[-1].x, [0.5, 0.25], atol=1e-6)


def test_derivatives_of_the_user_are_counted_under_the_same_names() -> None:
    def jac(x: Any) -> tv.Variable:
        return tv.stack([-400.0 * x[0] * (x[1] - x[0] ** 2) - 2.0 * (1.0 - x[0]),
                         200.0 * (x[1] - x[0] ** 2)])  # fmt: skip

    def hess(x: Any) -> tv.Variable:
        row = tv.stack([1200.0 * x[0] ** 2 - 400.0 * x[1] + 2.0, -400.0 * x[0]])
        return tv.stack([row, tv.stack([-400.0 * x[0], tv.constant(200.0)])])

    for method in ("BFGS", "dogleg", "trust-ncg"):
        given = tv.optimize.minimize(rosenbrock, START, method=method, jac=jac, hess=hess)
        derived = tv.optimize.minimize(rosenbrock, START, method=method)
        for count in ("nit", "nfev", "njev"):
            assert given.get(count) == derived.get(count), (method, count)
        # A matrix does not change while conjugate gradients multiply with it: one for each step.
        expected = given.nit if method == "trust-ncg" else derived.get("nhev")
        assert given.get("nhev") == expected
        np.testing.assert_allclose(given.x, derived.x, rtol=1e-6)


def test_product_of_the_hessian_of_the_user_is_taken() -> None:
    def hessp(x: Any, p: Any) -> Any:
        return {"a": 2.0 * tv.counted(p["a"], "mine"), "b": 4.0 * p["b"]}

    def fun(x: Any) -> tv.Variable:
        return tv.sum((x["a"] - 1.0) ** 2) + 2.0 * (x["b"] - 3.0) ** 2

    x0 = {"a": [0.0, 0.0], "b": 0.0}
    result = tv.optimize.minimize(fun, x0, method="Newton-CG", hessp=hessp)
    np.testing.assert_allclose(result.x["a"], [1.0, 1.0], atol=1e-6)
    np.testing.assert_allclose(result.x["b"], 3.0, atol=1e-6)
    assert result.nhev > 0


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "dogleg"])
def test_second_derivatives_are_forward_ones_of_the_gradient_of_the_user(method: str) -> None:
    def perform(self: Any, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = 2.0 * inputs[0]

    twice = op(perform, R_op=lambda self, inputs, changes: [2.0 * changes[0]])  # and no gradient

    result = tv.optimize.minimize(
        lambda x: tv.sum((x - 1.0) ** 2), [3.0, 4.0], method=method, jac=lambda x: twice(x - 1.0)
    )
    np.testing.assert_allclose(result.x, [1.0, 1.0], rtol=1e-12)
    assert result.success


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_solver_goes_on_from_a_state_that_was_pickled(method: Any) -> None:
    import pickle

    solver = tv.optimize.Solver(rosenbrock, method)
    states = list(solver.steps(START))
    for state in states[:: max(len(states) // 3, 1)]:
        if int(state.status) != tv.optimize.status.RUNNING:
            continue
        saved = pickle.loads(pickle.dumps(state))
        rest = solver.run(state=saved)
        np.testing.assert_array_equal(rest.x, states[-1].x)
        assert rest.nit == int(states[-1].nit)
