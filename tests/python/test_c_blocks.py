"""Nodes in C that run behind each other share one function, and still count and fail one by one."""

from __future__ import annotations

import gc
import itertools
import sys
from typing import Any

import numpy as np
import pytest
from counted_type import Counted

import thunkvm as tv


class Affine(tv.COp):
    """Makes a new vector ``x * factor + 1``; its text is the same for every factor."""

    __props__ = ("factor",)
    params_type = tv.ParamsType(factor=tv.ScalarType("float64"))

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_support_code_apply(self, node: Any, name: str) -> str:
        return f"static double one_{name}() {{ return 1.0; }}"

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
            npy_intp n = PyArray_DIMS({x})[0];
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
            if ({z} == NULL) {sub["fail"]};
            for (npy_intp i = 0; i < n; ++i)
              *(double*)PyArray_GETPTR1({z}, i) =
                  *(double*)PyArray_GETPTR1({x}, i) * {sub["params"]}->factor + one_{name}();"""


class Add(tv.COp):
    """Adds two vectors with NumPy; raises ValueError where the first element is negative."""

    __props__ = ()

    def make_node(self, x: tv.Variable, y: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x, y], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x, y), (z,) = inputs, outputs
        return f"""
            if (*(double*)PyArray_DATA({x}) < 0) {{
              PyErr_SetString(PyExc_ValueError, "negative");
              {sub["fail"]}
            }}
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyNumber_Add((PyObject*){x}, (PyObject*){y});
            if ({z} == NULL) {sub["fail"]};"""


class Bad(tv.COp):
    """Leaves its output as a text says."""

    __props__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return self.text.format(x=inputs[0], z=outputs[0])


def blocks(f: tv.Function) -> list[str]:
    return [row.code for row in f.explain().nodes if row.form == "c"]


def runs(f: tv.Function) -> list[int]:
    return [row.runs for row in f.node_runs()]


@pytest.mark.parametrize("mode", ["cvm", "c", "FAST_RUN"])
def test_neighbours_share_a_block(mode: str) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], Add()(Affine(3.0)(Affine(2.0)(x)), y), mode=mode)
    assert blocks(f) == ["C block 0"] * 3
    for _ in range(3):
        assert f([1.0, 2.0], [10.0, 20.0]).tolist() == [20.0, 36.0]
    assert runs(f) == [3, 3, 3]


@pytest.mark.parametrize("mode", ["c|py", "cvm_nogc"])
def test_where_each_node_is_looked_at_none_shares_a_block(mode: str) -> None:
    x = tv.vector("x")
    f = tv.function([x], Affine(3.0)(Affine(2.0)(x)), mode=mode)
    assert f([1.0]).tolist() == [10.0]
    assert blocks(f) == ["interpreter", "interpreter"] or blocks(f) == ["", ""]


def test_what_others_read_leaves_the_block() -> None:
    x = tv.vector("x")
    once = Affine(2.0)(x)
    twice = Affine(3.0)(once)
    f = tv.function([x], [once, twice, tv.exp(once)])
    first, second, third = f([1.0])
    assert (first.tolist(), second.tolist()) == ([3.0], [10.0])
    assert third.tolist() == np.exp([3.0]).tolist()


def test_a_block_reads_what_other_ops_computed_before_it() -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], tv.exp(Add()(Affine(2.0)(x + y), tv.sqrt(x))))
    for _ in range(40):  # interpreted, and emitted once that is compiled
        result = f([4.0], 1.0)
        assert result.tolist() == np.exp([13.0]).tolist()
    f.compile()
    assert f([4.0], 1.0).tolist() == np.exp([13.0]).tolist()


def test_a_block_in_an_arm_that_is_not_taken_never_runs() -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    shared = Affine(2.0)(x)
    f = tv.function([c, x], tv.ifelse(c, Affine(4.0)(Affine(3.0)(shared)), x))
    assert f(0.0, [1.0]).tolist() == [1.0]
    assert [row.runs for row in f.node_runs() if row.form == "c"] == [0, 0, 0]
    assert f(1.0, [1.0]).tolist() == [41.0]
    assert [row.runs for row in f.node_runs() if row.form == "c"] == [1, 1, 1]


def test_a_failure_names_its_node_and_counts_those_that_ran() -> None:
    x = tv.vector("x")
    first = Affine(2.0)(x)
    failing = Add()(first, x)
    f = tv.function([x], Affine(5.0)(failing))
    assert blocks(f) == ["C block 0"] * 3
    with pytest.raises(ValueError, match="negative") as caught:
        f([-3.0])
    assert "Op Add" in caught.value.__notes__[0]
    assert "input 1: x" in caught.value.__notes__[0]
    assert runs(f) == [1, 1, 0]
    assert f([1.0]).tolist() == [21.0]
    assert runs(f) == [2, 2, 1]


def test_an_attempt_sees_the_failure_of_a_node_of_a_block() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.attempt(Affine(5.0)(Add()(Affine(2.0)(x), x)), x))
    assert f([-3.0]).tolist() == [-3.0]
    assert f([1.0]).tolist() == [21.0]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("Py_CLEAR({z});", "left output 0 of Bad.* NULL"),
        ("npy_intp n = 1; Py_XDECREF({z}); "
         "{z} = (PyArrayObject*)PyArray_ZEROS(1, &n, NPY_INT, 0);", "output 0 of Bad.*type number"),
        ('throw std::runtime_error("thrown");', "thrown"),
    ],
)  # fmt: skip
def test_what_a_node_leaves_for_the_next_is_checked(text: str, match: str) -> None:
    x = tv.vector("x")
    f = tv.function([x], Affine(2.0)(Bad(text)(Affine(2.0)(x))))
    assert blocks(f) == ["C block 0"] * 3
    for _ in range(2):
        with pytest.raises((TypeError, RuntimeError), match=match) as caught:
            f([1.0])
        assert "Op Bad" in caught.value.__notes__[0]
    assert runs(f) == [2, 2, 0]


def test_ops_that_do_not_compile_together_are_compiled_one_by_one() -> None:
    class Named(Affine):
        """Its top-level names lack the node's."""

        def c_support_code_apply(self, node: Any, name: str) -> str:
            return f"#define one_{name}() one()\nstatic double one() {{ return 1.0; }}"

    x = tv.vector("x")
    f = tv.function([x], Named(3.0)(Named(2.0)(x)))
    assert f([1.0]).tolist() == [10.0]
    assert "C block 0" not in blocks(f)


