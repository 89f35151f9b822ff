"""The threads of OpenBLAS that the core's products run on: `tv.config.blas_threads`."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.calls import blas


def test_blas_threads_are_those_of_the_library_of_the_core() -> None:
    with tv.config.change(blas_threads=1):
        assert tv.config.blas_threads == blas.core().openblas_get_num_threads() == 1
    with tv.config.change(blas_threads=2):
        assert tv.config.blas_threads == blas.core().openblas_get_num_threads() == 2


def test_blas_threads_are_as_before_after_a_block_and_after_an_error() -> None:
    before = tv.config.blas_threads
    with tv.config.change(blas_threads=before + 1):
        assert tv.config.blas_threads == before + 1
    assert tv.config.blas_threads == before
    with pytest.raises(KeyError), tv.config.change(blas_threads=before + 1):
        raise KeyError
    assert tv.config.blas_threads == before


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"import thunkvm as tv\n{code}"],
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_blas_threads_set_to_none_are_those_of_the_environment() -> None:
    code = """
tv.config.blas_threads = 2
tv.config.blas_threads = None
print(tv.config.blas_threads)"""
    assert run(code, OPENBLAS_NUM_THREADS="1") == "1"


def test_other_settings_leave_blas_threads_alone() -> None:
    code = """
from thunkvm._src.calls import blas
blas.core().openblas_set_num_threads(2)  # by a library of threads, say
tv.config.mode = "vm"
print(tv.config.blas_threads)"""
    assert run(code, OPENBLAS_NUM_THREADS="1") == "2"


def test_products_run_on_no_more_threads_than_blas_threads_says() -> None:
    code = """
import os
import numpy as np
m = tv.matrix("m")
f = tv.function([m], tv.dot(m, m), mode="c|py")
tv.config.blas_threads = {count}
f(np.ones((400, 400)))
print(len(os.listdir("/proc/self/task")))"""
    several = int(run(code.format(count=3), OPENBLAS_NUM_THREADS="1"))
    alone = int(run(code.format(count=1), OPENBLAS_NUM_THREADS="1"))
    assert several == alone + 2


def test_a_product_is_the_same_to_rounding_on_other_threads() -> None:
    m = tv.matrix("m")
    f = tv.function([m], tv.dot(m, m))
    value = np.random.default_rng(3).normal(size=(200, 200))
    for count in (1, 2, 3):
        with tv.config.change(blas_threads=count):
            np.testing.assert_allclose(f(value), value @ value, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("wrong", [0, -1, 1025, 1.0, "2", True])
def test_blas_threads_are_a_number_of_threads(wrong: object) -> None:
    with pytest.raises(ValueError, match="blas_threads has to be a number of threads from 1 to"):
        tv.config.blas_threads = wrong  # type: ignore[assignment]


def test_blas_threads_of_another_blas_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "is_openblas", lambda: False)
    with pytest.raises(RuntimeError, match="is not OpenBLAS"):
        tv.config.blas_threads = 1
    assert tv.config.blas_threads == 1
