"""Special functions that are composed of others: values, and slopes at their edges."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]
INF, NAN, PI = math.inf, math.nan, math.pi
EULER = 0.5772156649015329
log = math.log

Row = tuple[tuple[float, ...], float, tuple[float, ...]]

#: By name: the function, and rows of (arguments, value, derivatives).
CASES: dict[str, tuple[Callable[..., Any], list[Row]]] = {
    "expit": (tv.expit, [((0.0,), 0.5, (0.25,)), ((-1000.0,), 0.0, (0.0,))]),
    "logit": (
        tv.logit,
        [
            ((0.0,), -INF, (INF,)),
            ((1.0,), INF, (INF,)),
            ((0.5,), 0.0, (4.0,)),
            ((0.5 + 2**-40,), 2 * math.atanh(2**-39), (4.0,)),
            ((1e-300,), -300 * log(10), (1e300,)),
            ((0.25,), -log(3), (16 / 3,)),
            ((0.75,), log(3), (16 / 3,)),
            ((-0.1,), NAN, (NAN,)),
        ],
    ),
    "xlogy": (
        tv.xlogy,
        [
            ((2.0, 3.0), 2 * log(3), (log(3), 2 / 3)),
            ((0.0, 3.0), 0.0, (log(3), 0.0)),
            ((0.0, 0.0), 0.0, (-INF, 0.0)),
            ((0.0, INF), 0.0, (INF, 0.0)),
            ((0.0, -1.0), 0.0, (0.0, 0.0)),
            ((0.0, NAN), NAN, (NAN, NAN)),
            ((2.0, 0.0), -INF, (-INF, INF)),
        ],
    ),
    "xlog1py": (
        tv.xlog1py,
        [
            ((2.0, 1e-20), 2e-20, (1e-20, 2.0)),
            ((0.0, 2.0), 0.0, (log(3), 0.0)),
            ((0.0, -1.0), 0.0, (-INF, 0.0)),
            ((0.0, -2.0), 0.0, (0.0, 0.0)),
        ],
    ),
    "entr": (
        tv.entr,
        [
            ((0.0,), 0.0, (INF,)),
            ((0.5,), log(2) / 2, (log(2) - 1,)),
            ((-1.0,), -INF, (0.0,)),
            ((1.0,), 0.0, (-1.0,)),
            ((NAN,), NAN, (NAN,)),
        ],
    ),
    "rel_entr": (
        tv.rel_entr,
        [
            ((2.0, 3.0), 2 * log(2 / 3), (log(2 / 3) + 1, -2 / 3)),
            ((0.0, 3.0), 0.0, (-INF, 0.0)),
            ((0.0, 0.0), 0.0, (0.0, 0.0)),
            ((1.0, 0.0), INF, (0.0, 0.0)),
            ((-1.0, 1.0), INF, (0.0, 0.0)),
            ((1e200, 1e-200), 1e200 * 400 * log(10), (400 * log(10) + 1, -INF)),
            ((1.0, NAN), NAN, (1.0, 1.0)),
        ],
    ),
    "kl_div": (
        tv.kl_div,
        [
            ((2.0, 3.0), 2 * log(2 / 3) + 1, (log(2 / 3), 1 / 3)),
            ((0.0, 3.0), 3.0, (-INF, 1.0)),
            ((0.0, 0.0), 0.0, (-1.0, 1.0)),
            ((1.0, -1.0), INF, (0.0, 0.0)),
        ],
    ),
    "betaln": (
        tv.betaln,
        [
            ((1.0, 1.0), 0.0, (-1.0, -1.0)),
            ((2.0, 3.0), -log(12), (-13 / 12, -7 / 12)),
            ((1.0, 1e10), -10 * log(10), (-(10 * log(10) + EULER + 5e-11), -1e-10)),
            ((1e10, 1.0), -10 * log(10), (-1e-10, -(10 * log(10) + EULER + 5e-11))),
            ((2.0, 20.0), -log(420), (-(1 / 20 + 1 / 21 + sum(1 / k for k in range(2, 20))), NAN)),
            ((-0.5, 2.0), log(4), (NAN, NAN)),
        ],
    ),
    "beta": (
        tv.beta,
        [
            ((2.0, 3.0), 1 / 12, (-13 / 144, -7 / 144)),
            ((-0.5, 2.0), -4.0, (NAN, 4.0 - 8.0 * log(2))),
        ],
    ),
    "log1mexp": (
        tv.log1mexp,
        [
            ((-1e-20,), log(1e-20), (-1e20,)),
            ((-1.0,), log(-math.expm1(-1)), (-1 / math.expm1(1),)),
            ((-800.0,), 0.0, (0.0,)),
            ((0.0,), -INF, (-INF,)),
            ((-INF,), 0.0, (0.0,)),
            ((1.0,), NAN, (NAN,)),
        ],
    ),
    "sinc": (
        tv.sinc,
        [
            ((0.0,), 1.0, (0.0,)),
            ((1e-9,), 1.0, (-PI**2 / 3 * 1e-9,)),
            ((1e-3,), 1 - (PI * 1e-3) ** 2 / 6 + (PI * 1e-3) ** 4 / 120, (NAN,)),
            ((0.5,), 2 / PI, (-4 / PI,)),
            ((-0.5,), 2 / PI, (4 / PI,)),
        ],
    ),
    "boxcox": (
        tv.boxcox,
        [
            ((3.0, 2.0), 4.0, (3.0, (9 * 2 * log(3) - 8) / 4)),
            ((3.0, 0.0), log(3), (1 / 3, log(3) ** 2 / 2)),
            (
                (3.0, 1e-12),
                log(3) + 5e-13 * log(3) ** 2,
                (3 ** (1e-12 - 1), log(3) ** 2 / 2 + log(3) ** 3 / 3e12),
            ),
            ((0.0, 2.0), -0.5, (0.0, 0.25)),
            ((0.0, 1.0), -1.0, (1.0, 1.0)),
            ((0.0, 0.5), -2.0, (INF, 4.0)),
            ((0.0, 0.0), -INF, (INF, NAN)),
            ((0.0, -1.0), -INF, (INF, NAN)),
            ((1.0, 5.0), 0.0, (1.0, 0.0)),
            ((-1.0, 2.0), NAN, (NAN, NAN)),
        ],
    ),
    "boxcox1p": (
        tv.boxcox1p,
        [
            ((2.0, 2.0), 4.0, (3.0, (9 * 2 * log(3) - 8) / 4)),
            ((1e-10, 1e10), math.expm1(1 - 5e-11) / 1e10, (math.exp(1 - 15e-11), NAN)),
            ((1e-20, 0.0), 1e-20, (1.0, 5e-41)),
            ((-1.0, 2.0), -0.5, (0.0, 0.25)),
            ((-1.0, 0.0), -INF, (INF, NAN)),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes(name: str, mode: str) -> None:
    """A derivative of NaN in a row stands for one that no short formula gives."""
    function, rows = CASES[name]
    inputs = [tv.vector(f"x{i}") for i in range(len(rows[0][0]))]
    out = function(*inputs)
    f = tv.function(inputs, [out, *tv.grad(tv.sum(out), inputs)], mode=mode)
    arguments = [np.array(column) for column in zip(*(row[0] for row in rows), strict=True)]
    value, *slopes = f(*arguments)
    np.testing.assert_allclose(value, [row[1] for row in rows], rtol=1e-13, atol=1e-300)
    for j, slope in enumerate(slopes):
        for row, found in zip(rows, slope, strict=True):
            if not math.isnan(row[2][j]):
                np.testing.assert_allclose(found, row[2][j], rtol=2e-13, err_msg=str(row))


POINTS: dict[str, list[Any]] = {
    "expit": [[-2.0, 0.3, 5.0]],
    "logit": [[0.01, 0.26, 0.4, 0.74, 0.99]],
    "xlogy": [[-1.0, 0.0, 2.0], [0.5, 3.0, 7.0]],
    "xlog1py": [[-1.0, 0.0, 2.0], [-0.5, 3.0, 7.0]],
    "entr": [[0.01, 0.3, 2.0]],
    "rel_entr": [[0.01, 0.3, 2.0], [0.5, 3.0, 1.0]],
    "kl_div": [[0.01, 0.3, 2.0], [0.5, 3.0, 1.0]],
    "betaln": [[0.5, 3.0, 20.0, 11.0, 30.0, 12.0], [2.0, 9.0, 1.5, 40.0, 10.5, 12.0]],
    "beta": [[0.5, 3.0, 2.0], [2.0, 1.5, 4.0]],
    "log1mexp": [[-0.1, -0.69, -0.7, -3.0]],
    "sinc": [[-1.5, -0.16, -0.01, 0.158, 0.16, 2.3]],
    "boxcox": [[0.3, 1.0, 2.0, 2.0, 5.0], [2.0, 0.7, 0.3, -1.0, 0.01]],
    "boxcox1p": [[-0.7, 0.0, 1.0, 1.0, 4.0], [2.0, 0.7, 0.3, -1.0, 0.01]],
}


@pytest.mark.parametrize("name", POINTS)
def test_slopes_against_differences(name: str) -> None:
    tv.verify_grad(getattr(tv, name), [np.array(point) for point in POINTS[name]], rel_tol=1e-6)
    inputs = [tv.vector(f"x{i}") for i in range(len(POINTS[name]))]
    first = tv.grad(tv.sum(getattr(tv, name)(*inputs)), inputs[0])
    f = tv.function(inputs, tv.grad(tv.sum(first), inputs[0]), mode="FAST_COMPILE")
    g = tv.function(inputs, first, mode="FAST_COMPILE")
    at, *others = (np.array(point) for point in POINTS[name])
    difference = (g(at + 1e-5, *others) - g(at - 1e-5, *others)) / 2e-5
    np.testing.assert_allclose(f(at, *others), difference, rtol=1e-5, atol=1e-7)


def test_second_derivative_of_sinc_at_zero() -> None:
    x = tv.scalar("x")
    second = tv.grad(tv.grad(tv.sinc(x), x), x)
    assert tv.function([x], second)(0.0) == pytest.approx(-(PI**2) / 3, rel=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_the_dtype_of_floats_stays_and_integers_become_floats(name: str) -> None:
    function, rows = CASES[name]
    for dtype, wanted in (("float32", "float32"), ("int64", "float64")):
        inputs = [tv.vector(f"x{i}", dtype=dtype) for i in range(len(rows[0][0]))]
        assert function(*inputs).dtype == wanted


def harmonic(n: int) -> Fraction:
    return sum((Fraction(1, k) for k in range(1, n + 1)), Fraction())


@pytest.mark.parametrize(("a", "b"), [(1, 9), (3, 10), (9, 11), (10, 10), (12, 400), (300, 2)])
def test_betaln_of_whole_numbers(a: int, b: int) -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    z = tv.betaln(x, y)
    value, by_x, by_y = tv.function([x, y], [z, *tv.grad(z, [x, y])])(a, b)
    whole = Fraction(math.factorial(a - 1) * math.factorial(b - 1), math.factorial(a + b - 1))
    exact = log(whole.numerator) - log(whole.denominator)
    assert value == pytest.approx(exact, rel=2e-14)
    assert by_x == pytest.approx(float(harmonic(a - 1) - harmonic(a + b - 1)), rel=1e-12)
    assert by_y == pytest.approx(float(harmonic(b - 1) - harmonic(a + b - 1)), rel=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_multigammaln(mode: str) -> None:
    a = tv.vector("a")
    y = tv.multigammaln(a, 3)
    value, slope = tv.function([a], [y, tv.grad(tv.sum(y), a)], mode=mode)([2.5, 4.0, 1.0])
    expected = [1.5 * log(PI) + sum(math.lgamma(at - j / 2) for j in range(3)) for at in (2.5, 4.0)]
    np.testing.assert_allclose(value, [*expected, NAN], rtol=1e-14)
    assert slope[2] == 0.0
    tv.verify_grad(lambda x: tv.multigammaln(x, 3), [[2.5, 4.0]])


def test_multigammaln_of_no_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[multigammaln\] d is 0; the dimension has to be at le"):
        tv.multigammaln(tv.scalar("a"), 0)


def test_sinc_is_numpys() -> None:
    x = tv.vector("x")
    at = np.array([-7.3, -1.0, 0.0, 1e-8, 0.1, 3.0, 4.25])
    np.testing.assert_allclose(
        tv.function([x], np.sinc(x))(at), np.sinc(at), rtol=1e-13, atol=1e-16
    )
