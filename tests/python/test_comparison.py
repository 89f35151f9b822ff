"""Mode ``c&py``: what two implementations of a node may differ in, and what they may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    y = {"sum": x.sum(), "mean": x.mean(), "matmul": tv.dot(x, x[::-1])}[op]
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
