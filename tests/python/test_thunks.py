"""The thunk contract in Python: perform, make_thunk, generators; each misuse is a named error."""

import gc
import sys
import weakref

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "py_nogc", "vm_nogc", "cvm_nogc"]


class Unary(tv.Op):
    """An Op of one input, with one output of its type."""

    def make_node(self, x):
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])


class Counted(Unary):
    def __init__(self):
        self.runs = 0

    def perform(self, node, inputs, output_storage):
        self.runs += 1
        output_storage[0][0] = inputs[0] * 2.0


def op(perform, outputs=1, of=None, **attributes):
    """An Op of one input from a function."""

    class Made(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [(of or x.type)() for _ in range(outputs)])

    Made.perform = perform
    for name, value in attributes.items():
        setattr(Made, name, value)
    return Made()


def thunked(run, n_inputs=1, outputs=1, lazy=True):
    """An Op whose thunk is `run(computed, registers, out_computed, out_registers)`."""

    class Made(tv.Op):
        made = 0

        def make_node(self, *inputs):
            inputs = [tv.as_variable(x) for x in inputs]
            assert len(inputs) == n_inputs
            return tv.Apply(self, inputs, [inputs[0].type() for _ in range(outputs)])

        def make_thunk(
            self, node, input_computed, output_computed, input_registers, output_registers
        ):
            Made.made += 1
            Made.node = node
            self.cells = (input_computed, output_computed, input_registers, output_registers)

            class Run(tv.Thunk):
                def __call__(self):
                    return run(input_computed, input_registers, output_computed, output_registers)

            Run.lazy = lazy
            return Run()

    return Made()


def generator(demand, outputs=1):
    """A lazy Op from a generator function."""

    class Made(tv.Op):
        def make_node(self, *inputs):
            inputs = [tv.as_variable(x) for x in inputs]
            return tv.Apply(self, inputs, [inputs[0].type() for _ in range(outputs)])

    Made.demand = lambda self, node: demand(node)
    return Made()


def works_again(f, *arguments, expected):
    """The function is usable after a failure."""
    for _ in range(2):
        np.testing.assert_array_equal(f(*arguments), expected)


# ---- perform ----


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


# ---- make_thunk ----


def eager(ic, ir, oc, out):
    assert ic[0][0] == 1
    assert oc[0][0] == 0
    out[0][0] = ir[0][0] * 2.0
    oc[0][0] = 1


@pytest.mark.parametrize("mode", MODES)
def test_an_eager_thunk_gets_all_inputs_and_computes_all_outputs(mode):
    x = tv.vector("x")
    made = thunked(eager, lazy=False)
    f = tv.function([x], made(x), mode=mode)
    works_again(f, [1.0, 2.0], expected=[2.0, 4.0])
    assert type(made).made == 1
    assert type(made).node == f_node(made, x, type(made).node)


def f_node(made, x, node):
    assert isinstance(node, tv.Apply)
    assert node.op is made
    assert node.inputs[0] is x
    return node


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("lazy", [False, True])
def test_registers_are_cleared_after_a_call(mode, lazy):
    def run(ic, ir, oc, out):
        if lazy and not ic[0][0]:
            return [0]
        out[0][0] = ir[0][0] * 2.0
        oc[0][0] = 1
        return None

    x = tv.vector("x")
    made = thunked(run, lazy=lazy)
    tv.function([x], made(x), mode=mode)([1.0])
    assert made.cells == ([[0]], [[0]], [[None]], [[None]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("returned", [[], [0], 0, True])
def test_an_eager_thunk_that_returns_anything_is_a_type_error(mode, returned):
    broken = [True]

    def run(ic, ir, oc, out):
        eager(ic, ir, oc, out)
        return returned if broken[0] else None

    x = tv.vector("x")
    f = tv.function([x], thunked(run, lazy=False)(x), mode=mode)
    with pytest.raises(TypeError, match=r"thunk of Made is eager .* has to return None"):
        f([1.0])
    broken[0] = False
    works_again(f, [1.0], expected=[2.0])


def test_a_make_thunk_that_returns_no_thunk_is_named():
    class Bad(Unary):
        def make_thunk(self, *registers):
            return 3

    x = tv.scalar("x")
    with pytest.raises(TypeError, match=r"make_thunk of Bad has to return a thunk .* int"):
        tv.function([x], Bad()(x))


def test_a_function_without_lazy_is_an_eager_thunk():
    class Plain(Unary):
        def make_thunk(self, node, ic, oc, ir, out):
            def run():
                out[0][0] = ir[0][0] + 1.0
                oc[0][0] = 1

            return run

    x = tv.scalar("x")
    assert tv.function([x], Plain()(x))(1.0) == 2.0


@pytest.mark.parametrize(
    ("store", "error", "words"),
    [
        (lambda oc, out: None, RuntimeError, "finished without output 0"),
        (lambda oc, out: oc[0].__setitem__(0, 1), TypeError, r"left None in output_registers\[0\]"),
        (
            lambda oc, out: (oc[0].__setitem__(0, 1), out[0].__setitem__(0, "t")),
            TypeError,
            "output 0 of Made",
        ),
        (
            lambda oc, out: out[0].clear(),
            TypeError,
            r"output_registers\[0\] has to stay a list of one",
        ),
    ],
)
def test_an_eager_thunk_that_breaks_its_contract_is_named(store, error, words):
    broken = [True]

    def run(ic, ir, oc, out):
        if not broken[0]:
            return eager(ic, ir, oc, out)
        store(oc, out)
        if "finished" not in words:
            oc[0][0] = 1

    x = tv.vector("x")
    f = tv.function([x], thunked(run, lazy=False)(x))
    with pytest.raises(error, match=words):
        f([1.0])
    broken[0] = False
    works_again(f, [1.0], expected=[2.0])


@pytest.mark.parametrize("mode", MODES)
def test_a_lazy_thunk_gets_only_what_it_asks_for(mode):
    seen = []

    def run(ic, ir, oc, out):
        seen.append([c[0] for c in ic])
        if not ic[0][0]:
            return [0]
        i = 1 if ir[0][0] > 0 else 2
        if not ic[i][0]:
            return [i]
        out[0][0] = ir[i][0]
        oc[0][0] = 1

    left, right = Counted(), Counted()
    c, x = tv.scalar("c"), tv.scalar("x")
    f = tv.function([c, x], thunked(run, n_inputs=3)(c, left(x), right(x)), mode=mode)
    assert f(1.0, 3.0) == 6.0
    assert (left.runs, right.runs) == (1, 0)
    assert f(-1.0, 4.0) == 8.0
    assert (left.runs, right.runs) == (1, 1)
    assert seen == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 0, 0], [1, 0, 1]]


