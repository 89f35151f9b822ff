"""The frame of `tv.optimize`: one compiled loop, the same steps one by one, and how they end."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest
from python_ops import op

import thunkvm as tv
from thunkvm.optimize import status
from thunkvm.optimize.program import program_for

METHOD = "gradient_descent"


def bowl(x: Any) -> tv.Variable:
    return tv.sum((x - tv.constant([1.0, 2.0])) ** 2 * tv.constant([1.0, 3.0]))


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "FAST_COMPILE", "FAST_RUN"])
def test_minimize_ends_at_the_least_value_in_all_modes(mode: str) -> None:
    result = tv.optimize.minimize(bowl, [0.0, 0.0], method=METHOD, mode=mode)
    np.testing.assert_allclose(result.x, [1.0, 2.0], atol=1e-5)
    assert (result.success, result.status) == (True, 0)
    assert (result.nfev, result["nit"]) == (result.nit + 1, result.nit)


def test_minimize_gives_a_nest_to_fun_and_in_the_result() -> None:
    def fun(x: Any) -> tv.Variable:
        assert (x["a"].ndim, x["b"][0].ndim) == (2, 0)
        return tv.sum((x["a"] - 3.0) ** 2) + (x["b"][0] - 4.0) ** 2

    result = tv.optimize.minimize(fun, {"a": np.zeros((2, 2)), "b": [{}, 0.0][1:]}, method=METHOD)
    np.testing.assert_allclose(result.x["a"], np.full((2, 2), 3.0), atol=1e-5)
    np.testing.assert_allclose(result.x["b"][0], 4.0, atol=1e-5)


def test_minimize_takes_a_number() -> None:
    result = tv.optimize.minimize(lambda x: (x - 2.0) ** 2, 0.0, method=METHOD)
    assert np.shape(result.x) == ()
    np.testing.assert_allclose(result.x, 2.0, atol=1e-5)


def test_minimize_compiles_once_for_other_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    def fun(x: Any, a: Any) -> tv.Variable:
        return tv.sum((x - a["of"]) ** 2)

    made = []
    link = tv._core.link
    monkeypatch.setattr(tv._core, "link", lambda *given: made.append(1) or link(*given))
    options = {"gtol": 1e-6}
    tv.optimize.minimize(fun, [0.0, 0.0], ({"of": [1.0, 2.0]},), METHOD, options=options)
    assert len(made) == 1
    options = {"gtol": 1e-8, "maxiter": 77, "rate": 0.1}
    result = tv.optimize.minimize(fun, [9.0, 3.0], ({"of": [5.0, 6.0]},), METHOD, options=options)
    assert len(made) == 1
    np.testing.assert_allclose(result.x, [5.0, 6.0], atol=1e-7)


def test_steps_are_those_of_the_loop() -> None:
    solver = tv.optimize.Solver(bowl, tv.optimize.gradient_descent())
    states = list(solver.steps([0.0, 0.0]))
    result = solver.run([0.0, 0.0])
    assert [int(state.nit) for state in states] == list(range(result.nit + 1))
    np.testing.assert_array_equal(states[-1].x, result.x)
    for a, b in zip(states[-1], result.state, strict=True):
        np.testing.assert_array_equal(a, b)


def test_steps_go_on_from_a_saved_state() -> None:
    solver = tv.optimize.Solver(bowl, tv.optimize.gradient_descent())
    states = list(solver.steps([0.0, 0.0]))
    rest = list(solver.steps(state=states[2]))
    assert len(rest) == len(states) - 3
    np.testing.assert_array_equal(rest[-1].x, states[-1].x)


def test_minimize_goes_on_from_the_state_of_a_result() -> None:
    half = tv.optimize.minimize(bowl, [0.0, 0.0], method=METHOD, options={"maxiter": 3})
    assert (half.status, half.success, half.nit) == (status.MAXITER, False, 3)
    whole = tv.optimize.minimize(bowl, [0.0, 0.0], method=METHOD)
    rest = tv.optimize.minimize(bowl, method=METHOD, state=half.state)
    np.testing.assert_array_equal(rest.x, whole.x)
    assert rest.nit == whole.nit
    assert half.nfev + rest.nfev == whole.nfev


def test_minimize_runs_no_step_from_a_state_at_the_solution() -> None:
    done = tv.optimize.minimize(bowl, [0.0, 0.0], method=METHOD)
    again = tv.optimize.minimize(bowl, method=METHOD, state=done.state)
    assert (again.nit, again.nfev, again.success) == (done.nit, 0, True)


def test_callback_gets_each_step_and_ends_by_stop_iteration() -> None:
    seen = []

    def callback(state: Any) -> None:
        seen.append(int(state.nit))
        if len(seen) == 2:
            raise StopIteration

    result = tv.optimize.minimize(bowl, [0.0, 0.0], method=METHOD, callback=callback)
    assert seen == [1, 2]
    assert (result.status, result.nit) == (status.STOPPED, 2)
    assert "StopIteration" in result.message
    assert (result.nfev, result.success) == (3, False)


class Bar:
    """What `minimize` asks of tqdm's bar."""

    shown: list[tuple[int, str]] = []

    def __init__(self, unit: str) -> None:
        assert unit == "step"
        self.n, self.text = 0, ""

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.shown.append((-1, "closed"))

    def set_postfix_str(self, text: str, refresh: bool) -> None:
        self.text = text

    def refresh(self) -> None:
        self.shown.append((self.n, self.text))


