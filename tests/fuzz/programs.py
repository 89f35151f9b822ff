"""Random programs of built-in Ops, their arguments, and their results in several modes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from comparing import bits, errors, results
from naming import run_as

import thunkvm as tv

EDGES: dict[str, list[Any]] = {
    "float64": [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, -1.5, 2.0, 0.5],
    "float32": [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, -1.5, 2.0, 0.5],
    "float16": [0.0, -0.0, np.inf, np.nan, 6e-8, 65504.0, -1.5, 2.0, 0.5],
    "complex128": [0.0, -0.0, np.inf, complex(0.0, np.nan), 1e300j, -1.5 + 2j, 2.0, 0.5j],
    "complex64": [0.0, -0.0, np.inf, complex(np.nan, 1.0), 1e30j, -1.5 + 2j, 2.0, 0.5j],
    "int64": [0, 1, -1, 2**63 - 1, -(2**63), 7],
    "int32": [0, 1, -1, 2**31 - 1, -(2**31), 6],
    "int16": [0, 1, -1, 2**15 - 1, -(2**15), 3],
    "int8": [0, 1, -1, 127, -128, 5],
    "uint64": [0, 1, 2**64 - 1, 2**63, 10],
    "uint32": [0, 1, 2**32 - 1, 2**31, 11],
    "uint16": [0, 1, 65535, 9],
    "uint8": [0, 1, 255, 128, 4],
    "bool": [False, True],
}
#: Those of which NumPy's own results of special values differ, or have few digits.
COARSE = ("float16", "complex64", "complex128")
ORDINARY = np.array([-3, -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 4])
SHAPES = [(3, 5), (1, 5), (4, 1), (0, 4), (5, 5), (17, 33), (16, 16), (1, 1), (2, 600), (40, 70)]
LENGTHS = [*range(1, 7), *range(14, 19), *range(31, 35), 40]
UNARY = [
    "exp",
    "log",
    "sqrt",
    "sin",
    "cos",
    "arctan",
    "arctanh",
    "cosh",
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
# What belongs to an axis of an index; those of a pair are equally long.
SLICES = [
    ":",
    "1:",
    ":-1",
    "::2",
    "::-1",
    "-2::-1",
    "1:-1",
    "-3:",
    "2:40:3",
    ":-4:-1",
    "0:1",
    "3:3",
]
PAIRS = [("1:", ":-1"), (":", "::-1"), ("1:-1", "2:"), ("::-1", ":"), ("::2", "::2"), (":3", "-3:")]


def has_ordinary_arguments(seed: int) -> bool:
    """True if arguments of this seed are small numbers; else they are the edges of their dtypes."""
    return seed % 3 != 0


class Program:
    """A random graph as lines of Python, so that a failure can be pasted."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"tv": tv, "np": np}
        self.values: list[str] = []
        self.inputs: list[str] = []
        self.kinds: list[str] = []

    def line(self, text: str) -> str | None:
        """Add a value; None where there is no such value."""
        name = f"t{len(self.lines)}"
        try:
            self.names[name] = eval(text, self.names)
        except (IndexError, TypeError, ValueError):  # not for these dtypes, or not for these ndims
            return None
        self.lines.append(f"{name} = {text}")
        if self.names[name].leaf != "constant":
            self.values.append(name)
        return name

    def generate(self) -> None:
        rng = self.random
        for dtype in rng.choices(list(EDGES), k=3):
            for kind in rng.sample(["matrix", "matrix", "vector", "scalar", "col", "row"], 2):
                make = {"col": "matrix", "row": "matrix"}.get(kind, kind)
                self.line(f"tv.{make}(dtype={dtype!r})")
                self.inputs.append(self.values[-1])
                self.kinds.append(kind)
        for _ in range(rng.randint(4, 14)):
            if rng.randrange(2):
                self.compute()
            else:
                self.arrange()
        self.outputs = rng.sample((self.values[len(self.inputs) :] or self.values)[-4:], k=1)
        self.outputs += rng.sample(self.values, k=min(2, len(self.values)))

    def compute(self) -> None:
        """Add what computes elements, or chooses between values."""
        rng = self.random
        a, b, c = (rng.choice(self.values) for _ in range(3))
        match rng.randrange(14):
            case 0 | 1:
                self.line(f"tv.{rng.choice(UNARY)}({a})")
            case 12:
                self.line(f"tv.cumsum({a}, axis={rng.choice([0, -1])})")
            case 13:
                self.line(f"tv.attempt({b}, {rng.choice([a, self.number()])}, on=ValueError)")
            case 2:
                self.line(f"{a} ** {rng.choice([2, 2, 2, 3, 2.0])}")
            case 3 | 4 | 5 | 6:
                self.line(f"tv.{rng.choice(BINARY)}({a}, {b})")
            case 7:
                self.line(f"tv.where({a} > 0, {b}, {c})")
            case 8:
                axes = rng.sample(range(ndim := self.names[a].ndim), k=rng.randint(0, ndim))
                axis = rng.choice(["None", "-1", "0", axes or "None", axes or "None"])
                keep = rng.choice(["True", "False"])
                self.line(f"tv.{rng.choice(REDUCTIONS)}({a}, axis={axis}, keepdims={keep})")
            case 9:
                self.line(f"tv.cast({a}, dtype={rng.choice(['float32', 'float64', 'bool'])!r})")
            case 10 | 11:
                self.choose()

    def choose(self) -> None:
        """Add conditionals of which arms compute from the same value, often from a part of one."""
        rng = self.random
        scalars = [v for v in self.values if self.names[v].ndim == 0]
        value = rng.choice(self.values)
        if self.names[value].ndim > 0 and rng.randrange(3):
            value = self.line(f"{value}[{rng.choice(SLICES)}]") or value
        others = [v for v in self.values if self.names[v].ndim == self.names[value].ndim]
        chosen = []
        for _ in range(rng.randrange(1, 4) if scalars else 0):
            first, second, other = rng.choice(BINARY), rng.choice(BINARY), rng.choice(others)
            arms = [f"tv.{second}(tv.{first}({value}, {value}), {other})", rng.choice(others)]
            rng.shuffle(arms)
            chosen.append(self.line(f"tv.ifelse({rng.choice(scalars)} > 0, {arms[0]}, {arms[1]})"))
        if len(chosen) > 1 and None not in chosen:
            self.line(f"tv.{rng.choice(BINARY)}({chosen[0]}, {chosen[1]})")

    def arrange(self) -> None:
        """Add what says where elements lie, most often with something that computes from it."""
        rng = self.random
        a, b = (rng.choice(self.values) for _ in range(2))
        op = rng.choice(BINARY)
        match rng.randrange(16):
            case 14 | 15:
                self.read_in_many_ways(a, b)
            case 0 | 1:
                pairs = [rng.choice(PAIRS) for _ in range(self.names[a].ndim)]
                left, right = (
                    (", ".join(axis) for axis in zip(*pairs, strict=True))
                    if pairs
                    else ("None", "None")
                )
                left, right = (self.line(f"{a}[{index}]") for index in (left, right))
                if left and right:
                    self.line(f"tv.{op}({left}, {right})")
            case 2:
                part = self.line(f"{a}[{self.index(a)}]")
                if part:
                    self.line(f"tv.{op}({part}, {rng.choice([part, b])})")
            case 3:
                self.line(f"tv.{op}({a}, tv.transpose({b}))")
            case 4:
                axis = rng.randint(0, self.names[a].ndim)
                self.line(f"tv.{op}(tv.expand_dims({a}, axis=[{axis}]), {b})")
            case 5:
                axis = rng.randint(0, 1)
                self.line(f"tv.{op}(tv.squeeze({a}, axis=[{axis}]), {b})")
            case 6:
                lengths = rng.choice([f"tv.ops.shape({b})", f"tv.ops.shape({b}[{self.index(b)}])"])
                wide = self.line(f"tv.broadcast_to({a}, {lengths})")
                if wide:
                    self.line(f"tv.{op}({wide}, {rng.choice([b, wide, a])})")
            case 7 | 8:
                base = rng.choice(
                    [f"tv.zeros_like({a})", f"tv.full(tv.ops.shape({a}), {self.number()})", a]
                )
                write = rng.choice(["set", "set", "set", "inc"])
                value = rng.choice([b, self.number(), f"{a}[{self.index(a)}]"])
                placed = self.line(f"{base}[{self.index(a)}].{write}({value})")
                if placed:
                    self.line(f"tv.{op}({placed}, {rng.choice([a, b, placed])})")
            case 9:
                value = rng.choice([a, f"tv.{op}({a}, {b})"])
                self.line(f"tv.ops.unbroadcast({value}, tv.ops.shape({b}))")
            case 10 | 11:
                floats = [v for v in self.values if self.names[v].dtype.startswith("float")]
                if floats:
                    cost = rng.choice(
                        [f"tv.sum({rng.choice(floats)})", f"tv.sum({rng.choice(floats)} ** 2)"]
                    )
                    self.line(f"tv.grad({cost}, {rng.choice(floats)})")
            case 12:
                element = self.line(f"{a}[{self.place(a)}]")
                if element:
                    self.line(f"tv.{op}({rng.choice([a, b])}, {element})")
            case 13:
                axis = rng.randrange(max(1, self.names[a].ndim))
                lengths = [
                    f"{a}.shape[{axis}]",
                    f"tv.size({a})",
                    f"tv.{op}({a}, {a}).shape[{axis}]",
                ]
                length = self.line(rng.choice(lengths))
                if length:
                    self.line(f"tv.{op}({rng.choice([a, b])}, {length})")

    def read_in_many_ways(self, a: str, b: str) -> None:
        """Add what says where elements lie, and kernels and loops over any axes that read it."""
        rng = self.random
        found = self.line(
            rng.choice(
                [
                    f"{a}[{self.index(a)}]",
                    f"tv.broadcast_to({a}, tv.ops.shape({b}))",
                    f"tv.full(tv.ops.shape({a}), {self.number()})",
                    f"tv.zeros_like({a})[{self.index(a)}].set({b})",
                ]
            )
        )
        if not found:
            return
        readers = [
            f"tv.{rng.choice(UNARY)}({found})",
            f"tv.{rng.choice(BINARY)}({found}, {b})",
            f"tv.{rng.choice(BINARY)}({a}, tv.expand_dims({found}, axis=[0]))",
            f"tv.cumsum({found}, axis=-1)",
            f"{found}[{self.index(found)}].set({self.number()})",
            f"tv.sum({found})",
        ]
        for reader in rng.sample(readers, k=rng.randint(2, 4)):
            self.line(reader)

    def place(self, value: str) -> str:
        """What stands in brackets behind a value for one element of it: numbers, or their names."""
        rng = self.random
        integers = [
            name
            for name in self.values
            if self.names[name].ndim == 0 and "int" in self.names[name].dtype
        ]
        indices = [
            rng.choice(integers)
            if integers and rng.randrange(4) == 0
            else str(rng.choice([-2, -1, -1, 0, 0, 1, 3]))
            for _ in range(self.names[value].ndim)
        ]
        return ", ".join(indices) or "..."

    def index(self, value: str) -> str:
        """What may stand in the brackets behind the name of a value."""
        rng = self.random
        items = [
            rng.choice(SLICES) if rng.randrange(4) else str(rng.randint(-3, 3))
            for _ in range(self.names[value].ndim)
        ]
        if rng.randrange(4) == 0:
            items.insert(rng.randint(0, len(items)), "None")
        return ", ".join(items) or "None"

    def number(self) -> str:
        """A number, or the name of one."""
        numbers = [v for v in self.values if self.names[v].ndim == 0]
        return self.random.choice([*numbers, "0.0", "1", "2.5"])

    def arguments(self, seed: int) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        ordinary = has_ordinary_arguments(seed)
        n, m = SHAPES[seed % len(SHAPES)] if rng.integers(2) else rng.choice(LENGTHS, 2)
        shapes = {"matrix": (n, m), "vector": (m,), "scalar": (), "col": (n, 1), "row": (1, m)}
        out = []
        for name, kind in zip(self.inputs, self.kinds, strict=True):
            dtype = self.names[name].dtype
            shape = list(shapes[kind])
            if shape and rng.integers(12) == 0:  # one that is broadcast, or fits no other
                shape[rng.integers(len(shape))] = rng.choice([1, 1, 1, 0, 6])
            choices = ORDINARY if ordinary else np.array(EDGES[dtype], dtype=dtype)
            value = choices[rng.integers(len(choices), size=tuple(shape))]
            with np.errstate(invalid="ignore"):
                value = np.asarray(value).astype(dtype)
            layout = rng.integers(5)
            if len(shape) == 2 and layout <= 1:
                value = np.asfortranarray(value)
            elif shape and layout == 2:
                value = np.repeat(value, 2, axis=-1)[..., ::2]
            elif shape and layout == 3:
                value = value[::-1][..., ::-1]
            out.append(value)
        return out

    def is_summed_exactly(self, seed: int) -> bool:
        """True if the order of additions makes no great difference to results for arguments(seed).

        A sum of a large number and its negative may be anything; a jump makes anything of a little.
        """
        text = "\n".join(self.lines)
        sums = ("sum(", "mean(", "prod(", "unbroadcast(", "grad(", *COARSE)
        adds_up = any(name in text for name in sums)
        jumps = any(name in text for name in ("floor", "sign", "less", "equal", "> 0", "logical"))
        return not adds_up or (has_ordinary_arguments(seed) and not jumps)

    def results(self, function: Any, arguments: list[np.ndarray]) -> Any:
        """What a call gives, or the message of what it raises. A crash names the seed."""
        return run_as(f"Program({self.seed})", lambda: results(function, arguments))

    def compare(self, seed: int, mode: tv.Mode, expected: Any, got: Any, numpy: Any) -> None:
        """Hold what emitted code gave for arguments(seed) against the kernels' results, to the bit.

        NumPy's are of the same types and shapes, and where sums are exact of the same values.
        """
        what = f"{mode}\n{self.text(seed)}"
        if isinstance(expected, str) or isinstance(got, str):
            assert isinstance(expected, str) == isinstance(numpy, str), what
            if not isinstance(got, str):
                assert mode.rewrites, what  # then what raises may be gone
                return
            inputs, outputs = ([self.names[n] for n in ns] for ns in (self.inputs, self.outputs))
            assert got == expected or got in errors(inputs, outputs, self.arguments(seed)), what
            return
        for e, g, p in zip(expected, got, numpy, strict=True):
            assert np.asarray(g).dtype == np.asarray(e).dtype == np.asarray(p).dtype, what
            assert np.shape(g) == np.shape(e) == np.shape(p), what
            assert bits(g) == bits(e), f"{what}\n{g}\n{e}"
            if self.is_summed_exactly(seed):
                digits = 1e-2 if "float16" in what else 2e-5
                np.testing.assert_allclose(g, p, rtol=digits, atol=1e-30, err_msg=what)

    def text(self, seed: int) -> str:
        listed = "\n".join(self.lines)
        inputs = dict(zip(self.inputs, self.kinds, strict=True))
        return f"{listed}\ninputs {inputs}, outputs {self.outputs}, arguments of seed {seed}"
