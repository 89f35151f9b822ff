"""Lazy Ops in Python that go on where computing an input raised."""

import contextlib
import gc
import weakref

import numpy as np
import pytest
from python_ops import MODES, Counted, generator, op, thunked, works_again

import thunkvm as tv
from thunkvm import _core


class Broken(Exception):
    """What the Ops of these tests raise."""


class Fails(tv.Op):
    """Raises where its input is negative; counts its runs."""

    def __init__(self, error=Broken):
        self.error, self.runs = error, 0

    def make_node(self, x):
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.runs += 1
        if np.any(inputs[0] < 0):
            raise self.error(f"no {inputs[0]}")
        output_storage[0][0] = inputs[0] + 0.0


def first_that_works(node):
    for i in range(len(node.inputs)):
        try:
            return (yield i)
        except Broken:
            pass
    raise Broken("none works")


@pytest.mark.parametrize("mode", MODES)
def test_a_generator_sees_what_computing_an_input_raised_and_may_go_on(mode):
    costly = Counted()
    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, y], generator(first_that_works)(Fails()(x), costly(y)), mode=mode)
    assert f(-1.0, 4.0) == 8.0
    assert costly.runs == 1
    assert f(3.0, 4.0) == 3.0
    assert costly.runs == 1


@pytest.mark.parametrize("mode", MODES)
def test_what_failed_stays_failed_and_is_raised_again_as_the_same_exception(mode):
    seen = []

    def demand(node):
        for _ in range(3):
            try:
                yield 0
            except Broken as error:
                seen.append(error)
        return (yield 1)

    fails = Fails()
    x = tv.scalar("x")
    f = tv.function([x], generator(demand)(fails(x), x), mode=mode)
    assert f(-1.0) == -1.0
    assert fails.runs == 1
    assert len(seen) == 3
    assert seen[0] is seen[1] is seen[2]
    assert str(seen[0]) == "no -1.0"


@pytest.mark.parametrize("mode", MODES)
def test_what_failed_for_one_lazy_op_has_failed_for_every_other(mode):
    fails = Fails()
    x = tv.scalar("x")
    shared = fails(x) + 1.0
    ops = [generator(first_that_works)(shared, x * k) for k in (2.0, 3.0)]
    f = tv.function([x], ops, mode=mode)
    assert f(-1.0) == [-2.0, -3.0]
    assert fails.runs == 1
    assert f(1.0) == [2.0, 2.0]
    assert fails.runs == 2


@pytest.mark.parametrize("mode", MODES)
def test_what_ran_before_the_failure_is_not_run_again(mode):
    before = Counted()
    x = tv.scalar("x")
    doubled = before(x)
    f = tv.function([x], generator(first_that_works)(Fails()(doubled), doubled), mode=mode)
    assert f(-1.0) == -2.0
    assert before.runs == 1


@pytest.mark.parametrize("mode", MODES)
def test_of_a_list_what_comes_after_the_input_that_failed_is_not_computed(mode):
    def demand(node):
        try:
            yield [0, 1, 2]
        except Broken:
            return (yield 0)

    first, last = Counted(), Counted()
    x = tv.scalar("x")
    f = tv.function([x], generator(demand)(first(x), Fails()(x), last(x)), mode=mode)
    with pytest.raises(RuntimeError, match="asked again for input 0"):
        f(-1.0)
    assert (first.runs, last.runs) == (1, 0)


@pytest.mark.parametrize("mode", MODES)
def test_an_exception_that_passes_a_generator_is_the_nodes_that_raised_it(mode):
    def passes(node):
        return (yield 0)

    def raises_again(node):
        try:
            return (yield 0)
        except Broken:
            yield 1
            raise

    x = tv.scalar("x")
    for demand in (passes, raises_again):
        f = tv.function([x], generator(demand)(Fails()(x), x), mode=mode, name="f")
        with pytest.raises(Broken) as info:
            f(-2.0)
        assert str(info.value) == "no -2.0"
        (note,) = info.value.__notes__
        assert note.startswith("In f: node Fails.0, Op Fails")
        assert "input 0: x, scalar float64: float64 scalar -2.0" in note
        works_again(f, 2.0, expected=2.0)


@pytest.mark.parametrize("mode", MODES)
def test_an_exception_of_the_handler_is_the_generators_and_knows_the_one_before(mode):
    def demand(node):
        try:
            yield 0
        except Broken as error:
            raise LookupError("and now this") from error

    x = tv.scalar("x")
    f = tv.function([x], generator(demand)(Fails()(x)), mode=mode, name="f")
    with pytest.raises(LookupError) as info:
        f(-2.0)
    assert "Op Made" in info.value.__notes__[0]
    assert isinstance(info.value.__cause__, Broken)
    assert "Op Fails" in info.value.__cause__.__notes__[0]


