"""PyTensor's graphs, linked by thunkvm: exactly lazy, and with PyTensor's values."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("PYTENSOR_FLAGS", "cxx=")
pytensor = pytest.importorskip("pytensor", reason="pytensor is not installed")
import pytensor.tensor as pt  # noqa: E402
from pytensor.compile.io import In  # noqa: E402
from pytensor.compile.mode import Mode  # noqa: E402
from pytensor.graph.basic import Apply  # noqa: E402
from pytensor.graph.op import Op  # noqa: E402
from pytensor.ifelse import ifelse  # noqa: E402
from pytensor_linker import Performed, ThunkvmLinker  # noqa: E402


class Counting(Op):  # type: ignore[misc]
    """The identity, which counts its runs."""

    __props__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name
        self.runs = 0

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: list[Any], outputs: list[list[Any]]) -> None:
        self.runs += 1
        outputs[0][0] = inputs[0].copy()


def function(inputs: list[Any], outputs: Any, mode: str = "cvm", **options: Any) -> Any:
    return pytensor.function(
        inputs, outputs, mode=Mode(ThunkvmLinker(mode), optimizer=None), **options
    )


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_an_ifelse_of_pytensor_runs_its_branch_alone(mode: str) -> None:
    c, x = pt.scalar("c"), pt.vector("x")
    yes, no, never = Counting("yes"), Counting("no"), Counting("never")
    inner = ifelse(c > 10.0, never(x) * 3.0, yes(x) + 1.0)
    f = function([c, x], ifelse(c > 0.0, inner, no(x) * 2.0), mode)
    np.testing.assert_array_equal(f(1.0, [1.0, 2.0]), [2.0, 3.0])
    assert (yes.runs, no.runs, never.runs) == (1, 0, 0)
    np.testing.assert_array_equal(f(-1.0, [1.0, 2.0]), [2.0, 4.0])
    assert (yes.runs, no.runs, never.runs) == (1, 1, 0)


def test_an_ifelse_of_several_outputs_runs_its_branch_alone() -> None:
    c, x = pt.scalar("c"), pt.vector("x")
    yes, no = Counting("yes"), Counting("no")
    f = function([c, x], ifelse(c, [yes(x), x + 1.0], [no(x), x + 2.0]))
    assert [value.tolist() for value in f(0.0, [1.0])] == [[1.0], [3.0]]
    assert (yes.runs, no.runs) == (0, 1)


x, m, i = pt.vector("x"), pt.matrix("m"), pt.lscalar("i")
CASES = {
    "elementwise": pt.exp(x) * pt.log1p(pt.abs(x)) - pt.sqrt(x**2) / (1.0 + pt.tanh(x)),
    "comparison": pt.switch(x > 1.0, pt.maximum(x, 2.0), pt.minimum(x, 0.5)),
    "cast": pt.cast(x, "int32"),
    "sum": m.sum(axis=0),
    "product": m.prod(),
    "extremes": m.max(axis=1) - m.min(axis=1),
    "tests": pt.all(m > -1e9, axis=0),
    "sum of integers": pt.cast(x, "int8").sum(),
    "transpose": m.T,
    "new axes": x.dimshuffle("x", 0, "x"),
    "dropped axes": pt.specify_shape(m[:1], (1, None)).dimshuffle(1),
    "slices": m[1:, ::-1],
    "an index": m[i],
    "a slice to an index": x[i:],
    "dot": pt.dot(m, x),
    "by perform": pt.cumsum(x) + pt.sort(x),
}


@pytest.mark.parametrize("name", CASES)
def test_the_linker_gives_the_values_of_pytensor(name: str) -> None:
    inputs, y = [x, m, i], CASES[name]
    values = [np.array([0.5, 3.0, -1.0]), np.arange(12.0).reshape(4, 3), 1]
    expected = pytensor.function(
        inputs, y, mode=Mode("py", optimizer=None), on_unused_input="ignore"
    )(*values)
    result = function(inputs, y, on_unused_input="ignore")(*values)
    assert (type(result), result.dtype) == (type(expected), expected.dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-14)


def test_the_named_ops_run_without_perform() -> None:
    y = ifelse(x.sum() > 0.0, pt.dot(m, x)[1:].dimshuffle("x", 0), m[:1])
    f = function([x, m], y)
    nodes = [output.owner for output in f.vm.linked._nodes]
    assert not [node for node in nodes if isinstance(node.op, Performed)]


def test_rewritten_graphs_with_fused_loops_are_linked() -> None:
    mode = Mode(ThunkvmLinker(), optimizer="fast_run").excluding("inplace", "BlasOpt")
    f = pytensor.function([x], (pt.exp(x) * x + 1.0).sum(), mode=mode)
    np.testing.assert_allclose(f([0.0, 1.0]), 2.0 + np.e)


def test_updates_of_pytensor_are_kept_from_call_to_call() -> None:
    n = pytensor.shared(1.0, "n")
    f = function([], n * 2.0, updates={n: n + 1.0})
    assert [float(f()), float(f()), float(n.get_value())] == [2.0, 4.0, 3.0]


def test_a_result_is_an_array_that_the_caller_may_write_to() -> None:
    a = pt.vector("a")
    f, given = function([a], [a, a.sum()]), np.ones(2)
    same, number = f(given)
    same[:] = 5.0
    assert isinstance(number, np.ndarray)
    assert given.tolist() == [1.0, 1.0]


def test_errors_show_the_line_that_made_the_node_of_pytensor() -> None:
    a, j = pt.vector("a"), pt.lscalar("j")
    y = a[j]
    file, line, _, text = y.tag.trace[0][-1]
    with pytest.raises(IndexError) as caught:
        function([a, j], y * 2.0)([1.0], 3)
    assert f"made at: {os.path.basename(file)}:{line}, {text}" in "\n".join(caught.value.__notes__)


def test_explanations_show_the_lines_that_made_the_nodes_of_pytensor() -> None:
    a = pt.vector("a")
    y = pt.exp(a)
    z = y.sum()
    lines = [v.tag.trace[0][-1][1] for v in (y, z)]
    f = function([a], z)
    name = os.path.basename(__file__)
    assert [row.origin for row in f.vm.linked.explain().nodes] == [
        f"{name}:{lines[0]}, y = pt.exp(a)",
        f"{name}:{lines[1]}, z = y.sum()",
    ]


class AddOne(Op):  # type: ignore[misc]
    """Adds one to a vector, in place."""

    destroy_map = {0: [0]}
    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: list[Any], outputs: list[list[Any]]) -> None:
        inputs[0] += 1.0
        outputs[0][0] = inputs[0]


@pytest.mark.parametrize("mode", ["vm", "cvm"])
def test_an_op_of_pytensor_writes_to_a_mutable_input(mode: str) -> None:
    a, memory = pt.vector("a"), np.ones(2)
    f = function([In(a, mutable=True)], AddOne()(a).sum(), mode, accept_inplace=True)
    assert float(f(memory)) == 4.0
    assert memory.tolist() == [2.0, 2.0]


def test_the_inputs_that_pytensor_protects_are_not_mutable() -> None:
    a, b, n = pt.vector("a"), pt.vector("b"), pytensor.shared(np.ones(2), "n")
    f = function([In(a, mutable=True), b], a + b + n, updates={n: n * 2.0})
    assert [spec.mutable for spec in f.vm.linked._recipe["interface"].inputs] == [True, False, True]
    values = np.ones(2), np.ones(2)
    assert [f(*values).tolist(), n.get_value().tolist()] == [[3.0, 3.0], [2.0, 2.0]]
    assert values[1].tolist() == [1.0, 1.0]


def test_rewritten_graphs_write_in_place_to_mutable_inputs_alone() -> None:
    mode = Mode(ThunkvmLinker(), optimizer="fast_run")
    a, b = pt.vector("a"), pt.vector("b")
    f = pytensor.function([In(a, mutable=True), b], (pt.exp(a) + pt.exp(b)).sum(), mode=mode)
    values = np.zeros(3), np.zeros(3)
    assert float(f(*values)) == 6.0
    assert values[1].tolist() == [0.0] * 3
