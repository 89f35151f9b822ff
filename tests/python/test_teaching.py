"""Names and habits of NumPy, SciPy, Theano, JAX and torch: each message says what to write."""

from __future__ import annotations

import inspect
import math
import pickle
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.teaching import elsewhere

x, y, v, m = tv.scalar("x"), tv.scalar("y"), tv.vector("v"), tv.matrix("m")
a, rng = np.zeros(3), np.random.default_rng(0)


def assign_number() -> None:
    a[0] = x


def assign_row() -> None:
    a[1:] = v


def scipy_function(name: str, module: str, asks: str = "True") -> Callable[..., Any]:
    """A function of a module of SciPy's, which is not among what the tests need: as it is there."""
    code = f"def {name}(*args):\n    return [np.asarray(arg) for arg in args if {asks}]\n"
    made = types.ModuleType(module)
    vars(made)["np"] = np
    exec(code, vars(made))
    return getattr(made, name)


solve = scipy_function("solve", "scipy.linalg._basic")
logsumexp = scipy_function("logsumexp", "scipy.special._logsumexp", "np.iterable(arg)")
ndimage_label = scipy_function("label", "scipy.ndimage._measurements")

MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (assign_number, "instead of `a[0] = x` write `a = tv.as_variable(a)[0].set(x)`"),
    (assign_row, "instead of `a[1:] = v` write `a = tv.as_variable(a)[1:].set(v)`"),
    (lambda: math.sin(x), "Instead of `math.sin(x)` write tv.sin."),
    (lambda: math.lgamma(x), "Instead of `math.lgamma(x)` write tv.gammaln."),
    (lambda: rng.normal(x), "Instead of `rng.normal(x)` draw random numbers outside"),
    (lambda: np.array([x, y]), "write tv.constant(values), or tv.stack([x, y]) where some of them"),
    (lambda: np.asarray(v), "Instead of `np.asarray(v)` write tv.as_variable."),
    (lambda: solve(m, v), "Instead of `solve(m, v)` write tv.solve."),
    (lambda: logsumexp(v), "Instead of `logsumexp(v)` write tv.logsumexp."),
    (lambda: logsumexp(x), "Instead of `logsumexp(x)` write tv.logsumexp."),
    (lambda: v.__array_namespace__(), "cannot become an ndarray"),
    (lambda: np.linalg.vector_norm(v), "np.linalg.vector_norm has no counterpart for Variables; w"),
    (lambda: np.linalg.matmul(m, m), "no counterpart for Variables; write tv.matmul."),
    (lambda: np.linalg.cond(m), "no counterpart for Variables; build it from functions that have"),
    (lambda: np.linalg.eigvals(m), "an Op with a perform that calls np.linalg.eigvals: see tv.Op"),
    (lambda: ndimage_label(v), "an Op with a perform that calls it: see tv.Op"),
    (lambda: float(x), "Make a function that computes it: tv.function(inputs, x)"),
    (lambda: f"{x:.2f}", "cannot be formatted as '.2f': it has no value before the function runs"),
    (lambda: np.sort(v), "np.sort has no counterpart for Variables; write an Op with a perform"),
    (lambda: np.copysign(x, y), "write tv.where(y < 0, -tv.abs(x), tv.abs(x))"),
    (lambda: np.interp(x, [0.0], [0.0]), "np.interp has no counterpart for Variables"),
    (lambda: np.exp(x, out=np.zeros(())), "np.exp on a Variable takes no out=; leave it out"),
    (lambda: np.maximum.reduce(v, initial=0.0), "takes no initial=; write tv.maximum"),
    (lambda: np.sum(v, where=[True]), "'where'; write tv.where(mask, x, other)"),
    (lambda: tv.function([x], x, allow_input_downcast=True), "it is called 'allow_downcast' here"),
    (lambda: tv.clip(x, a_min=0.0), "it is called 'min' here"),
    (lambda: tv.norm(v, keepdims=True), "write tv.expand_dims(result, axis)"),
    (lambda: v.sum(dim=0), "it is called 'axis' here"),
    (lambda: tv.exp(x, out=y), "[exp] has no attribute 'out'; leave it out"),
    (lambda: tv.ops.sum(v, dim=0), "[sum] has no attribute 'dim'; it is called 'axis' here"),
    (lambda: tv.ops.sum(v, axxis=0), "did you mean 'axis'?"),
    (lambda: tv.sum(v, axxis=0), "Did you mean 'axis'?"),
    (lambda: tv.reshape(v, (1,), nonsense=1), "it takes x, shape"),
    (lambda: tv.grad(lambda x: x * x), "grad takes Variables, not functions of them"),
    (lambda: tv.grad(lambda x: x * x, x), "call the function on Variables, and give what it"),
    (lambda: max(x, y), "Instead of `max(x, y)` write tv.maximum(x, y), or tv.max(x) of an array"),
    (lambda: min([x, y]), "Instead of `min([x, y])` write tv.minimum(x, y)"),
    (lambda: any(c for c in (x > 0, y > 0)), "write tv.or_(x, y), or tv.any(x) of an array"),
    (lambda: sorted([x, y]), "Instead of `sorted([x, y])` write an Op with a perform that calls"),
    (lambda: 1.0 if x > 0 else 2.0, "`tv.ifelse(condition, a, b)`"),
    (lambda: tv.ifelse(x > 0, lambda: x, lambda: y), "call it, and give what it returns"),
]


