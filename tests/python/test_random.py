"""The numbers of draws: NumPy's bit for bit, or of the same distribution; parameters and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

Call = Callable[[Any], Any]

#: The same call of a generator of ours and of NumPy's, whose numbers have the same bits.
SAME: dict[str, Call] = {
    "random": lambda g: g.random(1000),
    "random of float32": lambda g: g.random(1001, dtype="float32"),
    "uniform": lambda g: g.uniform(-1.0, [2.0, 3.0], size=(500, 2)),
    "standard_normal": lambda g: g.standard_normal(20_000),
    "standard_normal of float32": lambda g: g.standard_normal(20_000, dtype="float32"),
    "normal": lambda g: g.normal(1.5, 2.5, size=(10, 20)),
    "normal of arrays": lambda g: g.normal([[1.0], [2.0]], [0.5, 1.0, 2.0]),
    "standard_exponential": lambda g: g.standard_exponential(20_000),
    "standard_exponential of float32": lambda g: g.standard_exponential(20_000, dtype="float32"),
    "exponential": lambda g: g.exponential([1.0, 2.0], size=(50, 2)),
    "standard_gamma": lambda g: g.standard_gamma([0.3, 1.0, 2.5], size=(1000, 3)),
    "standard_gamma of float32": lambda g: g.standard_gamma(0.7, 1000, dtype="float32"),
    "gamma of shape 0": lambda g: g.gamma(0.0, 2.0, 3),
    "gamma": lambda g: g.gamma([0.5, 3.0], 2.0, size=(100, 2)),
    "beta": lambda g: g.beta([0.5, 2.0, 1e-110], [0.7, 3.0, 1e-110], size=(300, 3)),
    "chisquare": lambda g: g.chisquare(3.0, 100),
    "f": lambda g: g.f(3.0, 5.0, 100),
    "standard_t": lambda g: g.standard_t(4.0, 100),
    "standard_cauchy": lambda g: g.standard_cauchy(100),
    "laplace": lambda g: g.laplace(1.0, 2.0, 100),
    "gumbel": lambda g: g.gumbel(1.0, 2.0, 100),
    "logistic": lambda g: g.logistic(1.0, 2.0, 100),
    "triangular": lambda g: g.triangular(-1.0, 0.5, 2.0, 100),
    "wald": lambda g: g.wald(2.0, 3.0, 100),
    "vonmises": lambda g: g.vonmises(0.5, [1e-9, 1e-6, 2.0, 1e7], size=(50, 4)),
    "poisson": lambda g: g.poisson([0.0, 3.0, 9.99, 10.0, 1e6], size=(500, 5)),
    "binomial by inversion": lambda g: g.binomial(10, [0.0, 0.3, 0.9, 1.0], size=(500, 4)),
    "binomial by rejection": lambda g: g.binomial([1000, 10**6], [0.3, 0.8], size=(5000, 2)),
    "negative_binomial": lambda g: g.negative_binomial(5.0, 0.3, 100),
    "geometric": lambda g: g.geometric([0.6, 0.1, 1.0], size=(100, 3)),
    "logseries": lambda g: g.logseries(0.8, 100),
    "zipf": lambda g: g.zipf([1.5, 3.0, 2000.0], size=(100, 3)),
    "multinomial": lambda g: g.multinomial(20, [0.2, 0.3, 0.5], size=50),
    "multinomial of arrays": lambda g: g.multinomial([5, 10], [[0.2, 0.8], [0.5, 0.5]]),
    "permutation": lambda g: g.permutation(1000),
    "permutation of rows": lambda g: g.permutation(np.arange(12).reshape(4, 3)),
    "permutation of columns": lambda g: g.permutation(np.arange(12).reshape(3, 4), axis=1),
    "choice": lambda g: g.choice(10, (3, 4)),
    "choice of an array": lambda g: g.choice([5.0, 6.0, 7.0], 10),
    "choice by p": lambda g: g.choice([5.0, 6.0, 7.0], 100, p=[0.2, 0.3, 0.5]),
    "choice without replacement": lambda g: g.choice(10, 4, replace=False),
    "choice of all": lambda g: g.choice(100, (10, 10), replace=False),
    "choice in order": lambda g: g.choice(1000, 50, replace=False, shuffle=False),
    "choice of many": lambda g: g.choice(20_000, 15_000, replace=False),
    "nothing": lambda g: g.normal(size=(0, 3)),
}

#: The same to the last digits: another exp, or another order of additions.
CLOSE: dict[str, Call] = {
    "lognormal": lambda g: g.lognormal(1.0, 0.5, 100),
    "rayleigh": lambda g: g.rayleigh(2.0, 100),
    "weibull": lambda g: g.weibull(2.0, 100),
    "pareto": lambda g: g.pareto(2.0, 100),
    "power": lambda g: g.power(2.0, 100),
    "dirichlet": lambda g: g.dirichlet([1.0, 2.0, 3.0], 100),
    "multivariate_normal": lambda g: _multivariate_normal(g),
}

INTEGERS = [
    (dtype, low, last)
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    for info in [np.iinfo(dtype)]
    for low, last in [
        (0, 99), (int(info.min), int(info.max)), (5, 5), (int(info.min) // 2, int(info.max) // 2),
        (0, int(min(info.max, 2**32 - 1))), (0, int(min(info.max, 2**33))),
    ]
] + [("bool", 0, 1), ("bool", 0, 0), ("bool", 1, 1)]  # fmt: skip


def _multivariate_normal(g: Any) -> Any:
    cov = np.array([[2.0, 0.5], [0.5, 1.0]])
    if isinstance(g, np.random.Generator):
        return g.multivariate_normal([1.0, 2.0], cov, 50, method="cholesky")
    return g.multivariate_normal([1.0, 2.0], cov, 50)


def both(call: Call, mode: str | None = None) -> tuple[Any, Any]:
    """Return our numbers and NumPy's, and check that the states behind them are the same."""
    ours, numpys = tv.random.Generator(5), np.random.default_rng(5)
    found, wanted = tv.function([], call(ours), mode=mode)(), call(numpys)
    assert found.dtype == wanted.dtype
    assert ours.state == numpys.bit_generator.state
    return found, wanted


