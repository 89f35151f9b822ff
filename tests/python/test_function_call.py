"""Calling a function: arguments by position and by name, defaults, re-entry, what it returns."""

import gc
import inspect
import weakref

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core


@pytest.fixture
def step():
    x, rate = tv.vector("x"), tv.scalar("rate")
    return tv.function([x, rate], x * rate, name="step")


def test_arguments_by_position_and_by_name(step):
    value = np.arange(3.0)
    for result in (
        step(value, 2.0),
        step(value, rate=2.0),
        step(x=value, rate=2.0),
        step(rate=2.0, x=value),
    ):
        np.testing.assert_array_equal(result, [0.0, 2.0, 4.0])


def test_a_name_that_is_not_interned(step):
    np.testing.assert_array_equal(step([1.0], **{"".join(["ra", "te"]): 3.0}), [3.0])


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        (([1.0], 2.0, 3.0), {}, r"step\(\) takes 2 positional arguments but 3 were given"),
        (([1.0],), {}, r"step\(\) missing 1 required positional argument: 'rate'"),
        ((), {}, r"step\(\) missing 2 required positional arguments: 'x' and 'rate'"),
        (([1.0], 2.0), {"x": 1.0}, r"step\(\) got multiple values for argument 'x'"),
        (([1.0],), {"rat": 2.0}, r"unexpected keyword argument 'rat'. Did you mean 'rate'\?"),
        (([1.0],), {"zzzzzz": 2.0}, r"unexpected keyword argument 'zzzzzz'$"),
    ],
)
def test_wrong_arguments_are_pythons_own_errors(step, args, kwargs, words):
    with pytest.raises(TypeError, match=words):
        step(*args, **kwargs)
    np.testing.assert_array_equal(step([1.0], 2.0), [2.0])


def test_defaults():
    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, tv.In(y, value=10.0)], x - y, name="f")
    assert f(1.0) == -9.0
    assert f(1.0, 2.0) == -1.0
    assert f(y=2.0, x=1.0) == -1.0
    with pytest.raises(TypeError, match=r"f\(\) takes from 1 to 2 positional arguments but 3 were"):
        f(1.0, 2.0, 3.0)
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'x'"):
        f(y=1.0)


def test_a_default_does_not_change_with_the_callers_array():
    x = tv.vector("x")
    value = np.zeros(2)
    f = tv.function([tv.In(x, value=value)], x + 1.0)
    value[:] = 5.0
    np.testing.assert_array_equal(f(), [1.0, 1.0])


def test_a_default_of_the_wrong_type_is_refused_when_the_function_is_made():
    x = tv.scalar("x")
    with pytest.raises(TypeError, match="the default of argument 'x' of f"):
        tv.function([tv.In(x, value="one")], x, name="f")


def test_more_arguments_than_are_kept_inline():
    xs = [tv.scalar(f"x{i}") for i in range(40)]
    f = tv.function(xs, sum(xs[1:], xs[0]))
    values = [float(i) for i in range(40)]
    assert f(*values) == sum(values)
    assert f(*values[:39], x39=39.0) == sum(values)


