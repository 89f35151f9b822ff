"""Solvers as graphs: each a compiled loop whose expensive part runs only in the steps that need it.

Examples
--------
>>> import thunkvm as tv
>>> result = tv.optimize.minimize(lambda x: tv.sum((x - 1.0) ** 2), [3.0, 4.0],
...                               method="gradient_descent")
>>> result.x.round(4), result.success
(array([1., 1.]), True)
"""

from thunkvm.optimize import status
from thunkvm.optimize.bfgs import bfgs
from thunkvm.optimize.bounds import Bounds
from thunkvm.optimize.gradient_descent import gradient_descent
from thunkvm.optimize.lbfgs import lbfgs
from thunkvm.optimize.line_search import Search, backtracking, strong_wolfe
from thunkvm.optimize.method import Method, Number, PerElement, number
from thunkvm.optimize.minimize import minimize
from thunkvm.optimize.nonlinear_cg import nonlinear_cg
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.solver import Solver

__all__ = [
    "Bounds", "Method", "Number", "OptimizeResult", "PerElement", "Problem", "Search", "Solver",
    "backtracking", "bfgs", "gradient_descent", "lbfgs", "minimize", "nonlinear_cg", "number",
    "status", "strong_wolfe",
]  # fmt: skip
