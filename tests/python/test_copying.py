"""Copies and pickles of Variables, nodes and functions."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


class Box:
    """An object of a user's, for whatever it is given."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def test_a_deep_copy_of_a_shared_variable_has_a_value_of_its_own() -> None:
    s = tv.shared(np.array([1.0, 2.0]), "s", shape=(2,))
    other = copy.deepcopy(s)
    other.set_value([5.0, 6.0])
    assert (s.get_value().tolist(), other.get_value().tolist()) == ([1.0, 2.0], [5.0, 6.0])
    assert (other.name, other.type, other.leaf) == ("s", s.type, "shared")


def test_a_deep_copy_of_a_lent_array_shares_no_memory() -> None:
    lent = np.ones(2)
    other = copy.deepcopy(tv.shared(lent, borrow=True))
    lent[0] = 5.0
    assert other.get_value().tolist() == [1.0, 1.0]


def test_copies_in_one_structure_are_one_variable() -> None:
    s = tv.shared(1.0)
    a, b = copy.deepcopy([s, {"s": s}])
    assert a is b["s"]
    assert a is not s


def test_what_has_no_value_is_its_own_copy() -> None:
    x, s = tv.scalar("x"), tv.shared(1.0)
    for v in (x, tv.constant([1.0]), tv.exp(x) + 1.0):
        assert copy.deepcopy(v) is v
    for v in (x, s, x + s):
        assert copy.copy(v) is v


def test_a_model_is_copied_with_what_is_computed_from_its_variables() -> None:
    x = tv.vector("x")
    w = tv.shared(np.array([1.0, 2.0]), "w")
    hidden = tv.tanh(x * w)
    hidden.name = "hidden"
    model = Box(x=x, cost=(hidden**2).sum(), hidden=hidden, w=w, same=tv.exp(x))
    other = copy.deepcopy(model)
    assert other.x is x
    assert other.same is model.same
    assert other.hidden.name == "hidden"
    # The parts of the copy still hang together.
    slopes = tv.function([x], tv.grad(other.cost, [other.hidden, other.w]))
    by_hidden, by_w = slopes([1.0, 1.0])
    h = np.tanh([1.0, 2.0])
    np.testing.assert_allclose(by_hidden, 2 * h)
    np.testing.assert_allclose(by_w, 2 * h * (1 - h**2))
    step = tv.function([], None, updates={other.w: other.w * 0.0})
    step()
    assert model.w.get_value().tolist() == [1.0, 2.0]
    assert tv.function([x], [model.cost, other.cost])([1.0, 1.0])[1] == 0.0


@pytest.mark.parametrize("first", ["hidden", "output"])
def test_the_order_of_copies_does_not_matter(first: str) -> None:
    w = tv.shared(2.0)
    hidden = w * 3.0
    parts = {"hidden": hidden, "output": tv.exp(hidden)}
    memo: dict[Any, Any] = {}
    copy.deepcopy(parts[first], memo)
    other = copy.deepcopy(parts, memo)
    assert other["output"].owner.inputs[0] is other["hidden"]


def test_a_copied_node_computes_the_copied_outputs() -> None:
    y = tv.shared(2.0) * 3.0
    variable, node = copy.deepcopy([y, y.owner])
    assert node == variable.owner
    assert node != y.owner


def test_an_object_is_copied_with_the_variables_that_it_holds() -> None:
    box = Box()
    box.state = tv.shared(box, borrow=True)
    box.output = tv.as_variable(tv.shared(1.0)) + 1.0
    other = copy.deepcopy(box)
    assert other.state.get_value(borrow=True) is other
    assert box.state.get_value(borrow=True) is box


def test_a_deep_graph_is_copied_without_recursion() -> None:
    s = tv.shared(0.0)
    y = s
    for _ in range(20_000):
        y = y + 1.0
    other = copy.deepcopy([s, y])
    other[0].set_value(1.0)
    f = tv.function([], [y, other[1]], mode=tv.Mode("vm", optimizer=None))
    assert f() == [20_000.0, 20_001.0]


def test_a_function_of_its_arguments_alone_is_its_own_copy() -> None:
    x = tv.scalar("x")
    f = tv.function([x], x * 2.0)
    assert copy.deepcopy([f])[0] is f
    assert copy.copy(f) is f


def test_a_deep_copy_of_a_model_has_functions_of_its_own_shared_variables() -> None:
    n = tv.shared(0, "n")
    model = {"n": n, "count": tv.function([], n, updates={n: n + 1}), "read": tv.function([], n)}
    other = copy.deepcopy(model)
    assert [other["count"](), other["count"](), other["read"]()] == [0, 1, 2]
    assert (model["read"](), other["n"].get_value()) == (0, 2)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_leaves_are_pickled(protocol: int) -> None:
    x = tv.tensor("x", "float32", (None, 3))
    c = tv.constant([1, 2], "c")
    s = tv.shared({"a": 1}, "s")
    t = tv.shared([1.0, 2.0], "t")
    x2, c2, s2, t2, t3 = pickle.loads(pickle.dumps([x, c, s, t, t], protocol))
    assert t2 is t3
    for old, new in zip([x, c, s, t], [x2, c2, s2, t2], strict=True):
        assert (new.name, new.type, new.leaf) == (old.name, old.type, old.leaf)
    assert c2.value.tolist() == [1, 2]
    assert s2.get_value() == {"a": 1}
    assert t2.get_value().tolist() == [1.0, 2.0]
    t2.set_value([3.0])
    assert t.get_value().tolist() == [1.0, 2.0]


def test_a_pickled_number_is_as_weak_as_it_was() -> None:
    x = tv.tensor(dtype="float32")
    weak = (x * 2.0).owner.inputs[1]
    strong = tv.constant(2.0)
    copies = pickle.loads(pickle.dumps([weak, strong]))
    assert [(x * v).dtype for v in [weak, strong]] == [(x * v).dtype for v in copies]
