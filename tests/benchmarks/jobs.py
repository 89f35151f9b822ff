"""What is measured of thunkvm: each job gives rows of (name, seconds).

The file peers.py does the same jobs with other libraries.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from itertools import count, repeat
from pathlib import Path
from typing import Any
from unittest import mock

import c_ops
import numpy as np
from arrays import arrays
from checks import debug
from draws import draws
from keeping import keeping
from loops import loops
from scaling import scaling
from timing import ARRAY_LENGTHS, MEAN_ROW, best, importing_above_numpy, once, two_arrays

import thunkvm as tv
from thunkvm import _core

Row = tuple[str, float]

# Without emitted code, which would come in the middle of a measurement; and with it from the start.
INTERPRETED = tv.Mode("cvm", compile="never")
EMITTED = tv.Mode("cvm", compile="now")


BENCHMARK_VM = Path(__file__).parents[2] / "build" / "tests" / "benchmarks" / "cpp" / "benchmark_vm"


def measured_in_cpp(part: str = "") -> dict[str, float]:
    """What the C++ benchmark beside this file measures, in seconds: rows with `part` in them."""
    printed = subprocess.run(
        [BENCHMARK_VM, part], check=True, capture_output=True, text=True
    ).stdout
    lines = [line.split() for line in printed.splitlines()]
    return {name: float(value) * 1e-9 for name, value, unit in lines if unit == "ns"}


def call() -> Iterator[Row]:
    """Calls of small functions: checked, keyword arguments and wrong types still handled."""
    x, v = tv.scalar("x"), tv.vector("v")
    yield "call: x*2+1 of a float", best(tv.function([x], x * 2 + 1, mode=INTERPRETED), 1.5)
    f = tv.function([v], v * 2 + 1, mode=INTERPRETED)
    yield "call: x*2+1 of 4 elements", best(f, np.ones(4))
    yield "call: x*2+1 of a float, emitted", best(tv.function([x], x * 2 + 1, mode=EMITTED), 1.5)
    f = tv.function([v], v * 2 + 1, mode=EMITTED)
    yield "call: x*2+1 of 4 elements, emitted", best(f, np.ones(4))


def chain() -> Iterator[Row]:
    """A chain of 1000 scalar nodes, per node, values let go as they die."""
    x = tv.scalar("x")
    y = x
    for _ in range(1000):
        y = tv.cos(y)
    node = best(tv.function([x], y, mode=INTERPRETED), 0.5) / 1000
    yield "chain: cos, per node", node
    # What of it is the library's cos: the same thousand calls on the same cells, without a machine.
    kernel = measured_in_cpp("cos_chain")["cos_chain_kernel_alone"]
    yield "chain: cos, its kernel alone", kernel
    yield "chain: cos, above its kernel", node - kernel
    emitted = best(tv.function([x], y, mode=EMITTED), 0.5) / 1000
    yield "chain: cos, per node, emitted", emitted


def profiles() -> Iterator[Row]:
    """What recording costs above a call without it, per thunk, and per group of emitted C."""
    x = tv.scalar("x")
    y = x
    for _ in range(100):
        y = tv.cos(y)
    f = tv.function([x], y, mode=INTERPRETED)
    plain = best(f, 0.5)
    for kind in ("count", "time", "trace"):
        with f.profile(kind):
            yield f"profile: {kind}, per thunk", (best(f, 0.5) - plain) / 100
    yield "profile: off again, per thunk", (best(f, 0.5) - plain) / 100
    m = tv.matrix("m")
    product = m
    for _ in range(50):
        product = product @ m
    h = tv.function([m], product, mode=INTERPRETED)
    plain = best(h, np.eye(2))
    with h.profile("time"):
        yield "profile: time, per thunk of arrays", (best(h, np.eye(2)) - plain) / 50
    v = tv.vector("v")
    z = v
    for _ in range(50):  # a call, and a loop
        z = tv.concatenate([tv.cos(z[:2]), z[2:]])
    g = tv.function([v], z, mode=EMITTED)
    plain = best(g, np.zeros(4))
    for kind in ("time", "trace"):
        with g.profile(kind) as p:
            spent = best(g, np.zeros(4)) - plain
        yield f"profile: {kind}, per group", spent / len(p.functions[0].groups)


def branch() -> Iterator[Row]:
    """A chain of 50 conditionals of one node an arm, per conditional."""
    x = tv.scalar("x")
    y = x
    for _ in range(50):
        y = tv.ifelse(y > 0.5, tv.cos(y), tv.exp(y))
    yield (
        "branch: ifelse(y > .5, cos(y), exp(y))",
        best(tv.function([x], y, mode=INTERPRETED), 0.5) / 50,
    )
    yield "branch: the same, emitted", best(tv.function([x], y, mode=EMITTED), 0.5) / 50


class Pass(tv.Op):
    """Hands its input on: what its thunk costs is what the machine adds."""

    __props__ = ()

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0]


def perform() -> Iterator[Row]:
    """A thunk over a Python perform, above the call of that perform from C."""
    x = tv.vector("x")
    y, op = x, Pass()
    for _ in range(1000):
        y = op(y)
    value, node, storage = np.ones(4), y.owner, [[None]]
    thunks = best(tv.function([x], y, mode=INTERPRETED), value) / 1000
    calls = (
        best(
            lambda: deque(map(op.perform, repeat(node, 1000), repeat([value]), repeat(storage)), 0)
        )
        / 1000
    )
    yield "perform: a Python thunk, above its body", thunks - calls


def build() -> Iterator[Row]:
    """Building and linking a chain, per node."""
    for nodes in (10_000, 1_000_000):

        def chain(nodes: int = nodes) -> tuple[tv.Variable, tv.Variable]:
            x = y = tv.scalar("x")
            for _ in range(nodes):
                y = tv.cos(y)
            return x, y

        x, y = chain()
        yield f"build: {nodes:,} nodes, per node", once(chain, 7 if nodes < 100_000 else 2) / nodes
        link = once(lambda: tv.function([x], y, mode=INTERPRETED), 7 if nodes < 100_000 else 2)  # noqa: B023
        yield f"link: {nodes:,} nodes, per node", link / nodes


def background() -> Iterator[Row]:
    """What calls of a large program wait for while its C is written and compiled."""
    x = y = tv.scalar("x")
    for _ in range(90_000):
        y = tv.cos(y)
    f = tv.function([x], y, mode="cvm")
    calls = [once(lambda: f(0.5)) for _ in range(200)]
    yield "background: a call of 90,000 nodes, before", min(calls)
    while f.compiled == "waiting":
        calls.append(once(lambda: f(0.5)))
    yield "background: the call that has it compiled", calls[-1]
    later = [once(lambda: f(0.5)) for _ in range(200)]
    yield "background: the longest of 200 calls after it", max(later)


def armijo() -> Iterator[Row]:
    """What an Armijo step converts: two vectors and two scalars in, one scalar more out."""
    x, d = tv.vector("x"), tv.vector("d")
    step, slope = tv.scalar("step"), tv.scalar("slope")
    f = tv.function([x, d, step, slope], [x, d, step, slope, step], mode=INTERPRETED)
    yield "armijo: 4 inputs, 5 outputs", best(f, np.ones(2), np.ones(2), 0.5, -1.0)


def rosenbrock(x: tv.Variable) -> tv.Variable:
    """The valley of Rosenbrock (1960) in as many dimensions as x has."""
    head, tail = x[:-1], x[1:]
    return (100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2).sum()


def trial() -> Iterator[Row]:
    """A step of a line search: the value at the trial point, its gradient if it is accepted."""
    x, d, step, before = tv.vector("x"), tv.vector("d"), tv.scalar("step"), tv.scalar("before")
    y = x + step * d
    value = rosenbrock(y)
    accepted = value <= before - 1e-4 * step * (d * d).sum()
    gradient = tv.ifelse(accepted, tv.grad(value, y), x)
    outputs = [accepted, y, value, gradient, tv.ifelse(accepted, step, 0.5 * step)]
    f = tv.function([x, d, step, before], outputs, mode=EMITTED)
    start = np.array([-1.2, 1.0])
    yield "trial: an Armijo trial, refused", best(f, start, np.ones(2), 0.5, 24.2)
    yield "trial: an Armijo trial, accepted", best(f, start, np.array([0.5, 0.1]), 0.5, 24.2)


def gradient() -> Iterator[Row]:
    """Rosenbrock's value and gradient of 100 elements, from building to results of emitted code."""
    value = np.linspace(-1.0, 1.0, 100)

    def first(salt: int) -> object:
        x = tv.vector("x")
        cost, extra = rosenbrock(x), x[0]
        for _ in range(salt):  # another source each time
            extra = extra * 2.0
        return tv.function([x], [cost, tv.grad(cost, x), extra], mode=EMITTED)(value)

    with tempfile.TemporaryDirectory() as directory, tv.config.change(cache_dir=directory):
        salts = count()
        yield "gradient: first result, empty cache", once(lambda: first(next(salts)), 12)
        yield "gradient: first result, full cache", once(lambda: first(0), 12)
    x = tv.vector("x")
    cost = rosenbrock(x)
    f = tv.function([x], [cost, tv.grad(cost, x)], mode=EMITTED)
    yield "gradient: per call", best(f, value)
    alone = tv.function([x], tv.grad(cost, x), mode=EMITTED)
    yield "gradient: per call, without the value", best(alone, value)