@pytest.mark.parametrize("mode", MODES)
def test_an_error_of_a_built_in_op_is_raised_in_the_generator_like_any_other(mode):
    def demand(node):
        try:
            return (yield 0)
        except np.linalg.LinAlgError as error:
            messages.append(str(error))
            return (yield 1)

    messages = []
    a = tv.matrix("a")
    f = tv.function([a], generator(demand)(tv.cholesky(a), -a), mode=mode)
    np.testing.assert_array_equal(f([[-4.0]]), [[4.0]])
    assert messages[0].startswith("[cholesky] ")
    np.testing.assert_array_equal(f([[4.0]]), [[2.0]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_exception_ends_the_call_and_no_generator_sees_it(mode, error):
    seen = []

    def demand(node):
        try:
            yield 0
        except BaseException as raised:
            seen.append(type(raised))
            raise
        finally:
            seen.append("closed")

    x = tv.scalar("x")
    f = tv.function([x], generator(demand)(Fails(error)(x)), mode=mode)
    with pytest.raises(error):
        f(-1.0)
    assert seen == [GeneratorExit, "closed"]  # of being closed
    assert _core._testing.registers_empty(f)


@pytest.mark.parametrize("mode", MODES)
def test_a_condition_that_is_nan_fails_like_any_node(mode):
    x = tv.scalar("x")
    chosen = tv.ifelse(x, x + 1.0, x - 1.0)

    def demand(node):
        try:
            return (yield 0)
        except ValueError:
            return (yield 1)

    f = tv.function([x], generator(demand)(chosen, tv.constant(7.0)), mode=mode)
    assert [f(float("nan")), f(1.0), f(0.0)] == [7.0, 2.0, -1.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_thunk_of_the_protocol_is_told_by_its_method_raised(mode):
    told = []

    class Guarded(tv.Op):
        def make_node(self, x, y):
            return tv.Apply(self, [x, y], [x.type()])

        def make_thunk(self, node, computed, out_computed, registers, out):
            class Run(tv.Thunk):
                lazy = True

                def __call__(self):
                    for i in (1, 0):
                        if computed[i][0]:
                            out[0][0], out_computed[0][0] = registers[i][0], 1
                            return None
                    return [0]

                def raised(self, i, exception):
                    told.append((i, str(exception), computed[i][0]))
                    if i == 1:
                        raise exception
                    return [1]

            return Run()

    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, y], Guarded()(Fails()(x), Fails()(y)), mode=mode)
    assert f(-1.0, 4.0) == 4.0
    assert told == [(0, "no -1.0", 0)]
    assert f(3.0, -4.0) == 3.0
    with pytest.raises(Broken, match=r"no -2.0") as info:
        f(-1.0, -2.0)
    assert "input 0: y" in info.value.__notes__[0]
    works_again(f, -1.0, 4.0, expected=4.0)


@pytest.mark.parametrize("mode", MODES)
def test_a_thunk_without_the_method_lets_the_exception_pass(mode):
    def run(ic, ir, oc, out):
        if not ic[0][0]:
            return [0]
        out[0][0], oc[0][0] = ir[0][0], 1
        return None

    x = tv.scalar("x")
    f = tv.function([x], thunked(run)(Fails()(x)), mode=mode)
    with pytest.raises(Broken) as info:
        f(-1.0)
    assert "Op Fails" in info.value.__notes__[0]
    works_again(f, 1.0, expected=1.0)


@pytest.mark.parametrize("mode", ["vm", "cvm"])
def test_the_values_of_a_computation_that_failed_are_let_go(mode):
    alive = []

    def watched(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 1.0
        alive.append(weakref.ref(output_storage[0][0]))

    def counts(node):
        with contextlib.suppress(Broken):
            yield 0
        held = yield 1
        gc.collect()
        return held + sum(r() is not None for r in alive)

    x = tv.vector("x")
    kept = op(watched)(x)
    fails = Fails()(op(watched)(kept) - 100.0) + kept
    f = tv.function([x], generator(counts)(fails, x), mode=mode)
    np.testing.assert_array_equal(f([0.0, 0.0]), [0.0, 0.0])
    assert len(alive) == 2
    assert _core._testing.registers_empty(f)


def test_a_long_chain_that_fails_needs_no_native_stack():
    x = tv.scalar("x")
    value = Fails()(x)
    for _ in range(20_000):
        value = value + 1.0
    f = tv.function([x], generator(first_that_works)(value, x), mode="py")
    assert f(-1.0) == -1.0
    assert f(1.0) == 20_001.0


@pytest.mark.parametrize("mode", ["vm", "cvm"])
def test_a_thunk_that_is_not_demanded_any_more_holds_no_value(mode):
    most = []
    alive = []

    def run(ic, ir, oc, out):
        if not ic[0][0]:
            return [0]
        out[0][0] = ir[0][0] + 1.0
        oc[0][0] = 1
        most.append(sum(r() is not None for r in alive))
        alive.append(weakref.ref(out[0][0]))
        return None

    x = tv.vector("x")
    value = x
    for _ in range(20):
        value = thunked(run, outputs=2)(value)[0]  # the other one is never demanded
    f = tv.function([x], value * 1.0, mode=mode)
    works_again(f, [1.0], expected=[21.0])
    assert max(most) <= 2
