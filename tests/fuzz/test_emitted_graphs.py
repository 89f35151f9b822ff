"""Random graphs of built-in Ops: emitted code gives the kernels' bits, and NumPy's values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

EDGES: dict[str, list[Any]] = {
    "float64": [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, -1.5, 2.0, 0.5],
    "float32": [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, -1.5, 2.0, 0.5],
    "int64": [0, 1, -1, 2**63 - 1, -(2**63), 7],
    "int8": [0, 1, -1, 127, -128, 5],
    "uint16": [0, 1, 65535, 9],
    "bool": [False, True],
}
SHAPES = [(3, 5), (1, 5), (4, 1), (0, 4), (17, 33), (40, 70)]
UNARY = [
    "exp",
    "log",
    "sqrt",
    "sin",
    "tanh",
    "negative",
    "abs",
    "square",
    "sign",
    "floor",
    "isnan",
    "logical_not",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "less",
    "equal",
    "logical_and",
    "floor_divide",
]
REDUCTIONS = ["sum", "mean", "max", "min", "prod", "any", "all"]


class Program:
    """A random graph as lines of Python, so that a failure can be pasted."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"tv": tv, "np": np}
        self.values: list[str] = []
        self.inputs: list[str] = []

    def line(self, text: str) -> None:
        name = f"t{len(self.lines)}"
        try:
            self.names[name] = eval(text, self.names)
        except (TypeError, ValueError):  # the Op is not for these dtypes, or not for these ndims
            return
        self.lines.append(f"{name} = {text}")
        if self.names[name].leaf != "constant":
            self.values.append(name)

    def generate(self) -> None:
        rng = self.random
        for dtype in rng.choices(list(EDGES), k=3):
            for kind in rng.sample(["matrix", "matrix", "vector", "scalar", "col", "row"], 2):
                make = {"col": "matrix", "row": "matrix"}.get(kind, kind)
                self.line(f"tv.{make}(dtype={dtype!r})")
                self.inputs.append(self.values[-1])
                self.names[self.values[-1] + "_kind"] = kind
        for _ in range(rng.randint(4, 14)):
            a, b, c = (rng.choice(self.values) for _ in range(3))
            match rng.randrange(10):
                case 0 | 1 | 2:
                    self.line(f"tv.{rng.choice(UNARY)}({a})")
                case 3 | 4 | 5 | 6:
                    self.line(f"tv.{rng.choice(BINARY)}({a}, {b})")
                case 7:
                    self.line(f"tv.where({a} > 0, {b}, {c})")
                case 8:
                    axis = rng.choice(["None", "-1", "0"])
                    keep = rng.choice(["True", "False"])
                    self.line(f"tv.{rng.choice(REDUCTIONS)}({a}, axis={axis}, keepdims={keep})")
                case 9:
                    scalars = [v for v in self.values if self.names[v].ndim == 0]
                    if scalars:
                        self.line(f"tv.ifelse({rng.choice(scalars)} > 0, {a}, {b})")
                    self.line(f"tv.cast({a}, dtype={rng.choice(['float32', 'float64', 'bool'])!r})")
        self.outputs = self.random.sample(self.values[len(self.inputs) :] or self.values, k=1)
        self.outputs += self.random.sample(self.values, k=min(2, len(self.values)))

    def arguments(self, seed: int) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        n, m = SHAPES[seed % len(SHAPES)]
        shapes = {"matrix": (n, m), "vector": (m,), "scalar": (), "col": (n, 1), "row": (1, m)}
        out = []
        for name in self.inputs:
            dtype = self.names[name].dtype
            shape = shapes[self.names[name + "_kind"]]
            edges = np.array(EDGES[dtype], dtype=dtype)
            value = edges[rng.integers(len(edges), size=shape)]
            if len(shape) == 2 and rng.integers(2):
                value = np.asfortranarray(value)
            elif len(shape) and rng.integers(2):
                value = np.repeat(value, 2, axis=-1)[..., ::2]
            out.append(value)
        return out

    def text(self, seed: int) -> str:
        listed = "\n".join(self.lines)
        return f"{listed}\ninputs {self.inputs}, outputs {self.outputs}, arguments of seed {seed}"


