"""check_op: one table of what is right, missing and wrong with an Op."""

from __future__ import annotations

from typing import Any

import lying_ops as lies
import numpy as np
import pytest
from test_debug_mode import LIES

import thunkvm as tv
from thunkvm import _core
from thunkvm.testing import OpError, OpReport, check_op

VALUE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])


class Complete(lies.HonestInC):
    """Has all that an Op may have."""

    __props__ = ()

    def grad(self, inputs: list, output_gradients: list) -> list:
        return [output_gradients[0] * 2.0]

    def R_op(self, inputs: list, eval_points: list) -> list:  # noqa: N802
        return [eval_points[0] * 2.0]

    def infer_shape(self, node: Any, input_shapes: Any) -> Any:
        return input_shapes

    def batch(self, node: Any, inputs: Any, batched: Any) -> Any:
        return [self(inputs[0])]


def results(report: OpReport, result: str) -> list[str]:
    return [row.check for row in report.rows if row.result == result]


def test_an_op_that_has_all_is_right_in_every_row() -> None:
    report = check_op(Complete(), [VALUE])
    assert report.ok, str(report)
    assert results(report, "missing") == []
    assert [row.check for row in report.rows] == [
        "make_node",
        "__props__",
        "perform",
        "c_code",
        "no crash",
        "valid outputs",
        "the same twice",
        "undeclared writes",
        "undeclared views",
        "outputs apart",
        "outputs stay",
        "references",
        "preallocated outputs",
        "inputs of every layout",
        "c and perform agree",
        "in functions",
        "infer_shape",
        "grad",
        "R_op",
        "batch",
    ]
    assert report.raise_if_wrong() is report


def test_what_an_op_leaves_out_is_missing_and_not_wrong() -> None:
    class Bare(lies.Lie):
        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            output_storage[0][0] = inputs[0] * 2.0

    report = check_op(Bare(), [VALUE])
    assert report.ok
    assert results(report, "missing") == [
        "__props__",
        "c_code",
        "infer_shape",
        "grad",
        "R_op",
        "batch",
    ]
    assert str(report).startswith("Bare: nothing wrong, 6 missing\ncheck  ")


@pytest.mark.parametrize(
    ("lie", "words"),
    [(lie, words) for lie, _, words in LIES if lie is not lies.WritesToWhatItAskedFor],
    ids=lambda of: getattr(of, "__name__", ""),
)
def test_each_lie_is_in_the_report(lie: Any, words: str) -> None:
    report = check_op(lie(), [VALUE])
    assert not report.ok
    with pytest.raises(OpError):
        report.raise_if_wrong()


def test_the_report_says_what_a_lie_is() -> None:
    (wrong,) = check_op(lies.TrustsTheShapeOfItsOutput(), [VALUE]).wrong
    assert wrong.check == "preallocated outputs"
    assert "wrong_size" in wrong.text


def test_a_gradient_that_is_wrong_is_in_the_report() -> None:
    class Wrong(Complete):
        def grad(self, inputs: list, output_gradients: list) -> list:
            return output_gradients

    (wrong,) = check_op(Wrong(), [VALUE]).wrong
    assert wrong.check == "grad"
    assert "grad has" in wrong.text


def test_a_forward_rule_that_is_wrong_is_in_the_report() -> None:
    class Wrong(Complete):
        def R_op(self, inputs: list, eval_points: list) -> list:  # noqa: N802
            return eval_points

    (wrong,) = check_op(Wrong(), [VALUE]).wrong
    assert wrong.check == "R_op"
    assert "the tangent of output 0 is wrong at element (" in wrong.text


class TwoWays(tv.Op):
    """Twice and thrice its input, with the slopes that it is made with."""

    __props__ = ("slopes",)
    itypes = (tv.dvector,)
    otypes = (tv.dvector, tv.dvector)

    def __init__(self, slopes: tuple[float, ...]) -> None:
        self.slopes = slopes

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = inputs[0] * 2.0
        output_storage[1][0] = inputs[0] * 3.0

    def grad(self, inputs: list, output_gradients: list) -> list:
        return [sum(s * g for s, g in zip(self.slopes[:2], output_gradients, strict=True))]

    def pushforward(self, inputs: list, outputs: list, tangents: list) -> list:
        return [s * tangents[0] for s in self.slopes[2:]]


@pytest.mark.parametrize(
    ("slopes", "wrong", "words"),
    [
        ((2.0, 3.0, 2.0, 3.0), [], ""),
        ((2.0, 4.0, 2.0, 3.0), ["grad"], "of output 1: the gradient is wrong at element"),
        ((2.0, 3.0, 2.0, 4.0), ["R_op"], "the tangent of output 1 is wrong at element"),
    ],
)
def test_the_derivatives_of_every_output_are_checked(
    slopes: tuple[float, ...], wrong: list[str], words: str
) -> None:
    report = check_op(TwoWays(slopes), [[1.0, 2.5]])
    assert [row.check for row in report.wrong] == wrong
    assert all(row.text.startswith(words) for row in report.wrong[:1])


