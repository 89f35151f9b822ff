"""Ops that give C: the protocol's methods, modes, laziness, failures."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counted_type import Counted

import thunkvm as tv


class VectorTimesScalar(tv.COp):
    """The simple example of the tutorials, written afresh."""

    __props__ = ()

    def make_node(self, x: Any, y: Any) -> tv.Apply:
        x, y = tv.as_variable(x), tv.as_variable(y)
        if x.ndim != 1 or y.ndim != 0:
            raise TypeError("a vector and a scalar are wanted")
        return tv.Apply(self, [x, y], [x.type()])

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (1, 0)

    def c_code(self, node: Any, name: str, inp: Any, out: Any, sub: Any) -> str:
        x, y = inp
        (z,) = out
        fail = sub["fail"]
        return f"""
            if (NULL == {z} || PyArray_DIMS({x})[0] != PyArray_DIMS({z})[0]) {{
              Py_XDECREF({z});
              {z} = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS({x}), PyArray_TYPE({x}), 0);
              if (!{z}) {{
                {fail};
              }}
            }}
            {{
              npy_{node.inputs[1].dtype} factor =
                  ((npy_{node.inputs[1].dtype}*)PyArray_DATA({y}))[0];
              for (npy_intp i = 0; i < PyArray_DIMS({x})[0]; i++)
                *(dtype_{z}*)PyArray_GETPTR1({z}, i) =
                    *(dtype_{x}*)PyArray_GETPTR1({x}, i) * factor;
            }}
        """


class Twice(tv.Op):
    """An Op of the plain class, in C and in Python."""

    __props__ = ()

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 2.0 + 1000.0

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyNumber_Add((PyObject*){x}, (PyObject*){x});
            if ({z} == NULL) {sub["fail"]};
        """


def forms(f: tv.Function) -> list[str]:
    return [row.form for row in f.explain().nodes]


@pytest.mark.parametrize("mode", ["cvm", "c", "c|py", "cvm_nogc", "FAST_RUN"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_the_tutorials_vector_times_scalar(dtype: str, mode: str) -> None:
    x, y = tv.vector("x", dtype=dtype), tv.scalar("y", dtype=dtype)
    f = tv.function([x, y], VectorTimesScalar()(x, y), mode=mode)
    for n in (3, 3, 5, 0):
        values = np.arange(n, dtype=dtype)
        result = f(values, np.dtype(dtype).type(3))
        np.testing.assert_array_equal(result, values * 3)
        assert result.dtype == dtype
    assert forms(f) == ["c"]


def test_a_strided_input_is_read_where_it_lies() -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], VectorTimesScalar()(x, y))
    np.testing.assert_array_equal(f(np.arange(10.0)[::-3], 2.0), [18.0, 12.0, 6.0, 0.0])


def test_the_mode_chooses_between_c_and_perform() -> None:
    x = tv.vector("x")
    results = {mode: tv.function([x], Twice()(x), mode=mode)([1.0])[0] for mode in
               ("py", "vm", "cvm", "c", "c|py")}  # fmt: skip
    assert results == {"py": 1002.0, "vm": 1002.0, "cvm": 2.0, "c": 2.0, "c|py": 2.0}


def test_an_op_with_c_alone_says_which_modes_run_it() -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    with pytest.raises(NotImplementedError, match=r"VectorTimesScalar.*c_code.*cvm"):
        tv.function([x, y], VectorTimesScalar()(x, y), mode="vm")


def test_equal_nodes_are_one_module(tmp_path: Path) -> None:
    x, y = tv.vector("x", dtype="int16"), tv.scalar("y", dtype="int16")  # as nowhere else
    twice = VectorTimesScalar()(VectorTimesScalar()(x, y), y)
    with tv.config.change(cache_dir=str(tmp_path)):
        f = tv.function([x, y], twice, mode="c|py")
    assert f(np.array([1], "int16"), np.int16(3)).tolist() == [9]
    assert len(list((tmp_path / "modules").iterdir())) == 1


def test_a_c_op_in_an_arm_that_is_not_taken_never_runs() -> None:
    c, x, y = tv.scalar("c"), tv.vector("x"), tv.scalar("y")
    picked = tv.ifelse(c, VectorTimesScalar()(x, y), x)
    f = tv.function([c, x, y], picked)
    assert f(0.0, [1.0], 2.0).tolist() == [1.0]
    assert [runs for _, op, _, _, runs in f.node_runs() if op == "VectorTimesScalar"] == [0]
    assert f(1.0, [1.0], 2.0).tolist() == [2.0]
    assert [runs for _, op, _, _, runs in f.node_runs() if op == "VectorTimesScalar"] == [1]


