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
