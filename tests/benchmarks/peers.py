"""The jobs of jobs.py with one other library.

Run by run.py: `python peers.py numpy|pytensor|jax|numba JOB ...`.

Prints a line of JSON: {row: seconds}. A library that cannot do a job leaves it out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from timing import best, once

Row = tuple[str, float]


def numpy_call() -> Iterator[Row]:
    number, array = np.float64(1.5), np.ones(4)
    yield "call: x*2+1 of a float", best(lambda x: x * 2 + 1, number)
    yield "call: x*2+1 of 4 elements", best(lambda x: x * 2 + 1, array)


def numpy_chain() -> Iterator[Row]:
    def chain(y: Any) -> Any:
        for _ in range(1000):
            y = np.cos(y)
        return y

    yield "chain: cos, per node", best(chain, np.float64(0.5)) / 1000


def numpy_branch() -> Iterator[Row]:
    def chain(y: Any) -> Any:
        for _ in range(50):
            y = np.cos(y) if y > 0.5 else np.exp(y)
        return y

    yield "branch: ifelse(y > .5, cos(y), exp(y))", best(chain, np.float64(0.5)) / 50


def pytensor_call() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt

    x, v = pt.dscalar("x"), pt.dvector("v")
    yield "call: x*2+1 of a float", best(pytensor.function([x], x * 2 + 1, mode="CVM"), 1.5)
    yield (
        "call: x*2+1 of 4 elements",
        best(pytensor.function([v], v * 2 + 1, mode="CVM"), np.ones(4)),
    )


def _pytensor_plain() -> Any:
    from pytensor.compile.mode import Mode

    return Mode(linker="cvm", optimizer=None)


def pytensor_chain() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt

    x = y = pt.dscalar("x")
    for _ in range(1000):
        y = pt.cos(y)
    yield (
        "chain: cos, per node",
        best(pytensor.function([x], y, mode=_pytensor_plain()), 0.5) / 1000,
    )


def pytensor_branch() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt
    from pytensor.ifelse import ifelse

    x = y = pt.dscalar("x")
    for _ in range(50):
        y = ifelse(y > 0.5, pt.cos(y), pt.exp(y))
    yield "branch: ifelse(y > .5, cos(y), exp(y))", best(pytensor.function([x], y), 0.5) / 50


def pytensor_build() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt

    def chain() -> Any:
        x = y = pt.dscalar("x")
        for _ in range(10_000):
            y = pt.cos(y)
        return x, y

    yield "build: 10,000 nodes, per node", once(chain, 2) / 10_000
    x, y = chain()
    link = once(lambda: pytensor.function([x], y, mode=_pytensor_plain()), 1)
    yield "link: 10,000 nodes, per node", link / 10_000


def pytensor_armijo() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt

    x, d, step, slope = pt.dvector("x"), pt.dvector("d"), pt.dscalar("step"), pt.dscalar("slope")
    f = pytensor.function([x, d, step, slope], [x, d, step, slope, step], mode="CVM")
    yield "armijo: 4 inputs, 5 outputs", best(f, np.ones(2), np.ones(2), 0.5, -1.0)


def _import_above_numpy(module: str) -> float:
    def seconds(name: str) -> float:
        return once(lambda: subprocess.run([sys.executable, "-c", f"import {name}"], check=True), 3)

    return seconds(module) - seconds("numpy")


def pytensor_import() -> Iterator[Row]:
    yield "import: above NumPy", _import_above_numpy("pytensor")


def jax_call() -> Iterator[Row]:
    import jax

    jax.config.update("jax_enable_x64", True)
    f = jax.jit(lambda x: x * 2 + 1)
    yield "call: x*2+1 of a float", best(lambda x: f(x).block_until_ready(), 1.5)
    yield "call: x*2+1 of 4 elements", best(lambda x: f(x).block_until_ready(), np.ones(4))


def jax_branch() -> Iterator[Row]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    @jax.jit
    def chain(y: Any) -> Any:
        for _ in range(50):
            y = jax.lax.cond(y > 0.5, jnp.cos, jnp.exp, y)
        return y

    yield (
        "branch: ifelse(y > .5, cos(y), exp(y))",
        best(lambda x: chain(x).block_until_ready(), 0.5) / 50,
    )


def jax_armijo() -> Iterator[Row]:
    import jax

    jax.config.update("jax_enable_x64", True)
    f = jax.jit(lambda x, d, step, slope: (x, d, step, slope, step))
    yield "armijo: 4 inputs, 5 outputs", best(f, np.ones(2), np.ones(2), 0.5, -1.0)


def jax_import() -> Iterator[Row]:
    yield "import: above NumPy", _import_above_numpy("jax")


def numba_call() -> Iterator[Row]:
    import numba

    f = numba.njit(lambda x: x * 2 + 1)
    yield "call: x*2+1 of a float", best(f, 1.5)
    yield "call: x*2+1 of 4 elements", best(f, np.ones(4))


def main() -> None:
    """Run the jobs that are asked for and that this library can do."""
    library, *jobs = sys.argv[1:]
    rows: dict[str, float] = {}
    for job in jobs:
        measure = globals().get(f"{library}_{job}")
        if measure is not None:
            rows |= dict(measure())
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
