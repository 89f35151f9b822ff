"""`make_thunk` of Theano's and of the base Op, and an implementation chosen for an Op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "c|py"]


class Unary(tv.Op):
    __props__: Any = ()

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])


class InPython(Unary):
    """x + 1, and how it was computed."""

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] + 1.0


class InC(Unary, tv.COp):
    """x + 2."""

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{z}) {{ {sub["fail"]} }}
            for (npy_intp i = 0; i < PyArray_SIZE({z}); ++i)
              ((dtype_{z}*)PyArray_DATA({z}))[i] += 2;"""


class InBoth(InC, InPython):
    """x + 1 in Python, x + 2 in C: so the result says which one ran."""


class AsKernel(InPython):
    """x + 1 in Python, x + 3 as a kernel."""

    def c_kernel(self, node: Any, name: str) -> str:
        return f"""
int {name}(tv_call *call, const tv_array *in, tv_array *out) {{
  if (tv_output(call, 0, in[0].shape)) return -1;
  for (int64_t i = 0; i < in[0].size; ++i)
    ((double *)out[0].data)[i] = *(double *)(in[0].data + i * in[0].strides[0]) + 3;
  return 0;
}}"""


class AsElement(InPython):
    """x + 1 in Python, x + 4 as an expression."""

    def c_element(self, node: Any) -> str:
        return "{0} + 4.0"


class Demanding(Unary):
    """Its first input, or the second one if that is negative."""

    def make_node(self, *inputs: Any) -> tv.Apply:
        return tv.Apply(self, list(inputs), [inputs[0].type()])

    def demand(self, node: Any) -> Any:
        try:
            value = yield 0
        except ValueError:
            value = -1.0
        if value < 0:
            value = yield 1
        return value


# ---- Op.make_thunk, called by hand


def theanos(node: Any, *values: Any) -> Any:
    storage = {v: [value] for v, value in zip(node.inputs, values, strict=True)}
    computed = {v: [True] for v in node.inputs}
    storage |= {v: [None] for v in node.outputs}
    computed |= {v: [False] for v in node.outputs}
    return storage, computed


@pytest.mark.parametrize(
    ("op", "added"), [(InPython(), 1.0), (InC(), 2.0), (InBoth(), 2.0), (AsKernel(), 3.0)]
)
def test_the_thunk_of_an_op_computes_in_storage_maps(op: Any, added: float) -> None:
    node = op(tv.vector("x")).owner
    storage, computed = theanos(node, np.array([3.0]))
    thunk = node.op.make_thunk(node, storage, computed, no_recycling=[])
    assert not thunk.lazy
    assert not thunk()
    assert computed[node.outputs[0]] == [1]
    assert storage[node.outputs[0]][0].tolist() == [3.0 + added]
    storage[node.inputs[0]][0] = np.array([5.0])
    thunk()
    assert storage[node.outputs[0]][0].tolist() == [5.0 + added]


@pytest.mark.parametrize(("impl", "added"), [("py", 1.0), ("c", 2.0), ("c|py", 2.0), (None, 2.0)])
def test_the_thunk_of_an_op_may_be_chosen(impl: str | None, added: float) -> None:
    node = InBoth()(tv.vector("x")).owner
    storage, computed = theanos(node, np.array([0.0]))
    for thunk in (
        node.op.make_thunk(node, storage, computed, [], impl),
        node.op.make_thunk(node, storage, computed, [], impl=impl),
    ):
        storage[node.outputs[0]][0] = None
        thunk()
        assert storage[node.outputs[0]][0].tolist() == [added]


def test_the_thunk_of_an_op_takes_the_lists_of_2010() -> None:
    node = InPython()(tv.vector("x")).owner
    outputs: Any = [[None]]
    said = [[0]]
    node.op.make_thunk(node, [[1]], said, [[np.array([1.0])]], outputs)()
    assert (outputs[0][0].tolist(), said) == ([2.0], [[1]])


def test_the_thunk_of_an_op_refuses_other_arguments() -> None:
    node = InPython()(tv.vector("x")).owner
    with pytest.raises(TypeError, match=r"make_thunk of InPython takes .* it got 1 arguments"):
        node.op.make_thunk(node, [])


def test_an_op_without_a_way_to_run_has_no_thunk() -> None:
    node = Unary()(tv.vector("x")).owner
    with pytest.raises(NotImplementedError):
        node.op.make_thunk(node, *theanos(node, np.array([1.0])), no_recycling=[])