@pytest.mark.parametrize("call", SAME.values(), ids=SAME.keys())
def test_numbers_have_the_bits_of_numpys(call: Call) -> None:
    np.testing.assert_array_equal(*both(call), strict=True)


@pytest.mark.parametrize("mode", ["py", "c&py"])
@pytest.mark.parametrize("call", SAME.values(), ids=SAME.keys())
def test_both_implementations_give_the_same_numbers(call: Call, mode: str) -> None:
    np.testing.assert_array_equal(*both(call, mode), strict=True)


@pytest.mark.parametrize("call", CLOSE.values(), ids=CLOSE.keys())
def test_compositions_give_numpys_numbers_to_the_last_digits(call: Call) -> None:
    np.testing.assert_allclose(*both(call), rtol=1e-13)


@pytest.mark.parametrize(("dtype", "low", "last"), INTEGERS)
def test_integers_have_numpys_bits(dtype: str, low: int, last: int) -> None:
    def call(g: Any) -> Any:
        return g.integers(low, last, 999, dtype=dtype, endpoint=True)

    np.testing.assert_array_equal(*both(call), strict=True)


def test_a_million_normal_numbers_have_numpys_bits() -> None:
    np.testing.assert_array_equal(*both(lambda g: g.standard_normal(1_000_000)))


def test_integers_take_bounds_as_numpy_does() -> None:
    np.testing.assert_array_equal(*both(lambda g: g.integers(10, size=20)))
    np.testing.assert_array_equal(*both(lambda g: g.integers([3, 5, 9])))
    np.testing.assert_array_equal(*both(lambda g: g.integers(0, 2**64, 9, dtype="uint64")))
    np.testing.assert_array_equal(*both(lambda g: g.integers(-(2**63), 2**63, 9)))


