"""What `tv.optimize` takes as x0, bounds, derivatives and states, and what it says of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MINIMIZE, ROOT, SQUARES = tv.optimize.minimize, tv.optimize.root, tv.optimize.least_squares
MANY = tv.optimize.minimize_many


def bowl(x: Any) -> tv.Variable:
    return tv.sum((x - 1.0) ** 2)


@pytest.mark.parametrize(
    "x0", [[0, 3], (0.0, 3.0), np.array([0, 3]), np.zeros((2, 2)), 5, np.array(5.0), [True, False]]
)
def test_minimize_takes_what_numpy_makes_an_array_of(x0: Any) -> None:
    result = MINIMIZE(bowl, x0)
    assert np.shape(result.x) == np.shape(x0)
    np.testing.assert_allclose(result.x, np.ones(np.shape(x0)), rtol=1e-6)


@pytest.mark.parametrize(
    ("solve", "error", "message"),
    [
        (lambda: MINIMIZE(bowl, []), ValueError, "x0 has no elements"),
        (lambda: SQUARES(lambda x: x, np.zeros(0)), ValueError, "x0 has no elements"),
        (lambda: MINIMIZE(bowl, {}), ValueError, "x0 has no elements"),
        (lambda: MINIMIZE(bowl, [[1, 2], [3]]), ValueError, "lists of different lengths"),
        (lambda: MINIMIZE(bowl, [1j]), TypeError, "has to be a real number"),
        (lambda: MINIMIZE(3.0, [0.0]), TypeError, "fun is 3.0: it has to be a function"),
        (lambda: MINIMIZE(lambda x: x[0] * 1j, [0.0]), TypeError, "complex: it has to be real"),
        (lambda: ROOT(lambda x: x * 1j, [0.0]), TypeError, "complex: it has to be real"),
        (
            lambda: MINIMIZE(bowl, [0.0], method=tv.optimize.bfgs),
            TypeError,
            r"the class with its options: bfgs\(\)",
        ),
        (lambda: MINIMIZE(bowl, [0.0], method=3), TypeError, r"method is 3 \(int\)"),
        (lambda: MINIMIZE(bowl, [1.0], callback=3), TypeError, "callback is 3, a int: .*function"),
        (lambda: MANY(bowl, None), TypeError, "starts is None, a NoneType; it has to be a list"),
        (lambda: MANY(bowl, [[0.0], [1.0]], workers="a"), TypeError, "workers is 'a'"),
    ],
)
def test_optimize_says_what_is_wrong(
    solve: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        solve()


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ([(0, 1), (3, 2)], "lower bound of element 1 of x is 3.0, and the upper one 2.0"),
        ([(0, np.nan), (3, 2)], "lower bound of element 0 of x is 0.0, and the upper one nan"),
        ([(0, 1)], "a bound has 1 elements, but x has 2"),
        (([0, 0, 0], [1, 1, 1]), r"bounds\[0\] is \[0, 0, 0\]: it has to be a pair"),
        ((0, 1), r"bounds\[0\] is 0: it has to be a pair"),
        (3, r"bounds\[0\] is 3: it has to be a pair"),
    ],
)
def test_minimize_says_which_bound_is_wrong(bounds: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MINIMIZE(bowl, [0.0, 0.0], bounds=bounds)


def test_least_squares_says_which_bound_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"lower bound of element 0 of x is 3\.0"):
        SQUARES(lambda x: x, [0.0, 0.0], bounds=(3.0, 1.0))


def test_bounds_that_are_equal_hold_an_element() -> None:
    np.testing.assert_allclose(MINIMIZE(bowl, [0.0, 0.0], bounds=[(3, 3), (0, 9)]).x, [3.0, 1.0])


@pytest.mark.parametrize("name", ["2-point", "3-point", "cs", False, None])
def test_names_of_differences_stand_for_the_exact_derivative(name: Any) -> None:
    result = MINIMIZE(bowl, [0.0, 3.0], jac=name)
    np.testing.assert_array_equal(result.x, MINIMIZE(bowl, [0.0, 3.0]).x)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"jac": "2-pint"}, ValueError, "jac is '2-pint'; it has to be a function, or one of 2-p"),
        ({"hess": 3}, TypeError, "hess is 3: it has to be a function"),
        ({"jac": True}, TypeError, "jac is True, but fun returns <sum.*has to return a pair"),
        ({"jac": lambda x: x[:1]}, ValueError, r"jac is <.*, of shape \(1,\): .*, \(2,\)"),
    ],
)
def test_minimize_says_what_is_wrong_with_a_derivative(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        MINIMIZE(bowl, [0.0, 3.0], **given)


def test_equations_may_be_a_nest() -> None:
    def equations(x: Any) -> Any:
        return {"p": x["a"] - 1.0, "q": [x["b"] - 2.0, 0.0]}

    result = ROOT(equations, {"a": 0.0, "b": [0, 0]}, method="lm")
    np.testing.assert_allclose(result.x["b"], [2.0, 2.0])
    assert (result.success, np.shape(result.fun)) == (True, (4,))


def test_option_of_none_is_the_default() -> None:
    result = MINIMIZE(bowl, [0.0], options={"maxiter": None, "gtol": None})
    assert result.nit == MINIMIZE(bowl, [0.0]).nit


def test_state_of_another_method_is_refused() -> None:
    state = MINIMIZE(bowl, [0.0, 3.0], method="BFGS").state
    with pytest.raises(TypeError, match=r"one of thunkvm\.optimize\.bfgs, and not of nonlinear_cg"):
        MINIMIZE(bowl, state=state, method="CG")
    with pytest.raises(TypeError, match=r"state is 3 \(int\)"):
        MINIMIZE(bowl, state=3)


def test_nelder_mead_ends_on_a_constant() -> None:
    result = MINIMIZE(lambda x: tv.constant(3.0), [1.0, 2.0], method="Nelder-Mead")
    assert (result.success, result.nit < 20) == (True, True)


def test_message_says_what_was_raised_while_a_state_was_judged() -> None:
    result = SQUARES(lambda x: x[:0], [1.0, 2.0])
    assert (result.success, result.status) == (False, -4)
    assert "ValueError: [max] zero-size array" in result.message


@pytest.mark.parametrize(
    ("method", "tolerances"),
    [("BFGS", ["gtol"]), ("Nelder-Mead", ["xatol", "fatol"]), ("fista", ["xtol"])],
)
def test_tol_sets_the_tolerances_of_the_method(method: str, tolerances: list[str]) -> None:
    def flat(x: Any) -> tv.Variable:
        return tv.sum((x - 1.0) ** 4)

    loose, tight = (MINIMIZE(flat, [0.0, 3.0], method=method, tol=tol) for tol in (1e-1, 1e-7))
    named = MINIMIZE(flat, [0.0, 3.0], method=method, options=dict.fromkeys(tolerances, 1e-7))
    assert loose.nit < tight.nit == named.nit


@pytest.mark.parametrize("bounds", [(3.0, 1.0), (1.0,), 3.0, (0.0, np.nan), (-np.inf, 0.0)])
def test_minimize_scalar_refuses_bounds_that_are_no_interval(bounds: Any) -> None:
    with pytest.raises(ValueError, match=r"\[minimize_scalar\] bounds "):
        tv.optimize.minimize_scalar(lambda x: x**2, bounds=bounds)


@pytest.mark.parametrize("bracket", [(1.0,), 3.0, (0.0, np.nan), (-1.0, 1.0, 2.0)])
def test_root_scalar_refuses_a_bracket_that_is_not_two_numbers(bracket: Any) -> None:
    with pytest.raises(ValueError, match=r"\[root_scalar\] bracket is .* 2 finite numbers"):
        tv.optimize.root_scalar(lambda x: x, bracket=bracket)


@pytest.mark.parametrize("t_span", [5.0, (0.0,), (0.0, 1.0, 2.0), (0.0, np.nan), (0.0, np.inf)])
def test_solve_ivp_refuses_a_span_that_is_not_two_times(t_span: Any) -> None:
    with pytest.raises(ValueError, match=r"t_span is .*: it has to be two finite times"):
        tv.optimize.solve_ivp(lambda t, y: -y, t_span, [1.0])


@pytest.mark.parametrize("given", [{"rtol": -1.0}, {"rtol": np.nan}, {"atol": [1e-6, -1.0]}])
def test_solve_ivp_refuses_tolerances_below_0(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"[ra]tol is .*; it has to be 0 or more"):
        tv.optimize.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0, 2.0], **given)


def test_least_squares_of_float32_are_of_float32() -> None:
    result = SQUARES(lambda x: [10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]], np.float32([2.0, 2.0]))
    assert (result.x.dtype, result.fun.dtype, result.jac.dtype) == (np.float32,) * 3
    np.testing.assert_allclose(result.x, [1.0, 1.0], rtol=1e-5)


SOLVERS_THAT_ARE_TOLD_TO_PRINT = [
    lambda shown: MINIMIZE(bowl, [0.0], options={"disp": shown}),
    lambda shown: ROOT(lambda x: x - 1.0, [0.0], options={"disp": shown}),
    lambda shown: SQUARES(lambda x: x - 1.0, [0.0], verbose=shown),
    lambda shown: tv.optimize.minimize_scalar(bowl, options={"disp": shown}),
    lambda shown: tv.optimize.root_scalar(lambda x: x - 1.0, x0=0.0, options={"disp": shown}),
]


@pytest.mark.parametrize("solve", SOLVERS_THAT_ARE_TOLD_TO_PRINT)
def test_solvers_say_what_to_take_instead_of_prints(solve: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"(disp|verbose) is 2: .* progress=True shows a bar"):
        solve(2)
    assert solve(0).success


@pytest.mark.parametrize("value", [np.nan, np.inf, 1.5, "4", [3], 10**30])
def test_option_that_is_no_integer_is_named(value: Any) -> None:
    with pytest.raises(ValueError, match=r"the option maxiter is .*: it has to be an integer"):
        tv.optimize.minimize(lambda x: x**2, 1.0, options={"maxiter": value})


def test_option_that_is_no_number_is_named() -> None:
    with pytest.raises(ValueError, match="the option gtol is 'a': it has to be a number"):
        tv.optimize.minimize(lambda x: x**2, 1.0, options={"gtol": "a"})


def steps(x: Any) -> Any:
    return tv.sum(tv.astype(tv.floor(x), "int64"))


@pytest.mark.parametrize("solve", [tv.optimize.minimize, tv.optimize.least_squares])
def test_solvers_refuse_integers_whose_derivative_is_0(solve: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"fun returns .*, of int64: its derivative is 0"):
        solve(steps, [1.0, 2.0])


def test_nelder_mead_takes_integers() -> None:
    result = tv.optimize.minimize(lambda x: steps(x) ** 2, [3.2, 2.9], method="Nelder-Mead")
    assert (result.success, result.fun) == (True, 25.0)