def test_the_thunk_of_a_generator_is_lazy() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    node = Demanding()(x, y).owner
    available, said = [[0], [0]], [[0]]
    values, outputs = [[None], [None]], [[None]]
    thunk = node.op.make_thunk(node, available, said, values, outputs)
    assert thunk.lazy
    for first in (-1.0, -2.0):  # of two calls, the first of which ends early
        available[0][0] = available[1][0] = 0
        assert thunk() == [0]
        values[0][0], available[0][0] = first, 1
        assert thunk() == [1]
    values[1][0], available[1][0] = 7.0, 1
    assert thunk() is None
    assert (outputs, said) == ([[7.0]], [[1]])


# ---- a make_thunk that calls the base's


class Calling(InBoth):
    """Its make_thunk is Theano's."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def make_thunk(  # type: ignore[override]
        self, node: Any, storage_map: Any, compute_map: Any, no_recycling: Any, impl: Any = None
    ) -> Any:
        self.told.append((impl, set(storage_map) == {*node.inputs, *node.outputs}, no_recycling))
        return super().make_thunk(node, storage_map, compute_map, no_recycling, impl)


@pytest.mark.parametrize("mode", MODES)
def test_theanos_make_thunk_calls_the_base(mode: str) -> None:
    x, op = tv.vector("x"), Calling()
    f = tv.function([x], op(x * 2.0), mode=mode)
    in_python = mode in ("py", "vm")
    for value in (1.0, 2.0):
        assert f([value]).tolist() == [2.0 * value + (1.0 if in_python else 2.0)]
    assert op.told[0] == ("py" if in_python else None, True, [])


class Calling2010(InBoth):
    """Its make_thunk is that of 2010, and counts how often its thunk runs."""

    runs = 0

    def make_thunk(self, node: Any, *cells: Any) -> Any:  # type: ignore[override]
        inner = super().make_thunk(node, *cells)

        class Counting(tv.Thunk):
            def __call__(self) -> None:
                Calling2010.runs += 1
                inner()

        return Counting()


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_a_thunk_may_run_the_thunk_of_the_base(mode: str) -> None:
    Calling2010.runs = 0
    x = tv.vector("x")
    f = tv.function([x], Calling2010()(x), mode=mode)
    assert [f([1.0]).tolist(), f([2.0]).tolist()] == [[3.0], [4.0]]
    assert Calling2010.runs == 2


def test_mode_c_runs_the_c_of_an_op_with_a_make_thunk() -> None:
    x, op = tv.vector("x"), Calling()
    assert tv.function([x], op(x), mode="c")([1.0]).tolist() == [3.0]
    assert op.told == []


class LazyOfTheano(Unary):
    """ifelse, as Theano writes it."""

    def make_node(self, c: Any, *arms: Any) -> tv.Apply:
        return tv.Apply(self, [c, *arms], [arms[0].type()])

    def make_thunk(  # type: ignore[override]
        self, node: Any, storage_map: Any, compute_map: Any, no_recycling: Any, impl: Any = None
    ) -> Any:
        cond, *arms = node.inputs
        (out,) = node.outputs

        def thunk() -> Any:
            if not compute_map[cond][0]:
                return [0]
            i = 0 if storage_map[cond][0] else 1
            if not compute_map[arms[i]][0]:
                return [1 + i]
            compute_map[out][0] = 1
            storage_map[out][0] = storage_map[arms[i]][0]
            return []

        thunk.lazy = True  # type: ignore[attr-defined]
        thunk.inputs = [storage_map[v] for v in node.inputs]  # type: ignore[attr-defined]
        thunk.outputs = [storage_map[v] for v in node.outputs]  # type: ignore[attr-defined]
        return thunk


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "cvm_nogc", "c|py", "DebugMode"])
def test_theanos_lazy_thunk_runs_one_arm(mode: str) -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    f = tv.function([c, x], LazyOfTheano()(c, tv.exp(x), tv.log(x)), mode=mode)
    assert float(f(1.0, 0.0)) == 1.0
    assert {row.op: row.runs for row in f.node_runs()}["log"] == 0
    assert float(f(0.0, 1.0)) == 0.0
    assert {row.op: row.runs for row in f.node_runs()}["exp"] == 1


def test_a_variable_that_is_two_inputs_has_one_entry_in_theanos_maps() -> None:
    x = tv.scalar("x")
    y = tv.exp(x)
    f = tv.function([x], LazyOfTheano()(x, y, y), mode="vm")
    assert [float(f(0.0)), float(f(1.0))] == [1.0, float(np.exp(1.0))]


def test_theanos_eager_thunk_need_not_say_what_it_computed() -> None:
    class Plain(Unary):
        def make_thunk(  # type: ignore[override]
            self, node: Any, storage_map: Any, compute_map: Any, no_recycling: Any
        ) -> Any:
            (x,), (z,) = node.inputs, node.outputs

            def thunk() -> str:
                storage_map[z][0] = storage_map[x][0] * 3.0
                return "whatever"

            return thunk

    x = tv.vector("x")
    assert tv.function([x], Plain()(x))([2.0]).tolist() == [6.0]


class DemandingByThunk(Demanding):
    def make_thunk(self, node: Any, *cells: Any) -> Any:  # type: ignore[override]
        return super().make_thunk(node, *cells)


@pytest.mark.parametrize("op", [Demanding(), DemandingByThunk()])
def test_the_thunk_of_a_generator_demands_and_catches(op: Any) -> None:
    class Failing(Unary):
        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            raise ValueError("it fails")

    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, y], op(x * 1.0, tv.exp(y)))
    assert [float(f(2.0, 0.0)), float(f(-1.0, 0.0)), float(f(3.0, 0.0))] == [2.0, 1.0, 3.0]
    assert {row.op: row.runs for row in f.node_runs()}["exp"] == 1
    f = tv.function([x, y], op(Failing()(x), tv.exp(y)))
    assert float(f(2.0, 0.0)) == 1.0


# ---- implementation


class Chosen(InBoth):
    def __init__(self, implementation: str | None = None) -> None:
        super().__init__(implementation=implementation)


def ways(op: Any, mode: str) -> float:
    x = tv.vector("x")
    return float(tv.function([x], op(x), mode=mode)([0.0])[0])


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c|py", "cvm_nogc"])
def test_an_op_chooses_its_implementation_in_every_mode(mode: str) -> None:
    assert ways(Chosen("py"), mode) == 1.0
    assert ways(Chosen("c"), mode) == 2.0
    assert ways(Chosen("c|py"), mode) == 2.0
    assert ways(Chosen(), mode) == (1.0 if mode in ("py", "vm") else 2.0)


@pytest.mark.parametrize("mode", ["vm", "cvm"])
@pytest.mark.parametrize(("kind", "added"), [(AsKernel, 3.0), (AsElement, 4.0)])
def test_kernels_and_elements_are_c(kind: Any, added: float, mode: str) -> None:
    for chosen, expected in (("py", 1.0), ("c", added), ("c|py", added)):
        assert ways(kind(implementation=chosen), mode) == expected


@pytest.mark.parametrize("mode", ["vm", "cvm"])
def test_an_op_that_is_c_or_python_runs_what_it_has(mode: str) -> None:
    assert ways(InPython(implementation="c|py"), mode) == 1.0
    assert ways(InC(implementation="c|py"), mode) == 2.0


def test_an_op_that_is_c_does_not_run_its_own_make_thunk() -> None:
    op = Calling()
    op.implementation = "c"
    assert [ways(op, mode) for mode in ("vm", "cvm")] == [2.0, 2.0]
    assert op.told == []


@pytest.mark.parametrize(
    ("op", "mode"),
    [
        (InPython(implementation="c"), "cvm"),
        (InPython(implementation="c"), "vm"),
        (InC(implementation="py"), "cvm"),
        (InBoth.__new__(InBoth), "c"),
    ],
)
def test_an_op_without_what_it_chooses_cannot_run(op: Any, mode: str) -> None:
    if mode == "c":
        op.implementation = "py"
    with pytest.raises(NotImplementedError, match=type(op).__name__):
        ways(op, mode)


def test_an_implementation_has_one_of_three_names() -> None:
    with pytest.raises(ValueError, match="implementation is 'cuda'; it has to be"):
        Chosen("cuda")
    op = Chosen()
    op.implementation = "cuda"
    with pytest.raises(ValueError, match=r"\[Chosen\] implementation is 'cuda'; it has to be"):
        ways(op, "cvm")


def test_a_cop_chooses_too() -> None:
    class Both(tv.COp):
        __props__ = ()
        itypes = otypes = [tv.dvector]
        perform = InPython.perform
        c_code = InC.c_code

    assert ways(Both(implementation="py"), "cvm") == 1.0
    assert ways(Both(implementation="c"), "vm") == 2.0