def large() -> Iterator[Row]:
    """Large programs, linked, emitted and compiled with an empty cache."""
    x, vectors = tv.scalar("x"), [tv.vector() for _ in range(5)]
    scalars = x
    for k in range(10_000):
        scalars = tv.cos(scalars) if k % 2 else scalars + 1.0
    branches = x
    for _ in range(2_500):
        branches = tv.ifelse(branches > 0.5, tv.cos(branches), tv.exp(branches))
    random = np.random.default_rng(0)
    ops = [tv.add, tv.subtract, tv.multiply, tv.divide]
    # Each loop reads a vector of its own, whose length nobody knows: so none is another's part.
    firsts, loops = [tv.vector() for _ in range(1_000)], []
    for k, y in enumerate(firsts):
        for _ in range(4):
            y = ops[random.integers(4)](y, vectors[(k + 1 + random.integers(4)) % 5])
        loops.append(y)
    programs = {
        "large: 10,000 scalar nodes": ([x], scalars),
        "large: 10,000 nodes, branching": ([x], branches),
        "large: 1,000 loops": ([*vectors, *firsts], loops),
    }
    for row, (inputs, outputs) in programs.items():
        with tempfile.TemporaryDirectory() as directory, tv.config.change(cache_dir=directory):
            yield row, once(lambda: tv.function(inputs, outputs, mode=EMITTED), 1)  # noqa: B023


