"""THUNKVM_VECTORS: the vector unit that the loops of exp, sin and the like are computed with."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

CODE = """
import numpy as np, thunkvm as tv
x, m = tv.vector("x"), tv.matrix("m")
values = np.frombuffer(bytes.fromhex(input()))
functions = [tv.function([x], f(x)) for f in (tv.exp, tv.sin, tv.tanh, tv.log, tv.sigmoid)]
print(np.array([f(values) for f in functions]).tobytes().hex())
print(tv.function([m], tv.max(m, axis=0))(values[:30].reshape(3, 10)).tobytes().hex())
"""


def computed(unit: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, str]:
    """Rows of exp, sin, ... of the values, the maxima of their columns, and what was printed."""
    run = subprocess.run(
        [sys.executable, "-c", CODE],
        input=values.tobytes().hex(),
        env={**os.environ, "THUNKVM_VECTORS": unit},
        capture_output=True,
        text=True,
        check=True,
    )
    rows, maxima = (np.frombuffer(bytes.fromhex(line)) for line in run.stdout.split())
    return rows.reshape(5, -1), maxima, run.stderr


@pytest.mark.parametrize("unit", ["none", "avx2", "avx512"])
def test_every_vector_unit_is_as_precise(unit: str) -> None:
    values = np.random.default_rng(1).uniform(0.1, 30.0, 101)
    (exp, sin, tanh, log, sigmoid), maxima, printed = computed(unit, values)
    np.testing.assert_array_max_ulp(exp, np.exp(values), 5)
    np.testing.assert_array_max_ulp(sin, np.sin(values), 5)
    np.testing.assert_array_max_ulp(tanh, np.tanh(values), 5)
    np.testing.assert_array_max_ulp(log, np.log(values), 5)
    np.testing.assert_array_max_ulp(sigmoid, 1 / (1 + np.exp(-values)), 8)
    np.testing.assert_array_equal(maxima, values[:30].reshape(3, 10).max(axis=0))
    assert printed == ""


def test_a_unit_that_does_not_exist_is_ignored_with_a_warning() -> None:
    _, _, printed = computed("avx1024", np.linspace(1.0, 2.0, 30))
    assert 'THUNKVM_VECTORS is "avx1024": it takes avx512, avx2 or none' in printed
