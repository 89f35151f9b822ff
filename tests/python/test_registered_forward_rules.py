"""The forward rules of Ops of `register_op`: how they change with their inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

X = tv.vector("x")


@tv.register_op("tests.powers")
def powers(op: Any) -> None:
    """Powers of e: of x + shift, and of each of the others; and how many ran."""
    op.add_input("x", "a vector")
    op.add_input("shift", "a scalar", no_gradient=True)
    op.add_input("others", "vectors", duplicable=True)
    op.add_output("power", "that of x + shift")
    op.add_output("product", "that of the others' sum")
    op.add_output("size", "the number of elements", no_gradient=True)

    @op.types
    def types(x: Any, shift: Any, others: Any) -> Any:
        return x, x, tv.dscalar

    @op.perform
    def perform(x: Any, shift: Any, others: Any) -> Any:
        return np.exp(x + shift), np.exp(sum(others, np.zeros_like(x))), float(x.size)

    @op.grad
    def grad(inputs: Any, outputs: Any, gradients: Any) -> dict[str, Any]:
        slope = gradients["product"] * outputs["product"]
        return {
            "x": gradients["power"] * outputs["power"],
            "others": [slope for _ in inputs["others"]],
        }

    @op.pushforward
    def pushforward(inputs: Any, outputs: Any, tangents: Any) -> dict[str, Any]:
        assert tangents["shift"] is None
        found = {}
        if tangents["x"] is not None:
            found["power"] = outputs["power"] * tangents["x"]
        if moves := [v for v in tangents["others"] if v is not None]:
            found["product"] = outputs["product"] * sum(moves[1:], moves[0])
        return found


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_register_op_takes_a_forward_rule(mode: str) -> None:
    y, z = tv.vector("y"), tv.scalar("z")
    power, product, size = powers(X, z, [X, y])
    f = tv.function([X, y, z], tv.jvp([power, product, size], [X, z], [[1.0], 1.0]), mode=mode)

    tangents = f([0.5], [0.25], 2.0)

    np.testing.assert_allclose(tangents[0], np.exp([2.5]))
    np.testing.assert_allclose(tangents[1], np.exp([0.75]))
    assert tangents[2] == 0.0


def test_a_forward_rule_gets_the_outputs_that_are_there() -> None:
    power, product, _ = powers(X, 0.0, [X])
    f = tv.function([X], [power, product, *tv.jvp([power, product], X, X)])

    f([1.0])

    assert [row.runs for row in f.node_runs() if row.op == "powers"] == [1]


def test_a_forward_rule_is_not_asked_for_an_input_without_gradient() -> None:
    z = tv.scalar("z")
    power, _, _ = powers(X, z, [X])

    with pytest.raises(tv.DisconnectedInputError):
        tv.jvp(power, z, 1.0)


def test_check_op_checks_the_rules_of_a_registered_op() -> None:
    report = tv.testing.check_op(lambda *x: powers(*x[:2], x[2:]), [[0.5], 2.0, [1.5], [0.25]])

    found = {row.check: row.result for row in report.rows if row.check in ("grad", "R_op")}
    assert found == {"grad": "right", "R_op": "right"}, str(report)


def test_a_forward_rule_that_returns_too_few_is_an_error_that_says_so() -> None:
    @tv.register_op("tests.one_of_two")
    def one_of_two(op: Any) -> None:
        op.add_input("x", "a vector")
        op.add_output("a", "it")
        op.add_output("b", "it")
        op.perform(lambda x: (x, x))
        op.pushforward(lambda inputs, outputs, tangents: tangents["x"])

    with pytest.raises(TypeError, match=r"\[tests.one_of_two\] its pushforward returned .* tuple"):
        tv.jvp(one_of_two(X)[0], X, [1.0])
