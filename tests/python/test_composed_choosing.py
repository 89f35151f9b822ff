"""Elements chosen, compared and encoded, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import ARRAYS, alike, held, refused

import thunkvm as tv

REALS = [a for a in ARRAYS if a.dtype.kind not in "bc"]
EDGES = np.array([1.0, np.nan, np.inf, -np.inf, 0.0])


def test_switch() -> None:
    held(lambda x: tv.switch(x > 1, x, 0), lambda x: np.where(x > 1, x, 0), [1, 2, 3])
    assert tv.switch(tv.bvector() > 0, tv.fvector(), 0.5).dtype == "float32"


@pytest.mark.parametrize("default", [0, 2.5])
def test_select(default: float) -> None:
    for a in REALS:
        held(
            lambda x: tv.select([x < 2, x > 3], [x, x * 2], default),
            lambda x: np.select([x < 2, x > 3], [x, x * 2], default),
            a,
        )


def test_select_takes_the_first_condition_that_is_true() -> None:
    held(
        lambda x: tv.select([x < 2, x < 3, x < 4], [1, 2.5, x]),
        lambda x: np.select([x < 2, x < 3, x < 4], [1, 2.5, x]),
        [1.0, 2.0, 3.0, 4.0],
    )


def test_select_refuses_bad_input() -> None:
    refused(
        ValueError, "2 conditions and 1 choices", lambda x: tv.select([x > 0, x < 0], [x]), [1.0]
    )
    refused(TypeError, "condition 0 is .*of float64", lambda x: tv.select([x], [x]), [1.0])
    with pytest.raises(ValueError, match="0 conditions and 0 choices; give as many of each"):
        tv.select([], [])


def test_piecewise() -> None:
    pieces = [lambda v: v + 1, 7.9, lambda v: v * 2]
    for a in REALS:
        for count in (2, 3):
            held(
                lambda x, n=count: tv.piecewise(x, [x < 2, x < 3], pieces[:n]),
                lambda x, n=count: np.piecewise(x, [x < 2, x < 3], pieces[:n]),
                a,
            )
    held(lambda x: tv.piecewise(x, x < 2, [1]), lambda x: np.piecewise(x, x < 2, [1]), [1.0, 3.0])
    held(
        lambda x: tv.piecewise(x, [x > 1], [lambda v, k: v * k], 3),
        lambda x: np.piecewise(x, [x > 1], [lambda v, k: v * k], 3),
        [1.0, 2.0],
    )
    refused(
        ValueError,
        "1 conditions and 3 pieces",
        lambda x: tv.piecewise(x, [x > 0], [1, 2, 3]),
        [1.0],
    )


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_choose(mode: Any) -> None:
    choices = [10.0, np.arange(3), np.arange(3) * 1.5]
    for a in [[0, 1, 2], [[0], [2]], [True, False, True], [4, -1, 0]]:
        if mode != "raise" or np.min(a) >= 0:
            held(lambda x: x.choose(choices, mode), lambda x: x.choose(choices, mode=mode), a)
            held(
                lambda x, c: tv.choose(x, c, mode),
                lambda x, c: np.choose(x, c, mode=mode),
                a,
                np.arange(9).reshape(3, 3),
            )
        else:
            refused(IndexError, "out of bounds", lambda x: tv.choose(x, choices), a)
            refused(IndexError, "out of bounds", lambda x: tv.choose(x, choices), [-1])


def test_choose_refuses_bad_input() -> None:
    refused(TypeError, r"\[choose\] a is .*give integers", lambda x: tv.choose(x, [x]), [1.0])
    refused(ValueError, r"\[choose\] mode = 'x', but", lambda x: tv.choose(x, [x], "x"), [1])
    refused(ValueError, r"\[choose\] there are no choices", lambda x: tv.choose(x, []), [1])


def test_broadcast_arrays() -> None:
    alike("broadcast_arrays", [np.arange(3.0), np.zeros((2, 1))])
    alike("broadcast_arrays", [np.arange(3.0), np.array(1)])
    assert tv.broadcast_arrays() == ()
    refused(ValueError, "broadcast", tv.broadcast_arrays, [1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("equal_nan", [False, True])
def test_isclose_and_allclose(equal_nan: bool) -> None:
    for a in [*ARRAYS, EDGES, np.uint8([0, 255]), np.array([-(2**63)])]:
        for factor in (1, 1.0000001, 2):
            other = expect_product(a, factor)
            for name in ("isclose", "allclose"):
                alike(name, [a, other], equal_nan=equal_nan)
    alike("isclose", [EDGES, np.roll(EDGES, 2)], rtol=0.5, atol=1.0, equal_nan=equal_nan)
    held(lambda x: tv.isclose(x, 1), lambda x: np.isclose(x, 1), np.float32([1.0, 1.00001]))


def expect_product(a: np.ndarray, factor: float) -> np.ndarray:
    """Multiply without NumPy's warnings."""
    with np.errstate(all="ignore"):
        return a * factor


