"""Straight lines between given values, against NumPy, and their slopes."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from against_numpy import against_numpy, expect, run

import thunkvm as tv

MODES = ["py", "cvm", "FAST_RUN"]
INF, NAN = np.inf, np.nan
draw = np.random.default_rng(0)
V = tv.vector("v")


@pytest.mark.parametrize("mode", MODES)
def test_interp_is_exact_where_values_are_given(mode: str) -> None:
    xp = np.sort(draw.normal(size=50))
    fp = draw.normal(size=50)
    np.testing.assert_array_equal(run(mode, tv.interp, xp, xp, fp), fp)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "more", [{}, {"left": -7.0, "right": 9.0}, {"period": 2.5}, {"left": np.nan}]
)
def test_interp_equals_numpys(mode: str, more: dict[str, Any]) -> None:
    x = np.array([[-1.0, 0.0, 0.3], [1.0, 1.5, 4.0], [2.9, 3.0, np.nan]])
    for xp, fp in [
        ([0.0, 1.0, 3.0], [5.0, 7.0, -2.0]),
        ([0.0, 1.0, 3.0], [5.0, 7.0 + 2j, -2.0]),
    ]:
        against_numpy(
            mode,
            lambda x, xp, fp: tv.interp(x, xp, fp, **more),
            lambda x, xp, fp: np.interp(x, xp, fp, **more),
            x,
            np.array(xp),
            np.array(fp),
        )
    x = x[:2]  # of one position NumPy's NaN is its value
    against_numpy(
        mode, lambda x: tv.interp(x, [1], [4], **more), lambda x: np.interp(x, [1], [4], **more), x
    )


AT = np.array([-INF, -1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, INF, NAN])
POSITIONS: list[list[float]] = [
    [0.0, 1.0, 2.0],
    [0.0, 1.0, 1.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [-INF, 0.0, 1.0],
    [0.0, 1.0, INF],
    [-INF, 0.0, INF],
    [-INF, -INF, 1.0],
    [0.0, INF, INF],
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("xp", POSITIONS, ids=str)
def test_interp_of_infinite_and_equal_positions_and_values_is_numpys(
    xp: list[float], mode: str
) -> None:
    x, positions, fp = tv.vector("x"), tv.vector("xp"), tv.vector("fp")
    f = tv.function([x, positions, fp], tv.interp(x, positions, fp), mode=mode)
    for values in product([0.0, 1.0, INF, -INF, NAN], repeat=3):
        wanted = expect(np.interp, AT, xp, values)
        np.testing.assert_array_equal(f(AT, xp, values), wanted, err_msg=f"fp = {values}")


#: x, xp, fp; the value, and the gradients to x, xp and fp.
SLOPES: list[tuple[float, list[float], list[float], float, float, list[float], list[float]]] = [
    (0.25, [0, 1, 2], [3, 5, INF], 3.5, 2.0, [-1.5, -0.5, 0], [0.75, 0.25, 0]),
    # At a position beside an infinite value, NaN or none.
    (1, [0, 1, 2], [3, 5, INF], 5, 0, [0, 0, 0], [0, 1, 0]),
    (1, [0, 1, 2], [3, 5, NAN], 5, 0, [0, 0, 0], [0, 1, 0]),
    (1, [0, 1, 2], [-INF, 5, 7], 5, 2, [0, -2, 0], [0, 1, 0]),
    (2, [0, 1, 2], [3, 5, 7], 7, 0, [0, 0, 0], [0, 0, 1]),
    # Between a number and an infinite value.
    (1.25, [0, 1, 2], [3, 5, INF], INF, INF, [0, 0, 0], [0, 0.75, 0.25]),
    (0.25, [0, 1, 2], [-INF, 5, 7], -INF, INF, [0, 0, 0], [0.75, 0.25, 0]),
    (0.25, [0, 1], [INF, INF], INF, 0, [0, 0], [1, 0]),
    # Infinite positions: the value is that of the other end.
    (-5, [-INF, 0, 1], [2, 5, 7], 5, 0, [0, 0, 0], [0, 1, 0]),
    (-INF, [-INF, 0, 1], [2, 5, 7], 2, 0, [0, 0, 0], [1, 0, 0]),
    (5, [0, 1, INF], [2, 5, 7], 5, 0, [0, 0, 0], [0, 1, 0]),
    (INF, [0, 1, INF], [2, 5, 7], 7, 0, [0, 0, 0], [0, 0, 1]),
    (5, [-INF, INF], [2, 2], 2, 0, [0, 0], [1, 0]),
    # Equal positions: a step.
    (1, [0, 1, 1, 2], [3, 5, 6, 9], 6, 3, [0, 0, -3, 0], [0, 0, 1, 0]),
    (0.5, [0, 1, 1], [3, 5, 6], 4, 2, [-1, -1, 0], [0.5, 0.5, 0]),
    (1, [0, 1, 1], [3, 5, 6], 6, 0, [0, 0, 0], [0, 0, 1]),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("x", "xp", "fp", "value", "to_x", "to_xp", "to_fp"), SLOPES)
def test_an_end_of_no_weight_gives_interp_no_slope(
    x: float,
    xp: list[float],
    fp: list[float],
    value: float,
    to_x: float,
    to_xp: list[float],
    to_fp: list[float],
    mode: str,
) -> None:
    inputs = [tv.scalar("x"), tv.vector("xp"), tv.vector("fp")]
    y = tv.interp(*inputs)
    found = tv.function(inputs, [y, *tv.grad(y, inputs)], mode=mode)(x, xp, fp)
    for each, wanted in zip(found, (value, to_x, to_xp, to_fp), strict=True):
        np.testing.assert_array_equal(each, wanted)


def test_interp_has_gradients() -> None:
    rng, x = np.random.default_rng(0), np.array([0.1, 0.9, 1.7, 2.4])
    xp, fp = np.array([0.0, 1.0, 2.0]), np.array([3.0, -1.0, 4.0])
    tv.verify_grad(tv.interp, [x, xp, fp], rng=rng)
    slope = tv.function([V], tv.grad(tv.sum(tv.interp(V, xp, fp)), V))
    np.testing.assert_array_equal(slope([-1.0, 0.0, 0.5, 1.0, 2.0]), [0.0, -4.0, -4.0, 5.0, 0.0])
    slope = tv.function([V], tv.grad(tv.sum(tv.interp(V, [1.0], [4.0])), V))
    np.testing.assert_array_equal(slope([0.0, 1.0, 2.0]), [0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("xp", "fp", "more", "told"),
    [
        ([0.0], [1.0, 2.0], {}, "xp has 1 elements and fp 2; give"),
        ([], [], {}, "[interp] xp is empty; give at least one"),
        (V, V, {"period": 0}, "[interp] period is 0; give a length"),
        (tv.matrix("m"), V, {}, "[interp] xp has to be a vector, but it is"),
    ],
)
def test_interp_tells_what_is_wrong(xp: Any, fp: Any, more: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        tv.interp(V, xp, fp, **more)