def test_a_list_of_outputs_is_a_list():
    x = tv.scalar("x")
    assert tv.function([x], [x, x * 2.0])(2.0) == [2.0, 4.0]
    assert tv.function([x], [x])(2.0) == [2.0]
    assert tv.function([x], x)(2.0) == 2.0
    assert tv.function([x], {"a": x, "b": (x, x)})(2.0) == {"a": 2.0, "b": (2.0, 2.0)}


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_a_function_that_is_called_from_inside_itself(mode):
    calls = []

    class Recurse(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            calls.append(float(inputs[0]))
            output_storage[0][0] = np.float64(0.0 if inputs[0] <= 0 else f(inputs[0] - 1.0))

    x = tv.scalar("x")
    f = tv.function([x], Recurse()(x) + x, mode=mode)
    assert f(4.0) == 10.0
    assert calls == [4.0, 3.0, 2.0, 1.0, 0.0]
    assert _core._testing.count_frames(f) == 5


def test_a_function_has_attributes_and_weak_references():
    x = tv.scalar("x")
    f = tv.function([x], x + 1.0, name="f")
    f.note = "mine"
    assert f.note == "mine"
    assert f.name == f.__name__ == "f"
    assert f.inputs == [x]
    gone = weakref.ref(f)
    del f
    assert gone() is None


def test_a_cycle_through_a_function_is_collected():
    x = tv.scalar("x")
    f = tv.function([x], x + 1.0)
    f.itself = f
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_runs_are_counted_by_node():
    x, c = tv.scalar("x"), tv.scalar("c")
    f = tv.function([x, c], tv.ifelse(c > 0.0, tv.cos(x), tv.exp(x)), mode="cvm")
    f(1.0, 1.0)
    f(1.0, 1.0)
    f(1.0, -1.0)
    runs = {op: n for _, op, _, _, n in f.node_runs()}
    assert runs["cos"] == 2
    assert runs["exp"] == 1
    assert {form for _, _, form, _, _ in f.node_runs()} == {"kernel", "branch"}
    f.reset_counters()
    assert {n for *_, n in f.node_runs()} == {0}


def test_the_program_can_be_read():
    x = tv.scalar("x")
    assert "cos" in tv.function([x], tv.cos(x)).disassemble()


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_warnings_of_numpy_are_not_given_by_builtin_ops(mode):
    x = tv.vector("x")
    f = tv.function([x], tv.log(x) / x, mode=mode)
    assert np.isnan(f([0.0, -1.0])[1])  # a warning would be an error here


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_a_users_op_sees_the_callers_error_state(mode):
    seen = []

    class Look(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            seen.append(np.geterr()["divide"])
            output_storage[0][0] = inputs[0] * 1.0

    x = tv.scalar("x")
    f = tv.function([x], tv.exp(Look()(tv.exp(x))), mode=mode)
    with np.errstate(divide="raise"):
        f(1.0)
        assert np.geterr()["divide"] == "raise"
    assert seen == ["raise"]


def test_a_borrowed_default_is_the_callers_array():
    x = tv.vector("x")
    value = np.zeros(2)
    f = tv.function([tv.In(x, value=value, borrow=True)], x + 1.0)
    value[:] = 5.0
    np.testing.assert_array_equal(f(), [6.0, 6.0])


def test_a_name_is_known_by_its_letters_not_by_its_object() -> None:
    class Name(str):
        """A str of another class, which is never interned."""

    long, wide = tv.scalar("long"), tv.scalar("wide")
    f = tv.function([long, wide], long - wide)
    assert f(**{"".join(["wi", "de"]): 1.0, Name("long"): 3.0}) == 2.0
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'lon'. Did you mean 'long'"):
        f(wide=1.0, **{Name("lon"): 3.0})
    with pytest.raises(TypeError, match="multiple values for argument 'long'"):
        f(3.0, wide=1.0, **{Name("long"): 3.0})


def test_a_function_without_a_name_is_known_by_the_line_that_made_it() -> None:
    f = tv.function([tv.scalar("x"), tv.scalar("y")], tv.constant(1.0), on_unused_input="ignore")
    made = r"made at test_function_call\.py:\d+ in test_a_function_without_a_name_\w+"
    with pytest.raises(
        TypeError, match=rf"^function\(\), {made}, missing 1 required positional argument: 'y'$"
    ):
        f(1.0)
    with pytest.raises(TypeError, match=rf"argument 'y' of the function {made}"):
        f(1.0, "two")


def test_functions_and_their_class_have_signatures() -> None:
    f = tv.function([tv.scalar("x")], tv.constant(1.0), on_unused_input="ignore")
    assert str(inspect.signature(f)) == "(x)"
    assert str(inspect.signature(tv.Function)) == "()"
    for kind in (tv.Type, tv.CType, tv.Generic):
        assert str(inspect.signature(kind)) == "(*args, **kwargs)"
    features = inspect.signature(tv.Mode).parameters["features"]
    assert repr(features.default) == "<the optimizer's>"
    assert str(inspect.signature(tv.ops.exp)) == "(x)"
    assert str(inspect.signature(type(tv.ops.exp))) == "()"
