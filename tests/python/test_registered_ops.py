"""`register_op`: Ops that a program declares, by name in graphs, files, pickles and listings."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.__main__ import main

W = tv.vector("w")


# The Op of the specification of 2017; its name there, cos, is built in here.
@tv.register_op("paddle.cos")
def cos(op: Any) -> None:
    """This is cos op."""
    op.add_input("input", "input of cosine op")
    op.add_output("output", "output of cosine op")
    op.add_attribute("scale", "scale of cosine op", float).default(1.0).greater_than(0.0)
    op.add_example(">>> cos(input=x, scale=2.0)")

    @op.perform
    def perform(input: Any, scale: float) -> Any:
        return np.cos(scale * input)

    @op.grad
    def grad(inputs: Any, outputs: Any, gradients: Any, scale: float) -> dict[str, Any]:
        return {"input": -scale * gradients["output"] * tv.sin(scale * inputs["input"])}

    @op.infer_shape
    def infer_shape(inputs: Any, shapes: Any, scale: float) -> Any:
        return shapes["input"]

    @op.batch
    def batch(inputs: Any, batched: Any, scale: float) -> Any:
        return cos(input=inputs["input"], scale=scale)


@tv.register_op("tests.weighted")
def weighted(op: Any) -> None:
    """A weighted sum, and its weights normed. Both are vectors."""
    op.add_input("weights", "a vector, as long as there are parts")
    op.add_input("rounding", "a scalar", no_gradient=True)
    op.add_input("parts", "vectors of one length", duplicable=True)
    op.add_output("total", "the sum")
    op.add_output("normed", "the weights over their sum", no_gradient=True)
    op.add_output("sum", "the sum of the weights", intermediate=True)
    op.add_attribute("mode", "how they are normed", str).default("sum").in_enum("sum", "none")
    op.add_attribute("at", "places", list[int]).default([0]).at_least(0).at_most(9)
    op.add_attribute("even", "an even number", int).default(2).check(
        lambda value: "it has to be even; halve it" if value % 2 else None
    )

    @op.types
    def types(weights: Any, rounding: Any, parts: Any, **attributes: Any) -> Any:
        return {"total": parts[0], "normed": weights, "sum": tv.dscalar}

    @op.perform
    def perform(weights: Any, rounding: Any, parts: Any, mode: str, **others: Any) -> Any:
        total = weights.sum() if mode == "sum" else 1.0
        normed = weights / total
        return sum(w * p for w, p in zip(normed, parts, strict=True)), normed, np.asarray(total)

    @op.grad
    def grad(inputs: Any, outputs: Any, gradients: Any, **attributes: Any) -> dict[str, Any]:
        assert gradients["normed"] is None
        assert gradients["sum"] is None
        normed = inputs["weights"] / outputs["sum"]
        slopes = [gradients["total"] * normed[i] for i in range(len(inputs["parts"]))]
        return {"parts": slopes, "rounding": inputs["rounding"]}


X = tv.vector("x")


def test_register_op_makes_a_function_with_keywords_and_a_signature() -> None:
    f = tv.function([X], cos(input=X, scale=2.0))

    np.testing.assert_array_equal(f([1.0, 2.0]), np.cos([2.0, 4.0]))
    assert str(inspect.signature(cos)) == "(input, *, scale=1.0)"
    assert "scale : float, default 1.0, greater than 0\n    Scale of cosine op." in str(cos.__doc__)
    assert ">>> cos(input=x, scale=2.0)" in str(cos.__doc__)
    assert (cos.__name__, cos.__module__) == ("cos", __name__)


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_register_op_has_gradients_shapes_and_batches(mode: str) -> None:
    y = cos(input=X, scale=3.0)
    f = tv.function([X], [tv.grad(y.sum(), X), tv.jacobian(y, X), tv.exp(y).shape], mode=mode)

    slope, jacobian, shape = f([1.0, 2.0])

    expected = -3.0 * np.sin([3.0, 6.0])
    np.testing.assert_allclose(slope, expected, rtol=1e-15)
    np.testing.assert_allclose(jacobian, np.diag(expected), rtol=1e-15)
    assert list(shape) == [2]


def test_a_registered_op_that_is_asked_for_its_shape_never_runs() -> None:
    f = tv.function([X], cos(input=X).shape[0])

    assert f([1.0, 2.0]) == 2
    assert [row for row in f.node_runs() if row.op == "cos"] == []


def test_a_registered_op_in_an_arm_that_is_not_taken_never_runs() -> None:
    f = tv.function([X], tv.ifelse(X[0] > 0, cos(input=X), X))

    f([-1.0])

    assert [row.runs for row in f.node_runs() if row.op == "cos"] == [0]


def test_registered_ops_are_equal_by_name_and_attributes() -> None:
    ops = [cos(input=X, scale=scale).owner.op for scale in (2.0, 2, 3.0)]

    assert ops[0] == ops[1] != ops[2]
    assert hash(ops[0]) == hash(ops[1])
    assert cos(input=X, scale=2.0).owner.op.__props__ == ("key",)
    assert str(ops[2]) == "cos{scale=3.0}"


def test_a_registered_op_has_several_outputs_and_a_duplicable_input() -> None:
    w = tv.vector("w")
    total, normed = weighted(weights=w, rounding=1.0, parts=[X, 2 * X, X])
    f = tv.function([w, X], [total, normed, tv.grad(total.sum(), X)])

    total_value, normed_value, slope = f([1.0, 2.0, 1.0], [1.0, 3.0])

    np.testing.assert_allclose(total_value, [1.5, 4.5])
    np.testing.assert_allclose(normed_value, [0.25, 0.5, 0.25])
    np.testing.assert_allclose(slope, [1.5, 1.5])


def test_a_registered_op_has_no_gradient_by_a_no_gradient_input() -> None:
    rounding = tv.scalar("rounding")
    total, normed = weighted(W, rounding, [X])

    with pytest.raises(tv.DisconnectedInputError):
        tv.grad(total.sum(), rounding)
    with pytest.raises(tv.DisconnectedInputError):
        tv.grad(total.sum(), W)
    slope = tv.grad(normed.sum(), X)
    np.testing.assert_array_equal(tv.function([W, X, rounding], slope)([1.0], [2.0], 1.0), [0.0])


def test_a_registered_op_takes_the_bounds_of_its_attributes() -> None:
    total, _ = weighted(W, 1.0, [X], at=(0, np.int64(9)), even=4)
    assert total.owner.op.attributes == {"mode": "sum", "at": [0, 9], "even": 4}


def test_describe_knows_a_registered_op() -> None:
    page = tv.ops.describe("tests.weighted")

    assert [slot.duplicable for slot in page.inputs] == [False, False, True]
    assert "  rounding (no_gradient): a scalar" in str(page)
    assert "  sum (intermediate): the sum of the weights" in str(page)
    assert "  at (list of ints, default [0], at least 0, at most 9): places" in str(page)
    assert tv.ops.describe("paddle.cos").attributes[0].greater_than == 0.0


def test_the_command_ops_prints_a_registered_op(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "paddle.cos"]) == 0
    assert (
        "scale (float, default 1.0, greater than 0): scale of cosine op" in capsys.readouterr().out
    )


def test_the_command_ops_imports_a_module(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import thunkvm as tv\n"
        "@tv.register_op('mine.same')\n"
        "def same(op):\n"
        "    '''The input.'''\n"
        "    op.add_input('x', 'any'); op.add_output('out', 'it')\n"
        "    op.perform(lambda x: x)\n"
    )
    ops = [sys.executable, "-m", "thunkvm", "ops", "mine.same"]

    known = subprocess.run([*ops, "--import", "mine"], cwd=tmp_path, capture_output=True, text=True)
    unknown = subprocess.run(ops, cwd=tmp_path, capture_output=True, text=True)

    assert known.stdout.startswith("mine.same (registered)\n\nThe input.")
    assert unknown.returncode == 1
    assert "import the module with its tv.register_op first" in unknown.stderr


def test_save_and_load_hold_a_registered_op_by_name(tmp_path: Path) -> None:
    w = tv.vector("w")
    outputs = [cos(input=X, scale=2.0), *weighted(w, 1.0, [X, X], mode="none", at=[1, 2])]
    tv.save(tmp_path / "model.tv", outputs, [w, X])

    model = tv.load(tmp_path / "model.tv")

    values = np.array([0.5, 0.25]), np.array([1.0, 3.0])
    for value, expected in zip(
        tv.function(model.inputs, model.outputs)(*values),
        tv.function([w, X], outputs)(*values),
        strict=True,
    ):
        np.testing.assert_array_equal(value, expected)
    assert [y.owner.op for y in model.outputs] == [y.owner.op for y in outputs]


def test_load_names_an_op_that_is_not_registered(tmp_path: Path) -> None:
    tv.save(tmp_path / "model.tv", cos(input=X), [X])
    program = f"import thunkvm as tv; tv.load({str(tmp_path / 'model.tv')!r})"

    failed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert "GraphFileError: model.tv: graph.json: ops[0] (paddle.cos): there is no Op called " in (
        failed.stderr
    )
    assert "import the module with its tv.register_op first" in failed.stderr


def test_pickles_and_copies_hold_a_registered_op_by_name() -> None:
    y = cos(input=X, scale=2.0)

    for other in pickle.loads(pickle.dumps(y)), copy.deepcopy(y):
        assert other.owner.op == y.owner.op
    assert pickle.loads(pickle.dumps(y.owner.op)) == y.owner.op
    f = pickle.loads(pickle.dumps(tv.function([X], y)))
    np.testing.assert_array_equal(f([1.0]), np.cos([2.0]))


@tv.register_op("tests.length")
def length(op: Any) -> None:
    """How many items an object has, and how many elements the tensors beside it."""
    op.add_input("items", "anything with a length", is_tensor=False)
    op.add_input("tensors", "tensors", duplicable=True)
    op.add_output("out", "an integer")
    op.types(lambda items, tensors: tv.lscalar)

    @op.perform
    def perform(items: Any, tensors: Any) -> Any:
        return np.int64(len(items) + sum(each.size for each in tensors))


def test_a_registered_op_takes_objects_where_an_input_is_no_tensor() -> None:
    items = tv.generic("items")
    assert tv.function([items, W], length(items, [W]))({"a": 1, "b": 2}, [3.0, 4.0, 5.0]) == 5


def test_a_registered_op_refuses_an_object_for_a_tensor() -> None:
    items = tv.generic("items")
    with pytest.raises(TypeError, match=r"\[tests.length\] tensors = <items: .*has to be a tensor"):
        length(items, [W, items])
    with pytest.raises(TypeError, match=r"\[paddle.cos\] input = <items: .*is_tensor=False"):
        cos(items)


def test_describe_says_which_inputs_are_of_any_type() -> None:
    arms = tv.ops.describe("conditional").inputs[1]
    assert (arms.name, arms.is_tensor) == ("arms", False)
    assert tv.ops.describe("conditional").inputs[0].is_tensor
    assert not tv.ops.describe("conditional").outputs[0].is_tensor
    assert "items (of any Type): anything with a length" in str(tv.ops.describe("tests.length"))


def test_a_registered_op_may_return_its_input() -> None:
    @tv.register_op("tests.same")
    def same(op: Any) -> None:
        op.add_input("x", "any")
        op.add_output("out", "it")
        op.perform(lambda x: x)

    # It finds views that an Op does not declare.
    f = tv.function([X], same(X + 1.0), mode="DebugMode")

    assert list(f([1.0, 2.0])) == [2.0, 3.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cos(input=X, scale=0.0), "scale = 0.0, a float: it has to be greater than 0."),
        (lambda: cos(input=X, scale=float("nan")), "scale = nan, a float: it has to be greater"),
        (lambda: cos(input=X, scale="2"), "scale = '2', a str: it has to be a float."),
        (lambda: cos(input=X, scale=None), "scale = None: it has to be a float."),
        (lambda: cos(input=X, skale=2.0), "no attribute 'skale'. Did you mean 'scale'?"),
        (lambda: cos(scale=2.0), "missing a required argument: 'input'; its inputs are: input."),
        (lambda: cos(input="a"), "input: a (str) cannot become a Variable"),
        (lambda: cos(X, X), "too many positional arguments; its inputs are: input."),
        (lambda: weighted(W, 1.0, X), "x: vector float64 (?,)>: it has to be a list of v"),
        (lambda: weighted(W, 1.0, [X], mode="max"), "mode = 'max', a str: it has to be one of 'su"),
        (
            lambda: weighted(W, 1.0, [X], at=[1, -1]),
            "at = [1, -1], a list: it has to be at least 0",
        ),
        (lambda: weighted(W, 1.0, [X], at=[10]), "at = [10], a list: it has to be at most 9."),
        (lambda: weighted(W, 1.0, [X], at=1), "at = 1, a int: it has to be a list of ints."),
        (lambda: weighted(W, 1.0, [X], even=3), "even = 3, a int: it has to be even; halve it."),
    ],
)
def test_a_registered_op_refuses_what_its_rules_do(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as raised:
        call()
    assert message in str(raised.value)
    assert str(raised.value).startswith(("[paddle.cos] ", "[tests.weighted] "))


def same(op: Any) -> None:
    op.add_input("x", "any")
    op.add_output("out", "it")


def behind_a_duplicable(op: Any) -> None:
    op.add_input("xs", "many", duplicable=True)
    op.add_input("y", "one")


def twice(op: Any) -> None:
    op.add_input("x", "any")
    op.add_attribute("x", "any", float)


def of_no_type(op: Any) -> None:
    op.add_attribute("x", "any", complex)


def of_a_wrong_default(op: Any) -> None:
    same(op)
    op.perform(lambda x, n: x)
    op.add_attribute("n", "a number", int).default(0).greater_than(0)


@pytest.mark.parametrize(
    ("name", "declare", "message"),
    [
        ("cos", same, "the name 'cos' is taken: it is built in. Give another one"),
        ("paddle.cos", same, "the name 'paddle.cos' is taken: it is an Op of this program's."),
        ("loop", same, "the name 'loop' is taken"),
        ("no name", same, "the name is 'no name'; write @tv.register_op('mine.cos') above"),
        ("tests.a", same, "nothing does its work; give a function of arrays with @op.perform."),
        ("tests.a", lambda op: None, "it has no output; declare one with op.add_output."),
        ("tests.a", behind_a_duplicable, "the input 'y' is behind 'xs', which is duplicable"),
        ("tests.a", twice, "'x' is declared twice; give it another name."),
        ("tests.a", of_no_type, "graph files hold bool, int, float, str, list[bool]"),
        ("tests.a", of_a_wrong_default, "n = 0, a int: it has to be greater than 0. This is its"),
    ],
)
def test_register_op_refuses_a_declaration(name: str, declare: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as raised:
        tv.register_op(name)(declare)
    assert message in str(raised.value)
    with pytest.raises(KeyError):
        tv.ops.describe("tests.a")


def test_a_value_of_another_type_than_declared_is_an_error_that_names_the_output() -> None:
    @tv.register_op("tests.half")
    def half(op: Any) -> None:
        op.add_input("n", "an integer")
        op.add_output("out", "its half")
        op.perform(lambda n: n / 2)

    n = tv.lscalar("n")
    with pytest.raises(TypeError, match=r"\[tests.half\] its perform returned .* as 'out'"):
        tv.function([n], half(n), mode="vm")(3)
