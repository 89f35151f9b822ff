"""Mode ``c&py``: what two implementations of a node may differ in, and what they may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lying_ops as lies
import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.arrays.perform import PERFORMS
from thunkvm.checking.comparison import DisagreementError

RANDOM = np.random.default_rng(1)
NOISE = RANDOM.normal(size=1000)


def perform_times(op: str, factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the perform of an Op wrong by a factor."""
    right = PERFORMS[op]

    def wrong(node: Any) -> Any:
        perform = right(node)

        def performs(node: Any, inputs: list[Any], storage: list[list[Any]]) -> None:
            perform(node, inputs, storage)
            storage[0][0] = storage[0][0] * factor

        return performs

    monkeypatch.setitem(PERFORMS, op, wrong)


@pytest.mark.parametrize(
    ("function", "value"),
    [
        (lambda x: (x - x.mean()).sum(), NOISE),
        (lambda x: tv.sin(x).sum(), np.linspace(-np.pi, np.pi, 1001)),
        (lambda x: x.var(), np.full(1000, 0.1)),
        (lambda x: x.std(), np.full(1000, 0.1)),
        (lambda x: tv.dot(x[:500], x[500:] * 0.0 + x[499::-1] - x[:500]), NOISE),
        (lambda x: tv.gammaln(x), np.array([1.0, 2.0, 1.0 + 1e-12, 2.5])),
        (lambda x: tv.sin(x) + tv.tan(x), np.array([np.pi, 1e-310, 0.0, -0.0, 355.0])),
        (lambda x: tv.cumsum(x - x.mean()), NOISE),
    ],
    ids=["sum", "sin", "var", "std", "dot", "gammaln", "denormals", "cumsum"],
)
def test_results_of_few_digits_are_no_disagreement(
    function: Callable[[tv.Variable], tv.Variable], value: np.ndarray
) -> None:
    x = tv.vector("x")
    f = tv.function([x], function(x), mode="c&py")
    expected = tv.function([x], function(x), mode="py")(value)
    np.testing.assert_allclose(f(value), expected, rtol=1e-9, atol=1e-9)


def test_the_solution_of_nearly_dependent_equations_is_no_disagreement() -> None:
    a, b = tv.matrix("a"), tv.vector("b")
    f = tv.function([a, b], tv.solve(a, b), mode="c&py")
    hilbert = 1.0 / (np.arange(8.0)[:, None] + np.arange(8.0) + 1.0)
    np.testing.assert_allclose(hilbert @ f(hilbert, np.ones(8)), np.ones(8), rtol=1e-5)


@pytest.mark.parametrize("op", ["sqrt", "exp", "mul"])
def test_a_small_element_that_is_wrong_beside_a_large_one_is_found(
    op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tv.vector("x")
    y = {"sqrt": tv.sqrt(x), "exp": tv.exp(x), "mul": x * x}[op]
    f = tv.function([x], y, mode="c&py")
    value = np.array([1e-6, 300.0])
    f(value)
    perform_times(op, 1.0 + 1e-9, monkeypatch)
    with pytest.raises(DisagreementError, match=r"element \(0,\) is"):
        f(value)


def test_a_checker_of_the_users_gets_both_results_of_each_node() -> None:
    seen: list[tuple[str, float, float]] = []

    def checker(x: list[Any], y: list[Any]) -> None:
        seen.append((type(x[0]).__name__, float(x[0]), float(y[0])))
        assert x[0] != 3.0, "three"

    x = tv.scalar("x")
    f = tv.function([x], -x + 1.0, mode=tv.Mode(linker=tv.DualLinker(checker)))
    f(1.0)
    assert [values for _, *values in seen] == [[-1.0, -1.0], [0.0, 0.0]]
    with pytest.raises(AssertionError, match="three") as raised:
        f(-3.0)
    assert "node neg.0" in raised.value.__notes__[-1]
    with pytest.raises(TypeError, match="checker is 1"):
        tv.DualLinker(checker=1)  # type: ignore[arg-type]


def test_a_disagreement_is_no_failure_that_an_attempt_catches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.attempt(tv.sqrt(x), x), mode="c&py")
    f([4.0])
    perform_times("sqrt", 1.001, monkeypatch)
    with pytest.raises(DisagreementError):
        f([4.0])


