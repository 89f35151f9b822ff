"""The docstrings of the solvers: units, the source of the method, an example, shapes."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.graph.structure import children

N = 7
#: What letters and words stand for in shapes.
LENGTHS = {"n": N, "m": 2 * N, "memory": 10, "min": min}
METHODS = [
    tv.optimize.gradient_descent(),
    tv.optimize.nonlinear_cg(),
    tv.optimize.bfgs(),
    tv.optimize.lbfgs(),
    tv.optimize.lbfgsb(),
    tv.optimize.newton_cg(),
    tv.optimize.trust_region(subproblem="dogleg"),
    tv.optimize.levenberg_marquardt(),
    tv.optimize.nelder_mead(),
    tv.optimize.adam(),
    tv.optimize.fista(),
]


def shapes_said(text: str) -> dict[str, tuple[int, ...]]:
    """Return the shapes that a docstring says of the values of a state, those of 0-d left out."""
    said = re.search(r"A state has (.*?0-d)", text, re.DOTALL)
    assert said is not None
    pairs = re.findall(r"``(\w+)``\s+(\((?:[^()]|\([^()]*\))*\))", said[1])
    return {name: eval(shape, {"__builtins__": {}}, LENGTHS) for name, shape in pairs}


def shapes_of(state: Any) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the values of a state by name, those of 0-d left out."""
    found: dict[str, tuple[int, ...]] = {}
    for name, value in zip(state._fields, state, strict=True):
        if children(value) is not None:
            found |= shapes_of(value)
        elif np.shape(value) != ():
            found[name] = np.shape(value)
    return found


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_the_docstring_of_a_solver_says_the_shapes_of_its_state(method: Any) -> None:
    def value(x: Any) -> Any:
        return tv.sum((x - 1.0) ** 2)

    def residuals(x: Any) -> Any:
        return tv.concatenate([x - 1.0, x**2])

    fun = residuals if isinstance(method, tv.optimize.levenberg_marquardt) else value
    state = next(iter(tv.optimize.Solver(fun, method, mode="vm").steps(np.zeros(N))))
    assert shapes_said(inspect.getdoc(type(method)) or "") == shapes_of(state)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_the_docstring_of_a_solver_has_its_source_units_and_an_example(method: Any) -> None:
    text = inspect.getdoc(type(method)) or ""
    assert [
        word for word in ("References", "Examples", ">>> ", "It ends") if word not in text
    ] == []
    assert re.search(r"[12]\d{3}", text[text.index("References") :])
    assert method.maxiter is None or "maxiter : int" in text
