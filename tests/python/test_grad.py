"""What `tv.grad` takes, returns and refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN"]


def test_disconnected_inputs_are_an_error_a_warning_or_zeros() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    cost = tv.sum(x)
    with pytest.raises(tv.DisconnectedInputError, match=r"does not depend .* on .*y"):
        tv.grad(cost, y)
    with pytest.warns(UserWarning, match="does not depend"):
        tv.grad(cost, y, disconnected_inputs="warn")
    zeros = tv.grad(cost, [x, y], disconnected_inputs="ignore")[1]
    assert tv.function([y], zeros)([1.0, 2.0]).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="Did you mean 'ignore'"):
        tv.grad(cost, y, disconnected_inputs="ignor")  # type: ignore[call-overload]


STEPS: dict[str, Callable[[tv.Variable], tv.Variable]] = {
    **{name: getattr(tv, name) for name in ("floor", "ceil", "trunc", "round", "sign")},
    "rint": np.rint,
    "floor_div": lambda x: x // 2.0,
    "a comparison": lambda x: (x > 0.5).astype("float64"),
    "logic": lambda x: tv.logical_and(x > 0, x < 1) * 1.0,
    "isnan": lambda x: tv.where(tv.isnan(x), 1.0, 2.0),
    "a mask": lambda x: tv.where(x > 0, 1.0, 2.0),
    "a cast to integers and back": lambda x: (x.astype("int64") + 1).astype("float64"),
    "argmax": lambda x: tv.argmax(x).astype("float64"),
    "any": lambda x: tv.any(x > 0) * 2.0,
    "a sum of integers": lambda x: tv.sum(x.astype("int32")) * 1.0,
    "positions": lambda x: tv.take(tv.constant([1.0, 2.0, 3.0]), x.astype("int64")),
    "a shape": lambda x: tv.full(x[0].astype("int64"), 1.0),
    "a condition": lambda x: tv.ifelse(x[0] > 0, 1.0, 2.0),
    "an index of a switch": lambda x: tv.switch_case(x[0].astype("int64"), [1.0, 2.0, 3.0]),
    "behind what is smooth": lambda x: tv.floor(tv.sqrt(x)),
    "in front of what is smooth": lambda x: tv.sqrt(tv.floor(x)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", STEPS)
def test_what_goes_in_steps_has_a_gradient_of_zero(name: str, mode: str) -> None:
    x = tv.vector("x")
    gradient = tv.grad(tv.sum(STEPS[name](x)), x)
    f = tv.function([x], gradient, mode=mode, on_unused_input="ignore")
    # Where the slope behind it is infinite too: nothing is multiplied by zero.
    assert f([0.0, 1.5, 2.25]).tolist() == [0.0, 0.0, 0.0]


def test_the_gradient_of_steps_runs_nothing(counting: Any) -> None:
    x, op = tv.vector("x"), counting()
    gradient = tv.grad(tv.sum(tv.floor(op(x))), x)
    assert tv.function([x], gradient)([1.5, 2.5]).tolist() == [0.0, 0.0]
    assert op.runs == 0


def test_a_gradient_adds_no_zeros_for_steps() -> None:
    x = tv.vector("x")
    gradient = tv.grad(tv.sum(x * tv.floor(x)), x)
    assert tv.function([x], gradient)([1.5, -0.5]).tolist() == [1.0, -1.0]
    ops = {row[0] for row in tv.function([x], gradient).node_runs()}
    assert "full" not in ops


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x.shape[0] * 1.0,
        lambda x: x.size * 1.0,
        lambda x: tv.sum(tv.zeros_like(x)),
        lambda x: tv.sum(tv.stop_gradient(x)),
        lambda x: tv.sum(tv.arange(x.shape[0])) * 1.0,
        lambda x: tv.sum(tv.polygamma(x, 2.0)),
    ],
)
def test_what_reads_lengths_or_cuts_gradients_is_disconnected(build: Any) -> None:
    x = tv.vector("x")
    with pytest.raises(tv.DisconnectedInputError, match="does not depend differentiably"):
        tv.grad(build(x), x)


def test_an_input_for_which_a_python_op_returns_none_is_disconnected() -> None:
    class First(tv.Op):
        """Its first input."""

        __props__ = ()

        def make_node(self, *inputs: Any) -> tv.Apply:
            return tv.Apply(self, list(inputs), [inputs[0].type()])

        def perform(self, node: Any, inputs: list[Any], output_storage: Any) -> None:
            output_storage[0][0] = inputs[0]

        def grad(self, inputs: Any, output_gradients: Any) -> list[Any]:
            return [output_gradients[0], None]

    x, y = tv.scalar("x"), tv.scalar("y")
    with pytest.raises(tv.DisconnectedInputError, match=r"on .*y"):
        tv.grad(First()(x, y), y)
    gradient = tv.grad(First()(x, x * 2.0), x)
    assert tv.function([x], gradient, on_unused_input="ignore")(3.0) == 1.0


def test_consider_constant_cuts_the_flow() -> None:
    x = tv.scalar("x")
    y = x * x
    assert tv.function([x], tv.grad(y * x, x))(3.0) == 27.0
    assert tv.function([x], tv.grad(y * x, x, consider_constant=[y]))(3.0) == 9.0


@pytest.mark.parametrize("mode", MODES)
def test_gradient_with_respect_to_an_intermediate_variable(mode: str) -> None:
    x = tv.scalar("x")
    y = tv.exp(x)
    assert tv.function([x], tv.grad(y**3, y), mode=mode)(0.0) == 3.0
    assert tv.function([], tv.grad(y, y), mode=mode)() == 1.0


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_gradient_has_the_dtype_of_its_variable(dtype: str) -> None:
    x, y = tv.vector("x", dtype), tv.vector("y")
    gradient = tv.grad(tv.sum(x * y), x)
    assert gradient.dtype == dtype
    assert tv.function([x, y], gradient, on_unused_input="ignore")(
        np.ones(2, dtype), [2.0, 3.0]
    ).dtype == np.dtype(dtype)


def test_misused_grad_says_what_is_wrong() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match="scalar"):
        tv.grad(x, x)
    with pytest.raises(TypeError, match=r"\[grad\] the cost is 1\.0"):
        tv.grad(1.0, x)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"\[grad\] wrt has 2"):
        tv.grad(tv.sum(x), [x, 2])  # type: ignore[list-item]


def test_an_op_without_a_gradient_is_an_error_that_names_it() -> None:
    class Plain(tv.Op):
        __props__ = ()

        def make_node(self, x: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0]

    x = tv.scalar("x")
    with pytest.raises(NotImplementedError, match="Plain"):
        tv.grad(Plain()(x), x)
