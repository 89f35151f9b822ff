"""Loops of JAX, and steps of PyTensor's scan, beside loops.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import steps
from timing import best, once

Row = tuple[str, float]


def jax_loops() -> Iterator[Row]:
    """All rows but that of a step in Python."""
    import jax

    jax.config.update("jax_enable_x64", True)
    makers = {m.__name__: m for m in (_scalar, _search, _scan, _hamilton, _kalman)}
    for problem in steps.problems():
        make, arguments = makers["_" + problem.name], problem.arguments
        f = jax.jit(make())
        problem.check(jax.tree.leaves(f(*arguments)))
        call = lambda *at, f=f: jax.block_until_ready(f(*at))  # noqa: E731
        yield problem.row, best(call, *arguments, repeats=20) / problem.per

        def new(make: Any = make, at: Any = arguments) -> object:
            return jax.block_until_ready(jax.jit(make())(*at))  # another function: compiled again

        yield problem.first_row, once(new, 4)


def _scalar() -> Any:
    import jax
    import jax.numpy as jnp

    def run(x: Any) -> Any:
        branch = lambda _, y: jax.lax.cond(y > 0.5, jnp.cos, jnp.exp, y)  # noqa: E731
        return jax.lax.fori_loop(0, steps.STEPS, branch, x)

    return run


def _search() -> Any:
    import jax
    import jax.numpy as jnp

    def run(x: Any, direction: Any, slope: Any, shrink: Any) -> Any:
        before = steps.valley(x)

        def is_refused(t: Any) -> Any:
            bound = before + 1e-4 * t * slope
            return jnp.logical_not(steps.valley(x + t * direction) <= bound)

        return jax.lax.while_loop(is_refused, lambda t: shrink * t, 1.0)

    return run


def _scan() -> Any:
    import jax
    import jax.numpy as jnp

    def cost(a: Any, series: Any) -> Any:
        def step(y: Any, e: Any) -> Any:
            y = jnp.tanh(a * y + e)
            return y, y

        _, ys = jax.lax.scan(step, 0.0, series)
        return (ys * ys).sum()

    def run(a: Any, series: Any) -> Any:
        return jax.value_and_grad(cost, (0, 1))(a, series)

    return run


def _hamilton() -> Any:
    import jax
    import jax.numpy as jnp

    def total(regimes: Any, returns: Any) -> Any:
        stay, means, deviations = regimes[:2], regimes[2:4], regimes[4:]
        moves = jnp.array([[stay[0], 1 - stay[1]], [1 - stay[0], stay[1]]])

        def step(state: Any, r: Any) -> Any:
            belief, so_far = state
            density = jnp.exp(-0.5 * ((r - means) / deviations) ** 2) / deviations
            likely = (moves @ belief) * density
            return (likely / likely.sum(), so_far + jnp.log(likely.sum())), None

        (_, found), _ = jax.lax.scan(step, (jnp.array([0.5, 0.5]), 0.0), returns)
        return found

    return jax.value_and_grad(total)


def _kalman() -> Any:
    import jax
    import jax.numpy as jnp

    move = jnp.array([[1.0, 1.0], [0.0, 1.0]])

    def total(variances: Any, levels: Any) -> Any:
        noise = jnp.diag(variances[:2])

        def step(state: Any, y: Any) -> Any:
            mean, spread, so_far = state
            mean, spread = move @ mean, move @ spread @ move.T + noise
            error, variance = y - mean[0], spread[0, 0] + variances[2]
            gain = spread[:, 0] / variance

            def seen() -> Any:
                return (
                    mean + gain * error,
                    spread - jnp.outer(gain, spread[0]),
                    so_far - 0.5 * (jnp.log(variance) + error * error / variance),
                )

            return jax.lax.cond(jnp.isnan(y), lambda: (mean, spread, so_far), seen), None

        (_, _, found), _ = jax.lax.scan(step, (jnp.zeros(2), jnp.eye(2) * 10.0, 0.0), levels)
        return found

    return jax.value_and_grad(total)


def pytensor_loops() -> Iterator[Row]:
    """A step in Python."""
    import pytensor
    import pytensor.tensor as pt
    from pytensor.graph.basic import Apply
    from pytensor.graph.op import Op

    class Halved(Op):
        def make_node(self, x: Any) -> Any:
            return Apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = np.asarray(inputs[0] * 0.5)

    x = pt.dscalar("x")
    found = pytensor.scan(lambda y: Halved()(y) + 1.0, outputs_info=[x], n_steps=1000)
    ys = found[0] if isinstance(found, tuple) else found
    f = pytensor.function([x], ys[-1], mode="CVM")
    np.testing.assert_allclose(f(0.0), 2.0)
    yield steps.PERFORM_ROW, best(f, 0.0, repeats=20) / 1000
