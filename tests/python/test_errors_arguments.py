"""What a call says of an argument that does not fit, and which ones it takes."""

from __future__ import annotations

import inspect
import threading
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


class BadArray:
    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no array today")


class Half:
    def __float__(self) -> float:
        return 0.5


def taking(variable: tv.Variable) -> Any:
    return tv.function([variable], variable, name="step")


@pytest.mark.parametrize(
    ("variable", "value", "kind", "words"),
    [
        (tv.vector("v"), [[1.0], 2.0], ValueError, "inhomogeneous shape"),
        (tv.vector("v"), BadArray(), RuntimeError, "no array today"),
        (tv.scalar("v"), 10**400, TypeError, "Python integer of 1329 bits does not fit float64"),
        (tv.bscalar("v"), 10**30, TypeError, f"Python integer {10**30} does not fit int8"),
        (tv.scalar("v"), "one", TypeError, "it is a str"),
    ],
)
def test_what_fails_on_the_way_in_names_the_argument(
    variable: tv.Variable, value: Any, kind: type[BaseException], words: str
) -> None:
    with pytest.raises(kind) as raised:
        taking(variable)(value)
    assert str(raised.value).startswith("argument 'v' of step")
    assert words in str(raised.value)


@pytest.mark.parametrize("value", [300, -129, 1.5, np.int64(300), np.float64(1.5), 10**30, 2j])
def test_a_number_that_int8_does_not_hold_is_a_type_error_whatever_it_is(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^argument 'n' of step.* int8 "):
        taking(tv.bscalar("n"))(value)


def test_too_large_an_integer_is_not_told_of_a_downcast_that_would_fail_too() -> None:
    for f in (taking(tv.scalar("x")), tv.function([tv.In(x := tv.scalar("x"))], x)):
        with pytest.raises(TypeError) as raised:
            f(10**400)
        assert "allow_downcast" not in str(raised.value)


@pytest.mark.parametrize("value", [300, np.int64(3), 1.5])
def test_set_value_offers_no_option_that_it_has_not(value: Any) -> None:
    s = tv.shared(np.int8(1), "s")
    with pytest.raises(TypeError, match="the value of shared variable 's'") as raised:
        s.set_value(value)
    assert "allow_downcast" not in str(raised.value)
    assert s.get_value() == 1


def test_a_complex_given_for_a_real_variable_is_an_error_and_no_warning() -> None:
    a = tv.scalar("a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match=r"the given for <a.* complex128 to float64"):
            tv.function([], a * 1.0, givens={a: 3j})


MASKED = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])


@pytest.mark.parametrize(
    "take",
    [taking(tv.vector("v")), tv.constant, tv.shared, lambda value: tv.vector("v") + value],
    ids=["argument", "constant", "shared", "operand"],
)
def test_masked_elements_are_refused_and_not_unmasked(take: Any) -> None:
    with pytest.raises(TypeError, match=r"masked array with 1 of 3 elements masked.*\.filled\("):
        take(MASKED)


def test_a_masked_array_without_a_masked_element_is_an_array() -> None:
    assert taking(tv.vector("v"))(MASKED[:1]).tolist() == [1.0]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.ones(2, ">f8"), "dtype >f8 in another byte order"),
        (np.zeros(17, "u1")[1:].view("f8"), "dtype float64 that is not aligned"),
    ],
)
def test_strict_refuses_what_would_have_to_be_copied(value: Any, words: str) -> None:
    v = tv.vector("v")
    strict = tv.function([tv.In(v, strict=True)], v, name="step")
    with pytest.raises(TypeError, match=f"argument 'v' of step .*{words}.*strict=True"):
        strict(value)
    assert strict(value.astype(float)).tolist() == value.tolist()
    assert taking(v)(value).tolist() == value.tolist()


@pytest.mark.parametrize("value", [Fraction(1, 2), Decimal("0.5"), Half()])
def test_what_has_float_is_the_number_that_it_says(value: Any) -> None:
    assert taking(tv.scalar("x"))(value) == 0.5
    x = tv.fscalar("x")
    made = x + value
    assert made.dtype == "float32"  # as weak as a Python float
    assert tv.function([x], made)(1.0) == 1.5
    with pytest.raises(TypeError, match=r"scalar 0\.5 does not fit int8"):
        taking(tv.bscalar("n"))(value)


def test_two_inputs_of_one_name_are_told_apart_by_position_alone() -> None:
    a, b, x = tv.scalar("a"), tv.scalar("a"), tv.scalar("x")
    f = tv.function([a, b, x], a - b + x, name="step")
    assert f(3.0, 1.0, x=5.0) == 7.0
    with pytest.raises(TypeError, match=r"more than one input called 'a', numbers 0 and 1; .*In\("):
        f(a=3.0, b=1.0, x=5.0)
    assert tv.function([a, tv.In(b, name="b"), x], a - b + x)(a=3.0, b=1.0, x=5.0) == 7.0


def test_the_signature_of_a_function_has_its_names_and_defaults() -> None:
    x, y, z = tv.scalar("x"), tv.scalar("y"), tv.scalar()
    assert str(inspect.signature(tv.function([x, tv.In(y, value=2.0)], x + y))) == (
        "(x, y=np.float64(2.0))"
    )
    assert str(inspect.signature(tv.function([x, z, y], x + y + z))) == "(x, input_1, /, y)"
    late = tv.function([tv.In(x, value=1.0), y], x + y)
    assert [p.kind.name for p in inspect.signature(late).parameters.values()] == [
        "POSITIONAL_OR_KEYWORD",
        "KEYWORD_ONLY",
    ]
    assert late(y=2.0) == 3.0


def test_an_output_that_cannot_be_copied_says_what_to_do() -> None:
    g, lock = tv.generic("g"), threading.Lock()
    with pytest.raises(TypeError, match=r"a _thread\.lock has to be copied here.*borrow=True"):
        tv.function([g], g)(lock)
    assert tv.function([g], tv.Out(g, borrow=True))(lock) is lock