@pytest.mark.parametrize(("mistake", "told"), MISTAKES)
def test_a_mistake_is_told_what_to_write(mistake: Callable[[], Any], told: str) -> None:
    with pytest.raises(TypeError) as error:
        mistake()
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("owner", "name", "told"),
    [
        (tv, "asin", "thunkvm has no 'asin'; write tv.arcsin"),
        (tv, "Print", "write tv.print_"),
        (tv, "PdbBreakpoint", "write tv.breakpoint_"),
        (tv, "RandomStream", "draw random numbers outside"),
        (tv, "OpFromGraph", "write a Python function that makes the outputs"),
        (tv, "DisconnectedType", "write None for that input"),
        (tv, "wrap_py", "write tv.as_op"),
        (tv, "T", "the functions are in thunkvm itself"),
        (tv, "lax", "lax.cond is tv.ifelse"),
        (tv, "reshpe", "Did you mean 'reshape'?"),
        (tv.tensor, "dot", "tv.tensor makes a Variable; write tv.dot"),
        (tv.tensor, "nnet", "the functions are in thunkvm itself"),
        (tv, "linalg", "the functions are in thunkvm itself"),
        (tv, "eigh", "np.linalg.eigh: see tv.Op"),
        (x, "eval", "<x: scalar float64> has no 'eval'; write tv.function(inputs, x)(*values)"),
        (x, "item", "write tv.function(inputs, x)(*values)"),
        (v, "dimshuffle", "write tv.transpose(x, axes), and x[:, None] for a new axis"),
        (v, "detach", "write tv.stop_gradient"),
        (v, "reshpe", "Did you mean 'reshape'?"),
    ],
)
def test_a_name_that_is_not_there_is_told_what_to_write(owner: Any, name: str, told: str) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(owner, name)
    assert told in str(error.value)


def test_attributes_that_refuse_say_why_themselves() -> None:
    with pytest.raises(AttributeError, match="is no constant, so it has no value"):
        _ = x.value
    assert not hasattr(x, "no_such_name")
    assert not hasattr(x, "__array_interface__")


def test_the_expression_is_the_users_whatever_its_lines_and_letters() -> None:
    with pytest.raises(TypeError, match=re.escape("Instead of `math.exp(x)` write tv.exp.")):
        math.exp(
            x,
        )
    é = {"é": np.zeros((2, 2))}
    with pytest.raises(TypeError, match=re.escape("instead of `é['é'][0, 1] = x` write")):
        é["é"][0, 1] = x


def test_without_source_a_message_says_more_in_general() -> None:
    with pytest.raises(TypeError, match=r"of numbers' functions, such as math.sin, write ours"):
        exec("math.sin(x)", {"math": math, "x": x})


def test_what_is_told_to_write_is_there() -> None:
    texts = [
        *elsewhere.INSTEAD.values(),
        *elsewhere.ATTRIBUTES.values(),
        *elsewhere.TRUTHS.values(),
    ]
    texts += [*elsewhere.KEYWORDS_INSTEAD.values(), *map(elsewhere.advice, elsewhere.RENAMED)]
    told = set(re.findall(r"\btv\.(\w+)", " ".join(texts)))
    assert len(told) > 30
    assert told - set(tv.__all__) == set()


def test_names_that_we_have_are_not_answered_with_others() -> None:
    names = {*elsewhere.RENAMED, *elsewhere.INSTEAD}
    assert names & set(tv.__all__) == set()
    assert set(elsewhere.ATTRIBUTES) & set(dir(tv.Variable)) == set()
    assert set(elsewhere.RENAMED) & set(elsewhere.INSTEAD) == set()


def test_keywords_are_those_of_our_functions() -> None:
    ours = {
        parameter
        for name in tv.__all__
        if callable(function := getattr(tv, name)) and not isinstance(function, type)
        for parameter in inspect.signature(function).parameters
    }
    assert set(elsewhere.KEYWORDS.values()) - ours == set()


def test_functions_that_teach_are_pickled_and_documented_as_before() -> None:
    for function in (tv.sum, tv.ifelse, tv.function, tv.tensor):
        assert pickle.loads(pickle.dumps(function)) is function
    assert str(inspect.signature(tv.clip)).startswith("(x")
    assert tv.clip.__module__ == "thunkvm._src.arrays.elementwise"
    assert tv.clip.__doc__.startswith("Limit the elements")


def test_a_type_error_inside_of_a_function_is_left_alone() -> None:
    with pytest.raises(TypeError) as error:
        tv.reshape(v, "two")
    assert "it takes" not in str(error.value)
