"""Values of a user's functions have the shapes that `tv.optimize` needs: nothing is repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

SOLVE_IVP = tv.optimize.solve_ivp
SPAN = (0.0, 1.0)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
@pytest.mark.parametrize(
    ("slope", "shape"), [(lambda t, y: y[:1], r"\(1,\)"), (lambda t, y: t, r"\(\)")]
)
def test_solve_ivp_refuses_a_slope_that_has_not_the_shape_of_y0(
    method: str, slope: Callable[..., Any], shape: str
) -> None:
    with pytest.raises(ValueError, match=rf"value of fun is .*, of shape {shape}: .* y0, \(2,\)"):
        SOLVE_IVP(slope, SPAN, [1.0, 2.0], method)


def test_solve_ivp_names_the_leaf_whose_slope_has_another_shape() -> None:
    y0 = {"place": [0.0, 0.0], "mass": 1.0}
    with pytest.raises(ValueError, match=r"value of fun\['place'\] is .* y0\['place'\], \(2,\)"):
        SOLVE_IVP(lambda t, y: {"place": y["mass"], "mass": -y["mass"]}, SPAN, y0)


def test_solve_ivp_refuses_a_slope_whose_length_shows_in_the_call() -> None:
    message = r"value of fun .* has shape \(1,\), but axis 0 has to have length 2"
    with pytest.raises(ValueError, match=message):
        SOLVE_IVP(lambda t, y, a: a, SPAN, [1.0, 2.0], args=(np.ones(1),))


def test_integrate_refuses_a_slope_where_no_length_is_known() -> None:
    y0, a = tv.vector("y0"), tv.vector("a")
    y = tv.optimize.integrate(lambda t, y: a, SPAN, y0).y
    f = tv.function([y0, a], y)
    np.testing.assert_allclose(f([1.0, 2.0], [1.0, 1.0]), [2.0, 3.0])
    with pytest.raises(ValueError, match=r"array of size 1 into shape \(2,\)"):
        f([1.0, 2.0], [1.0])


def test_slope_of_one_element_may_be_a_number() -> None:
    np.testing.assert_allclose(SOLVE_IVP(lambda t, y: 2.0 * t, SPAN, [0.0]).y[0, -1], 1.0)


def test_slope_may_have_lists_where_y0_has_them() -> None:
    def turn(t: Any, y: Any) -> Any:
        return {"at": [y["at"][1], -y["at"][0]]}

    found = SOLVE_IVP(turn, (0.0, np.pi / 2.0), {"at": [1.0, 0.0]}, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.y["at"][:, -1], [0.0, -1.0], atol=1e-7)


def test_solve_ivp_refuses_an_event_that_is_not_one_number() -> None:
    message = r"value of an event is .*, of shape \(2,\): it has to have one element"
    with pytest.raises(ValueError, match=message):
        SOLVE_IVP(lambda t, y: -y, SPAN, [1.0, 2.0], events=lambda t, y: y)


@pytest.mark.parametrize("jac", [np.zeros((1, 2)), lambda t, y: y, lambda t, y: tv.zeros((3, 3))])
def test_solve_ivp_refuses_a_jacobian_that_is_not_square(jac: Any) -> None:
    with pytest.raises(ValueError, match=r"jac is .*: it has to have shape \(n, n\).*, \(2, 2\)"):
        SOLVE_IVP(lambda t, y: -y, SPAN, [1.0, 2.0], "Radau", jac=jac)


@pytest.mark.parametrize("y0", [["a", "b"], np.array(["a"]), "a"])
def test_solve_ivp_refuses_strings(y0: Any) -> None:
    with pytest.raises(TypeError, match=r"y0.* is .*: it has to be a number, or an array of num"):
        SOLVE_IVP(lambda t, y: -y, SPAN, y0)


def sample(name: str, density: Callable[..., Any], x0: Any, **given: Any) -> Any:
    steps = {"hmc": {"step_size": 0.1, "length": 3}, "metropolis": {}}
    sampler = getattr(tv.optimize, name)
    return sampler(density, x0, tv.random.key(0), 5, **steps[name] | given)


@pytest.mark.parametrize("sampler", ["hmc", "metropolis"])
def test_samplers_take_dicts_with_lists_and_numbers(sampler: str) -> None:
    def density(x: Any) -> Any:
        return -tv.sum(x["a"] ** 2) - x["b"] ** 2

    chain = sample(sampler, density, {"a": [0.0, 0.0], "b": 1.0})
    found = tv.function([], chain.x)()
    assert (found["a"].shape, found["b"].shape) == ((5, 2), (5,))


@pytest.mark.parametrize("sampler", ["hmc", "metropolis"])
def test_samplers_refuse_a_density_that_is_not_one_number(sampler: str) -> None:
    with pytest.raises(ValueError, match=r"value of a density is .*, of shape \(2,\): .* no axes"):
        sample(sampler, lambda x: -(x**2), [0.0, 1.0])


SQUARES = tv.optimize.least_squares


@pytest.mark.parametrize("method", ["hybr", "anderson"])
@pytest.mark.parametrize("fun", [lambda x: x[:1], lambda x: tv.concatenate([x, x])])
def test_root_refuses_more_or_fewer_equations_than_unknowns(
    method: str, fun: Callable[..., Any]
) -> None:
    with pytest.raises(ValueError, match=r"value of fun is .*: .* as many elements as x .*2"):
        tv.optimize.root(fun, [1.0, 2.0], method=method)


def test_root_by_lm_takes_more_equations_than_unknowns() -> None:
    found = tv.optimize.root(lambda x: [x[0] - 1.0, x[0] ** 2 - 1.0], [2.0], method="lm")
    np.testing.assert_allclose(found.x, [1.0])


@pytest.mark.parametrize("jac", [lambda x: tv.zeros((2, 3)), lambda x: tv.zeros((1, 2))])
def test_least_squares_refuses_a_jacobian_of_another_shape(jac: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"jac is .*: it has to have shape \(m, n\).*, \(3, 2\)"):
        SQUARES(lambda x: [x[0], x[1], x[0] * x[1]], [1.0, 2.0], jac=jac)


def test_least_squares_refuses_a_jacobian_whose_rows_show_in_the_call() -> None:
    data = np.ones(3), np.ones((1, 2))
    found = SQUARES(lambda x, t, _: x[0] * t - x[1], [1.0, 2.0], jac=lambda x, t, j: j, args=data)
    assert (found.success, "cannot reshape" in found.message) == (False, True)


def test_minimize_refuses_a_gradient_that_is_transposed() -> None:
    with pytest.raises(ValueError, match=r"jac is .*, of shape \(3, 2\): .* shape of x, \(2, 3\)"):
        tv.optimize.minimize(lambda x: tv.sum(x**2), np.ones((2, 3)), jac=lambda x: 2.0 * x.T)


def test_keys_of_a_gradient_may_be_in_any_order() -> None:
    def gradient(x: Any) -> Any:
        return {"b": 2.0 * (x["b"] - 1.0), "a": [2.0 * x["a"][0], 2.0 * x["a"][1]]}

    x0 = {"a": [3.0, 4.0], "b": 5.0}
    found = tv.optimize.minimize(
        lambda x: tv.sum(x["a"] ** 2) + (x["b"] - 1.0) ** 2, x0, jac=gradient
    )
    np.testing.assert_allclose([*found.x["a"], found.x["b"]], [0.0, 0.0, 1.0], atol=1e-6)


def test_minimize_refuses_a_hessian_that_is_not_square() -> None:
    with pytest.raises(ValueError, match=r"hess is .*: it has to have shape \(n, n\).*, \(2, 2\)"):
        tv.optimize.minimize(
            lambda x: tv.sum(x**2), [1.0, 2.0], method="dogleg", hess=lambda x: tv.zeros((2, 1))
        )


@pytest.mark.parametrize("x0", [0.5, np.zeros((2, 2))])
def test_anderson_refuses_what_is_no_vector(x0: Any) -> None:
    with pytest.raises(ValueError, match=r"\[anderson\] x0 is .* it has to be a vector"):
        tv.optimize.anderson(tv.cos, x0)


def test_anderson_refuses_a_value_of_another_length() -> None:
    with pytest.raises(ValueError, match=r"value of f is .*: .* the shape of x0, \(2,\)"):
        tv.optimize.anderson(lambda x: x[:1], np.zeros(2))


@pytest.mark.parametrize(
    ("x_scale", "message"),
    [
        ([1.0, 2.0, 3.0], "x_scale has 3 elements, but x has 2"),
        ([1.0, 0.0], r"x_scale is \[1.0, 0.0\]: units have to be finite and more than 0"),
        (-1.0, "x_scale is -1.0: units"),
        (np.nan, "x_scale is nan: units"),
    ],
)
def test_least_squares_refuses_units_that_are_none(x_scale: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SQUARES(lambda x: x - 1.0, [0.0, 0.0], x_scale=x_scale)


def test_implicit_refuses_an_equation_of_another_shape() -> None:
    x = tv.tensor("x", shape=(2,))
    with pytest.raises(ValueError, match=r"value of the equation is .* the shape of x, \(2,\)"):
        tv.optimize.implicit(lambda z: z[:1] - 1.0, x)


@pytest.mark.parametrize("atol", [[1e-6], [1e-6, 1e-6, 1e-6]])
def test_solve_ivp_refuses_tolerances_of_another_length(atol: list[float]) -> None:
    with pytest.raises(ValueError, match=r"atol has shape \(\d,\); .* element of y0, \(2,\)"):
        SOLVE_IVP(lambda t, y: -y, SPAN, [1.0, 2.0], atol=atol)
