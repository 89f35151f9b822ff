"""Every Op's forward derivative: against its gradient in all float dtypes, and against differences.

The inputs of each Op are those with which DebugMode checks it, and the complex ones those with
which its complex gradient is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from draws import DRAWS
from test_check_op import built_in, values_for
from test_complex_gradient import EXPRESSIONS as COMPLEX
from test_complex_gradient import MADE_OF_OTHERS
from test_ops_in_debug_mode import CASES

import thunkvm as tv
from thunkvm import _core

#: Relative to the largest number: of <u, Jv> against <J^T u, v>.
TOLERANCE = {"float16": 2e-2, "float32": 2e-4, "float64": 1e-10}
#: They compute in float32 and float64 alone.
NO_HALVES = {
    "cholesky", "cofactor_changes", "cofactors", "cofactors_by_lu", "complete_qr", "det",
    "det_by_lu", "eig", "eigh", "eigvalsh", "inv_by_lu", "slogdet_by_lu", "solve_by_lu",
    "factored_cholesky", "factored_inv", "factored_slogdet", "full_svd", "inv",
    "lu_factors", "qr", "slogdet", "solve", "solve_triangular", "svd", "svdvals",
}  # fmt: skip
#: What it computes with is rounded to float32, or what it is for is not the derivative.
NO_DIFFERENCE = {"cast", "stop_gradient"}
#: Those that draw, and those whose vectors are not unique.
NO_GRADIENT = {"complete_qr", "full_svd", *DRAWS}


def cases() -> dict[str, tuple[Callable[..., Any], list[Any]]]:
    """Ops of floats that need nothing, and those of which the cases say how they are called."""
    found = dict(CASES)
    for name in built_in():
        (proto,) = (proto for proto in _core.op_protos() if proto["name"] == name)
        if any(attr["required"] for attr in proto["attrs"]):
            continue
        values = values_for(_core.op(name), name, len(proto["inputs"]))
        if values is not None:
            found.setdefault(name, (_core.op(name), values))
    return {
        name: (build, values)
        for name, (build, values) in found.items()
        if any(np.asarray(value).dtype.kind == "f" for value in values) and name not in NO_GRADIENT
    }


REAL = cases()


class Pushed:
    """An Op at values, with tangents for its inputs and a cotangent for its output."""

    def __init__(self, build: Callable[..., Any], values: list[Any], dtype: str) -> None:
        self.dtype = dtype
        self.arrays = [
            a.astype(dtype) if a.dtype.kind in "fc" else a for a in map(np.asarray, values)
        ]
        self.inputs = [
            tv.tensor(f"x{i}", a.dtype, (None,) * a.ndim) for i, a in enumerate(self.arrays)
        ]
        self.out = build(*self.inputs)
        self.moving = [i for i, a in enumerate(self.arrays) if a.dtype.kind in "fc"]
        random = np.random.default_rng(7)
        self.along = [self.drawn(random, self.arrays[i]) for i in self.moving]
        self.random = random

    def drawn(self, random: np.random.Generator, like: np.ndarray) -> np.ndarray:
        """Numbers of the shape and dtype of an array."""
        numbers = random.uniform(-1, 1, like.shape)
        if like.dtype.kind == "c":
            numbers = numbers + 1j * random.uniform(-1, 1, like.shape)
        return np.asarray(numbers).astype(like.dtype)

    def is_differentiable(self) -> bool:
        """Whether the output is of floats."""
        return np.dtype(self.out.dtype).kind in "fc"

    def check_transposed(self, tolerance: float) -> None:
        """Hold <u, Jv> against <J^T u, v>."""
        wrt = [self.inputs[i] for i in self.moving]
        tangent = tv.jvp(self.out, wrt, self.along, disconnected_outputs="ignore")
        assert tangent.dtype == self.out.dtype
        value, pushed = self.run([self.out, tangent])
        assert pushed.shape == value.shape
        u = self.drawn(self.random, np.asarray(value))
        pulled = self.run(tv.vjp(self.out, wrt, u, disconnected_inputs="ignore"))
        wide = "complex128"
        forward = np.sum(np.conj(u.astype(wide)) * pushed.astype(wide)).real
        parts = [
            np.sum(np.conj(p.astype(wide)) * v.astype(wide)).real
            for p, v in zip(pulled, self.along, strict=True)
        ]
        size = max(1.0, np.abs(u.astype(wide) * pushed.astype(wide)).sum())
        assert abs(forward - sum(parts)) <= tolerance * size, (forward, parts)

    def check_differences(self) -> None:
        """Hold the tangent against a difference along it."""
        wrt = [self.inputs[i] for i in self.moving]
        tangent = tv.jvp(self.out, wrt, self.along, disconnected_outputs="ignore")
        pushed = self.run([tangent])[0]
        f = tv.function(self.inputs, self.out, on_unused_input="ignore")
        ends = []
        for sign in (1, -1):
            moved = list(self.arrays)
            for i, v in zip(self.moving, self.along, strict=True):
                moved[i] = moved[i] + sign * 1e-6 * v
            ends.append(np.asarray(f(*moved)))
        difference = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(pushed, difference, rtol=1e-4, atol=1e-4)

    def run(self, results: list[tv.Variable]) -> list[np.ndarray]:
        """Compute results at the values."""
        f = tv.function(self.inputs, results, on_unused_input="ignore")
        return [np.asarray(value) for value in f(*self.arrays)]


def pushed(build: Callable[..., Any], values: list[Any], dtype: str) -> Pushed:
    made = Pushed(build, values, dtype)
    if not made.is_differentiable():
        pytest.skip("its values are no floats")
    return made


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", REAL)
def test_tangent_of_an_op_is_the_transpose_of_its_gradient(name: str, dtype: str) -> None:
    if dtype == "float16" and name.split()[0] in NO_HALVES:
        pytest.skip("LAPACK has no float16")
    build, values = REAL[name]
    tolerance = TOLERANCE["float32" if name == "cast" else dtype]
    pushed(build, values, dtype).check_transposed(tolerance)


@pytest.mark.parametrize("name", sorted(set(REAL) - NO_DIFFERENCE))
def test_tangent_of_an_op_is_a_difference(name: str) -> None:
    build, values = REAL[name]
    pushed(build, values, "float64").check_differences()


@pytest.mark.parametrize("name", COMPLEX)
def test_tangent_of_complex_numbers_is_the_transpose_and_a_difference(name: str) -> None:
    build, values = COMPLEX[name]
    made = pushed(build, values, "complex128")
    made.check_transposed(1e-9)
    made.check_differences()


def test_every_op_with_a_slope_is_held_against_its_gradient() -> None:
    held: set[str] = set()
    for build, values in REAL.values():
        made = Pushed(build, values, "float64")
        held |= {node.op.name for node in _core.topological_order([made.out])}
    for build, values in COMPLEX.values():
        made = Pushed(build, values, "complex128")
        held |= {node.op.name for node in _core.topological_order([made.out])}
    of_integers = {
        "arange_length", "bitwise_and", "bitwise_or", "bitwise_xor", "broadcast_length", "eye",
        "broadcast_shape", "gcd", "invert", "lcm", "left_shift", "matched_length", "right_shift",
        "reshaped_length", "slice_length", "argsort", "arange", "is_missing",
    }  # fmt: skip
    without = {*MADE_OF_OTHERS, *of_integers, *NO_GRADIENT, "random_stream"}
    assert set(built_in()) - held - without == set()
