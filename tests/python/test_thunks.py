"""The make_thunk protocol in Python, eager and lazy; each misuse is a named error."""

import weakref

import pytest
from python_ops import MODES, Counted, Unary, eager, generator, thunked, works_again

import thunkvm as tv
from thunkvm import _core


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
    assert type(made).made == _core._testing.count_frames(nested[0]) == 3


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


@pytest.mark.parametrize("mode", ["vm", "cvm"])
def test_a_thunk_that_has_its_outputs_holds_no_value(mode):
    alive = []

    def run(ic, ir, oc, out):
        if not ic[0][0]:
            return [0]
        out[0][0] = ir[0][0] + 1.0
        oc[0][0] = 1
        before = [made() is not None for made in alive]
        alive.append(weakref.ref(out[0][0]))
        most.append(sum(before))
        return None

    most = []
    x = tv.vector("x")
    value = x
    for _ in range(20):
        value = thunked(run)(value)
    f = tv.function([x], value, mode=mode)
    works_again(f, [1.0], expected=[21.0])
    assert max(most) == 1  # its input


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", ["make_thunk", "demand"])
def test_what_copying_an_output_raises_is_raised_though_a_lazy_thunk_is_reset(mode, form):
    class Uncopied:
        def __deepcopy__(self, memo):
            raise LookupError("no copies of me")

    def run(ic, ir, oc, out):
        if not ic[0][0]:
            return [0]
        out[0][0] = ir[0][0]
        oc[0][0] = 1
        return None

    def demand(node):
        return (yield 0)

    x = tv.generic("x")
    lazy = {"make_thunk": thunked(run), "demand": generator(demand)}[form]
    f = tv.function([x], lazy(x), mode=mode)
    for _ in range(2):
        with pytest.raises(LookupError, match="no copies of me"):
            f(Uncopied())