def test_progress_shows_each_step_in_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setattr(Bar, "shown", [])
    result = tv.optimize.minimize(bowl, [0.0, 0.0], method=METHOD, progress=True)
    plain = tv.optimize.minimize(bowl, [0.0, 0.0], method=METHOD)
    assert [n for n, _ in Bar.shown] == [*range(result.nit + 1), -1]
    assert Bar.shown[0] == (0, "fun=13")
    np.testing.assert_array_equal(result.x, plain.x)


def test_progress_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match=r"needs tqdm, .* pip install tqdm"):
        tv.optimize.minimize(bowl, [0.0, 0.0], method=METHOD, progress=True)


@pytest.mark.parametrize("mode", ["py", "cvm", "FAST_RUN"])
def test_minimize_ends_with_a_status_where_fun_is_nan(mode: str) -> None:
    result = tv.optimize.minimize(lambda x: tv.sum(tv.log(x)), [-1.0], method=METHOD, mode=mode)
    assert (result.status, result.nit) == (status.NOT_FINITE, 0)
    assert "not finite" in result.message


def refuses_below(least: float) -> Any:
    """An Op that raises where an element of its input is less than that."""

    def perform(self: Any, node: Any, inputs: Any, output_storage: Any) -> None:
        if inputs[0].min() < least:
            raise ArithmeticError(f"less than {least}")
        output_storage[0][0] = inputs[0] * 1.0

    return op(perform, grad=lambda self, inputs, gradients: [gradients[0] * 1.0])


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "FAST_RUN"])
def test_minimize_ends_with_a_status_where_a_step_raises(mode: str) -> None:
    checked = refuses_below(0.0)
    options = {"maxiter": 100}

    def fun(x: Any) -> tv.Variable:
        return tv.sum(checked(x))

    result = tv.optimize.minimize(fun, [2.5, 7.0], method=METHOD, options=options, mode=mode)
    assert (result.status, result.nit) == (status.RAISED, 1)
    np.testing.assert_array_equal(result.x, [1.5, 6.0])
    assert result.message.endswith("ArithmeticError: less than 0.0")
    with pytest.raises(ArithmeticError, match="less than"):
        tv.optimize.minimize(fun, [2.5, 7.0], method=METHOD, options={"raise": True}, mode=mode)


def test_minimize_ends_with_a_status_where_the_start_raises() -> None:
    checked = refuses_below(0.0)
    result = tv.optimize.minimize(lambda x: tv.sum(checked(x)), [-1.0], method=METHOD)
    assert (result.status, result.nit) == (status.RAISED, 0)
    np.testing.assert_array_equal(result.x, [-1.0])
    assert result.message.endswith("ArithmeticError: less than 0.0")


def test_minimize_takes_the_gradient_of_the_user() -> None:
    def jac(x: Any) -> tv.Variable:
        return 2.0 * tv.counted(x, "mine")

    result = tv.optimize.minimize(lambda x: tv.sum(x**2), [3.0, 4.0], method=METHOD, jac=jac)
    np.testing.assert_allclose(result.x, [0.0, 0.0], atol=1e-5)
    both = tv.optimize.minimize(
        lambda x: (tv.sum(x**2), 2.0 * x), [3.0, 4.0], method=METHOD, jac=True
    )
    np.testing.assert_array_equal(both.x, result.x)


def test_minimize_takes_a_graph_and_values_of_its_variables() -> None:
    x, y, a = tv.vector("x"), tv.scalar("y"), tv.scalar("a")
    cost = tv.sum((x - a) ** 2) + (y - x[0]) ** 2
    for value in (2, 3.5):
        result = tv.optimize.minimize(cost, {x: [0.0, 1.0], y: 9.0}, args={a: value})
        np.testing.assert_allclose(result.x[x], [value, value], atol=1e-5)
        np.testing.assert_allclose(result.x[y], value, atol=1e-5)
    with pytest.raises(TypeError, match="have to be dicts from its Variables"):
        tv.optimize.minimize(cost, [0.0, 1.0])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"method": "bfgz"}, ValueError, "there is no method 'bfgz'"),
        ({"options": {"gtoll": 1.0}}, TypeError, "no option 'gtoll'.*Did you mean 'gtol'"),
        ({"bounds": [(0.0, 1.0)] * 2}, ValueError, "gradient_descent takes no bounds"),
        ({"x0": None}, TypeError, "give either x0 or a state"),
        ({"x0": ["a", 1.0]}, TypeError, r"x0\[0\] is 'a'"),
    ],
)
def test_minimize_refuses(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tv.optimize.minimize(**{"fun": bowl, "x0": [0.0, 0.0], "method": METHOD, **given})


def test_minimize_refuses_a_vector() -> None:
    with pytest.raises(TypeError, match="it has to be a single value"):
        tv.optimize.minimize(lambda x: x * 2.0, [1.0, 2.0], method=METHOD)


def test_a_program_is_kept_by_function_method_and_types() -> None:
    from thunkvm.optimize.nests import Nest
    from thunkvm.optimize.program import Question

    method = tv.optimize.gradient_descent
    question, nest = Question(bowl, method()), Nest.of(np.zeros(2))

    def found(question: Question, nest: Nest, args: tuple[Any, ...]) -> Any:
        with program_for(question, nest, args) as program:
            return program

    kept = found(question, nest, (1.0,))
    assert found(Question(bowl, method(gtol=1e-9)), Nest.of(np.ones(2)), (2.0,)) is kept
    assert found(question, Nest.of(np.zeros(3)), (1.0,)) is not kept
    assert found(question, nest, (1,)) is not kept
    assert found(Question(bowl, method(), mode="vm"), nest, (1.0,)) is not kept
    with program_for(question, nest, (1.0,)) as first:  # it is in use by one call alone
        assert found(question, nest, (1.0,)) is not first
