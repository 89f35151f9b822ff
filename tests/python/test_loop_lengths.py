"""Loops: lengths that are known in a body, of what it captures and of loops in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["FAST_COMPILE", "vm", "cvm"]


@pytest.mark.parametrize("mode", MODES)
def test_a_state_may_be_sliced_to_its_own_length(mode: str) -> None:
    y, n = tv.tensor("y", shape=(3,)), tv.scalar("n", dtype="int64")

    def body(s: Any) -> Any:
        return s[0][: s[0].shape[0]] + 1.0, s[1] - 1

    last, _ = tv.while_loop(lambda s: s[1] > 0, body, (y, n))
    assert last.type.shape == (3,)
    found = tv.function([y, n], last, mode=mode)([1.0, 2.0, 3.0], 2)
    np.testing.assert_array_equal(found, [3.0, 4.0, 5.0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(2, 2), (None, None)])
def test_a_loop_captures_a_state_of_a_known_length(shape: tuple[Any, ...], mode: str) -> None:
    x0, h0 = tv.tensor("x0", shape=(2,)), tv.tensor("h0", shape=shape)

    def step(s: Any) -> Any:
        x, h, k = s
        new = tv.reshape(tv.outer(x, x), (x.shape[0], x.shape[0]))
        hess = tv.ifelse(k > 1, new, h)
        inner = tv.while_loop(lambda q: tv.sum(q) < 10.0, lambda q: q + tv.abs(hess @ q) + 1.0, x)
        return x + 0.1 * inner, hess, k + 1

    last = tv.while_loop(lambda s: s[2] < 3, step, (x0, h0, 0))
    x, hess, _ = tv.function([x0, h0], last, mode=mode)([1.0, 2.0], np.zeros((2, 2)))
    np.testing.assert_allclose(x, [4.9336795, 7.9330396], rtol=1e-7)
    np.testing.assert_allclose(hess, [[3.8025, 6.162], [6.162, 9.9856]])


@pytest.mark.parametrize("mode", MODES)
def test_second_derivatives_of_a_loop_in_a_loop_keep_its_lengths(mode: str) -> None:
    k = tv.scalar("k")

    def body(s: Any) -> Any:
        y, i = s
        first = tv.stop_gradient(y * 1.1)
        halved = tv.while_loop(lambda s: s[0] > 1e9, lambda s: s * 0.5, first)
        point = tv.fixed_point(
            lambda z: tv.concatenate([k * tv.cos(z[0:1]) + 0.1 * y, 0.5 * tv.sin(k * z[1:2])]),
            tv.stop_gradient(tv.concatenate([halved, halved])),
            max_steps=60,
        )
        return point[0:1], i + 1

    last = tv.while_loop(lambda s: s[1] < 3, body, (k[None], 0))[0][0]
    slope = tv.function([k], tv.grad(last, k), mode=mode)
    second = tv.function([k], tv.grad(tv.grad(last, k), k), mode=mode)
    differences = (slope(0.5 + 1e-4) - slope(0.5 - 1e-4)) / 2e-4
    np.testing.assert_allclose(second(0.5), differences, rtol=1e-6)
