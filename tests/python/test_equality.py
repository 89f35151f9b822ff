"""`==` and `!=` of Variables: elementwise and symbolic, while hashes go by identity."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm"]


@pytest.mark.parametrize("mode", MODES)
def test_equality_is_computed_element_by_element(mode: str) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], [x == y, x != y], mode=mode)
    equal, unequal = f([1.0, 2.0, np.nan], [1.0, 3.0, np.nan])
    assert equal.tolist() == [True, False, False]
    assert unequal.tolist() == [False, True, True]


@pytest.mark.parametrize("mode", MODES)
def test_a_conditional_on_equality_takes_the_branch_that_the_values_say(mode: str) -> None:
    x, a = tv.scalar("x"), tv.scalar("a")
    f = tv.function([x, a], tv.ifelse(x == a, 1.0, 2.0), mode=mode)
    assert [f(3.0, 3.0), f(3.0, 4.0)] == [1.0, 2.0]


OPERANDS = [2, 2.0, True, 2j, np.float32(2), np.array([2.0, 5.0]), [2.0, 5.0], (2, 5)]


@pytest.mark.parametrize("operand", OPERANDS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("compare", [operator.eq, operator.ne])
def test_a_variable_is_compared_with_what_can_become_one(
    compare: Callable[[Any, Any], Any], operand: Any
) -> None:
    x = tv.vector("x")
    f = tv.function([x], [compare(x, operand), compare(operand, x)])
    expected = compare(np.array([2.0, 3.0]), operand).tolist()
    assert [result.tolist() for result in f([2.0, 3.0])] == [expected, expected]


@pytest.mark.parametrize("other", [None, "x", b"x", {}, ..., object(), tv.Op, np.str_("x"), ["x"]])
def test_what_cannot_become_a_variable_is_unequal_to_it(other: Any) -> None:
    x = tv.scalar("x")
    assert (x == other) is False
    assert (other == x) is False
    assert (x != other) is True
    assert (other != x) is True


def test_an_object_may_answer_for_itself() -> None:
    class Anything:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    assert (tv.scalar("x") == Anything()) is True


def test_hashes_are_by_identity() -> None:
    x, y = tv.scalar("x"), tv.scalar("x")
    names = {x: "x", y: "y"}
    assert (names[x], names[y], len({x, y, x + 0.0})) == ("x", "y", 3)
    assert hash(x) != hash(y)


def test_a_variable_is_found_in_a_list_by_identity_alone() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    assert x in [x, y]  # Python looks for the same object first
    assert [x, y].index(x) == 0
    assert [x, y] == [x, y]
    assert any(v is y for v in [x, y])


def in_a_list(x: Any, y: Any) -> Any:
    return y in [x]


def index_of(x: Any, y: Any) -> Any:
    return [x].index(y)


def count_of(x: Any, y: Any) -> Any:
    return (x,).count(y)


def removed(x: Any, y: Any) -> Any:
    return [x].remove(y)


def equal_lists(x: Any, y: Any) -> Any:
    return [x] == [y]


@pytest.mark.parametrize("ask", [in_a_list, index_of, count_of, removed, equal_lists])
def test_looking_for_another_variable_says_how_to_ask_for_the_same(ask: Any) -> None:
    with pytest.raises(TypeError, match=r"has no truth value.*`any\(v is x for v in xs\)`"):
        ask(tv.scalar("x"), tv.scalar("y"))


def test_a_branch_on_equality_shows_the_ifelse() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    with pytest.raises(TypeError, match=r"`tv\.ifelse\(condition, a, b\)`.*`a is b`") as raised:
        if x == y:
            pass
    assert "any(" not in str(raised.value)
    with pytest.raises(TypeError, match=r"`tv\.ifelse\(condition, a, b\)`.*`a is b`"):
        bool(x != y)


@pytest.mark.parametrize("sign", ["==", "!="])
def test_variables_that_are_no_tensors_cannot_be_compared(sign: str) -> None:
    g, x = tv.generic("g"), tv.scalar("x")
    compare = {"==": operator.eq, "!=": operator.ne}[sign]
    for pair in [(g, tv.generic("h")), (g, x), (x, g), (g, 1.0)]:
        with pytest.raises(TypeError, match=rf"g \(generic\) cannot be compared by `{sign}`.*is b"):
            compare(*pair)
    assert (g == None) is False  # noqa: E711


def test_lengths_that_clash_are_an_error() -> None:
    with pytest.raises(ValueError, match="eq"):
        _ = tv.tensor(shape=(2,)) == tv.tensor(shape=(3,))


def test_ops_compare_properties_that_are_variables_by_identity() -> None:
    class Scale(tv.Op):
        __props__ = ("by", "power")

        def __init__(self, by: Any, power: int) -> None:
            self.by, self.power = by, power

    a, b = tv.shared(2.0), tv.shared(2.0)
    assert Scale(a, 1) == Scale(a, 1)
    assert Scale(a, 1) != Scale(b, 1)
    assert Scale(a, 1) != Scale(a, 2)


def test_an_input_that_is_missing_is_named_among_others() -> None:
    x, y, z = tv.scalar("x"), tv.scalar("y"), tv.scalar("z")
    with pytest.raises(tv.MissingInputError, match=r"needs the variable <z: .*>, through <"):
        tv.function([x, y], [x + y, x * y + z])
