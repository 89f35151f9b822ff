"""thunkvm-run: a graph file and the arrays of a file, in a program that has no Python."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_graph_files import model

import thunkvm as tv
from thunkvm import _core

RUNNER = Path(_core.__file__).resolve().parents[1].parent / "linkers/runner/thunkvm-run"

pytestmark = pytest.mark.skipif(not RUNNER.exists(), reason="thunkvm-run was not built")


@tv.register_op("tests.flip")
def flip(op: Any) -> None:
    """The reversed vector."""
    op.add_input("x", "a vector")
    op.add_output("out", "it, from its end")
    op.perform(lambda x: x[::-1].copy())


def run(folder: Path, *options: str, **arrays: Any) -> subprocess.CompletedProcess[str]:
    """Run the graph of a folder on arrays."""
    np.savez(folder / "input.npz", **arrays)
    return subprocess.run(
        [RUNNER, *options, folder / "model.tv", folder / "input.npz", folder / "output.npz"],
        capture_output=True,
        text=True,
        env={**os.environ, "THUNKVM_CACHE": str(folder / "cache")},
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hold the graph of `model`, whose attempt catches what C++ knows."""
    inputs, outputs = model()
    tv.save(tmp_path / "model.tv", outputs, inputs)
    return tmp_path


@pytest.mark.parametrize("mode", ["cvm", "c", "cvm_nogc", "FAST_RUN"])
def test_the_runner_computes_what_the_function_does(mode: str, folder: Path) -> None:
    inputs, outputs = model()
    f = tv.function(inputs, outputs)
    for x, y in ([1.0, 2.0], 1.0), ([3.0, 4.0], -1.0):
        ran = run(folder, "--mode", mode, x=x, y=y)

        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
        found = np.load(folder / "output.npz")
        expected = f(x, y)
        assert found.files == list(expected)
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_the_runner_calls_values_without_a_name_by_their_place(tmp_path: Path) -> None:
    x = tv.vector()
    tv.save(tmp_path / "model.tv", [x * 2.0, x.sum()], [x])
    assert run(tmp_path, arr_0=[1.0, 2.0]).returncode == 0
    found = np.load(tmp_path / "output.npz")
    assert (found["arr_0"].tolist(), float(found["arr_1"])) == ([2.0, 4.0], 3.0)


def test_the_runner_computes_a_graph_without_inputs(tmp_path: Path) -> None:
    tv.save(tmp_path / "model.tv", tv.shared([1.0, 2.0], "w") * 2.0, [])
    assert run(tmp_path).returncode == 0
    assert np.load(tmp_path / "output.npz")["arr_0"].tolist() == [2.0, 4.0]


def test_the_runner_takes_what_converts_safely_in_any_order_of_memory(tmp_path: Path) -> None:
    x = tv.matrix("x")
    tv.save(tmp_path / "model.tv", x * 2.0)
    given = np.asfortranarray([[1, 2, 3], [4, 5, 6]], dtype=np.int32)
    assert run(tmp_path, x=given).returncode == 0
    np.testing.assert_array_equal(np.load(tmp_path / "output.npz")["arr_0"], given * 2.0)


def test_the_runner_says_all_that_is_wrong_with_its_inputs(folder: Path) -> None:
    ran = run(folder, x=np.array([[1.0]]), z=1.0)
    assert ran.returncode == 1
    assert ran.stderr == (
        "thunkvm-run: the inputs do not fit the graph:\n"
        "  the input 'x' has the shape (1, 1), not (?,)\n"
        "  the input 'y' is missing: it is a scalar float64\n"
        "  'z' is no input of the graph\n"
    )
    assert not (folder / "output.npz").exists()

    ran = run(folder, x=np.array([1j]), y=1.0)
    assert (ran.returncode, ran.stderr.splitlines()[1]) == (
        1,
        "  the input 'x' is complex128, which is no float64 without loss",
    )