def elementwise() -> Iterator[Row]:
    """A chain of elementwise Ops over arrays, per element."""
    a, b = tv.vector("a"), tv.vector("b")
    f = tv.function([a, b], tv.exp(a) * b + tv.log(b), mode=EMITTED)
    for n in ARRAY_LENGTHS:
        yield f"elementwise: exp(a)*b+log(b), n = {n:,}", best(f, *two_arrays(n)) / n
    # An operand of one element is a number to the loop; without fusion, kernels run one by one.
    kernels = tv.function([a, b], a * b + b, mode=EMITTED.excluding("fusion"))
    f = tv.function([a, b], a * b + b, mode=EMITTED)
    for n in (100_000, 1_000_000):
        arguments = two_arrays(n)[0], np.array([2.0])
        row = f"elementwise: a*b+b, b of 1 element, n = {n:,}"
        yield row, best(f, *arguments) / n
        yield row.replace("n =", "unfused,"), best(kernels, *arguments) / n


def mean() -> Iterator[Row]:
    """A conditional of two reductions of elementwise chains, of which one runs."""
    a, b, x, y = tv.scalar("a"), tv.scalar("b"), tv.vector("x"), tv.vector("y")
    picked = tv.ifelse(a < b, tv.mean(tv.exp(x)), tv.mean(tv.exp(y)))
    f = tv.function([a, b, x, y], picked, mode=EMITTED)
    yield MEAN_ROW, best(f, 1.0, 2.0, *two_arrays(1_000_000))