@pytest.mark.parametrize("op", ["sum", "mean", "matmul"])
def test_a_sum_that_is_wrong_is_found_where_it_cancels_too(
    op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tv.vector("x")
    y = {"sum": x.sum(), "mean": x.mean(), "matmul": x @ x[::-1]}[op]
    f = tv.function([x], y, mode="c&py")
    f(NOISE)
    perform_times(op, 1.0 + 1e-7, monkeypatch)
    with pytest.raises(DisagreementError, match=rf"^\[{op}\] native code and perform disagree"):
        f(NOISE)


@pytest.mark.parametrize("op", ["any", "argmax"])
def test_a_wrong_bool_or_index_is_found(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = tv.vector("x")
    f = tv.function([x], getattr(tv, op)(x), mode="c&py")
    value = np.array([0.0, 0.0, 1.0])
    f(value)
    perform_times(op, 0, monkeypatch)
    if op == "any":
        monkeypatch.setitem(PERFORMS, op, lambda node: _store(np.False_))
    with pytest.raises(DisagreementError, match=rf"^\[{op}\] native code and perform disagree"):
        f(value)


def _store(result: Any) -> Callable[..., None]:
    def perform(node: Any, inputs: list[Any], storage: list[list[Any]]) -> None:
        storage[0][0] = result

    return perform


def test_an_op_in_python_that_several_arms_need_has_nothing_to_be_compared_with() -> None:
    class Twice(tv.Op):
        def make_node(self, x: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node: tv.Apply, inputs: list[Any], storage: list[list[Any]]) -> None:
            storage[0][0] = inputs[0] * 2

    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    shared = Twice()(x)
    chosen = tv.ifelse(c > 0, shared, x) + tv.ifelse(d > 0, shared + 1.0, x)
    for mode in ("c&py", "c&py_nogc"):
        assert tv.function([c, d, x], chosen, mode=mode)(1.0, 1.0, 3.0) == 13.0


def performing(result: Callable[[np.ndarray], Any], base: type = lies.HonestInC) -> tv.Variable:
    """An Op whose C doubles a matrix and whose perform gives something else, of x."""

    class Doubled(base):  # type: ignore[misc]
        def perform(self, node: Any, inputs: list[Any], storage: list[list[Any]]) -> None:
            storage[0][0] = result(inputs[0])

    return Doubled()(tv.matrix("x"))


def by_c(y: tv.Variable) -> Callable[[Any], Any]:
    return tv.function([y.owner.inputs[0]], y, mode="c&py")


def refuse(error: Exception) -> Callable[[np.ndarray], Any]:
    def perform(x: np.ndarray) -> Any:
        raise error

    return perform


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (lambda x: x * 3.0, r"element \(0, 0\) is .*2.0.* and .*3.0"),
        (lambda x: (x * 2.0)[:1], r"the shapes are \(2, 2\) and \(1, 2\)"),
        (lambda x: (x * 2.0).astype("float32"), "perform raised TypeError.*float32"),
        (refuse(ZeroDivisionError("of mine")), "perform raised ZeroDivisionError: of mine"),
    ],
    ids=["value", "shape", "dtype", "raising"],
)
def test_a_users_c_is_compared_with_its_perform(result: Any, words: str) -> None:
    f = by_c(performing(result))
    with pytest.raises(DisagreementError, match=rf"(?s)\[Doubled\] native code and .*{words}"):
        f([[1.0, 2.0], [3.0, 4.0]])


def test_a_users_c_agrees_with_its_perform() -> None:
    f = by_c(performing(lambda x: x * 2.0))
    assert f([[1.0, 2.0]]).tolist() == [[2.0, 4.0]]


def test_a_perform_that_is_not_implemented_is_no_disagreement() -> None:
    f = by_c(performing(refuse(NotImplementedError())))
    assert f([[1.0, 2.0]]).tolist() == [[2.0, 4.0]]


def test_c_that_writes_to_its_input_is_compared_on_what_it_got() -> None:
    class InPlace(lies.InC):
        destroy_map = {0: [0]}
        body = (
            "Py_XDECREF(%(z)s); Py_INCREF(%(x)s); %(z)s = %(x)s;\n"
            "for (npy_intp i = 0; i < n; ++i) ((double*)PyArray_DATA(%(z)s))[i] *= 2.0;"
        )

    f = by_c(performing(lambda x: x * 2.0, InPlace))
    assert f([[1.0, 2.0]]).tolist() == [[2.0, 4.0]]
    with pytest.raises(DisagreementError, match=r"and .*3.0"):
        by_c(performing(lambda x: x * 3.0, InPlace))([[1.0, 2.0]])


def test_a_users_kernel_is_compared_with_its_perform() -> None:
    class Thrice(tv.Op):
        __props__ = ("factor",)

        def __init__(self, factor: float) -> None:
            self.factor = factor

        def make_node(self, x: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x], [tv.scalar()])

        def c_kernel(self, node: tv.Apply, name: str) -> str:
            return f"""int {name}(tv_call *call, const tv_array *in, tv_array *out) {{
                *(double *)out[0].data = 3 * *(const double *)in[0].data;
                return 0;
            }}"""

        def perform(self, node: tv.Apply, inputs: list[Any], storage: list[list[Any]]) -> None:
            storage[0][0] = np.asarray(inputs[0] * self.factor)

    x = tv.scalar("x")
    assert tv.function([x], Thrice(3.0)(x), mode="c&py")(2.0) == 6.0
    with pytest.raises(DisagreementError, match=r"\[Thrice\] .*6.0.*8.0"):
        tv.function([x], Thrice(4.0)(x), mode="c&py")(2.0)


def test_a_checker_of_the_users_gets_what_c_of_the_users_gave() -> None:
    seen: list[list[Any]] = []

    def checker(x: list[Any], y: list[Any]) -> None:
        seen.append([x[0].tolist(), y[0].tolist()])

    y = performing(lambda x: x * 3.0)
    f = tv.function([y.owner.inputs[0]], y, mode=tv.Mode(linker=tv.DualLinker(checker)))
    f([[1.0]])
    assert seen == [[[[3.0]], [[2.0]]]]
