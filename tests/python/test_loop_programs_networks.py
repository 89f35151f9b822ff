"""A recurrent network as a scan, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from loop_programs import MODES, central, runs

import thunkvm as tv

SHAPES = ((4, 4), (4, 3), (4,))


def data() -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Weights, inputs of 30 steps, and what is wanted of them: the sum of what was seen."""
    draw = np.random.default_rng(0).normal
    weights, inputs = [draw(size=shape) * 0.4 for shape in SHAPES], draw(size=(30, 3))
    return weights, inputs, np.cumsum(inputs[:, 0]) * 0.1


def error(weights: list[np.ndarray], inputs: np.ndarray, wanted: np.ndarray) -> float:
    """The mean squared error of the network, in NumPy."""
    inside, outside, readout = weights
    h, errors = np.zeros(4), []
    for x, y in zip(inputs, wanted, strict=True):
        h = np.tanh(inside @ h + outside @ x)
        errors.append((h @ readout - y) ** 2)
    return float(np.mean(errors))


def by_hand(weights: list[np.ndarray], inputs: np.ndarray, wanted: np.ndarray) -> list[np.ndarray]:
    """The gradients of `error`, by the recurrence that goes backwards."""
    inside, outside, readout = weights
    states = [np.zeros(4)]
    for x in inputs:
        states.append(np.tanh(inside @ states[-1] + outside @ x))
    gradients, later = [np.zeros(shape) for shape in SHAPES], np.zeros(4)
    for t in reversed(range(len(inputs))):
        h = states[t + 1]
        by_output = 2.0 * (h @ readout - wanted[t]) / len(inputs)
        gradients[2] += by_output * h
        before = (by_output * readout + later) * (1.0 - h * h)
        gradients[0] += np.outer(before, states[t])
        gradients[1] += np.outer(before, inputs[t])
        later = inside.T @ before
    return gradients


def trainer(mode: str, checkpoint: Any = None) -> Any:
    """Return a function of the weights, the inputs and the targets: the error, its gradients."""
    inside, outside, readout = tv.matrix("inside"), tv.matrix("outside"), tv.vector("readout")
    series, wanted = tv.matrix("series"), tv.vector("wanted")
    states = tv.scan(
        lambda x, h: tv.tanh(inside @ h + outside @ x),
        series,
        tv.zeros_like(readout),
        checkpoint=checkpoint,
    )
    cost = tv.mean((states @ readout - wanted) ** 2)
    weights = [inside, outside, readout]
    return tv.function([*weights, series, wanted], [cost, *tv.grad(cost, weights)], mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("checkpoint", [None, 8, "sqrt"])
def test_network_has_the_error_and_the_gradients_of_one_in_numpy(
    mode: str, checkpoint: Any
) -> None:
    weights, inputs, wanted = data()
    cost, *gradients = trainer(mode, checkpoint)(*weights, inputs, wanted)
    np.testing.assert_allclose(cost, error(weights, inputs, wanted), rtol=1e-12)
    for gradient, expected in zip(gradients, by_hand(weights, inputs, wanted), strict=True):
        np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-12)


def test_gradients_by_hand_are_those_of_central_differences() -> None:
    weights, inputs, wanted = data()
    for i, expected in enumerate(by_hand(weights, inputs, wanted)):
        at = lambda w, i=i: error([*weights[:i], w, *weights[i + 1 :]], inputs, wanted)  # noqa: E731
        np.testing.assert_allclose(central(at, weights[i]), expected, rtol=1e-6, atol=1e-9)


def test_network_learns_by_gradients_through_its_steps() -> None:
    weights, inputs, wanted = data()
    train = trainer("FAST_RUN")
    before = train(*weights, inputs, wanted)[0]
    for _ in range(200):
        _, *gradients = train(*weights, inputs, wanted)
        weights = [w - 0.2 * g for w, g in zip(weights, gradients, strict=True)]
    assert error(weights, inputs, wanted) < 0.2 * before


def padded(inside: Any, outside: Any, series: Any, length: Any, cell: Any) -> Any:
    """The last state of a network that passes its state on from row `length` on."""
    return tv.fori_loop(
        0,
        series.shape[0],
        lambda i, h: tv.ifelse(i < length, cell(inside @ h + outside @ series[i]), h),
        np.zeros(4),
    )


@pytest.mark.parametrize("mode", MODES)
def test_network_computes_no_cell_in_steps_that_are_padding(mode: str, counting: Any) -> None:
    (inside, outside, _), inputs, _ = data()
    slope = counting(lambda x: 1.0 - np.tanh(x) ** 2)
    cell = counting(np.tanh, slope)
    series, weights, length = tv.matrix("series"), tv.matrix("weights"), tv.lscalar("length")
    last = padded(weights, outside, series, length, cell)
    f = tv.function([weights, series, length], last, mode=mode)

    def in_numpy(inside: np.ndarray, n: int) -> np.ndarray:
        h = np.zeros(4)
        for x in inputs[:n]:
            h = np.tanh(inside @ h + outside @ x)
        return h

    np.testing.assert_allclose(f(inside, inputs, 12), in_numpy(inside, 12), rtol=1e-12)
    assert cell.runs == 12
    gradient = tv.function([weights, series, length], tv.grad(tv.sum(last), weights), mode=mode)
    expected = central(lambda w: float(in_numpy(w, 12).sum()), inside)
    np.testing.assert_allclose(gradient(inside, inputs, 12), expected, rtol=1e-6, atol=1e-9)
    assert slope.runs == 12
    assert gradient(inside, inputs, 0).tolist() == np.zeros((4, 4)).tolist()
    assert slope.runs == 12


@pytest.mark.parametrize("mode", MODES)
def test_network_reads_out_once_where_only_the_last_state_is_read(mode: str) -> None:
    (inside, outside, readout), inputs, _ = data()
    series = tv.matrix("series")
    states = tv.scan(lambda x, h: tv.tanh(inside @ h + outside @ x), series, np.zeros(4))
    f = tv.function([series], tv.exp(states[-1] @ readout), mode=mode)
    h = np.zeros(4)
    for x in inputs:
        h = np.tanh(inside @ h + outside @ x)
    np.testing.assert_allclose(f(inputs), np.exp(h @ readout), rtol=1e-12)
    assert (runs(f, "tanh"), runs(f, "exp")) == (30, 1)
