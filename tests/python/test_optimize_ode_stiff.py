"""The implicit solver on stiff problems, and how often it computes Jacobians and factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]


def robertson(t: Any, y: Any) -> Any:
    """Three reactions with rates from 0.04 to 3e7."""
    slow, fast = 0.04 * y[0], 1e4 * y[1] * y[2]
    back = 3e7 * y[1] ** 2
    return [fast - slow, slow - fast - back, back]


def van_der_pol(t: Any, y: Any, mu: Any) -> Any:
    return [y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]]


def relaxing(t: Any, y: Any, k: Any) -> Any:
    return -k * (y - tv.cos(t))


@pytest.mark.parametrize("mode", MODES)
def test_robertson_is_solved_over_eleven_decades(mode: str) -> None:
    found = tv.optimize.solve_ivp(
        robertson, (0.0, 1e11), [1.0, 0.0, 0.0], "Radau", rtol=1e-7, atol=1e-17, mode=mode
    )
    assert found.success
    # F. Mazzia, C. Magherini, Test Set for IVP Solvers, release 2.4, 2008: problem ROBER.
    expected = [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050]
    np.testing.assert_allclose(found.y[:, -1], expected, rtol=1e-4)
    np.testing.assert_allclose(found.y.sum(axis=0), 1.0, rtol=1e-9)


def test_robertson_at_the_times_of_the_textbook() -> None:
    times = [0.4, 4.0, 40.0, 400.0]
    found = tv.optimize.solve_ivp(
        robertson, (0.0, 400.0), [1.0, 0.0, 0.0], "Radau", t_eval=times, rtol=1e-8, atol=1e-14
    )
    # A. C. Hindmarsh, C. W. Gear, 1974; as CVODE's example cvRoberts_dns prints them.
    expected = [
        [9.8517e-01, 9.0553e-01, 7.1583e-01, 4.5053e-01],
        [3.3864e-05, 2.2405e-05, 9.1855e-06, 3.2233e-06],
        [1.4794e-02, 9.4453e-02, 2.8416e-01, 5.4947e-01],
    ]
    np.testing.assert_allclose(found.y, expected, rtol=2e-4)


@pytest.mark.parametrize("mode", ["cvm", "FAST_RUN"])
def test_van_der_pol_with_mu_1000_is_that_of_the_test_set(mode: str) -> None:
    found = tv.optimize.solve_ivp(
        van_der_pol, (0.0, 2000.0), [2.0, 0.0], "Radau", args=(1000.0,), rtol=1e-8, atol=1e-11,
        mode=mode,
    )  # fmt: skip
    assert found.success
    # F. Mazzia, C. Magherini, Test Set for IVP Solvers: problem VDPOL, where the time is t / mu and
    # eps = 1 / mu**2; it begins at (2, 0), and ends at the time 2.
    expected = [0.1706167732170483e1, -0.8928097010247975e-3]
    np.testing.assert_allclose(found.y[:, -1], expected, rtol=1e-5)
    assert found.nfev < 25_000


def test_stiff_problem_takes_the_implicit_method_few_steps() -> None:
    options: dict[str, Any] = {"args": (1e4,), "rtol": 1e-4, "atol": 1e-6}
    implicit = tv.optimize.solve_ivp(relaxing, (0.0, 2.0), [0.0], "Radau", **options)
    explicit = tv.optimize.solve_ivp(relaxing, (0.0, 2.0), [0.0], "RK45", **options)
    np.testing.assert_allclose(implicit.y[0, -1], np.cos(2.0), atol=2e-4)
    assert implicit.t.size < 40
    assert explicit.t.size > 4000


def test_jacobian_of_a_linear_problem_is_computed_once() -> None:
    found = tv.optimize.solve_ivp(
        relaxing, (0.0, 2.0), [0.0], "Radau", args=(100.0,), rtol=1e-6, atol=1e-8
    )
    assert found.njev == 1
    assert 2 <= found.nlu < 2 * found.t.size  # two matrices, where the size of the step changed


def test_factors_are_kept_while_steps_are_alike() -> None:
    found = tv.optimize.solve_ivp(
        relaxing, (0.0, 2.0), [1.0], "Radau", args=(1.0,), rtol=1e-2, atol=1e-2, first_step=0.125,
        max_step=0.125,
    )  # fmt: skip
    assert found.t.size == 17
    assert (found.njev, found.nlu) == (1, 2)


def test_counts_are_those_of_scipy_on_van_der_pol() -> None:
    found = tv.optimize.solve_ivp(
        van_der_pol, (0.0, 1000.0), [2.0, 0.0], "Radau", args=(1000.0,), rtol=1e-6, atol=1e-9
    )
    assert found.nfev <= 1.2 * 3727  # SciPy 1.17.1 with the exact Jacobian
    assert found.njev <= 1.2 * 102
    assert found.nlu <= 1.2 * 308
    np.testing.assert_allclose(found.y[:, -1], [-1.86364625e00, 7.53543088e-04], rtol=1e-5)


def test_jacobian_may_be_given() -> None:
    called = []

    def jac(t: Any, y: Any, mu: Any) -> Any:
        called.append(1)
        zero = 0.0 * y[0]
        rows = [[zero, zero + 1.0], [-2.0 * mu * y[0] * y[1] - 1.0, mu * (1.0 - y[0] ** 2)]]
        return tv.stack([tv.stack(row) for row in rows])

    derived = tv.optimize.solve_ivp(van_der_pol, (0.0, 5.0), [2.0, 0.0], "Radau", args=(10.0,))
    given = tv.optimize.solve_ivp(
        van_der_pol, (0.0, 5.0), [2.0, 0.0], "Radau", args=(10.0,), jac=jac
    )
    assert called
    np.testing.assert_allclose(given.y, derived.y, rtol=1e-9)
    assert (given.nfev, given.njev, given.nlu) == (derived.nfev, derived.njev, derived.nlu)


def test_jacobian_may_be_a_matrix() -> None:
    matrix = np.array([[-100.0, 1.0], [0.0, -1.0]])
    found = tv.optimize.solve_ivp(
        lambda t, y: matrix @ y, (0.0, 1.0), [1.0, 1.0], "Radau", jac=matrix, rtol=1e-6, atol=1e-9
    )
    # y1 = c exp(-100 t) + exp(-t) / 99
    np.testing.assert_allclose(found.y[:, -1], [np.exp(-1.0) / 99, np.exp(-1.0)], rtol=1e-4)


def test_step_whose_matrix_is_singular_becomes_shorter() -> None:
    size = 0.25  # at which REAL / size - J is 0
    real = 3 + 3 ** (2 / 3) - 3 ** (1 / 3)
    found = tv.optimize.solve_ivp(
        lambda t, y: real / size * y, (0.0, 1.0), [1.0], "Radau", first_step=size, rtol=1e-5
    )
    assert found.success
    assert found.t[1] < size
    np.testing.assert_allclose(found.y[0, -1], np.exp(real / size), rtol=1e-3)


def test_system_of_many_equations_is_solved() -> None:
    """Heat along a rod, at 40 places."""
    n = 40

    def heat(t: Any, y: Any) -> Any:
        inside = tv.concatenate([tv.zeros(1), y, tv.zeros(1)])
        return (inside[2:] - 2.0 * inside[1:-1] + inside[:-2]) * float((n + 1) ** 2)

    places = np.arange(1, n + 1) / (n + 1)
    found = tv.optimize.solve_ivp(
        heat, (0.0, 0.1), np.sin(np.pi * places), "Radau", rtol=1e-7, atol=1e-9
    )
    rate = 4.0 * (n + 1) ** 2 * np.sin(np.pi / (2 * (n + 1))) ** 2
    exact = np.exp(-0.1 * rate) * np.sin(np.pi * places)
    np.testing.assert_allclose(found.y[:, -1], exact, rtol=1e-5)
    assert found.njev == 1
