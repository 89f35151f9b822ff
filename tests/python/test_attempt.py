"""tv.attempt: a value, or another where computing it raises."""

from typing import Any

import numpy as np
import pytest
from python_ops import Counted, op, works_again

import thunkvm as tv
from thunkvm import _core

MODES = ["py", "vm", "cvm", "c|py", "c&py", "py_nogc", "vm_nogc", "cvm_nogc", "FAST_RUN"]
EMITTED = tv.Mode("cvm", compile="now")


class Broken(Exception):
    """What the Ops of these tests raise."""


class Positive(tv.Op):
    """Its input, which has to be positive; counts its runs."""

    def __init__(self):
        self.runs = 0

    def make_node(self, x):
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.runs += 1
        if not np.all(inputs[0] > 0):
            raise Broken("not positive")
        output_storage[0][0] = inputs[0] + 0.0

    def grad(self, inputs, output_gradients):
        return [output_gradients[0] * 1.0]


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_the_other_value_is_computed_only_where_the_first_raises(mode):
    other = Counted()
    x = tv.vector("x")
    f = tv.function([x], tv.attempt(Positive()(x), other(x)), mode=mode)
    np.testing.assert_array_equal(f([1.0, 2.0]), [1.0, 2.0])
    assert other.runs == 0
    np.testing.assert_array_equal(f([1.0, -2.0]), [2.0, -4.0])
    assert other.runs > 0
    assert _core._testing.registers_empty(f)


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_an_exception_of_another_class_passes_with_its_report(mode):
    x = tv.scalar("x")
    f = tv.function([x], tv.attempt(Positive()(x), 0.0, on=KeyError), mode=mode)
    with pytest.raises(Broken) as info:
        f(-1.0)
    assert "Op Positive" in info.value.__notes__[0]
    works_again(f, 1.0, expected=1.0)


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_several_classes_and_their_subclasses_are_caught(mode):
    class Worse(Broken):
        pass

    errors = [Worse, KeyError, Broken]

    def perform(self, node, inputs, output_storage):
        raise errors[int(inputs[0])]("no")

    x = tv.scalar("x")
    f = tv.function([x], tv.attempt(op(perform)(x), -1.0, on=(KeyError, Broken)), mode=mode)
    assert [float(f(i)) for i in range(3)] == [-1.0, -1.0, -1.0]


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_what_both_need_runs_once_and_where_it_fails_it_fails_for_both(mode):
    shared, costly = Positive(), Counted()
    x = tv.scalar("x")
    root = shared(x)
    value = Positive()(root - 2.0)
    f = tv.function([x], tv.attempt(value, costly(root)), mode=mode)
    assert f(5.0) == 3.0
    assert (shared.runs, costly.runs) == (1, 0)
    assert f(1.0) == 2.0
    assert shared.runs == 2
    with pytest.raises(Broken):
        f(-1.0)
    assert shared.runs == 3
    assert _core._testing.registers_empty(f)


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_who_needs_a_failed_value_outside_is_given_its_exception(mode):
    x = tv.scalar("x")
    value = Positive()(x)
    safe = tv.attempt(value, -1.0)
    f = tv.function([x], [safe, value + 1.0], mode=mode)
    assert f(1.0) == [1.0, 2.0]
    with pytest.raises(Broken):
        f(-1.0)


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_attempts_within_attempts(mode):
    x = tv.scalar("x")
    inner = tv.attempt(Positive()(x), Positive()(x + 10.0))
    f = tv.function([x], tv.attempt(inner * 2.0, tv.constant(-1.0)), mode=mode)
    assert [float(f(v)) for v in (1.0, -1.0, -20.0)] == [2.0, 18.0, -1.0]


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_a_structure_is_one_attempt(mode):
    x = tv.scalar("x")
    value = {"a": x * 1.0, "b": (Positive()(x), x)}
    other = {"b": (x * 0.0, 7.0), "a": tv.constant(-1.0)}
    f = tv.function([x], tv.attempt(value, other), mode=mode)
    assert f(2.0) == {"a": 2.0, "b": (2.0, 2.0)}
    assert f(-2.0) == {"a": -1.0, "b": (0.0, 7.0)}


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_objects_of_any_type_can_be_attempted(mode):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0]["model"]

    settings = tv.generic("settings")
    f = tv.function([settings], tv.attempt(op(perform)(settings), None, on=KeyError), mode=mode)
    assert f({"model": "m"}) == "m"
    assert f({}) is None


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_the_gradient_is_that_of_the_value_that_counted(mode):
    x = tv.vector("x")
    cost = tv.attempt((Positive()(x) ** 2).sum(), (tv.exp(x) * 3.0).sum())
    f = tv.function([x], [cost, tv.grad(cost, x)], mode=mode)
    value, gradient = f([1.0, 2.0])
    assert value == 5.0
    np.testing.assert_array_equal(gradient, [2.0, 4.0])
    value, gradient = f([-1.0, 2.0])
    np.testing.assert_allclose(gradient, 3.0 * np.exp([-1.0, 2.0]), rtol=1e-15)


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_the_backward_pass_of_the_other_one_does_not_run(mode):
    value, other = tv.scalar("x"), None
    x = value
    grads = []

    def counting(name):
        class Made(tv.Op):
            def make_node(self, x):
                return tv.Apply(self, [x], [x.type()])

            def perform(self, node, inputs, output_storage):
                grads.append(name)
                output_storage[0][0] = inputs[0] * 1.0

        return Made()

    class Named(tv.Op):
        def __init__(self, name):
            self.name = name

        def make_node(self, x):
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * 1.0

        def grad(self, inputs, output_gradients):
            return [counting(self.name)(output_gradients[0])]

    other = Named("other")(x) * 3.0
    cost = tv.attempt(Named("value")(Positive()(x)) * 2.0, other)
    f = tv.function([x], tv.grad(cost, x), mode=mode)
    assert f(1.0) == 2.0
    assert set(grads) == {"value"}
    grads.clear()
    assert f(-1.0) == 3.0
    assert set(grads) == {"other"}


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_jacobian_and_hessian_are_those_of_the_value_that_counted(mode):
    x = tv.vector("x")
    factor = tv.attempt(tv.cholesky(tv.diag(x)).sum(axis=1), x**3)
    f = tv.function([x], tv.jacobian(factor, x), mode=mode)
    np.testing.assert_allclose(f([4.0, 9.0]), np.diag([1 / 4, 1 / 6]), rtol=1e-14)
    np.testing.assert_allclose(f([4.0, -1.0]), np.diag([48.0, 3.0]), rtol=1e-14)
    cost = tv.attempt(Positive()(x[0]) * x[1], (x**3).sum())
    g = tv.function([x], tv.hessian(cost, x), mode=mode)
    np.testing.assert_array_equal(g([4.0, 9.0]), [[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(g([-4.0, 1.0]), [[-24.0, 0.0], [0.0, 6.0]])


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_a_loop_that_was_fused_fails_as_a_whole_and_what_ran_before_is_used_again(mode):
    counted = Counted()
    x, y = tv.vector("x"), tv.vector("y")
    before = counted(x)
    value = tv.exp(before + y) * 2.0 + y
    f = tv.function([x, y], tv.attempt(value, before * 3.0), mode=mode)
    np.testing.assert_allclose(f([0.0, 0.0], [0.0, 0.0]), [2.0, 2.0])
    runs = counted.runs
    np.testing.assert_array_equal(f([1.0, 2.0], [1.0, 2.0, 3.0]), [6.0, 12.0])
    assert counted.runs == 2 * runs  # once a call, or once for each implementation


@pytest.mark.parametrize("mode", [*MODES, "c", EMITTED])
def test_a_condition_that_is_nan_and_an_index_out_of_range_are_caught(mode):
    x, i = tv.scalar("x"), tv.lscalar("i")
    chosen = tv.ifelse(x, 1.0, 2.0) + tv.switch_case(i, [10.0, 20.0])
    f = tv.function([x, i], tv.attempt(chosen, -1.0, on=(ValueError, IndexError)), mode=mode)
    assert [float(f(*v)) for v in ((1.0, 0), (float("nan"), 0), (0.0, 5))] == [11.0, -1.0, -1.0]


@pytest.mark.parametrize("mode", [*MODES, EMITTED])
def test_ctrl_c_in_an_attempt_ends_the_call(mode):
    def perform(self, node, inputs, output_storage):
        raise KeyboardInterrupt

    x = tv.scalar("x")
    f = tv.function([x], tv.attempt(op(perform)(x), 0.0), mode=mode)
    with pytest.raises(KeyboardInterrupt):
        f(1.0)
    assert _core._testing.registers_empty(f)


@pytest.mark.parametrize("mode", [*MODES, "c", EMITTED])
def test_a_lack_of_memory_is_caught_like_any_exception(mode):
    n, x = tv.lscalar("n"), tv.vector("x")
    f = tv.function([n, x], tv.attempt(tv.zeros([n]), x, on=MemoryError), mode=mode)
    np.testing.assert_array_equal(f(2**46, [2.0]), [2.0])
    np.testing.assert_array_equal(f(1, [3.0]), [0.0])


@pytest.mark.parametrize("mode", MODES)
def test_updates_wait_for_attempts_like_everything_else(mode):
    best = tv.shared(1.0, "best")
    x = tv.scalar("x")
    f = tv.function([x], [], updates={best: tv.attempt(Positive()(x), best)}, mode=mode)
    f(5.0)
    f(-1.0)
    assert best.get_value() == 5.0


def test_what_is_not_computed_twice_is_not_attempted_twice():
    x = tv.scalar("x")
    value, again = Positive(), Positive()
    root = value(x)
    both = [tv.attempt(root, 0.0), tv.attempt(again(root), 1.0, on=Broken)]
    f = tv.function([x], both)
    assert f(-1.0) == [0.0, 1.0]
    assert (value.runs, again.runs) == (1, 0)


@pytest.mark.parametrize("on", [KeyboardInterrupt, BaseException, 3, "ValueError", (KeyError, int)])
def test_on_is_a_class_of_exceptions_or_a_tuple_of_them(on):
    x = tv.scalar("x")
    with pytest.raises(TypeError, match=r"\[attempt\] on has .*no subclass of Exception"):
        tv.attempt(x, 0.0, on=on)


def test_values_that_do_not_fit_together_are_named():
    x, v = tv.scalar("x"), tv.vector("v")
    with pytest.raises(TypeError, match=r"\[attempt\] value and otherwise differ: x is scalar"):
        tv.attempt(x, v)
    with pytest.raises(TypeError, match=r"value\['b'\] and otherwise\['b'\] differ"):
        tv.attempt({"a": x, "b": x}, {"a": x, "b": v})
    with pytest.raises(TypeError, match=r"otherwise has the key 'b', which value has not"):
        tv.attempt({"a": x}, {"a": x, "b": v})


def test_attempts_that_differ_in_what_they_catch_are_different_ops():
    x = tv.scalar("x")

    def op_of(on):
        return tv.attempt(x, 0.0, on=on).owner.inputs[0].owner.op

    assert str(op_of(KeyError)) == "attempt{on=KeyError}"
    assert op_of(KeyError) == op_of((KeyError,))
    assert op_of(KeyError) != op_of(Broken)
    assert op_of((KeyError, Broken)).attrs["on"] == ["KeyError", f"{__name__}.Broken"]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("attempt", lambda many: tv.attempt(many, many)),
        ("ifelse", lambda many: tv.ifelse(many[0] > 0.0, many, many)),
        ("switch", lambda many: tv.switch_case(many[0].astype("int64"), [many, many])),
    ],
)
def test_more_values_than_one_node_takes_are_refused_by_their_name(name: str, made: Any) -> None:
    many = [tv.scalar("x")] * 32_768
    with pytest.raises(ValueError, match=rf"\[{name}\] has 2 arms of 32768 values, .* 65534 "):
        made(many)
    assert len(made(many[:-1])) == 32_767


def test_a_node_of_more_inputs_than_it_may_have_is_refused_by_its_name_and_line() -> None:
    x = tv.vector("x")
    joined = tv.concatenate([x] * 65_536)
    with pytest.raises(
        ValueError, match=r"\[concatenate\] has 65536 inputs .*made at test_attempt"
    ):
        tv.function([x], joined)
