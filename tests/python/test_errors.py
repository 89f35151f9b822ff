"""What errors say: the thing, the value, the rule, the user's line, and what to do about it.

Each test makes a mistake that users make, in every mode, and reads the message with its notes.
"""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN"]


def message_of(error: BaseException) -> str:
    """Return the exception as Python prints it: type, message and notes."""
    return "".join(traceback.format_exception_only(error))


def failing(kind: type[BaseException], call: Callable[[], Any]) -> str:
    """Return the message of a call that has to fail."""
    with pytest.raises(kind) as raised:
        call()
    assert type(raised.value) is kind
    return message_of(raised.value)


def says(message: str, *parts: str) -> None:
    """Check that a message has all of these parts."""
    for part in parts:
        assert part in message, f"{part!r} is not in:\n{message}"


class Unlucky(tv.Op):
    """Fails on negative numbers."""

    __props__ = ("limit",)

    def __init__(self, limit: float = 0.0) -> None:
        self.limit = limit

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        if np.any(inputs[0] < self.limit):
            raise ArithmeticError("too small")
        output_storage[0][0] = inputs[0]


@pytest.mark.parametrize("mode", MODES)
def test_a_failing_perform_says_which_node_with_which_inputs_from_which_line(mode: str) -> None:
    x = tv.matrix("x")
    f = tv.function([x], Unlucky(1.0)(x.T) * 2, mode=mode, name="halve")
    message = failing(ArithmeticError, lambda: f(np.zeros((2, 3))))
    says(
        message, "ArithmeticError: too small", "Unlucky{limit=1.0}", "float64", "(3, 2)", "strides"
    )
    says(message, "test_errors.py:", "test_a_failing_perform", "halve")
    assert f(np.ones((2, 3))).shape == (3, 2)


@pytest.mark.parametrize("mode", MODES)
def test_a_shape_mismatch_names_both_shapes_and_the_line(mode: str) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], tv.exp(x) + y, mode=mode)
    message = failing(ValueError, lambda: f([1.0, 2.0], [1.0, 2.0, 3.0]))
    says(message, "could not be broadcast together", "(2,)", "(3,)", "add", "test_errors.py:")
    assert f([0.0], [1.0]).tolist() == [2.0]


def test_a_static_shape_mismatch_is_found_when_the_graph_is_built() -> None:
    x, y = tv.tensor("x", shape=(2,)), tv.tensor("y", shape=(3,))
    says(failing(ValueError, lambda: x + y), "add", "(2,)", "(3,)")


@pytest.mark.parametrize("mode", MODES)
def test_a_wrong_dtype_names_argument_both_dtypes_and_what_to_do(mode: str) -> None:
    n = tv.lvector("n")
    f = tv.function([n], n * 2, mode=mode, name="double")
    message = failing(TypeError, lambda: f(np.array([0.5])))
    says(message, "'n'", "double", "float64", "int64", "allow_downcast")
    says(failing(TypeError, lambda: f(np.array(["a"]))), "'n'")
    says(failing(TypeError, lambda: f(np.zeros((2, 2), "int64"))), "'n'")
    assert f([3]).tolist() == [6]


@pytest.mark.parametrize("mode", MODES)
def test_a_singular_matrix_says_where_and_why(mode: str) -> None:
    a, b = tv.matrix("a"), tv.vector("b")
    f = tv.function([a, b], tv.solve(a, b), mode=mode)
    message = failing(np.linalg.LinAlgError, lambda: f(np.ones((2, 2)), [1.0, 2.0]))
    says(message, "ingular", "solve", "(2, 2)", "test_errors.py:")
    assert f(np.eye(2), [1.0, 2.0]).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_matrix_that_is_not_positive_definite_says_so(mode: str) -> None:
    a = tv.matrix("a")
    f = tv.function([a], tv.cholesky(a), mode=mode)
    message = failing(np.linalg.LinAlgError, lambda: f(-np.eye(2)))
    says(message, "ositive definite", "cholesky")
    assert f(np.eye(2)).tolist() == np.eye(2).tolist()


@pytest.mark.parametrize("mode", MODES)
def test_an_index_out_of_bounds_says_which_axis_and_its_length(mode: str) -> None:
    x, i = tv.vector("x"), tv.lscalar("i")
    f = tv.function([x, i], x[i], mode=mode)
    message = failing(IndexError, lambda: f([1.0, 2.0], 5))
    says(message, "index 5 is out of bounds for axis 0 with size 2", "subtensor")


