"""Lists that lose their items while these are read: what a list held at first counts.

Reading an item may run the code of anybody, here code that empties the list. Each item is held by
its list alone, so that it is gone as soon as the list is empty.
"""

import contextlib
import sys

import numpy as np
import pytest
from python_ops import MODES, Unary

import thunkvm as tv
from thunkvm import _core


class Emptying:
    """Stands for a number, and empties a list when it is asked for it."""

    def __init__(self, items, value):
        self.items = items
        self.value = value

    def empty(self):
        self.items.clear()
        return self.value


class AsArray(Emptying):
    def __array__(self, dtype=None, copy=None):
        return np.array(float(self.empty()))


class AsFloat(Emptying):
    def __float__(self):
        return float(self.empty())


class AsIndex(Emptying):
    def __index__(self):
        return self.empty()


def emptied_by(kind, *values):
    """Return a list of objects, any of which empties it."""
    items = []
    items.extend(kind(items, value) for value in values)
    return items


@pytest.mark.parametrize("kind", [AsArray, AsFloat])
def test_a_list_that_becomes_a_variable(kind):
    x = tv.scalar("x")
    items = emptied_by(kind, 3.0, 4.0)
    items.append(x + 1.0)
    f = tv.function([x], tv.sqrt(items))
    assert items == []
    np.testing.assert_array_equal(f(8.0), np.sqrt([3.0, 4.0, 9.0]))


class AsVector(Emptying):
    def __array__(self, dtype=None, copy=None):
        return np.full(2, self.empty(), dtype)


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize(
    "taken",
    [
        tv.as_variable,
        tv.constant,
        tv.shared,
        lambda items: tv.vector("x") + items,
        lambda items: tv.where(tv.vector("x") > 0, items, items),
        lambda items: tv.function([tv.In(x := tv.vector("x"), value=items)], x),
        lambda items: tv.shared(np.ones(2)).set_value(items),
        lambda items: tv.function([x := tv.matrix("x")], x)(items),
        lambda items: tv.vector("x")[items],
    ],
    ids=["as_variable", "constant", "shared", "+", "where", "In", "set_value", "argument", "index"],
)
def test_a_list_of_arrays(nested, taken):
    items = emptied_by(AsVector, 3.0, 4.0)
    with contextlib.suppress(TypeError, ValueError, IndexError):  # of its rank, or of its dtype
        taken([items, items] if nested else items)
    assert items == []


def test_a_list_of_arrays_that_empties_itself_has_the_values_that_it_had():
    items = emptied_by(AsVector, 3.0, 4.0)
    got = tv.function([], tv.as_variable(items))()
    np.testing.assert_array_equal(got, [[3.0, 3.0], [4.0, 4.0]])


@pytest.mark.parametrize("kind", [AsArray, AsFloat])
def test_gradients_that_an_op_returns(kind):
    class Pair(tv.Op):
        def make_node(self, x, y):
            return tv.Apply(self, [x, y], [x.type()])

        def grad(self, inputs, gradients):
            return emptied_by(kind, 3.0, 4.0)

    x, y = tv.scalar("x"), tv.scalar("y")
    gradients = tv.grad(Pair()(x, y), [x, y])
    assert tv.function([], gradients)() == [3.0, 4.0]


def asking(how):
    """Return an Op of two inputs, which asks for both with a list that empties itself."""

    class Asking(tv.Op):
        def make_node(self, x, y):
            return tv.Apply(self, [x, y], [x.type()])

    def make_thunk(self, node, in_computed, out_computed, in_registers, out_registers):
        class Run(tv.Thunk):
            lazy = True

            def __call__(self):
                if not in_computed[1][0]:
                    return emptied_by(AsIndex, 0, 1)
                out_registers[0][0] = in_registers[0][0] - in_registers[1][0]
                out_computed[0][0] = 1
                return None

        return Run()

    def demand(self, node):
        x, y = yield emptied_by(AsIndex, 0, 1)
        return x - y

    if how == "make_thunk":
        Asking.make_thunk = make_thunk
    else:
        Asking.demand = demand
    return Asking()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", ["make_thunk", "demand"])
def test_the_inputs_that_a_lazy_op_asks_for(how, mode):
    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, y], asking(how)(x, y), mode=mode)
    assert f(5.0, 3.0) == 2.0


def test_lengths_of_a_type():
    assert tv.TensorType("float64", emptied_by(AsIndex, 2, 3)).shape == (2, 3)


def test_attributes_of_an_op():
    x = tv.tensor3("x")
    f = tv.function([x], _core.op("sum")(x, axis=emptied_by(AsIndex, 0, 2)))
    np.testing.assert_array_equal(f(np.ones((2, 3, 4))), [8.0, 8.0, 8.0])


def test_positions_of_an_alias_map():
    class NoPosition(Emptying):
        def __index__(self):
            self.empty()
            raise TypeError

        def __repr__(self):
            return f"NoPosition({self.value})"

    class View(Unary):
        view_map = {0: emptied_by(NoPosition, 7)}

    with pytest.raises(TypeError, match=r"NoPosition\(7\) is a .*NoPosition; it has to be a dict"):
        View()(tv.scalar("x"))


class Fresh:
    """A sequence that makes its items when it is asked for them."""

    def __init__(self, make, n):
        self.make = make
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError
        return self.make(i)


def test_replacements_that_are_made_on_the_way():
    x, y, z = tv.scalar("x"), tv.scalar("y"), tv.scalar("z")
    pairs = Fresh(lambda i: Fresh(lambda k: [(x, z + 1.0), (y, z * 2.0)][i][k], 2), 2)
    (replaced,) = _core.substitute([x - y], pairs)
    assert tv.function([z], replaced)(10.0) == (10.0 + 1.0) - 10.0 * 2.0


def test_arms_that_are_made_on_the_way():
    x, c = tv.scalar("x"), tv.scalar("c", dtype="int64")
    arms = Fresh(lambda i: Fresh(lambda k: x + float(i), 1), 2)
    (picked,) = _core.conditional(c, _core.Decoding.index, arms)
    f = tv.function([c, x], picked)
    assert [f(0, 1.0), f(1, 1.0)] == [1.0, 2.0]


def test_incoming_gradients_that_are_made_on_the_way():
    x = tv.scalar("x")
    (gradient,) = _core._testing.pull_back([x * 3.0], Fresh(lambda i: x * 2.0, 1), [x])
    assert tv.function([x], gradient)(5.0) == 30.0


def nested(depth):
    items = [1.0]
    for _ in range(depth):
        items = [items]
    return items


def holding_itself():
    items = [1.0]
    items.append(items)
    return items


@pytest.mark.parametrize("make", [holding_itself, lambda: nested(100_000)])
def test_lists_without_end_leave_the_depth_of_recursion_as_it_was(make):
    def descend(depth):
        return 0 if depth == 0 else 1 + descend(depth - 1)

    for _ in range(20):
        with pytest.raises(RecursionError, match="while looking for Variables in a nested list"):
            tv.as_variable(make())
    depth = sys.getrecursionlimit() // 2
    assert descend(depth) == depth