@pytest.mark.parametrize("mode", MODES)
def test_what_else_ran_makes_no_difference_to_a_lazy_thunk(mode):
    seen = []

    def run(ic, ir, oc, out):
        seen.append([c[0] for c in ic])
        if not ic[0][0]:
            return [0]
        out[0][0] = ir[0][0]
        oc[0][0] = 1

    x = tv.scalar("x")
    shared = Counted()(x)
    f = tv.function([x], [shared, thunked(run, n_inputs=2)(x, shared)], mode=mode)
    assert f(1.0) == [2.0, 1.0]
    assert seen == [[0, 0], [1, 0]]


@pytest.mark.parametrize("mode", MODES)
def test_an_output_of_a_lazy_thunk_is_a_demand_of_its_own(mode):
    entries = []

    def run(ic, ir, oc, out):
        entries.append(([c[0] for c in ic], [c[0] for c in oc]))
        if not oc[0][0]:
            if not ic[0][0]:
                return [0]
            out[0][0] = ir[0][0]
            oc[0][0] = 1
            return [1]  # ignored: nobody demands output 1 yet
        if not ic[1][0]:
            return [1]
        out[1][0] = ir[1][0]
        oc[1][0] = 1

    first, second = Counted(), Counted()
    x, c = tv.scalar("x"), tv.scalar("c")
    a, b = thunked(run, n_inputs=2, outputs=2)(first(x), second(x))
    f = tv.function([c, x], [a, tv.ifelse(c > 0.0, b, x)], mode=mode)
    assert f(-1.0, 1.0) == [2.0, 1.0]
    assert (first.runs, second.runs) == (1, 0)
    assert f(1.0, 1.0) == [2.0, 2.0]
    assert (first.runs, second.runs) == (2, 1)


