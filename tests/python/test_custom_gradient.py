"""`custom_gradient`: functions of Variables with gradients of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]
X, Y = tv.vector("x"), tv.scalar("y")


@tv.custom_gradient
def product(x: Any, y: Any) -> Any:
    """A product whose gradients are ten times and a hundred times too large."""
    return x * y, lambda g: (10.0 * g * y, 100.0 * tv.sum(g * x))


@tv.custom_gradient
def parts(x: Any) -> Any:
    """Two values, of which the gradients are 2 and 3."""
    return (tv.floor(x), x - tv.floor(x)), lambda g, h: 2.0 * g + 3.0 * h


@pytest.mark.parametrize("mode", MODES)
def test_a_custom_gradient_takes_the_place_of_the_functions_own(mode: str) -> None:
    z = product(X, Y)
    f = tv.function([X, Y], [z, *tv.grad(tv.sum(z), [X, Y])], mode=mode)
    value, by_x, by_y = f([1.0, 2.0], 3.0)
    assert (value.tolist(), by_x.tolist(), by_y) == ([3.0, 6.0], [30.0, 30.0], 300.0)


def test_a_forward_derivative_is_the_transpose_of_a_custom_gradient() -> None:
    z = product(X, Y)
    tangent = tv.jvp(z, [X, Y], [[1.0, 0.0], 1.0])
    jacobians = [tv.jacobian(z, X, mode=mode) for mode in ("forward", "reverse")]
    along, forward, backward = tv.function([X, Y], [tangent, *jacobians])([1.0, 2.0], 3.0)
    assert along.tolist() == [30.0 + 100.0, 200.0]
    assert forward.tolist() == backward.tolist() == [[30.0, 0.0], [0.0, 30.0]]


def test_a_custom_gradient_has_a_second_derivative() -> None:
    slope = tv.grad(tv.sum(product(X, Y)), Y)
    f = tv.function([X, Y], tv.grad(slope, X), on_unused_input="ignore")
    assert f([1.0, 2.0], 3.0).tolist() == [100.0, 100.0]


@pytest.mark.parametrize("mode", MODES)
def test_several_values_have_a_gradient_each(mode: str) -> None:
    whole, rest = parts(X)
    costs = [tv.sum(whole), tv.sum(rest), tv.sum(whole + rest)]
    f = tv.function([X], [tv.grad(cost, X) for cost in costs], mode=mode)
    assert [slope.tolist() for slope in f([1.5])] == [[2.0], [3.0], [5.0]]


@pytest.mark.parametrize("mode", MODES)
def test_a_custom_gradient_in_a_loop_is_taken_in_each_step(mode: str) -> None:
    last = tv.fori_loop(0, 2, lambda i, s: product(s, 3.0), X)
    f = tv.function([X], tv.grad(tv.sum(last), X), mode=mode)
    assert f([1.0, 2.0]).tolist() == [900.0, 900.0]


@pytest.mark.parametrize("mode", MODES)
def test_an_arm_with_a_custom_gradient_that_is_not_taken_never_runs(mode: str) -> None:
    z = tv.ifelse(Y > 0, product(tv.counted(tv.exp(X), "exp"), Y), X)
    f = tv.function([X, Y], [z, tv.grad(tv.sum(z), X)], mode=mode)
    value, slope = f([1.0], -1.0)
    assert (value.tolist(), slope.tolist(), f.counts()) == ([1.0], [1.0], {"exp": 0})
    f([1.0], 1.0)
    assert f.counts() == {"exp": 1}


def test_a_value_demands_no_argument_that_it_does_not_need() -> None:
    second = tv.custom_gradient(lambda x, y: (2.0 * y, lambda g: (None, 2.0 * g)))
    f = tv.function([X, Y], second(tv.counted(tv.exp(X), "exp"), Y))
    assert (float(f([1.0], 3.0)), f.counts()) == (6.0, {"exp": 0})


def test_vmap_takes_a_custom_gradient_of_each_example() -> None:
    rows = tv.matrix("rows")
    inside = tv.vmap(lambda row: tv.grad(tv.sum(product(row, Y)), row))(rows)
    outside = tv.grad(tv.sum(tv.vmap(lambda row: product(row, Y))(rows)), [rows, Y])
    f = tv.function([rows, Y], [inside, *outside])
    at = np.array([[1.0, 2.0], [3.0, 4.0]])
    in_, by_rows, by_y = f(at, 3.0)
    assert in_.tolist() == by_rows.tolist() == np.full((2, 2), 30.0).tolist()
    assert by_y == 1000.0


def test_a_number_of_pythons_keeps_the_dtype_of_the_others() -> None:
    x = tv.vector("x", dtype="float32")
    z = product(x, 2.0)
    assert (z.dtype, tv.grad(tv.sum(z), x).dtype) == ("float32", "float32")


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (3.0, TypeError, "f is 3.0, a float; give a function"),
        (lambda x: x, TypeError, "it has to return a pair, (value, gradient)"),
        (lambda x: (x, x), TypeError, "it has to return a pair, (value, gradient)"),
        (lambda x: (x, lambda g: (g, g)), TypeError, "returned 2; it has to return one for each"),
    ],
)
def test_mistakes_with_custom_gradient(f: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        tv.grad(tv.sum(tv.custom_gradient(f)(X)), X)
    assert str(raised.value).startswith("[custom_gradient] ")
    assert message in str(raised.value)
