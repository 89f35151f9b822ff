"""How the C of Ops is compiled: one header for all, compiled once; modules side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


class AddConstant(tv.COp):
    """Adds a number that is part of its text, so that each has a module of its own."""

    __props__ = ("number",)

    def __init__(self, number: int, *, flags: tuple[str, ...] = ()) -> None:
        self.number, self.flags = number, flags

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_compile_args(self, **kwargs: Any) -> list[str]:
        return list(self.flags)

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
            if ({z} == NULL) {sub["fail"]};
            for (npy_intp i = 0; i < PyArray_SIZE({z}); ++i)
              ((double*)PyArray_DATA({z}))[i] += {self.number};"""


class Named(tv.COp):
    """Gives its input; its text has a name, and its top level what is given."""

    __props__ = ("name", "top")
    view_map = {0: [0]}

    def __init__(self, name: str, top: str = "") -> None:
        self.name, self.top = name, top

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_support_code_apply(self, node: Any, name: str) -> str:
        return self.top

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"/* {self.name} */ Py_XDECREF({z}); {z} = {x}; Py_INCREF({z});"


def chain(*ops: AddConstant) -> tv.Function:
    x = y = tv.vector("x")
    for op in ops:
        y = op(y)
    return tv.function([x], y, mode="c")


def test_modules_share_a_header_that_is_compiled_once(tmp_path: Path) -> None:
    with tv.config.change(cache_dir=str(tmp_path / "cache")):
        assert [chain(AddConstant(n))([0.0])[0] for n in (1, 2)] == [1.0, 2.0]
        headers = sorted(path.suffix for path in (tmp_path / "cache" / "headers").iterdir())
        assert headers == [".gch", ".h"]
        assert len(list((tmp_path / "cache" / "modules").iterdir())) == 2


def test_a_damaged_header_is_done_without(tmp_path: Path) -> None:
    with tv.config.change(cache_dir=str(tmp_path / "cache")):
        chain(AddConstant(3))
        (compiled,) = (tmp_path / "cache" / "headers").glob("*.gch")
        compiled.write_bytes(compiled.read_bytes()[:5000])
        assert chain(AddConstant(4))([1.0]).tolist() == [5.0]


def test_without_a_cache_the_header_is_part_of_each_module() -> None:
    with tv.config.change(cache_size=0):
        assert chain(AddConstant(5))([1.0]).tolist() == [6.0]


def test_flags_of_an_op_go_to_its_module(tmp_path: Path) -> None:
    with tv.config.change(cache_dir=str(tmp_path / "cache")):
        f = chain(AddConstant(6, flags=("-DUNUSED", "-O3")))
        assert f([1.0]).tolist() == [7.0]
        with pytest.raises(tv.CompileError, match="no-such-flag"):
            chain(AddConstant(7, flags=("--no-such-flag",)))


def test_another_text_is_another_module_whatever_the_version_says() -> None:
    class Versioned(AddConstant):
        def c_code_cache_version(self) -> tuple[int, ...]:
            return (1,)

    results = [chain(Versioned(number))(np.zeros(1)).tolist() for number in (8, 9)]
    assert results == [[8.0], [9.0]]


def test_the_cpp_compiler_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "from-cxx")
    assert tv.config.cxx == "from-cxx"
    monkeypatch.setenv("THUNKVM_CXX", "from-thunkvm-cxx -m64")
    assert tv.config.cxx == "from-thunkvm-cxx -m64"
    with (
        tv.config.change(cxx="no-such-compiler", cache_dir=str(tmp_path)),
        pytest.raises(tv.NoCompilerError, match=r"AddConstant.*C\+\+ compiler 'no-such-compiler'"),
    ):
        chain(AddConstant(10))


def test_without_a_cpp_compiler_an_op_runs_its_perform_where_it_has_one(tmp_path: Path) -> None:
    class Both(AddConstant):
        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0] + 0.5

    x = tv.vector("x")
    with tv.config.change(cxx="no-such-compiler", cache_dir=str(tmp_path)):
        f = tv.function([x], Both(11)(x), mode="cvm")
    assert f([1.0]).tolist() == [1.5]
    assert [row.form for row in f.explain().nodes] == ["perform"]


def modules_in(folder: Path) -> int:
    """How many modules a cache directory holds."""
    return sum(1 for path in folder.rglob("*") if path.is_file() and path.suffix == ".so")


def test_blocks_of_one_function_share_modules(tmp_path: Path) -> None:
    x = tv.vector("x")
    y = x
    for k in range(6):  # blocks of their own, since another Op comes between them
        y = tv.exp(Named(f"shares{k}")(y) - y)
    with tv.config.change(cache_dir=str(tmp_path)):
        f = tv.function([x], y, mode=tv.Mode("cvm", compile="never"))
    assert f([1.0]).tolist() == [1.0]
    assert modules_in(tmp_path) < 6
    g = tv.function([x], Named("shares3")(x))  # which this process has, in one of these modules
    assert g([2.0]).tolist() == [2.0]


def test_a_block_that_does_not_compile_with_others_is_compiled_by_itself() -> None:
    x = tv.vector("x")
    clash = [Named(f"clash{k}", "int one_and_only = 1;") for k in range(3)]
    f = tv.function([x], [tv.exp(op(x * k)) for k, op in enumerate(clash)])
    assert [v.tolist() for v in f([0.0])] == [[1.0]] * 3
    with pytest.raises(tv.CompileError, match=r"the C code of Named.*node <Named\(x \* 2.0\)"):
        tv.function([x], [tv.exp(Named("right")(x)), Named("wrong", "no C")(x * 2.0)])


def test_what_runs_at_loading_runs_once_a_module(capfd: pytest.CaptureFixture[str]) -> None:
    class Loads(Named):
        def c_init_code(self, **kwargs: Any) -> list[str]:
            return ['puts("loaded"); fflush(stdout);']

    x = tv.vector("x")
    f = tv.function([x], [tv.exp(Loads(f"once{k}")(x + k)) for k in range(3)])
    f([1.0])
    assert capfd.readouterr().out == "loaded\n"