@pytest.mark.parametrize("equal_nan", [False, True])
def test_array_equal(equal_nan: bool) -> None:
    for a in [*ARRAYS, EDGES, np.array(7.0)]:
        for b in [*ARRAYS, EDGES, np.zeros((0, 4))]:
            alike("array_equal", [a, b], equal_nan=equal_nan)


def test_array_equiv() -> None:
    x = np.arange(6.0).reshape(2, 3)
    pairs = [
        (x, x),
        (x, x + 1),
        (np.repeat(x[:1], 2, 0), x[:1]),
        (np.ones((2, 3)), np.ones(3, "int8")),
        (np.ones((2, 3)), np.ones(2)),
        (np.ones((2, 3)), np.ones((4, 1, 3))),
        (np.ones((2, 3)), np.ones((3, 2))),
        (np.ones((2, 2)), np.ones((3, 2))),
        (np.zeros((0, 3)), np.zeros((1, 3))),
        (np.zeros((0, 3)), np.zeros((2, 3))),
        (np.zeros((2, 0)), np.zeros((3, 0))),
        (np.array(np.nan), np.array(np.nan)),
    ]
    for a, b in pairs:
        alike("array_equiv", [a, b])


def test_one_hot() -> None:
    held(lambda y: tv.to_one_hot(y, 3, "int8"), lambda y: np.eye(3, dtype="int8")[y], [0, 2])
    held(lambda y: tv.one_hot(y, 3), lambda y: np.eye(3)[y], [0, 2, 1])
    held(lambda y: tv.one_hot(y, 3, "int8", 0), lambda y: np.eye(3, dtype="int8")[y].T, [0, 2])
    held(lambda y, n: tv.one_hot(y, n), lambda y, n: np.zeros((2, n)), [5, -1], 3)
    held(lambda y: tv.one_hot(y, 2), lambda y: np.eye(2)[y], 1)
    refused(TypeError, r"\[one_hot\] x is .*give integers", lambda y: tv.one_hot(y, 3), [1.0])
    refused(ValueError, r"\[one_hot\] num_classes = -1", lambda y: tv.one_hot(y, -1), [1])


def test_choosing_in_c() -> None:
    a, fast = np.array([0.5, 2.5, 3.5]), ["FAST_RUN"]
    held(
        lambda x: tv.select([x < 2, x > 3], [x, x * 2]),
        lambda x: np.select([x < 2, x > 3], [x, x * 2]),
        a,
        modes=fast,
    )
    held(
        lambda x: tv.choose([0, 1, 0], [x, -x]),
        lambda x: np.choose([0, 1, 0], [x, -x]),
        a,
        modes=fast,
    )
    held(lambda x: tv.isclose(x, 2.5), lambda x: np.isclose(x, 2.5), a, modes=fast)
    held(lambda x: tv.array_equal(x, a), lambda x: np.array_equal(x, a), a, modes=fast)
    held(lambda y: tv.one_hot(y, 3), lambda y: np.eye(3)[y], [0, 2], modes=fast)


def test_gradients_of_choosing() -> None:
    a = np.array([0.5, 2.5, 3.5])
    tv.verify_grad(lambda x: tv.select([x < 2, x > 3], [x**2, x * 2], -x), [a])
    tv.verify_grad(lambda x: tv.piecewise(x, [x < 2, x >= 2], [tv.sin, tv.sqrt]), [a])
    tv.verify_grad(lambda x: tv.choose([0, 1, 0], [x, x**2]), [a])
