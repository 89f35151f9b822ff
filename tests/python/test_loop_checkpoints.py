"""Loops that keep fewer states: `checkpoint=`, and histories of every so many steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "FAST_RUN"]
X, V, N = tv.scalar("x"), tv.vector("v"), tv.lscalar("n")
SERIES = np.linspace(-1.0, 1.0, 23)


def growth(checkpoint: Any, history: Any = None, max_steps: int | None = None) -> Any:
    """A loop with a conditional in it that takes 57 steps from 1.5 on."""
    return tv.while_loop(
        lambda s: s["y"] < 1e3,
        lambda s: {"y": s["y"] * 1.1 + tv.ifelse(s["y"] > 5.0, 0.0, X), "k": s["k"] + 1},
        {"y": X, "k": 0},
        max_steps=max_steps,
        history=history,
        checkpoint=checkpoint,
    )


def told(loop: Any) -> list[Any]:
    return [loop["y"], loop["k"], loop.steps, loop.finished, tv.grad(loop["y"], X)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("max_steps", [None, 0, 1, 7])
@pytest.mark.parametrize("checkpoint", [1, 2, 5, 1000])
def test_a_checkpointed_loop_says_what_the_loop_says(
    mode: str, max_steps: int | None, checkpoint: int
) -> None:
    plain = tv.function([X], told(growth(None, max_steps=max_steps)), mode=mode)(1.5)
    some = tv.function([X], told(growth(checkpoint, max_steps=max_steps)), mode=mode)(1.5)
    np.testing.assert_allclose(some, plain, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("checkpoint", [None, 2, 5, 1000])
@pytest.mark.parametrize("max_steps", [None, 0, 2, 7])
def test_a_history_of_every_third_step_has_every_third_state(
    mode: str, checkpoint: int | None, max_steps: int | None
) -> None:
    every = growth(None, "all", max_steps).history
    third = growth(checkpoint, 3, max_steps).history
    outputs = [
        value
        for history, step in ((every, 3), (third, 1))
        for value in (
            history["y"][step - 1 :: step],
            history["k"][step - 1 :: step],
            tv.grad(tv.sum(history["y"][step - 1 :: step]), X),
        )
    ]
    results = tv.function([X], outputs, mode=mode)(1.5)
    for some, all_ in zip(results[3:], results[:3], strict=True):
        np.testing.assert_allclose(some, all_, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("checkpoint", [1, 4, "sqrt", 100, N])
def test_a_checkpointed_scan_has_the_values_and_gradients_of_a_scan(
    mode: str, checkpoint: Any
) -> None:
    def told_of(option: Any) -> list[Any]:
        values = tv.scan(
            lambda e, before: tv.tanh(before * 0.9 + e), V, tv.zeros(()), checkpoint=option
        )
        return [values, tv.grad(tv.sum(values**2), V), tv.grad(values[-1], V)]

    f = tv.function(
        [V, N], [*told_of(None), *told_of(checkpoint)], mode=mode, on_unused_input="ignore"
    )
    results = f(SERIES, 6)
    for some, plain in zip(results[3:], results[:3], strict=True):
        np.testing.assert_allclose(some, plain, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_checkpointed_carries_and_counted_loops_have_the_second_derivatives_too(mode: str) -> None:
    def told_of(option: Any) -> list[Any]:
        carry, values = tv.scan_carry(lambda c, e: (c * X + e, c * e), X, V, checkpoint=option)
        cost = carry + tv.sum(values**2)
        counted = tv.fori_loop(0, 9, lambda i, s: s + tv.sin(s * X), X, checkpoint=option)
        return [carry.steps, *(tv.grad(tv.grad(c, X), X) for c in (cost, counted))]

    f = tv.function([X, V], [*told_of(None), *told_of("sqrt")], mode=mode)
    results = f(0.7, SERIES)
    np.testing.assert_allclose(results[3:], results[:3], rtol=1e-11)


def test_a_condition_is_computed_once_more_where_the_last_stretch_is_shorter() -> None:
    count = tv.while_loop(
        lambda s: tv.sqrt(s * 1.0) < tv.cast(N, "float64"), lambda s: s + 1, 0, checkpoint=4
    )
    f = tv.function([N], count, mode="vm")
    assert f(3) == 9
    assert sum(row[4] for row in f._node_rows() if row[1] == "sqrt") == 9 + 1 + 1
    assert f(2) == 4
    assert sum(row[4] for row in f._node_rows() if row[1] == "sqrt") == 11 + 4 + 1


def test_a_checkpointed_gradient_keeps_the_states_of_a_stretch_at_a_time() -> None:
    m = tv.matrix("m")

    def peak(option: Any) -> float:
        last = tv.fori_loop(0, N, lambda i, s: tv.sin(s) + m * 0.001, m, checkpoint=option)
        f = tv.function([m, N], tv.grad(tv.sum(last), m), mode="vm")
        f(np.ones((50, 50)), 400)
        with f.profile("memory") as p:
            f(np.ones((50, 50)), 400)
        return max(node.peak_bytes for node in p.functions[0].nodes)

    assert peak("sqrt") < peak(None) / 4


@pytest.mark.parametrize("mode", MODES)
def test_an_error_in_a_stretch_names_the_step_of_the_stretch(mode: str) -> None:
    last = tv.fori_loop(0, N, lambda i, s: s + V[i], 0.0, checkpoint=4)
    f = tv.function([V, N], last, mode=mode)
    with pytest.raises(IndexError, match="index 6") as error:
        f(np.ones(6), 9)
    assert "in step 1 of fori_loop" in "".join(error.value.__notes__)


@pytest.mark.parametrize("checkpoint", [0, -1, True, 2.5, "log", tv.scalar("x")])
def test_a_checkpoint_that_is_no_number_of_steps_is_refused(checkpoint: Any) -> None:
    with pytest.raises(ValueError, match="an integer from 1"):
        tv.fori_loop(0, N, lambda i, s: s + 1, 0, checkpoint=checkpoint)


def test_the_root_of_an_unknown_number_of_steps_is_refused() -> None:
    with pytest.raises(ValueError, match="give max_steps, or a number"):
        tv.while_loop(lambda s: s < 3, lambda s: s + 1, 0, checkpoint="sqrt")