LAZY_MISUSE = [
    ([5], IndexError, "asked for input 5"),
    ([-1], IndexError, "asked for input -1"),
    ([0], RuntimeError, "asked again for input 0"),
    ([], RuntimeError, "finished without the demanded output"),
    (None, RuntimeError, "finished without the demanded output"),
    (0, TypeError, "lazy thunk of Made has to return a list .* int"),
    (["x"], TypeError, "lazy thunk of Made asked for x"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("returned", "error", "words"), LAZY_MISUSE)
def test_a_lazy_thunk_that_breaks_its_contract_is_named(mode, returned, error, words):
    broken = [True]

    def run(ic, ir, oc, out):
        if not ic[0][0]:
            return [0]
        if broken[0]:
            return returned
        out[0][0] = ir[0][0]
        oc[0][0] = 1

    x = tv.scalar("x")
    made = thunked(run)
    f = tv.function([x], made(x), mode=mode)
    with pytest.raises(error, match=words) as info:
        f(1.0)
    assert "Made" in str(info.value) + "".join(info.value.__notes__)
    assert made.cells == ([[0]], [[0]], [[None]], [[None]])
    broken[0] = False
    works_again(f, 1.0, expected=1.0)


def test_a_frame_of_its_own_has_a_thunk_of_its_own():
    nested = [None]

    def run(ic, ir, oc, out):
        x = ir[0][0]
        if x > 0.0:
            x = nested[0](x - 1.0)
        out[0][0] = x * 1.0
        oc[0][0] = 1

    x = tv.scalar("x")
    made = thunked(run, lazy=False)
    nested[0] = tv.function([x], made(x))
    assert nested[0](2.0) == 0.0
    assert type(made).made == nested[0].frames == 3


def test_thunks_of_one_node_that_differ_in_lazy_are_named():
    class Fickle(Unary):
        made = 0

        def make_thunk(self, node, ic, oc, ir, out):
            Fickle.made += 1

            def run():
                if ir[0][0] > 0.0:
                    f(ir[0][0] - 1.0)
                out[0][0] = ir[0][0] * 1.0
                oc[0][0] = 1

            run.lazy = Fickle.made > 1
            return run

    x = tv.scalar("x")
    f = tv.function([x], Fickle()(x))
    with pytest.raises(TypeError, match="make_thunk of Fickle returned an eager thunk first"):
        f(1.0)
    assert f(0.0) == 0.0


# ---- generators ----


@pytest.mark.parametrize("mode", MODES)
def test_a_generator_gets_what_it_yields_for(mode):
    def demand(node):
        c = yield 0
        value = yield 1 if c > 0 else 2
        return value + 1.0

    left, right = Counted(), Counted()
    c, x = tv.scalar("c"), tv.scalar("x")
    f = tv.function([c, x], generator(demand)(c, left(x), right(x)), mode=mode)
    assert f(1.0, 3.0) == 7.0
    assert f(-1.0, 4.0) == 9.0
    assert f(-1.0, 5.0) == 11.0
    assert (left.runs, right.runs) == (1, 2)


@pytest.mark.parametrize("mode", MODES)
def test_a_generator_may_yield_a_list_and_return_a_tuple(mode):
    def demand(node):
        a, b = yield [1, 0]
        return a - b, a + b

    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, y], generator(demand, outputs=2)(x, y), mode=mode)
    assert f(1.0, 5.0) == [4.0, 6.0]


GENERATOR_MISUSE = [
    (lambda: (yield 7), IndexError, "asked for input 7"),
    (lambda: (yield "x"), TypeError, "demand of Made yielded x"),
    (lambda: (yield []), RuntimeError, "finished without the demanded output"),
    (lambda: ((yield 0), (yield 0)), RuntimeError, "asked again for input 0"),
    (lambda: [(yield 0), None][1], TypeError, "finished without output 0"),
    (lambda: [(yield 0), "text"][1], TypeError, "output 0 of Made"),
    (lambda: 3.0, TypeError, "demand of Made has to be a generator"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("bad", "error", "words"), GENERATOR_MISUSE)
def test_a_generator_that_breaks_its_contract_is_named(mode, bad, error, words):
    broken = [True]

    def good():
        return (yield 0)

    x = tv.scalar("x")
    f = tv.function([x], generator(lambda node: bad() if broken[0] else good())(x), mode=mode)
    with pytest.raises(error, match=words) as info:
        f(1.0)
    assert "Made" in str(info.value) + "".join(info.value.__notes__)
    broken[0] = False
    works_again(f, 1.0, expected=1.0)


def test_a_generator_of_several_outputs_returns_them_all():
    def demand(node):
        yield 0
        return (1.0,)

    x = tv.scalar("x")
    a, b = generator(demand, outputs=2)(x)
    with pytest.raises(
        TypeError, match=r"demand of Made has to return a tuple of its 2 outputs, .* one of 1"
    ):
        tv.function([x], [a, b])(1.0)


@pytest.mark.parametrize("mode", MODES)
def test_a_generator_is_closed_when_the_call_fails(mode):
    closed = []

    def demand(node):
        try:
            yield 0
        finally:
            closed.append(sys.exc_info()[0])

    def perform(self, node, inputs, output_storage):
        raise ZeroDivisionError("below")

    x = tv.scalar("x")
    f = tv.function([x], generator(demand)(op(perform)(x)), mode=mode)
    with pytest.raises(ZeroDivisionError, match="below"):
        f(1.0)
    assert closed == [GeneratorExit]


@pytest.mark.parametrize("mode", MODES)
def test_an_exception_in_a_generator_is_the_nodes(mode):
    def demand(node):
        yield 0
        raise KeyError("mine")

    x = tv.scalar("x")
    f = tv.function([x], generator(demand)(x), mode=mode)
    with pytest.raises(KeyError, match="mine") as info:
        f(1.0)
    assert "Made" in info.value.__notes__[0]


@pytest.mark.parametrize("mode", MODES)
def test_lazy_thunks_ask_for_lazy_thunks(mode):
    def demand(node):
        value = yield 0
        return value + 1.0

    x = y = tv.scalar("x")
    for _ in range(2000):
        y = generator(demand)(y)
    assert tv.function([x], y, mode=mode)(0.0) == 2000.0


def destroyer(form):
    """An Op that adds 1 to its input in place, in one of the forms that an Op may have."""

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

    made = {
        "perform": lambda: op(perform),
        "generator": lambda: generator(demand),
        "generator of a list": lambda: generator(demand_list),
        "lazy thunk": lambda: thunked(run),
        "eager thunk": lambda: thunked(run, lazy=False),
    }[form]()
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
