"""What a failing call says, and what it leaves behind."""

import gc
import weakref

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc"]


class Check(tv.Op):
    """Fails for negative numbers."""

    def make_node(self, x, y):
        x, y = tv.as_variable(x), tv.as_variable(y)
        return tv.Apply(self, [x, y], [y.type()])

    def perform(self, node, inputs, output_storage):
        if inputs[0] < 0:
            raise OverflowError("negative")
        output_storage[0][0] = inputs[1] * 1.0


def note(info):
    (text,) = info.value.__notes__
    return text


@pytest.mark.parametrize("mode", MODES)
def test_a_failing_perform_is_reported_with_its_inputs(mode):
    x, y = tv.scalar("x"), tv.matrix("y")
    made = Check()(x, y)  # the line that made it
    f = tv.function([x, y], made, name="step", mode=mode)
    with pytest.raises(OverflowError, match="negative") as info:
        f(-1.0, np.asfortranarray(np.ones((2, 3))))
    text = note(info)
    assert "In step: node Check.0, Op Check" in text
    assert "input 0: x, scalar float64: float64 scalar -1.0" in text
    assert "input 1: y, matrix float64 (?, ?): float64 array, shape (2, 3), strides (8, 16)" in text
    assert "made at: test_errors_runtime.py" in text
    assert "hint: " in text
    np.testing.assert_array_equal(f(1.0, np.ones((2, 3))), np.ones((2, 3)))


@pytest.mark.parametrize("mode", MODES)
def test_the_exception_of_a_node_has_the_node(mode):
    x, y = tv.scalar("x"), tv.vector("y")
    made = Check()(x, y)
    f = tv.function([x, y], tv.exp(made), mode=mode)
    with pytest.raises(OverflowError) as info:
        f(-1.0, np.ones(2))
    assert info.value.node.op == made.owner.op
    a = tv.matrix("a")
    with pytest.raises(np.linalg.LinAlgError) as info:
        tv.function([a], tv.cholesky(a), mode=mode)(-np.eye(2))
    assert info.value.node.op.name == "cholesky"


def test_an_exception_that_means_something_else_by_node_keeps_it():
    class Unreachable(OverflowError):
        node = "computer 7"

    class Asks(Check):
        def perform(self, node, inputs, output_storage):
            raise Unreachable("no answer")

    x, y = tv.scalar("x"), tv.vector("y")
    with pytest.raises(Unreachable, match="no answer") as info:
        tv.function([x, y], Asks()(x, y))(-1.0, np.ones(2))
    assert info.value.node == "computer 7"


@pytest.mark.parametrize("mode", MODES)
def test_a_shape_mismatch_is_reported_with_both_shapes(mode):
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], x + y, mode=mode)
    with pytest.raises(ValueError, match="broadcast") as info:
        f(np.ones(2), np.ones(3))
    text = note(info)
    assert "Op add" in text
    assert "shape (2,)" in text
    assert "shape (3,)" in text
    np.testing.assert_array_equal(f(np.ones(2), np.ones(2)), [2.0, 2.0])


@pytest.mark.parametrize("mode", MODES)
def test_nan_as_a_condition_names_the_selector(mode):
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x, x + 1.0, x - 1.0), mode=mode)
    with pytest.raises(ValueError, match=r"(?i)nan") as info:
        f(np.nan)
    assert "input 0: x, scalar float64: float64 scalar nan" in note(info)
    assert f(1.0) == 2.0


@pytest.mark.parametrize("mode", MODES)
def test_what_a_destroying_op_failed_on_is_shown(mode):
    class Destroy(tv.Op):
        def __init__(self):
            self.destroy_map = {0: [0]}

        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            raise OverflowError("no")

    x = tv.vector("x")
    f = tv.function([x], Destroy()(tv.exp(x)), mode=mode)
    with pytest.raises(OverflowError) as info:
        f(np.ones(3))
    assert "float64 array, shape (3,), strides (8,)" in note(info)