def test_code_of_a_block_that_does_not_compile_names_its_node() -> None:
    x = tv.vector("x")
    with pytest.raises(tv.CompileError, match=r"the C code of Bad.*test_c_blocks.py"):
        tv.function([x], Affine(3.0)(Bad("no C at all")(Affine(2.0)(x))))


def test_support_code_of_two_ops_is_not_mixed() -> None:
    class Other(Affine):
        def c_support_code(self, **kwargs: Any) -> str:
            return "static double scale() { return 7.0; }"

    class Another(Affine):
        def c_support_code(self, **kwargs: Any) -> str:
            return "static double scale(int) { return 7.0; }"

    x = tv.vector("x")
    f = tv.function([x], Other(1.0)(Other(1.0)(Another(3.0)(x))))
    assert f([1.0]).tolist() == [6.0]
    assert len(set(blocks(f))) == 2


class InPlace(tv.COp):
    """Adds 1 to its input where it is."""

    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"Py_XDECREF({z}); {z} = {x}; Py_INCREF({z}); *(double*)PyArray_DATA({z}) += 1;"


class View(tv.COp):
    """Gives its input itself."""

    __props__ = ()
    view_map = {0: [0]}

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"Py_XDECREF({z}); {z} = {x}; Py_INCREF({z});"


def test_what_a_view_in_a_block_shows_is_not_overwritten() -> None:
    x = tv.vector("x")
    made = Affine(2.0)(x)
    view = View()(made)
    f = tv.function([x], [InPlace()(made), Affine(1.0)(view)])
    given = np.array([1.0])
    assert [r.tolist() for r in f(given)] == [[4.0], [4.0]]
    g = tv.function([x], [InPlace()(View()(x)), View()(x)])
    assert [r.tolist() for r in g(given)] == [[2.0], [1.0]]
    assert given.tolist() == [1.0]


def test_no_reference_is_lost_or_kept() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], Add()(Affine(3.0)(Affine(2.0)(x)), y))
    given = np.array([1.0])
    f(given, given)
    before = sys.getrefcount(given)
    for _ in range(50):
        result = f(given, given)
        with pytest.raises(ValueError, match="negative"):
            f(-10.0 * given, given)
    assert sys.getrefcount(given) == before
    assert sys.getrefcount(result) == 2


# ---- a failure in every stage of every node

STAGES = ("none", "init_struct", "extract", "init", "code", "sync")


