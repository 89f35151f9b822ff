"""Shared variables: their values, and the updates that calls commit."""

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc"]


def test_a_value_is_copied_in_and_out():
    value = np.arange(3.0)
    s = tv.shared(value, "s")
    value[:] = 9.0
    np.testing.assert_array_equal(s.get_value(), [0.0, 1.0, 2.0])
    s.get_value()[:] = 9.0
    np.testing.assert_array_equal(s.get_value(), [0.0, 1.0, 2.0])


def test_a_borrowed_value_is_the_memory_itself():
    s = tv.shared(np.arange(3.0), "s")
    value = np.zeros(3)
    s.set_value(value, borrow=True)
    assert s.get_value(borrow=True) is value
    s.get_value(borrow=True)[0] = 4.0
    np.testing.assert_array_equal(s.get_value(), [4.0, 0.0, 0.0])


def test_a_value_is_converted_to_the_variables_type():
    s = tv.shared(np.arange(3.0), "s")
    s.set_value([1, 2])
    assert s.get_value().dtype == "float64"
    with pytest.raises(TypeError, match="the value of shared variable 's' has 2 dimensions"):
        s.set_value(np.ones((2, 2)))
    with pytest.raises(TypeError, match="complex128"):
        s.set_value(np.ones(2, complex))


@pytest.mark.parametrize("mode", MODES)
def test_updates_are_computed_from_the_values_at_the_start(mode):
    a, b = tv.shared(1.0, "a"), tv.shared(2.0, "b")
    f = tv.function([], [a, b], updates=[(a, b), (b, a)], mode=mode)
    assert f() == [1.0, 2.0]
    assert f() == [2.0, 1.0]
    assert (a.get_value(), b.get_value()) == (1.0, 2.0)


@pytest.mark.parametrize("mode", MODES)
def test_a_failed_call_changes_no_shared_variable(mode):
    class Fail(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            if inputs[0] < 0:
                raise ValueError("negative")
            output_storage[0][0] = inputs[0] * 1.0

    a, b, x = tv.shared(1.0, "a"), tv.shared(np.ones(2), "b"), tv.scalar("x")
    f = tv.function([x], Fail()(x), updates=[(a, a + x), (b, b * 2.0)], mode=mode)
    with pytest.raises(ValueError, match="negative"):
        f(-1.0)
    assert a.get_value() == 1.0
    np.testing.assert_array_equal(b.get_value(), [1.0, 1.0])
    f(1.0)
    assert a.get_value() == 2.0
    np.testing.assert_array_equal(b.get_value(), [2.0, 2.0])


@pytest.mark.parametrize("mode", MODES)
def test_what_is_shared_is_nobody_elses_memory(mode):
    s, t, x = tv.shared(np.zeros(3), "s"), tv.shared(np.zeros(3), "t"), tv.vector("x")
    f = tv.function([x], [x, s], updates=[(s, x), (t, x)], mode=mode)
    value = np.arange(3.0)
    back, _ = f(value)
    memories = [value, back, s.get_value(borrow=True), t.get_value(borrow=True)]
    for i, a in enumerate(memories):
        for b in memories[i + 1 :]:
            assert not np.shares_memory(a, b)


@pytest.mark.parametrize("mode", MODES)
def test_an_output_does_not_change_with_the_shared_variable(mode):
    s = tv.shared(np.zeros(3), "s")
    f = tv.function([], tv.exp(s), updates=[(s, s + 1.0)], mode=mode)
    first = f()
    f()
    np.testing.assert_array_equal(first, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(s.get_value(), [2.0, 2.0, 2.0])


@pytest.mark.parametrize("mode", MODES)
def test_an_update_if_computed_demands_nothing(mode):
    runs = []

    class Costly(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            runs.append(1)
            output_storage[0][0] = inputs[0] + 1.0

    n, c = tv.shared(0.0, "n"), tv.scalar("c")
    new = Costly()(n)
    f = tv.function(
        [c], tv.ifelse(c > 0.0, new, n), updates={n: tv.Update(new, if_computed=True)}, mode=mode
    )
    assert [float(f(c)) for c in (-1.0, 1.0, -1.0, 1.0)] == [0.0, 1.0, 1.0, 2.0]
    assert len(runs) == 2


def test_an_update_of_another_type_is_refused():
    from thunkvm import _core

    s, x = tv.shared(1.0, "s"), tv.vector("x")
    with pytest.raises(TypeError, match="the update of shared variable s"):
        _core.link(_core.Graph([x], [], [(s, x, False)]), tv.Mode(), _core.Interface())


def test_opaque_shared_values():
    s = tv.shared({"a": [1]}, "s")
    assert s.get_value() == {"a": [1]}
    assert s.get_value() is not s.get_value(borrow=True)
    s.set_value(None)
    assert s.get_value() is None


def test_only_shared_variables_have_values():
    from thunkvm import _core

    with pytest.raises(TypeError, match="x is no shared variable"):
        _core.get_value(tv.scalar("x"))
