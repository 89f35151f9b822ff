"""The jobs of jobs.py with one other library.

Run by run.py: `python peers.py c|numpy|pytensor|jax|numba JOB ...`; c is by_hand.c beside this.

Prints a line of JSON: {row: seconds}. A library that cannot do a job leaves it out.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import array_peers
import c_ops
import loop_peers
import numpy as np
import searches
from timing import ARRAY_LENGTHS, MEAN_ROW, best, importing_above_numpy, once, two_arrays

Row = tuple[str, float]


def _elementwise_row(n: int) -> str:
    return f"elementwise: exp(a)*b+log(b), n = {n:,}"


@functools.cache
def _loops() -> ctypes.CDLL:
    """by_hand.c, compiled for this machine."""
    source = Path(__file__).with_name("by_hand.c")
    with tempfile.TemporaryDirectory() as directory:
        library = Path(directory) / "by_hand.so"
        compiler = shlex.split(os.environ.get("CC", "cc"))
        flags = ["-O2", "-march=native", "-ffp-contract=off", "-fPIC", "-shared", "-Wno-psabi"]
        command = [*compiler, *flags, str(source), "-o", str(library), "-lmvec", "-lm"]
        subprocess.run(command, check=True)
        loops = ctypes.CDLL(str(library))
    loops.mean_of_one.restype = ctypes.c_double
    loops.cos_chain.restype = ctypes.c_double
    return loops


def _address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def c_elementwise() -> Iterator[Row]:
    """Without what a call costs: a loop in C stands around the loop."""
    for n in ARRAY_LENGTHS:
        a, b = two_arrays(n)
        out, times = np.empty(n), 1_000_000 // n
        arguments = [_address(out), _address(a), _address(b), ctypes.c_long(n)]
        seconds = best(_loops().exp_b_log, *arguments, ctypes.c_long(times))
        yield _elementwise_row(n), seconds / (n * times)


def c_chain() -> Iterator[Row]:
    nodes = 100_000  # so many that the call of C does not count
    seconds = best(_loops().cos_chain, ctypes.c_double(0.5), ctypes.c_long(nodes))
    yield "chain: cos, per node, emitted", seconds / nodes


def c_mean() -> Iterator[Row]:
    x, y = two_arrays(1_000_000)
    numbers = [ctypes.c_double(1.0), ctypes.c_double(2.0)]
    arrays = [_address(x), _address(y), ctypes.c_long(x.size)]
    yield MEAN_ROW, best(_loops().mean_of_one, *numbers, *arrays)


def numpy_elementwise() -> Iterator[Row]:
    for n in ARRAY_LENGTHS:
        seconds = best(lambda a, b: np.exp(a) * b + np.log(b), *two_arrays(n))
        yield _elementwise_row(n), seconds / n


def numpy_mean() -> Iterator[Row]:
    def mean(a: float, b: float, x: np.ndarray, y: np.ndarray) -> Any:
        return np.exp(x).mean() if a < b else np.exp(y).mean()

    yield MEAN_ROW, best(mean, 1.0, 2.0, *two_arrays(1_000_000))


def pytensor_elementwise() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt

    a, b = pt.dvector("a"), pt.dvector("b")
    f = pytensor.function([a, b], pt.exp(a) * b + pt.log(b), mode="CVM")
    for n in ARRAY_LENGTHS:
        yield _elementwise_row(n), best(f, *two_arrays(n)) / n


def pytensor_mean() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt
    from pytensor.ifelse import ifelse

    a, b, x, y = pt.dscalar("a"), pt.dscalar("b"), pt.dvector("x"), pt.dvector("y")
    picked = ifelse(a < b, pt.mean(pt.exp(x)), pt.mean(pt.exp(y)))
    f = pytensor.function([a, b, x, y], picked, mode="CVM")
    yield MEAN_ROW, best(f, 1.0, 2.0, *two_arrays(1_000_000))


def jax_elementwise() -> Iterator[Row]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    f = jax.jit(lambda a, b: jnp.exp(a) * b + jnp.log(b))
    for n in ARRAY_LENGTHS:
        seconds = best(lambda a, b: f(a, b).block_until_ready(), *two_arrays(n))
        yield _elementwise_row(n), seconds / n


def jax_mean() -> Iterator[Row]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    @jax.jit
    def mean(a: Any, b: Any, x: Any, y: Any) -> Any:
        return jax.lax.cond(a < b, lambda: jnp.mean(jnp.exp(x)), lambda: jnp.mean(jnp.exp(y)))

    arguments = (1.0, 2.0, *two_arrays(1_000_000))
    yield MEAN_ROW, best(lambda *a: mean(*a).block_until_ready(), *arguments)


def numba_elementwise() -> Iterator[Row]:
    import numba

    f = numba.njit(lambda a, b: np.exp(a) * b + np.log(b))
    for n in ARRAY_LENGTHS:
        yield _elementwise_row(n), best(f, *two_arrays(n)) / n


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


def pytensor_profile() -> Iterator[Row]:
    import pytensor
    import pytensor.tensor as pt

    x = y = pt.dscalar("x")
    for _ in range(100):
        y = pt.cos(y)
    plain = best(pytensor.function([x], y, mode=_pytensor_plain()), 0.5)
    profiled = pytensor.function([x], y, mode=_pytensor_plain(), profile=True)
    profiled.profile.print_at_exit = False
    yield "profile: time, per thunk", (best(profiled, 0.5) - plain) / 100


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


def pytensor_import() -> Iterator[Row]:
    yield "import: above NumPy", importing_above_numpy("pytensor", 3)


def pytensor_c() -> Iterator[Row]:
    yield from c_ops.chain("pytensor")
    with tempfile.TemporaryDirectory() as directory:
        flags = f"base_compiledir={directory}"
        environment = {**os.environ, "PYTENSOR_FLAGS": flags}
        yield c_ops.EMPTY_ROW, c_ops.twenty("pytensor", environment)
        yield c_ops.FULL_ROW, min(c_ops.twenty("pytensor", environment) for _ in range(5))


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
    yield "import: above NumPy", importing_above_numpy("jax", 3)


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
        name = f"{library}_{job}"
        found = (getattr(module, name, None) for module in (searches, loop_peers, array_peers))
        measure = globals().get(name) or next(filter(None, found), None)
        if measure is not None:
            rows |= dict(measure())
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
