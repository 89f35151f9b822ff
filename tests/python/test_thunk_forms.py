"""What holds for Ops in Python whatever their form: memory, notes, what is kept."""

import gc
import weakref

import numpy as np
import pytest
from python_ops import MODES, eager, generator, op, thunked

import thunkvm as tv


def adder(form):
    """An Op that adds 1 to its input in place, undeclared, in one of the forms of an Op."""

    def perform(self, node, inputs, output_storage):
        inputs[0][...] += 1.0
        output_storage[0][0] = inputs[0]

    def demand(node):
        value = yield 0
        value[...] += 1.0
        return value

    def demand_list(node):
        (value,) = yield [0]
        value[...] += 1.0
        return value

    def run(ic, ir, oc, out):
        if not ic[0][0]:
            return [0]
        ir[0][0][...] += 1.0
        out[0][0], oc[0][0] = ir[0][0], 1

    return {
        "perform": lambda: op(perform),
        "generator": lambda: generator(demand),
        "generator of a list": lambda: generator(demand_list),
        "lazy thunk": lambda: thunked(run),
        "eager thunk": lambda: thunked(run, lazy=False),
    }[form]()


def destroyer(form):
    """The same, declared."""
    made = adder(form)
    made.destroy_map = {0: [0]}
    return made


FORMS = ["perform", "generator", "generator of a list", "lazy thunk", "eager thunk"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", FORMS)
def test_destroy_map_holds_for_every_form_of_an_op(mode, form):
    inplace = destroyer(form)
    x = tv.vector("x")
    kept = tv.shared(np.array([7.0, 8.0]))
    c = tv.constant(np.array([5.0, 5.0]))
    y = tv.exp(x)
    outputs = [inplace(x), inplace(y), y, inplace(c), inplace(kept), inplace(x * 2.0), x]
    f = tv.function([x], outputs, mode=mode)
    value = np.array([1.0, 2.0])
    for _ in range(2):
        of_x, of_y, y_value, of_c, of_kept, of_temporary, back = f(value)
        np.testing.assert_array_equal(of_x, [2.0, 3.0])
        np.testing.assert_array_equal(of_y, np.exp([1.0, 2.0]) + 1.0)
        np.testing.assert_array_equal(y_value, np.exp([1.0, 2.0]))
        np.testing.assert_array_equal(of_c, [6.0, 6.0])
        np.testing.assert_array_equal(of_kept, [8.0, 9.0])
        np.testing.assert_array_equal(of_temporary, [3.0, 5.0])
        np.testing.assert_array_equal(back, [1.0, 2.0])
        np.testing.assert_array_equal(kept.get_value(), [7.0, 8.0])
    np.testing.assert_array_equal(value, [1.0, 2.0])
    s = tv.scalar("s")
    assert tv.function([s], inplace(s), mode=mode)(1.0) == 2.0


def kept_values():
    """What a function keeps from call to call, and the inputs that it needs for it."""
    x, given = tv.vector("x"), np.array([1.0, 2.0])
    return {
        "a constant": ([], tv.constant(given)),
        "a slice of a constant": ([], tv.constant([0.0, 1.0, 2.0])[1:]),
        "a default": ([tv.In(x, value=given)], x),
        "a default that was lent": ([tv.In(x, value=given.copy(), borrow=True)], x),
        "a shared variable": ([], tv.shared(given)),
        "a shared variable that was lent": ([], tv.shared(given.copy(), borrow=True)),
    }


@pytest.mark.parametrize("mode", [*MODES, "c|py", "c&py", "FAST_RUN"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", kept_values())
def test_what_a_function_keeps_cannot_be_written_to_undeclared(mode, form, what):
    inputs, kept = kept_values()[what]
    f = tv.function(inputs, [adder(form)(kept), kept * 1.0], mode=mode)
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            f()
    same, declared = tv.function(inputs, [kept * 1.0, destroyer(form)(kept)], mode=mode)()
    assert (same.tolist(), declared.tolist()) == ([1.0, 2.0], [2.0, 3.0])


def test_a_value_that_an_update_kept_cannot_be_written_to_undeclared():
    s = tv.shared(np.zeros(2))
    tv.function([], None, updates={s: s + 1.0})()
    with pytest.raises(ValueError, match="read-only"):
        tv.function([], adder("perform")(s))()
    assert s.get_value().tolist() == [1.0, 1.0]


def test_what_was_lent_is_still_the_lenders_to_write():
    lent = np.array([1.0, 2.0])
    s = tv.shared(lent, borrow=True)
    assert tv.function([], tv.Out(op(doubled)(s), borrow=True))().tolist() == [2.0, 4.0]
    lent[0] = 5.0
    assert s.get_value(borrow=True) is lent
    assert tv.function([], op(doubled)(s))().tolist() == [10.0, 4.0]


def doubled(self, node, inputs, output_storage):
    output_storage[0][0] = inputs[0] * 2.0


def test_an_eager_thunk_that_destroys_a_dying_temporary_writes_in_place():
    addresses = []

    def make(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 0.0
        addresses.append(output_storage[0][0].ctypes.data)

    def run(ic, ir, oc, out):
        addresses.append(ir[0][0].ctypes.data)
        if addresses[2:]:
            raise ValueError("no")
        out[0][0], oc[0][0] = ir[0][0], 1

    x = tv.vector("x")
    inplace = thunked(run, lazy=False)
    inplace.destroy_map = {0: [0]}
    f = tv.function([x], inplace(op(make)(x)), mode="cvm")
    np.testing.assert_array_equal(f(np.ones(3)), np.ones(3))
    assert addresses[0] == addresses[1]
    with pytest.raises(ValueError, match="no") as info:
        f(np.ones(3))
    assert (
        "input 0: Made.0, vector float64 (?,): float64 array, shape (3,)" in info.value.__notes__[0]
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_lazy_thunk_that_marks_an_input_itself_still_gets_it(mode):
    def run(ic, ir, oc, out):
        if ir[0][0] is None:
            ic[0][0] = 1
            return [0]
        out[0][0], oc[0][0] = ir[0][0] + 1.0, 1

    x = tv.scalar("x")
    f = tv.function([x], thunked(run)(x * 2.0), mode=mode)
    assert [f(1.0), f(2.0)] == [3.0, 5.0]


@pytest.mark.parametrize("mode", MODES)
def test_an_exception_that_is_raised_again_gets_each_note_once(mode):
    mine = KeyError("mine")

    def perform(self, node, inputs, output_storage):
        raise mine

    x = tv.scalar("x")
    f = tv.function([x], op(perform)(x), mode=mode)
    for _ in range(3):
        with pytest.raises(KeyError) as info:
            f(1.0)
        assert info.value is mine
        assert len(mine.__notes__) == 1


RULE = r"; it has to be a dict \{output: \[inputs\]\} of positions, which count from 0"
ALIAS_MISUSE = [
    ({0: [5]}, ValueError, r"entry \{0: \[5\]\}, but the node has no input 5: it has 1 input;"),
    ({3: [0]}, ValueError, r"entry \{3: \[0\]\}, but the node has no output 3: it has 1 output;"),
    ({0: [-1]}, ValueError, r"entry \{0: \[-1\]\}, but -1 is no position"),
    ({"a": [0]}, TypeError, r"entry \{'a': \[0\]\}, but 'a' is a str"),
    ({0: ["b"]}, TypeError, r"entry \{0: \['b'\]\}, but 'b' is a str"),
    ({0: 0}, TypeError, r"entry \{0: 0\}, but 0 is a int"),
    ([0], TypeError, "is a list"),
]


@pytest.mark.parametrize("name", ["destroy_map", "view_map"])
@pytest.mark.parametrize(("wrong", "error", "words"), ALIAS_MISUSE)
def test_an_alias_map_that_names_what_is_not_there_is_a_named_error(name, wrong, error, words):
    x = tv.vector("x")
    with pytest.raises(error, match=words) as info:
        op(lambda s, n, i, o: None, **{name: wrong})(x)
    assert info.match(rf"\[Made\] {name} ")
    assert info.match(RULE)


def test_functions_with_python_thunks_are_freed():
    x = tv.scalar("x")
    f = tv.function([x], thunked(eager, lazy=False)(op(lambda s, n, i, o: None)(x)))
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None
