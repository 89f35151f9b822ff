"""Ops with a perform: what it gets and gives back; each misuse is a named error."""

import weakref

import numpy as np
import pytest
from python_ops import MODES, Unary, op, works_again

import thunkvm as tv


@pytest.mark.parametrize("mode", MODES)
def test_a_perform_computes_its_outputs(mode):
    def both(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 1.0
        output_storage[1][0] = inputs[0] - 1.0

    x = tv.vector("x")
    f = tv.function([x], op(both, outputs=2)(x), mode=mode)
    for _ in range(3):
        plus, minus = f([1.0, 2.0])
        np.testing.assert_array_equal(plus, [2.0, 3.0])
        np.testing.assert_array_equal(minus, [0.0, 1.0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("store", "words"),
    [
        (lambda out, x: None, r"perform of Made left None in output_storage\[0\]"),
        (lambda out, x: x * 2, "what it returns is not looked at"),
        (
            lambda out, x: out[0].__setitem__(0, "text"),
            "output 0 of Made has to be a vector float64.*str",
        ),
        (lambda out, x: out[0].__setitem__(0, [1.0]), "output 0 of Made .*list"),
        (lambda out, x: out[0].__setitem__(0, x.astype("f4")), "float32 array.*float64 is wanted"),
        (lambda out, x: out[0].__setitem__(0, x[None]), "output 0 of Made has 2 dimensions"),
        (lambda out, x: out[0].__setitem__(0, 1.0), "output 0 of Made has 0 dimensions"),
        (lambda out, x: out[0].append(x), r"changed the length of output_storage\[0\] to 2"),
    ],
)
def test_a_perform_that_breaks_its_contract_is_named(mode, store, words):
    broken = [True]

    def perform(self, node, inputs, output_storage):
        if broken[0]:
            return store(output_storage, inputs[0])
        output_storage[0][0] = inputs[0] * 1.0

    x = tv.vector("x")
    f = tv.function([x], op(perform)(x), mode=mode)
    with pytest.raises(TypeError, match=words):
        f([1.0])
    broken[0] = False
    works_again(f, [1.0], expected=[1.0])


def test_output_slots_hold_none_at_first():
    seen = []

    def perform(self, node, inputs, output_storage):
        seen.append(output_storage[0][0])
        output_storage[0][0] = inputs[0] * 1.0

    x = tv.vector("x")
    f = tv.function([x], op(perform)(x), mode="cvm")
    for _ in range(3):
        f([1.0])
    assert seen == [None, None, None]


def test_without_gc_a_slot_holds_the_memory_of_the_earlier_output():
    reused = []

    def perform(self, node, inputs, output_storage):
        z = output_storage[0]
        reused.append(z[0] is not None)
        if z[0] is None:
            z[0] = np.empty_like(inputs[0])
        np.multiply(inputs[0], 2.0, out=z[0])

    x = tv.vector("x")
    f = tv.function([x], tv.exp(op(perform)(x)), mode="cvm_nogc")
    results = [f([float(i)])[0] for i in range(3)]
    np.testing.assert_allclose(results, np.exp([0.0, 2.0, 4.0]))
    assert reused == [False, True, True]


def test_without_gc_what_the_caller_got_is_not_written_to_again():
    def perform(self, node, inputs, output_storage):
        z = output_storage[0]
        if z[0] is None:
            z[0] = np.empty_like(inputs[0])
        z[0][:] = inputs[0]

    x = tv.vector("x")
    y = op(perform)(x)
    f = tv.function([x], [y, y[:1]], mode="cvm_nogc")
    first, part = f([1.0, 1.0])
    f([2.0, 2.0])
    np.testing.assert_array_equal(first, [1.0, 1.0])
    np.testing.assert_array_equal(part, [1.0])


@pytest.mark.parametrize("mode", MODES)
def test_lists_that_an_op_keeps_are_not_written_to_again(mode):
    kept = []

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 1.0
        kept.append((inputs, output_storage, output_storage[0]))

    x = tv.scalar("x")
    f = tv.function([x], op(perform)(x), mode=mode)
    assert [f(float(i)) for i in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert [float(inputs[0]) for inputs, _, _ in kept] == [0.0, 1.0, 2.0, 3.0]
    assert len({id(slot) for _, _, slot in kept}) == 4


def test_nothing_is_held_after_the_call():
    references = []

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 1.0
        references.append(weakref.ref(inputs[0]))
        references.append(weakref.ref(output_storage[0][0]))

    x = tv.vector("x")
    f = tv.function([x], tv.exp(op(perform)(x)))
    f(np.ones(3))
    assert [r() for r in references] == [None, None]


@pytest.mark.parametrize("mode", MODES)
def test_an_op_that_destroys_its_input_gets_memory_of_its_own(mode):
    def perform(self, node, inputs, output_storage):
        inputs[0] += 1.0
        output_storage[0][0] = inputs[0]

    x = tv.vector("x")
    inplace = op(perform, destroy_map={0: [0]})
    c = tv.constant(np.array([5.0, 5.0]))
    y = tv.exp(x)
    f = tv.function([x], [inplace(x), inplace(y), y, inplace(c), x], mode=mode)
    value = np.array([1.0, 2.0])
    for _ in range(2):
        a, b, y_value, d, back = f(value)
        np.testing.assert_array_equal(a, [2.0, 3.0])
        np.testing.assert_array_equal(b, np.exp(value) + 1.0)
        np.testing.assert_array_equal(y_value, np.exp(value))
        np.testing.assert_array_equal(d, [6.0, 6.0])
        np.testing.assert_array_equal(back, [1.0, 2.0])
    np.testing.assert_array_equal(value, [1.0, 2.0])


def test_an_op_that_destroys_a_dying_temporary_writes_in_place():
    addresses = []

    def make(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 0.0
        addresses.append(output_storage[0][0].ctypes.data)

    def perform(self, node, inputs, output_storage):
        addresses.append(inputs[0].ctypes.data)
        output_storage[0][0] = inputs[0]

    x = tv.vector("x")
    f = tv.function([x], op(perform, destroy_map={0: [0]})(op(make)(x)), mode="cvm")
    f(np.ones(3))
    assert addresses[0] == addresses[1]


@pytest.mark.parametrize("mode", MODES)
def test_a_number_to_be_destroyed_is_a_writable_array(mode):
    def perform(self, node, inputs, output_storage):
        inputs[0][...] += 1.0
        output_storage[0][0] = inputs[0]

    x = tv.scalar("x")
    assert tv.function([x], op(perform, destroy_map={0: [0]})(x), mode=mode)(1.0) == 2.0


@pytest.mark.parametrize("mode", MODES)
def test_an_output_may_be_a_view_of_an_input(mode):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0][::-1]

    x = tv.vector("x")
    y = tv.exp(x)
    f = tv.function([x], [op(perform, view_map={0: [0]})(y) + y, op(perform)(x)], mode=mode)
    total, back = f([0.0, 1.0])
    np.testing.assert_array_equal(total, np.exp([1.0, 0.0]) + np.exp([0.0, 1.0]))
    np.testing.assert_array_equal(back, [1.0, 0.0])


def test_a_perform_may_store_none_where_its_type_is_opaque():
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = None

    x = tv.scalar("x")
    assert tv.function([x], op(perform, of=tv.generic().type)(x))(1.0) is None


def test_the_exception_of_a_perform_keeps_its_type_and_traceback():
    class MineError(Exception):
        pass

    def perform(self, node, inputs, output_storage):
        raise MineError("no")

    x = tv.scalar("x")
    f = tv.function([x], op(perform)(x))
    with pytest.raises(MineError, match="no") as info:
        f(1.0)
    assert info.traceback[-1].name == "perform"


def test_an_op_that_cannot_run_is_named_when_the_function_is_made():
    x = tv.scalar("x")
    with pytest.raises(NotImplementedError, match="Unary"):
        tv.function([x], Unary()(x))
