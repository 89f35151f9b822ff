"""Loops of thunkvm; loop_peers.py has the same of others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
import steps
from timing import best, once

import thunkvm as tv

Row = tuple[str, float]
EMITTED = tv.Mode("cvm", compile="now")


def loops() -> Iterator[Row]:
    """Scalar steps, a search, a scan's gradient, two filters, and a step in Python."""
    for row, make, arguments, expected, per in programs():
        f = make(0.0)
        np.testing.assert_allclose(np.ravel(f(*arguments)[0])[0], expected, rtol=1e-9, err_msg=row)
        yield row, best(f, *arguments, repeats=20) / per
        del f
        yield row.partition(", per")[0] + steps.FIRST, first_result(make, arguments)
    yield steps.PERFORM_ROW, performed_steps()


def first_result(make: Callable[[float], Any], arguments: list[Any]) -> float:
    """Seconds from the graph to a result, with nothing in the cache."""
    salts = count(1)

    def first() -> Any:
        with tempfile.TemporaryDirectory() as directory, tv.config.change(cache_dir=directory):
            return make(float(next(salts)))(*arguments)

    return once(first, 4)


def programs() -> Iterator[tuple[str, Callable[[float], Any], list[Any], float, int]]:
    """Of each: its row, what makes it, arguments, the first result, and how much a call does.

    What makes it adds a number, so that it is another program each time.
    """
    yield steps.SCALAR_ROW, scalar, [0.3], steps.scalar_steps(0.3), steps.STEPS
    for n in steps.LENGTHS:
        at = list(steps.search_from(n))
        expected = 2.0 ** -searched(*at)
        yield steps.SEARCH_ROW.format(n), search, at, expected, searched(*at) + 1
    yield steps.SCAN_ROW, scan, [0.7, steps.SERIES], steps.scan_value(0.7, steps.SERIES), 1
    expected = steps.hamilton_value(steps.REGIMES, steps.RETURNS)
    yield steps.HAMILTON_ROW, hamilton, [steps.REGIMES, steps.RETURNS], expected, 1
    expected = steps.kalman_value(steps.VARIANCES, steps.LEVELS)
    yield steps.KALMAN_ROW, kalman, [steps.VARIANCES, steps.LEVELS], expected, 1


def searched(x: np.ndarray, direction: np.ndarray, slope: float) -> int:
    """How often a search halves its step, by hand."""
    t, n = 1.0, 0
    while not steps.valley(x + t * direction) <= steps.valley(x) + 1e-4 * t * slope and n < 200:
        t, n = 0.5 * t, n + 1
    return n


def scalar(salt: float) -> Any:
    x = tv.scalar("x")
    branch = lambda _, y: tv.ifelse(y > 0.5, tv.cos(y), tv.exp(y))  # noqa: E731
    last = tv.fori_loop(0, steps.STEPS, branch, x)
    return tv.function([x], [last, x + salt], mode=EMITTED)


def search(salt: float) -> Any:
    x, direction, slope = tv.vector("x"), tv.vector("direction"), tv.scalar("slope")
    before = steps.valley(x)

    def is_refused(t: Any) -> Any:
        bound = before + 1e-4 * t * slope
        return tv.logical_not(steps.valley(x + t * direction) <= bound)

    t = tv.while_loop(is_refused, lambda t: 0.5 * t, 1.0, max_steps=200)
    return tv.function([x, direction, slope], [t, slope + salt], mode=EMITTED)


def scan(salt: float) -> Any:
    a, series = tv.scalar("a"), tv.vector("series")
    ys = tv.scan(lambda e, y, a: tv.tanh(a * y + e), series, tv.zeros(()), a)
    cost = tv.sum(ys * ys)
    outputs = [cost, *tv.grad(cost, [a, series]), a + salt]
    return tv.function([a, series], outputs, mode=EMITTED)


def hamilton(salt: float) -> Any:
    regimes, returns = tv.tensor("regimes", shape=(6,)), tv.vector("returns")
    stay, means, deviations = regimes[:2], regimes[2:4], regimes[4:]
    leave = 1.0 - stay
    moves = tv.stack([tv.stack([stay[0], leave[1]]), tv.stack([leave[0], stay[1]])])

    def step(state: Any, r: Any) -> Any:
        belief, total = state
        density = tv.exp(-0.5 * ((r - means) / deviations) ** 2) / deviations
        likely = (moves @ belief) * density
        return (likely / likely.sum(), total + tv.log(likely.sum())), None

    (_, total), _ = tv.scan_carry(step, (tv.constant([0.5, 0.5]), 0.0), returns)
    outputs = [total, tv.grad(total, regimes), returns[0] + salt]
    return tv.function([regimes, returns], outputs, mode=EMITTED)


def kalman(salt: float) -> Any:
    variances, levels = tv.tensor("variances", shape=(3,)), tv.vector("levels")
    move = tv.constant([[1.0, 1.0], [0.0, 1.0]])
    noise = tv.diag(variances[:2])

    def step(state: Any, y: Any) -> Any:
        mean, spread, total = state
        mean, spread = move @ mean, move @ spread @ move.T + noise
        error, variance = y - mean[0], spread[0, 0] + variances[2]
        gain = spread[:, 0] / variance
        seen = (
            mean + gain * error,
            spread - tv.outer(gain, spread[0]),
            total - 0.5 * (tv.log(variance) + error * error / variance),
        )
        return tuple(tv.ifelse(tv.isnan(y), (mean, spread, total), seen)), None

    first = (tv.constant(np.zeros(2)), tv.constant(np.eye(2) * 10.0), 0.0)
    (_, _, total), _ = tv.scan_carry(step, first, levels)
    outputs = [total, tv.grad(total, variances), levels[1] + salt]
    return tv.function([variances, levels], outputs, mode=EMITTED)


class Halved(tv.Op):
    """Half of its input, in Python."""

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = np.asarray(inputs[0] * 0.5)


def performed_steps() -> float:
    """Seconds of a step, of 1,000."""
    x = tv.scalar("x")
    f = tv.function([x], tv.fori_loop(0, 1000, lambda _, y: Halved()(y) + 1.0, x), mode=EMITTED)
    np.testing.assert_allclose(f(0.0), 2.0)
    return best(f, 0.0, repeats=20) / 1000
