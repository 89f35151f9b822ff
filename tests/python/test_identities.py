"""Identities with gradients of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]
VALUES = [-math.inf, -0.0, 1e-300, 2.5, math.inf, math.nan]

IDENTITIES: dict[str, Callable[[Any], Any]] = {
    "grad_clip": lambda x: tv.grad_clip(x, -1.0, 2.0),
    "grad_scale": lambda x: tv.grad_scale(x, -3.0),
    "zero_grad": tv.zero_grad,
    "disconnected_grad": tv.disconnected_grad,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", IDENTITIES)
def test_an_identity_has_the_bits_of_its_input(name: str, dtype: Any, mode: str) -> None:
    x = tv.vector("x", dtype=dtype)
    out = IDENTITIES[name](x)
    at = np.array(VALUES, dtype)
    assert out.dtype == dtype
    assert tv.function([x], out, mode=mode)(at).tobytes() == at.tobytes()
    assert tv.function([x], out * 1, mode=mode)(at).tobytes() == at.tobytes()


@pytest.mark.parametrize("mode", MODES)
def test_gradients_are_clipped_scaled_zero_or_cut(mode: str) -> None:
    x, g = tv.vector("x"), tv.vector("g")
    gradients = [tv.vjp(IDENTITIES[name](x), x, g) for name in list(IDENTITIES)[:3]]
    cut = tv.vjp(x * tv.disconnected_grad(x), x, g)
    f = tv.function([x, g], [*gradients, cut], mode=mode, on_unused_input="ignore")
    found = f([5.0, 6.0, 7.0], [-4.0, 0.5, 3.0])
    expected = [[-1.0, 0.5, 2.0], [12.0, -1.5, -9.0], [0.0, 0.0, 0.0], [-20.0, 3.0, 21.0]]
    assert [value.tolist() for value in found] == expected


def test_what_is_cut_is_disconnected_and_what_is_zero_is_not() -> None:
    x = tv.vector("x")
    with pytest.raises(tv.DisconnectedInputError):
        tv.grad(tv.sum(tv.disconnected_grad(x)), x)
    assert tv.grad(tv.sum(tv.zero_grad(x)), x).dtype == "float64"


def test_identities_in_jacobians_and_tangents() -> None:
    x, v = tv.vector("x"), tv.vector("v")
    scaled, clipped = tv.grad_scale(x * x, 0.5), tv.grad_clip(x * x, -0.5, 0.5)
    results = [tv.jacobian(scaled, x), tv.jacobian(clipped, x), tv.jvp(scaled, x, v)]
    f = tv.function([x, v], [*results, tv.jvp(clipped, x, v), tv.hessian(tv.sum(scaled), x)])
    matrix, limited, tangent, passed, second = f([1.0, 3.0], [1.0, 10.0])
    assert matrix.tolist() == [[1.0, 0.0], [0.0, 3.0]]
    assert limited.tolist() == [[1.0, 0.0], [0.0, 3.0]]
    assert tangent.tolist() == [1.0, 30.0]
    assert passed.tolist() == [2.0, 60.0]
    assert second.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_scaled_gradient_of_complex_numbers() -> None:
    z = tv.vector("z", dtype="complex128")
    gradient = tv.grad(tv.sum(tv.real(tv.grad_scale(z, 2.0) * 1j)), z)
    assert tv.function([z], gradient, on_unused_input="ignore")([1.0 + 1j]).tolist() == [-2j]


def test_an_identity_in_an_arm_that_is_not_taken_runs_nothing(counting: Any) -> None:
    costly = counting(np.sin, tv.cos)
    c, x = tv.scalar("c"), tv.scalar("x")
    y = tv.ifelse(c > 0, tv.grad_scale(costly(x), 2.0), x)
    f = tv.function([c, x], [y, tv.grad(y, x)])
    assert [float(value) for value in f(-1.0, 0.5)] == [0.5, 1.0]
    assert costly.runs == 0
    assert f(1.0, 0.0)[1] == 2.0
    assert costly.runs == 1


@pytest.mark.parametrize(
    ("mistake", "kind", "told"),
    [
        (lambda x, n: tv.grad_clip(x, 1.0, -1.0), ValueError, "lower_bound is 1.0, which is not"),
        (lambda x, n: tv.grad_clip(x, x, 1.0), TypeError, "[grad_clip] lower_bound is <x: vector"),
        (lambda x, n: tv.grad_clip(x, math.nan, 1.0), TypeError, "lower_bound is nan; give a num"),
        (lambda x, n: tv.grad_clip(n, -1, 1), TypeError, "[grad_clip] x is <n: vector int64 (?,)>"),
        (lambda x, n: tv.grad_scale(x, "2"), TypeError, "[grad_scale] multiplier is '2'; give a n"),
        (lambda x, n: tv.zero_grad(n), TypeError, "[zero_grad] x is <n: vector int64 (?,)>, whose"),
    ],
)
def test_a_mistake_is_told(mistake: Callable[..., Any], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind) as error:
        mistake(tv.vector("x"), tv.lvector("n"))
    assert told in str(error.value)