@pytest.mark.parametrize("mode", MODES)
def test_nan_as_a_condition_names_the_conditional(mode: str) -> None:
    c = tv.scalar("c")
    f = tv.function([c], tv.ifelse(c, 1.0, 2.0), mode=mode)
    says(failing(ValueError, lambda: f(np.nan)), "NaN", "ifelse", "test_errors.py:")


def test_a_missing_input_says_which_output_needs_it_and_where() -> None:
    x, rate = tv.scalar("x"), tv.scalar("rate")
    cost = tv.exp(rate * x)
    message = failing(tv.MissingInputError, lambda: tv.function([x], [x, cost]))
    says(message, "outputs[1]", "rate", "test_errors.py:", "add it to inputs", "givens")


def test_a_cycle_of_givens_names_its_path() -> None:
    x, y, z = tv.scalar("first"), tv.scalar("second"), tv.scalar("third")
    givens = {x: y + 1, y: z + 1, z: x + 1}
    message = failing(ValueError, lambda: tv.function([], x, givens=givens))
    says(message, "cycle, first -> second -> third -> first: a variable cannot be replaced by")


def test_a_mode_that_does_not_exist_names_the_nearest() -> None:
    x = tv.scalar("x")
    message = failing(ValueError, lambda: tv.function([x], x, mode="cwm"))
    says(message, "no mode 'cwm'", "c&py, py_nogc, vm_nogc, cvm_nogc", "Did you mean 'cvm'?")


def test_a_misspelt_attribute_names_the_nearest() -> None:
    x = tv.vector("x")
    message = failing(TypeError, lambda: tv.ops.sum(x, axes=0))
    says(message, "sum", "axes", "axis")


def test_an_axis_that_is_not_there_names_op_axis_and_ndim() -> None:
    x = tv.vector("x")
    with pytest.raises((ValueError, IndexError)) as raised:
        tv.sum(x, axis=2)
    says(message_of(raised.value), "sum", "axis 2", "1")


def test_a_wrong_number_of_dimensions_is_found_when_the_graph_is_built() -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        tv.solve(tv.vector("a"), tv.vector("b"))
    says(message_of(raised.value), "solve", "a")


def test_values_that_are_not_there_yet() -> None:
    x = tv.vector("x")
    says(failing(TypeError, lambda: bool(x > 0)), "tv.ifelse(")
    says(failing(TypeError, lambda: float(x)), "float()", "tv.function")
    says(failing(TypeError, lambda: int(x)), "int()", "tv.function")
    says(failing(TypeError, lambda: len(x)), "x.shape[0]")
    says(failing(TypeError, lambda: 1.0 in x), "tv.any(tv.eq(x, value))")
    says(failing(TypeError, lambda: [1, 2][x]), "switch_case")
    says(failing(TypeError, lambda: range(x)), "tv.arange")
    says(failing(TypeError, lambda: list(x)), "its length is not known")
    says(failing(TypeError, lambda: np.array(x)), "cannot become an ndarray")
    says(failing(TypeError, lambda: np.array([x, x])), "tv.stack")


def test_joining_nothing_says_so() -> None:
    says(failing(ValueError, lambda: tv.concatenate([])), "[concatenate] there are no arrays")
    says(failing(ValueError, lambda: tv.stack(x for x in ())), "[stack] there are no arrays")


def test_operands_that_fit_nothing() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(TypeError):
        tv.exp("a")
    with pytest.raises(TypeError):
        tv.exp(tv.generic("g"))
    with pytest.raises(TypeError, match="bool"):
        -tv.tensor("b", "bool", (None,))


@pytest.mark.parametrize("mode", MODES)
def test_what_ran_before_a_failure_is_what_was_demanded(mode: str, counting: Any) -> None:
    before, never = counting(), counting()
    c, x = tv.scalar("c"), tv.scalar("x")
    out = tv.ifelse(c, Unlucky()(before(x) - 10.0), never(x))
    f = tv.function([c, x], out, mode=mode)
    for _ in range(2):
        failing(ArithmeticError, lambda: f(1.0, 2.0))
    assert (before.runs, never.runs) == (2, 0)
    assert f(0.0, 2.0) == 4.0
    assert f(1.0, 4.0) == 6.0


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])  # _nogc keeps the memory of intermediates
def test_a_failed_call_keeps_no_value_alive(mode: str) -> None:
    x = tv.vector("x")
    f = tv.function([x], Unlucky()(tv.exp(x) - 10.0), mode=mode)
    f(np.full(1000, 5.0))
    gc.collect()
    before = tv.memory()["in_use"]
    failing(ArithmeticError, lambda: f(np.zeros(1000)))
    gc.collect()  # the traceback held the frame of perform
    assert tv.memory()["in_use"] == before
