"""MonitorMode: callbacks around the nodes that run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from python_ops import generator

import thunkvm as tv

LINKERS = ["py", "vm", "cvm", "c|py", "c"]


class Log:
    """Callbacks that note what they are told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def pre(self, function: Any, i: int, node: Any, fn: Any) -> None:
        self.lines.append(f"{node.op} gets {[value[0] for value in fn.inputs]}")
        assert all(value[0] is None for value in fn.outputs)

    def post(self, function: Any, i: int, node: Any, fn: Any) -> None:
        self.lines.append(f"{node.op} gives {[float(value[0]) for value in fn.outputs]}")


@pytest.mark.parametrize("linker", LINKERS)
def test_each_node_that_runs_is_told_before_and_after(linker: str) -> None:
    log = Log()
    x = tv.scalar("x")
    f = tv.function([x], tv.sqrt(x) + 1.0, mode=tv.MonitorMode(log.pre, log.post, linker=linker))
    assert f(9.0) == 4.0
    assert log.lines == [
        "sqrt gets [np.float64(9.0)]",
        "sqrt gives [3.0]",
        "add gets [np.float64(3.0), np.float64(1.0)]",
        "add gives [4.0]",
    ]


@pytest.mark.parametrize("linker", LINKERS)
def test_an_arm_that_is_not_taken_is_not_told_of(linker: str) -> None:
    log = Log()
    c, x = tv.scalar("c", dtype="bool"), tv.scalar("x")
    y = tv.ifelse(c, tv.sqrt(x), tv.exp(x))
    f = tv.function([c, x], y, mode=tv.MonitorMode(post_func=log.post, linker=linker))
    f(True, 9.0)
    assert log.lines == ["sqrt gives [3.0]"]


@pytest.mark.parametrize("linker", ["py", "vm", "cvm", "c|py"])
def test_a_lazy_node_shows_what_it_asked_for(linker: str) -> None:
    seen: list[Any] = []

    def post(function: Any, i: int, node: Any, fn: Any) -> None:
        seen.append(([value[0] for value in fn.inputs], fn.outputs[0][0]))

    def demand(node: Any) -> Any:
        x = yield 0
        return x + 1.0

    op = generator(demand)
    a, b = tv.scalar("a"), tv.scalar("b")
    f = tv.function([a, b], op(a, b), mode=tv.MonitorMode(post_func=post, linker=linker))
    assert f(2.0, 5.0) == 3.0
    assert seen == [([None, None], None), ([2.0, None], 3.0)]


def test_what_a_callback_raises_ends_the_call_and_names_the_node() -> None:
    def refuse(function: Any, i: int, node: Any, fn: Any) -> None:
        if node.op.name == "sub" and (fn.outputs[0][0] < 0).any():
            raise ZeroDivisionError("below zero")

    x = tv.vector("x")
    mode = tv.MonitorMode(post_func=refuse)
    f = tv.function([x], tv.attempt(tv.exp(x) - 1.0, x), mode=mode)
    f([1.0])
    with pytest.raises(ZeroDivisionError, match="below zero") as raised:
        f([-1.0])
    assert str(raised.value) == "below zero"
    assert "sub" in "".join(raised.value.__notes__)
    np.testing.assert_allclose(f([1.0]), np.exp([1.0]) - 1.0)


def test_a_callback_gets_the_function_and_its_index_in_explain() -> None:
    seen = []
    x = tv.scalar("x")
    mode = tv.MonitorMode(lambda function, i, node, fn: seen.append((function, i)))
    f = tv.function([x], tv.exp(-x), mode=mode)
    f(0.0)
    assert [function for function, _ in seen] == [f, f]
    assert [f.explain().nodes[i].op for _, i in seen] == ["neg", "exp"]


def test_the_memory_of_an_input_is_not_taken_before_the_callback() -> None:
    seen: list[np.ndarray] = []

    def post(function: Any, i: int, node: Any, fn: Any) -> None:
        seen.extend(np.array(value[0]) for value in fn.inputs)

    x = tv.vector("x")
    f = tv.function([x], tv.exp(-x), mode=tv.MonitorMode(post_func=post))
    f([1.0, 2.0])
    np.testing.assert_array_equal(seen, [[1.0, 2.0], [-1.0, -2.0]])


def test_calls_inside_a_callback_are_told_of_too() -> None:
    log = Log()
    x = tv.scalar("x")
    inner = tv.function([x], tv.exp(x), mode=tv.MonitorMode(post_func=log.post))
    outer = tv.function(
        [x],
        -x,
        mode=tv.MonitorMode(lambda *_: inner(0.0), post_func=log.post),
    )
    outer(2.0)
    assert log.lines == ["exp gives [1.0]", "neg gives [-2.0]"]


def test_the_mode_by_its_name_runs_as_its_linker_does() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) + 1.0, mode="MonitorMode")
    np.testing.assert_array_equal(f([0.0]), [2.0])
    assert f.mode.name == "MonitorMode"
    assert {row.form for row in f.explain().nodes} == {"kernel"}


def test_including_and_excluding_keep_the_callbacks() -> None:
    log = Log()
    mode = tv.MonitorMode(post_func=log.post, optimizer="fast_run").excluding("merge")
    x = tv.scalar("x")
    tv.function([x], (x + 1.0) * (x + 1.0), mode=mode)(1.0)
    assert log.lines == ["add gives [2.0]", "add gives [2.0]", "mul gives [4.0]"]


def test_compiling_is_refused_where_nothing_would_be_compiled() -> None:
    with pytest.raises(ValueError, match="compile='now' has no meaning where each node is watched"):
        tv.MonitorMode(compile="now")


def test_a_callback_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="post_func is 3; it has to be a callable"):
        tv.MonitorMode(post_func=3)  # type: ignore[arg-type]