def results(function: Any, arguments: list[np.ndarray]) -> Any:
    """What a call gives, or the type of what it raises."""
    try:
        return function(*arguments)
    except (ValueError, ZeroDivisionError) as error:
        return type(error).__name__


def bits(value: Any) -> bytes:
    """The bits of a result; all NaNs alike."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.tobytes()


def test_emitted_code_gives_the_bits_of_the_kernels(fuzz_graphs: int, fuzz_seed: int) -> None:
    modes = [
        tv.Mode("cvm", compile="now"),
        tv.Mode("c", gc=False),
        tv.Mode("c").excluding("fusion"),
        tv.Mode("c|py"),
    ]
    for seed in range(fuzz_seed, fuzz_seed + max(10, fuzz_graphs // 6)):
        program = Program(seed)
        program.generate()
        inputs = [program.names[name] for name in program.inputs]
        outputs = [program.names[name] for name in program.outputs]
        mode = modes[seed % len(modes)]
        options = {"on_unused_input": "ignore"}
        kernels = tv.function(inputs, outputs, mode=tv.Mode("cvm", compile="never"), **options)
        emitted = tv.function(inputs, outputs, mode=mode, **options)
        performs = tv.function(inputs, outputs, mode="py", **options)
        for call in range(seed, seed + 3):
            arguments = program.arguments(call)
            expected = results(kernels, arguments)
            got = results(emitted, arguments)
            numpy = results(performs, arguments)
            what = f"{mode}\n{program.text(call)}"
            if isinstance(expected, str) or isinstance(got, str):
                assert expected == got == numpy, what
                continue
            for e, g, p in zip(expected, got, numpy, strict=True):
                assert np.asarray(g).dtype == np.asarray(e).dtype, what
                assert np.shape(g) == np.shape(e), what
                assert bits(g) == bits(e), f"{what}\n{g}\n{e}"
                with np.errstate(all="ignore"):
                    np.testing.assert_allclose(g, p, rtol=2e-5, atol=1e-30, err_msg=what)
        assert emitted.registers_empty() or not mode.gc, program.text(seed)


def test_emitted_code_runs_the_nodes_that_kernels_run(fuzz_graphs: int, fuzz_seed: int) -> None:
    for seed in range(fuzz_seed + 10_000, fuzz_seed + 10_000 + max(5, fuzz_graphs // 20)):
        program = Program(seed)
        program.generate()
        inputs = [program.names[name] for name in program.inputs]
        outputs = [program.names[name] for name in program.outputs]
        runs = []
        for mode in (tv.Mode("cvm", compile="never"), tv.Mode("c")):
            function = tv.function(inputs, outputs, mode=mode, on_unused_input="ignore")
            for call in range(4):
                results(function, program.arguments(call))
            runs.append([(row[0], row[-1]) for row in function.node_runs()])
        assert runs[0] == runs[1], program.text(seed)


@pytest.mark.parametrize("compiler", ["clang"])
def test_another_compiler_gives_the_same_bits(compiler: str, fuzz_seed: int) -> None:
    import shutil

    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    for seed in range(fuzz_seed, fuzz_seed + 5):
        program = Program(seed)
        program.generate()
        inputs = [program.names[name] for name in program.inputs]
        outputs = [program.names[name] for name in program.outputs]
        kernels = tv.function(
            inputs, outputs, mode=tv.Mode("cvm", compile="never"), on_unused_input="ignore"
        )
        with tv.config.change(cc=compiler):
            emitted = tv.function(inputs, outputs, mode="c", on_unused_input="ignore")
        for call in range(3):
            arguments = program.arguments(call)
            expected, got = results(kernels, arguments), results(emitted, arguments)
            assert isinstance(expected, str) == isinstance(got, str)
            if not isinstance(got, str):
                assert [bits(v) for v in got] == [bits(v) for v in expected], program.text(call)