def machine() -> Iterator[Row]:
    """The machine without Python."""
    for name, seconds in measured_in_cpp().items():
        yield f"machine: {name}", seconds


def imports() -> Iterator[Row]:
    """What importing the package costs a program that has NumPy."""
    yield "import: above NumPy", importing_above_numpy("thunkvm")


SOURCE = """// module {number}
typedef double v8 __attribute__((vector_size(64)));
int run(double *out, const double *a, const double *b, long n) {{
  for (long i = 0; i + 8 <= n; i += 8) {{
    v8 x, y;
    __builtin_memcpy(&x, a + i, 64);
    __builtin_memcpy(&y, b + i, 64);
    x = x * y + y / x;
    __builtin_memcpy(out + i, &x, 64);
  }}
  return 0;
}}
"""
LOAD = """
import sys, time
from thunkvm import _core
start = time.perf_counter()
_core._testing.compile_modules([sys.argv[1]])
print(time.perf_counter() - start)
"""


def compiling() -> Iterator[Row]:
    """A C source of one loop, to loaded code."""
    numbers = count()

    def load_new() -> object:
        return _core._testing.compile_modules([SOURCE.format(number=next(numbers))])

    def load_in_new_process() -> float:
        command = [sys.executable, "-c", LOAD, SOURCE.format(number=0)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    with (
        tempfile.TemporaryDirectory() as directory,
        tv.config.change(cache_dir=directory),
        mock.patch.dict(os.environ, THUNKVM_CACHE=directory),
    ):
        yield "compile: a loop, nothing cached", once(load_new, 40)
        load_in_new_process()
        cached = min(load_in_new_process() for _ in range(7))
        yield "compile: a loop, cached, new process", cached
        source = SOURCE.format(number=0)
        yield "compile: a loop, cached", best(_core._testing.compile_modules, [source], repeats=10)
        held = _core._testing.compile_modules([source])
        yield "compile: a loop, loaded", best(_core._testing.compile_modules, [source], repeats=10)
        del held


def ops_in_c() -> Iterator[Row]:
    """Ops in C of the user's: see c_ops.py."""
    yield from c_ops.chain("thunkvm")
    with tempfile.TemporaryDirectory() as directory:
        environment = {**os.environ, "THUNKVM_CACHE": directory}
        yield c_ops.EMPTY_ROW, c_ops.twenty("thunkvm", environment)
        yield c_ops.FULL_ROW, min(c_ops.twenty("thunkvm", environment) for _ in range(5))


JOBS: dict[str, Callable[[], Iterator[Row]]] = {
    "machine": machine,
    "call": call,
    "chain": chain,
    "branch": branch,
    "perform": perform,
    "profile": profiles,
    "build": build,
    "armijo": armijo,
    "background": background,
    "elementwise": elementwise,
    "mean": mean,
    "trial": trial,
    "gradient": gradient,
    "large": large,
    "loops": loops,
    "scaling": scaling,
    "import": imports,
    "compile": compiling,
    "c": ops_in_c,
    "debug": debug,
    "draws": draws,
    "arrays": arrays,
    "keeping": keeping,
}
