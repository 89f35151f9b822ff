"""Ops in C under a debugger, and what is said when one of them crashes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import thunkvm as tv

SCRIPT = """\
import thunkvm as tv

class Triple(tv.COp):
    __props__ = ()
    def make_node(self, x):
        return tv.Apply(self, [x], [x.type()])
    def c_code_cache_version(self):
        return (1, 2)
    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f'''
            double* bad = NULL;
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
            int three = 3;
            {STATEMENT}
        '''

x = tv.vector("x")
y = Triple()(x)  # line 20
f = tv.function([x], y)
print(f([1.0]))
"""
TRIPLES = "((double*)PyArray_DATA({z}))[0] *= three;"
CRASHES = "*bad = three;"


def script(directory: Path, statement: str) -> Path:
    path = directory / "model.py"
    path.write_text(SCRIPT.replace("{STATEMENT}", statement))
    return path


class Triple(tv.COp):
    __props__ = ()

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (1, 2)

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"Py_XDECREF({z});\n{z} = {x};\nPy_INCREF({z});\n#ifdef __OPTIMIZE__\nfast\n#endif"


def test_the_accepted_version_is_shown() -> None:
    class Plain(Triple):
        def c_code(self, *arguments: Any) -> str:
            return super().c_code(*arguments).replace("fast", "")

    x = tv.vector("x")
    f = tv.function([x], tv.exp(Plain()(x)))
    rows = {row.op: row for row in f.explain().nodes}
    assert rows["Plain"].c_version == (1, 2)
    assert rows["exp"].c_version is None
    assert "c, version 1.2" in str(f.explain())
    assert rows["Plain"].c_source == ""


@pytest.mark.parametrize("name", ["plain", 'quote"d', "back\\slash"])
def test_with_c_debug_nothing_is_optimised_and_the_source_is_kept(
    tmp_path: Path, name: str
) -> None:
    x, tmp_path = tv.vector("x"), tmp_path / name
    with tv.config.change(cache_dir=str(tmp_path)):
        with tv.config.change(c_debug=True):
            f = tv.function([x], Triple()(x))
        (row,) = f.explain().nodes
        assert Path(row.c_source).parent == tmp_path / "debug"
        assert "run_Triple" in Path(row.c_source).read_text()
        assert f"C of Triple: {row.c_source}" in str(f.explain())
        assert f([2.0]).tolist() == [2.0]
        with pytest.raises(tv.CompileError, match="fast"):  # another module than the optimised one
            tv.function([x], Triple()(x))


def test_without_a_cache_the_source_is_kept_in_the_temporary_directory() -> None:
    x = tv.vector("x")
    with tv.config.change(c_debug=True, cache_size=0):
        f = tv.function([x], Triple()(x))
    assert Path(f.explain().nodes[0].c_source).is_file()


def test_c_debug_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tv.config.c_debug is False
    monkeypatch.setenv("THUNKVM_C_DEBUG", "1")
    assert tv.config.c_debug is True
    with tv.config.change(c_debug=False):
        assert tv.config.c_debug is False
    monkeypatch.setenv("THUNKVM_C_DEBUG", "maybe")
    with pytest.raises(ValueError, match="THUNKVM_C_DEBUG=maybe has to be 0 or 1"):
        _ = tv.config.c_debug
    with pytest.raises(TypeError, match="c_debug has to be True, False or None; it is 1"):
        tv.config.c_debug = 1  # type: ignore[assignment]


@pytest.mark.skipif(shutil.which("gdb") is None, reason="there is no gdb")
def test_gdb_stops_at_a_breakpoint_in_an_op(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THUNKVM_C_DEBUG", "1")
    commands = [
        "set debuginfod enabled off",
        "set breakpoint pending on",
        "break run_Triple",
        "run",
    ]
    commands += ["next"] * 18 + ["print three", "continue"]
    done = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", *(w for command in commands for w in ("-ex", command)),
         "--args", sys.executable, str(script(tmp_path, TRIPLES))],
        capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    said = done.stdout + done.stderr
    if "Couldn't get registers" in said or "ptrace" in said:
        pytest.skip("gdb may not trace processes here")
    assert "run_Triple (" in said, said  # where it stopped
    assert "int three = 3;" in said  # a line of the user's
    assert "$1 = 3" in said
    assert "BFD" not in said  # it could read the module again
    assert "[3.]" in said  # the program went on to its end


@pytest.mark.parametrize("faulthandler", [[], ["-X", "faulthandler"]])
def test_a_crash_names_the_op_the_node_and_the_users_line(
    faulthandler: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, *faulthandler, str(script(tmp_path, CRASHES))],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == -11
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("thunkvm:"))
    assert line.startswith("thunkvm: SIGSEGV in the C code of Triple (node Triple.0, made at ")
    assert "model.py:20" in line
    assert ("Fatal Python error" in done.stderr) == bool(faulthandler)


def test_a_crash_elsewhere_is_not_blamed_on_an_op(tmp_path: Path) -> None:
    path = script(tmp_path, TRIPLES)
    path.write_text(path.read_text() + "import ctypes\nctypes.string_at(0)\n")
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == -11
    assert "thunkvm:" not in done.stderr
