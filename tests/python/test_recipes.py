"""The recipes of the teaching table: each is run, and gives what its name stands for elsewhere."""

from __future__ import annotations

import ast
import math
import re
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.teaching import elsewhere

HALF = 0.5
PAIR, SIGNED = [2.0, 3.0], [-1.5, 0.0, 2.0]


def log(x: float) -> float:
    return math.log(x)


LOGISTIC = [1 / (1 + math.exp(-x)) for x in SIGNED]

#: What each name's recipe is given, and what it gives.
CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "binary_crossentropy": ({"y": [0.0, 1.0], "p": [0.25, 0.5]}, [-log(0.75), log(2)]),
    "binom": ({"n": [5.0, 4.0], "k": [2.0, 0.0]}, [10.0, 1.0]),
    "categorical_crossentropy": ({"y": [0.0, 1.0], "p": [0.75, 0.25]}, log(4)),
    "ceil_intdiv": ({"x": np.array([7, 8, -7]), "y": 4}, [2, 2, -1]),
    "complex": ({"x": PAIR, "y": [1.0, 0.0]}, [2 + 1j, 3]),
    "concat_with_broadcast": (
        {"x": [[1.0, 2.0]], "y": [[3.0, 4.0], [5.0, 6.0]], "axis": 0},
        [[1.0, 2.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
    ),
    "sumsqr": ({"x": PAIR}, 13.0),
    "nonzero_values": ({"x": [0.0, 2.0, 3.0]}, [2.0, 3.0]),
    "cummax": ({"x": [2.0, 3.0, 1.0], "axis": 0}, ([2.0, 3.0, 3.0], [2.0, 2.0, 1.0])),
    "diag_embed": ({"x": PAIR}, [[2.0, 0.0], [0.0, 3.0]]),
    "factorial": ({"n": [0.0, 4.0]}, [1.0, 24.0]),
    "inverse_permutation": ({"x": np.array([2, 0, 1])}, [1, 2, 0]),
    "ishermitian": ({"a": [[1.0, 2.0], [2.0, 1.0]]}, True),
    "log_expit": ({"x": SIGNED}, [log(p) for p in LOGISTIC]),
    "max_and_argmax": ({"x": PAIR, "axis": 0}, (3.0, 1)),
    "poch": ({"x": PAIR, "n": 2.0}, [6.0, 12.0]),
    "polar": ({"r": PAIR, "angle": 0.0}, [2 + 0j, 3 + 0j]),
    "round_half_away_from_zero": ({"x": [-1.5, HALF]}, [-2.0, 1.0]),
    "rsqrt": ({"x": [4.0]}, [HALF]),
}

#: Gradients of the sum of some at the points above, where a selection decides.
GRADIENTS: dict[str, dict[str, list[float]]] = {
    "cummax": {"x": [1.0, 2.0, 0.0]},
    "nonzero_values": {"x": [0.0, 1.0, 1.0]},
}

#: Composed texts that show where a name of ours goes, and have no numbers.
SHOWN = {
    "Param", "compile", "cross", "debug", "eval", "shift_left", "value_and_grad", "embedding",
    "index_select", "hessian_vector_product", "gradient", "SX",
}  # fmt: skip


def recipe(name: str) -> tuple[ast.Expression, str] | None:
    """The expression that is told for a name and what stands after its ``where``, if any."""
    found = re.search(r"write ([^:;]*?)(?: for [\w ]+)?(?:, where (.*))?$", told(name))
    found = found or re.search(r"write (.*?)(?: for [\w ]+)?(?:, where (.*))?$", told(name))
    try:
        return (ast.parse(found[1], mode="eval"), found[2] or "") if found else None
    except SyntaxError:
        return None


def told(name: str) -> str:
    return elsewhere.advice(name)


def composed() -> list[str]:
    """The names whose recipe is more than one call or operator; one for each text."""
    texts: dict[str, str] = {}
    known = {told(name) for name in [*CASES, *SHOWN]}
    for name in sorted(elsewhere.answers("functions")):
        if found := recipe(name):
            kinds = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare)
            steps = sum(isinstance(node, kinds) for node in ast.walk(found[0]))
            if steps > 1 and told(name) not in known:
                texts[told(name)] = name
    return list(texts.values())


def test_each_composed_recipe_has_a_case() -> None:
    assert composed() == []


@pytest.mark.parametrize("name", CASES)
def test_a_recipe_gives_what_its_name_stands_for(name: str) -> None:
    given, expected = CASES[name]
    expression, where = recipe(name) or pytest.fail(told(name))
    scope: dict[str, Any] = {"tv": tv, "np": np, "float": float}
    for key, value in given.items():
        if callable(value):
            scope[key] = value(scope["x"])
        elif isinstance(value, int):
            scope[key] = value
        else:
            scope[key] = tv.tensor(key, np.asarray(value).dtype.name, np.shape(value))
    if made := re.fullmatch(r"(\w) = (.*)", where):
        scope[made[1]] = eval(made[2], scope)
    body = expression.body  # "this and that" are two recipes
    parts = body.values if isinstance(body, ast.BoolOp) else [body]
    made_of = [eval(compile(ast.Expression(each), told(name), "eval"), scope) for each in parts]
    inputs = [scope[k] for k, value in given.items() if not isinstance(value, int)]
    inputs = [each for each in inputs if each.owner is None]
    values = [given[each.name] for each in inputs]
    results = tv.function(inputs, made_of)(*values)
    wanted = expected if isinstance(expected, tuple) else (expected,)
    for result, want in zip(results, wanted, strict=True):
        np.testing.assert_allclose(result, want, rtol=1e-12, atol=1e-300)
    floats = [each for each in inputs if each.dtype == "float64"]
    if made_of[0].dtype != "float64" or not floats:
        return
    gradients = tv.grad(tv.sum(made_of[0]), floats, disconnected_inputs="ignore")
    f = tv.function(inputs, gradients, on_unused_input="ignore")
    for each, result in zip(floats, f(*values), strict=True):
        assert np.all(np.isfinite(result)), each.name
        if (want := GRADIENTS.get(name, {}).get(each.name)) is not None:
            np.testing.assert_allclose(result, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["bool_", "byte", "double", "half", "intc", "uint", "csingle"])
def test_a_name_of_a_dtype_is_told_that_dtype(name: str) -> None:
    assert f'dtype="{np.dtype(getattr(np, name)).name}"' in told(name)


def test_a_product_with_the_hessian_is_told() -> None:
    x, v = tv.vector("x"), tv.vector("v")
    assert "tv.hvp(cost, x, v)" in told("hessian_vector_product")
    product = tv.hvp(tv.sum(x**3), x, v)
    np.testing.assert_allclose(tv.function([x, v], product)([1.0, 2.0], [1.0, 2.0]), [6.0, 24.0])