@pytest.mark.parametrize("mode", MODES)
def test_a_failed_call_holds_no_value(mode):
    class Remember(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] + 1.0
            made.append(weakref.ref(output_storage[0][0]))

    made = []
    x, y = tv.scalar("x"), tv.vector("y")
    f = tv.function([x, y], Check()(x, Remember()(y)), mode=mode)
    with pytest.raises(OverflowError):
        f(-1.0, np.ones(3))
    gc.collect()
    assert [reference() for reference in made] == [None]


def test_a_wrong_argument_names_it_and_has_no_note():
    x = tv.scalar("x")
    with pytest.raises(TypeError, match="argument 'x' of step") as info:
        tv.function([x], x, name="step")("one")
    assert not hasattr(info.value, "__notes__")


def test_an_exception_without_a_dict_keeps_its_type():
    class Stop(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            raise StopIteration(3)

    x = tv.scalar("x")
    with pytest.raises(StopIteration):
        tv.function([x], Stop()(x))(1.0)


def test_a_failure_inside_a_function_inside_a_function_has_a_note_of_each():
    x, y = tv.scalar("x"), tv.scalar("y")
    inner = tv.function([x, y], Check()(x, y), name="inner")

    class Call(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inner(inputs[0], 1.0)

    outer = tv.function([x], Call()(x), name="outer")
    with pytest.raises(OverflowError) as info:
        outer(-1.0)
    first, second = info.value.__notes__
    assert "In inner: node Check.0" in first
    assert "In outer: node Call.0" in second


@pytest.mark.parametrize("mode", MODES)
def test_a_call_may_fail_just_before_the_machine_asks_whether_to_stop(mode):
    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, y], Check()(x, y), mode=mode)
    for _ in range(1100):  # it asks every 1,024 thunks
        with pytest.raises(OverflowError):
            f(-1.0, 2.0)
        assert f(1.0, 2.0) == 2.0
    for _ in range(1100):
        with pytest.raises(OverflowError):
            f(-1.0, 2.0)
    assert f(1.0, 2.0) == 2.0


ASKED_WRONGLY = [
    ([7], IndexError, "Ask.0 asked for input 7, but it has 1 input: it may ask for an index"),
    ([-1], IndexError, "Ask.0 asked for input -1"),
    ([10**30], IndexError, f"Ask asked for {10**30} (a int), which is out of range"),
    ([True], TypeError, "Ask asked for True (a bool), but inputs are asked for by index"),
    (["x"], TypeError, "Ask asked for x (a str), but inputs are asked for by index"),
    ([], RuntimeError, "Ask.0 finished without the demanded output 0"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("asked", "kind", "said"), ASKED_WRONGLY)
def test_a_lazy_thunk_that_asks_wrongly_is_named_in_the_message_itself(mode, asked, kind, said):
    class Ask(tv.Op):
        def make_node(self, x):
            return tv.Apply(self, [x], [x.type()])

        def make_thunk(self, node, *registers):
            class Run(tv.Thunk):
                lazy = True

                def __call__(self):
                    return asked

            return Run()

    x = tv.scalar("x")
    f = tv.function([x], Ask()(x), mode=mode)
    with pytest.raises(kind) as info:
        f(1.0)
    assert said in str(info.value)


@pytest.mark.parametrize("mode", MODES)
def test_a_condition_that_turns_out_to_be_a_vector_is_told_of_where(mode):
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], tv.ifelse(x > 0, x, y), mode=mode)
    assert f([1.0], [2.0]) == [1.0]
    with pytest.raises(ValueError, match=r"shape \(2,\): .* or choose elementwise with tv.where"):
        f([1.0, 2.0], [3.0, 4.0])


@pytest.mark.parametrize("axis", [True, [True]])
def test_a_bool_is_no_int_of_an_attribute(axis):
    with pytest.raises(TypeError, match=r"attribute 'axis' = .*True"):
        tv.ops.sum(tv.matrix("x"), axis=axis)
    assert tv.ops.sum(tv.matrix("x"), axis=np.int8(1)).ndim == 1


