"""Lazy Ops as generators of demands; each misuse is a named error."""

import sys

import pytest
from python_ops import MODES, Counted, generator, op, works_again

import thunkvm as tv


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
    assert closed == [ZeroDivisionError]  # which its `yield` raises


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
def test_a_stop_iteration_under_a_generator_is_an_error_of_its_node_and_no_end(mode):
    def demand(node):
        yield 0
        return 3.0

    def perform(self, node, inputs, output_storage):
        raise StopIteration(7)

    x = tv.scalar("x")
    f = tv.function([x], generator(demand)(op(perform)(x)), mode=mode)
    with pytest.raises(RuntimeError, match="raised StopIteration") as info:
        f(1.0)
    assert "Made" in info.value.__notes__[0]
    assert info.value.__cause__.value == 7


@pytest.mark.parametrize("mode", MODES)
def test_lazy_thunks_ask_for_lazy_thunks(mode):
    def demand(node):
        value = yield 0
        return value + 1.0

    x = y = tv.scalar("x")
    for _ in range(2000):
        y = generator(demand)(y)
    assert tv.function([x], y, mode=mode)(0.0) == 2000.0
