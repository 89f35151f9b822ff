"""Who shares the memory of values: callers, functions, Ops, and for how long."""

import gc
import sys
import weakref

import numpy as np
from watched_values import Lend, Watch

import thunkvm as tv
from thunkvm import _core


def test_what_a_caller_gets_is_not_the_argument():
    x = tv.vector("x")
    value = np.arange(3.0)
    view, whole = tv.function([x], [x[1:], x])(value)
    assert not np.shares_memory(view, value)
    assert not np.shares_memory(whole, value)
    assert not np.shares_memory(whole, view)


def test_what_a_caller_gets_is_not_another_output():
    x = tv.vector("x")
    y = tv.exp(x)
    first, second, part = tv.function([x], [y, y, y[1:]])(np.arange(3.0))
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, part)
    assert first.flags.writeable
    assert part.flags.writeable


def test_what_a_caller_gets_is_not_a_constant():
    c = tv.constant(np.arange(3.0))
    f = tv.function([], c)
    f()[0] = 7.0
    np.testing.assert_array_equal(f(), [0.0, 1.0, 2.0])


def test_what_a_caller_gets_is_not_what_an_op_keeps():
    kept = np.arange(3.0)
    f = tv.function([x := tv.scalar("x")], Lend(kept, tv.vector().type)(x))
    assert not np.shares_memory(f(0.0), kept)


def test_borrowed_outputs_may_be_shared():
    x = tv.vector("x")
    value = np.arange(3.0)
    assert np.shares_memory(tv.function([x], tv.Out(x[1:], borrow=True))(value), value)


def test_an_array_goes_through_a_python_thunk_as_the_same_object():
    watch = Watch()
    x = tv.vector("x")
    value = np.arange(3.0)
    tv.function([x], watch(x))(value)
    assert watch.seen[0] is value


def test_a_fresh_result_of_a_python_thunk_reaches_the_caller_uncopied():
    addresses = []

    class Fresh(Watch):
        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] + 1.0
            addresses.append(output_storage[0][0].ctypes.data)

    x = tv.vector("x")
    assert tv.function([x], Fresh()(x))(np.arange(3.0)).ctypes.data == addresses[0]


def test_an_argument_is_let_go_after_the_call():
    x = tv.vector("x")
    f = tv.function([x], x + 1.0)
    value = np.arange(3.0)
    before = sys.getrefcount(value)
    f(value)
    assert sys.getrefcount(value) == before
    gone = weakref.ref(value)
    del value
    assert gone() is None


def test_results_keep_their_memory_alive():
    x = tv.vector("x")
    f = tv.function([x], x + 1.0)
    results = [f(np.full(4, float(i))) for i in range(100)]
    del f
    gc.collect()
    for i, result in enumerate(results):
        np.testing.assert_array_equal(result, np.full(4, i + 1.0))


def test_no_buffer_is_lost():
    x = tv.vector("x")
    f = tv.function([x], [x + 1.0, tv.exp(x)])
    f(np.arange(4.0))
    before = _core.memory()["live_buffers"]
    for _ in range(1000):
        f(np.arange(4.0))
    assert _core.memory()["live_buffers"] == before
