"""Elementwise Ops of the user's as an expression of C: fused, emitted, without the GIL."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv


class Element(tv.Op):
    """An elementwise Op of one expression."""

    __props__ = ("text", "dtype")

    def __init__(self, text: str, dtype: str = "float64") -> None:
        self.text, self.dtype = text, dtype

    def make_node(self, *inputs: tv.Variable) -> tv.Apply:
        ndim = max(x.ndim for x in inputs)
        return tv.Apply(self, list(inputs), [tv.TensorType(self.dtype, (None,) * ndim)()])

    def c_element(self, node: tv.Apply) -> str:
        return self.text


class Bell(Element):
    """With a perform, which other modes run."""

    def __init__(self) -> None:
        super().__init__("exp(-{0} * {0})")

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = np.exp(-inputs[0] * inputs[0])


BELL = "exp(-{0} * {0})"
VALUES = np.linspace(-2.0, 2.0, 1001)


@pytest.mark.parametrize("mode", ["cvm", "c", "c|py", "cvm_nogc", "FAST_RUN", "vm", "py"])
def test_it_computes_its_expression(mode: str) -> None:
    x = tv.vector("x")
    f = tv.function([x], Bell()(x), mode=mode)
    np.testing.assert_allclose(f(VALUES), np.exp(-VALUES * VALUES), rtol=1e-15)
    np.testing.assert_allclose(f(VALUES[::-3]), np.exp(-(VALUES[::-3] ** 2)), rtol=1e-15)
    number = tv.scalar("number")
    g = tv.function([number], Bell()(number), mode=mode)
    assert g(0.5) == pytest.approx(np.exp(-0.25), rel=1e-15)


def test_it_needs_no_python() -> None:
    x = tv.vector("x")
    f = tv.function([x], Element(BELL)(x), mode=tv.Mode("cvm", compile="never"))
    assert [row.form for row in f.explain().nodes] == ["kernel"]


def test_interpreted_and_emitted_give_the_same_bits() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    out = [tv.tanh(Element("{0} > 0 ? {0} / {1} : pow({1}, 3)")(x + y, y * 2.0) - x).sum()]
    f = tv.function([x, y], out, mode=tv.Mode("cvm", compile="never"))
    g = tv.function([x, y], out, mode=tv.Mode("cvm", compile="now"))
    other = np.cos(VALUES) + 2.0
    assert g.compiled == "ready"
    assert g.explain().nodes[2].form == "fused"
    assert f(VALUES, other)[0] == g(VALUES, other)[0]


def test_numbers_are_expressions_of_emitted_code() -> None:
    x = tv.scalar("x")
    out = tv.cos(Element("sin({0}) + 1")(x * 2.0))
    f = tv.function([x], out, mode=tv.Mode("cvm", compile="now"))
    assert [row.form for row in f.explain().nodes] == ["emitted"] * 3
    g = tv.function([x], out, mode=tv.Mode("cvm", compile="never"))
    assert [f(v) for v in VALUES] == [g(v) for v in VALUES]


def test_inputs_are_broadcast() -> None:
    x, y, z = tv.vector("x"), tv.matrix("y"), tv.scalar("z")
    f = tv.function([x, y, z], Element("{0} * {1} + {2}")(x, y, z))
    a, b = np.arange(3.0), np.arange(6.0).reshape(2, 3)
    assert f(a, b, 1.0).tolist() == (a * b + 1.0).tolist()
    with pytest.raises(ValueError, match="shape"):
        f(np.arange(4.0), b, 1.0)


@pytest.mark.parametrize(
    ("text", "dtype", "given", "expected"),
    [
        ("{0} % 3", "int64", np.array([4, 5], "int64"), [1, 2]),
        ("{0} & 6", "bool", np.array([1, 2, 8], "uint8"), [False, True, False]),
        ("({T}){0} / 2", "float32", np.array([1, 3], "int8"), [0.5, 1.5]),
        ("sqrtf({0}) + floorf({0} / 3)", "float32", np.array([4, 9], "float32"), [3.0, 6.0]),
        ("{0} * 300", "int16", np.array([1, 2], "int16"), [300, 600]),
    ],
)
def test_dtypes(text: str, dtype: str, given: Any, expected: list[Any]) -> None:
    x = tv.vector("x", dtype=str(given.dtype))
    result = tv.function([x], Element(text, dtype)(x))(given)
    assert (result.dtype, result.tolist()) == (dtype, expected)


def test_an_arm_that_is_not_taken_never_runs() -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    f = tv.function([c, x], tv.ifelse(c, Element(BELL)(x), x))
    assert f(0.0, [1.0]).tolist() == [1.0]
    assert [row.runs for row in f.node_runs() if row.op == "Element"] == [0]


def test_it_runs_on_many_threads_at_once() -> None:
    x = tv.vector("x")
    f = tv.function([x], Element("{0} * 2")(x))
    wrong: list[int] = []

    def work(k: int) -> None:
        wrong.extend(n for n in range(1, 200) if f(np.full(n, float(k)))[-1] != 2.0 * k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "exception", "match"),
    [
        ("{0} + {1}", ValueError, r"\{0\} to \{0\}"),
        ("{name}", ValueError, "braces stand for something else"),
        ("{0}; {0}", ValueError, "one expression of C"),
        ("", ValueError, "one expression of C"),
        ("{0} +", tv.CompileError, r"\[Element\] c_element.*test_c_elements.*does not compile"),
        ("no_such_function({0})", tv.CompileError, "no_such_function"),
    ],
)
def test_a_text_that_is_no_expression_is_an_error(text: str, exception: Any, match: str) -> None:
    x = tv.vector("x")
    with pytest.raises(exception, match=match):
        tv.function([x], Element(text)(x))


def test_it_has_up_to_thirty_two_inputs() -> None:
    inputs = [tv.vector(f"x{i}") for i in range(32)]
    total = Element(" + ".join(f"{{{i}}}" for i in range(32)))(*inputs)
    f = tv.function(inputs, tv.exp(total - 496.0), mode=tv.Mode("cvm", compile="now"))
    assert f(*(np.full(3, float(i)) for i in range(32))).tolist() == [1.0] * 3
    assert [row.form for row in f.explain().nodes] == ["fused"] * 3
    g = tv.function(inputs, total, mode=tv.Mode("cvm", compile="never"))
    assert g(*(np.arange(6.0)[::-2] * i for i in range(32))).tolist() == [2480.0, 1488.0, 496.0]


def test_a_node_that_is_not_elementwise_is_an_error() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match="1 to 32 inputs and one output"):
        tv.function([x], Element("{0}")(*[x] * 33))
    with pytest.raises(TypeError, match="1 to 32 inputs and one output"):
        tv.function([x], Element("{0}", "complex128")(x))


def test_without_a_compiler_perform_runs(tmp_path: Path) -> None:
    x = tv.vector("x")
    with tv.config.change(cc="no-such-compiler", cache_dir=str(tmp_path)):
        f = tv.function([x], Bell()(x), mode=tv.Mode("cvm", compile="never"))
    assert f([0.0]).tolist() == [1.0]
    assert [row.form for row in f.explain().nodes] == ["perform"]