def test_a_gradient_that_is_not_the_transpose_of_the_forward_rule_is_in_the_report() -> None:
    report = check_op(TwoWays((2.0, 3.0, 2.0, 3.000001)), [[1.0, 2.5]])
    assert [row.check for row in report.wrong] == ["R_op"]
    assert "output 1 is not the gradient's transpose: <u, J v> is" in report.wrong[0].text


def test_c_that_does_not_compile_is_in_the_report() -> None:
    class Broken(lies.InC):
        body = "this is no C;"

        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            output_storage[0][0] = inputs[0] * 2.0

    report = check_op(Broken(), [VALUE])
    assert "does not compile" in report.wrong[0].text


def test_what_raises_is_in_the_report() -> None:
    class Raises(lies.Lie):
        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            raise KeyError("lost")

    report = check_op(Raises(), [VALUE])
    assert "it raised KeyError: 'lost'" in report.wrong[0].text

    class NoNode(tv.Op):
        def make_node(self, x: Any) -> Any:
            raise TypeError("not for me")

    (row,) = check_op(NoNode(), [VALUE]).rows
    assert (row.check, row.text) == ("make_node", "it raised TypeError: not for me")


def test_a_lazy_op_runs_in_functions() -> None:
    class First(tv.Op):
        __props__ = ()

        def make_node(self, x: Any, y: Any) -> Any:
            return tv.Apply(self, [x, y], [x.type()])

        def demand(self, node: Any) -> Any:
            x = yield 0
            return x if x > 0 else (yield 1)

    report = check_op(First(), [2.0, -1.0])
    assert report.ok
    assert "demand" in results(report, "right")


def test_inputs_may_be_variables_numbers_and_objects() -> None:
    class Power(tv.Op):
        __props__ = ()

        def make_node(self, x: Any, n: Any, options: Any) -> Any:
            return tv.Apply(self, [x, n, options], [x.type()])

        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            output_storage[0][0] = inputs[0] ** inputs[1] + inputs[2]["add"]

    options = tv.constant({"add": 1.0}, type=tv.GenericType())
    assert check_op(Power(), [[1.5, 2.0], 2, options]).ok


SQUARE = np.array([[4.0, 1.0], [1.0, 3.0]])
#: Values for those Ops that not any will do for.
CASES: dict[str, list[Any]] = {
    "arccosh": [VALUE + 1.0],
    "cholesky": [SQUARE],
    "clip": [VALUE, 2.5, 4.5],
    "inv": [SQUARE],
    "det": [SQUARE],
    "cofactors": [SQUARE],
    "cofactor_changes": [SQUARE, SQUARE.T + 1.0],
    "solve": [SQUARE, np.array([1.0, 2.0])],
    "solve_triangular": [np.array([[4.0, 0.0], [1.0, 3.0]]), np.array([1.0, 2.0])],
    "matmul": [VALUE, VALUE.T.copy()],
    # Orders and shapes are integers, which have no gradient.
    "polygamma": [np.array([0, 1]), np.array([1.5, 2.5])],
    **{
        name: [np.array([1, 2]), np.array([0.25, 0.75])]
        for name in ("gammainc", "gammaincc", "gammaincinv", "gammainccinv", "iv", "jv", "kv")
    },
    **{
        name: [np.array([1, 2]), np.array([2, 3]), np.array([0.25, 0.75])]
        for name in ("betainc", "betaincinv")
    },
    "erfinv": [VALUE / 7.0],
    "erfcinv": [VALUE / 7.0],
    "ndtri": [VALUE / 7.0],
}


def built_in() -> list[str]:
    return [proto["name"] for proto in _core.op_protos()]


def values_for(op: Any, name: str, n: int) -> list[Any] | None:
    """Values with which a node of the Op can be made and run; None if none of ours are any."""
    apart = [VALUE / 7.0 + 0.317 * k for k in range(n)]
    for values in (CASES.get(name, apart), *([v] * n for v in (VALUE > 2.0, [1, 2, 0], 2.0))):
        if n == 0 or len(values) != n:
            continue
        arrays = [np.asarray(value) for value in values]
        try:
            output = op(*(tv.tensor(None, a.dtype, (None,) * a.ndim) for a in arrays))
            if not isinstance(output, tv.Variable) or output.owner is None:
                continue
            tv.function(output.owner.inputs, output, mode="py")(*arrays)
        except (TypeError, ValueError, IndexError, ArithmeticError):
            continue
        return values
    return None


@pytest.mark.parametrize("name", built_in())
def test_every_op_of_ours_passes(name: str) -> None:
    (proto,) = (proto for proto in _core.op_protos() if proto["name"] == name)
    op = _core.op(name)
    values = None
    if not any(attr["required"] for attr in proto["attrs"]):
        values = values_for(op, name, len(proto["inputs"]))
    if values is None:
        pytest.skip("it needs attributes, or inputs of its own: test_ops_in_debug_mode.py has it")
    report = check_op(op, values)
    # What stop_gradient is for: its gradient is not that of what it computes.
    expected = ["grad", "R_op"] if name == "stop_gradient" else []
    assert [row.check for row in report.wrong] == expected, str(report)