class Overwrite(tv.COp):
    """Sets the first element of its input to 5, in place."""

    __props__ = ()
    destroy_map = {0: [0]}
    view_map = {0: [0]}

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XDECREF({z});
            {z} = {x};
            Py_INCREF({z});
            *(double*)PyArray_DATA({z}) = 5.0;
        """


def test_an_op_in_place_gets_memory_of_its_own_and_runs_no_node_of_the_other_arm() -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    read = VectorTimesScalar()(x, 10.0)
    f = tv.function([c, x], tv.ifelse(c, Overwrite()(x), read))
    given = np.array([1.0, 2.0])
    assert f(1.0, given).tolist() == [5.0, 2.0]
    assert given.tolist() == [1.0, 2.0]
    assert {op: runs for _, op, _, _, runs in f.node_runs()}["VectorTimesScalar"] == 0
    assert f(0.0, given).tolist() == [10.0, 20.0]


def fails_with(code: str, exception: type[Exception], match: str) -> None:
    class Failing(tv.COp):
        __props__ = ()

        def make_node(self, x: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            return code.format(x=inputs[0], z=outputs[0], fail=sub["fail"])

    x = tv.vector("x")
    f = tv.function([x], Failing()(x))
    for _ in range(2):  # the function stays usable
        with pytest.raises(exception, match=match) as caught:
            f([1.0])
        assert any("Failing" in note for note in caught.value.__notes__)


def test_an_exception_of_c_keeps_its_type_and_gets_the_node() -> None:
    fails_with('PyErr_SetString(PyExc_KeyError, "no key"); {fail}', KeyError, "no key")


def test_failing_without_an_exception_says_so() -> None:
    fails_with("{fail}", RuntimeError, "failed without saying why")


def test_an_output_left_null_is_an_error_that_names_it() -> None:
    fails_with("Py_CLEAR({z});", TypeError, "left output 0 NULL")


def test_a_cpp_exception_is_a_runtime_error() -> None:
    fails_with('throw std::runtime_error("thrown");', RuntimeError, "thrown")


def test_an_output_of_another_dtype_is_an_error_that_names_it() -> None:
    fails_with(
        "npy_intp n = 1; Py_XDECREF({z}); {z} = (PyArrayObject*)PyArray_ZEROS(1, &n, NPY_INT, 0);",
        TypeError,
        "output 0 of Failing",
    )


def test_code_that_does_not_compile_shows_its_line_and_the_node() -> None:
    class Broken(tv.COp):
        __props__ = ()

        def make_node(self, x: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            return "int fine = 0;\nthis is no C;\n"

    x = tv.vector("x")
    with pytest.raises(tv.CompileError, match=r"Broken.*made at .*test_c_ops.py") as caught:
        tv.function([x], Broken()(x))
    assert "c_code of Broken:2:" in caught.value.diagnostics


class Staged(tv.COp):
    """Acquires something in every stage, counts it, and fails in the one that it is told."""

    __props__ = ("stage",)
    stages = ("support", "init_struct", "code", "none")

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def step(self, name: str, sub: dict[str, str]) -> str:
        fail = f'PyErr_SetString(PyExc_ValueError, "{name}"); {sub["fail"]}'
        return f"count({name!r}, 1);\n".replace("'", '"') + (fail if name == self.stage else "")

    def let_go(self, name: str) -> str:
        return f'count("{name}", -1);\n'

    def c_init_code_struct(self, node: Any, name: str, sub: Any) -> str:
        return self.step("init_struct", sub)

    def c_cleanup_code_struct(self, node: Any, name: str) -> str:
        return self.let_go("init_struct")

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"{self.step('code', sub)}\n{z} = {x};"

    def c_code_cleanup(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return self.let_go("code")


@pytest.mark.parametrize("type_stage", ["none", "init", "extract", "sync"])
@pytest.mark.parametrize("op_stage", ["none", "init_struct", "code"])
def test_what_was_set_up_is_cleaned_up_whichever_stage_fails(
    op_stage: str, type_stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: dict[str, int] = {}
    monkeypatch.setattr(sys, "thunkvm_counts", counts, raising=False)
    x = Counted(fails=type_stage)("x")
    f = tv.function([x], Staged(op_stage)(x), mode="c")
    fails = op_stage != "none" or type_stage != "none"
    for _ in range(3):
        if fails:
            with pytest.raises(ValueError, match=r"init_struct|code|init|extract|sync"):
                f(1.5)
        else:
            assert f(1.5) == 1.5
        assert counts.get("value", 0) == 0
        assert counts.get("code", 0) == 0
    del f
    gc.collect()
    assert set(counts.values()) <= {0}
    assert "init_struct" in counts


def test_no_reference_is_lost_or_kept() -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], VectorTimesScalar()(x, y))
    given = np.array([1.0, 2.0])
    f(given, 2.0)
    before = sys.getrefcount(given)
    for _ in range(50):
        result = f(given, 2.0)
    assert sys.getrefcount(given) == before
    assert sys.getrefcount(result) == 2


def test_a_chain_of_c_ops_hands_the_same_arrays_on() -> None:
    x = tv.vector("x")
    y = x
    for _ in range(20):
        y = Twice()(y)
    f = tv.function([x], y)
    assert f([1.0]).tolist() == [2.0**20]
    assert forms(f) == ["c"] * 20


def test_c_ops_run_on_many_threads_at_once() -> None:
    import threading

    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], VectorTimesScalar()(x, y))
    wrong: list[int] = []

    def work(k: int) -> None:
        for n in range(1, 60):
            if f(np.full(n, float(k)), 2.0).tolist() != [2.0 * k] * n:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_c_op_has_a_gradient_of_its_own() -> None:
    class Square(tv.COp):
        __props__ = ()
        itypes = otypes = [tv.TensorType("float64", (None,))]

        def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            (x,), (z,) = inputs, outputs
            return f"""
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyNumber_Multiply((PyObject*){x}, (PyObject*){x});
                if ({z} == NULL) {sub["fail"]};"""

        def grad(self, inputs: Any, output_gradients: Any) -> Any:
            return [2.0 * inputs[0] * output_gradients[0]]

    x = tv.vector("x")
    f = tv.function([x], tv.grad(Square()(x).sum(), x))
    assert f([3.0, 4.0]).tolist() == [6.0, 8.0]


def test_typed_ops_check_what_they_are_given() -> None:
    class Typed(tv.COp):
        __props__ = ()
        itypes = [tv.TensorType("float64", (None,))]
        otypes = [tv.TensorType("float64", (None,))]

    with pytest.raises(TypeError, match=r"Typed takes 1 inputs.*got 2"):
        Typed()(tv.vector(), tv.vector())
    with pytest.raises(TypeError, match="input 0 of Typed"):
        Typed()(tv.matrix())
