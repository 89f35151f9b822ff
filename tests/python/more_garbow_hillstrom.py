"""The first 19 problems of J. Moré, B. Garbow and K. Hillstrom, Testing unconstrained optimization
software, ACM TOMS 7, 1981: sums of squares, with the optima that they publish.

The bounds, and the optima within them, are those of D. Gay, A trust-region approach to linearly
constrained optimization, 1984. The functions are NumPy's, which take arrays and Variables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Residuals = Callable[[Any], Any]


@dataclass(frozen=True)
class Problem:
    """A sum of squares.

    Parameters
    ----------
    name : str
        What the authors call it.
    residuals : callable
        From x to the terms.
    start : tuple of float
        The standard starting point.
    optima : tuple of float
        The sum at the local minima that are published.
    bounds : tuple of (lower, upper, optimum), optional
        Bounds, and the sum at the solution within them.
    """

    name: str
    residuals: Residuals
    start: tuple[float, ...]
    optima: tuple[float, ...]
    bounds: tuple[tuple[float, ...], tuple[float, ...], float] | None = None

    def sum_of_squares(self, x: Any) -> Any:
        """Return the value to minimise."""
        return (self.residuals(x) ** 2).sum()


def numbers(text: str) -> Any:
    return np.array(text.split(), dtype=float)


def rosenbrock(x: Any) -> Any:
    return np.stack([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]])


def freudenstein_roth(x: Any) -> Any:
    return np.stack(
        [
            -13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1],
            -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1],
        ]
    )


def powell_badly_scaled(x: Any) -> Any:
    return np.stack([1e4 * x[0] * x[1] - 1.0, np.exp(-x[0]) + np.exp(-x[1]) - 1.0001])


def brown_badly_scaled(x: Any) -> Any:
    return np.stack([x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2.0])


def beale(x: Any) -> Any:
    i = np.arange(1.0, 4.0)
    return np.array([1.5, 2.25, 2.625]) - x[0] * (1.0 - x[1] ** i)


def jennrich_sampson(x: Any) -> Any:
    i = np.arange(1.0, 11.0)
    return 2.0 + 2.0 * i - (np.exp(i * x[0]) + np.exp(i * x[1]))


def helical_valley(x: Any) -> Any:
    turns = np.arctan(x[1] / x[0]) / (2.0 * np.pi) + np.where(x[0] > 0.0, 0.0, 0.5)
    length = np.sqrt(x[0] ** 2 + x[1] ** 2)
    return np.stack([10.0 * (x[2] - 10.0 * turns), 10.0 * (length - 1.0), x[2]])


BARD = numbers(
    """
    0.14 0.18 0.22 0.25 0.29 0.32 0.35 0.39 0.37 0.58 0.73 0.96 1.34 2.10 4.39
    """
)


def bard(x: Any) -> Any:
    u = np.arange(1.0, 16.0)
    v = 16.0 - u
    return BARD - (x[0] + u / (v * x[1] + np.minimum(u, v) * x[2]))


GAUSSIAN = numbers(
    """
    0.0009 0.0044 0.0175 0.0540 0.1295 0.2420 0.3521 0.3989 0.3521 0.2420 0.1295 0.0540 0.0175
    0.0044 0.0009
    """
)


def gaussian(x: Any) -> Any:
    t = (8.0 - np.arange(1.0, 16.0)) / 2.0
    return x[0] * np.exp(-x[1] * (t - x[2]) ** 2 / 2.0) - GAUSSIAN


MEYER = numbers(
    """
    34780.0 28610.0 23650.0 19630.0 16370.0 13720.0 11540.0 9744.0 8261.0 7030.0 6005.0 5147.0
    4427.0 3820.0 3307.0 2872.0
    """
)


def meyer(x: Any) -> Any:
    t = 45.0 + 5.0 * np.arange(1.0, 17.0)
    return x[0] * np.exp(x[1] / (t + x[2])) - MEYER


def gulf(x: Any) -> Any:
    t = np.arange(1.0, 100.0) / 100.0
    y = 25.0 + (-50.0 * np.log(t)) ** (2.0 / 3.0)
    return np.exp(-(np.abs(y - x[1]) ** x[2]) / x[0]) - t


def box(x: Any) -> Any:
    t = 0.1 * np.arange(1.0, 11.0)
    return np.exp(-t * x[0]) - np.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10.0 * t))


def powell_singular(x: Any) -> Any:
    return np.stack(
        [
            x[0] + 10.0 * x[1],
            np.sqrt(5.0) * (x[2] - x[3]),
            (x[1] - 2.0 * x[2]) ** 2,
            np.sqrt(10.0) * (x[0] - x[3]) ** 2,
        ]
    )


def wood(x: Any) -> Any:
    return np.stack(
        [
            10.0 * (x[1] - x[0] ** 2),
            1.0 - x[0],
            np.sqrt(90.0) * (x[3] - x[2] ** 2),
            1.0 - x[2],
            np.sqrt(10.0) * (x[1] + x[3] - 2.0),
            (x[1] - x[3]) / np.sqrt(10.0),
        ]
    )


KOWALIK_OSBORNE = numbers(
    """
    0.1957 0.1947 0.1735 0.1600 0.0844 0.0627 0.0456 0.0342 0.0323 0.0235 0.0246
    """
)


def kowalik_osborne(x: Any) -> Any:
    u = np.array([4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
    return KOWALIK_OSBORNE - x[0] * (u**2 + u * x[1]) / (u**2 + u * x[2] + x[3])


def brown_dennis(x: Any) -> Any:
    t = np.arange(1.0, 21.0) / 5.0
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


OSBORNE_1 = numbers(
    """
    0.844 0.908 0.932 0.936 0.925 0.908 0.881 0.850 0.818 0.784 0.751 0.718 0.685 0.658 0.628
    0.603 0.580 0.558 0.538 0.522 0.506 0.490 0.478 0.467 0.457 0.448 0.438 0.431 0.424 0.420
    0.414 0.411 0.406
    """
)


def osborne_1(x: Any) -> Any:
    t = 10.0 * np.arange(33.0)
    return OSBORNE_1 - (x[0] + x[1] * np.exp(-t * x[3]) + x[2] * np.exp(-t * x[4]))


def biggs(x: Any) -> Any:
    t = 0.1 * np.arange(1.0, 14.0)
    y = np.exp(-t) - 5.0 * np.exp(-10.0 * t) + 3.0 * np.exp(-4.0 * t)
    return x[2] * np.exp(-t * x[0]) - x[3] * np.exp(-t * x[1]) + x[5] * np.exp(-t * x[4]) - y


OSBORNE_2 = numbers(
    """
    1.366 1.191 1.112 1.013 0.991 0.885 0.831 0.847 0.786 0.725 0.746 0.679 0.608 0.655 0.616
    0.606 0.602 0.626 0.651 0.724 0.649 0.649 0.694 0.644 0.624 0.661 0.612 0.558 0.533 0.495
    0.500 0.423 0.395 0.375 0.372 0.391 0.396 0.405 0.428 0.429 0.523 0.562 0.607 0.653 0.672
    0.708 0.633 0.668 0.645 0.632 0.591 0.559 0.597 0.625 0.739 0.710 0.729 0.720 0.636 0.581
    0.428 0.292 0.162 0.098 0.054
    """
)


def osborne_2(x: Any) -> Any:
    t = np.arange(65.0) / 10.0
    return OSBORNE_2 - (
        x[0] * np.exp(-t * x[4])
        + x[1] * np.exp(-((t - x[8]) ** 2) * x[5])
        + x[2] * np.exp(-((t - x[9]) ** 2) * x[6])
        + x[3] * np.exp(-((t - x[10]) ** 2) * x[7])
    )


PROBLEMS = [
    Problem("1 Rosenbrock", rosenbrock, (-1.2, 1.0), (0.0,), ((-50, 0), (0.5, 100), 0.25)),
    Problem("2 Freudenstein and Roth", freudenstein_roth, (0.5, -2.0), (0.0, 48.98425)),
    Problem("3 Powell badly scaled", powell_badly_scaled, (0.0, 1.0), (0.0,),
            ((0, 1), (1, 9), 1.5125900e-10)),
    Problem("4 Brown badly scaled", brown_badly_scaled, (1.0, 1.0), (0.0,),
            ((0, 3e-5), (1e6, 100), 784.0)),
    Problem("5 Beale", beale, (1.0, 1.0), (0.0,), ((0.6, 0.5), (10, 100), 0.0)),
    Problem("6 Jennrich and Sampson", jennrich_sampson, (0.3, 0.4), (124.3622,)),
    Problem("7 helical valley", helical_valley, (-1.0, 0.0, 0.0), (0.0,),
            ((-100, -1, -1), (0.8, 1, 1), 0.99042212)),
    Problem("8 Bard", bard, (1.0, 1.0, 1.0), (8.214877e-3, 17.42869)),
    Problem("9 Gaussian", gaussian, (0.4, 1.0, 0.0), (1.127933e-8,),
            ((0.398, 1, -0.5), (4.2, 2, 0.1), 1.1279300e-8)),
    Problem("10 Meyer", meyer, (0.02, 4000.0, 250.0), (87.94586,)),
    Problem("11 Gulf research and development", gulf, (5.0, 2.5, 0.15), (0.0,)),
    Problem("12 Box", box, (0.0, 10.0, 20.0), (0.0,)),
    Problem("13 Powell singular", powell_singular, (3.0, -1.0, 0.0, 1.0), (0.0,),
            ((0.1, -20, -1, -1), (100, 20, 1, 50), 1.8781963e-4)),
    Problem("14 Wood", wood, (-3.0, -1.0, -3.0, -1.0), (0.0,),
            ((-100,) * 4, (0, 10, 100, 100), 1.5567008)),
    Problem("15 Kowalik and Osborne", kowalik_osborne, (0.25, 0.39, 0.415, 0.39),
            (3.075056e-4, 1.027345e-3)),
    Problem("16 Brown and Dennis", brown_dennis, (25.0, 5.0, -5.0, -1.0), (85822.20,),
            ((-10, 0, -100, -20), (100, 15, 0, 0.2), 88860.479)),
    Problem("17 Osborne 1", osborne_1, (0.5, 1.5, -1.0, 0.01, 0.02), (5.464895e-5,)),
    Problem("18 Biggs EXP6", biggs, (1.0, 2.0, 1.0, 1.0, 1.0, 1.0), (5.655650e-3, 0.0),
            ((0, 0, 0, 1, 0, 0), (2, 8, 1, 7, 5, 5), 5.3209865e-4)),
    Problem("19 Osborne 2", osborne_2,
            (1.3, 0.65, 0.65, 0.7, 0.6, 3.0, 5.0, 7.0, 2.0, 4.5, 5.5), (4.013774e-2,)),
]  # fmt: skip
