"""Least squares: NIST's certified values, bounds and losses, and what runs in a step."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.demo.datasets import DATASETS
from thunkvm.demo.report import digits
from thunkvm.optimize import status
from thunkvm.optimize.levenberg_marquardt import levenberg_marquardt
from thunkvm.optimize.solver import begun

#: Runs to the limit of precision: the certified values have 11 digits.
EXACT: Any = {"ftol": None, "xtol": 1e-13, "gtol": None, "max_nfev": 5000}
T = np.linspace(0.0, 10.0, 40)

#: What SciPy 1.17's least_squares(method="trf", x_scale="jac") evaluates from both of the starts,
#: with its default tolerances and exact Jacobians, where it finds the least point.
TRF = {
    "Misra1a": 16, "Chwirut2": 15, "Chwirut1": 15, "Lanczos3": 91, "Gauss1": 11, "Gauss2": 12,
    "DanWood": 11, "Misra1b": 21, "Kirby2": 14, "Hahn1": 27, "Nelson": 91, "MGH17": 951,
    "Lanczos1": 87, "Lanczos2": 86, "Gauss3": 14, "Misra1c": 18, "Misra1d": 15, "Roszman1": 9,
    "ENSO": 40, "MGH09": 142, "Thurber": 35, "BoxBOD": 33, "Rat42": 16, "MGH10": 340,
    "Eckerle4": 33, "Rat43": 22,
}  # fmt: skip


def residuals_of(name: str) -> Any:
    model = DATASETS[name].model
    return lambda b, x, y: model(b, x) - y


def noisy_decay() -> Any:
    """Return an exponential with noise, and an outlier in every seventh place."""
    y = 2.0 * np.exp(-0.4 * T) + 0.5 + 0.02 * np.random.default_rng(0).normal(size=40)
    y[::7] += 3.0
    return y


def decay(b: Any, y: Any) -> Any:
    return b[0] * tv.exp(-b[1] * T) + b[2] - y


@pytest.mark.parametrize("name", DATASETS)
def test_least_squares_has_six_digits_from_both_of_nists_starts(name: str) -> None:
    dataset, fun = DATASETS[name], residuals_of(name)
    for start in dataset.starts:
        result = tv.optimize.least_squares(
            fun, start, args=(dataset.x, dataset.y), mode="FAST_COMPILE", **EXACT
        )
        worst = min(digits(x, c) for x, c in zip(result.x, dataset.certified, strict=True))
        assert worst >= 6.0, (start, result.x)
        if dataset.rss > 1e-20:  # that of Lanczos1 is rounding
            assert digits(2.0 * result.cost, dataset.rss) >= 8.0
        assert result.nfev == result.nit + 1


@pytest.mark.parametrize("name", TRF)
def test_least_squares_needs_no_more_evaluations_than_scipys(name: str) -> None:
    dataset, fun = DATASETS[name], residuals_of(name)
    results = [
        tv.optimize.least_squares(
            fun, start, args=(dataset.x, dataset.y), mode="FAST_COMPILE", max_nfev=2000
        )
        for start in dataset.starts
    ]
    assert all(result.success for result in results)
    assert sum(result.nfev for result in results) <= 1.2 * TRF[name]


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "FAST_COMPILE", "FAST_RUN"])
def test_least_squares_ends_alike_in_all_modes(mode: str) -> None:
    dataset = DATASETS["Rat42"]
    fun = residuals_of("Rat42")
    result = tv.optimize.least_squares(
        fun, dataset.starts[0], args=(dataset.x, dataset.y), mode=mode
    )
    np.testing.assert_allclose(result.x, dataset.certified, rtol=1e-5)
    assert (result.success, result.nfev, result.njev) == (True, 10, 9)


def test_levenberg_marquardt_runs_the_jacobian_once_for_each_trial_that_lowers_the_cost() -> None:
    dataset = DATASETS["BoxBOD"]
    fun = residuals_of("BoxBOD")
    solver = tv.optimize.Solver(fun, levenberg_marquardt())
    costs, moved = [], []
    for state in solver.steps(dataset.starts[0], (dataset.x, dataset.y)):
        costs.append(float(state.cost))
        moved.append(bool(state.moved))
    lowered = [True, *(b < a for a, b in pairwise(costs))]
    assert lowered == moved
    result = solver.run(dataset.starts[0], (dataset.x, dataset.y))
    assert result.nfev == len(moved)
    assert result.njev == sum(moved) < result.nfev


@pytest.mark.parametrize("mode", ["py", "cvm"])
def test_levenberg_marquardt_finds_singular_values_only_behind_a_trial_that_moved(
    mode: str,
) -> None:
    dataset = DATASETS["BoxBOD"]
    solver = tv.optimize.Solver(residuals_of("BoxBOD"), levenberg_marquardt(), mode=mode)
    args = (dataset.x, dataset.y)
    with begun(solver, dataset.starts[0], args, None) as call:
        states = list(call.steps())
        step = call.program.next_state.function
        runs = {row.op: row.runs for row in step.node_runs() if row.op == "svd"}
    assert runs == {"svd": sum(bool(state.moved) for state in states[:-1])}


@pytest.mark.parametrize(
    ("loss", "x", "cost"),
    [
        ("linear", [4.02817446, 3.3997834, 1.28014156], 21.981417566844172),
        ("huber", [2.04282344, 0.42680544, 0.53457333], 1.7690574778716994),
        ("soft_l1", [2.05004677, 0.42932988, 0.53671091], 1.7396291082686706),
        ("cauchy", [2.00810331, 0.41122614, 0.50904724], 0.20760348575687598),
        ("arctan", [2.00716865, 0.41089572, 0.50829757], 0.05062570300889083),
    ],
)
def test_losses_are_scipys(loss: str, x: list[float], cost: float) -> None:
    result = tv.optimize.least_squares(
        decay, [1.0, 1.0, 0.1], args=(noisy_decay(),), loss=loss, f_scale=0.1,
        ftol=1e-12, xtol=1e-12, gtol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(result.x, x, rtol=1e-6)
    assert result.cost == pytest.approx(cost, rel=1e-12)


@pytest.mark.parametrize(
    ("bounds", "start", "x", "mask"),
    [
        (([0, 0.5, -1], [1.5, 5, 0.55]), [1, 1, 0.1], [1.5, 0.5, 0.55], [1, -1, 1]),
        (([0, -9, -1], [1.5, 0.1, 0.55]), [1, 0.05, 0.1], [1.5, 0.1, 0.503064873], [1, 1, 0]),
        (([0, -9, -1], [9, 9, 9]), [1, 0.05, 0.1], [4.02817446, 3.3997834, 1.28014156], [0, 0, 0]),
    ],
)
def test_bounds_hold_and_are_told(bounds: Any, start: Any, x: Any, mask: Any) -> None:
    seen = []
    fun = decay
    result = tv.optimize.least_squares(
        fun, start, bounds=bounds, args=(noisy_decay(),), ftol=1e-12, xtol=1e-12,
        callback=lambda state: seen.append(state.x),
    )  # fmt: skip
    assert result.success
    np.testing.assert_allclose(result.x, x, rtol=1e-6)
    assert result.active_mask.tolist() == mask
    assert all(np.all((at >= bounds[0]) & (at <= bounds[1])) for at in seen)


def test_bounds_of_a_dataclass_or_a_nest_are_those_of_pairs() -> None:
    def fun(x: Any) -> Any:
        return tv.stack([x["a"] - 3.0, x["b"] + 2.0])

    start = {"a": 0.5, "b": 0.5}
    nested = tv.optimize.least_squares(fun, start, bounds=({"a": 0.0, "b": 0.0}, 1.0))
    told = tv.optimize.least_squares(fun, start, bounds=tv.optimize.Bounds(0.0, 1.0))
    assert nested.x == told.x == {"a": 1.0, "b": 0.0}
    assert nested.active_mask == {"a": 1, "b": -1}


def test_jac_and_kwargs_are_used() -> None:
    def fun(x: Any, scale: Any, *, of: Any) -> Any:
        return scale * (x - of)

    def jac(x: Any, scale: Any, *, of: Any) -> Any:
        return scale * tv.eye(2)

    result = tv.optimize.least_squares(
        fun, [0.0, 0.0], jac, args=(2.0,), kwargs={"of": np.array([1.0, 5.0])}
    )
    np.testing.assert_allclose(result.x, [1.0, 5.0])
    np.testing.assert_array_equal(result.jac, 2.0 * np.eye(2))


@pytest.mark.parametrize("scale", [2.0, [1.0, 10.0]])
def test_x_scale_may_be_numbers(scale: Any) -> None:
    result = tv.optimize.least_squares(
        lambda x: tv.stack([x[0] - 1.0, 10.0 * (x[1] - x[0] ** 2)]), [-1.2, 1.0], x_scale=scale
    )
    np.testing.assert_allclose(result.x, [1.0, 1.0])


def test_a_loss_of_ones_own_has_derived_derivatives() -> None:
    named, own = (
        tv.optimize.least_squares(
            decay, [1.0, 1.0, 0.1], args=(noisy_decay(),), f_scale=0.1, loss=loss
        )
        for loss in ("cauchy", tv.log1p)
    )
    np.testing.assert_allclose(own.x, named.x, rtol=1e-9)


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_a_singular_jacobian_is_no_trouble(m: int) -> None:
    # Fewer residuals than parameters, or all of them the same.
    result = tv.optimize.least_squares(
        lambda x: (x[0] + 2.0 * x[1] - 4.0) * tv.ones(m), [0.0, 0.0, 1.0]
    )
    assert result.success
    np.testing.assert_allclose(result.x[0] + 2.0 * result.x[1], 4.0)
    assert result.x[2] == 1.0


def test_the_status_is_scipys() -> None:
    def fun(x: Any) -> Any:
        return x - 1.0

    def rosenbrock(x: Any) -> Any:
        return tv.stack([1.0 - x[0], 10.0 * (x[1] - x[0] ** 2)])

    start = [-1.2, 1.0]
    assert tv.optimize.least_squares(fun, start, ftol=None, xtol=None).status == 1
    assert tv.optimize.least_squares(rosenbrock, start, max_nfev=3).status == 0
    nowhere = tv.optimize.least_squares(lambda x: tv.log(x), [-1.0, 1.0])
    assert (nowhere.status, nowhere.success) == (-3, False)
    assert nowhere.message == status.MESSAGES[status.NOT_FINITE]


def test_least_squares_goes_on_from_a_state() -> None:
    dataset, fun = DATASETS["MGH09"], residuals_of("MGH09")
    args = (dataset.x, dataset.y)
    whole = tv.optimize.least_squares(fun, dataset.starts[0], args=args)
    half = tv.optimize.least_squares(fun, dataset.starts[0], args=args, max_nfev=20)
    rest = tv.optimize.least_squares(fun, state=half.state, args=args)
    assert (half.status, half.nit, rest.nit) == (0, 19, whole.nit)
    np.testing.assert_array_equal(rest.x, whole.x)


def test_a_trial_that_is_nan_shrinks_the_radius() -> None:
    result = tv.optimize.least_squares(lambda x: tv.sqrt(x) - 0.1, [4.0], options={"factor": 100.0})
    np.testing.assert_allclose(result.x, [0.01], rtol=1e-5)
    assert result.njev < result.nfev


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"loss": "cauchi"}, "there is no loss 'cauchi'; .* Did you mean 'cauchy'"),
        ({"method": "newton"}, "there is no method 'newton'; there are trf, dogbox, lm"),
        ({"jac": "4-point"}, "jac is '4-point'"),
        ({"x_scale": "jak"}, "x_scale is 'jak'"),
    ],
)
def test_least_squares_says_which_choices_there_are(arguments: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        tv.optimize.least_squares(lambda x: x, [1.0], **arguments)
