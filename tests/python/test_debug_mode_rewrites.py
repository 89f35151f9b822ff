"""DebugMode finds rewrites that change a value, and links that are not reproducible."""

from __future__ import annotations

from typing import Any

import pytest

import thunkvm as tv
from thunkvm.checking import rewriting
from thunkvm.checking.errors import BadRewrite, StochasticOrder


def test_a_rewrite_that_changes_a_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    x, c = tv.scalar("x"), tv.scalar("c")
    before, wrong, other = tv.neg(tv.neg(x)), x + 1.0, tv.exp(x)
    replaced = [("merge", other, other), ("inverses", before, wrong)]
    rewritten = ([tv.ifelse(c > 0, wrong, other)], replaced)
    monkeypatch.setattr(rewriting._core, "rewritten", lambda outputs, names: rewritten)
    f = tv.function([c, x], tv.ifelse(c > 0, before, other), mode="DebugMode")
    assert f(-1.0, 0.0) == 1.0  # nobody asks for the wrong one
    f = tv.function([c, x], tv.ifelse(c > 0, before, other), mode="DebugMode")
    with pytest.raises(BadRewrite) as error:
        f(1.0, 3.0)
    text = str(error.value)
    assert text.startswith(
        "the rewrite 'inverses' put <x + 1.0: scalar float64> (made at test_debu"
    )
    assert "for <--x: scalar float64> (made at test_debug_mode_rewrites.py:" in text
    assert "whose value is another one: np.float64(3.0) became np.float64(4.0)" in text


def test_of_two_values_that_change_the_lower_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    x = tv.vector("x")
    lower, wrong = tv.neg(tv.neg(tv.sin(x))), x + 1.0
    upper, above_wrong = tv.exp(lower), tv.exp(wrong)
    replaced = [("inverses", lower, wrong), ("merge", upper, above_wrong)]
    monkeypatch.setattr(rewriting._core, "rewritten", lambda *_: ([above_wrong], replaced))
    f = tv.function([x], upper, mode="DebugMode")
    with pytest.raises(BadRewrite, match=r"the rewrite 'inverses' put .*element \(0,\): "):
        f([0.0])


def test_an_output_that_changes_for_no_reason_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    x = tv.scalar("x")
    monkeypatch.setattr(rewriting._core, "rewritten", lambda *_: ([x + 1.0], []))
    f = tv.function([x], tv.neg(tv.neg(x)), mode="DebugMode")
    with pytest.raises(BadRewrite, match=r"rewriting changed the value of <--x.*nothing that was"):
        f(0.0)


def test_a_program_that_changes_from_link_to_link_is_found() -> None:
    x = tv.scalar("x")
    programs = iter([tv.function([x], x + 1), tv.function([x], tv.exp(x) * 2)])
    with pytest.raises(StochasticOrder, match="linking the same graph twice gave two programs"):
        rewriting.check_order(lambda rewrites: next(programs), (), 2)


def test_updates_are_not_committed_where_a_check_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any, arguments: Any) -> None:
        raise BadRewrite("no")

    monkeypatch.setattr(rewriting.Rewriting, "check_call", refuse)
    n, x = tv.shared(0.0, "n"), tv.scalar("x")
    f = tv.function([x], tv.neg(tv.neg(x)), updates={n: n + 1.0}, mode="DebugMode")
    with pytest.raises(BadRewrite):
        f(1.0)
    assert n.get_value() == 0.0
