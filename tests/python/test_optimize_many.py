"""`minimize_many`: many starts, each with a control flow of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.optimize import status


def rosenbrock(x: Any) -> tv.Variable:
    return tv.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


STARTS = np.random.default_rng(0).uniform(-2.0, 2.0, (40, 3))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_results_are_those_of_each_start_alone(workers: int) -> None:
    results = tv.optimize.minimize_many(rosenbrock, STARTS, workers=workers)
    for start, result in zip(STARTS, results, strict=True):
        alone = tv.optimize.minimize(rosenbrock, start)
        np.testing.assert_array_equal(result.x, alone.x)
        assert (result.nit, result.nfev, result.njev) == (alone.nit, alone.nfev, alone.njev)


def test_starts_take_the_steps_that_each_of_them_needs() -> None:
    results = tv.optimize.minimize_many(rosenbrock, [np.ones(3), *STARTS])
    assert (results[0].nit, results[0].nfev, results[0].njev) == (0, 1, 1)
    assert len({result.nit for result in results}) > 5


def test_one_that_fails_is_a_result_that_says_so() -> None:
    def fun(x: Any) -> tv.Variable:
        return tv.sum(x**2) - tv.log(x[0] + 1.0)

    given: list[Any] = [[1.0, 1.0], [-3.0, 1.0], "abc", [0.5, 0.5]]
    good, nan, wrong, last = tv.optimize.minimize_many(fun, given, workers=2)
    assert good.success
    assert last.success
    assert (nan.status, nan.success) == (status.NOT_FINITE, False)
    assert (wrong.status, wrong.success, wrong.x) == (status.RAISED, False, "abc")
    assert "it has to be a real number" in wrong.message
    assert (np.isnan(wrong.fun), wrong.nit, wrong.nfev) == (True, 0, 0)


def test_bounds_and_args_are_those_of_all_starts() -> None:
    results = tv.optimize.minimize_many(
        lambda x, a: tv.sum((x - a) ** 2),
        [[0.0, 0.0], [0.1, 0.2]],
        args=(np.array([0.5, 3.0]),),
        bounds=[(0.0, 1.0)] * 2,
    )
    for result in results:
        np.testing.assert_allclose(result.x, [0.5, 1.0], atol=1e-6)


def test_no_starts_are_no_results() -> None:
    assert tv.optimize.minimize_many(rosenbrock, []) == []


def test_an_exception_passes_if_asked() -> None:
    with pytest.raises(TypeError, match="real number"):
        tv.optimize.minimize_many(rosenbrock, ["abc"], options={"raise": True})