def test_bounds_and_sizes_may_be_variables() -> None:
    high, n = tv.lscalar("high"), tv.lscalar("n")
    f = tv.function([high, n], tv.random.Generator(5).integers(2, high, size=(n, 2)))
    expected = np.random.default_rng(5)
    for top, count in ((10, 3), (100, 0), (7, 5)):
        np.testing.assert_array_equal(f(top, count), expected.integers(2, top, (count, 2)))


def test_a_size_may_be_that_of_another_array() -> None:
    x = tv.matrix("x")
    f = tv.function([x], tv.random.Generator(5).normal(x, 1.0))
    values = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(f(values), np.random.default_rng(5).normal(values, 1.0))


def test_a_child_of_a_seed_sequence_is_a_seed() -> None:
    seeds = np.random.SeedSequence(7, spawn_key=(3,))
    f = tv.function([], tv.random.Generator(seeds).random(3))
    np.testing.assert_array_equal(f(), np.random.default_rng(seeds).random(3))


@pytest.mark.parametrize("shape", [(9,), (4, 3)])
def test_a_shuffled_array_is_numpys_and_the_array_stays(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape)).reshape(shape)
    f = tv.function([], tv.random.Generator(5).shuffle(x))
    expected = x.copy()
    np.random.default_rng(5).shuffle(expected)
    np.testing.assert_array_equal(f(), expected)
    np.testing.assert_array_equal(x, np.arange(np.prod(shape)).reshape(shape))


def test_functions_of_a_state_draw_what_the_methods_do() -> None:
    state, x = tv.random.laplace(tv.random.key(5), 1.0, 2.0, size=3)
    _, y = tv.random.geometric(state, 0.25, size=2)
    a, b = tv.function([], [x, y])()
    expected = np.random.default_rng(5)
    np.testing.assert_array_equal(a, expected.laplace(1.0, 2.0, 3))
    np.testing.assert_array_equal(b, expected.geometric(0.25, 2))


