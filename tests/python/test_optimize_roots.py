"""Roots and least points of functions of one number: precision, counts and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from alefeld_potra_shi import PROBLEMS

import thunkvm as tv

EPS = float(np.finfo(float).eps)
MODES = ["py", "vm", "cvm", "FAST_RUN"]
#: As near as numbers are.
NEAR: Any = {"xtol": 1e-300, "rtol": 2.0 * EPS, "maxiter": 3000}

#: How often SciPy 1.17's brentq calls the functions of each kind of problem, with its defaults.
BRENTQ = {
    "1 sine": 9, "2 poles": 124, "3 exponential": 56, "4 power, 0.2": 84, "4 power, 1": 142,
    "5 sine": 9, "6 exponentials": 117, "7 square": 26, "8 power": 46, "9 fourth power": 56,
    "10 mixed": 50, "11 hyperbola": 43, "12 nth root": 193, "13 flat": 18, "14 kink": 840,
    "15 jump": 1118,
}  # fmt: skip


def neighbours(x: float, count: int) -> Any:
    """Return x and as many numbers on both sides of it."""
    below, above = [x], [x]
    for _ in range(count):
        below.append(np.nextafter(below[-1], -np.inf))
        above.append(np.nextafter(above[-1], np.inf))
    return np.array([*below[:0:-1], *above])


def solver_of(method: str) -> Any:
    if method == "newton":
        return lambda f, a, b: tv.optimize.newton(f, (a + b) / 2.0, (a, b), **NEAR)
    return lambda f, a, b: getattr(tv.optimize, method)(f, a, b, **NEAR)


@pytest.mark.parametrize("method", ["brent", "bisect", "newton"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_roots_of_alefeld_potra_and_shi_have_four_ulp(name: str, method: str) -> None:
    fun, brackets = PROBLEMS[name]
    n, a, b, x = (tv.scalar(letter) for letter in "nabx")
    mode = "FAST_COMPILE"
    root_of = solver_of(method)(lambda z: fun(z, n), a, b)
    f = tv.function([n, a, b], root_of, mode=mode, on_unused_input="ignore")
    value = tv.function([x, n], fun(x, n), mode=mode, on_unused_input="ignore")
    for given in brackets:
        root = float(f(*given))
        if name in ("3 exponential", "13 flat"):  # at 0: no relative precision, or none at all
            assert abs(root) < 1e-11 or value(root, given[0]) == 0.0
            continue
        signs = {float(np.sign(value(z, given[0]))) for z in neighbours(root, 4)}
        assert 0.0 in signs or signs == {-1.0, 1.0}, (given, root)


@pytest.mark.parametrize("name", PROBLEMS)
def test_brent_runs_f_as_often_as_scipys_brentq(name: str) -> None:
    fun, brackets = PROBLEMS[name]
    n, a, b = (tv.scalar(letter) for letter in "nab")
    root = tv.optimize.brent(lambda z: fun(z, n), a, b, maxiter=1000)
    f = tv.function([n, a, b], root, mode="FAST_COMPILE", on_unused_input="ignore")
    for given in brackets:
        f(*given)
    assert f.counts() == {"nfev": BRENTQ[name]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["brent", "bisect", "newton"])
def test_roots_and_their_gradients_are_alike_in_all_modes(method: str, mode: str) -> None:
    p = tv.scalar("p")
    root = solver_of(method)(lambda x: x**3 - p, 0.0, 9.0)
    second = tv.grad(tv.grad(root, p), p)
    f = tv.function([p], [root, tv.grad(root, p), second, tv.jvp(root, p, 2.0)], mode=mode)
    wanted = [2.0, 8.0 ** (-2 / 3) / 3.0, -2.0 / 9.0 * 8.0 ** (-5 / 3), 2.0 / 12.0]
    np.testing.assert_allclose(f(8.0), wanted, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_brent_runs_f_once_a_step_and_nothing_for_its_value(mode: str) -> None:
    p = tv.scalar("p")
    root = tv.optimize.brent(lambda x: x - p * tv.cos(x), 0.0, 2.0)
    f = tv.function([p], root, mode=mode)
    f(1.0)
    # 6 steps, as SciPy's brentq makes.
    assert f.counts() == {"nfev": 8}


def test_the_gradient_of_a_root_is_computed_only_where_it_is_demanded() -> None:
    p, wants = tv.scalar("p"), tv.scalar("wants", dtype="bool")
    root = tv.optimize.brent(lambda x: x - p * tv.cos(x), 0.0, 2.0)
    f = tv.function([p, wants], tv.ifelse(wants, tv.grad(root, p), root), mode="vm")
    f(1.0, False)
    assert sum(row.runs for row in f.node_runs() if row.op == "sin") == 0
    x = f(1.0, False)
    np.testing.assert_allclose(f(1.0, True), np.cos(x) / (1.0 + np.sin(x)), rtol=1e-12)
    assert sum(row.runs for row in f.node_runs() if row.op == "sin") == 1


def test_a_root_in_an_arm_that_is_not_taken_runs_nothing() -> None:
    p = tv.scalar("p")
    root = tv.optimize.brent(lambda x: x**2 - p, 0.0, 9.0)
    f = tv.function([p], tv.ifelse(p > 0.0, root, 0.0))
    assert f(-1.0) == 0.0
    assert f.counts() == {"nfev": 0}


@pytest.mark.parametrize("method", ["brent", "bisect", "newton"])
def test_a_root_without_a_change_of_sign_is_nan(method: str) -> None:
    p = tv.scalar("p")
    f = tv.function([p], solver_of(method)(lambda x: x**2 + p, 0.5, 2.0))
    assert np.isnan(f(1.0))
    np.testing.assert_allclose(f(-1.0), 1.0)


@pytest.mark.parametrize("method", ["brent", "bisect", "newton"])
@pytest.mark.parametrize(("a", "b"), [(1.0, 5.0), (-3.0, 1.0)])
def test_a_root_at_an_end_of_the_bracket_is_found(method: str, a: float, b: float) -> None:
    f = tv.function([], solver_of(method)(lambda x: x - 1.0, tv.constant(a), tv.constant(b)))
    assert f() == 1.0


def test_newton_runs_the_derivative_only_behind_a_trial_that_was_taken() -> None:
    f = tv.function([], tv.optimize.newton(tv.arctan, 3.0), mode="vm")
    assert abs(f()) < 1e-12
    counts = f.counts()
    solver = tv.optimize.Solver(tv.arctan, tv.optimize.newton_root())
    moved = [bool(state.moved) for state in solver.steps(3.0)]
    assert not all(moved)  # some trials failed
    assert counts == {"nfev": len(moved), "njev": sum(moved[:-1])}


def test_newton_stays_in_its_bracket() -> None:
    seen: list[float] = []
    result = tv.optimize.root_scalar(
        tv.cbrt,
        method="newton", bracket=(-1.0, 4.0), x0=3.0, xtol=1e-12,
        callback=lambda state: seen.append(float(state.x)),
    )  # fmt: skip
    assert result.converged
    assert abs(result.root) < 1e-9
    assert all(-1.0 <= x <= 4.0 for x in seen)


@pytest.mark.parametrize(("method", "calls"), [("brentq", 9), ("bisect", 42), ("newton", None)])
def test_root_scalar_has_scipys_items(method: str, calls: int | None) -> None:
    result = tv.optimize.root_scalar(
        lambda x, a: x**3 - a, args=(2.0,), method=method, bracket=(0.0, 2.0), mode="vm"
    )
    assert (result.converged, result.flag, result.method) == (True, "converged", method)
    np.testing.assert_allclose(result.root, 2.0 ** (1 / 3), rtol=1e-9)
    assert result.iterations == result.nit
    assert calls in (None, result.function_calls)


def test_root_scalar_compiles_once_for_other_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    link = tv._core.link

    def counted(*given: Any) -> Any:
        made.append(1)
        return link(*given)

    monkeypatch.setattr(tv._core, "link", counted)

    def fun(x: Any, a: Any) -> Any:
        return x**2 - a

    for a, high in ((2.0, 3.0), (5.0, 4.0)):
        result = tv.optimize.root_scalar(fun, (a,), bracket=(0.0, high), xtol=1e-9 * a)
        np.testing.assert_allclose(result.root, a**0.5, rtol=1e-8)
    assert len(made) == 1


def test_root_scalar_says_why_it_failed() -> None:
    same = tv.optimize.root_scalar(lambda x: x**2 + 1.0, bracket=(0.0, 1.0))
    assert (same.converged, same.flag) == (
        False, "The function has the same sign at both ends of the bracket."
    )  # fmt: skip
    nowhere = tv.optimize.root_scalar(lambda x: x**2 + 1.0, x0=0.7)
    assert not nowhere.converged
    undefined = tv.optimize.root_scalar(lambda x: tv.log(x), bracket=(-1.0, 3.0))
    assert not undefined.converged
    assert "NaN" in undefined.flag
    with pytest.raises(ValueError, match="give a bracket, or x0"):
        tv.optimize.root_scalar(lambda x: x)
    with pytest.raises(ValueError, match="needs a bracket"):
        tv.optimize.root_scalar(lambda x: x, x0=1.0, method="bisect")


@pytest.mark.parametrize("mode", MODES)
def test_minimize_scalar_is_brents_method_in_all_modes(mode: str) -> None:
    def fun(x: Any) -> Any:
        return tv.exp(x) - 2.0 * x

    bounded = tv.optimize.minimize_scalar(fun, bounds=(-5.0, 5.0), mode=mode)
    searched = tv.optimize.minimize_scalar(fun, bracket=(-30.0, -29.0), mode=mode)
    for result in (bounded, searched):
        assert result.success
        np.testing.assert_allclose(result.x, np.log(2.0), rtol=1e-7)
    assert bounded.nfev == bounded.nit + 1


def test_minimize_scalar_needs_as_many_values_as_scipys() -> None:
    # SciPy 1.17: minimize_scalar(fun, bounds=(-5, 5), method="bounded", options={"xatol": 1e-5}).
    result = tv.optimize.minimize_scalar(
        lambda x: tv.exp(x) - 2.0 * x, bounds=(-5.0, 5.0), options={"xatol": 1e-5}
    )
    assert result.nfev == 12


def test_scalar_minimum_has_the_gradient_of_its_equation() -> None:
    p = tv.scalar("p")
    least = tv.optimize.scalar_minimum(lambda x: tv.exp(x) - p * x, -5.0, 5.0)
    f = tv.function([p], [least, tv.grad(least, p), tv.grad(tv.grad(least, p), p)])
    np.testing.assert_allclose(f(2.0), [np.log(2.0), 0.5, -0.25], rtol=1e-7)


def test_implicit_solves_linear_systems_for_the_gradient_of_a_vector() -> None:
    a, q = tv.matrix("a"), tv.vector("q")

    def equation(x: Any) -> Any:
        return a @ x + x**3 - q

    solved = tv.fixed_point(lambda x: tv.solve(a, q - x**3), tv.zeros(2), implicit=False)
    x = tv.optimize.implicit(equation, tv.disconnected_grad(solved))
    f = tv.function([a, q], [x, tv.grad(x.sum(), q)])
    matrix, given = np.array([[9.0, 1.0], [0.0, 8.0]]), np.array([1.0, 2.0])
    at, gradient = f(matrix, given)
    wanted = np.linalg.inv(matrix + np.diag(3.0 * at**2)).sum(axis=0)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-9)
