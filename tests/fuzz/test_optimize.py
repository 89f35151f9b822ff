"""Random problems: each solver ends where its steps, one at a time, end, with the same counts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.optimize.solver import begun

MINIMIZERS = [
    tv.optimize.gradient_descent, tv.optimize.nonlinear_cg, tv.optimize.bfgs, tv.optimize.lbfgs,
    tv.optimize.lbfgsb, tv.optimize.newton_cg, tv.optimize.trust_region, tv.optimize.adam,
    tv.optimize.nelder_mead, tv.optimize.fista, tv.optimize.levenberg_marquardt,
]  # fmt: skip
COUNTS = "nfev", "njev", "nhev"


def residuals(x: Any, matrix: Any, target: Any, bend: Any) -> Any:
    """Return those of a line, which `bend` makes a curve."""
    return matrix @ x - target + bend * tv.sin(x[0] * x[-1])


def sum_of_squares(x: Any, matrix: Any, target: Any, bend: Any) -> Any:
    """Return half the sum of squares, a quadratic where `bend` is 0."""
    return 0.5 * tv.sum(residuals(x, matrix, target, bend) ** 2)


def draw_problem(chance: random.Random) -> tuple[list[float], tuple[Any, ...]]:
    """Return a starting point, and the arguments of the residuals."""
    n = chance.randint(1, 4)
    m = n + chance.randint(0, 3)
    draws = np.random.default_rng(chance.randrange(1 << 30))
    matrix = draws.normal(size=(m, n)) + np.eye(m, n)
    bend = chance.choice([0.0, 0.0, 0.3, 2.0])
    return list(draws.normal(size=n)), (matrix, draws.normal(size=m), bend)


@pytest.mark.parametrize("kind", MINIMIZERS, ids=lambda kind: kind.__name__)
def test_steps_and_loops_of_a_solver_agree(kind: Any, fuzz_graphs: int, fuzz_seed: int) -> None:
    fun = residuals if kind is tv.optimize.levenberg_marquardt else sum_of_squares
    for seed in range(fuzz_seed, fuzz_seed + max(fuzz_graphs // 100, 2)):
        chance = random.Random(seed)
        x0, args = draw_problem(chance)
        box = None
        if kind.bounded and chance.randrange(2):
            low = np.array(x0) - chance.random()
            box = low, low + chance.choice([0.5, 3.0, np.inf])
        solver = tv.optimize.Solver(fun, kind(maxiter=chance.choice([3, 40])), bounds=box)
        looped = solver.run(x0, args)
        with begun(solver, x0, args, None) as call:
            stepped = call.result(list(call.steps())[-1], False)
        for name in ("x", "fun", "status", "nit", *COUNTS):
            np.testing.assert_array_equal(looped.get(name), stepped.get(name), f"{seed} {name}")
        if box is not None:
            assert np.all((looped.x >= box[0]) & (looped.x <= box[1])), seed
        if looped.success and args[2] == 0.0 and box is None:
            best = np.linalg.lstsq(args[0], args[1], rcond=None)[0]
            np.testing.assert_allclose(looped.x, best, atol=2e-2, err_msg=str(seed))
