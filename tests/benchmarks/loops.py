"""Loops of thunkvm; loop_peers.py has the same of others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import steps
from timing import best, once

import thunkvm as tv

Row = tuple[str, float]
EMITTED = tv.Mode("cvm", compile="now")


def loops() -> Iterator[Row]:
    """Scalar steps, a search, a scan's gradient, two filters, and a step in Python."""
    makers = {m.__name__: m for m in (scalar, search, scan, hamilton, kalman)}
    for problem in steps.problems():
        make = makers[problem.name]
        f = make()
        problem.check(f(*problem.arguments))
        yield problem.row, best(f, *problem.arguments, repeats=20) / problem.per
        del f
        yield problem.first_row, once(lambda: first_result(make, problem.arguments), 4)  # noqa: B023
    yield steps.PERFORM_ROW, performed_steps()


def first_result(make: Callable[[], Any], arguments: list[Any]) -> None:
    """From the graph to a result, with nothing in the cache.

    Code that a living function holds is used again whatever the cache, so a run that compiles
    nothing is an error.
    """
    with tempfile.TemporaryDirectory() as directory, tv.config.change(cache_dir=directory):
        make()(*arguments)
        if not any(Path(directory).rglob("*.so")):
            raise RuntimeError("the first result came of code that was loaded already")


def scalar() -> Any:
    x = tv.scalar("x")
    branch = lambda _, y: tv.ifelse(y > 0.5, tv.cos(y), tv.exp(y))  # noqa: E731
    last = tv.fori_loop(0, steps.STEPS, branch, x)
    return tv.function([x], [last], mode=EMITTED)


def search() -> Any:
    x, direction = tv.vector("x"), tv.vector("direction")
    slope, shrink = tv.scalar("slope"), tv.scalar("shrink")
    before = steps.valley(x)

    def is_refused(t: Any) -> Any:
        bound = before + 1e-4 * t * slope
        return tv.logical_not(steps.valley(x + t * direction) <= bound)

    t = tv.while_loop(is_refused, lambda t: shrink * t, 1.0)
    return tv.function([x, direction, slope, shrink], [t], mode=EMITTED)


def scan() -> Any:
    a, series = tv.scalar("a"), tv.vector("series")
    ys = tv.scan(lambda e, y, a: tv.tanh(a * y + e), series, tv.zeros(()), a)
    cost = tv.sum(ys * ys)
    outputs = [cost, *tv.grad(cost, [a, series])]
    return tv.function([a, series], outputs, mode=EMITTED)


def hamilton() -> Any:
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
    outputs = [total, tv.grad(total, regimes)]
    return tv.function([regimes, returns], outputs, mode=EMITTED)


def kalman() -> Any:
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
    outputs = [total, tv.grad(total, variances)]
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
