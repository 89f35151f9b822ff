"""Inputs whose memory the function may use: `Input(mutable=True)`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.linking import Graph, Input, Interface, Output, link

WRITING = ["vm", "cvm", "c|py"]
MODES = ["py", *WRITING]
READING = [
    "py",
    "py_nogc",
    "vm_nogc",
    "cvm_nogc",
    "DebugMode",
    "c&py",
    "NanGuardMode",
    tv.MonitorMode(lambda *_: None, lambda *_: None),
]
MUTABLE = Interface(inputs=[Input(mutable=True)])


class AddOne(tv.Op):
    """Adds one to a vector, in place."""

    destroy_map = {0: [0]}

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        inputs[0] += 1.0
        output_storage[0][0] = inputs[0]


class Reversed(tv.Op):
    """The same elements the other way round, in the same memory."""

    view_map = {0: [0]}

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0][::-1]


add_one, reversed_ = AddOne(), Reversed()


def total(values: list[float]) -> np.float64:
    return np.float64(sum(values))


@pytest.mark.parametrize("mode", WRITING)
def test_an_op_in_place_writes_to_a_mutable_argument(mode: str) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    assert link(Graph([x], add_one(x).sum()), mode, MUTABLE)(memory) == 5.0
    assert memory.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("mode", MODES)
def test_an_argument_that_is_not_mutable_is_never_written_to(mode: str) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    assert link(Graph([x], add_one(x).sum()), mode)(memory) == 5.0
    assert memory.tolist() == [1.0, 2.0]


def test_an_emitted_nest_takes_the_memory_of_a_mutable_argument() -> None:
    x, memory = tv.vector("x"), np.arange(1000.0)
    f = link(Graph([x], (tv.exp(-x)[::-1]).cumsum()), tv.Mode("cvm", compile="now"), MUTABLE)
    np.testing.assert_allclose(f(memory), np.exp(-np.arange(1000.0))[::-1].cumsum())
    assert memory[0] == 1.0


@pytest.mark.parametrize("mode", READING)
def test_modes_that_keep_or_check_values_or_know_no_last_use_read_a_mutable_argument(
    mode: Any,
) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    f = link(Graph([x], add_one(reversed_(x)).sum()), mode, MUTABLE)
    assert [f(memory), f(np.array([5.0, 6.0])), f(memory)] == [5.0, 13.0, 5.0]
    assert memory.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mode", WRITING)
def test_a_mutable_argument_is_written_to_only_if_the_node_runs(mode: str) -> None:
    c, x, memory = tv.scalar("c"), tv.vector("x"), np.array([1.0, 2.0])
    how = Interface(inputs=[Input(), Input(mutable=True)])
    f = link(Graph([c, x], tv.ifelse(c > 0, add_one(x).sum(), x.sum())), mode, how)
    assert f(-1.0, memory) == 3.0
    assert memory.tolist() == [1.0, 2.0]
    assert f(1.0, memory) == 5.0
    assert memory.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_later_reader_gets_the_value_that_was_given(mode: str) -> None:
    x = tv.vector("x")
    f = link(Graph([x], [add_one(x).sum(), x.sum(), x]), mode, MUTABLE)
    assert [v.tolist() for v in f(np.array([1.0, 2.0]))] == [5.0, 3.0, [1.0, 2.0]]


@pytest.mark.parametrize("mode", MODES)
def test_a_view_of_a_mutable_argument_keeps_its_elements(mode: str) -> None:
    x = tv.vector("x")
    y = reversed_(x)
    assert link(Graph([x], y + add_one(x)), mode, MUTABLE)(np.array([1.0, 2.0])).tolist() == [
        4.0,
        4.0,
    ]


def shared_memory(name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    memory = np.arange(6.0)
    return {
        "the same array": (memory, memory),
        "parts that overlap": (memory[:4], memory[2:]),
        "elements in turn": (memory[::2], memory[1::2]),
    }[name]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("other", [Input(), Input(mutable=True)])
@pytest.mark.parametrize("name", ["the same array", "parts that overlap", "elements in turn"])
def test_an_argument_in_the_memory_of_another_is_only_read(
    mode: str, other: Input, name: str
) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    how = Interface(inputs=[Input(mutable=True), other])
    f = link(Graph([x, y], [add_one(x).sum(), y.sum()]), mode, how)
    a, b = shared_memory(name)
    before = a.tolist(), b.tolist()
    assert f(a, b) == [total(before[0]) + len(a), total(before[1])]
    assert (a.tolist(), b.tolist()) == before


@pytest.mark.parametrize("mode", WRITING)
def test_two_mutable_arguments_side_by_side_are_both_written_to(mode: str) -> None:
    x, y, memory = tv.vector("x"), tv.vector("y"), np.zeros(5)
    how = Interface(inputs=[Input(mutable=True)] * 2)
    f = link(Graph([x, y], [add_one(x).sum(), add_one(add_one(y)).sum()]), mode, how)
    assert f(memory[:2], memory[2:4]) == [2.0, 4.0]
    assert memory.tolist() == [1.0, 1.0, 2.0, 2.0, 0.0]


@pytest.mark.parametrize("mode", MODES)
def test_an_argument_in_the_memory_of_a_shared_variable_that_is_read_is_only_read(
    mode: str,
) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    s = tv.shared(memory, "s", borrow=True)
    f = link(Graph([x], [add_one(x).sum(), s]), mode, MUTABLE)
    assert [v.tolist() for v in f(memory)] == [5.0, [1.0, 2.0]]
    assert memory.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_read_only_mutable_argument_is_only_read(mode: str) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    memory.flags.writeable = False
    assert link(Graph([x], add_one(x).sum()), mode, MUTABLE)(memory) == 5.0
    assert memory.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_mutable_argument_whose_elements_share_addresses_is_only_read(mode: str) -> None:
    x, memory = tv.vector("x"), np.array([1.0])
    wide = np.lib.stride_tricks.as_strided(memory, (3,), (0,))
    assert link(Graph([x], add_one(x).sum()), mode, MUTABLE)(wide) == 6.0
    assert memory.tolist() == [1.0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", ">f8", "int32"])
def test_a_mutable_argument_of_another_dtype_is_converted_and_not_written_to(
    mode: str, dtype: str
) -> None:
    x, memory = tv.vector("x"), np.array([1, 2], dtype)
    assert link(Graph([x], add_one(x).sum()), mode, MUTABLE)(memory) == 5.0
    assert memory.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("borrow", [False, True])
def test_a_default_of_a_mutable_input_is_never_written_to(borrow: bool) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    how = Interface(inputs=[Input(default=memory, borrow=borrow, mutable=True)])
    f = link(Graph([x], add_one(x).sum()), "vm", how)
    assert [f(), f()] == [5.0, 5.0]
    assert memory.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_mutable_argument_of_python_objects_is_copied(mode: str) -> None:
    class Append(tv.Op):
        destroy_map = {0: [0]}

        def make_node(self, x: Any) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            inputs[0].append(1)
            output_storage[0][0] = inputs[0]

    x, given = tv.generic("x"), [0]
    assert link(Graph([x], Append()(x)), mode, MUTABLE)(given) == [0, 1]
    assert given == [0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("result", [add_one, reversed_, tv.exp, lambda x: x, lambda x: x[1:]])
def test_a_result_is_not_in_the_memory_of_a_mutable_argument(mode: str, result: Any) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    expected = tv.function([x], result(x))(memory)
    found = link(Graph([x], result(x)), mode, MUTABLE)(memory)
    assert not np.shares_memory(found, memory)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("mode", "result"), [*((mode, add_one) for mode in WRITING), ("cvm", tv.exp), ("c|py", tv.exp)]
)
def test_a_borrowed_result_is_in_the_memory_of_a_mutable_argument(mode: str, result: Any) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    how = Interface([Input(mutable=True)], [Output(borrow=True)])
    expected = tv.function([x], result(x))(memory)
    found = link(Graph([x], result(x)), mode, how)(memory)
    assert np.shares_memory(found, memory)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", MODES)
def test_a_mutable_argument_that_is_borrowed_comes_back_itself(mode: str) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    how = Interface([Input(mutable=True)], [Output(borrow=True)])
    assert link(Graph([x], x), mode, how)(memory) is memory


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("value", [add_one, reversed_, tv.exp, lambda x: x])
def test_a_shared_variable_keeps_nothing_in_the_memory_of_a_mutable_argument(
    mode: str, value: Any
) -> None:
    x, s, memory = tv.vector("x"), tv.shared(np.zeros(2), "s"), np.array([1.0, 2.0])
    expected = tv.function([x], value(x))(memory)
    how = Interface([Input(mutable=True)], updates={s: value(x)})
    link(Graph([x]), mode, how)(memory)
    memory[:] = -1.0
    np.testing.assert_array_equal(s.get_value(), expected)


def test_a_result_may_be_written_into_a_mutable_argument() -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    how = Interface([Input(mutable=True)], [Output(out=memory), Output()])
    f = link(Graph([x], [add_one(x)[::-1], x * 3.0]), "vm", how)
    assert [v.tolist() for v in f(memory)] == [[3.0, 2.0], [3.0, 6.0]]
    assert memory.tolist() == [3.0, 2.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_may_use_the_memory_of_a_mutable_argument(mode: str) -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    last = tv.fori_loop(0, 3, lambda i, v: add_one(v), x)
    assert link(Graph([x], last.sum()), mode, MUTABLE)(memory) == 9.0


def test_an_op_that_keeps_a_mutable_argument_is_not_written_into() -> None:
    kept = []

    class Keep(AddOne):
        destroy_map: Any = {}

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            kept.append(inputs[0])
            output_storage[0][0] = inputs[0].sum()

        def make_node(self, x: Any) -> tv.Apply:
            return tv.Apply(self, [x], [tv.scalar().type()])

    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    s = Keep()(x)
    assert link(Graph([x], s + add_one(x + 0.0 * s).sum()), "vm", MUTABLE)(memory) == 8.0
    f = link(Graph([x], tv.ifelse(s > 0, add_one(x).sum(), s)), "vm", MUTABLE)
    assert f(memory) == 5.0
    assert [v.tolist() for v in kept] == [[1.0, 2.0]] * 2


def test_a_pickle_and_a_copy_keep_a_mutable_input() -> None:
    x = tv.vector("x")
    f = link(Graph([x], tv.exp(x).sum()), "cvm", MUTABLE)
    for g in (pickle.loads(pickle.dumps(f)), f.copy(name="g")):
        memory = np.zeros(2)
        assert g(memory) == 2.0
        assert memory.tolist() == [1.0, 1.0]


def test_an_input_of_function_is_mutable() -> None:
    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    assert tv.function([tv.In(x, mutable=True)], add_one(x).sum())(memory) == 5.0
    assert memory.tolist() == [2.0, 3.0]


def test_what_was_written_to_a_mutable_argument_stays_after_a_failure() -> None:
    class Fails(AddOne):
        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            inputs[0] += 1.0
            raise ValueError("no")

    x, memory = tv.vector("x"), np.array([1.0, 2.0])
    f = link(Graph([x], Fails()(x)), "vm", MUTABLE)
    with pytest.raises(ValueError, match="no"):
        f(memory)
    assert memory.tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match="no"):
        f(np.zeros(2))