def test_the_runner_names_an_op_that_needs_python(tmp_path: Path) -> None:
    x = tv.vector("x")
    tv.save(tmp_path / "model.tv", flip(x * 2.0))
    ran = run(tmp_path, x=[1.0])
    assert ran.returncode == 1
    assert ran.stderr.startswith("thunkvm-run: model.tv: graph.json: ops[1] (tests.flip): there is")
    assert "it needs Python" in ran.stderr


class OfPython(Exception):
    """What no Op of C++ raises."""


def test_the_runner_names_an_attempt_that_catches_what_python_alone_raises(tmp_path: Path) -> None:
    x = tv.vector("x")
    tv.save(tmp_path / "model.tv", tv.attempt(x[0], 0.0, on=OfPython))
    ran = run(tmp_path, x=[1.0])
    assert ran.returncode == 1
    assert "(attempt): [attempt] it catches " in ran.stderr
    assert "OfPython, which is a class of Python's" in ran.stderr


@pytest.mark.parametrize(
    ("caught", "status"), [(IndexError, 0), (LookupError, 0), (Exception, 0), (ValueError, 1)]
)
def test_the_runner_catches_what_the_classes_of_an_attempt_say(
    caught: type[Exception], status: int, tmp_path: Path
) -> None:
    x = tv.vector("x")
    tv.save(tmp_path / "model.tv", tv.attempt(x[2], -1.0, on=caught))
    ran = run(tmp_path, x=[1.0])
    assert ran.returncode == status, ran.stderr
    if status == 0:
        assert float(np.load(tmp_path / "output.npz")["arr_0"]) == -1.0
    else:
        assert "out of bounds" in ran.stderr


def test_the_runner_leaves_the_output_as_it_was_where_a_call_fails(tmp_path: Path) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    tv.save(tmp_path / "model.tv", x + y)
    assert run(tmp_path, x=[1.0], y=[2.0]).returncode == 0
    before = (tmp_path / "output.npz").read_bytes()

    ran = run(tmp_path, x=[1.0, 2.0], y=[1.0, 2.0, 3.0])

    assert ran.returncode == 1
    assert "could not be broadcast together with shapes (2,) (3,)" in ran.stderr
    assert (tmp_path / "output.npz").read_bytes() == before
    names = {path.name for path in tmp_path.iterdir()} - {"cache"}
    assert names == {"model.tv", "input.npz", "output.npz"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "three files are wanted, not 0"),
        (("a", "b"), "three files are wanted, not 2"),
        (("--fast", "a", "b", "c"), "there is no option --fast"),
    ],
)
def test_a_call_of_the_runner_that_is_none_shows_the_usage(
    words: tuple[str, ...], told: str
) -> None:
    ran = subprocess.run([RUNNER, *words], capture_output=True, text=True)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"thunkvm-run: {told}\nusage: thunkvm-run [--mode MODE]")


def test_the_runner_says_which_file_it_cannot_read_or_write(folder: Path) -> None:
    np.savez(folder / "input.npz", x=[1.0], y=1.0)
    graph, arrays = str(folder / "model.tv"), str(folder / "input.npz")
    for words, told in [
        ((str(folder / "no.tv"), arrays, "out.npz"), "no.tv cannot be read: No such file"),
        ((graph, str(folder / "no.npz"), "out.npz"), "no.npz cannot be read: No such file"),
        ((graph, graph, "out.npz"), "model.tv: 'graph.json': it is no array"),
        ((graph, arrays, str(folder / "no" / "out.npz")), "out.npz cannot be written: No such"),
        (("--mode=fast", graph, arrays, "out.npz"), "fast"),
    ]:
        ran = subprocess.run([RUNNER, *words], capture_output=True, text=True)
        assert (ran.returncode, told in ran.stderr) == (1, True), ran.stderr


def test_there_is_no_python_in_the_process_of_the_runner() -> None:
    libraries = subprocess.run(["ldd", RUNNER], capture_output=True, text=True).stdout
    assert "libthunkvm.so" in libraries
    assert "python" not in libraries
