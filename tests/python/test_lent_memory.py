"""Memory of the machine in the hands of users: what they may write to, and what they may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc"]


class Plain(tv.Op):
    """An Op on one vector, whose `perform` is given."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [tv.as_variable(x)], [tv.vector().type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = self.compute(inputs[0])


def assert_read_only(array: Any) -> None:
    """Check that the array refuses to be written to, and to be made writable."""
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 9.0
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
        array.flags.writeable = True


def of_a_constant() -> Any:
    return [], tv.constant([1.0, 2.0, 3.0])


def of_a_default() -> Any:
    x = tv.vector("x")
    return [tv.In(x, value=np.array([1.0, 2.0, 3.0]))], x


def of_a_shared_variable() -> Any:
    return [], tv.shared(np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make", [of_a_constant, of_a_default, of_a_shared_variable])
@pytest.mark.parametrize("look", [lambda v: v, lambda v: v[::-1], lambda v: tv.ifelse(True, v, v)])
def test_kept_memory_is_borrowed_read_only(mode: str, make: Any, look: Any) -> None:
    inputs, kept = make()
    f = tv.function(inputs, tv.Out(look(kept), borrow=True), mode=mode)
    assert_read_only(f())
    assert sorted(f().tolist()) == [1.0, 2.0, 3.0]


def test_the_default_in_a_signature_is_read_only() -> None:
    import inspect

    x = tv.vector("x")
    f = tv.function([tv.In(x, value=[1.0, 2.0])], x * 2.0)
    assert_read_only(inspect.signature(f).parameters["x"].default)
    assert f().tolist() == [2.0, 4.0]


def test_a_default_that_was_lent_is_the_callers_own() -> None:
    x, lent = tv.vector("x"), np.ones(2)
    f = tv.function([tv.In(x, value=lent, borrow=True)], tv.Out(x, borrow=True))
    assert f() is lent
    lent[0] = 5.0
    assert f().tolist() == [5.0, 1.0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("new", [lambda x: x + 1.0, Plain(lambda x: x + 1.0)])
def test_a_shared_variables_own_array_is_read_only(mode: str, new: Any) -> None:
    s = tv.shared(np.zeros(2))
    assert_read_only(s.get_value(borrow=True))
    tv.function([], None, updates={s: new(s)}, mode=mode)()
    assert_read_only(s.get_value(borrow=True))
    assert s.get_value().tolist() == [1.0, 1.0]
    s.get_value()[0] = 5.0  # a copy is the caller's


@pytest.mark.parametrize("mode", MODES)
def test_an_old_shared_value_that_was_borrowed_stays_as_it_was(mode: str) -> None:
    s = tv.shared(np.zeros(2))
    f = tv.function([], tv.Out(s, borrow=True), updates={s: s + 1.0}, mode=mode)
    first = f()
    assert (f().tolist(), first.tolist()) == ([1.0, 1.0], [0.0, 0.0])


RESULTS = {
    "fresh": lambda x: x * 2.0 + 1.0,
    "reversed": lambda x: (x * 2.0)[::-1],
    "every other": lambda x: (x * 2.0)[1::2],
    "transposed": lambda x: tv.outer(x, x)[:, 1:].T,
    "empty": lambda x: (x * 2.0)[:0],
    "repeated": lambda x: tv.broadcast_to(x[:1], (3, 1)) + 0.0,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("borrow", [False, True])
@pytest.mark.parametrize("result", RESULTS)
def test_a_result_can_be_made_read_only_and_writable_again(
    mode: str, borrow: bool, result: str
) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.Out(RESULTS[result](x), borrow=borrow), mode=mode)
    array = f(np.arange(4.0))
    expected = array.copy()
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 9.0
    array.flags.writeable = True
    np.testing.assert_array_equal(array, expected)
    array[...] = 9.0
    assert (array == 9.0).all()


def test_the_owner_of_a_results_memory_lends_its_bytes() -> None:
    x = tv.vector("x")
    result = tv.function([x], tv.Out((x * 2.0)[3:0:-2], borrow=True), mode="cvm")(np.arange(4.0))
    assert result.tolist() == [6.0, 2.0]
    lent = memoryview(result.base)
    assert np.frombuffer(lent).tolist() == [2.0, 4.0, 6.0]
    assert not lent.readonly
    del result
    assert np.frombuffer(lent).tolist() == [2.0, 4.0, 6.0]
