"""The jobs `gradient` and `trial` of jobs.py with other libraries: Rosenbrock's valley (1960)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
from timing import best, once

Row = tuple[str, float]

FIRST_ROW, CALL_ROW = "gradient: first result, empty cache", "gradient: per call"
REFUSED_ROW, ACCEPTED_ROW = "trial: an Armijo trial, refused", "trial: an Armijo trial, accepted"
POINT = np.linspace(-1.0, 1.0, 100)


def _value(x: Any) -> Any:
    head, tail = x[:-1], x[1:]
    return (100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2).sum()


def _trials(f: Callable[..., Any]) -> Iterator[Row]:
    """A trial that is refused, and one that is accepted and so asks for the gradient."""
    start = np.array([-1.2, 1.0])
    yield REFUSED_ROW, best(f, start, np.ones(2), 0.5, 24.2)
    yield ACCEPTED_ROW, best(f, start, np.array([0.5, 0.1]), 0.5, 24.2)


def _numpy_gradient_at(x: np.ndarray) -> np.ndarray:
    head, tail = x[:-1], x[1:]
    inner = 200.0 * (tail - head**2)
    gradient = np.zeros_like(x)
    gradient[1:] = inner
    gradient[:-1] -= 2.0 * inner * head + 2.0 * (1.0 - head)
    return gradient


def numpy_gradient() -> Iterator[Row]:
    """By hand."""
    yield CALL_ROW, best(lambda x: (_value(x), _numpy_gradient_at(x)), POINT)


def numpy_trial() -> Iterator[Row]:
    """By hand, in Python."""

    def trial(x: Any, d: Any, step: float, before: float) -> Any:
        y = x + step * d
        value = _value(y)
        if value <= before - 1e-4 * step * (d * d).sum():
            return True, y, value, _numpy_gradient_at(y), step
        return False, y, value, x, 0.5 * step

    yield from _trials(trial)


def pytensor_gradient() -> Iterator[Row]:
    """Calls alone: the modules of a first result may be in its cache."""
    import pytensor
    import pytensor.tensor as pt

    x = pt.dvector("x")
    value = _value(x)
    yield (
        CALL_ROW,
        best(pytensor.function([x], [value, pytensor.grad(value, x)], mode="CVM"), POINT),
    )


def pytensor_trial() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt
    from pytensor.ifelse import ifelse

    x, d, step, before = pt.dvector(), pt.dvector(), pt.dscalar(), pt.dscalar()
    y = x + step * d
    value = _value(y)
    accepted = value <= before - 1e-4 * step * (d * d).sum()
    gradient = ifelse(accepted, pytensor.grad(value, y), x)
    outputs = [accepted, y, value, gradient, ifelse(accepted, step, 0.5 * step)]
    yield from _trials(pytensor.function([x, d, step, before], outputs, mode="CVM"))


def jax_gradient() -> Iterator[Row]:
    import jax

    jax.config.update("jax_enable_x64", True)
    salts = count()

    def first() -> object:
        salt = float(next(salts))  # another program each time
        f = jax.jit(jax.value_and_grad(lambda x: _value(x) + salt))
        return jax.block_until_ready(f(POINT))

    yield FIRST_ROW, once(first, 12)
    f = jax.jit(jax.value_and_grad(_value))
    yield CALL_ROW, best(lambda x: jax.block_until_ready(f(x)), POINT)


def jax_trial() -> Iterator[Row]:
    import jax

    jax.config.update("jax_enable_x64", True)

    @jax.jit
    def trial(x: Any, d: Any, step: Any, before: Any) -> Any:
        y = x + step * d
        value = _value(y)
        accepted = value <= before - 1e-4 * step * (d * d).sum()
        gradient = jax.lax.cond(accepted, jax.grad(_value), lambda _: x, y)
        return (
            accepted,
            y,
            value,
            gradient,
            jax.lax.cond(accepted, lambda: step, lambda: 0.5 * step),
        )

    yield from _trials(lambda *arguments: jax.block_until_ready(trial(*arguments)))
