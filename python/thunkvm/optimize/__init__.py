"""Solvers as graphs: each a compiled loop whose expensive part runs only in the steps that need it.

Examples
--------
>>> import thunkvm as tv
>>> result = tv.optimize.minimize(lambda x: tv.sum((x - 1.0) ** 2), [3.0, 4.0])
>>> result.x.round(4), result.success
(array([1., 1.]), True)
"""

from thunkvm.optimize import status
from thunkvm.optimize.adam import adam
from thunkvm.optimize.anderson import anderson, anderson_mixing
from thunkvm.optimize.bfgs import bfgs
from thunkvm.optimize.bisection import bisection
from thunkvm.optimize.bounds import Bounds
from thunkvm.optimize.brent_minimum import brent_minimum
from thunkvm.optimize.brent_root import brent_root
from thunkvm.optimize.chains import Chain
from thunkvm.optimize.draws import Numbers, Recorded
from thunkvm.optimize.fista import fista
from thunkvm.optimize.gradient_descent import gradient_descent
from thunkvm.optimize.hmc import hmc
from thunkvm.optimize.implicit import implicit
from thunkvm.optimize.initial_values import ode_steps, solve_ivp
from thunkvm.optimize.lbfgs import lbfgs
from thunkvm.optimize.lbfgsb import lbfgsb
from thunkvm.optimize.least_squares import least_squares
from thunkvm.optimize.levenberg_marquardt import levenberg_marquardt
from thunkvm.optimize.line_search import Search, backtracking, first_rate, strong_wolfe
from thunkvm.optimize.many import minimize_many
from thunkvm.optimize.method import Method, Number, PerElement, number
from thunkvm.optimize.metropolis import metropolis
from thunkvm.optimize.minimize import minimize
from thunkvm.optimize.nelder_mead import nelder_mead
from thunkvm.optimize.newton_cg import newton_cg
from thunkvm.optimize.newton_root import newton_root
from thunkvm.optimize.nonlinear_cg import nonlinear_cg
from thunkvm.optimize.ode_result import OdeResult, OdeSolution
from thunkvm.optimize.ode_solver import OdeState
from thunkvm.optimize.one_number import bisect, brent, newton, scalar_minimum
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.proximal import project, soft_threshold
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.root import root
from thunkvm.optimize.root_scalar import minimize_scalar, root_scalar
from thunkvm.optimize.solver import Solver
from thunkvm.optimize.trajectories import Trajectory, integrate
from thunkvm.optimize.trust_region import trust_region

__all__ = [
    "Bounds", "Chain", "Method", "Number", "Numbers", "OdeResult", "OdeSolution", "OdeState",
    "OptimizeResult", "PerElement", "Problem", "Recorded", "Search", "Solver", "Trajectory", "adam",
    "anderson", "anderson_mixing", "backtracking", "bfgs", "bisect", "bisection", "brent",
    "brent_minimum", "brent_root", "first_rate", "fista", "gradient_descent", "hmc", "implicit",
    "integrate", "lbfgs", "lbfgsb", "least_squares", "levenberg_marquardt", "metropolis",
    "minimize", "minimize_many", "minimize_scalar", "nelder_mead", "newton", "newton_cg",
    "newton_root", "nonlinear_cg", "number", "ode_steps", "project", "root", "root_scalar",
    "scalar_minimum", "soft_threshold", "solve_ivp", "status", "strong_wolfe", "trust_region",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return the names that users need, for tab completion."""
    return [*__all__]
