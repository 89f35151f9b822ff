"""The problems of Alefeld, Potra and Shi (ACM TOMS 21, 1995): a root in a bracket, of 15 kinds.

Each is a function of x and a number n, and a list of (n, a, b).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv


class Problem(NamedTuple):
    """A function ``fun(x, n)``, and brackets ``(n, a, b)``."""

    fun: Callable[[Any, Any], Any]
    brackets: list[tuple[float, float, float]]


def over(numbers: Any, a: float, b: float) -> list[tuple[float, float, float]]:
    return [(float(n), a, b) for n in numbers]


def poles(x: Any, n: Any) -> Any:
    return -2.0 * sum((2 * i - 5) ** 2 / (x - i**2) ** 3 for i in range(1, 21))


def jump(x: Any, n: Any) -> Any:
    steep = tv.exp((n + 1.0) * x / 2.0 * 1000.0) - 1.859
    return tv.cond([(x < 0.0, -0.859), (x > 2e-3 / (1.0 + n), np.e - 1.859)], steep)


def kink(x: Any, n: Any) -> Any:
    return tv.ifelse(x >= 0.0, n / 20.0 * (x / 1.5 + tv.sin(x) - 1.0), -n / 20.0)


PROBLEMS: dict[str, Problem] = {
    "1 sine": Problem(lambda x, n: tv.sin(x) - x / 2.0, [(1.0, np.pi / 2.0, np.pi)]),
    "2 poles": Problem(poles, [(n, n**2 + 1e-9, (n + 1.0) ** 2 - 1e-9) for n in range(1, 11)]),
    "3 exponential": Problem(
        lambda x, n: -(n + 1.0) * 20.0 * x * tv.exp(-n * x), over([1.0, 2.0, 3.0], -9.0, 31.0)
    ),
    "4 power, 0.2": Problem(lambda x, n: x**n - 0.2, over(range(4, 14, 2), 0.0, 5.0)),
    "4 power, 1": Problem(
        lambda x, n: x ** n.astype("int64") - 1.0,
        [*over(range(4, 14, 2), 0.0, 5.0), *over(range(8, 16, 2), -0.95, 4.05)],
    ),
    "5 sine": Problem(lambda x, n: tv.sin(x) - 0.5, [(1.0, 0.0, 1.5)]),
    "6 exponentials": Problem(
        lambda x, n: 2.0 * x * tv.exp(-n) - 2.0 * tv.exp(-n * x) + 1.0,
        over([1, 2, 3, 4, 5, 20, 40, 60, 80, 100], 0.0, 1.0),
    ),
    "7 square": Problem(
        lambda x, n: (1.0 + (1.0 - n) ** 2) * x - (1.0 - n * x) ** 2, over([5, 10, 20], 0.0, 1.0)
    ),
    "8 power": Problem(lambda x, n: x**2 - (1.0 - x) ** n, over([2, 5, 10, 15, 20], 0.0, 1.0)),
    "9 fourth power": Problem(
        lambda x, n: (1.0 + (1.0 - n) ** 4) * x - (1.0 - n * x) ** 4,
        over([1, 2, 4, 5, 8, 15, 20], 0.0, 1.0),
    ),
    "10 mixed": Problem(
        lambda x, n: tv.exp(-n * x) * (x - 1.0) + x**n, over([1, 5, 10, 15, 20], 0.0, 1.0)
    ),
    "11 hyperbola": Problem(
        lambda x, n: (n * x - 1.0) / ((n - 1.0) * x), over([2, 5, 15, 20], 0.01, 1.0)
    ),
    "12 nth root": Problem(
        lambda x, n: x ** (1.0 / n) - n ** (1.0 / n),
        over([*range(2, 7), *range(7, 35, 2)], 1.0, 100.0),
    ),
    "13 flat": Problem(
        lambda x, n: tv.ifelse(tv.eq(x, 0.0), 0.0, x / tv.exp(1.0 / x**2)), [(1.0, -1.0, 4.0)]
    ),
    "14 kink": Problem(kink, over(range(1, 41), -1e4, np.pi / 2.0)),
    "15 jump": Problem(jump, over([*range(20, 41), *range(100, 1100, 100)], -1e4, 1e-4)),
}
