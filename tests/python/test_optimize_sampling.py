"""Samplers: Metropolis' algorithm, with delayed acceptance, and Hamiltonian Monte Carlo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]


def numbers(steps: int, size: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(steps, size)), rng.uniform(size=(steps, 2))


def recorded(steps: int, size: int, seed: int = 0) -> Any:
    return tv.optimize.Recorded(*numbers(steps, size, seed))


def of_draws(normals: Any, uniforms: Any) -> Any:
    """The same numbers as arguments of a function, so that other ones compile nothing."""
    z, u = tv.matrix("z"), tv.matrix("u")
    return [z, u], tv.optimize.Recorded(z, u), [normals, uniforms]


def standard(x: Any) -> Any:
    return -0.5 * tv.sum(x * x)


def in_plain_python(
    density: Any, cheap: Any, x: float, scale: float, normals: Any, uniforms: Any
) -> tuple[list[float], int]:
    """A chain, and how often `density` was computed."""
    points, runs, at = [], 1, density(x)
    for (z,), (u, v) in zip(normals, uniforms, strict=True):
        there = x + scale * z
        if cheap is not None:
            ratio = cheap(there) - cheap(x)
            if not np.log(u) < ratio:
                points.append(x)
                continue
            u = np.log(v) + ratio
        else:
            u = np.log(u)
        runs += 1
        value = density(there)
        if u < value - at:
            x, at = there, value
        points.append(x)
    return points, runs


@pytest.mark.parametrize("mode", MODES)
def test_metropolis_is_the_chain_of_plain_python(mode: str) -> None:
    normals, uniforms = numbers(200, 1)
    drawn = tv.optimize.Recorded(normals, uniforms)
    chain = tv.optimize.metropolis(standard, [0.3], drawn.state, 200, draw=drawn.draw, scale=1.5)
    f = tv.function([], [chain.x[:, 0], chain.last.x, chain.state], mode=mode)
    points, last, state = f()
    expected, runs = in_plain_python(lambda x: -0.5 * x * x, None, 0.3, 1.5, normals, uniforms)
    np.testing.assert_allclose(points, expected, rtol=1e-12)
    assert (last[0], state, f.counts()["nfev"], runs) == (points[-1], 200, 201, 201)


@pytest.mark.parametrize("scale", [0.5, 2.0, 6.0])
def test_metropolis_accepts_a_normal_target_as_often_as_is_known(scale: float) -> None:
    steps = 200_000
    inputs, drawn, values = of_draws(*numbers(steps, 1))
    chain = tv.optimize.metropolis(
        lambda x: -0.5 * x * x, 0.0, drawn.state, steps, draw=drawn.draw, scale=scale
    )
    f = tv.function(inputs, [tv.mean(chain.accepted), tv.mean(chain.x), tv.mean(chain.x**2)])
    rate, mean, square = f(*values)
    np.testing.assert_allclose(rate, 2.0 / np.pi * np.arctan(2.0 / scale), atol=0.01)
    assert abs(mean) < 0.06
    np.testing.assert_allclose(square, 1.0, atol=0.08)


@pytest.mark.parametrize("mode", MODES)
def test_delayed_acceptance_runs_the_costly_density_where_the_cheap_one_accepts(
    mode: str, counting: Any
) -> None:
    costly = counting(np.exp)
    normals, uniforms = numbers(300, 1)
    drawn = tv.optimize.Recorded(normals, uniforms)
    chain = tv.optimize.metropolis(
        lambda x: 1.0 - costly(0.5 * x * x), 0.1, drawn.state, 300, draw=drawn.draw, scale=3.0,
        cheap=lambda x: -0.6 * x * x,
    )  # fmt: skip
    f = tv.function([], [chain.x, chain.history.promising, chain.accepted], mode=mode)
    points, promising, accepted = f()
    expected, runs = in_plain_python(
        lambda x: 1.0 - np.exp(0.5 * x * x), lambda x: -0.6 * x * x, 0.1, 3.0, normals, uniforms
    )
    np.testing.assert_allclose(points, expected, rtol=1e-12)
    assert costly.runs == 1 + promising.sum() == runs
    assert f.counts() == {"ncheap": 301, "nfev": runs}
    assert accepted.sum() < promising.sum() < 200


def test_delayed_acceptance_has_the_distribution_of_the_costly_density() -> None:
    steps = 200_000
    inputs, drawn, values = of_draws(*numbers(steps, 1, seed=3))
    chain = tv.optimize.metropolis(  # a gamma distribution with shape 3, and a normal for it
        lambda x: tv.where(x > 0.0, 2.0 * tv.log(tv.abs(x)) - x, -np.inf), 2.0, drawn.state,
        steps, scale=3.0, cheap=lambda x: -0.5 * ((x - 2.5) / 2.5) ** 2, draw=drawn.draw,
    )  # fmt: skip
    f = tv.function(inputs, [tv.mean(chain.x), tv.var(chain.x), tv.mean(chain.history.promising)])
    mean, variance, promising = f(*values)
    np.testing.assert_allclose([mean, variance], [3.0, 3.0], rtol=0.05)
    assert promising < 0.7


def test_metropolis_keeps_every_few_steps_if_that_is_asked_for() -> None:
    drawn = recorded(20, 2)
    all_of_them, some = (
        tv.optimize.metropolis(standard, [0.0, 0.0], drawn.state, 20, draw=drawn.draw, every=every)
        for every in (1, 5)
    )
    whole, part = tv.function([], [all_of_them.x, some.x])()
    np.testing.assert_array_equal(part, whole[4::5])


def test_metropolis_takes_nests_and_arguments() -> None:
    drawn = recorded(50, 3)
    width = tv.scalar("width")
    chain = tv.optimize.metropolis(
        lambda p, w: -0.5 * (tv.sum(p["a"] ** 2) + p["b"] ** 2) / w**2,
        {"a": np.zeros(2), "b": 0.0}, drawn.state, 50, draw=drawn.draw, args=(width,),
    )  # fmt: skip
    found = tv.function([width], chain.x)(1.0)
    assert (found["a"].shape, found["b"].shape) == ((50, 2), (50,))


def test_metropolis_refuses_what_is_not_a_number() -> None:
    drawn = recorded(100, 1)
    chain = tv.optimize.metropolis(
        lambda x: tv.log(x) - x, 1.0, drawn.state, 100, draw=drawn.draw, scale=3.0
    )
    assert tv.function([], tv.min(chain.x))() > 0.0


def test_chain_goes_on_from_its_end() -> None:
    drawn = recorded(60, 1)
    whole = tv.optimize.metropolis(standard, [0.0], drawn.state, 60, draw=drawn.draw)
    first = tv.optimize.metropolis(standard, [0.0], drawn.state, 25, draw=drawn.draw)
    rest = tv.optimize.metropolis(standard, first.last.x, first.state, 35, draw=drawn.draw)
    points, begin, end = tv.function([], [whole.x, first.x, rest.x])()
    np.testing.assert_array_equal(np.concatenate([begin, end]), points)


@pytest.mark.parametrize("mode", MODES)
def test_metropolis_draws_the_numbers_of_numpys_stream(mode: str) -> None:
    chain = tv.optimize.metropolis(standard, np.zeros(2), tv.random.key(5), 300)
    rest = tv.optimize.metropolis(standard, chain.last.x, chain.state, 100)
    begin, end = tv.function([], [chain.x, rest.x], mode=mode)()
    rng, x, expected = np.random.default_rng(5), np.zeros(2), []
    for _ in range(400):
        there = x + rng.standard_normal(2)
        u, _ = rng.random(2)
        x = there if np.log(u) < 0.5 * (x @ x - there @ there) else x
        expected.append(x)
    np.testing.assert_allclose(np.concatenate([begin, end]), expected, rtol=1e-12)


def test_chains_of_streams_of_their_own_are_a_batch() -> None:
    def end(state: Any) -> Any:
        return tv.optimize.hmc(standard, [0.0], state, 20, step_size=0.5, length=4).last.x

    states = tv.random.split(tv.random.key(1), 3)
    together = tv.function([], tv.vmap(end)(states))()
    alone = tv.function([], [end(states[i]) for i in range(3)])()
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def leapfrog(x: Any, p: Any, size: float, length: int, scale: Any) -> tuple[Any, Any]:
    for _ in range(length):
        p = p - 0.5 * size * x / scale**2
        x = x + size * p
        p = p - 0.5 * size * x / scale**2
    return x, p


@pytest.mark.parametrize("mode", MODES)
def test_hmc_is_the_chain_of_plain_python(mode: str) -> None:
    scale, steps = np.array([1.0, 0.3]), 60
    normals, uniforms = numbers(steps, 2)
    drawn = tv.optimize.Recorded(normals, uniforms)
    chain = tv.optimize.hmc(
        lambda x: -0.5 * tv.sum((x / scale) ** 2), [0.5, 0.1], drawn.state, steps, draw=drawn.draw,
        step_size=0.45, length=5,
    )  # fmt: skip
    f = tv.function([], [chain.x, chain.accepted], mode=mode)
    points, accepted = f()

    x, expected, taken = np.array([0.5, 0.1]), [], []
    energy = lambda x, p: 0.5 * np.sum((x / scale) ** 2) + 0.5 * np.sum(p * p)  # noqa: E731
    for z, (u, _) in zip(normals, uniforms, strict=True):
        there, p = leapfrog(x, z, 0.45, 5, scale)
        taken.append(np.log(u) < energy(x, z) - energy(there, p))
        x = there if taken[-1] else x
        expected.append(x)
    np.testing.assert_allclose(points, expected, rtol=1e-9)
    assert accepted.tolist() == taken
    assert 0 < sum(taken) < steps
    assert f.counts() == {"nfev": 1 + 5 * steps, "njev": 1 + 5 * steps}


def test_hmc_has_the_moments_of_the_target() -> None:
    steps = 40_000
    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    precision = np.linalg.inv(covariance)
    centre = np.array([1.0, -2.0])
    inputs, drawn, values = of_draws(*numbers(steps, 2, seed=1))
    chain = tv.optimize.hmc(
        lambda x: -0.5 * tv.dot(x - centre, tv.dot(precision, x - centre)), np.zeros(2),
        drawn.state, steps, draw=drawn.draw, step_size=0.6, length=4,
    )  # fmt: skip
    points, rate = tv.function(inputs, [chain.x, tv.mean(chain.accepted)])(*values)
    np.testing.assert_allclose(points.mean(axis=0), centre, atol=0.03)
    np.testing.assert_allclose(np.cov(points.T), covariance, atol=0.06)
    assert rate > 0.8


def test_hmc_takes_masses() -> None:
    steps, scale = 20_000, np.array([1.0, 100.0])
    inputs, drawn, values = of_draws(*numbers(steps, 2, seed=2))
    chain = tv.optimize.hmc(
        lambda x: -0.5 * tv.sum((x / scale) ** 2), np.zeros(2), drawn.state, steps, draw=drawn.draw,
        step_size=0.5, length=4, mass=1.0 / scale**2,
    )  # fmt: skip
    points = tv.function(inputs, chain.x)(*values)
    np.testing.assert_allclose(points.std(axis=0) / scale, 1.0, rtol=0.05)


@pytest.mark.parametrize("mode", MODES)
def test_hmc_ends_a_trajectory_where_its_energy_diverges(mode: str, counting: Any) -> None:
    slope = counting(lambda x: x)
    watch = counting(lambda x: 0.5 * x * x, slope)
    drawn = recorded(30, 1)
    chain = tv.optimize.hmc(
        lambda x: -100.0 * watch(x), 0.1, drawn.state, 30, draw=drawn.draw, step_size=1.0, length=50
    )
    f = tv.function(
        [], [chain.x, chain.accepted, chain.history.diverged, chain.history.leaps], mode=mode
    )
    points, accepted, diverged, leaps = f()
    assert diverged.all()  # the step is far larger than is stable
    assert not accepted.any()
    np.testing.assert_array_equal(points, 0.1)
    assert 0 < leaps.max() < 5
    assert slope.runs == 1 + leaps.sum() == f.counts()["njev"]


def test_hmc_refuses_a_trajectory_that_leaves_the_support() -> None:
    drawn = recorded(200, 1)
    chain = tv.optimize.hmc(
        lambda x: tv.log(x) - x, 1.0, drawn.state, 200, draw=drawn.draw, step_size=0.9, length=6
    )
    points, diverged = tv.function([], [chain.x, chain.history.diverged])()
    assert points.min() > 0.0
    assert diverged.any()


def test_chains_of_several_starts_are_a_map() -> None:
    drawn = recorded(40, 1)
    starts = tv.vector("starts")

    def end(x0: Any) -> Any:
        chain = tv.optimize.metropolis(lambda x: -0.5 * x * x, x0, drawn.state, 40, draw=drawn.draw)
        return chain.last.x[0]

    ends = tv.function([starts], tv.map(end, starts))([0.0, 5.0])
    alone = tv.scalar("alone")
    f = tv.function([alone], end(alone))
    np.testing.assert_allclose(ends, [f(0.0), f(5.0)], rtol=1e-12)
