"""Histories of loops: the lengths that they have where no step ran."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "FAST_COMPILE", "cvm", "FAST_RUN", "c", "c|py", "c&py", "cvm_nogc"]
MODES += ["DebugMode"]
n = tv.lscalar("n")
v = tv.vector("v")
m = tv.matrix("m")


class Doubled(tv.PureOp):
    """Twice its input, and how often it ran; its lengths are known by the value alone."""

    __props__ = ()

    def __init__(self) -> None:
        self.runs = 0

    def make_node(self, s: Any) -> tv.Apply:
        return tv.Apply(self, [s], [s.type()])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        self.runs += 1
        outputs[0][0] = inputs[0] * 2


@pytest.mark.parametrize("mode", MODES)
def test_history_of_no_steps_has_the_lengths_of_the_first_value(mode: str) -> None:
    last = tv.while_loop(lambda s: s.sum() < n, lambda s: s * 2.0, v + 1.0, history="all")
    f = tv.function([n, v], last.history, mode=mode)
    assert f(0, [0.0, 1.0, 2.0]).shape == (0, 3)
    assert f(10, [0.0, 1.0]).tolist() == [[2.0, 4.0], [4.0, 8.0]]


@pytest.mark.parametrize("mode", MODES)
def test_scan_over_nothing_has_the_lengths_that_its_values_would_have_had(mode: str) -> None:
    rows = tv.scan(lambda row: tv.concatenate([row, row[:1]]).astype("float32"), sequences=[m])
    f = tv.function([m], rows, mode=mode)
    empty = f(np.zeros((0, 4)))
    assert (empty.shape, empty.dtype) == ((0, 5), "float32")
    assert f(np.ones((2, 1))).tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("mode", MODES)
def test_scan_of_a_state_over_nothing_has_the_lengths_of_the_state(mode: str) -> None:
    sums = tv.scan(lambda row, total: total + row, sequences=[m], outputs_info=[v])
    f = tv.function([m, v], sums, mode=mode)
    assert f(np.zeros((0, 2)), [1.0, 2.0]).shape == (0, 2)
    assert f(np.ones((2, 2)), [1.0, 2.0]).tolist() == [[2.0, 3.0], [3.0, 4.0]]


@pytest.mark.parametrize("mode", MODES)
def test_gradient_through_a_scan_over_nothing_has_its_shape(mode: str) -> None:
    sums = tv.scan(lambda row, total: total * row, sequences=[m], outputs_info=[v])
    f = tv.function([m, v], list(tv.grad(sums.sum(), [m, v])), mode=mode)
    rows, first = f(np.zeros((0, 2)), [1.0, 2.0])
    assert (rows.shape, first.tolist()) == ((0, 2), [0.0, 0.0])


@pytest.mark.parametrize("mode", MODES)
def test_history_of_no_steps_of_an_inner_loop_has_the_lengths_of_the_outer_state(
    mode: str,
) -> None:
    def body(i: Any, s: Any) -> Any:
        inner = tv.while_loop(lambda t: t.sum() < n, lambda t: t + 1.0, s, history="all")
        return s + inner.history.sum(axis=0)

    f = tv.function([n, v], tv.fori_loop(0, 2, body, v), mode=mode)
    assert f(0, [1.0, 2.0]).tolist() == [1.0, 2.0]
    assert f(5, [1.0, 2.0]).tolist() == [3.0, 5.0]


@pytest.mark.parametrize("mode", ["py", "vm", "FAST_COMPILE", "cvm", "FAST_RUN", "c|py"])
def test_history_of_no_steps_runs_no_node_of_a_step(mode: str) -> None:
    doubled = Doubled()
    last = tv.fori_loop(0, n, lambda i, s: doubled(s), v)
    rows = tv.scan(lambda row: doubled(row) + 1.0, sequences=[m])
    history = tv.while_loop(lambda s: s.sum() < n, doubled, v, history="all").history
    f = tv.function([n, v, m], [last, rows, history], mode=mode)
    last_value, no_rows, no_history = f(0, [1.0, 2.0], np.zeros((0, 3)))
    assert doubled.runs == 0
    assert (last_value.tolist(), no_history.shape) == ([1.0, 2.0], (0, 2))
    assert no_rows.shape == (0, 0)  # only a value of the Op's would tell


@pytest.mark.parametrize("mode", ["py", "vm", "FAST_COMPILE", "cvm", "FAST_RUN", "c|py"])
def test_history_computes_a_first_value_for_its_lengths_only_where_no_step_reads_it(
    mode: str,
) -> None:
    first = Doubled()
    begun = first(v)
    state = tv.while_loop(
        lambda s: s[0] < n, lambda s: (s[0] + 1, begun + s[0]), (0, first(v + 1.0)), history="all"
    )
    f = tv.function([n, v], state.history[1], mode=mode)
    assert f(2, [1.0, 2.0]).tolist() == [[2.0, 4.0], [3.0, 5.0]]
    assert first.runs == 1
    assert f(0, [1.0, 2.0]).shape == (0, 2)
    assert first.runs == 2


@pytest.mark.parametrize("mode", MODES)
def test_history_of_no_steps_has_its_lengths_with_checkpoints_and_intervals(mode: str) -> None:
    def kept(**options: Any) -> Any:
        last = tv.while_loop(lambda s: s.sum() < n, lambda s: s * 2.0, v, **options)
        return last.history

    histories = [
        kept(history="all", checkpoint=2), kept(history=2), kept(history=2, checkpoint=3)
    ]  # fmt: skip
    f = tv.function([n, v], histories, mode=mode)
    assert [found.shape for found in f(0, [1.0, 2.0])] == [(0, 2), (0, 2), (0, 2)]
    assert [found.tolist() for found in f(5, [1.0, 1.0])] == [
        [[2.0, 2.0], [4.0, 4.0]], [[4.0, 4.0]], [[4.0, 4.0]]
    ]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_scan_over_nothing_has_its_lengths_with_checkpoints(mode: str) -> None:
    def step(row: Any, total: Any) -> Any:
        return total + row, tv.concatenate([row, row])

    found = tv.scan(step, sequences=[m], outputs_info=[v, None], checkpoint=2)
    f = tv.function([m, v], found, mode=mode)
    assert [values.shape for values in f(np.zeros((0, 2)), [1.0, 2.0])] == [(0, 2), (0, 4)]
    assert [values.shape for values in f(np.zeros((3, 2)), [1.0, 2.0])] == [(3, 2), (3, 4)]
