"""Views of what was recorded, not made by hand: they take it, and say what happened."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from profile_schemas import CHROME_TRACE
from profiles import crossings

import thunkvm as tv
from thunkvm.profile import Profile
from thunkvm.profile.chrome_trace import chrome_trace
from thunkvm.profile.html import page_data
from thunkvm.profile.stacks import collapsed_stacks

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


def search(mode: str) -> tv.Function:
    """A step of a search, with a condition inside a condition, made in a function."""
    x, y = tv.vector("x"), tv.vector("y")
    better = tv.sum(x) > tv.sum(y)
    far = tv.max(y) > 10.0
    rest = tv.ifelse(far, tv.tanh(y), tv.exp(y))
    return tv.function([x, y], tv.ifelse(better, x * 2.0, rest), name="search", mode=mode)


def trace(mode: str) -> Profile:
    """A trace of calls on two threads: 8 take the first way, 4 the second, none the third."""
    f = search(mode)
    ones = np.ones(100)

    def calls() -> None:
        for number in range(6):
            f(ones * (number % 3), ones * 0.5)

    with f.profile("trace") as p:
        threads = [Thread(target=calls) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return p


@pytest.fixture(scope="module", params=["py", "vm", "cvm"])
def recorded(request: pytest.FixtureRequest) -> Profile:
    return trace(request.param)


def test_a_recorded_trace_keeps_the_rules_and_loses_no_event(recorded: Profile) -> None:
    found = chrome_trace(recorded)
    jsonschema.validate(found, CHROME_TRACE)
    slices = [event for event in found["traceEvents"] if event["ph"] == "X"]
    assert crossings(slices) == []
    (function,) = recorded.functions
    assert len(slices) == len(function.events)
    assert sum(event["cat"] == "call" for event in slices) == function.n_calls == 12


def test_what_was_recorded_is_saved_and_loaded(recorded: Profile, tmp_path: Path) -> None:
    recorded.save(tmp_path / "p.json")
    assert Profile.load(tmp_path / "p.json").to_json() == recorded.to_json()


def test_recorded_runs_merge_and_differ(recorded: Profile) -> None:
    twice = recorded.merge(recorded)
    assert twice.functions[0].n_calls == 24
    changes = twice.diff(recorded).functions[0].nodes
    assert {change.runs_change for change in changes if change.before.op == "gt"} >= {-12}


def test_the_never_taken_arm_is_named_in_all_views(recorded: Profile) -> None:
    (function,) = recorded.functions
    assert [node.op for node in function.nodes if node.never_ran] == ["tanh"]
    assert "never ran: tanh" in str(recorded)
    assert page_data(recorded)["functions"][0]["neverRan"] == 1
    assert "tanh" not in collapsed_stacks(recorded)


def test_the_page_finds_the_file_that_made_the_nodes(recorded: Profile) -> None:
    (file,) = page_data(recorded)["functions"][0]["files"]
    assert file["name"] == __file__


def test_two_modes_are_matched_line_by_line() -> None:
    difference = trace("vm").diff(trace("py"))
    assert all(change.before and change.after for change in difference.functions[0].nodes)
    assert "search: vm -> py" in str(difference)


def test_dprint_takes_what_was_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    f = search("vm")
    with f.profile("count") as p:
        f([1.0], [0.0])
    f.dprint(profile=p)
    assert "[never ran, only if not better and far]" in capsys.readouterr().out
