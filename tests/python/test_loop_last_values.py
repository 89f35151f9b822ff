"""The last values of loops: steps compute those alone that somebody demands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

EMITTED = tv.Mode("cvm", "fast_run", compile="now")
MODES = ["py", "vm", "FAST_COMPILE", "cvm", "FAST_RUN", "c", "c&py", "cvm_nogc", EMITTED]
x, y = tv.scalar("x"), tv.scalar("y")
n = tv.lscalar("n")


def runs(f: Any, op: str) -> int:
    """How often nodes of the Op ran; 0 if none is in the program."""
    return sum(row.runs for row in f.node_runs() if row.op == op)


def exp_beside_counting() -> Any:
    """Return the last values of two steps: exp of exp of x, and x + 2."""
    return tv.while_loop(
        lambda s: s[1] < 100.0,
        lambda s: (tv.exp(s[0]), s[1] + 1.0),
        (x, x),
        max_steps=2,
        history="all",
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("read", ["direct", "attempted", "coalesced"])
def test_a_last_value_that_only_a_dead_output_of_an_ifelse_reads_is_not_computed(
    mode: Any, read: str
) -> None:
    powers, counted = exp_beside_counting()
    _, value = tv.ifelse(x > 0.0, (powers, counted), (counted, -counted))
    if read == "attempted":
        value = tv.attempt(value, x, on=ValueError)
    if read == "coalesced":
        value = tv.coalesce(value, x)
    f = tv.function([x], value, mode=mode)
    assert f(1.0) == 3.0
    assert f(-1.0) == -1.0
    assert runs(f, "exp") == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_last_value_that_an_output_of_an_ifelse_reads_in_one_arm_is_computed(mode: Any) -> None:
    powers, counted = exp_beside_counting()
    chosen = tv.ifelse(x > 0.0, (powers, counted), (counted, -counted))
    f = tv.function([x], chosen, mode=mode)
    np.testing.assert_allclose(f(0.5), (np.exp(np.exp(0.5)), 2.5))
    np.testing.assert_allclose(f(-1.0), (1.0, -1.0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("waits_for", ["last", "one_more", "ifelse", "history"])
def test_an_update_if_computed_of_a_last_value_has_no_step_compute_it(
    mode: Any, waits_for: str
) -> None:
    powers, counted = exp_beside_counting()
    value = {
        "last": powers,
        "one_more": powers + 1.0,
        "ifelse": tv.ifelse(x > 0.0, powers, counted),
        "history": tv.sum(powers.history),
    }[waits_for]
    kept = tv.shared(7.0)
    f = tv.function([x], counted, updates={kept: tv.Update(value, if_computed=True)}, mode=mode)
    assert f(1.0) == 3.0
    assert runs(f, "exp") == 0
    assert kept.get_value() == 7.0


@pytest.mark.parametrize("mode", MODES)
def test_a_last_value_that_another_loop_of_the_same_body_is_asked_for_is_not_computed(
    mode: Any,
) -> None:
    powers, counted = exp_beside_counting()
    (powers_of_y,) = tv.graph_replace([powers], {x: y})
    f = tv.function([x, y], [counted, powers_of_y], mode=mode)
    np.testing.assert_allclose(f(1.0, 0.5), (3.0, np.exp(np.exp(0.5))))
    assert runs(f, "exp") == 2


@pytest.mark.parametrize("mode", MODES)
def test_an_update_if_computed_of_a_last_value_that_is_asked_for_is_made(mode: Any) -> None:
    powers, _ = exp_beside_counting()
    kept = tv.shared(7.0)
    asked = tv.ifelse(x > 0.0, powers, x)
    f = tv.function([x], asked, updates={kept: tv.Update(powers, if_computed=True)}, mode=mode)
    assert f(-1.0) == -1.0
    assert kept.get_value() == 7.0
    assert f(0.5) == kept.get_value() == pytest.approx(np.exp(np.exp(0.5)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("steps", "expected"), [(0, 1.0), (3, 8.0)])
def test_an_update_if_computed_is_made_where_steps_compute_the_state_for_others(
    mode: Any, steps: int, expected: float
) -> None:
    seed, total = tv.shared(1.0), x
    last, drawn = tv.fori_loop(0, n, lambda _, s: (s[0] * 2.0, s[1] + s[0]), (seed, total))
    f = tv.function([x, n], drawn, updates={seed: tv.Update(last, if_computed=True)}, mode=mode)
    assert f(0.0, steps) == expected - 1.0
    assert seed.get_value() == expected


@pytest.mark.parametrize("mode", MODES)
def test_an_update_if_computed_does_not_demand_what_a_state_begins_with(mode: Any) -> None:
    kept = tv.shared(7.0)
    last, total = tv.fori_loop(0, n, lambda _, s: (s[0] * 2.0, s[1] + s[0]), (tv.exp(x), x))
    f = tv.function([x, n], total, updates={kept: tv.Update(last, if_computed=True)}, mode=mode)
    assert f(2.0, 0) == 2.0
    assert runs(f, "exp") == 0


@pytest.mark.parametrize("mode", MODES)
def test_rows_of_a_scan_that_only_a_dead_output_of_an_ifelse_reads_are_not_kept(mode: Any) -> None:
    rows = tv.scan(lambda s: s + 1.0, outputs_info=x, n_steps=3)
    _, last = tv.ifelse(x > 0.0, (tv.sum(rows), rows[-1]), (x, -rows[-1]))
    f = tv.function([x], last, mode=mode)
    assert f(1.0) == 4.0
    assert f(-1.0) == -2.0
    assert runs(f, "loop_append") == 0


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "FAST_RUN", EMITTED])
def test_equal_ifelses_of_last_values_are_merged_whichever_of_their_outputs_are_read(
    mode: Any,
) -> None:
    powers, counted = exp_beside_counting()
    one, other = (tv.ifelse(x > 0.0, (powers, counted), (x, -counted)) for _ in range(2))
    f = tv.function([x], [one[0], tv.sin(one[1]), tv.sin(other[1])], mode=mode)
    assert f(-1.0) == [-1.0, -np.sin(1.0), -np.sin(1.0)]
    assert runs(f, "sin") == 1
