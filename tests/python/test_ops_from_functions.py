"""as_op: a Python function as an Op."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

VECTOR = tv.TensorType("float64", (None,))


def scaled(x: Any, factor: Any) -> Any:
    return x * factor


def sum_and_range(x: Any) -> Any:
    return x.sum(), np.ptp(x)


@tv.as_op(itypes=[tv.dvector], otypes=[tv.dvector])
def decorated(x: Any) -> Any:
    """Return the elements in order."""
    return np.sort(x)


def double_gradient(inputs: list[tv.Variable], output_gradients: list[tv.Variable]) -> Any:
    return [2.0 * output_gradients[0]]


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c|py", "FAST_RUN"])
def test_an_op_calls_the_function(mode: str) -> None:
    op = tv.as_op(scaled, [tv.dvector, tv.dscalar], [tv.dvector])
    x, y = tv.vector("x"), tv.scalar("y")
    assert tv.function([x, y], op(x, y), mode=mode)([1.0, 2.0], 3.0).tolist() == [3.0, 6.0]


def test_an_op_has_the_functions_name() -> None:
    x = tv.vector("x")
    f = tv.function([x], decorated(x))
    assert [row.op for row in f.explain().nodes] == ["decorated"]
    assert (str(decorated), decorated.__doc__) == ("decorated", "Return the elements in order.")


def test_several_outputs_are_a_tuple() -> None:
    op = tv.as_op(sum_and_range, VECTOR, [tv.dscalar, tv.dscalar])
    x = tv.vector("x")
    assert tv.function([x], op(x))([1.0, 5.0]) == [6.0, 4.0]


def test_types_are_given_as_types_constructors_or_variables() -> None:
    ops = [tv.as_op(np.sort, given, given) for given in (VECTOR, [VECTOR], (tv.dvector,),
                                                         tv.vector("x"))]  # fmt: skip
    assert all(op == ops[0] for op in ops)


def test_objects_pass_as_they_are() -> None:
    op = tv.as_op(lambda d, key: d[key], [tv.generic, tv.generic], [tv.generic])
    d = tv.generic("d")
    assert tv.function([d], op(d, "a"))({"a": [1, 2]}) == [1, 2]


def test_values_that_fit_without_loss_are_converted() -> None:
    x = tv.vector("x")
    for returned in ([1, 2], np.array([1, 2]), np.array([1.0, 2.0], "float32")):
        result = tv.function([x], tv.as_op(lambda _, r=returned: r, VECTOR, VECTOR)(x))([0.0])
        assert (result.dtype, result.tolist()) == ("float64", [1.0, 2.0])


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (None, "returned None, a NoneType as output 0"),
        ("text", "returned 'text', a str as output 0"),
        (1.0, "returned 1.0, a float as output 0"),
        (np.zeros((2, 2)), r"returned an array of float64 with shape \(2, 2\) as output 0"),
        (np.zeros(2, complex), r"returned an array of complex128 with shape \(2,\) as output 0"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error_that_shows_it(returned: Any, told: str) -> None:
    def mistaken(x: Any) -> Any:
        return returned

    x = tv.vector("x")
    f = tv.function([x], tv.as_op(mistaken, VECTOR, VECTOR)(x))
    with pytest.raises(TypeError, match=f"mistaken {told}.*TensorType.float64"):
        f([1.0])


@pytest.mark.parametrize("returned", [(1.0,), (1.0, 2.0, 3.0), 1.0, np.zeros(2)])
def test_a_wrong_number_of_outputs_is_an_error(returned: Any) -> None:
    x = tv.vector("x")
    op = tv.as_op(lambda x: returned, VECTOR, [tv.dscalar, tv.dscalar])
    with pytest.raises(TypeError, match="it has to return a tuple of 2, as its otypes say"):
        tv.function([x], op(x))([1.0])


def test_an_exception_of_the_function_comes_out_with_the_node() -> None:
    def failing(x: Any) -> Any:
        raise KeyError("mine")

    x = tv.vector("x")
    with pytest.raises(KeyError, match="mine") as error:
        tv.function([x], tv.as_op(failing, VECTOR, VECTOR)(x))([1.0])
    assert any("Op failing" in note for note in error.value.__notes__)


def test_inputs_are_checked_and_named() -> None:
    with pytest.raises(TypeError, match=r"input 0 of decorated .*with 2 dimensions where 1"):
        decorated(tv.matrix("m"))
    with pytest.raises(TypeError, match="decorated takes 1 inputs, as its itypes say, but got 2"):
        decorated(tv.vector(), tv.vector())


def test_a_gradient_may_be_given() -> None:
    x = tv.vector("x")
    op = tv.as_op(lambda x: 2 * x, VECTOR, VECTOR, grad=double_gradient)
    assert tv.function([x], tv.grad(op(x).sum(), x))([1.0, 5.0]).tolist() == [2.0, 2.0]
    tv.verify_grad(op, [[1.0, 5.0]])


def test_without_a_gradient_grad_says_so() -> None:
    x = tv.vector("x")
    with pytest.raises(NotImplementedError, match="decorated"):
        tv.grad(decorated(x).sum(), x)


def test_ops_are_equal_if_functions_types_and_gradients_are() -> None:
    op = tv.as_op(scaled, VECTOR, VECTOR)
    assert (op, hash(op)) == (again := tv.as_op(scaled, VECTOR, VECTOR), hash(again))
    assert op != tv.as_op(np.sort, VECTOR, VECTOR)
    assert op != tv.as_op(scaled, VECTOR, tv.dscalar)
    assert op != tv.as_op(scaled, VECTOR, VECTOR, grad=double_gradient)


def test_an_op_pickles_by_its_function() -> None:
    op = tv.as_op(scaled, [VECTOR, tv.dscalar], VECTOR, grad=double_gradient)
    assert pickle.loads(pickle.dumps(op)) == op


def test_an_op_in_the_place_of_its_function_pickles_by_name() -> None:
    assert pickle.loads(pickle.dumps(decorated)) is decorated


def test_an_op_of_a_local_function_says_that_it_does_not_pickle() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(tv.as_op(lambda x: x, VECTOR, VECTOR))


def test_a_node_that_is_not_needed_calls_nothing() -> None:
    called = []
    op = tv.as_op(lambda x: called.append(1) or x, tv.dscalar, tv.dscalar)
    c, x = tv.scalar("c"), tv.scalar("x")
    f = tv.function([c, x], tv.ifelse(c > 0, op(x), x))
    f(-1.0, 1.0)
    assert called == []
    f(1.0, 1.0)
    assert called == [1]


def test_what_the_function_returns_may_be_its_input() -> None:
    op = tv.as_op(lambda x: x, VECTOR, VECTOR)
    x, given = tv.vector("x"), np.array([1.0, 2.0])
    result = tv.function([x], op(x))(given)
    result[0] = 5.0
    assert given.tolist() == [1.0, 2.0]


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match=r"itypes\[1\] is 'float64'; it has to be a Type, such as"):
        tv.as_op(scaled, [tv.dvector, "float64"], VECTOR)
    with pytest.raises(TypeError, match=r"otypes\[0\] is <class 'float'>"):
        tv.as_op(scaled, VECTOR, float)
    with pytest.raises(TypeError, match="itypes and otypes have to be given"):
        tv.as_op(scaled, VECTOR)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="3 is no function"):
        tv.as_op(3, VECTOR, VECTOR)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="grad is 3; give a function of"):
        tv.as_op(scaled, VECTOR, VECTOR, grad=3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"write @tv.as_op\(itypes="):
        tv.as_op([VECTOR], [VECTOR])  # type: ignore[call-overload]