def fail_with(exception):
    class Fail(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            if exception is not None:
                raise exception

    return Fail()


X, V, W = tv.scalar("x"), tv.vector("v"), tv.vector("w")
M, K = tv.matrix("m"), tv.lscalar("i")

HINTS = [
    ([X], tv.ifelse(X, 1.0, 2.0), [np.nan], "never NaN"),
    ([V], tv.ifelse(V, 1.0, 2.0), [[1.0, 2.0]], ".all() or .any()"),
    ([K], tv.switch_case(K, [1.0, 2.0]), [7], "tv.switch_case(..., default=)"),
    ([V, K], V[K], [[1.0], 7], "compare the index with the lengths above"),
    ([V, W], V + W, [[1.0, 2.0], [1.0, 2.0, 3.0]], "compare the shapes above"),
    ([M], tv.cholesky(M), [[[-1.0]]], "positive definite"),
    ([M, V], tv.solve(M, V), [np.ones((2, 2)), [1.0, 2.0]], "combination of the others"),
    ([X], fail_with(ValueError("no"))(X), [1.0], "the Op's own code raised this"),
    ([X], fail_with(np.linalg.LinAlgError("no"))(X), [1.0], "the Op's own code raised this"),
    ([X], fail_with(None)(X), [1.0], "the Op broke its contract"),
    ([V], V.max(), [[]], None),
    ([K], K**K, [-2], None),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("inputs", "output", "values", "said"), HINTS)
def test_the_hint_follows_the_cause(mode, inputs, output, values, said):
    f = tv.function(inputs, output, mode=mode)
    with pytest.raises(Exception) as info:  # noqa: PT011 (which one does not matter here)
        f(*values)
    hint = note(info).partition("hint: ")[2]
    assert hint == "" if said is None else said in hint


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("exception", [KeyboardInterrupt, SystemExit])
def test_a_stop_that_an_op_raises_has_no_hint(mode, exception):
    with pytest.raises(exception) as info:
        tv.function([X], fail_with(exception)(X), mode=mode)(1.0)
    assert "node Fail.0" in note(info)
    assert "\n  hint:" not in note(info)


FAILURES = [
    ([V, W], V + W, [[1.0, 2.0], [1.0, 2.0, 3.0]], "[add] operands could not be broadcast"),
    ([M], M @ M, [np.ones((2, 3))], "[matmul] Input operand 1 has a mismatch"),
    ([V], V.max(), [[]], "[max] zero-size array"),
    ([V], V.reshape(2, 3), [[1.0]], "[reshape] cannot reshape array of size 1 into shape (2,3)"),
    ([V, K], tv.ops.take(V, K), [[1.0], 4], "[take] index 4 is out of bounds for axis 0"),
    ([K], K**K, [-2], "[pow] Integers to negative integer powers are not allowed."),
    ([M], tv.cholesky(M), [[[-1.0]]], "[cholesky] "),
    ([M, V], tv.solve(M, V), [np.ones((2, 2)), [1.0, 2.0]], "[solve] "),
    ([X], tv.ifelse(X, 1.0, 2.0), [np.nan], "[ifelse] the condition is NaN"),
    (
        [X, K],
        tv.broadcast_to(X, (K, K)),
        [1.0, 2**40],
        "[broadcast_to] an array of shape (1099511627776, 1099511627776) and dtype float64 is "
        "larger than the address space",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("inputs", "output", "values", "said"), FAILURES)
def test_what_a_built_in_op_raises_begins_with_its_name(mode, inputs, output, values, said):
    with pytest.raises((ValueError, IndexError, np.linalg.LinAlgError)) as info:
        tv.function(inputs, output, mode=mode)(*values)
    assert str(info.value).startswith(said)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", ["solve", "inv", "det", "cholesky"])
@pytest.mark.parametrize("where", [(0, 0), (0, 1), (1, 1)])
def test_nan_in_a_matrix_gives_nan_and_no_error(mode, function, where):
    matrix = np.eye(2)
    matrix[where] = matrix[where[::-1]] = np.nan
    built_in = getattr(tv, function)
    f = tv.function([M], built_in(M, np.eye(2)) if function == "solve" else built_in(M), mode=mode)
    assert np.isnan(f(matrix)).any()
