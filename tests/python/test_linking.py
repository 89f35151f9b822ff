"""`thunkvm.linking`: what `tv.function`, copies, loaded files and other front ends go by."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.linking import Graph, Input, Interface, Output, link

MODES = ["py", "vm", "cvm"]


@pytest.mark.parametrize("mode", MODES)
def test_link_returns_the_outputs_in_their_structure(mode: str) -> None:
    x = tv.scalar("x")
    assert link(Graph([x], {"a": x + 1.0, "b": [x, (x * 2.0,)]}), mode)(3.0) == {
        "a": 4.0,
        "b": [3.0, (6.0,)],
    }


@pytest.mark.parametrize("mode", MODES)
def test_link_runs_the_arm_that_is_taken_alone(mode: str) -> None:
    x = tv.scalar("x")
    f = link(Graph([x], tv.ifelse(x > 0, tv.counted(x + 1.0, "up"), tv.counted(-x, "down"))), mode)
    assert [f(1.0), f(2.0), f(-1.0), f.counts()] == [2.0, 3.0, 1.0, {"up": 2, "down": 1}]


def test_link_without_outputs_returns_none() -> None:
    n = tv.shared(0, "n")
    assert link(Graph([]), interface=Interface(updates={n: n + 1}))() is None
    assert n.get_value() == 1


def test_an_input_has_a_keyword_and_a_default() -> None:
    x, y = tv.scalar(), tv.scalar("y")
    how = Interface(inputs=[Input(name="a"), Input(default=10.0)])
    f = link(Graph([x, y], x + y), interface=how)
    assert [f(a=1.0), f(1.0, y=2.0)] == [11.0, 3.0]


def test_a_strict_input_takes_its_dtype_alone() -> None:
    x = tv.vector("x")
    f = link(Graph([x], x.sum()), interface=Interface(inputs=[Input(strict=True)]))
    assert f(np.ones(2)) == 2.0
    with pytest.raises(TypeError, match="argument 'x'"):
        f(np.ones(2, "float32"))


def test_an_input_that_allows_it_is_cast_down() -> None:
    n = tv.scalar("n", dtype="int8")
    with pytest.raises(TypeError, match="argument 'n'"):
        link(Graph([n], n))(np.float64(2.5))
    how = Interface(inputs=[Input(allow_downcast=True)])
    assert link(Graph([n], n), interface=how)(np.float64(2.5)) == 2


def test_a_result_is_memory_that_the_caller_may_write_to() -> None:
    x, given = tv.vector("x"), np.ones(2)
    f = link(Graph([x], [x, x]))
    first, second = f(given)
    first[:] = 5.0
    assert (given.tolist(), second.tolist()) == ([1.0, 1.0], [1.0, 1.0])


def test_a_borrowed_result_is_the_memory_that_the_function_has() -> None:
    x, given = tv.vector("x"), np.ones(2)
    assert link(Graph([x], x), interface=Interface(outputs=[Output(borrow=True)]))(given) is given


@pytest.mark.parametrize("mode", MODES)
def test_a_number_comes_as_an_array_of_no_dimensions(mode: str) -> None:
    x = tv.scalar("x")
    how = Interface(outputs=[Output(array=True), Output()])
    array, number = link(Graph([x], [x + 1.0, x + 2.0]), mode, how)(1.0)
    assert isinstance(array, np.ndarray)
    assert (array.shape, array.dtype, float(array)) == ((), np.float64, 2.0)
    assert array.flags.writeable
    assert type(number) is np.float64


@pytest.mark.parametrize("mode", MODES)
def test_a_result_is_written_into_memory_that_was_given(mode: str) -> None:
    x, memory, number = tv.vector("x"), np.zeros(2), np.zeros(())
    how = Interface(outputs=[Output(out=memory), Output(out=number)])
    f = link(Graph([x], {"twice": x * 2.0, "sum": x.sum()}), mode, how)
    result = f([1.0, 2.0])
    assert result["twice"] is memory
    assert result["sum"] is number
    assert (memory.tolist(), float(number)) == ([2.0, 4.0], 3.0)


def test_a_result_may_be_written_into_the_memory_of_an_argument() -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    f = link(Graph([x], x[::-1] * 2.0), interface=Interface(outputs=[Output(out=memory)]))
    assert f(memory).tolist() == [4.0, 2.0]


def test_a_call_whose_result_does_not_fit_writes_nothing_and_updates_nothing() -> None:
    x, n = tv.vector("x"), tv.shared(0, "n")
    first, second = np.zeros(()), np.zeros(3)
    how = Interface(outputs=[Output(out=first), Output(out=second)], updates={n: n + 1})
    f = link(Graph([x], [x.sum(), x]), interface=how)
    with pytest.raises(ValueError, match=r"outputs\[1\] has the shape \(2,\).*has \(3,\).*link it"):
        f([1.0, 2.0])
    assert (float(first), second.tolist(), int(n.get_value())) == (0.0, [0.0] * 3, 0)


def test_updates_are_committed_together() -> None:
    a, b = tv.shared(1, "a"), tv.shared(2, "b")
    link(Graph([]), interface=Interface(updates=[(a, b), (b, tv.Update(a))]))()
    assert (a.get_value(), b.get_value()) == (2, 1)


def test_draws_of_a_shared_generator_go_on_from_call_to_call() -> None:
    x = tv.random.Generator(42).normal(size=2)
    drawn = [link(Graph([], x))().tolist() for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_a_profile_is_recorded() -> None:
    x = tv.scalar("x")
    f = link(Graph([x], tv.exp(x)), interface=Interface(name="step", profile="count"))
    f(1.0)
    assert f.name == "step"
    assert "exp" in str(f.profile)


def a_linked_function() -> tuple[tv.Function, Any, np.ndarray[Any, Any]]:
    """A function of x and a shared n, which it counts up; its result goes into memory."""
    x, n, memory = tv.scalar("x"), tv.shared(1.0, "n"), np.zeros(())
    how = Interface(
        inputs=[Input(default=10.0)], outputs=[Output(out=memory)], updates={n: n + 1}, name="f"
    )
    return link(Graph([x], {"y": x + n}), "vm", how), n, memory


def test_a_linked_function_is_pickled_with_its_interface() -> None:
    f, _, memory = a_linked_function()
    g = pickle.loads(pickle.dumps(f))
    assert [float(g()["y"]), float(g(1.0)["y"]), float(memory)] == [11.0, 3.0, 0.0]
    assert (g.name, g.mode) == ("f", f.mode)


def test_a_linked_function_is_deep_copied_with_its_memory() -> None:
    f, n, memory = a_linked_function()
    g = copy.deepcopy(f)
    assert [float(g()["y"]), float(g()["y"])] == [11.0, 12.0]
    assert (float(memory), float(n.get_value())) == (0.0, 1.0)


def test_a_linked_function_is_copied_with_other_shared_variables() -> None:
    f, n, _ = a_linked_function()
    m = tv.shared(5.0, "m")
    g = f.copy(swap={n: m}, name="g")
    assert [float(g()["y"]), float(g()["y"]), g.name] == [15.0, 16.0, "g"]
    assert (float(n.get_value()), float(m.get_value())) == (1.0, 7.0)


def test_a_loaded_file_is_linked(tmp_path: Path) -> None:
    x, w = tv.vector("x"), tv.shared([1.0, 2.0], "w")
    tv.save(tmp_path / "model.tv", {"y": x * w}, inputs=[x])
    model = tv.load(tmp_path / "model.tv")
    w = model.shared["w"]
    f = link(model, "vm", Interface(updates={w: w + 1.0}))
    assert [f([1.0, 1.0])["y"].tolist(), f([1.0, 1.0])["y"].tolist()] == [[1.0, 2.0], [2.0, 3.0]]


def test_tv_function_goes_by_link(monkeypatch: pytest.MonkeyPatch) -> None:
    from thunkvm._src.calls import function

    seen = []
    monkeypatch.setattr(function, "link", lambda *given: seen.append(given))
    x, n = tv.scalar("x"), tv.shared(0.0, "n")
    tv.function([tv.In(x, value=1.0)], [tv.Out(x + n, borrow=True)], updates={n: x}, mode="vm")
    ((graph, mode, how),) = seen
    assert (graph.inputs, mode.linker) == ([x], "vm")
    assert how.inputs == [Input(name="x", default=1.0)]
    assert how.outputs == [Output(borrow=True)]
    assert how.updates[0][0] is n


x, y, n = tv.scalar("x"), tv.vector("y"), tv.shared(0, "n")
read_only = np.zeros(2)
read_only.flags.writeable = False
shared_memory = np.zeros(4)
WRONG = {
    "interface": ([Input()], TypeError, r"\[link\] interface is .*, a list; .*an Interface"),
    "count of inputs": (
        Interface(inputs=[Input()]),
        ValueError,
        r"1 inputs, and the graph has 2; give an Input for each",
    ),
    "class of an input": (
        Interface(inputs=[Input(), "y"]),  # type: ignore[list-item]
        TypeError,
        r"inputs\[1\] of the interface is 'y', a str; it has to be an Input",
    ),
    "class of an output": (
        Interface(outputs=[Input(), Output()]),  # type: ignore[list-item]
        TypeError,
        r"outputs\[0\] of the interface is Input.*it has to be an Output",
    ),
    "flag of an input": (
        Interface(inputs=[Input(), Input(mutable="yes")]),  # type: ignore[arg-type]
        TypeError,
        r"\[link\] mutable of inputs\[1\] is 'yes', a str; give True or False",
    ),
    "flag of an output": (
        Interface(outputs=[Output(borrow=1), Output()]),  # type: ignore[arg-type]
        TypeError,
        r"\[link\] borrow of outputs\[0\] is 1, a int; give True or False",
    ),
    "count of outputs": (
        Interface(outputs=[Output()]),
        ValueError,
        r"1 outputs, and the graph has 2; give an Output for each",
    ),
    "dtype of memory": (
        Interface(outputs=[Output(), Output(out=np.zeros(2, "float32"))]),
        TypeError,
        r"outputs\[1\].*`out` has the dtype float32 and the shape \(2,\); give memory of",
    ),
    "dimensions of memory": (
        Interface(outputs=[Output(out=np.zeros(2)), Output()]),
        TypeError,
        r"outputs\[0\].*the shape \(2,\)",
    ),
    "read-only memory": (
        Interface(outputs=[Output(), Output(out=read_only)]),
        TypeError,
        r"outputs\[1\] has `out` array.*that can be written to",
    ),
    "borrowed memory": (
        Interface(outputs=[Output(), Output(borrow=True, out=np.zeros(2))]),
        ValueError,
        r"outputs\[1\] has both borrow=True and `out`; give one",
    ),
    "target of an update": (
        Interface(updates={x: x}),
        TypeError,
        r"which is not a shared variable",
    ),
    "name": (Interface(name=3), TypeError, r"\[link\] name is 3; it has to be a str"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_an_interface_that_does_not_fit_names_the_value_and_the_rule(name: str) -> None:
    how, kind, message = WRONG[name]
    with pytest.raises(kind, match=message):
        link(Graph([x, y], [x + 1.0, y * 2.0]), "vm", how)  # type: ignore[arg-type]


def test_two_outputs_have_memory_of_their_own() -> None:
    how = Interface(outputs=[Output(out=shared_memory[:2]), Output(out=shared_memory[1:3])])
    with pytest.raises(ValueError, match=r"outputs\[0\] and outputs\[1\] have the same memory"):
        link(Graph([y], [y, y + 1.0]), "vm", how)


def test_an_object_is_no_array() -> None:
    thing = tv.generic("thing")
    how = Interface(outputs=[Output(array=True)])
    with pytest.raises(TypeError, match=r"the output is .*thing.*is no array; leave out"):
        link(Graph([thing], thing), "vm", how)


@pytest.mark.parametrize(
    ("graph", "kind", "message"),
    [
        (x, TypeError, r"\[link\] graph is .*give Graph\(inputs, outputs\)"),
        (Graph(x, x), TypeError, r"the graph's inputs are .*x.*; give a list"),  # type: ignore[arg-type]
        (Graph([x, x], x), ValueError, r"the input .*x.* comes twice"),
        (Graph([n], n), TypeError, r"input 0 is .*n.*has to be a free Variable"),
        (Graph([x], x + y), tv.MissingInputError, r"the output needs the variable .*y"),
    ],
)
def test_a_graph_that_is_none_names_the_value_and_the_rule(
    graph: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        link(graph, "vm")