class Step(tv.COp):
    """Adds its two inputs, acquires something in each of its stages, and fails in one."""

    __props__ = ("key", "fails")

    def __init__(self, key: int, fails: str = "none") -> None:
        self.key, self.fails = key, fails

    def make_node(self, x: tv.Variable, y: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x, y], [Counted(self.key, self.fails)()])

    def step(self, name: str, sub: Any) -> str:
        fail = f'PyErr_SetString(PyExc_ValueError, "{name}"); {sub["fail"]}'
        return f'count("{name}", 1);\n{fail * (name == self.fails)}'

    def c_init_code_struct(self, node: Any, name: str, sub: Any) -> str:
        return self.step("init_struct", sub)

    def c_cleanup_code_struct(self, node: Any, name: str) -> str:
        return 'count("init_struct", -1);'

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x, y), (z,) = inputs, outputs
        return f"{self.step('code', sub)}\n{z} = {x} + {y};"

    def c_code_cleanup(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return 'count("code", -1);'


@pytest.mark.parametrize("owns", [False, True])
@pytest.mark.parametrize(("at", "stage"), list(itertools.product(range(4), STAGES)))
def test_what_was_set_up_is_cleaned_up_whichever_stage_of_whichever_node_fails(
    at: int, stage: str, owns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: dict[str, int] = {}
    monkeypatch.setattr(sys, "thunkvm_counts", counts, raising=False)
    monkeypatch.setattr(Counted, "c_owns_variable", owns)
    at_input = stage == "extract"
    inputs = [Counted(10 + k, stage if at_input and at == k else "none")() for k in range(4)]
    value: Any = Counted(99)()
    first = value
    kept = []
    for k in range(4):
        value = Step(k, stage if at == k and not at_input else "none")(value, inputs[k])
        kept.append(value)
    f = tv.function([first, *inputs], [kept[1], value], mode="c")
    assert blocks(f) == ["C block 0"] * 4
    fails = stage != "none" and not (stage == "sync" and owns and at in (0, 2))
    for call in range(1, 4):
        if fails:
            with pytest.raises(ValueError, match=stage) as caught:
                f(1.0, 2.0, 3.0, 4.0, 5.0)
            if stage != "init_struct":  # of all nodes at once, before the first
                assert f"Op Step{{key={at}," in caught.value.__notes__[0]
                assert runs(f) == [call * (k <= at) for k in range(4)]
        else:
            assert f(1.0, 2.0, 3.0, 4.0, 5.0) == [6.0, 15.0]
        assert {name: n for name, n in counts.items() if name != "init_struct"} in (
            {}, {"value": 0}, {"value": 0, "code": 0},
        )  # fmt: skip
    del f
    gc.collect()
    assert set(counts.values()) <= {0}


class Throwing(Step):
    """The same, failing by a C++ exception.

    What its code throws leaves the scope of its own clean-up, which does not run.
    """

    def step(self, name: str, sub: Any) -> str:
        throw = "throw 7;" * (name == self.fails)
        counts = f'count("{name}", 1);'
        return f"{throw}\n{counts}" if name == "code" else f"{counts}\n{throw}"


class ThrowingCounted(Counted):
    """The same."""

    def fail(self, stage: str, sub: Any) -> str:
        return f'throw std::runtime_error("{stage}");' * (stage == self.fails)


@pytest.mark.parametrize(("at", "stage"), list(itertools.product(range(4), STAGES)))
def test_a_cpp_exception_in_any_stage_is_an_error_and_all_around_it_is_cleaned_up(
    at: int, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: dict[str, int] = {}
    monkeypatch.setattr(sys, "thunkvm_counts", counts, raising=False)
    monkeypatch.setitem(Step.make_node.__globals__, "Counted", ThrowingCounted)
    at_input = stage == "extract"
    inputs = [
        ThrowingCounted(10 + k, stage if at_input and at == k else "none")() for k in range(4)
    ]
    value: Any = ThrowingCounted(99)()
    first = value
    for k in range(4):
        value = Throwing(k, stage if at == k and not at_input else "none")(value, inputs[k])
    f = tv.function([first, *inputs], value, mode="c")
    words = "threw what is no std::exception" if stage in ("code", "init_struct") else stage
    for _ in range(3):
        if stage == "none":
            assert f(1.0, 2.0, 3.0, 4.0, 5.0) == 15.0
        else:
            with pytest.raises(RuntimeError, match=words) as caught:
                f(1.0, 2.0, 3.0, 4.0, 5.0)
            if stage != "init_struct":
                assert f"Op Throwing{{key={at}," in caught.value.__notes__[0]
        assert {name: n for name, n in counts.items() if name != "init_struct"} in (
            {}, {"value": 0}, {"value": 0, "code": 0},
        )  # fmt: skip
    del f
    gc.collect()
    assert set(counts.values()) <= {0}
