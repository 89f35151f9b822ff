"""`pad` in all its modes, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import ARRAYS, held, refused

import thunkvm as tv

NOT_EMPTY = [a for a in ARRAYS if a.size and a.dtype != "bool"]
MODES: list[Any] = [
    "constant", "edge", "linear_ramp", "maximum", "mean", "minimum", "reflect", "symmetric", "wrap",
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [0, 1, (1, 2), ((1, 2),), 7, (0, 9), [2, 0]])
def test_pad(mode: Any, width: Any) -> None:
    for a in NOT_EMPTY:
        held(lambda x: tv.pad(x, width, mode), lambda x: np.pad(x, width, mode), a)


@pytest.mark.parametrize("mode", MODES)
def test_pad_with_a_width_for_each_axis(mode: Any) -> None:
    a = np.arange(6.0).reshape(2, 3)
    for width in [((1, 2), (0, 5)), ((1,), (2,)), {-1: (1, 2)}, {0: 3}, np.array([[1, 0], [0, 2]])]:
        held(lambda x, w=width: tv.pad(x, w, mode), lambda x, w=width: np.pad(x, w, mode), a)


@pytest.mark.parametrize("mode", MODES)
def test_pad_takes_variables_for_widths(mode: Any) -> None:
    for n in (0, 2, 6):
        held(
            lambda x, n: tv.pad(x, (n, 1), mode),
            lambda x, n: np.pad(x, (int(n), 1), mode),
            [1.0, 5.0, 2.0],
            n,
        )


@pytest.mark.parametrize(
    ("mode", "keywords"),
    [
        ("constant", {"constant_values": (5, -4)}),
        ("constant", {"constant_values": 2.5}),
        ("linear_ramp", {"end_values": (5, -4)}),
        ("maximum", {"stat_length": 2}),
        ("mean", {"stat_length": (1, 3)}),
        ("minimum", {"stat_length": 100}),
        ("reflect", {"reflect_type": "odd"}),
        ("symmetric", {"reflect_type": "odd"}),
    ],
)
def test_pad_with_keywords(mode: Any, keywords: Any) -> None:
    for a in NOT_EMPTY:
        for width in [1, (3, 8)]:
            held(
                lambda x, w=width: tv.pad(x, w, mode, **keywords),
                lambda x, w=width: np.pad(x, w, mode, **keywords),
                a,
            )


def test_pad_of_bools_and_of_nothing() -> None:
    for mode in ("constant", "edge", "maximum", "wrap", "reflect"):
        held(lambda x, m=mode: tv.pad(x, 2, m), lambda x, m=mode: np.pad(x, 2, m), [True, False])  # type: ignore[call-overload]
    held(lambda x: tv.pad(x, 2), lambda x: np.pad(x, 2), np.zeros((0, 3)))


def test_pad_refuses_bad_input() -> None:
    a = [1.0, 2.0]
    refused(
        ValueError,
        r"\[pad\] mode = 'x', but it has to be one of 'constant', 'e",
        lambda x: tv.pad(x, 1, "x"),
        a,
    )
    refused(ValueError, "would leave the margin undefined", lambda x: tv.pad(x, 1, "empty"), a)
    refused(ValueError, r"\[pad\] pad_width = -1; give at least 0", lambda x: tv.pad(x, -1), a)
    refused(TypeError, r"\[pad\] pad_width is 0.5, a float", lambda x: tv.pad(x, 0.5), a)
    refused(ValueError, "has 2 pairs, but x has 1 axes", lambda x: tv.pad(x, ((1, 1), (2, 2))), a)
    refused(ValueError, r"\[pad\] pad_width = \(1, 2, 3\)", lambda x: tv.pad(x, (1, 2, 3)), a)
    refused(
        ValueError, "reflect_type = 'x'", lambda x: tv.pad(x, 1, "reflect", reflect_type="x"), a
    )
    refused(
        TypeError,
        "mode 'edge' does not take end_values=; it takes no keywords",
        lambda x: tv.pad(x, 1, "edge", end_values=1),
        a,
    )
    refused(TypeError, "of bools; cast it", lambda x: tv.pad(x, 1, "linear_ramp"), [True])
    refused((ValueError, IndexError), "empty|out of bounds", lambda x: tv.pad(x, 1, "edge"), [])  # type: ignore[arg-type]


def test_pad_in_c() -> None:
    a = np.arange(6.0).reshape(2, 3)
    for mode in MODES:
        held(
            lambda x, m=mode: tv.pad(x, 4, m),
            lambda x, m=mode: np.pad(x, 4, m),
            a,
            modes=["FAST_RUN"],
        )


@pytest.mark.parametrize("mode", MODES)
def test_gradient_of_pad(mode: Any) -> None:
    a = np.array([[1.0, 5.0, 2.0], [0.5, -1.0, 4.0]])
    tv.verify_grad(lambda x: tv.pad(x, (2, 4), mode) ** 2, [a])