def test_other_bit_generators_are_refused() -> None:
    with pytest.raises(TypeError, match="only the streams of PCG64"):
        tv.random.Generator(np.random.MT19937(1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: g.beta(0.0, 1.0, 2), "a <= 0"),
        (lambda g: g.standard_gamma(-1.0, 2), "shape < 0"),
        (lambda g: g.poisson(-1.0, 2), "lam < 0 or lam is NaN"),
        (lambda g: g.poisson(1e19, 2), "lam value too large"),
        (lambda g: g.binomial(-1, 0.5, 2), "n < 0"),
        (lambda g: g.binomial(5, 1.5, 2), "p < 0, p > 1 or p is NaN"),
        (lambda g: g.geometric(0.0, 2), "p <= 0, p > 1"),
        (lambda g: g.logseries(1.0, 2), "p >= 1"),
        (lambda g: g.zipf(1.0, 2), "a <= 1"),
        (lambda g: g.triangular(1.0, 0.0, 2.0, 2), "left > mode"),
        (lambda g: g.multinomial(5, [0.9, 0.9, 0.1]), "sum"),
        (lambda g: g.integers(5, 5, 2), "low"),
        (lambda g: g.integers(0, 300, 2, dtype="uint8"), "high is out of bounds for uint8"),
        (lambda g: g.choice(3, 5, replace=False), "Cannot take a larger sample"),
        (lambda g: g.normal(size=(2, -1)), "negative dimensions are not allowed"),
        (lambda g: g.beta([1.0, 2.0], 1.0, 3), "does not broadcast"),
    ],
)
def test_parameters_that_numpy_refuses_are_refused_when_they_are_drawn_from(
    call: Call, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        tv.function([], call(tv.random.Generator(1)))()


def test_a_nan_is_a_parameter_as_numpy_has_it() -> None:
    assert np.isnan(tv.function([], tv.random.Generator(1).normal(np.nan, 1.0))())


@pytest.mark.parametrize(
    ("drawn", "mean", "variance"),
    [
        (lambda g: g.bernoulli(0.25, 100_000), 0.25, 0.1875),
        (lambda g: g.categorical([1.0, 1.0, 2.0], 100_000), 1.25, 0.6875),
        (lambda g: g.student_t(10.0, 1.0, 2.0, 100_000), 1.0, 5.0),
        (lambda g: g.dirichlet([1.0, 2.0, 5.0], 100_000)[:, 2], 0.625, 0.0260417),
        (lambda g: g.stream().normal(1.0, 2.0, 100_000), 1.0, 4.0),
        (lambda g: g.cauchy(3.0, 2.0, 100_000) > 3.0, 0.5, 0.25),
    ],
    ids=["bernoulli", "categorical", "student_t", "dirichlet", "stream", "cauchy"],
)
def test_moments_are_those_of_the_distribution(drawn: Call, mean: float, variance: float) -> None:
    values = np.asarray(tv.function([], drawn(tv.random.Generator(11)))(), float)
    assert abs(values.mean() - mean) < 5 * np.sqrt(variance / values.size)
    assert abs(values.var() / variance - 1) < 0.05


def test_rows_of_weights_draw_one_kind_each() -> None:
    drawn = tv.random.Generator(1).categorical([[0.0, 1.0], [1.0, 0.0], [0.0, 3.0]])
    np.testing.assert_array_equal(tv.function([], drawn)(), [1, 0, 1])


SLOPES: dict[str, tuple[Call, float]] = {
    "uniform": (lambda g, a=None: g.uniform(0.0, a), 2.0),
    "normal": (lambda g, a=None: g.normal(1.0, a), 2.0),
    "laplace": (lambda g, a=None: g.laplace(1.0, a), 2.0),
    "gumbel": (lambda g, a=None: g.gumbel(1.0, a), 2.0),
    "logistic": (lambda g, a=None: g.logistic(1.0, a), 2.0),
    "exponential": (lambda g, a=None: g.exponential(a), 2.0),
    "lognormal": (lambda g, a=None: g.lognormal(0.5, a), 2.0),
    "weibull": (lambda g, a=None: g.weibull(a), 2.0),
    "pareto": (lambda g, a=None: g.pareto(a), 2.0),
    "power": (lambda g, a=None: g.power(a), 2.0),
    "rayleigh": (lambda g, a=None: g.rayleigh(a), 2.0),
    "gamma": (lambda g, a=None: g.gamma(2.0, a), 2.0),
}


@pytest.mark.parametrize(("call", "at"), SLOPES.values(), ids=SLOPES.keys())
def test_the_gradient_is_that_of_the_same_bits(call: Any, at: float) -> None:
    a = tv.scalar("a")
    drawn = call(tv.random.Stream(tv.random.key(2)), a)
    slope = tv.function([a], tv.grad(drawn, a), on_unused_input="ignore")(at)
    h = 1e-6
    above, below = (call(np.random.default_rng(2), at + d) for d in (h, -h))
    np.testing.assert_allclose(slope, (above - below) / (2 * h), rtol=1e-6)


def test_a_shape_has_no_gradient_and_the_error_says_what_to_do() -> None:
    a = tv.scalar("a")
    with pytest.raises(NotImplementedError, match="stop_gradient"):
        tv.grad(tv.random.Generator(1).standard_gamma(a), a)


def test_counts_are_disconnected_from_their_parameters() -> None:
    lam = tv.scalar("lam")
    cost = lam * tv.random.Generator(1).poisson(tv.abs(lam) + 100.0)
    slope, count = tv.function([lam], [tv.grad(cost, lam), cost / lam])(2.0)
    assert slope == count
